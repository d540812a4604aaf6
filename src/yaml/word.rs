//! Closed vocabularies as one thing, so that one function reads them all and knows what it could have been.

use crate::model::{
    Category, Comparison, Event, Level, OnAbsent, OnError, OnPresent, OverrideMode, Profile, Scope, Signal,
};

/// A word of a closed set.
pub(crate) trait Word: Copy + 'static {
    /// The meaning of a word, if it is one of the set.
    fn find(word: &str) -> Option<Self>;
    /// All words of the set.
    fn names() -> impl Iterator<Item = &'static str> + Clone;
}

macro_rules! words {
    ($($name:ident),+) => { $(
        impl Word for $name {
            fn find(word: &str) -> Option<Self> {
                Self::from_name(word)
            }
            fn names() -> impl Iterator<Item = &'static str> + Clone {
                Self::NAMES.iter().copied()
            }
        }
    )+ };
}

crate::model::vocabulary! {
    /// The signals that a violation can set back.
    pub(crate) enum ResetWord {
        /// The calls so far.
        Repeats = "repeats",
        /// The cycles so far.
        Alternations = "alternations",
        /// The failures so far.
        FailureStreak = "failure_streak",
        /// The money so far.
        SpendUsd = "spend_usd",
    }
}

impl ResetWord {
    /// The signal it means.
    pub(super) const fn signal(self) -> Signal {
        match self {
            Self::Repeats => Signal::Repeats,
            Self::Alternations => Signal::Alternations,
            Self::FailureStreak => Signal::FailureStreak,
            Self::SpendUsd => Signal::SpendUsd,
        }
    }
}

crate::model::vocabulary! {
    /// How `conditions` of one trigger go together.
    pub(crate) enum Logic {
        /// All must hold.
        All = "all",
        /// One is enough.
        Any = "any",
    }
}

crate::model::vocabulary! {
    /// What a trigger does.
    pub(crate) enum ActionWord {
        /// A violation.
        Evaluate = "evaluate",
        /// Sets a flag.
        SetFlag = "set_flag",
        /// Looks at a flag.
        CheckFlag = "check_flag",
    }
}

crate::model::vocabulary! {
    /// The operators of `conditions`.
    pub(crate) enum Operator {
        /// A pattern is found.
        RegexMatch = "regex_match",
        /// A text is in it.
        Contains = "contains",
        /// A text is not in it.
        NotContains = "not_contains",
        /// The same text, or the same number.
        Equals = "equals",
        /// It begins so.
        StartsWith = "starts_with",
        /// It ends so.
        EndsWith = "ends_with",
        /// Greater.
        Gt = "gt",
        /// Less.
        Lt = "lt",
        /// Greater or equal.
        Gte = "gte",
        /// Less or equal.
        Lte = "lte",
        /// It is there and not empty.
        Exists = "exists",
        /// It is absent or empty.
        NotExists = "not_exists",
    }
}

words!(
    ResetWord,
    ActionWord,
    Category,
    Comparison,
    Event,
    Level,
    Logic,
    OnAbsent,
    OnError,
    OnPresent,
    Operator,
    OverrideMode,
    Profile,
    Scope
);
