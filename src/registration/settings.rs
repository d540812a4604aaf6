//! Install and uninstall on the text of a settings file: ours one per event, after everyone else's, the rest as it was.
//! Pure text -> text; a file that is not understood is refused, never guessed at.

use super::command::HookCommand;
use super::document::{Container, cut, member, parse};
use super::layout::{Json, Layout, begins_line, indent_at};
use super::splice::{append, is_made_for_one, remove};
use jsonc_parser::ast::{Object, Value};
use jsonc_parser::common::Ranged;

/// Where entries stand in a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Shape {
    /// The key whose object has the events; `None` when that is the whole file.
    pub key: Option<&'static str>,
    /// Whether an event lists groups `{matcher, hooks: […]}` or the handlers themselves.
    pub grouped: bool,
    /// What else a new file must have.
    pub besides: Vec<(&'static str, Json)>,
}

/// One entry to be there: an element of its event's list.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Entry {
    /// The event in the harness's words; at most one entry per event.
    pub event: String,
    /// The element.
    pub value: Json,
}

/// The text with exactly these entries of ours. `None` stands for no file.
///
/// # Errors
/// Why the file is not touched.
pub fn install(text: Option<&str>, shape: &Shape, entries: &[Entry]) -> Result<Option<String>, String> {
    let created = |entries: &[Entry]| (!entries.is_empty()).then(|| created(shape, entries));
    let Some(whole) = text else { return Ok(created(entries)) };
    let (mark, text) = without_mark(whole);
    let wanted = |event: &str| entries.iter().any(|entry| entry.event == event);
    let Some(mut text) = removed(text, shape, |event| !wanted(event))? else { return Ok(created(entries)) };
    for entry in entries {
        text = match placed(&text, shape, entry)? {
            Placed::Kept => text,
            Placed::Replaced(text) => text,
            Placed::Missing => match removed(&text, shape, |event| event == entry.event)? {
                Some(text) => appended(&text, shape, entry)?,
                None => created(std::slice::from_ref(entry)).unwrap_or_default(),
            },
        };
    }
    Ok(Some(format!("{mark}{text}")))
}

/// The text without any entry of ours; `None` when nothing is left of a file that we made.
///
/// # Errors
/// Why the file is not touched.
pub fn uninstall(text: &str, shape: &Shape) -> Result<Option<String>, String> {
    let (mark, text) = without_mark(text);
    Ok(removed(text, shape, |_| true)?.map(|text| format!("{mark}{text}")))
}

/// A command some entry of the file runs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Registered {
    /// The event in the harness's words.
    pub event: String,
    /// The group's matcher.
    pub matcher: Option<String>,
    /// The command, where it is one.
    pub command: Option<HookCommand>,
    /// The command line as it stands there.
    pub line: String,
    /// Whether it is started directly, with `command`; otherwise a shell runs the line.
    pub is_exec: bool,
    /// Whether it is an entry of ours.
    pub is_ours: bool,
}

/// All commands the file registers, ours and others', in its order.
///
/// # Errors
/// Why the file cannot be understood.
pub fn registered(text: &str, shape: &Shape) -> Result<Vec<Registered>, String> {
    let (_, text) = without_mark(text);
    let root = parse(text)?;
    let mut all = Vec::new();
    let Some(hooks) = hooks(&root, shape)? else { return Ok(all) };
    for event in &hooks.properties {
        let Value::Array(list) = &event.value else { continue };
        for element in list.elements.iter().filter_map(Value::as_object) {
            let matcher = element.get_string("matcher").map(|matcher| matcher.value.to_string());
            let handlers = match element.get_array("hooks").filter(|_| shape.grouped) {
                Some(handlers) => handlers.elements.iter().filter_map(Value::as_object).collect(),
                None => vec![element],
            };
            for handler in handlers {
                let command = commands(handler).into_iter().next();
                let line = text_of(handler, "command").or_else(|| text_of(handler, "bash")).unwrap_or_default();
                let (matcher, is_ours) = (matcher.clone(), is_ours(handler));
                let (event, is_exec) = (event.name.as_str().to_owned(), handler.get_array("args").is_some());
                all.push(Registered { event, matcher, command, line, is_exec, is_ours });
            }
        }
    }
    Ok(all)
}

fn without_mark(text: &str) -> (&str, &str) {
    text.strip_prefix('\u{feff}').map_or(("", text), |rest| ("\u{feff}", rest))
}

