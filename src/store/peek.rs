//! What is remembered of one session, looked at from outside: without the lock, and changing nothing.

use super::overrides;
use super::paths::Paths;
use super::session;
use super::session_file::SessionFile;
use crate::host::Host;
use crate::limits;
use crate::model::{Session, Timestamp};
use std::io;

/// The session, as an event now would find it; `None` when nothing is remembered of it, or nothing that can be read.
#[must_use]
pub fn peek(host: &dyn Host, paths: &Paths, id: &str) -> Option<Session> {
    let text = String::from_utf8(state_bytes(host, paths).ok()?).ok()?;
    let now = host.now();
    let oldest = Timestamp(now.0.saturating_sub(overrides::ttl(host)));
    let file = SessionFile::read(&text, oldest).ok()?;
    session::read(Some(file.session(id)?), now).ok()
}

/// The state file as it was at one moment. Its writers take turns between two files, so that what is read slowly can be
/// parts of two states: read twice alike, it is one.
///
/// # Errors
/// As the system says, and when others write without a pause.
pub(super) fn state_bytes(host: &dyn Host, paths: &Paths) -> io::Result<Vec<u8>> {
    const TRIES: usize = 50;
    let read = || host.read(&paths.state(), limits::STATE_BYTES);
    let mut bytes = read()?;
    for _ in 0..TRIES {
        let again = read()?;
        if again == bytes {
            return Ok(bytes);
        }
        bytes = again;
    }
    Err(io::Error::new(io::ErrorKind::ResourceBusy, "it changes all the time"))
}
