//! Gemini CLI: `decision` and `reason` at the top, its own event names, and no way to ask or to give the agent context
//! before a tool runs.

use super::dialect::{Dialect, Moment, Told};
use super::reply::{self, Answer, cut, some};
use super::{Decision, Sender};
use crate::model::Event;
use serde::Serialize;

/// Gemini CLI.
pub(super) struct Gemini;

const CAP: usize = 10_000;

/// Everything forge may print here.
type Output<'a> = reply::Output<'a, Specific<'a>>;

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Specific<'a> {
    additional_context: &'a str,
}

impl Dialect for Gemini {
    fn moment(&self, event: &str) -> Moment {
        match event {
            "BeforeTool" => Moment::Before,
            "AfterTool" => Moment::After,
            "BeforeAgent" => Moment::Prompt,
            "AfterAgent" => Moment::Stop,
            "SessionStart" => Moment::SessionStart,
            _ => Moment::Other,
        }
    }

    fn write(&self, _sender: &Sender<'_>, told: &Told<'_>) -> Answer {
        let (agent, user) = (cut(told.agent, CAP), some(cut(told.user, CAP)));
        let output = if told.decision == Decision::Pass {
            let heard = matches!(told.event, Event::PostToolUse | Event::UserPromptSubmit);
            let context = some(agent).filter(|_| heard).map(|additional_context| Specific { additional_context });
            Output { hook_specific_output: context, system_message: user, ..Output::empty() }
        } else {
            // At a prompt a refusal ends it anyway; at the end of a turn it keeps the agent going.
            let ends = told.ends_turn && told.event.has_tool();
            let stop_reason = ends.then(|| cut(told.for_person(), CAP));
            let goes_on = ends.then_some(false);
            let decision = Some("deny");
            Output { goes_on, stop_reason, decision, reason: Some(agent), system_message: user, ..Output::empty() }
        };
        Answer::json(&output)
    }

    fn notice(&self, _sender: &Sender<'_>, text: &str) -> Answer {
        Answer::json(&Output { system_message: some(cut(text, CAP)), ..Output::empty() })
    }
}
