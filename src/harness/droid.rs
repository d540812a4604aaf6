//! Factory Droid: Claude Code's form, with its own names for tools and modes.

use super::dialect::{Dialect, Told};
use super::nested::Nested;
use super::{Answer, Sender};

/// Factory Droid.
pub(super) struct Droid;

const FORM: Nested = Nested { cap: 10_000, marks_final: false, tells_user_of_refusals: true, ends_turns: &[] };

impl Dialect for Droid {
    /// The modes in which it works by itself are left out: nothing documents that it would stop there to ask.
    fn can_ask(&self, sender: &Sender<'_>) -> bool {
        let asks = matches!(sender.permission_mode.as_deref(), None | Some("off" | "default" | "spec" | "plan"));
        sender.event == "PreToolUse" && asks
    }

    fn write(&self, _sender: &Sender<'_>, told: &Told<'_>) -> Answer {
        FORM.write(told)
    }

    fn notice(&self, _sender: &Sender<'_>, text: &str) -> Answer {
        FORM.notice(text)
    }
}
