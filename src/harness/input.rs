//! From a tool and its input, as a harness names them, to the tool and the texts that conditions see.
//! One table of field names for all harnesses; where an input has several of them, none hides another.

use super::json::{self, Object, Raw};
use super::patch::{self, File};
use crate::model::{Field, Fields, our_tool_name};
use std::borrow::Cow;

/// One use of a tool, read.
pub(super) struct ToolUse<'a> {
    /// Our name for the tool.
    pub(super) tool: Cow<'a, str>,
    /// The texts.
    pub(super) fields: Fields<'a>,
    /// The input as JSON text.
    pub(super) raw: Cow<'a, str>,
    /// For a tool that touches several files at once: the path and added text of each.
    pub(super) files: Vec<File>,
}

/// What the harnesses call each field, ours first.
const NAMES: &[(Field, &[&str])] = &[
    (Field::Command, &["command", "cmd", "CommandLine", "command_line"]),
    (Field::FilePath, &["file_path", "notebook_path", "filePath", "absolute_path", "TargetFile", "AbsolutePath"]),
    (
        Field::Content,
        &[
            "content",
            "new_string",
            "new_source",
            "newString",
            "new_str",
            "file_text",
            "contents",
            "CodeContent",
            "ReplacementContent",
        ],
    ),
    (Field::OldString, &["old_string", "oldString", "old_str", "TargetContent"]),
    (Field::Pattern, &["pattern", "regex"]),
    (Field::Query, &["query"]),
    (Field::Url, &["url"]),
    (Field::Prompt, &["prompt"]),
];

/// Where an input keeps a list of edits, and what the entries call their texts.
const EDITS: &[&str] = &["edits", "ReplacementChunks", "replacements"];
const NEW_TEXT: &[&str] = &["new_string", "newString", "new_str", "ReplacementContent"];
const OLD_TEXT: &[&str] = &["old_string", "oldString", "old_str", "TargetContent"];

/// Where an input keeps a list of files, and where a patch.
const PATHS: &[&str] = &["path", "file_path", "filePath"];
const LISTS: &[&str] = &["files", "paths", "operations"];
const PATCHES: &[&str] = &["command", "patch", "patchText", "input"];

/// Tools whose `path` is the file they work on (elsewhere it is a folder to search) and whose `command`, if they have
/// one, is no shell command but a verb or a patch.
const FILE_TOOLS: &[&str] = &["Write", "Edit", "MultiEdit", "NotebookEdit", "Read"];

/// Reads one use of a tool. An input of any type is tolerated; a string that holds an object counts as that object.
pub(super) fn tool_use<'a>(name: Cow<'a, str>, input: Option<Raw<'a>>) -> ToolUse<'a> {
    let Some(input) = input else { return from_object(name, &Object::default(), Cow::Borrowed("{}")) };
    if let Some(object) = Object::inside(input) {
        return from_object(name, &object, Cow::Borrowed(input.get()));
    }
    match json::text(input) {
        Cow::Borrowed(text) => match Object::parse(text) {
            Ok(object) => from_object(name, &object, Cow::Borrowed(text)),
            Err(_) => from_text(name, Cow::Borrowed(text), input),
        },
        Cow::Owned(text) => match Object::parse(&text) {
            Ok(object) => owned(from_object(Cow::Owned(name.into_owned()), &object, Cow::Borrowed(&text))),
            Err(_) => from_text(name, Cow::Owned(text), input),
        },
    }
}

/// A tool whose input is an object, as it is nearly always.
pub(super) fn from_object<'a>(name: Cow<'a, str>, input: &Object<'a>, raw: Cow<'a, str>) -> ToolUse<'a> {
    let tool = our_tool(name, input);
    let on_file = FILE_TOOLS.contains(&&*tool);
    let mut fields = Fields::default();
    for &(field, names) in NAMES {
        let texts = names.iter().filter_map(|name| input.get(name)).map(json::text);
        match field {
            Field::Command if on_file => {}
            // What a file holds is no new text.
            Field::Content if tool == "Read" => {}
            Field::Content => fields.set(field, joined(texts.chain(edits(input, NEW_TEXT)))),
            Field::OldString => fields.set(field, joined(texts.chain(edits(input, OLD_TEXT)))),
            Field::FilePath if on_file => fields.set(field, joined(texts.chain(input.get("path").map(json::text)))),
            Field::FilePath | Field::Command | Field::Pattern | Field::Query | Field::Url | Field::Prompt => {
                fields.set(field, joined(texts))
            }
        }
    }
    let files = if on_file { files(input) } else { Vec::new() };
    with_files(ToolUse { tool, fields, raw, files })
}

/// A tool whose input is no object: its text is what the tool is chiefly about.
fn from_text<'a>(name: Cow<'a, str>, text: Cow<'a, str>, input: Raw<'a>) -> ToolUse<'a> {
    let tool = our_tool(name, &Object::default());
    let mut fields = Fields::default();
    let mut files = Vec::new();
    if FILE_TOOLS.contains(&&*tool) {
        files = patch::files(&text);
        if files.is_empty() {
            fields.set(Field::Content, text);
        }
    } else {
        fields.set(Field::Command, text);
    }
    with_files(ToolUse { tool, fields, raw: Cow::Borrowed(input.get()), files })
}

