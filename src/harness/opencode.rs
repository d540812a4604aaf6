//! OpenCode, and whatever else reaches forge through a small plugin that runs in the harness itself: the plugin hands
//! over what it was given and does what the answer says, so the form is ours.

use super::dialect::{Dialect, Moment, Told};
use super::reply::{Answer, cut, some};
use super::{Decision, Sender};
use serde::Serialize;

/// OpenCode.
pub(super) struct OpenCode;

/// The plugin has no cap of its own; a tool error of this length is already more than an agent needs.
const CAP: usize = 10_000;

/// What the plugin reads.
#[derive(Default, Serialize)]
struct Output<'a> {
    /// Whether it throws.
    #[serde(skip_serializing_if = "Option::is_none")]
    block: Option<bool>,
    /// What it throws.
    #[serde(skip_serializing_if = "Option::is_none")]
    reason: Option<&'a str>,
    /// What it appends to the tool's output or the prompt.
    #[serde(skip_serializing_if = "Option::is_none")]
    context: Option<&'a str>,
    /// What it shows the user.
    #[serde(skip_serializing_if = "Option::is_none")]
    notice: Option<&'a str>,
}

impl Dialect for OpenCode {
    fn moment(&self, event: &str) -> Moment {
        match event {
            "tool.execute.before" | "before_tool_call" | "tool_call" => Moment::Before,
            "tool.execute.after" | "after_tool_call" | "tool_result" => Moment::After,
            "chat.message" => Moment::Prompt,
            "session.idle" => Moment::Stop,
            "session.created" => Moment::SessionStart,
            _ => Moment::Other,
        }
    }

    fn write(&self, _sender: &Sender<'_>, told: &Told<'_>) -> Answer {
        let (agent, notice) = (cut(told.agent, CAP), some(cut(told.user, CAP)));
        let output = if told.decision == Decision::Pass {
            Output { context: some(agent), notice, ..Output::default() }
        } else {
            Output { block: Some(true), reason: Some(agent), notice, ..Output::default() }
        };
        Answer::json(&output)
    }

    fn notice(&self, _sender: &Sender<'_>, text: &str) -> Answer {
        Answer::json(&Output { notice: some(cut(text, CAP)), ..Output::default() })
    }
}
