//! `behaviors/index.yaml`: which behaviors there are, in which order, and whether they act.

use super::behavior::Version;
use super::walk::{Slot, Walk};
use crate::diagnostic::{Code, Diagnostic};
use crate::model::Placed;
use std::collections::HashMap;

/// One line of the index.
pub(super) struct Listed {
    pub(super) id: Placed<String>,
    /// `None` leaves it to the behavior's own file.
    pub(super) enabled: Option<bool>,
}

impl Walk<'_> {
    /// The index. Entries that make no sense are reported and left out.
    pub(super) fn index(&mut self, root: Slot<'_>) -> Vec<Listed> {
        let Some(mut fields) = self.fields(root, "the index") else { return Vec::new() };
        if let Some(slot) = fields.need(self, "schema_version") {
            self.version(slot, &[Version::One]);
        }
        let slots = fields.need(self, "behaviors").and_then(|slot| self.list(slot)).unwrap_or_default();
        fields.close(self);
        let mut listed: Vec<Listed> = Vec::new();
        let mut seen: HashMap<String, Placed<String>> = HashMap::new();
        for slot in slots {
            let Some(entry) = self.listed(slot) else { continue };
            if let Some(first) = seen.get(&entry.id.value) {
                let message = format!("`{}` is listed twice", entry.id.value);
                let problem = Diagnostic::new(Code::Twice, entry.id.place, message, "keep one of the two lines");
                self.report(problem.labelled("again").also(first.place, "first listed here"));
                continue;
            }
            seen.insert(entry.id.value.clone(), entry.id.clone());
            listed.push(entry);
        }
        listed
    }

    fn listed(&mut self, slot: Slot<'_>) -> Option<Listed> {
        let mut fields = self.fields(slot, "an entry of the index")?;
        let id = fields.need(self, "id").and_then(|slot| self.text(slot));
        let enabled = fields.take("enabled").and_then(|slot| self.boolean(slot));
        fields.close(self);
        Some(Listed { id: id?, enabled })
    }
}
