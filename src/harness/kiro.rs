//! Kiro CLI (once Amazon Q): no JSON answers. Exit code 2 refuses a tool and gives standard error to the agent, any
//! other failure shows it to the user as a warning; standard output is the agent's context at a prompt.

use super::dialect::{Dialect, Moment, Told};
use super::reply::{Answer, cut};
use super::{Decision, Sender};
use crate::model::Event;

/// Kiro CLI.
pub(super) struct Kiro;

const CAP: usize = 10_000;

impl Dialect for Kiro {
    fn moment(&self, event: &str) -> Moment {
        match event {
            "preToolUse" => Moment::Before,
            "postToolUse" => Moment::After,
            "userPromptSubmit" => Moment::Prompt,
            "stop" => Moment::Stop,
            "agentSpawn" => Moment::SessionStart,
            _ => Moment::Other,
        }
    }

    fn write(&self, sender: &Sender<'_>, told: &Told<'_>) -> Answer {
        let refuses = told.decision != Decision::Pass;
        match told.event {
            Event::PreToolUse if refuses => Answer::refusal(cut(told.agent, CAP)),
            Event::UserPromptSubmit if !told.agent.is_empty() => {
                Answer { stdout: cut(told.agent, CAP).to_owned(), ..Answer::default() }
            }
            Event::PreToolUse | Event::PostToolUse | Event::UserPromptSubmit | Event::Stop => {
                self.notice(sender, if refuses { told.for_person() } else { told.user })
            }
        }
    }

    fn notice(&self, _sender: &Sender<'_>, text: &str) -> Answer {
        let text = cut(text, CAP);
        Answer { stderr: text.to_owned(), exit: u8::from(!text.trim().is_empty()), ..Answer::default() }
    }
}
