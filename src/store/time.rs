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

/// A moment that others are compared with, as texts where that is enough.
pub(super) struct Since {
    moment: Timestamp,
    text: String,
}

impl Since {
    pub(super) fn new(moment: Timestamp) -> Self {
        Self { moment, text: write(moment) }
    }

    /// Whether a text names this moment or a later one, or none that can be read.
    pub(super) fn is_met_by(&self, text: &str) -> bool {
        // As we write them, later texts are greater. A smaller one may still be no moment at all.
        let is_later = is_ours(text) && is_ours(&self.text) && *text >= *self.text;
        is_later || read(text).is_none_or(|moment| moment >= self.moment)
    }
}

/// Whether a text has the form that [`write`] gives to the years 0 to 9999.
fn is_ours(text: &str) -> bool {
    const FORM: &[u8; 20] = b"0000-00-00T00:00:00Z";
    let fits = |(byte, form): (u8, &u8)| if *form == b'0' { byte.is_ascii_digit() } else { byte == *form };
    text.len() == FORM.len() && text.bytes().zip(FORM).all(fits)
}
