//! Cursor: flat answers, different at each event, and messages that are shown only with a refusal. It never gets
//! `allow`, which could spare the user a question that Cursor itself would have asked.

use super::dialect::{Dialect, KEYS, Moment, Told};
use super::input::{self, ToolUse};
use super::json::Object;
use super::reply::{Answer, cut, some};
use super::{Decision, Sender};
use crate::model::Event;
use serde::Serialize;
use std::borrow::Cow;

/// Cursor.
pub(super) struct Cursor;

const CAP: usize = 10_000;

/// Everything forge may print here.
#[derive(Default, Serialize)]
struct Output<'a> {
    #[serde(skip_serializing_if = "Option::is_none")]
    permission: Option<&'static str>,
    #[serde(rename = "continue", skip_serializing_if = "Option::is_none")]
    goes_on: Option<bool>,
    #[serde(skip_serializing_if = "Option::is_none")]
    user_message: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    agent_message: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    additional_context: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    followup_message: Option<&'a str>,
}

impl Dialect for Cursor {
    fn moment(&self, event: &str) -> Moment {
        match event {
            "preToolUse" | "PreToolUse" | "beforeShellExecution" | "beforeMCPExecution" | "beforeReadFile" => {
                Moment::Before
            }
            "postToolUse" | "PostToolUse" | "afterShellExecution" | "afterMCPExecution" | "afterFileEdit" => {
                Moment::After
            }
            "postToolUseFailure" | "PostToolUseFailure" => Moment::Failed,
            "beforeSubmitPrompt" | "UserPromptSubmit" => Moment::Prompt,
            "stop" | "Stop" => Moment::Stop,
            "sessionStart" | "SessionStart" => Moment::SessionStart,
            _ => Moment::Other,
        }
    }

    /// Some events are about one kind of tool and put its input among the rest.
    fn tool_use<'a>(&self, event: &str, envelope: &Object<'a>) -> ToolUse<'a> {
        let tool = match event {
            "beforeShellExecution" | "afterShellExecution" => "Bash",
            "beforeReadFile" => "Read",
            "afterFileEdit" => "Edit",
            _ => {
                let name = envelope.text(KEYS.tool).unwrap_or_default();
                return input::tool_use(name, envelope.first(KEYS.tool_input));
            }
        };
        let input = envelope.only(&["command", "file_path", "edits"]);
        input::from_object(Cow::Borrowed(tool), envelope, Cow::Owned(input))
    }

    fn is_continuing(&self, envelope: &Object<'_>) -> bool {
        envelope.is_true("stop_hook_active") || envelope.text(&["loop_count"]).is_some_and(|count| count != "0")
    }

    /// A call that was not permitted is told as a failure too.
    fn has_run(&self, envelope: &Object<'_>) -> bool {
        envelope.text(&["failure_type"]).as_deref() != Some("permission_denied")
    }

    /// At `preToolUse` Cursor accepts the word and does not act on it.
    fn can_ask(&self, sender: &Sender<'_>) -> bool {
        matches!(&*sender.event, "beforeShellExecution" | "beforeMCPExecution")
    }

    fn write(&self, sender: &Sender<'_>, told: &Told<'_>) -> Answer {
        let (agent, person) = (cut(told.agent, CAP), cut(told.for_person(), CAP));
        let passes = told.decision == Decision::Pass;
        let output = match (told.event, &*sender.event) {
            (Event::PreToolUse, event) if !passes => Output {
                permission: Some(if told.decision == Decision::Ask { "ask" } else { "deny" }),
                user_message: Some(person),
                // A refused read has no message to the agent.
                agent_message: Some(agent).filter(|_| event != "beforeReadFile"),
                ..Output::default()
            },
            (Event::PreToolUse, "beforeShellExecution" | "beforeMCPExecution") => {
                Output { user_message: some(cut(told.user, CAP)), agent_message: some(agent), ..Output::default() }
            }
            (Event::PostToolUse, "postToolUse" | "PostToolUse") => {
                Output { additional_context: some(agent), ..Output::default() }
            }
            (Event::UserPromptSubmit, _) if !passes => {
                Output { goes_on: Some(false), user_message: Some(person), ..Output::default() }
            }
            (Event::Stop, _) if !passes => Output { followup_message: Some(agent), ..Output::default() },
            (Event::PreToolUse | Event::PostToolUse | Event::UserPromptSubmit | Event::Stop, _) => {
                return Answer::unheard(told.user);
            }
        };
        Answer::json(&output)
    }

    fn notice(&self, sender: &Sender<'_>, text: &str) -> Answer {
        let text = some(cut(text, CAP));
        match &*sender.event {
            "beforeShellExecution" | "beforeMCPExecution" | "preCompact" => {
                Answer::json(&Output { user_message: text, ..Output::default() })
            }
            // Nothing shows the user a message here; the agent can pass it on.
            "sessionStart" | "SessionStart" | "postToolUse" | "PostToolUse" => {
                Answer::json(&Output { additional_context: text, ..Output::default() })
            }
            _ => Answer::unheard(text.unwrap_or_default()),
        }
    }
}
