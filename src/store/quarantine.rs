//! State files that make no sense are kept beside the new one, the newest few of them, for whoever wants to look.
//! Uses the host; called with the lock held. Never fails: what it did is a note.

use super::paths::Paths;
use super::time;
use crate::host::{Entry, Host};
use crate::limits;
use crate::model::Timestamp;
use std::path::PathBuf;

const PREFIX: &str = "state.json.corrupt-";

/// Moves the state file aside, because it is as `why` says.
pub(super) fn set_aside(host: &dyn Host, paths: &Paths, now: Timestamp, why: &str) -> String {
    let state = paths.state();
    let to = free_name(host, paths, now);
    let done = match host.rename(&state, &to) {
        Ok(()) => format!("kept as {}", to.display()),
        Err(error) => format!("and cannot be kept: {error}"),
    };
    prune(host, paths);
    format!("{} {why}; {done}; all counts start at zero", state.display())
}

/// Keeps a copy of the state's text, because one session in it makes no sense.
pub(super) fn keep_copy(host: &dyn Host, paths: &Paths, now: Timestamp, text: &str) -> String {
    let to = free_name(host, paths, now);
    let done = match host.write_atomic(&to, text.as_bytes()) {
        Ok(()) => format!("kept as {}", to.display()),
        Err(error) => format!("and cannot be kept: {error}"),
    };
    prune(host, paths);
    format!("{}: this session's entry makes no sense; {done}; its counts start at zero", paths.state().display())
}

/// The names of the states that were set aside, oldest first.
pub(super) fn set_aside_names(host: &dyn Host, paths: &Paths) -> Vec<String> {
    let mut names = host.list(&paths.runtime()).unwrap_or_default();
    names.retain(|name| name.starts_with(PREFIX));
    names.sort_unstable();
    names
}

/// A name that says when, and is not taken.
fn free_name(host: &dyn Host, paths: &Paths, now: Timestamp) -> PathBuf {
    // Without colons, which Windows does not allow in names.
    let when = time::write(now).replace([':', '-'], "");
    let names = (0_u32..).map(|count| match count {
        0 => format!("{PREFIX}{when}"),
        // Fixed width, so that names sort by age.
        more => format!("{PREFIX}{when}-{more:04}"),
    });
    let mut free = names
        .map(|name| paths.runtime().join(name))
        .filter(|path| matches!(host.entry(path), Entry::Nothing | Entry::Unseen));
    free.next().unwrap_or_else(|| paths.runtime().join(PREFIX))
}

/// Removes all but the newest.
fn prune(host: &dyn Host, paths: &Paths) {
    for name in set_aside_names(host, paths).iter().rev().skip(limits::QUARANTINED_STATES) {
        // One that stays is one too many, nothing worse.
        let _ = host.remove(&paths.runtime().join(name));
    }
}
