//! The transcript of Claude Code: `<session>.jsonl`, one record per line, a response in several records.
//! One line in, what it says out; remembers nothing between lines.

use super::fact::{Fact, Hash, Origin, Verdict, hash};
use super::money::Usage;
use super::record::{self, Raw};
use serde::Deserialize;
use std::borrow::Cow;

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Record<'a> {
    #[serde(borrow, default)]
    r#type: Raw<'a>,
    #[serde(borrow, default)]
    message: Raw<'a>,
    #[serde(borrow, default)]
    request_id: Raw<'a>,
    #[serde(borrow, default)]
    uuid: Raw<'a>,
    #[serde(borrow, default)]
    is_meta: Raw<'a>,
    #[serde(borrow, default)]
    is_compact_summary: Raw<'a>,
    #[serde(borrow, default)]
    origin: Raw<'a>,
    #[serde(borrow, default)]
    tool_use_result: Raw<'a>,
    #[serde(borrow, default)]
    tool_denial_kind: Raw<'a>,
    #[serde(borrow, default)]
    attachment: Raw<'a>,
}

#[derive(Deserialize)]
struct Message<'a> {
    #[serde(borrow, default)]
    id: Raw<'a>,
    #[serde(borrow, default)]
    model: Raw<'a>,
    #[serde(borrow, default)]
    content: Raw<'a>,
    #[serde(borrow, default)]
    usage: Raw<'a>,
}

#[derive(Deserialize)]
struct Block<'a> {
    #[serde(borrow, default)]
    r#type: Raw<'a>,
    #[serde(borrow, default)]
    id: Raw<'a>,
    #[serde(borrow, default)]
    text: Raw<'a>,
    #[serde(borrow, default)]
    tool_use_id: Raw<'a>,
    #[serde(borrow, default)]
    is_error: Raw<'a>,
    #[serde(borrow, default)]
    content: Raw<'a>,
}

/// What the harness itself writes in the user's name.
const NOT_TYPED: &[&str] = &[
    "<system-reminder>",
    "<task-notification>",
    "<local-command-",
    "<command-name>",
    "<bash-stdout>",
    "<bash-stderr>",
];
const INTERRUPTS: &[&str] = &["[Request interrupted by user]", "[Request interrupted by user for tool use]"];
/// How a refusal begins in versions that do not mark it.
const USER_REFUSED: &str = "The user doesn't want to ";
const RULE_REFUSED: &str = "Permission to use ";

/// What one line says, in order.
pub(super) fn read<'a>(line: &'a str, tell: &mut dyn FnMut(Fact<'a>)) {
    let Ok(record) = serde_json::from_str::<Record<'a>>(line) else { return };
    match record::text(record.r#type).as_deref() {
        Some("assistant") => assistant(&record, line, tell),
        Some("user") => user(&record, tell),
        Some("attachment") => attachment(&record, tell),
        Some(_) | None => {}
    }
}

