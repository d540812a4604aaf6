//! The second pass's tools: from nodes to values, one small question at a time, every wrong answer collected.
//! Knows mappings and lists and how a value is told in messages; `values` knows the kinds of scalars, the files named after
//! what they read know what is asked for.

use super::fields::Fields;
use super::origin::Origin;
use super::scalar::{Meaning, meaning};
use super::tree::{Kind, Node};
use crate::diagnostic::{Code, Diagnostic, nearest};
use crate::model::Place;

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
            Kind::Mapping(entries) => Some(Fields::new(what, slot.node.head(), entries)),
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
