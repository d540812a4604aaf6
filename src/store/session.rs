//! One session between its text in `state.json` and the engine's plain value. Keys of other tools are kept at every
//! depth. Pure: text in, text out, time as an argument.

use super::json::{Cursor, Malformed, decode, quote};
use super::object::Object;
use super::time;
use crate::model::{BehaviorState, InputHash, Level, PendingBlock, Session, Timestamp, Violation};
use std::collections::BTreeSet;

/// What this event adds to the session's text beside the engine's values.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Additions<'a> {
    /// The tool of the call, kept beside a new pending block for whoever is asked to allow it.
    pub(super) tool: &'a str,
    /// The call's input in short, secrets masked; kept there as well.
    pub(super) summary: &'a str,
    /// Records to append to `overrides[]`, as behavior id and JSON text.
    pub(super) overrides: &'a [(&'a str, String)],
}

/// Reads a session. Missing keys and `null` are their zero value; a moment that cannot be read counts as `now`, except
/// that a grant without a readable moment is no grant; a counter below zero is 0, one too large is the largest.
///
/// # Errors
/// When a value is of another kind than ours.
pub(super) fn read(text: Option<&str>, now: Timestamp) -> Result<Session, Malformed> {
    let mut session = Session::default();
    let object = Object::read(text)?;
    for (name, flag) in Object::read(object.get("flags"))?.members().filter(|(_, flag)| *flag != "null") {
        let set_at = Object::read(Some(flag))?.get("set_at").map(|text| moment(text, now));
        session.flags.insert(name.to_owned(), set_at.transpose()?.unwrap_or(now));
    }
    for (id, choice) in Object::read(object.get("behavior_overrides"))?.members() {
        let is_off = match Object::read(Some(choice))?.get("enabled") {
            Some("false") => true,
            Some("true") | None => false,
            Some(_) => return Err(Malformed),
        };
        // The last of two members counts.
        if is_off {
            session.disabled.insert(id.to_owned())
        } else {
            session.disabled.remove(id)
        };
    }
    for (id, state) in Object::read(object.get("behaviors"))?.members().filter(|(_, state)| *state != "null") {
        session.behaviors.insert(id.to_owned(), behavior(&Object::read(Some(state))?, now)?);
    }
    Ok(session)
}

fn behavior(object: &Object<'_>, now: Timestamp) -> Result<BehaviorState, Malformed> {
    let level = object.get("effective_level").map(text).transpose()?;
    let at = object.get("last_violation_at").map(|text| moment(text, now)).transpose()?;
    let tool = object.get("last_violation_tool").map(text).transpose()?;
    if Cursor::new(object.get("overrides").unwrap_or("[")).eat(b'[') {
        Ok(BehaviorState {
            counter: object.get("counter").map_or(Ok(0), number)?,
            level: level.map_or(Some(Level::Silent), |level| Level::from_name(&level)).ok_or(Malformed)?,
            last_violation: at.map(|at| Violation { at, tool: tool.unwrap_or_default() }),
            told_for: object.get("told_for").map(text).transpose()?,
            pending: object.get("pending_block").map(|text| pending(text, now)).transpose()?,
        })
    } else {
        Err(Malformed)
    }
}

fn pending(block: &str, now: Timestamp) -> Result<PendingBlock, Malformed> {
    let object = Object::read(Some(block))?;
    let blocked_at = object.get("blocked_at").map(|text| moment(text, now)).transpose()?;
    let granted_at = object.get("granted_at").map(text).transpose()?;
    Ok(PendingBlock {
        input: InputHash(object.get("tool_input_hash").map(text).transpose()?.unwrap_or_default()),
        blocked_at: blocked_at.unwrap_or_default(),
        tool_use_id: object.get("tool_use_id").map(text).transpose()?,
        granted_at: granted_at.and_then(|text| time::read(&text)),
    })
}

/// What was kept of the call that a pending block refused: the tool, and the input in short.
pub(super) fn told(session: &str, behavior: &str) -> Option<(String, String)> {
    let session = Object::read(Some(session)).ok()?;
    let behaviors = Object::read(session.get("behaviors")).ok()?;
    let behavior = Object::read(behaviors.get(behavior)).ok()?;
    let block = Object::read(behavior.get("pending_block")).ok()?;
    let said = |key: &str| block.get(key).and_then(|value| text(value).ok()).unwrap_or_default();
    Some((said("tool_name"), said("tool_input_summary")))
}

/// The session's new text, made from its old one.
///
/// # Errors
/// When the old text is not a session's; it was read before, so it is.
pub(super) fn write(
    old: Option<&str>,
    session: &Session,
    now: Timestamp,
    added: &Additions<'_>,
) -> Result<String, Malformed> {
    let mut object = Object::read(old)?;
    if object.get("created_at").is_none() {
        object.set("created_at", moment_text(now));
    }
    object.set("last_accessed_at", moment_text(now));
    let flags = flags(object.get("flags"), session)?;
    object.set("flags", flags);
    let choices = choices(object.get("behavior_overrides"), session)?;
    object.set("behavior_overrides", choices);
    let behaviors = behaviors(object.get("behaviors"), session, added)?;
    object.set("behaviors", behaviors);
    Ok(object.write())
}

