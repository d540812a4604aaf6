//! Which session an event belongs to when the harness does not say.
//! Uses the host; nothing else of the store.

use super::{digest, time};
use crate::host::Host;
use std::path::Path;

/// The first 36 hex digits of SHA-256 of `folder:parent pid:YYYYMMDD`, the day in UTC: the same for all events of one
/// process tree on one day.
#[must_use]
pub fn fallback_session(host: &dyn Host, folder: &Path) -> String {
    let moment = time::write(host.now());
    let day: String = moment.chars().take_while(|character| *character != 'T').filter(char::is_ascii_digit).collect();
    let mut id = digest::hex(format!("{}:{}:{day}", folder.display(), host.parent_pid()).as_bytes());
    id.truncate(36);
    id
}
