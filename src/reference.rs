//! What a catalogue means, written to be read: walks `Checked` directly and judges one event. Uses `model` and the
//! `regex` crate; shares nothing with the machine it is compared with. The numbers S1… are those of
//! `bytecode-spec/semantics.md`.

use crate::model::{
    Action, AppliesTo, Behavior, Comparison, Condition, Event, Input, Level, Matcher, OnAbsent, OnPresent, Outcome,
    Overridden, OverridePolicy, Pattern, PendingBlock, Session, Signal, Subject, Test, TextTest, Timestamp, Trigger,
    Verdict, Violation,
};
use crate::validate::Checked;
use std::cell::RefCell;
use std::collections::HashMap;

/// Judges one event.
#[must_use]
pub fn evaluate(checked: &Checked, mut input: Input<'_>) -> Outcome {
    let mut outcome = Outcome { session: input.session.take(), ..Outcome::default() };
    // S1: enabled behaviors, in index order.
    for (number, behavior) in (0..).zip(checked.enabled()) {
        if is_switched_off(behavior, &outcome) || !applies(&behavior.applies_to, &input) {
            continue;
        }
        let Some(trigger) = violated_trigger(behavior, &input, &mut outcome) else { continue };
        match answer(behavior, &input, &mut outcome) {
            Answer::Repeated => {}
            Answer::Overridden { counter } => outcome.overridden.push(Overridden { behavior: number, counter }),
            Answer::Violation { counter, level } => {
                let threshold = behavior.enforcement.escalation.iter().map(|step| step.after);
                let threshold = threshold.filter(|after| u64::from(*after) > counter).min();
                // S18: what a violation sets back.
                outcome.resets = outcome.resets.union(behavior.enforcement.resets);
                outcome.verdicts.push(Verdict { behavior: number, trigger, counter, threshold, level });
                // S16: a block ends the chain.
                if level == Level::SoftBlock || level == Level::HardBlock {
                    break;
                }
            }
        }
    }
    outcome
}

/// Whether some enabled behavior watches this event for this tool: if none does, the event changes nothing.
#[must_use]
pub fn concerned(checked: &Checked, event: Event, tool: &str) -> Vec<u32> {
    let tool = if event.has_tool() { tool } else { "" };
    let watches = |behavior: &Behavior| {
        let fits = |trigger: &Trigger| trigger.event == event && (!event.has_tool() || fits(&trigger.matcher, tool));
        !behavior.applies_to.except_tools.iter().any(|name| name == tool)
            && (behavior.applies_to.tools.is_empty() || behavior.applies_to.tools.iter().any(|name| name == tool))
            && behavior.triggers.iter().any(fits)
    };
    (0..).zip(checked.enabled()).filter(|(_, behavior)| watches(behavior)).map(|(number, _)| number).collect()
}

/// S2: the session may have switched a behavior off.
fn is_switched_off(behavior: &Behavior, outcome: &Outcome) -> bool {
    outcome.session.as_ref().is_some_and(|session| session.disabled.contains(&behavior.id.value))
}

/// S3: profiles, agents and tools, each empty for "all", and the tools it never acts on. An event without a tool has the empty name, which no list
/// contains.
fn applies(applies_to: &AppliesTo, input: &Input<'_>) -> bool {
    let tool = tool(input);
    (applies_to.profiles.is_empty() || applies_to.profiles.contains(&input.profile))
        && (applies_to.agents.is_empty() || applies_to.agents.iter().any(|agent| *agent == input.call.agent))
        && (applies_to.tools.is_empty() || applies_to.tools.iter().any(|name| name == tool))
        && !applies_to.except_tools.iter().any(|name| name == tool)
}

fn tool<'a>(input: &Input<'a>) -> &'a str {
    if input.call.event.has_tool() { &input.call.tool } else { "" }
}

/// S4: triggers in order, up to the first violation.
fn violated_trigger(behavior: &Behavior, input: &Input<'_>, outcome: &mut Outcome) -> Option<u32> {
    for (number, trigger) in (0..).zip(&behavior.triggers) {
        let event = input.call.event;
        let fires = trigger.event == event
            && (!event.has_tool() || fits(&trigger.matcher, tool(input)))
            && holds(&trigger.condition, behavior, input, outcome.session.as_ref());
        if fires && act(&trigger.action, input.now, outcome.session.as_mut()) {
            return Some(number);
        }
    }
    None
}

/// S5: matchers; asked of tool events alone.
fn fits(matcher: &Matcher, tool: &str) -> bool {
    match matcher {
        Matcher::All => true,
        Matcher::Names(names) => names.iter().any(|name| name == tool),
        Matcher::Pattern(pattern) => is_found(pattern, tool),
    }
}

/// S6: conditions.
fn holds(condition: &Condition, behavior: &Behavior, input: &Input<'_>, session: Option<&Session>) -> bool {
    match condition {
        Condition::All(parts) => parts.iter().all(|part| holds(part, behavior, input, session)),
        Condition::Any(parts) => parts.iter().any(|part| holds(part, behavior, input, session)),
        Condition::Not(part) => !holds(part, behavior, input, session),
        Condition::Test(test) => match &test.value {
            Test::Text { field, test } => text_holds(test, input.call.fields.get(*field)),
            Test::Number { signal, comparison, value } => {
                number_holds(signal_of(*signal, behavior, input, session), *comparison, *value)
            }
        },
    }
}

/// S7: questions about a text; an absent one is empty.
fn text_holds(test: &TextTest, text: &str) -> bool {
    match test {
        TextTest::Matches(pattern) => is_found(pattern, text),
        TextTest::Contains(part) => text.contains(part.as_str()),
        TextTest::Equals(whole) => text == whole,
        TextTest::StartsWith(start) => text.starts_with(start.as_str()),
        TextTest::EndsWith(end) => text.ends_with(end.as_str()),
        TextTest::Exists => !text.is_empty(),
    }
}