fn assistant<'a>(record: &Record<'a>, line: &str, tell: &mut dyn FnMut(Fact<'a>)) {
    let Some(message) = record::read::<Message<'a>>(record.message) else { return };
    let model = record::text(message.model).unwrap_or_default();
    // Words the harness puts into the agent's mouth, such as an error of the API: no response, no price.
    if model == "<synthetic>" {
        return;
    }
    let named = [message.id, record.request_id, record.uuid].into_iter().find_map(record::text);
    let response = hash(&["response", named.as_deref().unwrap_or(line)]);
    if let Some(usage) = record::read(message.usage).map(usage) {
        tell(Fact::Response { origin: Origin::Named(response), usage, model });
    }
    for block in blocks(message.content) {
        if record::text(block.r#type).is_some_and(|kind| kind == "tool_use")
            && let Some(id) = call(block.id)
        {
            tell(Fact::Called(id, response));
        }
    }
}

fn user<'a>(record: &Record<'a>, tell: &mut dyn FnMut(Fact<'a>)) {
    if record::is_true(record.is_compact_summary) {
        return;
    }
    let Some(message) = record::read::<Message<'a>>(record.message) else { return };
    let by_harness = record::is_true(record.is_meta) || !is_human(record.origin);
    let said = |text: &str| {
        let text = text.trim();
        let is_typed = !by_harness && !NOT_TYPED.iter().any(|tag| text.starts_with(tag));
        if INTERRUPTS.contains(&text) { Some(Fact::Interrupted) } else { is_typed.then_some(Fact::Prompted) }
    };
    if let Some(fact) = record::text(message.content).and_then(|text| said(&text)) {
        tell(fact);
    }
    for block in blocks(message.content) {
        match record::text(block.r#type).as_deref() {
            Some("text") => {
                if let Some(fact) = record::text(block.text).and_then(|text| said(&text)) {
                    tell(fact);
                }
            }
            Some("tool_result") => {
                if let Some(id) = call(block.tool_use_id) {
                    tell(Fact::Returned(id, verdict(record, &block)));
                }
            }
            Some(_) | None => {}
        }
    }
}

fn attachment<'a>(record: &Record<'a>, tell: &mut dyn FnMut(Fact<'a>)) {
    #[derive(Deserialize)]
    #[serde(rename_all = "camelCase")]
    struct Attachment<'a> {
        #[serde(borrow, default)]
        r#type: Raw<'a>,
        #[serde(borrow, default)]
        hook_event: Raw<'a>,
        #[serde(borrow, default, rename = "toolUseID")]
        tool_use_id: Raw<'a>,
    }
    let Some(it) = record::read::<Attachment<'a>>(record.attachment) else { return };
    let is_block = record::text(it.r#type).is_some_and(|kind| kind == "hook_blocking_error");
    let is_before =
        record::text(it.hook_event).is_some_and(|event| event == "PreToolUse" || event == "PermissionRequest");
    if is_block
        && is_before
        && let Some(id) = call(it.tool_use_id)
    {
        tell(Fact::Refused(id));
    }
}

fn verdict(record: &Record<'_>, block: &Block<'_>) -> Verdict {
    #[derive(Deserialize)]
    struct Result<'a> {
        #[serde(borrow, default)]
        interrupted: Raw<'a>,
    }
    let result = record.tool_use_result.filter(|_| record::is_object(record.tool_use_result));
    if record::read::<Result<'_>>(result).is_some_and(|it| record::is_true(it.interrupted)) {
        return Verdict::Stopped;
    }
    match record::text(record.tool_denial_kind).as_deref() {
        Some("user-rejected") => return Verdict::Stopped,
        Some(_) => return Verdict::Refused,
        None => {}
    }
    if !record::is_true(block.is_error) {
        return Verdict::Success;
    }
    match record::pieces(block.content).first() {
        Some(text) if text.starts_with(USER_REFUSED) => Verdict::Stopped,
        Some(text) if INTERRUPTS.contains(&text.trim()) => Verdict::Stopped,
        Some(text) if text.starts_with(RULE_REFUSED) && record::head(text, 300).contains("denied") => Verdict::Refused,
        Some(_) | None => Verdict::Failure,
    }
}

/// Records say who spoke only where it was not plainly the user.
fn is_human(origin: Raw<'_>) -> bool {
    #[derive(Deserialize)]
    struct Speaker<'a> {
        #[serde(borrow, default)]
        kind: Raw<'a>,
    }
    let kind = record::read::<Speaker<'_>>(origin).and_then(|speaker| record::text(speaker.kind));
    kind.is_none_or(|kind| kind == "human")
}

fn blocks<'a>(content: Raw<'a>) -> impl Iterator<Item = Block<'a>> {
    record::items(content).into_iter().filter_map(|item| record::read(Some(item)))
}

fn call(id: Raw<'_>) -> Option<Hash> {
    record::text(id).map(|id: Cow<'_, str>| hash(&["call", &id]))
}

#[derive(Deserialize)]
struct Told<'a> {
    #[serde(borrow, default)]
    input_tokens: Raw<'a>,
    #[serde(borrow, default)]
    output_tokens: Raw<'a>,
    #[serde(borrow, default)]
    cache_read_input_tokens: Raw<'a>,
    #[serde(borrow, default)]
    cache_creation_input_tokens: Raw<'a>,
    #[serde(borrow, default)]
    cache_creation: Raw<'a>,
}

#[derive(Deserialize, Default)]
struct Writes<'a> {
    #[serde(borrow, default)]
    ephemeral_5m_input_tokens: Raw<'a>,
    #[serde(borrow, default)]
    ephemeral_1h_input_tokens: Raw<'a>,
}

fn usage(told: Told<'_>) -> Usage {
    let writes: Writes<'_> = record::read(told.cache_creation).unwrap_or_default();
    let five_minutes = record::count(writes.ephemeral_5m_input_tokens);
    let hour = record::count(writes.ephemeral_1h_input_tokens);
    // Older versions leave the sum at zero and tell the parts alone.
    let sum = match record::count(told.cache_creation_input_tokens) {
        0 => five_minutes.saturating_add(hour),
        sum => sum,
    };
    let hour = hour.min(sum);
    Usage {
        input: record::count(told.input_tokens),
        cache_read: record::count(told.cache_read_input_tokens),
        cache_write_5m: sum - hour,
        cache_write_1h: hour,
        output: record::count(told.output_tokens),
    }
}
