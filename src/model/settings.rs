//! What `.forge/config.yaml` decides. Read by the compiler, carried in the program: the hook reads no YAML.

vocabulary! {
    /// Who can override a soft block, and how.
    pub enum OverrideMode {
        /// The same call again within the window counts as overridden.
        Retry = "retry",
        /// The harness asks the user.
        Ask = "ask",
        /// Only a person at a terminal, with `forge allow`.
        Deny = "deny",
    }
}

vocabulary! {
    /// What an event decides that could not be judged (broken payload, broken program).
    pub enum OnError {
        /// Let the call through, and say so.
        Allow = "allow",
        /// Refuse tool calls, and say why.
        Deny = "deny",
    }
}

/// The project's settings. The default is what holds without a config file: the source documents' protocol.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Settings {
    /// How a soft block can be overridden.
    pub overrides: OverrideMode,
    /// What an unjudgeable event decides.
    pub on_error: OnError,
    /// What a session may spend, billionths of a US dollar; 0 for no cap, `None` when the project does not say.
    pub spend_cap: Option<u64>,
}

impl Default for Settings {
    fn default() -> Self {
        Self { overrides: OverrideMode::Retry, on_error: OnError::Allow, spend_cap: None }
    }
}

/// What a model's tokens cost, billionths of a US dollar each.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Price {
    /// The model's id, as the transcripts name it.
    pub model: String,
    /// Read at the full price.
    pub input: u64,
    /// Read from a cache.
    pub cache_read: u64,
    /// Written to a cache for five minutes.
    pub cache_write_5m: u64,
    /// Written to a cache for an hour.
    pub cache_write_1h: u64,
    /// Written by the model.
    pub output: u64,
}

/// The override rule that holds for one event: the mode, resolved against what the harness can do, with its window.
/// Seconds; a block is fresh while its age is at least 0 and strictly below the window.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OverridePolicy {
    /// A fresh pending block with the same input is an override.
    Retry {
        /// Seconds since the block.
        window: i64,
    },
    /// The harness prompts; a retry proves nothing. The pending block remembers the call's id.
    Ask,
    /// A fresh grant by `forge allow` on a pending block with the same input is an override.
    Deny {
        /// Seconds since the grant.
        window: i64,
    },
}
