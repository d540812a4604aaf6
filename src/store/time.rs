//! Moments as text: `2026-04-13T10:00:00Z`, in state and audit alike.
//! Uses `jiff` for the calendar; never asks what time it is.

use crate::model::Timestamp;

/// A moment in UTC, whole seconds, with `Z`. Moments outside the years -9999 to 9999 are cut to that.
pub(super) fn write(moment: Timestamp) -> String {
    let seconds = moment.0.clamp(jiff::Timestamp::MIN.as_second(), jiff::Timestamp::MAX.as_second());
    jiff::Timestamp::from_second(seconds).unwrap_or_default().to_string()
}

/// The moment a text names, in any ISO 8601 form with an offset.
pub(super) fn read(text: &str) -> Option<Timestamp> {
    let moment: jiff::Timestamp = text.parse().ok()?;
    Some(Timestamp(moment.as_second()))
}