fn created(shape: &Shape, entries: &[Entry]) -> String {
    let layout = Layout::of("");
    let events = entries.iter().map(|entry| (entry.event.clone(), Json::List(vec![entry.value.clone()]))).collect();
    // Ours first and the rest after it: in a file that was there ours always comes last, so uninstall can tell.
    let root = match shape.key {
        Some(key) => std::iter::once((key.to_owned(), Json::Map(events)))
            .chain(shape.besides.iter().map(|(name, value)| ((*name).to_owned(), value.clone())))
            .collect(),
        None => events,
    };
    format!("{}\n", layout.value(&Json::Map(root), Some("")))
}

/// Whether a switch of the file's top level is on; `None` when it is not there.
///
/// # Errors
/// Why the file cannot be understood.
pub fn switch(text: &str, name: &str) -> Result<Option<bool>, String> {
    let (_, text) = without_mark(text);
    Ok(member(&parse(text)?, name)?.and_then(|member| member.value.as_boolean_lit()).map(|switch| switch.value))
}

/// The object with the events, when there is one.
fn hooks<'o, 'a>(root: &'o Object<'a>, shape: &Shape) -> Result<Option<&'o Object<'a>>, String> {
    let Some(key) = shape.key else { return Ok(Some(root)) };
    match member(root, key)?.map(|member| &member.value) {
        None => Ok(None),
        Some(Value::Object(hooks)) => Ok(Some(hooks)),
        Some(_) => Err(format!("`{key}` is not an object; make it one or remove it")),
    }
}

enum Placed {
    Kept,
    Replaced(String),
    Missing,
}

/// Puts an entry where the same event's entry of ours already stands alone and last.
fn placed(text: &str, shape: &Shape, entry: &Entry) -> Result<Placed, String> {
    let root = parse(text)?;
    let Some(event) = hooks(&root, shape)?.map(|hooks| member(hooks, &entry.event)).transpose()?.flatten() else {
        return Ok(Placed::Missing);
    };
    let Value::Array(list) = &event.value else {
        return Err(format!("`{}` is not a list; make it one or remove it", entry.event));
    };
    let ours = list.elements.iter().filter(|element| ours_in(element, shape) != Ours::Nothing).count();
    match list.elements.last() {
        Some(last) if ours == 1 && ours_in(last, shape) == Ours::Whole => {
            if entry.value.is(last) {
                return Ok(Placed::Kept);
            }
            let span = last.range().start..last.range().end;
            let on_lines = begins_line(text, span.start) || cut(text, span.clone()).contains('\n');
            let value = Layout::of(text).value(&entry.value, on_lines.then(|| indent_at(text, span.end)));
            Ok(Placed::Replaced(format!("{}{value}{}", cut(text, 0..span.start), cut(text, span.end..text.len()))))
        }
        Some(_) | None => Ok(Placed::Missing),
    }
}

/// Appends an entry, and whatever must be there to hold it.
fn appended(text: &str, shape: &Shape, entry: &Entry) -> Result<String, String> {
    let root = parse(text)?;
    let layout = Layout::of(text);
    let list = || Json::List(vec![entry.value.clone()]);
    let Some(hooks) = hooks(&root, shape)? else {
        let hooks = Json::Map(vec![(entry.event.clone(), list())]);
        let key = shape.key.unwrap_or_default();
        let root = Container::of_object(&root);
        return Ok(append(text, &root, layout, |indent| layout.member(key, &hooks, indent)));
    };
    match member(hooks, &entry.event)?.map(|event| &event.value) {
        Some(Value::Array(event)) => {
            let event = Container::of_array(event);
            Ok(append(text, &event, layout, |indent| layout.value(&entry.value, indent)))
        }
        Some(_) => Err(format!("`{}` is not a list; make it one or remove it", entry.event)),
        None => {
            let hooks = Container::of_object(hooks);
            Ok(append(text, &hooks, layout, |indent| layout.member(&entry.event, &list(), indent)))
        }
    }
}

/// Removes our entries of some events, the last first, with the containers that were made for them.
fn removed(text: &str, shape: &Shape, which: impl Fn(&str) -> bool) -> Result<Option<String>, String> {
    let mut text = text.to_owned();
    loop {
        let root = parse(&text)?;
        let Some(mut way) = way_to_last(&root, shape, &which)? else { return Ok(Some(text)) };
        if is_whole_file(&text, &root, shape, &way) {
            return Ok(None);
        }
        while way.len() > 1 && way.last().is_some_and(|(container, _)| is_made_for_one(&text, container)) {
            way.pop();
        }
        let Some((container, index)) = way.pop() else { return Ok(Some(text)) };
        text = remove(&text, &container, index);
    }
}

