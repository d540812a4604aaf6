//! The one word that sums an event up: what the strictest violation brought.

use crate::model::{Level, Outcome, vocabulary};
use crate::yaml::word::Word;

vocabulary! {
    /// What a step's event came to. Ordered by strictness.
    #[derive(Default)]
    pub enum Decision {
        /// Nothing is said: no violation, or silent ones.
        #[default]
        Pass = "pass",
        /// A silent violation: counted, nothing said.
        Silent = "silent",
        /// One line.
        Nudge = "nudge",
        /// A few lines.
        Warning = "warning",
        /// Refused; a person may override it.
        SoftBlock = "soft_block",
        /// Refused for good.
        HardBlock = "hard_block",
    }
}

impl Word for Decision {
    fn find(word: &str) -> Option<Self> {
        Self::from_name(word)
    }

    fn names() -> impl Iterator<Item = &'static str> + Clone {
        Self::NAMES.iter().copied()
    }
}

impl Decision {
    /// The decision of an outcome.
    #[must_use]
    pub fn of(outcome: &Outcome) -> Self {
        outcome.verdicts.iter().map(|verdict| Self::from(verdict.level)).max().unwrap_or(Self::Pass)
    }

    /// Whether an event that came to `got` is what was expected: silence is a pass, heard from outside.
    #[must_use]
    pub fn allows(self, got: Self) -> bool {
        self == got || (self == Self::Pass && got == Self::Silent)
    }
}

impl From<Level> for Decision {
    fn from(level: Level) -> Self {
        match level {
            Level::Silent => Self::Silent,
            Level::Nudge => Self::Nudge,
            Level::Warning => Self::Warning,
            Level::SoftBlock => Self::SoftBlock,
            Level::HardBlock => Self::HardBlock,
        }
    }
}
