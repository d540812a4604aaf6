//! Which calls a trigger is about before its condition is asked: event, tools, profiles, agents.
//! Knows matchers and `applies_to`, nothing of conditions.

use super::patterns::found;
use crate::model::{Behavior, Matcher, Profile, Trigger};

/// A trigger with the behavior it is part of.
#[derive(Clone, Copy)]
pub(super) struct Reach<'a> {
    /// The behavior.
    pub(super) behavior: &'a Behavior,
    /// One of its triggers.
    pub(super) trigger: &'a Trigger,
}

/// The tools a trigger can be about.
pub(super) enum Tools<'a> {
    /// These, and no other; the empty name for events without a tool.
    Listed(Vec<&'a str>),
    /// More than can be listed.
    Open,
}

impl<'a> Reach<'a> {
    /// The tools.
    pub(super) fn tools(self) -> Tools<'a> {
        let applies_to = &self.behavior.applies_to;
        if !self.trigger.event.has_tool() {
            return Tools::Listed(if applies_to.tools.is_empty() { vec![""] } else { Vec::new() });
        }
        let candidates = match &self.trigger.matcher {
            Matcher::Names(names) => names,
            Matcher::All | Matcher::Pattern(_) if applies_to.tools.is_empty() => return Tools::Open,
            Matcher::All | Matcher::Pattern(_) => &applies_to.tools,
        };
        Tools::Listed(candidates.iter().map(String::as_str).filter(|tool| self.about(tool) != Some(false)).collect())
    }

    /// Whether it is about a tool; `None` when that cannot be said.
    pub(super) fn about(self, tool: &str) -> Option<bool> {
        let applies_to = &self.behavior.applies_to;
        let named = |names: &[String]| names.iter().any(|name| name == tool);
        if named(&applies_to.except_tools) || !(applies_to.tools.is_empty() || named(&applies_to.tools)) {
            return Some(false);
        }
        match &self.trigger.matcher {
            Matcher::Pattern(pattern) if self.trigger.event.has_tool() => found(pattern, tool),
            Matcher::Names(names) if self.trigger.event.has_tool() => Some(named(names)),
            Matcher::All | Matcher::Names(_) | Matcher::Pattern(_) => Some(true),
        }
    }

    /// Whether every call `other` is about is one this is about.
    pub(super) fn covers(self, other: Self) -> bool {
        self.trigger.event == other.trigger.event
            && acts_wherever(self.behavior, other.behavior)
            && match other.tools() {
                Tools::Listed(tools) => tools.iter().all(|tool| self.about(tool) == Some(true)),
                Tools::Open => {
                    let (mine, its) = (&self.behavior.applies_to, &other.behavior.applies_to);
                    mine.tools.is_empty()
                        && mine.except_tools.iter().all(|tool| its.except_tools.contains(tool))
                        && (self.trigger.matcher == Matcher::All || self.trigger.matcher == other.trigger.matcher)
                }
            }
    }
}

/// Whether a behavior acts in every profile and for every agent another acts in and for.
pub(super) fn acts_wherever(one: &Behavior, other: &Behavior) -> bool {
    let (mine, its) = (&one.applies_to, &other.applies_to);
    let profiles = if its.profiles.is_empty() { Profile::ALL } else { &its.profiles };
    (mine.profiles.is_empty() || profiles.iter().all(|profile| mine.profiles.contains(profile)))
        && (mine.agents.is_empty()
            || (!its.agents.is_empty() && its.agents.iter().all(|agent| mine.agents.contains(agent))))
}
