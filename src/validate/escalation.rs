//! How answers get stricter: never milder, and every level can be reached.

use crate::diagnostic::{Code, Diagnostic};
use crate::model::{Catalogue, Enforcement, Level};

/// F042: a threshold of 0 violations would hold before anything happened.
pub(super) fn thresholds_in_range(catalogue: &Catalogue, problems: &mut Vec<Diagnostic>) {
    for step in catalogue.behaviors.iter().flat_map(|behavior| &behavior.enforcement.escalation) {
        if step.after == 0 {
            let message = "`after` is at least 1, found `0`";
            let help = "write the number of violations from which on the level holds";
            problems.push(Diagnostic::new(Code::OutOfRange, step.place, message, help));
        }
    }
}

/// F043: more violations never mean a milder answer.
pub(super) fn never_milder(catalogue: &Catalogue, problems: &mut Vec<Diagnostic>) {
    for enforcement in catalogue.behaviors.iter().map(|behavior| &behavior.enforcement) {
        for (before, step) in enforcement.escalation.iter().zip(enforcement.escalation.iter().skip(1)) {
            let message = if step.after < before.after {
                format!("`after: {}` comes below `after: {}`", step.after, before.after)
            } else if step.level < before.level {
                format!("level `{}` is milder than `{}` before it", step.level, before.level)
            } else {
                continue;
            };
            let help = "order the steps so that `after` and `level` never decrease";
            let problem = Diagnostic::new(Code::EscalationFalls, step.place, message, help);
            problems.push(problem.also(before.place, "the step before"));
        }
    }
}

/// F044: a level that no number of violations brings, or that changes nothing.
pub(super) fn every_level_reached(catalogue: &Catalogue, problems: &mut Vec<Diagnostic>) {
    for enforcement in catalogue.behaviors.iter().map(|behavior| &behavior.enforcement) {
        unreached(enforcement, problems);
    }
}

fn unreached(enforcement: &Enforcement, problems: &mut Vec<Diagnostic>) {
    let steps = &enforcement.escalation;
    let default = enforcement.default_level;
    // The strictest level a violation brought before the step at hand. With a first step at 1 the default never acts.
    let mut reached: Option<Level> = steps.first().filter(|first| first.after > 1).map(|_| default);
    for (index, step) in steps.iter().enumerate() {
        let next = steps.get(index + 1).filter(|next| next.after == step.after);
        let (message, help) = if let Some(next) = next {
            let message =
                format!("level `{}` is never reached: `{}` begins at {} too", step.level, next.level, step.after);
            (message, "keep one step for each `after`")
        } else if step.level < default {
            let message = format!("level `{}` is milder than `default_level: {default}`", step.level);
            (message, "lower `default_level`, or remove the step; a level reached once never falls again")
        } else if reached == Some(step.level) {
            (
                format!("level `{}` holds already before {}", step.level, step.after),
                "remove the step, or raise its level",
            )
        } else {
            reached = reached.max(Some(step.level));
            continue;
        };
        problems.push(Diagnostic::new(Code::LevelUnreachable, step.place, message, help));
    }
}
