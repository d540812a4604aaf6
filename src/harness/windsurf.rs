//! Windsurf's Cascade: no JSON answers. Exit code 2 refuses whatever is about to happen and gives standard error to the
//! agent; the user sees it where the hook's entry has `show_output`. What has happened cannot be refused.

use super::dialect::{Dialect, Moment, Told};
use super::input::{self, ToolUse};
use super::json::{Object, Raw};
use super::reply::{Answer, cut};
use super::{Decision, Sender};
use std::borrow::Cow;

/// Windsurf.
pub(super) struct Windsurf;

const CAP: usize = 10_000;

impl Dialect for Windsurf {
    fn moment(&self, event: &str) -> Moment {
        match event {
            "pre_run_command" | "pre_write_code" | "pre_read_code" | "pre_mcp_tool_use" => Moment::Before,
            "post_run_command" | "post_write_code" | "post_read_code" | "post_mcp_tool_use" => Moment::After,
            "pre_user_prompt" => Moment::Prompt,
            "post_cascade_response" => Moment::Stop,
            _ => Moment::Other,
        }
    }

    fn tool_use<'a>(&self, event: &str, envelope: &Object<'a>) -> ToolUse<'a> {
        let info = envelope.object(&["tool_info"]);
        let tool = match event {
            "pre_run_command" | "post_run_command" => "Bash",
            "pre_write_code" | "post_write_code" => "Edit",
            "pre_read_code" | "post_read_code" => "Read",
            _ => {
                let name = |key| info.text(&[key]).unwrap_or_default();
                let tool = format!("mcp__{}__{}", name("mcp_server_name"), name("mcp_tool_name"));
                return input::tool_use(Cow::Owned(tool), info.get("mcp_tool_arguments"));
            }
        };
        input::tool_use(Cow::Borrowed(tool), envelope.get("tool_info"))
    }

    fn prompt<'a>(&self, envelope: &Object<'a>) -> Option<Raw<'a>> {
        envelope.object(&["tool_info"]).get("user_prompt")
    }

    fn cwd<'a>(&self, envelope: &Object<'a>) -> Option<Cow<'a, str>> {
        envelope.object(&["tool_info"]).text(&["cwd"])
    }

    fn write(&self, sender: &Sender<'_>, told: &Told<'_>) -> Answer {
        let refuses = told.decision != Decision::Pass;
        if refuses && sender.event.starts_with("pre_") {
            return Answer::refusal(cut(told.agent, CAP));
        }
        self.notice(sender, if refuses { told.for_person() } else { told.user })
    }

    fn notice(&self, _sender: &Sender<'_>, text: &str) -> Answer {
        Answer::unheard(text)
    }
}
