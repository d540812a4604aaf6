//! The observer that turns a run of the machine into a [`Watched`].

use super::excerpt::Excerpt;
use super::trigger::{self, Ran};
use super::{Considered, Fate, Spot, Standing, Watched, Why};
use crate::bytecode::Verified;
use crate::bytecode::op::Op;
use crate::bytecode::program::{Block, Program, Routine};
use crate::model::{Call, Event, Field, Input, Level, Outcome, Overridden, Profile, Session, Signals, Verdict};
use crate::vm::{self, Observer};
use std::collections::BTreeMap;

/// Judges one event as [`vm::run`] does, and tells how it went. The program should be a whole one: behaviors that it
/// leaves out cannot be told of.
#[must_use]
pub fn watch(program: &Verified<'_>, input: Input<'_>) -> (Outcome, Watched) {
    let mut watcher = Watcher {
        call: input.call,
        signals: input.signals,
        truths: BTreeMap::new(),
        before: None,
        considered: BTreeMap::new(),
    };
    let before = input.session.clone();
    let (call, profile) = (input.call, input.profile);
    let outcome = vm::run_observed(program, input, &mut watcher);
    let blocked = outcome.verdicts.last().filter(|verdict| verdict.level.is_block()).map(|verdict| verdict.behavior);
    let program = program.program();
    let behaviors = program
        .blocks
        .iter()
        .map(|block| {
            let told = watcher.considered.remove(&block.index);
            let mut considered = told.unwrap_or_else(|| {
                let fate = match blocked {
                    Some(last) if block.index > last => Fate::NotReached,
                    _ => unconcerned(block, call.event, &call.tool),
                };
                considered(block, fate, before.as_ref())
            });
            considered.place = spot(program, block);
            considered
        })
        .collect();
    let names = |session: Option<&Session>| session.map_or_else(Vec::new, |it| it.flags.keys().cloned().collect());
    let watched = Watched {
        event: call.event,
        tool: call.tool.to_string(),
        agent: call.agent.to_string(),
        profile,
        fields: fields(call),
        remembered: outcome.session.is_some(),
        flags_before: names(before.as_ref()),
        flags_after: names(outcome.session.as_ref()),
        behaviors,
    };
    (outcome, watched)
}

fn fields(call: &Call<'_>) -> Vec<(&'static str, Excerpt)> {
    let texts = Field::ALL.iter().map(|field| (field.name(), call.fields.get(*field)));
    texts.filter(|(_, text)| !text.is_empty()).map(|(name, text)| (name, Excerpt::new(text, None))).collect()
}

struct Watcher<'c> {
    call: &'c Call<'c>,
    signals: Signals,
    /// Of the block at work: truth after each instruction that was carried out.
    truths: BTreeMap<usize, bool>,
    /// Of the block at work: the memory it began with.
    before: Option<Session>,
    /// By the block's index.
    considered: BTreeMap<u32, Considered>,
}

impl Observer for Watcher<'_> {
    fn disabled(&mut self, block: &Block<'_>) {
        self.considered.insert(block.index, considered(block, Fate::Disabled, None));
    }

    fn entered(&mut self, _block: &Block<'_>, session: Option<&Session>) {
        self.truths.clear();
        self.before = session.cloned();
    }

    fn stepped(&mut self, _block: &Block<'_>, _routine: &Routine<'_>, offset: usize, _op: Op, truth: bool) {
        self.truths.insert(offset, truth);
    }

    fn passed(&mut self, block: &Block<'_>, session: Option<&Session>) {
        let violated = self.violated_trigger(block);
        let fate = match violated {
            Some(trigger) => Fate::SaidBefore { trigger: trigger + 1 },
            None => self.excluded(block).unwrap_or(Fate::Passed),
        };
        self.finish(block, fate, violated, session);
    }

    fn violated(&mut self, block: &Block<'_>, verdict: &Verdict, session: Option<&Session>) {
        let reached = block.escalation.iter().rev().find(|step| u64::from(step.after) <= verdict.counter);
        let why = match reached {
            // Without memory the default answers, whatever the thresholds say.
            Some(step) if session.is_some() && step.level == verdict.level => Why::Threshold(step.after),
            _ if verdict.level == block.default_level => Why::Default,
            _ => Why::Before,
        };
        let Verdict { trigger, level, threshold, .. } = *verdict;
        let fate = Fate::Violated { trigger: trigger + 1, level, threshold, why };
        self.finish(block, fate, Some(trigger), session);
    }

    fn overridden(&mut self, block: &Block<'_>, trigger: u32, overridden: &Overridden) {
        self.finish(block, Fate::Overridden, Some(trigger), None);
        if let Some(considered) = self.considered.get_mut(&block.index) {
            considered.after = Standing { counter: overridden.counter, pending: false, ..considered.before };
        }
    }
}

