//! A mapping being read: whoever asks for a key makes it a known one, and `close` reports every other.
//! So there is no second list of keys that could differ from what is read.

use super::tree::Entry;
use super::walk::{Slot, Walk, listed};
use crate::diagnostic::{Code, Diagnostic, nearest};
use crate::model::Place;

/// A mapping being read. The keys asked for are the keys there are: `close` reports all others.
pub(crate) struct Fields<'n> {
    what: &'static str,
    head: Place,
    entries: &'n [Entry],
    asked: Vec<&'static str>,
}

impl<'n> Fields<'n> {
    /// The fields of a mapping; `what` names it in messages.
    pub(crate) fn new(what: &'static str, head: Place, entries: &'n [Entry]) -> Self {
        Self { what, head, entries, asked: Vec::new() }
    }

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
        // A key that is there already is not what another was meant to be.
        let there = |asked: &&str| self.entries.iter().any(|entry| entry.key == *asked);
        let free: Vec<&str> = self.asked.iter().copied().filter(|asked| !there(asked)).collect();
        for entry in self.entries.iter().filter(|entry| !self.asked.contains(&entry.key.as_str())) {
            let message = format!("unknown field `{}` in {}", entry.key, self.what);
            let problem = match nearest(&entry.key, free.iter().copied()) {
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
