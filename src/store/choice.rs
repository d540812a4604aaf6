//! A person's word on a behavior within one session: switched off, or on again. Written under the lock, as every change
//! of the sessions is. Uses the memory and the host.

use super::lock::Unavailable;
use super::memory;
use super::object::Object;
use super::paths::Paths;
use crate::error::{Error, ErrorKind, Result};
use crate::host::Host;

/// What a session was told.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Choice {
    /// Whether the session is one we know; a new one is made, and counts when an event of that name comes.
    pub is_known: bool,
    /// Whether it says something else than before.
    pub is_new: bool,
}

/// Has a behavior act in a session, or not. A session can only take away: it does not switch on what the program lacks.
///
/// # Errors
/// When the state cannot be locked in time, read or written; then nothing is changed.
pub fn choose(host: &dyn Host, paths: &Paths, session: &str, behavior: &str, enabled: bool) -> Result<Choice> {
    let locked = memory::open(host, paths).map_err(|unavailable| match unavailable {
        Unavailable::Refused(error) => Error::io("read the state", &paths.state(), error),
        Unavailable::Timeout => {
            let what = "another process holds the state; try again when it is done";
            Error::new(ErrorKind::Io, what).at(&paths.lock())
        }
    })?;
    let mut memory = locked.read();
    let is_known = memory.entries().any(|(id, _)| id == session);
    let is_new = memory.session(session).disabled.contains(behavior) == enabled;
    if is_new {
        let ((), kept) = memory.edit(session, |object, _| {
            // An entry that is no object was set aside when the session was read.
            let mut choices = Object::read(object.get("behavior_overrides")).unwrap_or_default();
            let mut choice = Object::read(choices.get(behavior)).unwrap_or_default();
            choice.set("enabled", if enabled { "true" } else { "false" });
            let choice = choice.write();
            choices.set(behavior, choice);
            let choices = choices.write();
            object.set("behavior_overrides", choices);
        });
        kept.map_err(|error| Error::io("write the state", &paths.state(), error))?;
    }
    Ok(Choice { is_known, is_new })
}
