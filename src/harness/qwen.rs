//! Qwen Code: Claude Code's form with Gemini CLI's tool names. It asks in its terminal interface and refuses by itself
//! where nobody could answer.

use super::dialect::{Dialect, Told};
use super::nested::Nested;
use super::{Answer, Sender};

/// Qwen Code.
pub(super) struct Qwen;

const FORM: Nested = Nested { cap: 10_000, marks_final: false, tells_user_of_refusals: true, ends_turns: &[] };

impl Dialect for Qwen {
    fn can_ask(&self, sender: &Sender<'_>) -> bool {
        sender.event == "PreToolUse" && sender.permission_mode.as_deref() != Some("yolo")
    }

    fn write(&self, _sender: &Sender<'_>, told: &Told<'_>) -> Answer {
        FORM.write(told)
    }

    fn notice(&self, _sender: &Sender<'_>, text: &str) -> Answer {
        FORM.notice(text)
    }
}
