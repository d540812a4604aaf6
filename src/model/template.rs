//! Texts with holes: `{behavior_name}: look first (violation {counter}/{threshold})`.

vocabulary! {
    /// What a hole can be filled with when the text is rendered.
    pub enum Variable {
        /// The behavior's `name`.
        BehaviorName = "behavior_name",
        /// The behavior's `id`.
        BehaviorId = "behavior_id",
        /// Violations in this session, this one included.
        Counter = "counter",
        /// The tool of this call, as forge names it.
        ToolName = "tool_name",
        /// The effective level of this violation.
        Level = "level",
        /// The first escalation threshold above the counter, `max` when there is none.
        Threshold = "threshold",
        /// The session's id.
        SessionId = "session_id",
        /// See [`Signal::Repeats`](super::Signal::Repeats).
        Repeats = "repeats",
        /// See [`Signal::Alternations`](super::Signal::Alternations).
        Alternations = "alternations",
        /// The higher of [`Signal::Repeats`](super::Signal::Repeats) and [`Signal::Alternations`](super::Signal::Alternations):
        /// how often the call, or the cycle it ends, has come.
        Rounds = "rounds",
        /// See [`Signal::FailureStreak`](super::Signal::FailureStreak).
        FailureStreak = "failure_streak",
        /// See [`Signal::SpendUsd`](super::Signal::SpendUsd), as `$10.07`.
        SpendUsd = "spend_usd",
        /// See [`Signal::SpendCapUsd`](super::Signal::SpendCapUsd), as `$10.00`.
        SpendCapUsd = "spend_cap_usd",
        /// The folder whose rules say so, the project's or the user's, as `--root` takes it.
        Root = "root",
        /// The same as one word of a shell, for a command to paste.
        RootWord = "root_word",
        /// The session's id as one word of a shell.
        SessionWord = "session_word",
    }
}

/// One stretch of a template.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Piece {
    /// Said as it stands (doubled braces already single).
    Text(String),
    /// Filled in.
    Variable(Variable),
}

/// A parsed template. Flat: there is no nesting to overflow a stack.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Template {
    /// The stretches in order; two `Text` never stand side by side.
    pub pieces: Vec<Piece>,
}
