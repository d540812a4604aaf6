//! Grok CLI: refuses a tool by `decision` and `reason`; what it does with answers at other events is not known, so it
//! gets none. Its event names are Claude Code's in snake_case.

use super::dialect::{Dialect, Moment, Told};
use super::reply::{Answer, cut};
use super::{Decision, Sender};
use crate::model::Event;
use serde::Serialize;

/// Grok CLI.
pub(super) struct Grok;

const CAP: usize = 10_000;

/// Everything forge may print here.
#[derive(Serialize)]
struct Output<'a> {
    decision: &'static str,
    reason: &'a str,
}

impl Dialect for Grok {
    fn moment(&self, event: &str) -> Moment {
        match event {
            "pre_tool_use" | "PreToolUse" => Moment::Before,
            "post_tool_use" | "PostToolUse" => Moment::After,
            "post_tool_use_failure" | "PostToolUseFailure" => Moment::Failed,
            "user_prompt_submit" | "UserPromptSubmit" => Moment::Prompt,
            "stop" | "Stop" => Moment::Stop,
            "session_start" | "SessionStart" => Moment::SessionStart,
            _ => Moment::Other,
        }
    }

    fn write(&self, _sender: &Sender<'_>, told: &Told<'_>) -> Answer {
        match (told.event, told.decision) {
            (Event::PreToolUse, Decision::Ask | Decision::Deny { .. }) => {
                Answer::json(&Output { decision: "deny", reason: cut(told.agent, CAP) })
            }
            (Event::PreToolUse, Decision::Pass) | (Event::PostToolUse | Event::UserPromptSubmit | Event::Stop, _) => {
                Answer::unheard(told.user)
            }
        }
    }

    fn notice(&self, _sender: &Sender<'_>, text: &str) -> Answer {
        Answer::unheard(text)
    }
}
