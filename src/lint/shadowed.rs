//! F056: a trigger that is never reached, because whatever it is about was answered before.

use super::reach::Reach;
use super::terms::{Ways, contradiction, never_together, ways};
use crate::diagnostic::{Code, Diagnostic};
use crate::model::{Action, Behavior, Condition, Level, Signal, Test, Trigger};
use crate::validate::Checked;

/// A trigger that answers whatever it fires on, with the ways its condition fails.
struct Wall<'a> {
    reach: Reach<'a>,
    fails: Ways<'a>,
}

impl<'a> Wall<'a> {
    /// `None` when there are too many ways to look at.
    fn new(behavior: &'a Behavior, trigger: &'a Trigger) -> Option<Self> {
        Some(Self { reach: Reach { behavior, trigger }, fails: ways(&trigger.condition, false)? })
    }

    /// Whether it fires whenever a later trigger would.
    fn hides(&self, later: Reach<'_>, fires: &Ways<'_>) -> bool {
        self.reach.covers(later) && never_together(later.trigger.event, fires, &self.fails)
    }
}

pub(super) fn nothing_shadowed(checked: &Checked, problems: &mut Vec<Diagnostic>) {
    // Triggers that hard-block whatever they fire on. A soft block can be overridden, and then the chain goes on.
    let mut walls: Vec<Wall<'_>> = Vec::new();
    for behavior in checked.enabled() {
        let mut own: Vec<Wall<'_>> = Vec::new();
        for trigger in &behavior.triggers {
            let later = Reach { behavior, trigger };
            // What never fires at all is told elsewhere.
            if contradiction(trigger.event, &trigger.condition, true).is_none()
                && let Some(fires) = ways(&trigger.condition, true)
                && let Some(earlier) = own.iter().chain(&walls).find(|earlier| earlier.hides(later, &fires))
            {
                problems.push(told(earlier.reach, later));
            }
            own.extend(Wall::new(behavior, trigger).filter(|_| trigger.action == Action::Evaluate));
        }
        if blocks_always(behavior) {
            walls.extend(own.into_iter().filter(|wall| !counts(&wall.reach.trigger.condition)));
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
