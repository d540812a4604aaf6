//! From bytes to the payload's outermost object, and from its keys to the harness that sent it.

use super::Harness;
use super::json::Object;
use crate::model::Event;

/// The outermost object of a payload, or one line saying why there is none.
pub(super) fn envelope(payload: &[u8]) -> Result<Object<'_>, String> {
    const REMEDY: &str = "the hook expects one JSON object on standard input";
    let payload = payload.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(payload);
    let text = std::str::from_utf8(payload)
        .map_err(|error| format!("payload is not UTF-8 at byte {}; {REMEDY}", error.valid_up_to()))?;
    if text.trim().is_empty() {
        return Err(format!("payload is empty; {REMEDY}"));
    }
    Object::parse(text).map_err(|error| format!("payload is not valid JSON: {error}; {REMEDY}"))
}

/// The event that a broken payload seems to be about, if it is one that is named as in Claude Code: enough to tell the
/// user, and to refuse where errors refuse.
pub(super) fn glimpse(payload: &[u8]) -> Option<&'static str> {
    let key = memchr::memmem::find(payload, b"\"hook_event_name\"")?;
    let rest = payload.get(key..)?;
    let found = Event::ALL.iter().map(|event| event.name()).filter_map(|name| {
        let quoted = format!("\"{name}\"");
        Some((memchr::memmem::find(rest, quoted.as_bytes())?, name))
    });
    found.min().map(|(_, name)| name)
}

/// Who sent the payload. What the installed command says counts, unless the payload bears the mark of another: Cursor,
/// Copilot and Grok run the hooks they find in Claude Code's settings, and speak their own language to them.
pub(super) fn harness(said: Option<Harness>, envelope: &Object<'_>) -> Option<Harness> {
    let marked = marked(envelope);
    match said {
        None => marked.or_else(|| alike(envelope)),
        Some(Harness::ClaudeCode) if is_copilot_compatible(envelope) => Some(Harness::Copilot),
        Some(_) => marked.or(said),
    }
}

/// The harness whose keys no other uses.
fn marked(envelope: &Object<'_>) -> Option<Harness> {
    let has = |key| envelope.has(key);
    if has("cursor_version") || has("conversation_id") && has("generation_id") {
        Some(Harness::Cursor)
    } else if has("agent_action_name") {
        Some(Harness::Windsurf)
    } else if has("toolCall") || has("conversationId") && has("workspacePaths") {
        Some(Harness::Antigravity)
    } else if has("hook_type") {
        Some(Harness::OpenCode)
    } else if has("toolArgs") || has("hookName") {
        Some(Harness::Copilot)
    } else if has("hookEventName") {
        let pascal = envelope.text(&["hookEventName"]).is_some_and(|name| starts_upper(&name));
        Some(if pascal && !has("toolInput") { Harness::VsCode } else { Harness::Grok })
    } else {
        None
    }
}

/// The harness behind keys that several use; told apart by what each adds, and by where it keeps its transcripts.
fn alike(envelope: &Object<'_>) -> Option<Harness> {
    let Some(event) = envelope.text(&["hook_event_name"]) else {
        return (envelope.has("sessionId") && envelope.has("timestamp")).then_some(Harness::Copilot);
    };
    let transcript = envelope.text(&["transcript_path"]).unwrap_or_default().replace('\\', "/");
    let keeps_in = |folder| transcript.contains(folder);
    let is_gemini = event.starts_with("Before") || event.starts_with("After") || event == "PreCompress";
    let found = if event == "tool_call" || event == "tool_result" {
        Harness::OpenCode
    } else if is_gemini || keeps_in("/.gemini/") {
        Harness::Gemini
    } else if keeps_in("/.qwen/") {
        Harness::Qwen
    } else if keeps_in("/.factory/") {
        Harness::Droid
    } else if envelope.has("turn_id") || keeps_in("/.codex/") {
        Harness::Codex
    } else if !starts_upper(&event) {
        Harness::Kiro
    } else if is_copilot_compatible(envelope) {
        Harness::Copilot
    } else if envelope.has("timestamp") {
        Harness::Qwen
    } else {
        Harness::ClaudeCode
    };
    Some(found)
}

/// Copilot's events named as Claude Code's: a time, which Claude Code never sends, and no transcript before a tool,
/// which all others send.
fn is_copilot_compatible(envelope: &Object<'_>) -> bool {
    let has = |key| envelope.has(key);
    has("hook_event_name") && has("timestamp") && (!has("transcript_path") || has("stop_reason"))
}

fn starts_upper(text: &str) -> bool {
    text.starts_with(|c: char| c.is_ascii_uppercase())
}
