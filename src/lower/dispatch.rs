//! The dispatch tables: which blocks an event of a tool concerns. Whatever can be decided about a tool by its name is
//! decided here, once, for every name the authors mention; the others are left to guards.

use super::automata::Automata;
use super::owned;
use crate::bytecode::program::{Dispatch, OtherRow, PatternConst, ToolRow};
use crate::model::{Behavior, Event, Matcher, Pattern};
use std::collections::BTreeSet;

/// One table per event that some behavior watches.
pub(super) fn tables(behaviors: &[&Behavior], automata: &mut Automata) -> Vec<Dispatch<'static>> {
    Event::ALL.iter().filter_map(|event| table(behaviors, *event, automata)).collect()
}

fn table(behaviors: &[&Behavior], event: Event, automata: &mut Automata) -> Option<Dispatch<'static>> {
    let watching: Vec<(u32, &Behavior)> = (0..)
        .zip(behaviors.iter().copied())
        .filter(|(_, behavior)| matchers(behavior, event).next().is_some())
        .collect();
    if watching.is_empty() {
        return None;
    }
    let tools = if event.has_tool() { named_tools(&watching, event) } else { BTreeSet::new() };
    let tools = tools
        .into_iter()
        .map(|tool| ToolRow {
            tool: owned(tool),
            blocks: watching
                .iter()
                .filter(|(_, behavior)| concerns(behavior, event, tool, automata))
                .map(|(index, _)| *index)
                .collect(),
        })
        .collect();
    let others = watching
        .iter()
        .filter_map(|(index, behavior)| Some(OtherRow { block: *index, guards: guards(behavior, event, automata)? }))
        .collect();
    Some(Dispatch { event, tools, others })
}

fn matchers(behavior: &Behavior, event: Event) -> impl Iterator<Item = &Matcher> {
    behavior.triggers.iter().filter(move |trigger| trigger.event == event).map(|trigger| &trigger.matcher)
}

fn named_tools<'b>(watching: &[(u32, &'b Behavior)], event: Event) -> BTreeSet<&'b str> {
    let in_matchers = watching.iter().flat_map(|(_, behavior)| matchers(behavior, event)).flat_map(names);
    let in_applies_to = watching.iter().flat_map(|(_, behavior)| &behavior.applies_to.tools);
    in_matchers.chain(in_applies_to).map(String::as_str).collect()
}

fn names(matcher: &Matcher) -> &[String] {
    match matcher {
        Matcher::Names(names) => names,
        Matcher::All | Matcher::Pattern(_) => &[],
    }
}

/// Whether a tool event concerns the behavior when the tool has this name.
fn concerns(behavior: &Behavior, event: Event, tool: &str, automata: &mut Automata) -> bool {
    let applies = behavior.applies_to.tools.is_empty() || behavior.applies_to.tools.iter().any(|name| name == tool);
    applies
        && matchers(behavior, event).any(|matcher| match matcher {
            Matcher::All => true,
            Matcher::Names(names) => names.iter().any(|name| name == tool),
            Matcher::Pattern(pattern) => automata.constant(pattern).is_found(tool),
        })
}

/// What must be found in the name of a tool nobody names (nothing: every such tool, and every event without one);
/// `None` when no such tool concerns the behavior.
fn guards(behavior: &Behavior, event: Event, automata: &mut Automata) -> Option<Vec<PatternConst<'static>>> {
    if !behavior.applies_to.tools.is_empty() {
        return None;
    }
    if !event.has_tool() {
        return Some(Vec::new());
    }
    let mut patterns: Vec<&Pattern> = Vec::new();
    for matcher in matchers(behavior, event) {
        match matcher {
            Matcher::All => return Some(Vec::new()),
            Matcher::Names(_) => {}
            Matcher::Pattern(pattern) if patterns.contains(&pattern) => {}
            Matcher::Pattern(pattern) => patterns.push(pattern),
        }
    }
    let guards: Vec<_> = patterns.into_iter().map(|pattern| automata.constant(pattern).clone()).collect();
    (!guards.is_empty()).then_some(guards)
}
