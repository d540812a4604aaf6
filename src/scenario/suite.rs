//! A scenario file as data. Made by `read`, played by `play`; every part knows where it was written.

use super::Decision;
use crate::harness::Harness;
use crate::model::{FileId, Level, OverrideMode, Place, Placed, Profile, Signals};

/// One file.
#[derive(Clone, Debug, PartialEq)]
pub struct Suite {
    /// Which file.
    pub file: FileId,
    /// The behavior its expectations are about; none when they name theirs.
    pub behavior: Option<String>,
    /// In the order written.
    pub scenarios: Vec<Scenario>,
}

/// One story.
#[derive(Clone, Debug, PartialEq)]
pub struct Scenario {
    /// What it shows.
    pub name: Placed<String>,
    /// Whether each step has sessions of its own.
    pub independent: bool,
    /// The active profile.
    pub profile: Profile,
    /// How soft blocks are overridden; as the project says when absent.
    pub overrides: Option<OverrideMode>,
    /// Behaviors that act beside the file's own; `None` for all that the index enables.
    pub with: Option<Vec<String>>,
    /// What happens.
    pub steps: Vec<Step>,
}

/// One thing that happens.
#[derive(Clone, Debug, PartialEq)]
pub struct Step {
    /// Where it stands.
    pub place: Place,
    /// How far the clock moves before it, seconds.
    pub advance: i64,
    /// Whose session it happens in; the payload's, or the scenario's own, when absent.
    pub session: Option<String>,
    /// What happens.
    pub deed: Deed,
    /// What must come of it.
    pub expect: Option<Expectation>,
}

/// What happens in a step.
#[derive(Clone, Debug, PartialEq)]
pub enum Deed {
    /// Time passes.
    Wait,
    /// A harness tells an event.
    Event(Event),
    /// A person allows this behavior's pending block, as `forge allow` does.
    Allow(String),
    /// A person switches this behavior off for the session.
    Disable(String),
    /// A person switches it on again.
    Enable(String),
}

/// An event as a harness tells it.
#[derive(Clone, Debug, PartialEq)]
pub struct Event {
    /// What it writes to the hook's standard input.
    pub payload: String,
    /// Who it is; the payload decides when absent.
    pub harness: Option<Harness>,
    /// Its name for the event, when the payload has none.
    pub event: Option<String>,
    /// What the session's transcript says at this moment.
    pub signals: Signals,
    /// How many times the same arrives at once.
    pub parallel: u32,
}

/// What must come of a step. What is absent is not looked at.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Expectation {
    /// The strictest thing that happened.
    pub decision: Option<Decision>,
    /// Of the events that arrived at once: how many came to what.
    pub decisions: Option<Vec<(Decision, u64)>>,
    /// Violations of the behavior in this session.
    pub counter: Option<u64>,
    /// Its highest level in this session.
    pub level: Option<Level>,
    /// All flags that are set in this session.
    pub flags: Option<Vec<String>>,
    /// What the answer must say, to the user or the agent.
    pub says: Vec<String>,
    /// What it must not say.
    pub says_not: Vec<String>,
    /// How many blocks were overridden.
    pub overridden: Option<OverrideCount>,
    /// What must be true of other behaviors: `decision`, `counter`, `level`.
    pub behaviors: Vec<(String, Expectation)>,
}

/// How many overrides are expected.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OverrideCount {
    /// At least one.
    Some,
    /// Exactly so many.
    Exactly(u64),
}