impl Watcher<'_> {
    fn finish(&mut self, block: &Block<'_>, fate: Fate, violated: Option<u32>, after: Option<&Session>) {
        let mut considered = considered(block, fate, self.before.as_ref());
        considered.after = standing(block, after);
        let was_entered = matches!(
            considered.fate,
            Fate::Passed | Fate::SaidBefore { .. } | Fate::Overridden | Fate::Violated { .. }
        );
        if let Some(routine) = routine(block, self.call.event).filter(|_| was_entered) {
            let session = self.before.as_ref();
            let ran =
                Ran { block, routine, call: self.call, session, signals: self.signals, truths: &self.truths, violated };
            considered.triggers = trigger::triggers(&ran);
        }
        self.considered.insert(block.index, considered);
    }

    /// The trigger by which the run ended in a violation, if it did, from 0: found by going its way once more.
    fn violated_trigger(&self, block: &Block<'_>) -> Option<u32> {
        let routine = routine(block, self.call.event)?;
        let mut offset = 0;
        loop {
            let (op, next) = Op::decode(&routine.code, offset)?;
            let truth = self.truths.get(&offset).copied();
            if let Op::Violate { trigger } = op {
                return Some(u32::from(trigger.0));
            }
            let truth = truth?;
            let jumps = truth != matches!(op, Op::JumpUnless { .. });
            offset = op.target().filter(|_| jumps).map_or(next, |to| next.max(to.0 as usize));
        }
    }

    /// Why none of the triggers was looked at, if none was: a test in front of them decided.
    fn excluded(&self, block: &Block<'_>) -> Option<Fate> {
        let routine = routine(block, self.call.event)?;
        let (first, ..) = *trigger::starts(routine).first()?;
        if self.truths.range(first..).next().is_some() {
            return None;
        }
        let mut asked = prologue(routine)
            .into_iter()
            .rev()
            .filter(|(offset, op)| self.truths.contains_key(offset) && op.target().is_none());
        let (last, op) = asked.next()?;
        match op {
            Op::ProfileIn { profiles } => {
                let acts = Profile::ALL.iter().copied().filter(|profile| profiles.contains(*profile)).collect();
                Some(Fate::OtherProfile { acts })
            }
            Op::AgentIs { .. } => {
                let ops = prologue(routine).into_iter().filter_map(|(_, op)| agent_text(op));
                let acts = ops.filter_map(|id| block.texts.get(usize::from(id))).map(ToString::to_string).collect();
                Some(Fate::OtherAgent { acts })
            }
            Op::ToolIs { .. } if self.truths.get(&last) == Some(&true) => Some(Fate::ExceptedTool),
            Op::ToolIs { .. } => Some(Fate::OtherTool { watches: watched_tools(block, routine) }),
            // Nothing else stands in front of the triggers.
            Op::End {}
            | Op::Violate { .. }
            | Op::Matches { .. }
            | Op::Contains { .. }
            | Op::Equals { .. }
            | Op::StartsWith { .. }
            | Op::EndsWith { .. }
            | Op::Exists { .. }
            | Op::Compare { .. }
            | Op::ToolMatches { .. }
            | Op::Flag { .. }
            | Op::SetFlag { .. }
            | Op::ClearFlag { .. }
            | Op::JumpIf { .. }
            | Op::JumpUnless { .. } => None,
        }
    }
}

