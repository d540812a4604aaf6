//! A behavior as its author means it: what is expected, how it is enforced, how it is said.

use super::Price;
use super::{Condition, Event, Level, Matcher, Place, Placed, Settings, SignalSet, Subject, Template};

vocabulary! {
    /// How settled a behavior is.
    pub enum Category {
        /// Few would disagree.
        Core = "core",
        /// A matter of style.
        Opinionated = "opinionated",
        /// Being tried.
        Experimental = "experimental",
    }
}

vocabulary! {
    /// How long violations are remembered. Only `session` acts today; the others compile with a warning.
    pub enum Scope {
        /// As long as the session.
        Session = "session",
        /// As long as a task.
        Task = "task",
        /// As long as the project.
        Project = "project",
    }
}

vocabulary! {
    /// How strict the hook is told to be (`FORGE_HOOK_PROFILE`); behaviors choose the profiles they act in.
    pub enum Profile {
        /// The least.
        Minimal = "minimal",
        /// The default.
        Standard = "standard",
        /// The most.
        Strict = "strict",
    }
}

vocabulary! {
    /// What checking a flag does to it when it is there.
    pub enum OnPresent {
        /// It is deleted.
        Consume = "consume",
        /// It stays.
        Keep = "keep",
    }
}

vocabulary! {
    /// What checking a flag means when it is not there.
    pub enum OnAbsent {
        /// Nothing.
        Skip = "skip",
        /// A violation.
        Violate = "violate",
    }
}

/// All behaviors a project declares, in index order.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Catalogue {
    /// Enabled and disabled ones; the index decides which (`enabled` here is already the index's word).
    pub behaviors: Vec<Behavior>,
    /// What the config file says.
    pub settings: Settings,
    /// Models whose prices the project says.
    pub prices: Vec<Price>,
    /// Source files by [`FileId`](super::FileId), relative to the project, with `/` on every system.
    pub files: Vec<String>,
}

/// One behavior.
#[derive(Clone, Debug, PartialEq)]
pub struct Behavior {
    /// Unique name, also its folder's.
    pub id: Placed<String>,
    /// Name for people.
    pub name: String,
    /// What it is for.
    pub description: String,
    /// How settled it is.
    pub category: Category,
    /// How long it remembers.
    pub scope: Placed<Scope>,
    /// Whether it acts.
    pub enabled: bool,
    /// What counts as a violation; at least one.
    pub triggers: Vec<Trigger>,
    /// How violations are answered.
    pub enforcement: Enforcement,
    /// What the agent should do instead.
    pub recovery: Recovery,
    /// How it is said.
    pub rendering: Rendering,
    /// Where it acts.
    pub applies_to: AppliesTo,
    /// Who wrote it.
    pub metadata: Metadata,
}

/// One thing to watch for.
#[derive(Clone, Debug, PartialEq)]
pub struct Trigger {
    /// The moment.
    pub event: Event,
    /// The tools; `All` for events without one.
    pub matcher: Matcher,
    /// What must hold.
    pub condition: Condition,
    /// What follows.
    pub action: Action,
    /// Where the trigger stands.
    pub place: Place,
}

/// What a trigger does when it fires.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Action {
    /// A violation.
    Evaluate,
    /// The session's flag is set, now.
    SetFlag {
        /// Its name.
        flag: Placed<String>,
    },
    /// The session's flag is looked at.
    CheckFlag {
        /// Its name.
        flag: Placed<String>,
        /// When it is there.
        on_present: OnPresent,
        /// When it is not.
        on_absent: OnAbsent,
    },
}

/// How violations are answered.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Enforcement {
    /// The level below the first threshold.
    pub default_level: Level,
    /// Thresholds as listed; `after` and `level` never decrease down the list.
    pub escalation: Vec<Step>,
    /// Signals that a violation sets back.
    pub resets: SignalSet,
    /// A violation counts once per value of this.
    pub once_per: Option<Subject>,
    /// A block also ends the agent's turn, where the harness can.
    pub ends_turn: bool,
}

/// One threshold.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Step {
    /// From this many violations on.
    pub after: u32,
    /// This level.
    pub level: Level,
    /// Where it stands.
    pub place: Place,
}

/// What the agent should do instead.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Recovery {
    /// In words.
    pub hint: String,
    /// With this tool.
    pub suggested_tool: Option<String>,
    /// In this way.
    pub suggested_action: Option<String>,
}

/// The author's own texts; where one is missing forge has its own.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Rendering {
    /// At `nudge`.
    pub nudge: Option<Template>,
    /// At `warning`.
    pub warning: Option<Template>,
    /// At a block: why.
    pub block_reason: Option<Template>,
    /// At a block: what next.
    pub override_prompt: Option<Template>,
}

/// Where a behavior acts. Empty means everywhere.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct AppliesTo {
    /// Tools, exact names.
    pub tools: Vec<String>,
    /// Tools it never acts on, exact names.
    pub except_tools: Vec<String>,
    /// Agent types, exact names.
    pub agents: Vec<String>,
    /// Profiles.
    pub profiles: Vec<Profile>,
}

/// About the behavior itself.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Metadata {
    /// Who wrote it.
    pub author: Option<String>,
    /// Its version, semver.
    pub version: Option<String>,
    /// Words to find it by.
    pub tags: Vec<String>,
}
