//! Which harness speaks, at which of its events, in which mode: all that the form of an answer depends on.

use super::claude_code;
use super::dialect::Dialect;
use crate::model::vocabulary;
use std::borrow::Cow;

vocabulary! {
    /// The agents forge knows how to talk to.
    pub enum Harness {
        /// Claude Code.
        ClaudeCode = "claude-code",
    }
}

impl Harness {
    /// How it talks.
    pub(super) fn dialect(self) -> &'static dyn Dialect {
        match self {
            Self::ClaudeCode => &claude_code::ClaudeCode,
        }
    }
}

/// Who gets the answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Sender<'a> {
    /// The harness.
    pub harness: Harness,
    /// The event in the harness's own words; empty when it is not known.
    pub event: Cow<'a, str>,
    /// The harness's permission mode, where it tells.
    pub permission_mode: Option<Cow<'a, str>>,
}