/// The instructions in front of the first trigger: whom and where the behavior is about.
fn prologue(routine: &Routine<'_>) -> Vec<(usize, Op)> {
    let first = trigger::starts(routine).first().map_or(usize::MAX, |(first, ..)| *first);
    trigger::decode(routine).into_iter().take_while(|(offset, _)| *offset < first).collect()
}

/// The tools a behavior excepts: asked for in front of the triggers, and left for the end when found.
fn excepted_tools<'b>(block: &'b Block<'_>, routine: &Routine<'_>) -> Vec<&'b str> {
    let end = trigger::decode(routine).last().map_or(0, |(end, _)| *end);
    let ops = prologue(routine);
    let pairs = ops.iter().zip(ops.iter().skip(1));
    let excepted = pairs.filter_map(|((_, op), (_, jump))| {
        let goes_to_end = matches!(jump, Op::JumpIf { to } if to.0 as usize == end);
        tool_text(*op).filter(|_| goes_to_end)
    });
    excepted.filter_map(|id| block.texts.get(usize::from(id))).map(|name| &**name).collect()
}

/// The tools a behavior names for an event, patterns between slashes, each once.
fn watched_tools(block: &Block<'_>, routine: &Routine<'_>) -> Vec<String> {
    let excepted = excepted_tools(block, routine);
    let mut watches: Vec<String> = Vec::new();
    for (_, op) in trigger::decode(routine) {
        let name = match (tool_text(op).and_then(|id| block.texts.get(usize::from(id))), op) {
            (Some(name), _) if excepted.contains(&&**name) => continue,
            (Some(name), _) => name.to_string(),
            (None, Op::ToolMatches { pattern }) => {
                block.patterns.get(usize::from(pattern.0)).map_or_else(String::new, |it| format!("/{}/", it.source))
            }
            (None, _) => continue,
        };
        if !watches.contains(&name) {
            watches.push(name);
        }
    }
    watches
}

fn agent_text(op: Op) -> Option<u16> {
    if let Op::AgentIs { agent } = op { Some(agent.0) } else { None }
}

fn tool_text(op: Op) -> Option<u16> {
    if let Op::ToolIs { tool } = op { Some(tool.0) } else { None }
}

fn considered(block: &Block<'_>, fate: Fate, session: Option<&Session>) -> Considered {
    let standing = standing(block, session);
    Considered {
        id: block.id.to_string(),
        name: block.name.to_string(),
        place: Spot::default(),
        fate,
        triggers: Vec::new(),
        before: standing,
        after: standing,
    }
}

fn standing(block: &Block<'_>, session: Option<&Session>) -> Standing {
    let state = session.and_then(|session| session.behaviors.get(&*block.id));
    Standing {
        counter: state.map_or(0, |state| state.counter),
        level: state.map_or(Level::Silent, |state| state.level),
        pending: state.is_some_and(|state| state.pending.is_some()),
    }
}

fn routine<'b, 'a>(block: &'b Block<'a>, event: Event) -> Option<&'b Routine<'a>> {
    block.routines.iter().find(|routine| routine.event == event)
}

/// Why the event does not concern a block at all.
fn unconcerned(block: &Block<'_>, event: Event, tool: &str) -> Fate {
    match routine(block, event) {
        None => Fate::OtherEvent { watches: block.routines.iter().map(|routine| routine.event).collect() },
        Some(routine) if excepted_tools(block, routine).contains(&tool) => Fate::ExceptedTool,
        Some(routine) => Fate::OtherTool { watches: watched_tools(block, routine) },
    }
}

fn spot(program: &Program<'_>, block: &Block<'_>) -> Spot {
    let file = program.files.get(block.place.file as usize).map_or("", |file| file);
    Spot { file: file.to_owned(), line: block.place.line }
}
