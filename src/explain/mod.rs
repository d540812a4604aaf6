//! A judgement, step by step: which behaviors were considered, what each trigger asked, what it saw and what followed. Made by
//! watching the machine itself run, so it cannot tell another story than the one that happened. No I/O.

mod excerpt;
mod hope;
mod json;
mod parts;
mod text;
mod trigger;
mod watcher;

pub use excerpt::Excerpt;
pub use json::json;
pub use parts::{Part, PartKind, parts};
pub use text::{Styles, text};
pub use trigger::{Action, Asked, Fired, Seen, digits, sign};
pub use watcher::watch;

use crate::model::{Event, Level, Profile};

/// One view of a call, judged.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Watched {
    /// The moment.
    pub event: Event,
    /// The tool; empty for events without one.
    pub tool: String,
    /// The agent's type.
    pub agent: String,
    /// The active profile.
    pub profile: Profile,
    /// The texts of the input that are there, by their field's name.
    pub fields: Vec<(&'static str, Excerpt)>,
    /// Whether there was a memory.
    pub remembered: bool,
    /// The session's flags before.
    pub flags_before: Vec<String>,
    /// The session's flags after.
    pub flags_after: Vec<String>,
    /// Every enabled behavior, in the order in which they are considered.
    pub behaviors: Vec<Considered>,
}

/// One behavior's part in it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Considered {
    /// Its id.
    pub id: String,
    /// Its name for people.
    pub name: String,
    /// Where it is written.
    pub place: Spot,
    /// What became of it.
    pub fate: Fate,
    /// Its triggers for this event, in order; empty when it was not entered.
    pub triggers: Vec<Seen>,
    /// Its memory before.
    pub before: Standing,
    /// Its memory after.
    pub after: Standing,
}

/// What a session remembers of a behavior, in short.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Standing {
    /// Violations.
    pub counter: u64,
    /// The highest level reached.
    pub level: Level,
    /// Whether a soft block waits for its override.
    pub pending: bool,
}

/// A line of the author's files.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Spot {
    /// The file, relative to the project.
    pub file: String,
    /// The line, from 1; 0 when unknown.
    pub line: u32,
}

/// What became of a behavior.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Fate {
    /// A block before it ended the chain.
    NotReached,
    /// It does not watch this event.
    OtherEvent {
        /// What it watches.
        watches: Vec<Event>,
    },
    /// None of its triggers for this event is about this tool, or its `applies_to` excludes the tool.
    OtherTool {
        /// The tools it names; patterns between slashes.
        watches: Vec<String>,
    },
    /// It is about every tool but some, and this is one of them.
    ExceptedTool,
    /// The session switched it off.
    Disabled,
    /// It acts in other profiles.
    OtherProfile {
        /// In these.
        acts: Vec<Profile>,
    },
    /// It acts for other agents.
    OtherAgent {
        /// For these.
        acts: Vec<String>,
    },
    /// It has nothing against the event.
    Passed,
    /// The event would violate it, but the same was said before (`once_per`).
    SaidBefore {
        /// By this trigger, from 1.
        trigger: u32,
    },
    /// The event would violate it, and shows that its block was overridden.
    Overridden,
    /// The event violates it.
    Violated {
        /// By this trigger, from 1.
        trigger: u32,
        /// How strictly this is answered.
        level: Level,
        /// The first threshold above the counter.
        threshold: Option<u32>,
        /// Why this level.
        why: Why,
    },
}

/// Where a level comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Why {
    /// No threshold is reached.
    Default,
    /// The threshold of so many violations.
    Threshold(u32),
    /// It was reached before, and never falls in a session.
    Before,
}
