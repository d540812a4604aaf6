//! What goes into a judgement and what comes out. The engine is a function between the two.

use super::{Call, Level, OverridePolicy, Profile, Session, SignalSet, Signals, Timestamp};

/// Everything a judgement depends on besides the rules themselves.
#[derive(Clone, Debug)]
pub struct Input<'a> {
    /// What the agent does.
    pub call: &'a Call<'a>,
    /// What is remembered; `None` when the memory could not be had in time. Then nothing is counted or set, every
    /// behavior answers with its default level, and flags that are checked count as present.
    pub session: Option<Session>,
    /// What the session's transcripts say.
    pub signals: Signals,
    /// The moment.
    pub now: Timestamp,
    /// The active profile.
    pub profile: Profile,
    /// How soft blocks are overridden here.
    pub overrides: OverridePolicy,
}

/// The judgement of one event.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Outcome {
    /// Violations in index order; a block is always the last.
    pub verdicts: Vec<Verdict>,
    /// Soft blocks that turned out to be overridden by this event, in index order.
    pub overridden: Vec<Overridden>,
    /// Signals that start over because of the violations.
    pub resets: SignalSet,
    /// The memory afterwards; `None` as it went in.
    pub session: Option<Session>,
}

/// One behavior's violation by this event.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Verdict {
    /// Which behavior: its position among the enabled ones, in index order.
    pub behavior: u32,
    /// Which of its triggers, from 0, as written.
    pub trigger: u32,
    /// Violations in this session, this one included; 1 when there is no memory.
    pub counter: u64,
    /// The first escalation threshold above `counter`.
    pub threshold: Option<u32>,
    /// The effective level.
    pub level: Level,
}

/// A pending block that this event showed to be overridden.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Overridden {
    /// Which behavior: its position among the enabled ones.
    pub behavior: u32,
    /// Its counter, which an override does not move.
    pub counter: u64,
}
