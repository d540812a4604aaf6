//! The answer as Claude Code defined it and Codex, Droid and Qwen Code took it over: `hookSpecificOutput` for tools,
//! `decision` and `reason` for the rest. What each of them adds or refuses is said by its own file, as a [`Nested`].

use super::Decision;
use super::dialect::Told;
use super::reply::{self, Answer, cut, some};
use crate::model::Event;
use serde::Serialize;

/// What one harness takes of this form.
pub(super) struct Nested {
    /// Most characters of a text.
    pub(super) cap: usize,
    /// Whether a final refusal says so.
    pub(super) marks_final: bool,
    /// Whether a refusal may come with a message to the user.
    pub(super) tells_user_of_refusals: bool,
    /// Where a refusal can also end the turn.
    pub(super) ends_turns: &'static [Event],
}

/// Everything forge may print here.
type Output<'a> = reply::Output<'a, Specific<'a>>;

#[derive(Clone, Copy, Serialize)]
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

impl Nested {
    /// The answer.
    pub(super) fn write(&self, told: &Told<'_>) -> Answer {
        let (agent, user) = (cut(told.agent, self.cap), cut(told.user, self.cap));
        let passes = told.decision == Decision::Pass;
        let heard = some(user).filter(|_| self.tells_user_of_refusals || passes);
        let ends = told.ends_turn && self.ends_turns.contains(&told.event);
        let stop_reason = ends.then(|| cut(told.for_person(), self.cap));
        let goes_on = ends.then_some(false);
        let message = Output { goes_on, stop_reason, system_message: heard, ..Output::empty() };
        let blocks = Output { decision: Some("block"), reason: Some(agent), ..message };
        let output = match told.event {
            Event::PreToolUse if !passes => Output { hook_specific_output: Some(self.refusal(told)), ..message },
            // Only the user sees the reason why a prompt was refused.
            Event::UserPromptSubmit if !passes => {
                Output { reason: Some(cut(told.for_person(), self.cap)), system_message: None, ..blocks }
            }
            Event::PostToolUse | Event::Stop if !passes => blocks,
            // Context at Stop would keep the agent going.
            Event::Stop => message,
            Event::PreToolUse | Event::PostToolUse | Event::UserPromptSubmit => {
                let context = some(agent);
                let specific = context.map(|_| Specific { additional_context: context, ..Specific::of(told.event) });
                Output { hook_specific_output: specific, ..message }
            }
        };
        Answer::json(&output)
    }

    /// A question or a refusal before a tool runs.
    fn refusal<'a>(&self, told: &Told<'a>) -> Specific<'a> {
        let (decision, reason) = match told.decision {
            // The user reads the reason of a question, the agent that of a refusal.
            Decision::Ask => ("ask", told.for_person()),
            Decision::Pass | Decision::Deny { .. } => ("deny", told.agent),
        };
        let marks = self.marks_final && told.decision == Decision::Deny { is_final: true };
        Specific {
            permission_decision: Some(decision),
            permission_decision_reason: Some(cut(reason, self.cap)),
            override_allowed: marks.then_some(false),
            ..Specific::of(told.event)
        }
    }

    /// A message to the user alone.
    pub(super) fn notice(&self, text: &str) -> Answer {
        Answer::json(&Output { system_message: some(cut(text, self.cap)), ..Output::empty() })
    }
}