/// Our name for a tool. Some tools have verbs, and one runs a command only when it is given one.
fn our_tool<'a>(name: Cow<'a, str>, input: &Object<'a>) -> Cow<'a, str> {
    let named = match &*name {
        "Monitor" if input.has("command") => Some("Bash"),
        other => our_tool_name(other),
    };
    let verb = input.get("command").map(json::text);
    match (named, verb.as_deref()) {
        (Some("Write" | "Edit"), Some("create")) => Cow::Borrowed("Write"),
        (Some("Write" | "Edit"), Some("str_replace" | "insert" | "append")) => Cow::Borrowed("Edit"),
        (Some("Write" | "Edit"), Some("view")) => Cow::Borrowed("Read"),
        (Some(ours), _) => Cow::Borrowed(ours),
        (None, _) => match name.strip_prefix('@').and_then(|rest| rest.split_once('/')) {
            Some((server, tool)) => Cow::Owned(format!("mcp__{server}__{tool}")),
            None => name,
        },
    }
}

/// The texts that are not empty, one per line.
fn joined<'a>(texts: impl Iterator<Item = Cow<'a, str>>) -> Cow<'a, str> {
    let mut texts: Vec<Cow<'a, str>> = texts.filter(|text| !text.is_empty()).collect();
    if texts.len() > 1 { Cow::Owned(texts.join("\n")) } else { texts.pop().unwrap_or_default() }
}

/// One text of each entry of the input's edits.
fn edits<'a>(input: &Object<'a>, names: &'static [&'static str]) -> impl Iterator<Item = Cow<'a, str>> {
    let entries = input.first(EDITS).and_then(json::items).unwrap_or_default();
    entries.into_iter().filter_map(Object::inside).filter_map(move |edit| edit.text(names))
}

/// The files an input names in a list, in its edits or in a patch.
fn files(input: &Object<'_>) -> Vec<File> {
    let patched = PATCHES.iter().filter_map(|key| input.get(key)).flat_map(|value| patch::files(&json::text(value)));
    let entries =
        |keys: &'static [&str]| keys.iter().filter_map(|key| input.get(key)).filter_map(json::items).flatten();
    let listed = entries(LISTS).filter_map(|item| {
        let path = match Object::inside(item) {
            Some(entry) => entry.text(PATHS)?,
            None => json::text(item),
        };
        Some(File { path: path.into_owned(), is_new: false, added: None })
    });
    let edited = entries(EDITS).filter_map(Object::inside).filter_map(|edit| {
        let added = edit.text(NEW_TEXT).unwrap_or_default().into_owned();
        Some(File { path: edit.text(PATHS)?.into_owned(), is_new: false, added: Some(added) })
    });
    patched.chain(listed).chain(edited).collect()
}

/// Makes every touched file seen in the fields of the whole, and what a patch adds, which stands nowhere else.
fn with_files(mut told: ToolUse<'_>) -> ToolUse<'_> {
    if told.files.is_empty() {
        return told;
    }
    let named = Some(told.fields.get(Field::FilePath));
    let paths = lines(named.into_iter().chain(told.files.iter().map(|file| &*file.path)));
    let added = lines(told.files.iter().filter_map(|file| file.added.as_deref()));
    told.fields.set(Field::FilePath, paths);
    if told.fields.get(Field::Content).is_empty() {
        told.fields.set(Field::Content, added);
    }
    told
}

/// The texts that are not empty, one per line.
fn lines<'t>(texts: impl Iterator<Item = &'t str>) -> String {
    texts.filter(|text| !text.is_empty()).collect::<Vec<_>>().join("\n")
}

/// The same, with nothing borrowed.
fn owned(told: ToolUse<'_>) -> ToolUse<'static> {
    let mut fields = Fields::default();
    for &field in Field::ALL {
        fields.set(field, told.fields.get(field).to_owned());
    }
    ToolUse {
        tool: Cow::Owned(told.tool.into_owned()),
        fields,
        raw: Cow::Owned(told.raw.into_owned()),
        files: told.files,
    }
}

/// The input of an event that has only a prompt.
pub(super) fn prompt(prompt: Option<Raw<'_>>) -> ToolUse<'_> {
    let mut told = nothing();
    if let Some(prompt) = prompt {
        told.fields.set(Field::Prompt, json::text(prompt));
        told.raw = Cow::Owned(format!("{{\"prompt\":{}}}", prompt.get()));
    }
    told
}

/// The input of an event that has none.
pub(super) fn nothing() -> ToolUse<'static> {
    ToolUse { tool: Cow::Borrowed(""), fields: Fields::default(), raw: Cow::Borrowed("{}"), files: Vec::new() }
}