/// S8: the counter has its value from before the event, and is 0 without memory; the others are told.
fn signal_of(signal: Signal, behavior: &Behavior, input: &Input<'_>, session: Option<&Session>) -> u64 {
    match signal {
        Signal::Counter => {
            session.and_then(|session| session.behaviors.get(&behavior.id.value)).map_or(0, |state| state.counter)
        }
        Signal::Repeats
        | Signal::Alternations
        | Signal::FailureStreak
        | Signal::SpendUsd
        | Signal::SpendShare
        | Signal::SpendCapUsd => input.signals.get(signal),
    }
}

fn number_holds(number: u64, comparison: Comparison, value: u64) -> bool {
    match comparison {
        Comparison::Gt => number > value,
        Comparison::Lt => number < value,
        Comparison::Gte => number >= value,
        Comparison::Lte => number <= value,
        Comparison::Equals => number == value,
    }
}

/// S9 – S11: what a trigger that fires does; true for a violation. Without memory nothing is set, and a flag that is
/// checked counts as present.
fn act(action: &Action, now: Timestamp, session: Option<&mut Session>) -> bool {
    match action {
        // S9
        Action::Evaluate => true,
        // S10
        Action::SetFlag { flag } => {
            if let Some(session) = session {
                session.flags.insert(flag.value.clone(), now);
            }
            false
        }
        // S11
        Action::CheckFlag { flag, on_present, on_absent } => {
            let Some(session) = session else { return false };
            if session.flags.contains_key(&flag.value) {
                if *on_present == OnPresent::Consume {
                    session.flags.remove(&flag.value);
                }
                false
            } else {
                *on_absent == OnAbsent::Violate
            }
        }
    }
}

enum Answer {
    Repeated,
    Overridden { counter: u64 },
    Violation { counter: u64, level: Level },
}

/// S12 – S15: what a violation does to the behavior's memory.
fn answer(behavior: &Behavior, input: &Input<'_>, outcome: &mut Outcome) -> Answer {
    // S12: without memory, the default level.
    let Some(session) = &mut outcome.session else {
        return Answer::Violation { counter: 1, level: behavior.enforcement.default_level };
    };
    // S17: a violation that counts once per value of something is none while that stays as it was.
    let told_for = behavior.enforcement.once_per.map(|subject| match subject {
        Subject::Text(field) => input.call.hash_of(input.call.fields.get(field)).0,
        Subject::Number(signal) => signal_of(signal, behavior, input, Some(session)).to_string(),
    });
    let state = session.behaviors.entry(behavior.id.value.clone()).or_default();
    if told_for.is_some() && state.told_for == told_for {
        return Answer::Repeated;
    }

    // S13: a pending block is answered now, one way or the other.
    if let Some(pending) = state.pending.take()
        && pending.input == *input.call.input_hash()
        && is_overridden(&pending, input)
    {
        return Answer::Overridden { counter: state.counter };
    }

    if told_for.is_some() {
        state.told_for = told_for;
    }

    // S14: counted, and remembered at the highest level yet.
    state.counter = state.counter.saturating_add(1);
    state.last_violation = Some(Violation { at: input.now, tool: tool(input).to_owned() });
    let reached = escalated(behavior, state.counter);
    if reached > state.level {
        state.level = reached;
    }

    // S15: a soft block waits for its override, where there can be one.
    if state.level == Level::SoftBlock && matches!(input.call.event, Event::PreToolUse | Event::UserPromptSubmit) {
        state.pending = Some(pending(input));
    }
    Answer::Violation { counter: state.counter, level: state.level }
}

/// S13: a retry within the window, or a grant within the window, by the policy; under `ask` the harness's own word
/// counts, not this. A moment in the future is not fresh.
fn is_overridden(pending: &PendingBlock, input: &Input<'_>) -> bool {
    let (since, window) = match input.overrides {
        OverridePolicy::Retry { window } => (Some(pending.blocked_at), window),
        OverridePolicy::Ask => (None, 0),
        OverridePolicy::Deny { window } => (pending.granted_at, window),
    };
    let Some(since) = since else { return false };
    let age = i128::from(input.now.0) - i128::from(since.0);
    age >= 0 && age < i128::from(window)
}

/// S14: the level of the highest threshold reached, the last listed of equals; below all, the default.
fn escalated(behavior: &Behavior, counter: u64) -> Level {
    let steps = behavior.enforcement.escalation.iter();
    let reached = steps.filter(|step| u64::from(step.after) <= counter).max_by_key(|step| step.after);
    reached.map_or(behavior.enforcement.default_level, |step| step.level)
}

fn pending(input: &Input<'_>) -> PendingBlock {
    PendingBlock {
        input: input.call.input_hash().clone(),
        blocked_at: input.now,
        tool_use_id: match input.overrides {
            OverridePolicy::Ask => input.call.tool_use_id.as_deref().map(str::to_owned),
            OverridePolicy::Retry { .. } | OverridePolicy::Deny { .. } => None,
        },
        granted_at: None,
    }
}

/// S7: a pattern is searched for, anywhere in the text.
fn is_found(pattern: &Pattern, text: &str) -> bool {
    thread_local! {
        /// Compiling takes longer than everything else here together.
        static COMPILED: RefCell<HashMap<String, Option<regex::Regex>>> = RefCell::default();
    }
    COMPILED.with_borrow_mut(|compiled| {
        let compiled =
            compiled.entry(pattern.normal.clone()).or_insert_with(|| regex::Regex::new(&pattern.normal).ok());
        // Reading the pattern has shown that it compiles.
        compiled.as_ref().is_some_and(|regex| regex.is_match(text))
    })
}
