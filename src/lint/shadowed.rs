//! F056: a trigger that is never reached, because whatever it is about was answered before.

use super::reach::Reach;
use super::terms::contradiction;
use crate::diagnostic::{Code, Diagnostic};
use crate::model::{Action, Behavior, Condition, Level, Signal, Test};
use crate::validate::Checked;

pub(super) fn nothing_shadowed(checked: &Checked, problems: &mut Vec<Diagnostic>) {
    // Triggers that hard-block whatever they fire on. A soft block can be overridden, and then the chain goes on.
    let mut walls: Vec<Reach<'_>> = Vec::new();
    for behavior in checked.enabled() {
        for (number, trigger) in behavior.triggers.iter().enumerate() {
            let reach = Reach { behavior, trigger };
            let own = behavior.triggers.iter().take(number).filter(|earlier| earlier.action == Action::Evaluate);
            let own = own.map(|trigger| Reach { behavior, trigger });
            let shadow = own.clone().chain(walls.iter().copied()).find(|earlier| hides(*earlier, reach));
            problems.extend(shadow.map(|earlier| told(earlier, reach)));
        }
        if blocks_always(behavior) {
            let violations = behavior.triggers.iter().filter(|trigger| trigger.action == Action::Evaluate);
            let lasting = violations.filter(|trigger| !counts(&trigger.condition));
            walls.extend(lasting.map(|trigger| Reach { behavior, trigger }));
        }
    }
}

/// Whether each violation is answered with a hard block, with memory and without.
fn blocks_always(behavior: &Behavior) -> bool {
    let enforcement = &behavior.enforcement;
    enforcement.once_per.is_none()
        && enforcement.default_level == Level::HardBlock
        && enforcement.escalation.iter().all(|step| step.level == Level::HardBlock)
}

/// Whether a condition looks at the counter, which is another one for every behavior.
fn counts(condition: &Condition) -> bool {
    match condition {
        Condition::All(parts) | Condition::Any(parts) => parts.iter().any(counts),
        Condition::Not(part) => counts(part),
        Condition::Test(test) => matches!(test.value, Test::Number { signal: Signal::Counter, .. }),
    }
}

/// Whether `earlier` fires whenever `later` would. What never fires at all is told elsewhere.
fn hides(earlier: Reach<'_>, later: Reach<'_>) -> bool {
    let event = later.trigger.event;
    let (first, second) = (&earlier.trigger.condition, &later.trigger.condition);
    earlier.covers(later)
        && contradiction(event, &[(second, true), (first, false)]).is_some()
        && contradiction(event, &[(second, true)]).is_none()
}

fn told(earlier: Reach<'_>, later: Reach<'_>) -> Diagnostic {
    let (message, help) = if earlier.behavior.id == later.behavior.id {
        (
            "this trigger is never reached: an earlier one is violated by the same events, and the first ends the list"
                .to_owned(),
            "remove it, or move it up",
        )
    } else {
        (
            format!(
                "this trigger is never reached: `{}` blocks the same events first, for good",
                earlier.behavior.id.value
            ),
            "move this behavior up in the index, or narrow the earlier one",
        )
    };
    let problem = Diagnostic::new(Code::Shadowed, later.trigger.place, message, help);
    problem.also(earlier.trigger.place, "the earlier one")
}
