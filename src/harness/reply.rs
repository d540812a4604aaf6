//! What forge answers, before any harness's JSON: who is told what, and whether the call goes on.
//! `render` makes it, every adapter writes it; plain data.

use crate::model::Event;

/// The answer to one event.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Reply {
    /// The event that is answered.
    pub event: Event,
    /// Whether it goes on.
    pub decision: Decision,
    /// What the user is told; empty for nothing.
    pub user: String,
    /// What the agent is told; empty for nothing. At a block, the reason.
    pub agent: String,
}

/// Whether the call goes on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Decision {
    /// It goes on.
    Pass,
    /// The harness asks the user; only where it can (the adapter turns it into a refusal elsewhere).
    Ask,
    /// It is refused.
    Deny {
        /// Whether nothing can override it.
        is_final: bool,
    },
}

impl Reply {
    /// Nothing to say: empty standard output.
    #[must_use]
    pub fn silent(event: Event) -> Self {
        Self { event, decision: Decision::Pass, user: String::new(), agent: String::new() }
    }
}
