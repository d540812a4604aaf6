//! Steps of the second pass: from nodes to values, one small question at a time, every wrong answer collected.
//! Knows kinds of values and how to ask for them; the files `behavior`, `trigger`, … know which are asked for.

use super::origin::Origin;
use super::scalar::{Meaning, meaning};
use super::tree::{Entry, Kind, Node};
use super::word::Word;
use crate::diagnostic::{Code, Diagnostic, nearest};
use crate::model::{Place, Placed};

/// A walk over one file.
pub(crate) struct Walk<'a> {
    /// The file's text.
    pub(crate) source: &'a str,
    /// What was found wrong.
    pub(crate) problems: Vec<Diagnostic>,
}

/// A value together with the key it was found under, for messages.
#[derive(Clone, Copy)]
pub(crate) struct Slot<'n> {
    key: &'n str,
    /// Whether it is one of the entries of the list under that key.
    entry: bool,
    pub(crate) node: &'n Node,
}

impl<'n> Slot<'n> {
    /// The value under a key, or of a whole file.
    pub(crate) fn new(key: &'n str, node: &'n Node) -> Self {
        Self { key, entry: false, node }
    }

    /// What it is called in messages.
    pub(crate) fn name(&self) -> String {
        if self.entry { format!("an entry of `{}`", self.key) } else { format!("`{}`", self.key) }
    }
}

/// A mapping being read. The keys asked for are the keys there are: `close` reports all others.
pub(crate) struct Fields<'n> {
    what: &'static str,
    head: Place,
    entries: &'n [Entry],
    asked: Vec<&'static str>,
}

impl<'n> Fields<'n> {
    /// The value of a key, if it is there.
    pub(crate) fn take(&mut self, key: &'static str) -> Option<Slot<'n>> {
        self.asked.push(key);
        let entry = self.entries.iter().find(|entry| entry.key == key)?;
        Some(Slot::new(key, &entry.value))
    }

    /// Where the mapping begins.
    pub(crate) fn head(&self) -> Place {
        self.head
    }

    /// Where a key stands.
    pub(crate) fn key_place(&self, key: &str) -> Option<Place> {
        self.entries.iter().find(|entry| entry.key == key).map(|entry| entry.key_place)
    }

    /// The value of a key that must be there.
    pub(crate) fn need(&mut self, walk: &mut Walk<'_>, key: &'static str) -> Option<Slot<'n>> {
        let slot = self.take(key);
        if slot.is_none() && !self.is_misspelt(key) {
            let message = format!("{} has no `{key}`", self.what);
            walk.report(Diagnostic::new(Code::MissingField, self.head, message, format!("add `{key}:`")));
        }
        slot
    }

    /// Whether a key is there with a typo. `close` reports that one; that the right one is missing would be said twice.
    pub(crate) fn is_misspelt(&self, key: &str) -> bool {
        self.entries
            .iter()
            .any(|entry| nearest(&entry.key, [key]).is_some() && !self.asked.contains(&entry.key.as_str()))
    }

    /// Reports every key nobody asked for.
    pub(crate) fn close(self, walk: &mut Walk<'_>) {
        for entry in self.entries.iter().filter(|entry| !self.asked.contains(&entry.key.as_str())) {
            let message = format!("unknown field `{}` in {}", entry.key, self.what);
            let free = self.asked.iter().copied().filter(|asked| !self.entries.iter().any(|entry| entry.key == *asked));
            let problem = match nearest(&entry.key, free) {
                Some(near) => {
                    Diagnostic::new(Code::UnknownField, entry.key_place, message, format!("did you mean `{near}`?"))
                        .replaced_by(near)
                }
                None => {
                    let help = format!("{} can have {}", self.what, listed(self.asked.iter().copied()));
                    Diagnostic::new(Code::UnknownField, entry.key_place, message, help)
                }
            };
            walk.report(problem);
        }
    }
}

impl<'a> Walk<'a> {
    pub(crate) fn report(&mut self, problem: Diagnostic) {
        self.problems.push(problem);
    }

