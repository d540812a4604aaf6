//! One event as every harness means it: which tool, by whom, with which texts.

use super::Field;
use std::borrow::Cow;
use std::cell::OnceCell;

vocabulary! {
    /// The moments behaviors can watch.
    pub enum Event {
        /// Before a tool runs; the only one that can refuse it.
        PreToolUse = "PreToolUse",
        /// After it ran.
        PostToolUse = "PostToolUse",
        /// The user sent a prompt.
        UserPromptSubmit = "UserPromptSubmit",
        /// The agent wants to end its turn.
        Stop = "Stop",
    }
}

impl Event {
    /// Whether a soft block here can be overridden: it refuses something that can be tried again unchanged. After a tool
    /// there is nothing left to refuse, and an agent that ends its turn again says nothing about a person's wish.
    #[must_use]
    pub const fn can_be_overridden(self) -> bool {
        matches!(self, Self::PreToolUse | Self::UserPromptSubmit)
    }

    /// Whether the event is about a tool, so that matchers apply.
    #[must_use]
    pub const fn has_tool(self) -> bool {
        matches!(self, Self::PreToolUse | Self::PostToolUse)
    }
}

/// The texts of a call that conditions can look at. Absent is the empty string.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Fields<'a> {
    texts: [Cow<'a, str>; Field::ALL.len()],
}

impl<'a> Fields<'a> {
    /// The text of a field, `""` when the input has none.
    #[must_use]
    pub fn get(&self, field: Field) -> &str {
        self.texts.get(field as usize).map_or("", |text| text)
    }

    /// Gives a field its text.
    pub fn set(&mut self, field: Field, text: impl Into<Cow<'a, str>>) {
        if let Some(slot) = self.texts.get_mut(field as usize) {
            *slot = text.into();
        }
    }
}

/// First 40 hex digits of SHA-256 over the canonical JSON of a tool's input.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct InputHash(pub String);

/// One event.
#[derive(Clone, Debug)]
pub struct Call<'a> {
    /// Which moment.
    pub event: Event,
    /// The tool's name in forge's vocabulary (Claude Code's); empty for events without one.
    pub tool: Cow<'a, str>,
    /// The agent's type; `main` outside subagents.
    pub agent: Cow<'a, str>,
    /// The texts.
    pub fields: Fields<'a>,
    /// The harness's id of this very call.
    pub tool_use_id: Option<Cow<'a, str>>,
    /// Stop only: the agent already goes on because of a block at Stop.
    pub continuing: bool,
    /// The input as the harness sent it (JSON text), from which the hash is made.
    pub raw_input: Cow<'a, str>,
    hasher: fn(&str) -> InputHash,
    hash: OnceCell<InputHash>,
}

impl<'a> Call<'a> {
    /// The id of an agent that is not a subagent.
    pub const MAIN_AGENT: &'static str = "main";

    /// A call with nothing but its event, tool and input. `hasher` turns `raw_input` into its hash; it is run at most
    /// once, and only when a pending block is met or made: hashing every input would cost more than judging it.
    #[must_use]
    pub fn new(
        event: Event,
        tool: impl Into<Cow<'a, str>>,
        raw_input: impl Into<Cow<'a, str>>,
        hasher: fn(&str) -> InputHash,
    ) -> Self {
        Self {
            event,
            tool: tool.into(),
            agent: Cow::Borrowed(Self::MAIN_AGENT),
            fields: Fields::default(),
            tool_use_id: None,
            continuing: false,
            raw_input: raw_input.into(),
            hasher,
            hash: OnceCell::new(),
        }
    }

    /// The hash of one of its texts, made as that of the input is.
    #[must_use]
    pub fn hash_of(&self, text: &str) -> InputHash {
        (self.hasher)(text)
    }

    /// The hash of the input.
    #[must_use]
    pub fn input_hash(&self) -> &InputHash {
        self.hash.get_or_init(|| (self.hasher)(&self.raw_input))
    }
}
