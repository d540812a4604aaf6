//! Events in shorthand, turned into the payload that Claude Code would send: from there on they go the way of every
//! event. Used by scenarios and by `forge try` and `forge explain`.

use crate::model::{Event, Field};
use serde_json::{Map, Value};

/// An event in a few words.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Shorthand {
    /// The moment; without one it follows from what else is there.
    pub event: Option<Event>,
    /// The tool; `Bash` when there is a command.
    pub tool: Option<String>,
    /// The texts of the input.
    pub fields: Vec<(Field, String)>,
    /// More of the input, as the tool names it.
    pub input: Map<String, Value>,
    /// The agent's type, for subagents.
    pub agent: Option<String>,
    /// The harness's id of the call.
    pub call: Option<String>,
    /// The session.
    pub session: Option<String>,
    /// The folder the agent works in.
    pub cwd: Option<String>,
    /// Stop only: the agent already goes on because of a block at Stop.
    pub continuing: bool,
}

impl Shorthand {
    /// The moment it means: the one given, else `PreToolUse` when there is a tool or a text for one, else
    /// `UserPromptSubmit` for a prompt. `None` when it means nothing.
    #[must_use]
    pub fn moment(&self) -> Option<Event> {
        let has = |wanted: Field| self.fields.iter().any(|(field, _)| *field == wanted);
        match self.event {
            Some(event) => Some(event),
            None if self.tool_name().is_some() => Some(Event::PreToolUse),
            None if has(Field::Prompt) => Some(Event::UserPromptSubmit),
            None => None,
        }
    }

    /// The tool it means.
    #[must_use]
    pub fn tool_name(&self) -> Option<&str> {
        let has_command = self.fields.iter().any(|(field, _)| *field == Field::Command);
        self.tool.as_deref().or(has_command.then_some("Bash"))
    }

    /// The payload; `None` when it means no event.
    #[must_use]
    pub fn payload(&self) -> Option<String> {
        let event = self.moment()?;
        let mut payload = Map::new();
        let mut put = |key: &str, value: Option<Value>| {
            if let Some(value) = value {
                payload.insert(key.to_owned(), value);
            }
        };
        let text = |text: &Option<String>| text.clone().map(Value::String);
        put("session_id", text(&self.session));
        put("cwd", text(&self.cwd));
        put("hook_event_name", Some(event.name().into()));
        put("agent_type", text(&self.agent));
        put("tool_use_id", text(&self.call));
        match event {
            Event::PreToolUse | Event::PostToolUse => {
                let mut input = self.input.clone();
                for (field, text) in &self.fields {
                    input.insert(field.name().to_owned(), text.clone().into());
                }
                put("tool_name", Some(self.tool_name()?.into()));
                put("tool_input", Some(input.into()));
                if event == Event::PostToolUse {
                    put("tool_response", Some(Map::new().into()));
                }
            }
            Event::UserPromptSubmit => {
                let prompt = self.fields.iter().find(|(field, _)| *field == Field::Prompt);
                put("prompt", prompt.map(|(_, text)| text.clone().into()));
            }
            Event::Stop => put("stop_hook_active", Some(self.continuing.into())),
        }
        Some(Value::Object(payload).to_string())
    }
}
