//! What is remembered of one session, looked at from outside: without the lock, and changing nothing.

use super::overrides;
use super::paths::Paths;
use super::session;
use super::session_file::SessionFile;
use crate::host::Host;
use crate::limits;
use crate::model::{Session, Timestamp};

/// The session, as an event now would find it; `None` when nothing is remembered of it, or nothing that can be read.
#[must_use]
pub fn peek(host: &dyn Host, paths: &Paths, id: &str) -> Option<Session> {
    let text = String::from_utf8(host.read_settled(&paths.state(), limits::STATE_BYTES).ok()?).ok()?;
    let now = host.now();
    let oldest = Timestamp(now.0.saturating_sub(overrides::ttl(host)));
    let file = SessionFile::read(&text, oldest).ok()?;
    session::read(Some(file.session(id)?), now).ok()
}