    /// The way from a scalar's text back to the file.
    pub(super) fn origin<'n>(&self, node: &'n Node) -> Origin<'n>
    where
        'a: 'n,
    {
        Origin::new(node, self.source)
    }

    /// A mapping. `what` names it in messages: `a trigger`.
    pub(crate) fn fields<'n>(&mut self, slot: Slot<'n>, what: &'static str) -> Option<Fields<'n>> {
        match &slot.node.kind {
            Kind::Mapping(entries) => Some(Fields { what, head: slot.node.head(), entries, asked: Vec::new() }),
            Kind::Scalar { .. } | Kind::Sequence(_) => {
                self.wrong(
                    slot,
                    &format!("{what} is a mapping"),
                    "write its keys below it, indented, one `key: value` a line",
                );
                None
            }
        }
    }

    /// The entries of a list.
    pub(crate) fn list<'n>(&mut self, slot: Slot<'n>) -> Option<Vec<Slot<'n>>> {
        match &slot.node.kind {
            Kind::Sequence(nodes) => Some(nodes.iter().map(|node| Slot { key: slot.key, entry: true, node }).collect()),
            Kind::Scalar { .. } | Kind::Mapping(_) => {
                let help = "write each entry on a line of its own after `- `, or all in brackets: `[a, b]`";
                self.wrong(slot, &format!("{} is a list", slot.name()), help);
                None
            }
        }
    }

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

    /// Reports a value of the wrong kind, or none at all. `rule` says what it must be.
    pub(crate) fn wrong(&mut self, slot: Slot<'_>, rule: &str, help: &str) {
        let place = slot.node.head();
        if meaning(slot.node) == Some(Meaning::Nothing) {
            let message = format!("{} has no value", slot.name());
            self.report(Diagnostic::new(Code::NoValue, place, message, help));
        } else {
            self.report(Diagnostic::new(Code::WrongType, place, format!("{rule}, found {}", found(slot.node)), help));
        }
    }
}

/// A word that is none of the words there are, with the nearest one.
pub(crate) fn unknown_word<'w>(
    place: Place,
    message: String,
    text: &str,
    words: impl Iterator<Item = &'w str> + Clone,
) -> Diagnostic {
    match nearest(text, words.clone()) {
        Some(near) => {
            Diagnostic::new(Code::UnknownWord, place, message, format!("did you mean `{near}`?")).replaced_by(near)
        }
        None => Diagnostic::new(Code::UnknownWord, place, message, format!("write one of {}", listed(words))),
    }
}

/// What was written, for messages.
pub(crate) fn found(node: &Node) -> String {
    match (&node.kind, meaning(node)) {
        (_, Some(Meaning::Nothing)) => "nothing".to_owned(),
        (_, Some(Meaning::Boolean(value))) => format!("the boolean `{value}`"),
        (_, Some(Meaning::Whole(_) | Meaning::Number)) => format!("the number `{}`", written(node)),
        (_, Some(Meaning::Text(text))) => format!("the text `{}`", short(text)),
        (Kind::Sequence(_), None) => "a list".to_owned(),
        (Kind::Mapping(_) | Kind::Scalar { .. }, None) => "a mapping".to_owned(),
    }
}

/// A plain scalar as it was written.
pub(crate) fn written(node: &Node) -> &str {
    match &node.kind {
        Kind::Scalar { text, .. } => text,
        Kind::Sequence(_) | Kind::Mapping(_) => "",
    }
}

/// The first line of a text, cut where it gets long.
fn short(text: &str) -> String {
    let line = text.lines().next().unwrap_or_default();
    let cut: String = line.chars().take(40).collect();
    if cut.len() < text.trim_end().len() { format!("{cut}…") } else { cut }
}

/// `a`, `b` and `c`, each in backticks.
pub(crate) fn listed<'w>(words: impl Iterator<Item = &'w str>) -> String {
    let words: Vec<String> = words.map(|word| format!("`{word}`")).collect();
    match words.split_last() {
        Some((last, rest)) if !rest.is_empty() => format!("{} and {last}", rest.join(", ")),
        Some((last, _)) => last.clone(),
        None => String::new(),
    }
}