/// The containers, outermost first, that lead to our last entry, each with the number of the child on the way.
type Way = Vec<(Container, usize)>;

fn way_to_last(root: &Object<'_>, shape: &Shape, which: impl Fn(&str) -> bool) -> Result<Option<Way>, String> {
    let Some(hooks) = hooks(root, shape)? else { return Ok(None) };
    let mut way = Vec::new();
    if let Some(at) = root.properties.iter().position(|member| Some(member.name.as_str()) == shape.key) {
        way.push((Container::of_object(root), at));
    }
    for (event_at, event) in hooks.properties.iter().enumerate().rev().filter(|(_, event)| which(event.name.as_str())) {
        let Value::Array(list) = &event.value else { continue };
        for (element_at, element) in list.elements.iter().enumerate().rev() {
            let ours = ours_in(element, shape);
            if ours == Ours::Nothing {
                continue;
            }
            way.push((Container::of_object(hooks), event_at));
            way.push((Container::of_array(list), element_at));
            if let (Ours::Handler(at), Some(handlers)) = (ours, handlers(element)) {
                way.push((Container::of_array(handlers), at));
            }
            return Ok(Some(way));
        }
    }
    Ok(None)
}

/// Whether a way leads through the whole file, which therefore is one that [`created`] made.
fn is_whole_file(text: &str, root: &Object<'_>, shape: &Shape, way: &Way) -> bool {
    let [(outer, 0), inner @ ..] = way.as_slice() else { return false };
    let besides = root.properties.iter().skip(1);
    let is_ours = shape.key.is_some()
        && inner.iter().all(|(container, _)| is_made_for_one(text, container))
        && root.properties.len() == shape.besides.len().saturating_add(1)
        && besides.zip(&shape.besides).all(|(is, (name, value))| is.name.as_str() == *name && value.is(&is.value));
    let mut from = outer.open;
    let mut gaps = Vec::new();
    for child in &outer.children {
        gaps.push(from..child.start);
        from = child.end;
    }
    let outside = [0..outer.open.saturating_sub(1), outer.close.saturating_add(1)..text.len()];
    gaps.extend(std::iter::once(from..outer.close).chain(outside));
    let is_bare = gaps.into_iter().all(|gap| cut(text, gap).trim().trim_start_matches(',').trim().is_empty());
    let begins_spaced = outer.children.first().is_some_and(|first| first.start > outer.open);
    is_ours && is_bare && begins_spaced
}

/// How much of an element is ours.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Ours {
    Nothing,
    /// All of it.
    Whole,
    /// A handler in someone's group: the number of the last one.
    Handler(usize),
}

fn handlers<'o, 'a>(element: &'o Value<'a>) -> Option<&'o jsonc_parser::ast::Array<'a>> {
    element.as_object().and_then(|group| group.get_array("hooks"))
}

fn ours_in(element: &Value<'_>, shape: &Shape) -> Ours {
    if !shape.grouped {
        return if element.as_object().is_some_and(is_ours) { Ours::Whole } else { Ours::Nothing };
    }
    let Some(handlers) = handlers(element) else { return Ours::Nothing };
    let is_ours = |handler: &Value<'_>| handler.as_object().is_some_and(is_ours);
    match handlers.elements.iter().rposition(is_ours) {
        None => Ours::Nothing,
        Some(_) if handlers.elements.iter().all(is_ours) => Ours::Whole,
        Some(last) => Ours::Handler(last),
    }
}

fn is_ours(handler: &Object<'_>) -> bool {
    commands(handler).iter().any(HookCommand::is_ours)
}

fn text_of(handler: &Object<'_>, name: &str) -> Option<String> {
    handler.get_string(name).map(|text| text.value.to_string())
}

/// What a handler runs: the exec form, or a line per shell.
fn commands(handler: &Object<'_>) -> Vec<HookCommand> {
    if let (Some(program), Some(arguments)) = (text_of(handler, "command"), handler.get_array("args")) {
        let arguments = arguments.elements.iter().filter_map(Value::as_string_lit);
        return vec![HookCommand { program, arguments: arguments.map(|text| text.value.to_string()).collect() }];
    }
    let lines = ["command", "bash", "powershell", "commandWindows", "command_windows"];
    lines.iter().filter_map(|name| HookCommand::parse(&text_of(handler, name)?)).collect()
}
