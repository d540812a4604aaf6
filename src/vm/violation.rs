//! What a violation does: the override that forgives it, the count, the level, the block that is remembered.

use super::{Observer, tool};
use crate::bytecode::program::{Block, Threshold};
use crate::model::{
    BehaviorState, Input, Level, Outcome, Overridden, OverridePolicy, PendingBlock, Session, Signal, Subject,
    Timestamp, Verdict, Violation,
};
use std::ops::ControlFlow;

/// Answers a violation of `block`; breaks when the chain of behaviors ends here.
pub(super) fn answer(
    block: &Block<'_>,
    trigger: u32,
    input: &Input<'_>,
    outcome: &mut Outcome,
    observer: &mut impl Observer,
) -> ControlFlow<()> {
    let (counter, level) = match outcome.session.as_mut().map(|session| remember(block, input, session)) {
        None => (1, block.default_level),
        Some(Answer::Violation { counter, level }) => (counter, level),
        Some(Answer::Told) => {
            observer.passed(block, outcome.session.as_ref());
            return ControlFlow::Continue(());
        }
        Some(Answer::Override { counter }) => {
            let overridden = Overridden { behavior: block.index, counter };
            observer.overridden(block, trigger, &overridden);
            outcome.overridden.push(overridden);
            return ControlFlow::Continue(());
        }
    };
    let verdict = Verdict { behavior: block.index, trigger, counter, threshold: next_threshold(block, counter), level };
    observer.violated(block, &verdict, outcome.session.as_ref());
    outcome.verdicts.push(verdict);
    outcome.resets = outcome.resets.union(block.resets);
    if level.is_block() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
}

enum Answer {
    /// The same was said of the same value before.
    Told,
    Override {
        counter: u64,
    },
    Violation {
        counter: u64,
        level: Level,
    },
}

/// What the session makes of it.
fn remember(block: &Block<'_>, input: &Input<'_>, session: &mut Session) -> Answer {
    let mut told_for = None;
    let state = match session.behaviors.get_mut(&*block.id) {
        Some(state) => state,
        None => session.behaviors.entry(block.id.clone().into_owned()).or_default(),
    };
    if let Some(subject) = block.once_per {
        let value = match subject {
            Subject::Text(field) => input.call.hash_of(input.call.fields.get(field)).0,
            Subject::Number(Signal::Counter) => state.counter.to_string(),
            Subject::Number(signal) => input.signals.get(signal).to_string(),
        };
        if state.told_for.as_ref() == Some(&value) {
            return Answer::Told;
        }
        told_for = Some(value);
    }
    if state.pending.take().is_some_and(|pending| is_override(&pending, input)) {
        return Answer::Override { counter: state.counter };
    }
    count(block, input, state);
    state.told_for = told_for.or_else(|| state.told_for.take());
    if state.level == Level::SoftBlock && input.call.event.can_be_overridden() {
        state.pending = Some(pending(input));
    }
    Answer::Violation { counter: state.counter, level: state.level }
}

/// Freshness first: it costs nothing, the input's hash does.
fn is_override(pending: &PendingBlock, input: &Input<'_>) -> bool {
    let fresh = match input.overrides {
        OverridePolicy::Retry { window } => is_fresh(pending.blocked_at, input.now, window),
        OverridePolicy::Ask => false,
        OverridePolicy::Deny { window } => {
            pending.granted_at.is_some_and(|granted| is_fresh(granted, input.now, window))
        }
    };
    fresh && pending.input == *input.call.input_hash()
}

/// A clock that went back makes nothing fresh.
fn is_fresh(since: Timestamp, now: Timestamp, window: i64) -> bool {
    (0..window).contains(&now.0.saturating_sub(since.0))
}

fn count(block: &Block<'_>, input: &Input<'_>, state: &mut BehaviorState) {
    state.counter = state.counter.saturating_add(1);
    state.last_violation = Some(Violation { at: input.now, tool: tool(input).to_owned() });
    state.level = state.level.max(level_at(block, state.counter));
}

/// Thresholds never decrease, so the last one reached is the highest.
fn level_at(block: &Block<'_>, counter: u64) -> Level {
    let reached = block.escalation.iter().rev().find(|threshold| u64::from(threshold.after) <= counter);
    reached.map_or(block.default_level, |threshold| threshold.level)
}

fn next_threshold(block: &Block<'_>, counter: u64) -> Option<u32> {
    block.escalation.iter().map(|Threshold { after, .. }| *after).find(|after| u64::from(*after) > counter)
}

fn pending(input: &Input<'_>) -> PendingBlock {
    let tool_use_id = match input.overrides {
        OverridePolicy::Ask => input.call.tool_use_id.as_ref().map(|id| id.clone().into_owned()),
        OverridePolicy::Retry { .. } | OverridePolicy::Deny { .. } => None,
    };
    PendingBlock { input: input.call.input_hash().clone(), blocked_at: input.now, tool_use_id, granted_at: None }
}
