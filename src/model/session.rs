//! What is remembered of one session while it is being judged. Public fields and no deciding methods: the reference
//! and the VM each change it by their own reading of the rules, and the tests compare what they made of it.

use super::{InputHash, Level};
use std::collections::{BTreeMap, BTreeSet};

/// A moment: seconds since 1970-01-01T00:00:00Z. State and audit have no finer time.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Timestamp(pub i64);

/// One session's memory.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Session {
    /// Flags that are set, with the moment they were last set.
    pub flags: BTreeMap<String, Timestamp>,
    /// Behaviors a person switched off for this session.
    pub disabled: BTreeSet<String>,
    /// Per behavior id; a behavior never violated is absent.
    pub behaviors: BTreeMap<String, BehaviorState>,
}

/// One behavior's memory within a session.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BehaviorState {
    /// Violations so far.
    pub counter: u64,
    /// The highest level ever reached; never falls.
    pub level: Level,
    /// The newest violation.
    pub last_violation: Option<Violation>,
    /// What the behavior's `once_per` was at the newest violation: a number, or the hash of a text.
    pub told_for: Option<String>,
    /// The newest soft block nobody has answered yet.
    pub pending: Option<PendingBlock>,
}

impl Default for BehaviorState {
    fn default() -> Self {
        Self { counter: 0, level: Level::Silent, last_violation: None, told_for: None, pending: None }
    }
}

/// When a behavior was last violated, and by what.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Violation {
    /// The moment.
    pub at: Timestamp,
    /// The tool's name; empty for events without a tool.
    pub tool: String,
}

/// A soft block that may yet be overridden.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PendingBlock {
    /// The input that was blocked.
    pub input: InputHash,
    /// When.
    pub blocked_at: Timestamp,
    /// The harness's id of the blocked call; kept in `ask` mode alone, where its own PostToolUse proves the override.
    pub tool_use_id: Option<String>,
    /// When a person granted it with `forge allow`; `deny` mode alone.
    pub granted_at: Option<Timestamp>,
}
