//! `.forge/config.yaml`: who can override a soft block, and what an event decides that cannot be judged.

use super::behavior::Version;
use super::condition::billionths;
use super::scalar::{Meaning, meaning};
use super::tree::Kind;
use super::walk::{Slot, Walk};
use crate::model::{OnError, OverrideMode, Settings};

impl Walk<'_> {
    /// An amount of US dollars, in billionths.
    fn dollars(&mut self, slot: Slot<'_>) -> Option<u64> {
        let amount = match (meaning(slot.node), &slot.node.kind) {
            (Some(Meaning::Whole(_) | Meaning::Number), Kind::Scalar { text, .. }) => billionths(text),
            _ => None,
        };
        if amount.is_none() {
            self.wrong(
                slot,
                &format!("{} is an amount of US dollars", slot.name()),
                "write it as `10` or `2.50`; 0 is no cap",
            );
        }
        amount
    }

    /// The settings; what is not said keeps its default.
    pub(super) fn config(&mut self, root: Slot<'_>) -> Settings {
        let mut settings = Settings::default();
        let Some(mut fields) = self.fields(root, "the config file") else { return settings };
        if let Some(slot) = fields.need(self, "schema_version") {
            self.version(slot, &[Version::One]);
        }
        if let Some(word) = fields.take("override").and_then(|slot| self.word::<OverrideMode>(slot)) {
            settings.overrides = word.value;
        }
        if let Some(word) = fields.take("on_error").and_then(|slot| self.word::<OnError>(slot)) {
            settings.on_error = word.value;
        }
        if let Some(mut limits) = fields.take("limits").and_then(|slot| self.fields(slot, "limits")) {
            if let Some(cap) = limits.take("spend_cap_usd").and_then(|slot| self.dollars(slot)) {
                settings.spend_cap = Some(cap);
            }
            limits.close(self);
        }
        fields.close(self);
        settings
    }
}
