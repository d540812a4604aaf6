//! What a harness would send before a tool runs, and whether what came back stops it.
//! Written from the harnesses' documents, not with `harness`: the doctor must not believe what it examines.

use super::spawn::Ended;
use serde_json::{Map, Value, json};
use std::path::Path;

/// A use of a tool, by our names.
#[derive(Clone, Debug)]
pub(super) struct Deed {
    pub(super) tool: String,
    pub(super) input: Map<String, Value>,
}

impl Deed {
    /// As a person would say it.
    pub(super) fn told(&self) -> String {
        let main = self.input.get("command").or_else(|| self.input.get("file_path")).and_then(Value::as_str);
        format!("{} `{}`", self.tool, main.unwrap_or("…").lines().next().unwrap_or_default())
    }

    fn text(&self, name: &str) -> Option<&str> {
        self.input.get(name).and_then(Value::as_str)
    }
}

/// The event under which a harness reports a use, and its payload; `None` when it has no words for such a use here.
/// `id` tells this use from the others of its session.
pub(super) fn before(
    harness: &str,
    deed: &Deed,
    (session, id): (&str, &str),
    cwd: &Path,
) -> Option<(&'static str, Value)> {
    let (tool, input) = (&deed.tool, &deed.input);
    Some(match harness {
        "copilot" => ("preToolUse", json!({ "sessionId": session, "cwd": cwd, "toolName": tool, "toolArgs": input })),
        "grok" => (
            "PreToolUse",
            json!({ "hookEventName": "PreToolUse", "sessionId": session, "cwd": cwd, "toolName": tool, "toolInput": input }),
        ),
        "cursor" => (
            "preToolUse",
            json!({
                "conversation_id": session, "generation_id": "doctor", "cursor_version": "doctor",
                "workspace_roots": [cwd], "cwd": cwd,
                "hook_event_name": "preToolUse", "tool_name": tool, "tool_input": input, "tool_use_id": id,
            }),
        ),
        "windsurf" => {
            let info = json!({ "command_line": deed.text("command")?, "cwd": cwd });
            let event = "pre_run_command";
            (event, json!({ "agent_action_name": event, "trajectory_id": session, "tool_info": info }))
        }
        "antigravity" => {
            let call = json!({ "name": "run_command", "args": { "CommandLine": deed.text("command")? } });
            ("PreToolUse", json!({ "toolCall": call, "conversationId": session, "workspacePaths": [cwd] }))
        }
        _ => {
            let event = match harness {
                "gemini" => "BeforeTool",
                "kiro" => "preToolUse",
                "opencode" => "tool.execute.before",
                _ => "PreToolUse",
            };
            let told = json!({
                "session_id": session, "cwd": cwd, "hook_event_name": event,
                "tool_name": tool, "tool_input": input, "tool_use_id": id,
            });
            (event, told)
        }
    })
}

/// Whether the answer keeps the tool from running, at least until a person has agreed.
pub(super) fn stops(harness: &str, ended: &Ended) -> bool {
    if matches!(harness, "windsurf" | "kiro") {
        return ended.code == Some(2);
    }
    let Ok(answer) = serde_json::from_str::<Value>(&ended.stdout) else { return false };
    let stop = |value: &Value| matches!(value.as_str(), Some("deny" | "block" | "ask" | "force_ask"));
    let decision = match harness {
        "claude-code" | "codex" | "droid" | "qwen" => answer.pointer("/hookSpecificOutput/permissionDecision"),
        "cursor" => answer.get("permission"),
        "copilot" => answer.get("permissionDecision"),
        "opencode" => return answer.get("block") == Some(&Value::Bool(true)),
        _ => answer.get("decision"),
    };
    ended.code == Some(0) && decision.is_some_and(stop)
}
