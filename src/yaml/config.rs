//! `.forge/config.yaml`: who can override a soft block, and what an event decides that cannot be judged.

use super::behavior::Version;
use super::walk::{Slot, Walk};
use crate::model::{OnError, OverrideMode, Settings};

impl Walk<'_> {
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
        fields.close(self);
        settings
    }
}
