//! What a scalar means (text, number, boolean, nothing), and where each of its characters stands in the file.
//! `serde_yaml` decides the typing of plain scalars, so that forge reads them as every other YAML 1.2 reader does.

use super::tree::{Kind, Node, Style};
use crate::diagnostic;
use crate::model::Place;
use serde_yaml::Value;
use std::ops::Range;

/// Longest plain scalar that can be anything but text; no number or boolean is longer.
const LONGEST_TYPED: usize = 64;

/// A scalar with its meaning.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Meaning<'a> {
    /// Nothing was written.
    Nothing,
    /// `true` or `false`.
    Boolean(bool),
    /// A whole number, not negative.
    Whole(u64),
    /// Another number.
    Number,
    /// Text.
    Text(&'a str),
}

/// The meaning of a scalar; `None` for collections.
pub(crate) fn meaning(node: &Node) -> Option<Meaning<'_>> {
    let Kind::Scalar { text, style } = &node.kind else { return None };
    if *style != Style::Plain || text.len() > LONGEST_TYPED || text.contains('\n') {
        return Some(Meaning::Text(text));
    }
    Some(match serde_yaml::from_str::<Value>(text) {
        Ok(Value::Null) => Meaning::Nothing,
        Ok(Value::Bool(value)) => Meaning::Boolean(value),
        Ok(Value::Number(number)) => number.as_u64().map_or(Meaning::Number, Meaning::Whole),
        // Alone, a plain scalar from the middle of a list can look like something else; here it is text.
        Ok(Value::String(_) | Value::Sequence(_) | Value::Mapping(_) | Value::Tagged(_)) | Err(_) => {
            Meaning::Text(text)
        }
    })
}

/// The place of a part of a scalar's text, given in bytes of its text, within the file's `source`.
pub(super) fn part(node: &Node, source: &str, range: Range<usize>) -> Place {
    let whole = node.place;
    let Kind::Scalar { text, style } = &node.kind else { return whole };
    // What a quoted or folded scalar says is shorter than its source, so the source's end is not trimmed here.
    let raw = source.get(whole.start as usize..whole.end as usize).unwrap_or_default();
    let offsets = offsets(raw, text, *style);
    let at = |index: usize| offsets.get(index).or(offsets.last()).copied().unwrap_or(0) + whole.start as usize;
    let (start, end) = (at(range.start), at(range.end));
    diagnostic::place(whole.file, source, start..end.max(start))
}

/// For every byte of `text` (and its end), the offset in `raw` it was written at.
///
/// Walks both side by side. Where they differ, the source has something the text has not: a quote, an escape,
/// indentation, or a line break that was folded.
fn offsets(raw: &str, text: &str, style: Style) -> Vec<usize> {
    let mut raw = Raw { text: raw, at: usize::from(matches!(style, Style::Single | Style::Double)) };
    let mut map = Vec::with_capacity(text.len() + 1);
    for letter in text.chars() {
        raw.skip_to(letter, style);
        map.extend(std::iter::repeat_n(raw.at, letter.len_utf8()));
        raw.step(letter, style);
    }
    map.push(raw.at);
    map
}

/// A position in the source of a scalar.
struct Raw<'a> {
    text: &'a str,
    at: usize,
}

impl Raw<'_> {
    fn rest(&self) -> &str {
        self.text.get(self.at..).unwrap_or_default()
    }

    /// Passes what stands in the source and not in the text, before `letter`.
    fn skip_to(&mut self, letter: char, style: Style) {
        loop {
            let rest = self.rest();
            let blanks = rest.len() - rest.trim_start_matches([' ', '\t']).len();
            let after = rest.get(blanks..).unwrap_or_default();
            if style == Style::Double && rest.starts_with("\\\n") {
                let more = rest.get(2..).map_or(0, |more| more.len() - more.trim_start().len());
                self.at += 2 + more;
            } else if matches!(style, Style::Literal | Style::Folded) {
                // At the start of a line the indentation is not text.
                let fresh = self.at > 0 && self.text.get(..self.at).is_some_and(|before| before.ends_with('\n'));
                if fresh && blanks > 0 && !rest.starts_with(letter) {
                    self.at += blanks;
                } else if rest.starts_with('\n') && letter != '\n' && letter != ' ' {
                    self.at += 1;
                } else {
                    return;
                }
            } else if after.starts_with(['\n', '\r']) && !matches!(letter, ' ' | '\n') {
                self.at += blanks + 1;
            } else {
                return;
            }
        }
    }

    /// Passes the source of `letter`.
    fn step(&mut self, letter: char, style: Style) {
        let rest = self.rest();
        let width = match (style, letter) {
            (Style::Single, '\'') => 2,
            (Style::Double, _) if rest.starts_with('\\') => match rest.as_bytes().get(1) {
                Some(b'x') => 4,
                Some(b'u') => 6,
                Some(b'U') => 10,
                _ => 2,
            },
            _ if rest.starts_with(letter) => letter.len_utf8(),
            _ => rest.chars().next().map_or(0, char::len_utf8),
        };
        self.at = (self.at + width).min(self.text.len());
    }
}
