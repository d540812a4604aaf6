//! Flags: what is checked is set somewhere, what is set is checked somewhere. Only enabled behaviors count.

use crate::diagnostic::{Code, Diagnostic, nearest};
use crate::model::{Action, Behavior, Catalogue, Placed};
use std::collections::BTreeSet;

/// F045: a flag nobody sets is always absent.
pub(super) fn checked_flags_are_set(catalogue: &Catalogue, problems: &mut Vec<Diagnostic>) {
    let set: BTreeSet<&str> = flags(catalogue, set).map(|flag| flag.value.as_str()).collect();
    for flag in flags(catalogue, checked).filter(|flag| !set.contains(flag.value.as_str())) {
        let message = format!("flag `{}` is checked, but no enabled behavior sets it", flag.value);
        let help = match nearest(&flag.value, set.iter().copied()) {
            Some(near) => format!("did you mean `{near}`?"),
            None => "add a trigger with `action: set_flag`, or enable the behavior that has it".to_owned(),
        };
        problems.push(Diagnostic::new(Code::FlagNeverSet, flag.place, message, help));
    }
}

/// F046: setting a flag nobody looks at does nothing.
pub(super) fn set_flags_are_checked(catalogue: &Catalogue, problems: &mut Vec<Diagnostic>) {
    let checked: BTreeSet<&str> = flags(catalogue, checked).map(|flag| flag.value.as_str()).collect();
    for flag in flags(catalogue, set).filter(|flag| !checked.contains(flag.value.as_str())) {
        let message = format!("flag `{}` is set, but no enabled behavior checks it", flag.value);
        let help = match nearest(&flag.value, checked.iter().copied()) {
            Some(near) => format!("did you mean `{near}`?"),
            None => "add a trigger with `action: check_flag`, or enable the behavior that has it".to_owned(),
        };
        problems.push(Diagnostic::new(Code::FlagNeverChecked, flag.place, message, help));
    }
}

/// The flags that `pick` finds in the triggers of enabled behaviors.
fn flags(catalogue: &Catalogue, pick: fn(&Action) -> Option<&Placed<String>>) -> impl Iterator<Item = &Placed<String>> {
    let enabled = catalogue.behaviors.iter().filter(|behavior: &&Behavior| behavior.enabled);
    enabled.flat_map(|behavior| &behavior.triggers).filter_map(move |trigger| pick(&trigger.action))
}

fn set(action: &Action) -> Option<&Placed<String>> {
    match action {
        Action::SetFlag { flag } => Some(flag),
        Action::Evaluate | Action::CheckFlag { .. } => None,
    }
}

fn checked(action: &Action) -> Option<&Placed<String>> {
    match action {
        Action::CheckFlag { flag, .. } => Some(flag),
        Action::Evaluate | Action::SetFlag { .. } => None,
    }
}
