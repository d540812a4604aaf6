//! Catalogue -> Checked: the one door. One function per rule, each naming its code. Rules here look at more than one value, or
//! must hold for catalogues that no file was read for; places are told when there are any, never relied on.

mod conditions;
mod escalation;
mod flags;
mod identity;
mod speech;
mod tools;

pub use identity::is_id;

use crate::diagnostic::{Diagnostic, sort};
use crate::model::{Behavior, Catalogue, Price, Settings};

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

    /// The prices the project says.
    #[must_use]
    pub fn prices(&self) -> &[Price] {
        &self.catalogue.prices
    }

    /// The source files, by `FileId`.
    #[must_use]
    pub fn files(&self) -> &[String] {
        &self.catalogue.files
    }
}

/// What every rule is: a look at the catalogue, and the problems seen.
type Rule = fn(&Catalogue, &mut Vec<Diagnostic>);

/// All of them.
const RULES: &[Rule] = &[
    identity::too_many,
    identity::well_formed_ids,
    identity::unique_ids,
    identity::acting_scope,
    conditions::some_trigger,
    conditions::bounded_depth,
    escalation::thresholds_in_range,
    escalation::never_milder,
    escalation::every_level_reached,
    flags::checked_flags_are_set,
    flags::set_flags_are_checked,
    speech::nudges_name_themselves,
    tools::known_by_our_names,
];

/// Checks everything that concerns more than one value. Collects all problems of all behaviors.
///
/// # Errors
/// All diagnostics, when at least one is an error. Otherwise the warnings come along with the checked catalogue.
pub fn validate(catalogue: Catalogue) -> Result<(Checked, Vec<Diagnostic>), Vec<Diagnostic>> {
    let mut problems = Vec::new();
    for rule in RULES {
        rule(&catalogue, &mut problems);
    }
    sort(&mut problems);
    if problems.iter().any(Diagnostic::is_error) { Err(problems) } else { Ok((Checked { catalogue }, problems)) }
}
