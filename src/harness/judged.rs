//! From a payload about something behaviors judge to its call, and to one call per file where a tool touches several.

use super::Judged;
use super::dialect::Dialect;
use super::input::{self, ToolUse};
use super::json::Object;
use super::patch::File;
use crate::model::{Call, Event, Field, Fields, InputHash};
use std::borrow::Cow;

/// Most calls made of one. From there on the files share the last one.
const MOST_FILES: usize = 1_000;
/// Most bytes copied into those calls, so that a long input with many files cannot take the memory of the machine.
const MOST_BYTES: usize = 64 << 20;

/// The payload at hand.
pub(super) struct About<'e, 'a> {
    /// The event in the harness's words.
    pub(super) native: &'e str,
    /// The id of the tool call.
    pub(super) id: Option<Cow<'a, str>>,
    /// The payload.
    pub(super) envelope: &'e Object<'a>,
}

/// The call of an event that behaviors judge.
pub(super) fn judged<'a>(
    dialect: &dyn Dialect,
    about: &About<'_, 'a>,
    event: Event,
    hasher: fn(&str) -> InputHash,
) -> Judged<'a> {
    let envelope = about.envelope;
    let mut told = match event {
        Event::PreToolUse | Event::PostToolUse => dialect.tool_use(about.native, envelope),
        Event::UserPromptSubmit => input::prompt(dialect.prompt(envelope)),
        Event::Stop => input::nothing(),
    };
    let agent = envelope.text(dialect.keys().agent).unwrap_or(Cow::Borrowed(Call::MAIN_AGENT));
    let continuing = event == Event::Stop && dialect.is_continuing(envelope);
    let call = |tool: Cow<'a, str>, raw: Cow<'a, str>, fields: Fields<'a>| {
        let mut call = Call::new(event, tool, raw, hasher);
        call.agent = agent.clone();
        call.tool_use_id = about.id.clone();
        call.continuing = continuing;
        call.fields = fields;
        call
    };
    let files = one_by_one(&mut told).into_iter().map(|file| {
        let tool = if file.is_new { Cow::Borrowed("Write") } else { told.tool.clone() };
        let mut fields = told.fields.clone();
        fields.set(Field::FilePath, file.path);
        if let Some(added) = file.added {
            fields.set(Field::Content, added);
        }
        call(tool, told.raw.clone(), fields)
    });
    let files = files.collect();
    Judged { call: call(told.tool, told.raw, told.fields), files }
}

/// The files to look at one by one: none when the whole says as much, the last ones together when there are too many.
fn one_by_one(told: &mut ToolUse<'_>) -> Vec<File> {
    let mut files = std::mem::take(&mut told.files);
    if files.len() < 2 && !files.iter().any(|file| file.is_new) {
        return Vec::new();
    }
    let texts: usize = Field::ALL.iter().map(|&field| told.fields.get(field).len()).sum();
    let most = (MOST_BYTES / (texts + told.raw.len() + 1)).clamp(1, MOST_FILES);
    if files.len() > most {
        let rest = files.split_off(most - 1);
        files.extend(together(rest));
    }
    files
}

/// Many files as one: every path and every added text on its own line.
fn together(files: Vec<File>) -> Option<File> {
    let is_new = files.iter().all(|file| file.is_new);
    let paths: Vec<&str> = files.iter().map(|file| file.path.as_str()).collect();
    let added: Vec<&str> = files.iter().filter_map(|file| file.added.as_deref()).collect();
    let added = (!added.is_empty()).then(|| added.join("\n"));
    (!files.is_empty()).then(|| File { path: paths.join("\n"), is_new, added })
}
