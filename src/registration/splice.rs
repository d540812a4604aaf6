//! The two edits of a container's text: append a child, remove a child. Each is the exact inverse of the other.
//! Touches the bytes of the child and of the comma and the space that came with it, nothing else.
//!
//! How the inverse is possible without a memory: what we append begins directly after a token or a comment, so all
//! space before it is ours; and a container that was there empty is filled without space after its bracket, while the
//! ones we make have space there.

use super::document::{Container, cut};
use super::layout::{Layout, begins_line, indent_at};

/// Appends a child; `child` writes it for an indentation, or for the same line.
pub(super) fn append(
    text: &str,
    into: &Container,
    layout: Layout<'_>,
    child: impl Fn(Option<&str>) -> String,
) -> String {
    let Some(last) = into.children.last() else {
        let indent = layout.deeper(indent_at(text, into.open));
        return spliced(text, into.open, 0, &child(Some(&indent)));
    };
    let comma = comma_after(text, last.end, into.close);
    let at = after_comments(text, comma.map_or(last.end, |comma| comma.saturating_add(1)), into.close);
    let several_lines = cut(text, last.clone()).contains('\n');
    let ends_line = cut(text, last.end..at).contains("//");
    let indent = if begins_line(text, last.start) {
        Some(indent_at(text, last.start))
    } else {
        (several_lines || ends_line).then(|| indent_at(text, last.end))
    };
    let piece = format!("{}{}", layout.gap(indent), child(indent));
    match comma {
        Some(_) => spliced(text, at, 0, &format!("{piece},")),
        None => spliced(&spliced(text, at, 0, &piece), last.end, 0, ","),
    }
}

/// Removes a child with its comma.
pub(super) fn remove(text: &str, from: &Container, index: usize) -> String {
    let Some(child) = from.children.get(index) else { return text.to_owned() };
    let comma = comma_after(text, child.end, from.close);
    let end = comma.map_or(child.end, |comma| comma.saturating_add(1));
    let before = index.checked_sub(1).and_then(|before| from.children.get(before));
    let Some(before) = before else {
        // The next one moves up, so that the space after the bracket stays what it was.
        let space = cut(text, end..from.close);
        let space = space.len().saturating_sub(space.trim_start().len());
        let next = from.children.get(index.saturating_add(1)).map(|next| next.start);
        let end = if next == Some(end.saturating_add(space)) { end.saturating_add(space) } else { end };
        let start = if next.is_some() { child.start } else { after_comment(text, from, child.start, end) };
        return spliced(text, start, end.saturating_sub(start), "");
    };
    let start = cut(text, 0..child.start).trim_end().len();
    let without = spliced(text, start, end.saturating_sub(start), "");
    match comma_after(text, before.end, child.start).filter(|_| comma.is_none()) {
        Some(comma) => spliced(&without, comma, 1, ""),
        None => without,
    }
}

/// Where the space before an only child begins, if a comment stands before it: such a child came second, after that
/// comment, and the space with it. A line's comment keeps its line break where no other follows.
fn after_comment(text: &str, container: &Container, start: usize, end: usize) -> usize {
    let before = cut(text, container.open..start).trim_end();
    let ends_line = ends_in_line_comment(before);
    if before.is_empty() || ends_line && !cut(text, end..container.close).contains('\n') {
        return start;
    }
    container.open.saturating_add(before.len())
}

/// Whether the last of the comments that a text consists of is a line's. One between `/*` and `*/` may hold `//`.
fn ends_in_line_comment(comments: &str) -> bool {
    let (mut rest, mut is_line) = (comments.trim_start(), false);
    while let Some(length) = comment_len(rest) {
        is_line = rest.starts_with("//");
        rest = cut(rest, length..rest.len()).trim_start();
    }
    is_line
}

/// Whether nothing but this one child is in the container and the space after the bracket says that we made it.
pub(super) fn is_made_for_one(text: &str, container: &Container) -> bool {
    let [only] = container.children.as_slice() else { return false };
    let before = cut(text, container.open..only.start);
    let after = cut(text, only.end..container.close);
    !before.is_empty() && before.trim().is_empty() && after.trim_start().trim_start_matches(',').trim().is_empty()
}

fn spliced(text: &str, at: usize, removed: usize, piece: &str) -> String {
    format!("{}{piece}{}", cut(text, 0..at), cut(text, at.saturating_add(removed)..text.len()))
}

/// Where the comma that follows a child stands: between children there is nothing but space, comments and one comma.
fn comma_after(text: &str, from: usize, until: usize) -> Option<usize> {
    let mut at = from;
    loop {
        let rest = cut(text, at..until);
        let space = rest.len().saturating_sub(rest.trim_start().len());
        at = at.saturating_add(space);
        let rest = cut(text, at..until);
        match comment_len(rest) {
            Some(length) => at = at.saturating_add(length),
            None => return rest.starts_with(',').then_some(at),
        }
    }
}

/// The end of the comments that follow on the same line: they belong to what stands before them.
fn after_comments(text: &str, from: usize, until: usize) -> usize {
    let mut at = from;
    loop {
        let rest = cut(text, at..until);
        let space = rest.len().saturating_sub(rest.trim_start_matches([' ', '\t']).len());
        let comment = cut(rest, space..rest.len());
        match comment_len(comment) {
            Some(length) if !cut(comment, 0..length).contains('\n') => {
                at = at.saturating_add(space).saturating_add(length);
            }
            Some(_) | None => return at,
        }
    }
}

/// The length of the comment a text begins with; a line's comment without its line break.
fn comment_len(text: &str) -> Option<usize> {
    if text.starts_with("//") {
        let line = text.split('\n').next().unwrap_or_default();
        return Some(line.strip_suffix('\r').unwrap_or(line).len());
    }
    text.strip_prefix("/*").and_then(|rest| rest.find("*/")).map(|end| end.saturating_add(4))
}
