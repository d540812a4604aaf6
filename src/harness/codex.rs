//! Codex: Claude Code's form with every unknown field refused, and a refused answer lets the tool run. So a refusal
//! is its three keys and nothing beside them. No hook can raise a prompt.

use super::dialect::{Dialect, Told};
use super::nested::Nested;
use super::{Answer, Sender};
use crate::model::Event;

/// Codex.
pub(super) struct Codex;

/// Context beyond 2,500 tokens is moved to a file. Before a tool, `continue: false` would make the answer count as broken,
/// and the tool would run.
const FORM: Nested =
    Nested { cap: 10_000, marks_final: false, tells_user_of_refusals: false, ends_turns: &[Event::PostToolUse] };

impl Dialect for Codex {
    fn write(&self, _sender: &Sender<'_>, told: &Told<'_>) -> Answer {
        FORM.write(told)
    }

    /// Only where the output is known to have a user message: elsewhere an unknown field is an error.
    fn notice(&self, sender: &Sender<'_>, text: &str) -> Answer {
        match &*sender.event {
            "PreToolUse" | "PostToolUse" | "UserPromptSubmit" | "Stop" | "SessionStart" => FORM.notice(text),
            _ => Answer::unheard(text),
        }
    }
}
