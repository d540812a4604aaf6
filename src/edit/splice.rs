//! Where in the text an edit goes, and how it is laid out there: as its neighbours are. Makes no promise that the result
//! is right; `edited` finds out.

use super::expected::is_nothing;
use super::spelling::{New, spelled};
use super::{Edit, Refused};
use crate::model::Place;
use crate::yaml::{Document, Entry, Kind, Node, Step, Style};
use std::ops::Range;

/// The text with the edit in it.
pub(super) fn splice(text: &str, document: &Document, edit: &Edit<'_>) -> Result<String, Refused> {
    let path = edit.path();
    let node = document.at(path).ok_or_else(|| missing(document, path))?;
    let (range, piece) = match (edit, &node.kind) {
        (Edit::Set { word, .. }, Kind::Scalar { style, .. }) => match style {
            Style::Plain if is_nothing(&node.kind) => (after_colon(text, document, path)?, format!(" {word}")),
            Style::Plain | Style::Single | Style::Double => (range(node.place), word.clone()),
            Style::Literal | Style::Folded => return Err(Refused::unsafe_edit(node.place)),
        },
        (Edit::Add { after, key, value, .. }, Kind::Mapping(entries)) => {
            let neighbour = entries.iter().find(|entry| entry.key == *after).or(entries.last());
            add(text, node, neighbour, (key, value))
        }
        (Edit::Append { item, .. }, Kind::Sequence(nodes)) => append(text, node, nodes, item)?,
        (Edit::Append { item, .. }, Kind::Scalar { .. }) if is_nothing(&node.kind) => {
            let colon = after_colon(text, document, path)?;
            let line = format!("{}{}  ", line_break(text, colon.end), indent(text, key_start(document, path)));
            (empty(line_end(text, colon.end)), format!("{line}{}", item.as_item(&line)))
        }
        (Edit::Remove { index, .. }, Kind::Sequence(nodes)) => (remove(text, node, nodes, *index)?, String::new()),
        (
            Edit::Set { .. } | Edit::Add { .. } | Edit::Append { .. } | Edit::Remove { .. },
            Kind::Scalar { .. } | Kind::Sequence(_) | Kind::Mapping(_),
        ) => return Err(Refused::new("another kind of value stands here; compile to see what is wrong", node.place)),
    };
    match (text.get(..range.start), text.get(range.end..)) {
        (Some(before), Some(after)) => Ok(format!("{before}{piece}{after}")),
        _ => Err(Refused::unsafe_edit(node.place)),
    }
}

/// A new key after its neighbour.
fn add(text: &str, mapping: &Node, neighbour: Option<&Entry>, (key, value): (&str, &New)) -> (Range<usize>, String) {
    let Some(neighbour) = neighbour else {
        return (empty(mapping.place.start as usize + 1), format!("{}: {}", spelled(key), value.in_flow()));
    };
    let quote = match text.as_bytes().get(neighbour.key_place.start as usize) {
        Some(b'"') => "\"",
        Some(b'\'') => "'",
        _ => "",
    };
    // Quoted as its neighbour is, unless it needs quotes of its own.
    let key = Some(spelled(key)).filter(|spelled| spelled != key).unwrap_or_else(|| format!("{quote}{key}{quote}"));
    let end = neighbour.value.place.end.max(neighbour.key_place.end) as usize;
    if is_flow(text, mapping) {
        // Right behind the neighbour, before a comma or a comment that follows it.
        let gap = text.get(neighbour.key_place.end as usize..neighbour.value.place.start as usize);
        let is_tight = !quote.is_empty() && gap == Some(":");
        let colon = if is_tight { ":" } else { ": " };
        let comma = if is_tight { "," } else { ", " };
        return (empty(end), format!("{comma}{key}{colon}{}", value.in_flow()));
    }
    let line = format!("{}{}", line_break(text, end), indent(text, neighbour.key_place.start as usize));
    (empty(line_end(text, end)), format!("{line}{}", value.as_entry(&key, &line)))
}

/// A new entry after the last one.
fn append(text: &str, list: &Node, nodes: &[Node], item: &New) -> Result<(Range<usize>, String), Refused> {
    let Some(last) = nodes.last() else { return Ok((empty(list.place.start as usize + 1), item.in_flow())) };
    let end = last.place.end as usize;
    if is_flow(text, list) {
        // A list with an entry a line goes on with an entry a line.
        let start = last.place.start as usize;
        let begins_line = text.get(line_start(text, start)..start).is_some_and(|before| before.trim().is_empty());
        let gap =
            if begins_line { format!("{}{}", line_break(text, end), indent(text, start)) } else { " ".to_owned() };
        return Ok((empty(end), format!(",{gap}{}", item.in_flow())));
    }
    let dash = dash(text, last)?;
    let line = format!("{}{}", line_break(text, end), indent(text, dash));
    let piece = if is_flow(text, last) { format!("- {}", item.in_flow()) } else { item.as_item(&line) };
    Ok((empty(line_end(text, end)), format!("{line}{piece}")))
}

