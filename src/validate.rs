//! Catalogue -> Checked: the one door. One function per rule, each naming its code.

use crate::diagnostic::Diagnostic;
use crate::model::{Behavior, Catalogue, Settings};

/// A catalogue that makes sense. Only [`validate`] makes one; `lower` and `reference` take nothing else, so neither
/// can meet a rule it does not understand.
#[derive(Clone, Debug, PartialEq)]
pub struct Checked {
    catalogue: Catalogue,
}

impl Checked {
    /// The enabled behaviors in index order. A behavior's position here is its number in verdicts and programs.
    pub fn enabled(&self) -> impl Iterator<Item = &Behavior> {
        self.catalogue.behaviors.iter().filter(|behavior| behavior.enabled)
    }

    /// What the config file decided.
    #[must_use]
    pub fn settings(&self) -> Settings {
        self.catalogue.settings
    }

    /// The source files, by `FileId`.
    #[must_use]
    pub fn files(&self) -> &[String] {
        &self.catalogue.files
    }
}

/// Checks everything that concerns more than one value. Collects all problems of all behaviors.
///
/// # Errors
/// All diagnostics, when at least one is an error. Otherwise the warnings come along with the checked catalogue.
pub fn validate(catalogue: Catalogue) -> Result<(Checked, Vec<Diagnostic>), Vec<Diagnostic>> {
    Ok((Checked { catalogue }, Vec::new()))
}
