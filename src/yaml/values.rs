//! The kinds of scalars: text, words of a closed set, whole numbers, booleans. Each is asked for by name, and each wrong answer
//! says what was found and what to write.

use super::scalar::{Meaning, meaning};
use super::tree::{Kind, Style};
use super::walk::{Slot, Walk, found, listed, unknown_word, written};
use super::word::Word;
use crate::diagnostic::{Code, Diagnostic};
use crate::model::Placed;

impl Walk<'_> {
    /// A text that says something.
    pub(crate) fn text(&mut self, slot: Slot<'_>) -> Option<Placed<String>> {
        let place = slot.node.head();
        match meaning(slot.node) {
            Some(Meaning::Text(text)) if text.trim().is_empty() => {
                let message = format!("{} is empty", slot.name());
                self.report(Diagnostic::new(Code::EmptyText, place, message, "write what it should say"));
                None
            }
            Some(Meaning::Text(text)) => Some(Placed { value: text.to_owned(), place }),
            Some(Meaning::Boolean(_) | Meaning::Whole(_) | Meaning::Number) => {
                let written = written(slot.node);
                let message = format!("{} is text, found {}", slot.name(), found(slot.node));
                let problem = Diagnostic::new(Code::Unquoted, place, message, format!("quote it: `\"{written}\"`"));
                self.report(problem.replaced_by(format!("\"{written}\"")));
                None
            }
            Some(Meaning::Nothing) | None => {
                self.wrong(
                    slot,
                    &format!("{} is text", slot.name()),
                    "write it on the same line, in quotes when it has `: ` or ` #` in it",
                );
                None
            }
        }
    }

    /// A text for people. A block scalar ends with a line break nobody means to say.
    pub(crate) fn prose(&mut self, slot: Slot<'_>) -> Option<Placed<String>> {
        let text = self.text(slot)?;
        Some(Placed { value: text.value.trim_end().to_owned(), place: text.place })
    }

    /// A text that may be empty, where emptiness means something.
    pub(crate) fn text_or_empty(&mut self, slot: Slot<'_>) -> Option<Placed<String>> {
        match meaning(slot.node) {
            Some(Meaning::Text(text)) if text.trim().is_empty() => {
                Some(Placed { value: text.to_owned(), place: slot.node.head() })
            }
            _ => self.text(slot),
        }
    }

    /// Warns of a text that is compared and has in it what hardly anybody means to look for.
    pub(super) fn compared(&mut self, slot: Slot<'_>) {
        self.final_break(slot);
        self.control_character(slot);
    }

    /// Warns of an escape in double quotes that YAML takes for a character and an author for a part of a pattern.
    pub(super) fn control_character(&mut self, slot: Slot<'_>) {
        let Kind::Scalar { text, style: Style::Double } = &slot.node.kind else { return };
        let is_meant = |c: char| matches!(c, '\t' | '\n' | '\r');
        let Some((at, c)) = text.char_indices().find(|(_, c)| c.is_control() && !is_meant(*c)) else { return };
        let place = self.origin(slot.node).place(at..at + c.len_utf8());
        let message = format!("{} looks for the control character U+{:04X}", slot.name(), u32::from(c));
        let help = "use single quotes, where a backslash is only a backslash, or double the backslash";
        self.report(Diagnostic::new(Code::ControlCharacter, place, message, help));
    }

    /// Warns of a text that ends with the line break of its block.
    fn final_break(&mut self, slot: Slot<'_>) {
        let Kind::Scalar { text, style } = &slot.node.kind else { return };
        let help = match style {
            Style::Literal => "write `|-` in place of `|`, which leaves the last line break out",
            Style::Folded => "write `>-` in place of `>`, which leaves the last line break out",
            Style::Plain | Style::Single | Style::Double => return,
        };
        // In verbose mode a pattern's blanks mean nothing.
        let flags =
            text.strip_prefix("(?").and_then(|rest| rest.split_once([')', ':', '-'])).map_or("", |(flags, _)| flags);
        if text.ends_with('\n') && !flags.contains('x') {
            let message = format!("{} ends with a line break, which is looked for too", slot.name());
            self.report(Diagnostic::new(Code::FinalBreak, slot.node.head(), message, help));
        }
    }

    /// A list of texts.
    pub(crate) fn texts(&mut self, slot: Slot<'_>) -> Option<Vec<String>> {
        let slots = self.list(slot)?;
        let texts: Vec<_> = slots.iter().map(|slot| self.text(*slot)).collect();
        texts.into_iter().map(|text| text.map(|text| text.value)).collect()
    }

    /// `true` or `false`.
    pub(crate) fn boolean(&mut self, slot: Slot<'_>) -> Option<bool> {
        match meaning(slot.node) {
            Some(Meaning::Boolean(value)) => Some(value),
            Some(Meaning::Text(text)) => {
                let meant = match text.to_lowercase().as_str() {
                    "yes" | "on" | "y" => Some(("true", Code::OldBoolean)),
                    "no" | "off" | "n" => Some(("false", Code::OldBoolean)),
                    "true" => Some(("true", Code::WrongType)),
                    "false" => Some(("false", Code::WrongType)),
                    _ => None,
                };
                match meant {
                    Some((meant, code)) => {
                        let message = format!("{} is `true` or `false`, found {}", slot.name(), found(slot.node));
                        let help = format!("write `{meant}`");
                        self.report(Diagnostic::new(code, slot.node.head(), message, help).replaced_by(meant));
                    }
                    None => {
                        self.wrong(slot, &format!("{} is `true` or `false`", slot.name()), "write `true` or `false`")
                    }
                }
                None
            }
            Some(Meaning::Nothing | Meaning::Whole(_) | Meaning::Number) | None => {
                self.wrong(slot, &format!("{} is `true` or `false`", slot.name()), "write `true` or `false`");
                None
            }
        }
    }

    /// A whole number of at least `least`.
    pub(crate) fn whole(&mut self, slot: Slot<'_>, least: u64, most: u64) -> Option<u64> {
        match meaning(slot.node) {
            Some(Meaning::Whole(value)) if (least..=most).contains(&value) => Some(value),
            Some(Meaning::Whole(_) | Meaning::Number) => {
                let bound = match meaning(slot.node) {
                    Some(Meaning::Whole(value)) if value > most => format!("at most {most}"),
                    _ => format!("at least {least}"),
                };
                let message = format!("{} is a whole number of {bound}, found {}", slot.name(), found(slot.node));
                self.report(Diagnostic::new(Code::OutOfRange, slot.node.head(), message, "write such a number"));
                None
            }
            Some(Meaning::Text(_) | Meaning::Nothing | Meaning::Boolean(_)) | None => {
                self.wrong(slot, &format!("{} is a whole number", slot.name()), "write the number without quotes");
                None
            }
        }
    }

    /// One word of a closed set.
    pub(crate) fn word<W: Word>(&mut self, slot: Slot<'_>) -> Option<Placed<W>> {
        let text = match meaning(slot.node) {
            Some(Meaning::Text(text)) => text.to_owned(),
            Some(Meaning::Boolean(_) | Meaning::Whole(_) | Meaning::Number) => written(slot.node).to_owned(),
            Some(Meaning::Nothing) | None => {
                let help = format!("write one of {}", listed(W::names()));
                self.wrong(slot, &format!("{} is one word", slot.name()), &help);
                return None;
            }
        };
        let place = slot.node.head();
        let word = W::find(&text);
        if word.is_none() {
            let problem = unknown_word(place, format!("{} cannot be `{text}`", slot.name()), &text, W::names());
            self.report(problem);
        }
        word.map(|value| Placed { value, place })
    }
}