/// The stretch to take away with an entry.
fn remove(text: &str, list: &Node, nodes: &[Node], index: usize) -> Result<Range<usize>, Refused> {
    let at = |index: usize| nodes.get(index).map(|node| range(node.place));
    let Some(entry) = at(index) else { return Err(Refused::new("there is no such entry", list.place)) };
    if is_flow(text, list) {
        return Ok(match (at(index + 1), index.checked_sub(1).and_then(at)) {
            (Some(next), _) => entry.start..next.start,
            (None, Some(before)) => before.end..entry.end,
            (None, None) => entry,
        });
    }
    let node = nodes.get(index).ok_or_else(|| Refused::unsafe_edit(list.place))?;
    let dash = dash(text, node)?;
    let start = line_start(text, dash);
    if !text.get(start..dash).is_some_and(|before| before.trim().is_empty()) {
        return Err(Refused::unsafe_edit(node.place));
    }
    let end = line_end(text, entry.end);
    let line_break = text.get(end..).map_or(0, |rest| rest.len() - rest.trim_start_matches('\r').len());
    let has_newline = text.get(end + line_break..).is_some_and(|rest| rest.starts_with('\n'));
    Ok(start..end + line_break + usize::from(has_newline))
}

/// The dash of a list's entry.
fn dash(text: &str, entry: &Node) -> Result<usize, Refused> {
    let before = text.get(..entry.place.start as usize).unwrap_or_default().trim_end();
    before.strip_suffix('-').map(str::len).ok_or_else(|| Refused::unsafe_edit(entry.place))
}

/// The empty stretch after the colon of a key without a value.
fn after_colon(text: &str, document: &Document, path: &[Step<'_>]) -> Result<Range<usize>, Refused> {
    let entry = entry(document, path).ok_or_else(|| Refused::unsafe_edit(document.root.place))?;
    let end = entry.key_place.end as usize;
    let rest = text.get(end..).unwrap_or_default();
    let spaces = rest.len() - rest.trim_start_matches(' ').len();
    if rest.trim_start_matches(' ').starts_with(':') {
        Ok(empty(end + spaces + 1))
    } else {
        Err(Refused::unsafe_edit(entry.key_place))
    }
}

fn key_start(document: &Document, path: &[Step<'_>]) -> usize {
    entry(document, path).map_or(0, |entry| entry.key_place.start as usize)
}

/// The key that a path ends with.
fn entry<'d>(document: &'d Document, path: &[Step<'_>]) -> Option<&'d Entry> {
    let (Step::Key(key), parents) = path.split_last()? else { return None };
    match &document.at(parents)?.kind {
        Kind::Mapping(entries) => entries.iter().find(|entry| entry.key == *key),
        Kind::Scalar { .. } | Kind::Sequence(_) => None,
    }
}

/// Points at the last part of the path that is there.
fn missing(document: &Document, path: &[Step<'_>]) -> Refused {
    let there = (0..path.len()).rev().find_map(|length| Some((length, document.at(path.get(..length)?)?)));
    let (length, node) = there.unwrap_or((0, &document.root));
    let what = match path.get(length) {
        Some(Step::Key(key)) => format!("the key `{key}` is missing here"),
        Some(Step::Index(index)) => format!("the list has no entry {}", index + 1),
        None => String::from("nothing stands here"),
    };
    Refused::new(format!("{what}; add it by hand"), node.head())
}

/// Whether a collection is written in brackets: it begins with one that is its own, not its first entry's. A list in
/// lines at the indentation of its key begins where its first entry does.
fn is_flow(text: &str, node: &Node) -> bool {
    let first = match &node.kind {
        Kind::Scalar { .. } => return false,
        Kind::Sequence(nodes) => nodes.first().map(|node| node.place.start),
        Kind::Mapping(entries) => entries.first().map(|entry| entry.key_place.start),
    };
    first != Some(node.place.start) && matches!(text.as_bytes().get(node.place.start as usize), Some(b'{' | b'['))
}

fn range(place: Place) -> Range<usize> {
    place.start as usize..place.end as usize
}

fn empty(at: usize) -> Range<usize> {
    at..at
}

fn line_start(text: &str, at: usize) -> usize {
    text.get(..at).and_then(|before| before.rfind('\n')).map_or(0, |newline| newline + 1)
}

/// The end of a line, before its line break.
fn line_end(text: &str, at: usize) -> usize {
    let rest = text.get(at..).unwrap_or_default();
    let line = rest.split('\n').next().unwrap_or_default();
    at + line.trim_end_matches('\r').len()
}

/// The line break used at a place: the one after it, or else the one before.
fn line_break(text: &str, at: usize) -> &'static str {
    let end = line_end(text, at);
    let rest = text.get(end..).unwrap_or_default();
    let is_windows = if rest.contains('\n') { rest.starts_with("\r\n") } else { text.contains("\r\n") };
    if is_windows { "\r\n" } else { "\n" }
}

/// Spaces up to the column of a place.
fn indent(text: &str, at: usize) -> String {
    let before = text.get(line_start(text, at)..at).unwrap_or_default();
    " ".repeat(before.chars().filter(|c| *c != '\u{feff}').count())
}
