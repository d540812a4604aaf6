//! Moments for people and programs. Never asks what time it is.

use crate::model::Timestamp;

/// `2026-04-13T10:00:00Z`
pub(super) fn iso(moment: Timestamp) -> String {
    calendar(moment).to_string()
}

/// `2026-04-13`
pub(super) fn day(moment: Timestamp) -> String {
    iso(moment).split('T').next().unwrap_or_default().to_owned()
}

/// `2026-04-13 10:00`, in UTC.
pub(super) fn minute(moment: Timestamp) -> String {
    iso(moment).replace('T', " ").chars().take(16).collect()
}

/// `3 min ago`; of a moment that is still to come, its name.
pub(super) fn ago(moment: Timestamp, now: Timestamp) -> String {
    match now.0.saturating_sub(moment.0) {
        age if age < 0 => iso(moment),
        age @ 0..60 => format!("{age} s ago"),
        age @ 60..3600 => format!("{} min ago", age / 60),
        age @ 3600..172_800 => format!("{} h ago", age / 3600),
        age => format!("{} days ago", age / 86_400),
    }
}

/// Moments outside the years -9999 to 9999 are cut to that.
fn calendar(moment: Timestamp) -> jiff::Timestamp {
    let seconds = moment.0.clamp(jiff::Timestamp::MIN.as_second(), jiff::Timestamp::MAX.as_second());
    jiff::Timestamp::from_second(seconds).unwrap_or_default()
}
