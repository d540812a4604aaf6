//! Antigravity CLI: an answer without a decision counts as broken and makes it prompt, so before a tool it always gets
//! one. `allow` spares the user nothing; `force_ask` prompts whatever was allowed for good before.

use super::dialect::{Dialect, Moment, Told};
use super::input::{self, ToolUse};
use super::json::Object;
use super::reply::{Answer, cut, some};
use super::{Decision, Sender};
use crate::model::Event;
use serde::Serialize;

/// Antigravity CLI.
pub(super) struct Antigravity;

const CAP: usize = 10_000;

/// Everything forge may print here.
#[derive(Serialize)]
struct Output<'a> {
    decision: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    reason: Option<&'a str>,
}

impl Dialect for Antigravity {
    fn moment(&self, event: &str) -> Moment {
        match event {
            "PreToolUse" => Moment::Before,
            "PostToolUse" => Moment::After,
            "Stop" => Moment::Stop,
            _ => Moment::Other,
        }
    }

    fn guess_event(&self, envelope: &Object<'_>) -> Option<&'static str> {
        envelope.has("toolCall").then_some("PreToolUse")
    }

    fn tool_use<'a>(&self, _event: &str, envelope: &Object<'a>) -> ToolUse<'a> {
        let call = envelope.object(&["toolCall"]);
        input::tool_use(call.text(&["name"]).unwrap_or_default(), call.get("args"))
    }

    fn can_ask(&self, sender: &Sender<'_>) -> bool {
        sender.event == "PreToolUse"
    }

    fn write(&self, _sender: &Sender<'_>, told: &Told<'_>) -> Answer {
        let (decision, reason) = match (told.event, told.decision) {
            (Event::PreToolUse, Decision::Pass) => ("allow", told.user),
            (Event::PreToolUse, Decision::Ask) => ("force_ask", told.for_person()),
            (Event::PreToolUse, Decision::Deny { .. }) => ("deny", told.agent),
            (Event::PostToolUse | Event::UserPromptSubmit | Event::Stop, _) => return Answer::unheard(told.user),
        };
        Answer::json(&Output { decision, reason: some(cut(reason, CAP)) })
    }

    fn notice(&self, sender: &Sender<'_>, text: &str) -> Answer {
        if self.moment(&sender.event) == Moment::Before {
            return Answer::json(&Output { decision: "allow", reason: some(cut(text, CAP)) });
        }
        Answer::unheard(text)
    }
}
