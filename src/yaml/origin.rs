//! Where each character of a scalar's text stands in the file: quotes, escapes, indentation and folded lines lie between.
//! Serves messages that point into a text; never changes what the text is.

use super::tree::{Kind, Node, Style};
use crate::model::Place;
use std::cell::OnceCell;
use std::ops::Range;

/// The way from a scalar's text back to the file. Worked out when first asked for, once.
pub(super) struct Origin<'n> {
    node: &'n Node,
    source: &'n str,
    marks: OnceCell<Vec<Mark>>,
}

/// Where one byte of the text was written.
#[derive(Clone, Copy)]
struct Mark {
    at: u32,
    line: u32,
    column: u32,
}

impl<'n> Origin<'n> {
    /// Of this scalar, in the file with this text.
    pub(super) fn new(node: &'n Node, source: &'n str) -> Self {
        Self { node, source, marks: OnceCell::new() }
    }

    /// The place of a part of the scalar's text, in bytes of its text. For a collection, the whole.
    pub(super) fn place(&self, range: Range<usize>) -> Place {
        let whole = self.node.place;
        let marks = self.marks.get_or_init(|| self.marks());
        let mark = |index: usize| marks.get(index).or(marks.last()).copied();
        let (Some(start), Some(end)) = (mark(range.start), mark(range.end)) else { return whole };
        // An end at the start of a line means the end of the line before.
        let last = range.end.checked_sub(1).filter(|last| *last > range.start).and_then(mark);
        let end = if end.line > start.line && last.is_some_and(|last| last.line < end.line) {
            last.map_or(end.at, |last| last.at + 1)
        } else {
            end.at
        };
        Place { file: whole.file, start: start.at, end: end.max(start.at), line: start.line, column: start.column }
    }

    /// For every byte of the text, and its end, where it was written.
    ///
    /// Walks text and source side by side. Where they differ, the source has something the text has not.
    fn marks(&self) -> Vec<Mark> {
        let Kind::Scalar { text, style } = &self.node.kind else { return Vec::new() };
        let whole = self.node.place;
        let written = self.source.get(whole.start as usize..whole.end as usize).unwrap_or_default();
        let here = Mark { at: whole.start, line: whole.line, column: whole.column };
        let indent = whole.column.saturating_sub(1) as usize;
        let mut raw = Raw { rest: written, here, style: *style, indent, fresh: false, passed: 0 };
        if matches!(style, Style::Single | Style::Double) {
            raw.pass(1);
        }
        let mut marks = Vec::with_capacity(text.len() + 1);
        for letter in text.chars() {
            raw.skip_to(letter);
            marks.extend(std::iter::repeat_n(raw.here, letter.len_utf8()));
            raw.step(letter);
        }
        marks.push(raw.here);
        marks
    }
}

/// A position in the source of a scalar.
struct Raw<'a> {
    rest: &'a str,
    here: Mark,
    style: Style,
    /// Of a block scalar: blanks before each of its lines.
    indent: usize,
    /// Whether nothing of the line was passed but its indentation.
    fresh: bool,
    /// How much of the indentation was passed.
    passed: usize,
}

impl Raw<'_> {
    /// Goes on by so many bytes.
    fn pass(&mut self, width: usize) {
        let (passed, rest) = self.rest.split_at_checked(width).unwrap_or((self.rest, ""));
        for letter in passed.chars() {
            self.here.at += u32::try_from(letter.len_utf8()).unwrap_or(1);
            self.here.column += 1;
            if letter == '\n' {
                self.here.line += 1;
                self.here.column = 1;
                self.fresh = true;
                self.passed = 0;
            }
        }
        self.rest = rest;
    }

    /// Passes what stands in the source and not in the text, before `letter`.
    fn skip_to(&mut self, letter: char) {
        loop {
            let gap = match self.style {
                Style::Literal | Style::Folded => self.block_gap(letter),
                Style::Plain | Style::Single | Style::Double => self.flow_gap(letter),
            };
            if gap == 0 {
                return;
            }
            self.pass(gap);
            if self.fresh && self.here.column > 1 {
                self.passed += gap;
            }
        }
    }

    /// The width of the indentation at the start of a line, or of a line break that was folded away.
    fn block_gap(&self, letter: char) -> usize {
        if self.rest.starts_with("\r\n") || (self.rest.starts_with('\n') && !matches!(letter, '\n' | ' ')) {
            return 1;
        }
        let blanks = self.rest.len() - self.rest.trim_start_matches(' ').len();
        if self.fresh { blanks.min(self.indent.saturating_sub(self.passed)) } else { 0 }
    }

    /// The width of a line break with the blanks around it, unless the break stands for the letter.
    fn flow_gap(&self, letter: char) -> usize {
        let escaped = self.rest.strip_prefix("\\\n").or_else(|| self.rest.strip_prefix("\\\r\n"));
        if let Some(more) = escaped.filter(|_| self.style == Style::Double) {
            return self.rest.len() - more.trim_start_matches([' ', '\t']).len();
        }
        let after = self.rest.trim_start_matches([' ', '\t']);
        let blanks = self.rest.len() - after.len();
        match letter {
            // A folded break is a space; of several, one is passed over and the others are breaks.
            ' ' | '\n' if after.starts_with(['\n', '\r']) => blanks,
            _ if after.starts_with(['\n', '\r']) => blanks + 1,
            _ if self.fresh => blanks,
            _ => 0,
        }
    }

    /// Passes the source of `letter`.
    fn step(&mut self, letter: char) {
        let width = match (self.style, letter) {
            (Style::Single, '\'') => 2,
            (Style::Double, _) if self.rest.starts_with('\\') => match self.rest.as_bytes().get(1) {
                Some(b'x') => 4,
                Some(b'u') => 6,
                Some(b'U') => 10,
                _ => 2,
            },
            _ => self.rest.chars().next().map_or(0, char::len_utf8),
        };
        self.fresh = false;
        self.pass(width);
    }
}
