//! F054: a trigger that no event can fire, because of its tools or because of its condition.

use super::literal::Literal;
use super::reach::{Reach, Tools};
use super::terms::{Contradiction, contradiction};
use crate::diagnostic::{Code, Diagnostic};
use crate::model::{Behavior, Matcher, Test, Trigger};
use crate::validate::Checked;

pub(super) fn every_trigger_can_fire(checked: &Checked, problems: &mut Vec<Diagnostic>) {
    for behavior in checked.enabled() {
        problems.extend(behavior.triggers.iter().filter_map(|trigger| never(behavior, trigger)));
    }
}

/// Why a trigger never fires, if it never does.
fn never(behavior: &Behavior, trigger: &Trigger) -> Option<Diagnostic> {
    if matches!(Reach { behavior, trigger }.tools(), Tools::Listed(tools) if tools.is_empty()) {
        return Some(no_tool(behavior, trigger));
    }
    let why = contradiction(trigger.event, &trigger.condition, true)?;
    Some(no_way(trigger, &why))
}

fn no_tool(behavior: &Behavior, trigger: &Trigger) -> Diagnostic {
    let event = trigger.event;
    let (message, help) = if !event.has_tool() {
        (
            format!("this trigger never fires: `{event}` is about no tool, and `applies_to.tools` asks for one"),
            "remove `applies_to.tools`, or move the trigger into a behavior of its own",
        )
    } else if behavior.applies_to.tools.is_empty() {
        (
            "this trigger never fires: `applies_to.except_tools` takes away every tool of its matcher".to_owned(),
            "change the matcher, or remove the tool from `except_tools`",
        )
    } else if trigger.matcher == Matcher::All {
        (
            "this trigger never fires: `applies_to.except_tools` takes away every tool of `applies_to.tools`"
                .to_owned(),
            "keep one of the two",
        )
    } else {
        (
            "this trigger never fires: `applies_to` leaves none of the tools of its matcher".to_owned(),
            "add the tool to `applies_to.tools`, or change the matcher; both must name it",
        )
    };
    Diagnostic::new(Code::NeverFires, trigger.place, message, help)
}

fn no_way(trigger: &Trigger, why: &Contradiction<'_>) -> Diagnostic {
    let at = |literal: &Literal<'_>| literal.test.place;
    match (&why.one, &why.other) {
        (Some(one), Some(other)) => {
            let message = format!("this trigger never fires: it wants that {} and that {}", other.words(), one.words());
            let help = "remove one of the two, or ask for either with `logic: any` (`or` in `when`)";
            let problem = Diagnostic::new(Code::NeverFires, at(one), message, help).labelled("this excludes the other");
            problem.also(at(other), "the other")
        }
        (Some(one), None) => {
            let (reason, help) = match &one.test.value {
                Test::Text { field, .. } => (
                    format!("an event `{}` has no `{field}`", trigger.event),
                    "remove the condition, or watch another event",
                ),
                Test::Number { .. } => ("no number is below 0".to_owned(), "change the number"),
            };
            let message = format!("this trigger never fires: it wants that {}, and {reason}", one.words());
            Diagnostic::new(Code::NeverFires, at(one), message, help)
        }
        (None, _) => {
            let message = "this trigger never fires: no way to meet its condition is left";
            Diagnostic::new(Code::NeverFires, trigger.place, message, "give it a condition that can hold")
        }
    }
}
