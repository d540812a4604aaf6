//! What stands in slashes and in quotes inside an expression: which text it is, and where each of its bytes was written.

use super::Rule;
use crate::diagnostic::{Code, Diagnostic};
use crate::model::Pattern;
use crate::yaml::origin::Origin;
use crate::yaml::walk::Walk;
use pest::iterators::Pair;

impl Walk<'_> {
    /// A pattern in slashes; `\/` is a slash, `i` after it ignores case.
    pub(super) fn slashed(&mut self, origin: &Origin<'_>, pair: &Pair<'_, Rule>) -> Option<Pattern> {
        let written = pair.as_str();
        let (body, prefix) = match written.strip_suffix('i') {
            Some(rest) => (rest, "(?i)"),
            None => (written, ""),
        };
        let body = body.strip_prefix('/')?.strip_suffix('/')?;
        let first = pair.as_span().start() + 1;
        // For every byte of the pattern, the byte of the expression it came from.
        let mut bytes: Vec<usize> = vec![first; prefix.len()];
        let mut source = prefix.to_owned();
        let mut letters = body.char_indices().peekable();
        while let Some((at, letter)) = letters.next() {
            let next = letters.peek().map(|(_, next)| *next);
            if letter == '\\' && next == Some('/') {
                continue;
            }
            source.push(letter);
            bytes.extend(std::iter::repeat_n(first + at, letter.len_utf8()));
            // What follows another backslash belongs to it, a second backslash too.
            if letter == '\\'
                && let Some((at, next)) = letters.next()
            {
                source.push(next);
                bytes.extend(std::iter::repeat_n(first + at, next.len_utf8()));
            }
        }
        let end = first + body.len();
        self.pattern(origin, &source, |byte| bytes.get(byte).copied().unwrap_or(end))
    }

    /// The text of a string: `\"`, `\\`, `\n` and `\t` stand for what they do everywhere.
    pub(super) fn unquoted(&mut self, origin: &Origin<'_>, pair: &Pair<'_, Rule>) -> Option<String> {
        let body = pair.as_str().strip_prefix('"')?.strip_suffix('"')?;
        let mut text = String::new();
        let mut letters = body.char_indices();
        while let Some((at, letter)) = letters.next() {
            if letter != '\\' {
                text.push(letter);
                continue;
            }
            match letters.next() {
                Some((_, escaped @ ('"' | '\\'))) => text.push(escaped),
                Some((_, 'n')) => text.push('\n'),
                Some((_, 't')) => text.push('\t'),
                other => {
                    let escaped = other.map_or(String::new(), |(_, letter)| letter.to_string());
                    let start = pair.as_span().start() + 1 + at;
                    let place = origin.place(start..start + 1 + escaped.len());
                    let message = format!("`\\{escaped}` stands for nothing in a text");
                    let help = "write `\\\\` for a backslash; for a pattern use `matches /…/`";
                    self.report(Diagnostic::new(Code::BadWhen, place, message, help));
                    return None;
                }
            }
        }
        Some(text)
    }
}
