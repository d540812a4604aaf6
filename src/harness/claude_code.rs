//! Claude Code: `systemMessage` is for the user, `additionalContext` and the reason of a refusal for the agent.
//! A refusal is final for that call; only `ask` prompts, and not in modes that promise never to.

use super::dialect::{Dialect, Told};
use super::nested::Nested;
use super::{Answer, Sender};
use crate::model::Event;

/// Claude Code.
pub(super) struct ClaudeCode;

/// Beyond 10,000 characters a text goes to a file and only a preview is seen.
const FORM: Nested = Nested {
    cap: 10_000,
    marks_final: true,
    tells_user_of_refusals: true,
    ends_turns: &[Event::PreToolUse, Event::PostToolUse],
};

impl Dialect for ClaudeCode {
    /// Without a mode in the payload it is one of the versions or events that do not tell, and prompting the default.
    fn can_ask(&self, sender: &Sender<'_>) -> bool {
        let silent = matches!(sender.permission_mode.as_deref(), Some("bypassPermissions" | "dontAsk"));
        sender.event == "PreToolUse" && !silent
    }

    fn write(&self, _sender: &Sender<'_>, told: &Told<'_>) -> Answer {
        FORM.write(told)
    }

    fn notice(&self, _sender: &Sender<'_>, text: &str) -> Answer {
        FORM.notice(text)
    }
}
