//! VS Code's own agent hooks: near Claude Code's form, but a refusal at Stop sits inside `hookSpecificOutput`, a prompt
//! is stopped by `continue`, and the reason of a refusal is for the user, so that the agent gets it as context.

use super::dialect::{Dialect, Told};
use super::reply::{self, Answer, cut, some};
use super::{Decision, Sender};
use crate::model::Event;
use serde::Serialize;

/// VS Code.
pub(super) struct VsCode;

const CAP: usize = 10_000;

/// Everything forge may print here.
type Output<'a> = reply::Output<'a, Specific<'a>>;

#[derive(Default, Serialize)]
#[serde(rename_all = "camelCase")]
struct Specific<'a> {
    hook_event_name: &'static str,
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

impl Dialect for VsCode {
    fn can_ask(&self, sender: &Sender<'_>) -> bool {
        sender.event == "PreToolUse"
    }

    fn write(&self, _sender: &Sender<'_>, told: &Told<'_>) -> Answer {
        let (agent, person) = (cut(told.agent, CAP), cut(told.for_person(), CAP));
        let output = match told.decision {
            Decision::Pass => passed(told),
            Decision::Ask | Decision::Deny { .. } => match told.event {
                Event::PreToolUse => specific(Specific {
                    hook_event_name: told.event.name(),
                    permission_decision: Some(if told.decision == Decision::Ask { "ask" } else { "deny" }),
                    permission_decision_reason: Some(person),
                    additional_context: Some(agent).filter(|_| told.decision != Decision::Ask),
                    ..Specific::default()
                }),
                Event::PostToolUse => Output { decision: Some("block"), reason: Some(agent), ..Output::empty() },
                Event::UserPromptSubmit => {
                    Output { goes_on: Some(false), stop_reason: Some(person), ..Output::empty() }
                }
                Event::Stop => specific(Specific {
                    hook_event_name: told.event.name(),
                    decision: Some("block"),
                    reason: Some(agent),
                    ..Specific::default()
                }),
            },
        };
        Answer::json(&output)
    }

    fn notice(&self, _sender: &Sender<'_>, text: &str) -> Answer {
        Answer::json(&Output { system_message: some(cut(text, CAP)), ..Output::empty() })
    }
}

/// Context for the agent exists around tools only; at a prompt and at Stop the user alone can be told.
fn passed<'a>(told: &Told<'a>) -> Output<'a> {
    let context = some(cut(told.agent, CAP)).filter(|_| told.event.has_tool());
    let context = context.map(|_| Specific {
        hook_event_name: told.event.name(),
        additional_context: context,
        ..Specific::default()
    });
    Output { hook_specific_output: context, system_message: some(cut(told.user, CAP)), ..Output::empty() }
}

fn specific(specific: Specific<'_>) -> Output<'_> {
    Output { hook_specific_output: Some(specific), ..Output::empty() }
}
