//! Checked -> warnings: rules that compile and cannot be meant, found by reasoning about what they say.
//! May use the reference, which `validate` may not; tells only what is certain, and leaves the rest alone.

mod hints;
mod literal;
mod never;
mod patterns;
mod reach;
mod shadowed;
mod terms;

use crate::diagnostic::{Diagnostic, sort};
use crate::validate::Checked;

/// What every rule is: a look at the catalogue, and the problems seen.
type Rule = fn(&Checked, &mut Vec<Diagnostic>);

/// All of them.
const RULES: &[Rule] = &[
    never::every_trigger_can_fire,
    hints::hints_are_allowed,
    shadowed::nothing_shadowed,
    patterns::patterns_say_something,
];

/// Looks for rules that cannot act as they are written. Every problem is a warning.
#[must_use]
pub fn lint(checked: &Checked) -> Vec<Diagnostic> {
    let mut problems = Vec::new();
    for rule in RULES {
        rule(checked, &mut problems);
    }
    sort(&mut problems);
    problems
}
