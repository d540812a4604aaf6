//! A program -> the moments at which a harness must call forge, and for which tools. Pure data, no harness's words.
//! Errs on the side of being called: a call nobody judges costs a millisecond, a call nobody was asked about is a hole.

use crate::bytecode::program::{Dispatch, Program};
use crate::model::{Event, OnError, OverrideMode};
use std::collections::BTreeSet;

/// A moment forge wants to hear of: those that behaviors watch, and two of its own.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Moment {
    /// A session begins: the hook says once when it cannot do its work.
    SessionStart,
    /// The user sent a prompt.
    UserPromptSubmit,
    /// Before a tool runs.
    PreToolUse,
    /// After it ran.
    PostToolUse,
    /// After it failed: in `ask` mode as good a proof that the user allowed the call.
    PostToolUseFailure,
    /// The agent wants to end its turn.
    Stop,
}

impl Moment {
    /// All of them, in the order of a session.
    pub const ALL: [Self; 6] = [
        Self::SessionStart,
        Self::UserPromptSubmit,
        Self::PreToolUse,
        Self::PostToolUse,
        Self::PostToolUseFailure,
        Self::Stop,
    ];
}

/// Tools by our names for them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Tools {
    /// Every tool, or a moment without one.
    All,
    /// These alone.
    Named(BTreeSet<String>),
}

/// One moment and its tools.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Need {
    /// When.
    pub moment: Moment,
    /// For which tools.
    pub tools: Tools,
}

/// Everything a program needs of a harness.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Needs {
    /// At most one per moment, in the order of [`Moment`].
    pub calls: Vec<Need>,
    /// Whether a hook that cannot run must count as a refusal (`on_error: deny`), where a harness knows such a thing.
    pub fails_closed: bool,
}

impl Needs {
    /// What a compiled program needs.
    #[must_use]
    pub fn of(program: &Program<'_>) -> Self {
        let events = program.dispatch.iter().filter_map(|row| Some((row.event, tools(row)?)));
        let asks = program.settings.overrides == OverrideMode::Ask;
        let mut needs = Self::new(events, asks, program.settings.on_error == OnError::Deny);
        if !program.watches.is_empty() {
            // A call that no rule concerns may still be what changed something between two that one does.
            add(&mut needs.calls, Moment::PreToolUse, Tools::All);
            needs.calls.sort_by_key(|need| need.moment);
        }
        needs
    }

    /// What both need.
    #[must_use]
    pub fn and(mut self, other: Self) -> Self {
        for need in other.calls {
            add(&mut self.calls, need.moment, need.tools);
        }
        self.calls.sort_by_key(|need| need.moment);
        Self { fails_closed: self.fails_closed || other.fails_closed, ..self }
    }

    /// The same from its parts: the union of the triggers of each event, and whether the override mode is `ask`.
    #[must_use]
    pub fn new(events: impl IntoIterator<Item = (Event, Tools)>, asks: bool, fails_closed: bool) -> Self {
        let mut calls = vec![Need { moment: Moment::SessionStart, tools: Tools::All }];
        for (event, tools) in events {
            if asks && event == Event::PreToolUse {
                add(&mut calls, Moment::PostToolUse, tools.clone());
                add(&mut calls, Moment::PostToolUseFailure, tools.clone());
            }
            add(&mut calls, moment(event), tools);
        }
        calls.sort_by_key(|need| need.moment);
        Self { calls, fails_closed }
    }
}

fn moment(event: Event) -> Moment {
    match event {
        Event::PreToolUse => Moment::PreToolUse,
        Event::PostToolUse => Moment::PostToolUse,
        Event::UserPromptSubmit => Moment::UserPromptSubmit,
        Event::Stop => Moment::Stop,
    }
}

fn add(calls: &mut Vec<Need>, moment: Moment, tools: Tools) {
    match calls.iter_mut().find(|need| need.moment == moment) {
        None => calls.push(Need { moment, tools }),
        Some(need) => match (&mut need.tools, tools) {
            (Tools::Named(all), Tools::Named(more)) => all.extend(more),
            (all, _) => *all = Tools::All,
        },
    }
}

/// The union of the tools of one event; `None` when no behavior is concerned. A pattern is never handed on: ours and
/// the harness's regular expressions differ in detail, and only a list of names is sure to mean the same in both.
fn tools(row: &Dispatch<'_>) -> Option<Tools> {
    if !row.others.is_empty() {
        return Some(Tools::All);
    }
    let named: BTreeSet<_> =
        row.tools.iter().filter(|row| !row.blocks.is_empty()).map(|row| row.tool.clone().into_owned()).collect();
    (!named.is_empty()).then_some(Tools::Named(named))
}
