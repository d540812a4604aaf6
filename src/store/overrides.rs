//! Records of soft blocks that were overridden: what is written where. Who may override is the engine's business.
//! Uses the model; pure but for the window read from the environment.

use super::json::quote;
use super::paths::Paths;
use super::summary::escape;
use super::time;
use crate::host::Host;
use crate::limits;
use crate::model::{Session, Timestamp};
use std::io;

/// The variable that says how long a block can be overridden, or a grant used, in seconds.
pub const WINDOW: &str = "FORGE_OVERRIDE_WINDOW_SECONDS";

/// The variable that says how long a session is remembered after its last access, in seconds.
pub const TTL: &str = "FORGE_SESSION_TTL_SECONDS";

/// A soft block that turned out to be overridden.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Override<'a> {
    /// The behavior's id.
    pub behavior: &'a str,
    /// Its counter, which an override does not move.
    pub counter: u64,
}

impl Override<'_> {
    /// The element of `overrides[]` in the session.
    pub(super) fn record(&self, now: Timestamp, tool: &str, summary: &str) -> String {
        format!(
            "{{\"timestamp\":{},\"tool_name\":{},\"tool_input_summary\":{},\"counter_at_override\":{},\"reason\":\"\"}}",
            quote(&time::write(now)),
            quote(tool),
            quote(summary),
            self.counter
        )
    }

    /// The line of the audit log, without its newline.
    pub(super) fn audit_line(&self, now: Timestamp, session: &str, tool: &str, summary: &str) -> String {
        let session: String = session.chars().take(8).collect();
        let fields = [&session, self.behavior, tool, summary].map(escape).join("|");
        format!("{}|{fields}|{}|", time::write(now), self.counter)
    }
}

/// How long a block can be overridden, or a grant used, in seconds: `FORGE_OVERRIDE_WINDOW_SECONDS`, else a minute.
#[must_use]
pub fn window(host: &dyn Host) -> i64 {
    host.env(WINDOW).and_then(|text| seconds(&text)).unwrap_or(limits::OVERRIDE_WINDOW_SECONDS)
}

/// How long a session is remembered after its last access, in seconds: `FORGE_SESSION_TTL_SECONDS`, else a day.
pub(super) fn ttl(host: &dyn Host) -> i64 {
    host.env(TTL).and_then(|text| seconds(&text)).unwrap_or(limits::SESSION_TTL_SECONDS)
}

/// A whole number of seconds, not negative.
#[must_use]
pub fn seconds(text: &str) -> Option<i64> {
    text.trim().parse().ok().filter(|seconds| *seconds >= 0)
}

/// Whether some block may wait for this call to run: a look at the state without the lock, so that events which settle
/// nothing cost no writing. Sound, since a block is written before its call can run. True when it cannot be told.
#[must_use]
pub fn may_settle(host: &dyn Host, paths: &Paths, tool_use_id: &str) -> bool {
    match host.read_settled(&paths.state(), limits::STATE_BYTES) {
        Ok(state) => memchr::memmem::find(&state, quote(tool_use_id).as_bytes()).is_some(),
        Err(error) => error.kind() == io::ErrorKind::ResourceBusy,
    }
}

/// Ends the pending blocks that belong to a call which the harness ran after asking the user, as its own
/// `PostToolUse` (or failure of the tool) shows. Returns which behaviors were overridden.
pub fn settle(session: &mut Session, tool_use_id: &str) -> Vec<(String, u64)> {
    let mut settled = Vec::new();
    for (id, state) in &mut session.behaviors {
        let is_asked = state.pending.as_ref().is_some_and(|block| block.tool_use_id.as_deref() == Some(tool_use_id));
        if is_asked {
            state.pending = None;
            settled.push((id.clone(), state.counter));
        }
    }
    settled
}
