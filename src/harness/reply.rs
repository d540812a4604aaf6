//! What forge answers, before any harness's JSON: who is told what, and whether the call goes on.
//! `render` makes it, every adapter writes it; plain data.

use crate::model::Event;
use serde::Serialize;

/// The answer to one event.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Reply {
    /// The event that is answered.
    pub event: Event,
    /// Whether it goes on.
    pub decision: Decision,
    /// What the user is told; empty for nothing.
    pub user: String,
    /// What the agent is told; empty for nothing. At a block, the reason.
    pub agent: String,
    /// A refusal also ends the agent's turn, where the harness can.
    pub ends_turn: bool,
}

/// Whether the call goes on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Decision {
    /// It goes on.
    Pass,
    /// The harness asks the user; only where it can (the adapter turns it into a refusal elsewhere).
    Ask,
    /// It is refused.
    Deny {
        /// Whether nothing can override it.
        is_final: bool,
    },
}

impl Reply {
    /// Nothing to say: empty standard output.
    #[must_use]
    pub fn silent(event: Event) -> Self {
        Self { event, decision: Decision::Pass, user: String::new(), agent: String::new(), ends_turn: false }
    }
}

/// Most characters of a text that has nowhere to go but a log.
const UNHEARD_CHARS: usize = 10_000;

/// What the hook's process gives back.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Answer {
    /// For standard output: one JSON object or nothing.
    pub stdout: String,
    /// For standard error; only for harnesses that read a refusal's reason there.
    pub stderr: String,
    /// The exit code: 0; 2 for harnesses that know no other way to refuse, 1 for those with no other way to warn.
    pub exit: u8,
}

impl Answer {
    /// A refusal for harnesses without JSON answers: the reason on standard error, exit code 2.
    pub(super) fn refusal(reason: &str) -> Self {
        Self { stderr: reason.to_owned(), exit: 2, ..Self::default() }
    }

    /// A text for which the harness has no ear: it goes to standard error, where its log or nobody keeps it.
    pub(super) fn unheard(text: &str) -> Self {
        Self { stderr: cut(text, UNHEARD_CHARS).to_owned(), ..Self::default() }
    }

    /// One JSON object; nothing when it has no entries.
    pub(super) fn json(output: &impl Serialize) -> Self {
        // Our outputs are plain structs of texts: they always serialise.
        let stdout = serde_json::to_string(output).unwrap_or_default();
        Self { stdout: if stdout == "{}" { String::new() } else { stdout }, ..Self::default() }
    }
}

/// The outer object of Claude Code's form and of those near it. What `hookSpecificOutput` may hold differs, and which of
/// these keys a harness takes at which event is for its own file to know.
#[derive(Clone, Copy, Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Output<'a, Specific> {
    /// `false` ends the agent's turn; the user is shown `stop_reason`.
    #[serde(rename = "continue", skip_serializing_if = "Option::is_none")]
    pub(super) goes_on: Option<bool>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) stop_reason: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) decision: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) reason: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) hook_specific_output: Option<Specific>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) system_message: Option<&'a str>,
}

impl<Specific> Output<'_, Specific> {
    /// Nothing said yet.
    pub(super) const fn empty() -> Self {
        Self {
            goes_on: None,
            stop_reason: None,
            decision: None,
            reason: None,
            hook_specific_output: None,
            system_message: None,
        }
    }
}

/// The text, unless it is empty.
pub(super) fn some(text: &str) -> Option<&str> {
    (!text.is_empty()).then_some(text)
}

/// The longest start of a text that has at most `most` characters, counted as JavaScript counts them.
pub(super) fn cut(text: &str, most: usize) -> &str {
    cut_by(text, most, char::len_utf16)
}

/// The longest start of a text that has at most `most` bytes.
pub(super) fn cut_bytes(text: &str, most: usize) -> &str {
    cut_by(text, most, char::len_utf8)
}

/// The longest start of a text whose characters together measure at most `most`.
fn cut_by(text: &str, most: usize, measure: fn(char) -> usize) -> &str {
    // No measure exceeds the bytes.
    if text.len() <= most {
        return text;
    }
    let mut sum = 0;
    let end = text.char_indices().find(|(_, c)| {
        sum += measure(*c);
        sum > most
    });
    end.and_then(|(end, _)| text.get(..end)).unwrap_or(text)
}
