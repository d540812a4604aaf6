//! What one harness may do differently from the others, as a trait whose defaults are what most of them do.
//! Each harness's file implements it once; nothing else asks which harness it is dealing with.

use super::input::{self, ToolUse};
use super::json::{self, Object, Raw};
use super::{Answer, Decision, Reply, Sender};
use crate::model::Event;
use std::borrow::Cow;

/// Where a payload keeps what, the likeliest key first.
pub(super) struct Keys {
    pub(super) event: &'static [&'static str],
    pub(super) session: &'static [&'static str],
    pub(super) cwd: &'static [&'static str],
    pub(super) transcript: &'static [&'static str],
    pub(super) permission_mode: &'static [&'static str],
    pub(super) agent: &'static [&'static str],
    pub(super) agent_id: &'static [&'static str],
    pub(super) turn: &'static [&'static str],
    pub(super) model: &'static [&'static str],
    pub(super) tool: &'static [&'static str],
    pub(super) tool_input: &'static [&'static str],
    pub(super) tool_use_id: &'static [&'static str],
    pub(super) prompt: &'static [&'static str],
}

/// Every spelling in use. The words of one harness mean nothing else in another, so all of them listen for all.
pub(super) const KEYS: Keys = Keys {
    event: &["hook_event_name", "hookEventName", "hookName", "agent_action_name", "hook_type"],
    session: &["session_id", "sessionId", "conversation_id", "conversationId", "trajectory_id"],
    cwd: &["cwd", "workspaceRoot"],
    transcript: &["transcript_path", "transcriptPath"],
    permission_mode: &["permission_mode", "permissionMode"],
    agent: &["agent_type", "agentType"],
    agent_id: &["agent_id", "agentId"],
    turn: &["prompt_id", "turn_id"],
    model: &["model"],
    tool: &["tool_name", "toolName", "tool"],
    tool_input: &["tool_input", "toolInput", "toolArgs", "args", "input"],
    tool_use_id: &["tool_use_id", "toolUseId", "tool_call_id", "toolCallId"],
    prompt: &["prompt", "user_prompt", "userPrompt"],
};

/// A harness's event, as far as forge cares.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Moment {
    /// A tool is about to run.
    Before,
    /// A tool has run.
    After,
    /// A tool has run and failed, told at an event of its own.
    Failed,
    /// The user sent a prompt.
    Prompt,
    /// The agent wants to stop.
    Stop,
    /// A session begins.
    SessionStart,
    /// Anything else.
    Other,
}

impl Moment {
    /// The event behaviors know it by.
    pub(super) fn event(self) -> Option<Event> {
        match self {
            Self::Before => Some(Event::PreToolUse),
            Self::After => Some(Event::PostToolUse),
            Self::Prompt => Some(Event::UserPromptSubmit),
            Self::Stop => Some(Event::Stop),
            Self::Failed | Self::SessionStart | Self::Other => None,
        }
    }
}

/// A reply with nothing left to decide: an `Ask` in it will be asked, and a refusal has its reason.
pub(super) struct Told<'a> {
    /// The event that is answered.
    pub(super) event: Event,
    /// Whether it goes on.
    pub(super) decision: Decision,
    /// What the user is told.
    pub(super) user: &'a str,
    /// What the agent is told; at a refusal never empty.
    pub(super) agent: &'a str,
    /// A refusal also ends the agent's turn, where the harness can be told so.
    pub(super) ends_turn: bool,
}

impl<'a> Told<'a> {
    /// The reply with this decision. A harness that drops a refusal without a reason would run the tool.
    pub(super) fn new(reply: &'a Reply, decision: Decision) -> Self {
        let agent = [&*reply.agent, &*reply.user, "refused by forge"].into_iter().find(|text| !text.trim().is_empty());
        let agent = if decision == Decision::Pass { reply.agent.as_str() } else { agent.unwrap_or_default() };
        let ends_turn = reply.ends_turn && matches!(decision, Decision::Deny { .. });
        Self { event: reply.event, decision, user: &reply.user, agent, ends_turn }
    }

    /// What a person is told about a refusal or a question: their own text, else the agent's.
    pub(super) fn for_person(&self) -> &'a str {
        if self.user.trim().is_empty() { self.agent } else { self.user }
    }
}

/// One harness's way to talk.
pub(super) trait Dialect: Sync {
    /// Where its payloads keep what.
    fn keys(&self) -> &'static Keys {
        &KEYS
    }

    /// What an event of that name is.
    fn moment(&self, event: &str) -> Moment {
        match event {
            "PreToolUse" => Moment::Before,
            "PostToolUse" => Moment::After,
            "PostToolUseFailure" => Moment::Failed,
            "UserPromptSubmit" => Moment::Prompt,
            "Stop" => Moment::Stop,
            "SessionStart" => Moment::SessionStart,
            _ => Moment::Other,
        }
    }

    /// The use of a tool that an event tells of.
    fn tool_use<'a>(&self, _event: &str, envelope: &Object<'a>) -> ToolUse<'a> {
        let keys = self.keys();
        input::tool_use(envelope.text(keys.tool).unwrap_or(Cow::Borrowed("")), envelope.first(keys.tool_input))
    }

    /// The prompt that an event tells of.
    fn prompt<'a>(&self, envelope: &Object<'a>) -> Option<Raw<'a>> {
        envelope.first(self.keys().prompt)
    }

    /// Whether the agent already goes on because it was kept from stopping.
    fn is_continuing(&self, envelope: &Object<'_>) -> bool {
        envelope.is_true("stop_hook_active")
    }

    /// Whether a call that is told as done or failed was let through; only then does it settle a question.
    fn has_run(&self, _envelope: &Object<'_>) -> bool {
        true
    }

    /// The folder the agent works in; else the first folder of its workspace.
    fn cwd<'a>(&self, envelope: &Object<'a>) -> Option<Cow<'a, str>> {
        let first = |key| json::text_of_first(envelope.get(key)?);
        envelope.text(self.keys().cwd).or_else(|| first("workspace_roots")).or_else(|| first("workspacePaths"))
    }

    /// The event of a payload that does not name it.
    fn guess_event(&self, _envelope: &Object<'_>) -> Option<&'static str> {
        None
    }

    /// Whether it prompts the user when told to, at this event and in this mode.
    fn can_ask(&self, _sender: &Sender<'_>) -> bool {
        false
    }

    /// The answer.
    fn write(&self, sender: &Sender<'_>, told: &Told<'_>) -> Answer;

    /// A message to the user alone.
    fn notice(&self, sender: &Sender<'_>, text: &str) -> Answer;
}