fn flags(old: Option<&str>, session: &Session) -> Result<String, Malformed> {
    let mut flags = Object::read(old)?;
    flags.retain(|name| session.flags.contains_key(name));
    flags.set_each(session.flags.keys(), |name, old| {
        let mut flag = Object::read(old)?;
        flag.set("set_at", moment_text(session.flags.get(name).copied().unwrap_or_default()));
        Ok(flag.write())
    })?;
    Ok(flags.write())
}

fn choices(old: Option<&str>, session: &Session) -> Result<String, Malformed> {
    let mut choices = Object::read(old)?;
    let named: BTreeSet<String> = choices.members().map(|(id, _)| id.to_owned()).collect();
    choices.set_each(named.union(&session.disabled), |id, old| {
        let mut choice = Object::read(old)?;
        choice.set("enabled", if session.disabled.contains(id) { "false" } else { "true" });
        Ok(choice.write())
    })?;
    Ok(choices.write())
}

fn behaviors(old: Option<&str>, session: &Session, added: &Additions<'_>) -> Result<String, Malformed> {
    let mut behaviors = Object::read(old)?;
    behaviors.set_each(session.behaviors.keys(), |id, old| match session.behaviors.get(id) {
        Some(state) => behavior_text(id, old, state, added),
        None => Ok(String::from("null")),
    })?;
    Ok(behaviors.write())
}

fn behavior_text(
    id: &str,
    old: Option<&str>,
    state: &BehaviorState,
    added: &Additions<'_>,
) -> Result<String, Malformed> {
    let mut behavior = Object::read(old)?;
    behavior.set("counter", state.counter.to_string());
    behavior.set("effective_level", quote(state.level.name()));
    let violation = state.last_violation.as_ref();
    behavior.set("last_violation_at", violation.map_or(String::from("null"), |last| moment_text(last.at)));
    let tool = violation.map_or(String::from("null"), |last| quote(&last.tool));
    behavior.set("last_violation_tool", tool);
    match &state.told_for {
        Some(value) => behavior.set("told_for", quote(value)),
        None => behavior.retain(|key| key != "told_for"),
    }
    let pending = pending_text(behavior.get("pending_block"), state.pending.as_ref(), added)?;
    behavior.set("pending_block", pending);
    let records = added.overrides.iter().filter(|(behavior, _)| *behavior == id).map(|(_, record)| record);
    let overrides = records.fold(behavior.get("overrides").unwrap_or("[]").to_owned(), append);
    behavior.set("overrides", overrides);
    Ok(behavior.write())
}

fn pending_text(old: Option<&str>, pending: Option<&PendingBlock>, added: &Additions<'_>) -> Result<String, Malformed> {
    let Some(block) = pending else { return Ok(String::from("null")) };
    // Another moment, input or call is another block: nothing that was said of the old one holds for it.
    let before = old.map(|old| self::pending(old, block.blocked_at)).transpose()?;
    let is_same = before.is_some_and(|before| PendingBlock { granted_at: block.granted_at, ..before } == *block);
    let mut object = Object::read(if is_same { old } else { None })?;
    object.set("tool_input_hash", quote(&block.input.0));
    object.set("blocked_at", moment_text(block.blocked_at));
    if let Some(id) = &block.tool_use_id {
        object.set("tool_use_id", quote(id));
    }
    match block.granted_at {
        Some(granted_at) => object.set("granted_at", moment_text(granted_at)),
        None => object.retain(|key| key != "granted_at"),
    }
    if !is_same {
        object.set("tool_name", quote(added.tool));
        object.set("tool_input_summary", quote(added.summary));
    }
    Ok(object.write())
}

/// An array's text with one more element.
fn append(array: String, element: &String) -> String {
    let open = array.trim_end().strip_suffix(']').unwrap_or("[").trim_end();
    let comma = if open.ends_with('[') { "" } else { "," };
    format!("{open}{comma}{element}]")
}

fn moment_text(moment: Timestamp) -> String {
    quote(&time::write(moment))
}

fn moment(value: &str, now: Timestamp) -> Result<Timestamp, Malformed> {
    // A moment in a form we cannot read, of whatever kind, counts as now.
    Ok(text(value).ok().and_then(|text| time::read(&text)).unwrap_or(now))
}

fn text(value: &str) -> Result<String, Malformed> {
    if value.starts_with('"') { Ok(decode(value).into_owned()) } else { Err(Malformed) }
}

fn number(value: &str) -> Result<u64, Malformed> {
    if let Ok(whole) = value.parse() {
        return Ok(whole);
    }
    // Written by a tool that has only floating-point numbers, or out of range: `as` cuts at both ends.
    #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "cutting is what is meant")]
    value.parse::<f64>().map(|number| number as u64).map_err(|_| Malformed)
}
