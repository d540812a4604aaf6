//! GitHub Copilot's CLI and cloud agent: flat answers. Events named in camelCase come without their name, those named in
//! PascalCase with Claude Code's names for everything. A prompt cannot be refused, the user is told by progress lines.

use super::dialect::{Dialect, Moment, Told};
use super::json::Object;
use super::reply::{Answer, cut, cut_bytes, some};
use super::{Decision, Sender};
use crate::model::Event;
use serde::Serialize;

/// GitHub Copilot.
pub(super) struct Copilot;

const CAP: usize = 10_000;

/// Everything forge may print here.
#[derive(Default, Serialize)]
#[serde(rename_all = "camelCase")]
struct Output<'a> {
    #[serde(skip_serializing_if = "Option::is_none")]
    permission_decision: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    permission_decision_reason: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    decision: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    reason: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    additional_context: Option<&'a str>,
}

/// A line in the timeline. It stands alone: versions that do not know it would lose an answer beside it.
#[derive(Serialize)]
struct Progress<'a> {
    #[serde(rename = "type")]
    kind: &'static str,
    message: &'a str,
}

impl Dialect for Copilot {
    fn moment(&self, event: &str) -> Moment {
        match event {
            "preToolUse" | "PreToolUse" => Moment::Before,
            "postToolUse" | "PostToolUse" => Moment::After,
            "postToolUseFailure" | "PostToolUseFailure" => Moment::Failed,
            "userPromptSubmitted" | "UserPromptSubmit" => Moment::Prompt,
            "agentStop" | "Stop" => Moment::Stop,
            "sessionStart" | "SessionStart" => Moment::SessionStart,
            _ => Moment::Other,
        }
    }

    fn guess_event(&self, envelope: &Object<'_>) -> Option<&'static str> {
        let marks = [
            ("toolResult", "postToolUse"),
            ("error", "postToolUseFailure"),
            ("toolArgs", "preToolUse"),
            ("stopReason", "agentStop"),
            ("source", "sessionStart"),
            ("prompt", "userPromptSubmitted"),
        ];
        marks.iter().find(|(key, _)| envelope.has(key)).map(|(_, event)| *event)
    }

    /// Where nobody can answer it refuses by itself.
    fn can_ask(&self, sender: &Sender<'_>) -> bool {
        self.moment(&sender.event) == Moment::Before
    }

    fn write(&self, sender: &Sender<'_>, told: &Told<'_>) -> Answer {
        let agent = cut(told.agent, CAP);
        let output = match (told.event, told.decision) {
            (Event::PreToolUse, Decision::Ask) => Output {
                permission_decision: Some("ask"),
                permission_decision_reason: Some(cut(told.for_person(), CAP)),
                ..Output::default()
            },
            (Event::PreToolUse, Decision::Deny { .. }) => Output {
                permission_decision: Some("deny"),
                permission_decision_reason: Some(agent),
                ..Output::default()
            },
            (Event::PostToolUse, _) if !agent.is_empty() => {
                Output { additional_context: some(cut_bytes(agent, CAP)), ..Output::default() }
            }
            (Event::Stop, Decision::Ask | Decision::Deny { .. }) => {
                Output { decision: Some("block"), reason: Some(agent), ..Output::default() }
            }
            (Event::PreToolUse | Event::PostToolUse | Event::UserPromptSubmit | Event::Stop, _) => {
                let refuses = told.decision != Decision::Pass;
                return self.notice(sender, if refuses { told.for_person() } else { told.user });
            }
        };
        Answer::json(&output)
    }

    fn notice(&self, _sender: &Sender<'_>, text: &str) -> Answer {
        match some(cut(text, CAP)) {
            Some(message) => Answer::json(&Progress { kind: "progress", message }),
            None => Answer::default(),
        }
    }
}
