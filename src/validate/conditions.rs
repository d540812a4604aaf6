//! What a behavior watches for: at least something, and not too deeply nested.

use crate::diagnostic::{Code, Diagnostic};
use crate::limits;
use crate::model::{Catalogue, Condition};

/// F026: a behavior without triggers could never be violated.
pub(super) fn some_trigger(catalogue: &Catalogue, problems: &mut Vec<Diagnostic>) {
    for behavior in catalogue.behaviors.iter().filter(|behavior| behavior.triggers.is_empty()) {
        let message = format!("`{}` has no triggers", behavior.id.value);
        let help = "add one to `policy.triggers`; a behavior that should rest is set `enabled: false` in the index";
        problems.push(Diagnostic::new(Code::NoTriggers, behavior.id.place, message, help));
    }
}

/// F038: whatever walks a condition later recurses, so the depth is bounded here.
pub(super) fn bounded_depth(catalogue: &Catalogue, problems: &mut Vec<Diagnostic>) {
    for trigger in catalogue.behaviors.iter().flat_map(|behavior| &behavior.triggers) {
        if deeper_than(&trigger.condition, limits::CONDITION_DEPTH) {
            let message = format!("a condition more than {} deep", limits::CONDITION_DEPTH);
            let help = "split it into several triggers";
            problems.push(Diagnostic::new(Code::ConditionTooDeep, trigger.place, message, help));
        }
    }
}

/// Whether a tree has more levels than `most`. Without recursion: it may be any depth.
fn deeper_than(condition: &Condition, most: usize) -> bool {
    let mut level = vec![condition];
    for _ in 0..most {
        let below = level.iter().flat_map(|condition| match condition {
            Condition::All(parts) | Condition::Any(parts) => parts.as_slice(),
            Condition::Not(part) => std::slice::from_ref(&**part),
            Condition::Test(_) => &[],
        });
        level = below.collect();
        if level.is_empty() {
            return false;
        }
    }
    true
}
