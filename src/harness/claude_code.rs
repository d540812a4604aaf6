//! Claude Code: `systemMessage` is for the user, `additionalContext` and the reason of a refusal for the agent.
//! A refusal is final for that call; only `ask` prompts, and not in modes that promise never to.

use super::dialect::{Dialect, Told};
use super::reply::{Answer, cut, some};
use super::{Decision, Sender};
use crate::model::Event;
use serde::Serialize;

/// Claude Code.
pub(super) struct ClaudeCode;

/// Most characters of a text; more is put into a file and replaced by a preview.
const CAP: usize = 10_000;

/// Everything forge may print here.
#[derive(Default, Serialize)]
#[serde(rename_all = "camelCase")]
struct Output<'a> {
    #[serde(skip_serializing_if = "Option::is_none")]
    decision: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    reason: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    hook_specific_output: Option<Specific<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    system_message: Option<&'a str>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Specific<'a> {
    hook_event_name: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    permission_decision: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    permission_decision_reason: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    additional_context: Option<&'a str>,
    /// Not a key of Claude Code's, which ignores it; readers of the hook protocol forge continues look for it.
    #[serde(rename = "override_allowed", skip_serializing_if = "Option::is_none")]
    override_allowed: Option<bool>,
}

impl Specific<'_> {
    fn of(event: Event) -> Self {
        Self {
            hook_event_name: event.name(),
            permission_decision: None,
            permission_decision_reason: None,
            additional_context: None,
            override_allowed: None,
        }
    }
}

impl Dialect for ClaudeCode {
    /// Not told the mode means a version or an event that does not tell it, and prompting is the default.
    fn can_ask(&self, sender: &Sender<'_>) -> bool {
        let silent = matches!(sender.permission_mode.as_deref(), Some("bypassPermissions" | "dontAsk"));
        sender.event == "PreToolUse" && !silent
    }

    fn write(&self, _sender: &Sender<'_>, told: &Told<'_>) -> Answer {
        let (agent, user) = (cut(told.agent, CAP), cut(told.user, CAP));
        let passes = told.decision == Decision::Pass;
        let blocks =
            Output { decision: Some("block"), reason: Some(agent), system_message: some(user), ..Output::default() };
        let output = match told.event {
            Event::PreToolUse if !passes => {
                let specific = Specific {
                    permission_decision: Some(if told.decision == Decision::Ask { "ask" } else { "deny" }),
                    permission_decision_reason: Some(match told.decision {
                        // The user reads the reason of a question, the agent that of a refusal.
                        Decision::Ask => cut(told.for_person(), CAP),
                        Decision::Pass | Decision::Deny { .. } => agent,
                    }),
                    override_allowed: (told.decision == Decision::Deny { is_final: true }).then_some(false),
                    ..Specific::of(told.event)
                };
                Output { hook_specific_output: Some(specific), system_message: some(user), ..Output::default() }
            }
            // Only the user sees the reason why a prompt was refused.
            Event::UserPromptSubmit if !passes => {
                Output { reason: Some(cut(told.for_person(), CAP)), system_message: None, ..blocks }
            }
            Event::PostToolUse | Event::Stop if !passes => blocks,
            // Context at Stop would keep the agent going.
            Event::Stop => Output { system_message: some(user), ..Output::default() },
            Event::PreToolUse | Event::PostToolUse | Event::UserPromptSubmit => Output {
                hook_specific_output: some(agent)
                    .map(|agent| Specific { additional_context: Some(agent), ..Specific::of(told.event) }),
                system_message: some(user),
                ..Output::default()
            },
        };
        Answer::json(&output)
    }

    fn notice(&self, _sender: &Sender<'_>, text: &str) -> Answer {
        Answer::json(&Output { system_message: some(cut(text, CAP)), ..Output::default() })
    }
}
