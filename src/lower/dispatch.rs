//! The dispatch tables: which blocks an event of a tool concerns. Whatever can be decided about a tool by its name is
//! decided here, once, for every name the authors mention; the others are left to guards.

use super::automata::Automata;
use super::owned;
use crate::bytecode::program::{Dispatch, OtherRow, PatternConst, ToolRow};
use crate::model::{Behavior, Event, Matcher, Pattern};
use std::collections::{BTreeSet, HashSet};

/// One table per event that some behavior watches.
pub(super) fn tables(behaviors: &[&Behavior], automata: &mut Automata) -> Vec<Dispatch<'static>> {
    Event::ALL.iter().filter_map(|event| table(behaviors, *event, automata)).collect()
}

fn table(behaviors: &[&Behavior], event: Event, automata: &mut Automata) -> Option<Dispatch<'static>> {
    let watchers = behaviors.iter().map(|behavior| Watcher::new(behavior, event));
    let watchers: Vec<(u32, Watcher<'_>)> =
        (0..).zip(watchers).filter_map(|(index, watcher)| Some((index, watcher?))).collect();
    if watchers.is_empty() {
        return None;
    }
    let named: BTreeSet<&str> = match event.has_tool() {
        true => watchers.iter().flat_map(|(_, watcher)| watcher.named()).collect(),
        false => BTreeSet::new(),
    };
    let row = |tool| {
        let concerned = watchers.iter().filter(|(_, watcher)| watcher.is_concerned(tool, automata));
        ToolRow { tool: owned(tool), blocks: concerned.map(|(index, _)| *index).collect() }
    };
    let tools = named.into_iter().map(row).collect();
    let other = |(index, watcher): &(u32, Watcher<'_>)| {
        Some(OtherRow { block: *index, guards: watcher.guards(event, automata)? })
    };
    let others = watchers.iter().filter_map(other).collect();
    Some(Dispatch { event, tools, others })
}

/// What a behavior asks of the tool's name at one event.
struct Watcher<'b> {
    /// The tools it applies to; empty for all.
    applies_to: HashSet<&'b str>,
    /// The tools it never acts on.
    except: HashSet<&'b str>,
    /// Whether some matcher fits every tool.
    any_tool: bool,
    /// The names in its matchers.
    names: HashSet<&'b str>,
    /// The patterns of its matchers, each once.
    patterns: Vec<&'b Pattern>,
}

impl<'b> Watcher<'b> {
    /// `None` when the behavior does not watch the event.
    fn new(behavior: &'b Behavior, event: Event) -> Option<Self> {
        let mut watcher = Self {
            applies_to: behavior.applies_to.tools.iter().map(String::as_str).collect(),
            except: behavior.applies_to.except_tools.iter().map(String::as_str).collect(),
            any_tool: false,
            names: HashSet::new(),
            patterns: Vec::new(),
        };
        let mut matchers = behavior
            .triggers
            .iter()
            .filter(|trigger| trigger.event == event)
            .map(|trigger| &trigger.matcher)
            .peekable();
        matchers.peek()?;
        for matcher in matchers {
            match matcher {
                Matcher::All => watcher.any_tool = true,
                Matcher::Names(names) => watcher.names.extend(names.iter().map(String::as_str)),
                Matcher::Pattern(pattern) if watcher.patterns.contains(&pattern) => {}
                Matcher::Pattern(pattern) => watcher.patterns.push(pattern),
            }
        }
        Some(watcher)
    }

    fn named(&self) -> impl Iterator<Item = &'b str> {
        self.applies_to.iter().chain(&self.except).chain(&self.names).copied()
    }

    /// Whether it may have something against a tool event when the tool has this name.
    fn is_concerned(&self, tool: &str, automata: &mut Automata) -> bool {
        !self.except.contains(tool)
            && (self.applies_to.is_empty() || self.applies_to.contains(tool))
            && (self.any_tool
                || self.names.contains(tool)
                || self.patterns.iter().any(|pattern| automata.constant(pattern).is_found(tool)))
    }

    /// What must be found in the name of a tool nobody names (nothing: every such tool, and every event without one);
    /// `None` when no such tool concerns it.
    fn guards(&self, event: Event, automata: &mut Automata) -> Option<Vec<PatternConst<'static>>> {
        if !self.applies_to.is_empty() {
            return None;
        }
        if self.any_tool || !event.has_tool() {
            return Some(Vec::new());
        }
        let guards: Vec<_> = self.patterns.iter().map(|pattern| automata.constant(pattern).clone()).collect();
        (!guards.is_empty()).then_some(guards)
    }
}
