//! F055: a block whose own way out is blocked. Asks the reference, with everything else in the author's favour: flags
//! that are checked are set, other behaviors were not violated before.

use super::reach::{Reach, acts_wherever};
use super::terms::contradiction;
use crate::diagnostic::{Code, Diagnostic};
use crate::model::{
    Action, Behavior, BehaviorState, Call, Event, Field, Input, InputHash, Level, OverridePolicy, Place, Profile,
    Session, Signal, Signals, Timestamp, our_tool_name,
};
use crate::reference;
use crate::validate::Checked;

pub(super) fn hints_are_allowed(checked: &Checked, problems: &mut Vec<Diagnostic>) {
    for behavior in checked.enabled() {
        let Some(block) = first_block(behavior) else { continue };
        let recovery = &behavior.recovery;
        let Some(tool) = recovery.suggested_tool.as_deref() else { continue };
        let tool = our_tool_name(tool).unwrap_or(tool);
        let told = match recovery.suggested_action.as_deref().filter(|_| tool == "Bash") {
            Some(command) => {
                refused(checked, behavior, block, command).map(|by| (format!("the command `{command}`"), by))
            }
            None => barred(checked, behavior, tool).map(|by| (format!("the tool `{tool}`"), by)),
        };
        problems.extend(told.map(|(what, (blocker, place))| problem(behavior, &what, blocker, place)));
    }
}

fn problem(behavior: &Behavior, what: &str, blocker: &Behavior, place: Place) -> Diagnostic {
    let by = if blocker.id == behavior.id {
        "it blocks itself".to_owned()
    } else {
        format!("`{}` blocks", blocker.id.value)
    };
    let message = format!("`{}` suggests {what}, which {by}", behavior.id.value);
    let help = "suggest what is allowed, or let it through there";
    Diagnostic::new(Code::HintBlocked, behavior.id.place, message, help).also(place, "this blocks it")
}

/// The violations it takes until a behavior blocks, and the level it has then.
fn first_block(behavior: &Behavior) -> Option<(u64, Level)> {
    let enforcement = &behavior.enforcement;
    let steps = enforcement.escalation.iter();
    let first = steps.filter(|step| step.level.is_block()).map(|step| (u64::from(step.after), step.level)).min();
    if enforcement.default_level.is_block() { Some((1, enforcement.default_level)) } else { first }
}

/// Who blocks a command right after `behavior` blocked.
fn refused<'a>(
    checked: &'a Checked,
    behavior: &Behavior,
    (counter, level): (u64, Level),
    command: &str,
) -> Option<(&'a Behavior, Place)> {
    let hasher = |text: &str| InputHash(text.to_owned());
    let mut call = Call::new(Event::PreToolUse, "Bash", command, hasher);
    call.fields.set(Field::Command, command);
    if let Some(agent) = behavior.applies_to.agents.first() {
        call.agent = agent.into();
    }
    let profiles = &behavior.applies_to.profiles;
    let profile = profiles.first().filter(|_| !profiles.contains(&Profile::Standard));
    let mut session = Session::default();
    let actions = checked.enabled().flat_map(|behavior| &behavior.triggers).map(|trigger| &trigger.action);
    session.flags.extend(actions.filter_map(|action| match action {
        Action::CheckFlag { flag, .. } | Action::SetFlag { flag } => Some((flag.value.clone(), Timestamp(0))),
        Action::Evaluate => None,
    }));
    let blocked = BehaviorState { counter, level, ..BehaviorState::default() };
    session.behaviors.insert(behavior.id.value.clone(), blocked);
    let mut signals = Signals::default();
    signals.set(Signal::Repeats, 1);
    let input = Input {
        call: &call,
        session: Some(session),
        signals,
        now: Timestamp(0),
        profile: profile.copied().unwrap_or(Profile::Standard),
        overrides: OverridePolicy::Ask,
    };
    let outcome = reference::evaluate(checked, input);
    let verdict = outcome.verdicts.last().filter(|verdict| verdict.level.is_block())?;
    let blocker = checked.enabled().nth(usize::try_from(verdict.behavior).ok()?)?;
    let trigger = blocker.triggers.get(usize::try_from(verdict.trigger).ok()?)?;
    Some((blocker, trigger.place))
}

/// Who blocks every call of a tool, whatever its input. Nothing is known of the input, so nothing may depend on it.
fn barred<'a>(checked: &'a Checked, behavior: &Behavior, tool: &str) -> Option<(&'a Behavior, Place)> {
    let blocks = |other: &Behavior| {
        let enforcement = &other.enforcement;
        let at_once =
            |level: Level| level.is_block() && enforcement.escalation.iter().all(|step| step.level.is_block());
        let is_itself = other.id == behavior.id;
        enforcement.once_per.is_none()
            && acts_wherever(other, behavior)
            && (is_itself || at_once(enforcement.default_level))
    };
    checked.enabled().filter(|other| blocks(other)).find_map(|other| {
        let trigger = other.triggers.iter().find(|trigger| {
            trigger.event == Event::PreToolUse
                && trigger.action == Action::Evaluate
                && Reach { behavior: other, trigger }.about(tool) == Some(true)
                && contradiction(trigger.event, &trigger.condition, false).is_some()
        })?;
        Some((other, trigger.place))
    })
}
