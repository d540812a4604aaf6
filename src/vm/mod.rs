//! The machine: Verified + Input -> Outcome. Total and pure: no error, no I/O, no clock. Uses `model` and `bytecode`;
//! the rules it follows are numbered in `bytecode-spec/semantics.md` (S1…).

mod observer;
mod violation;

pub use observer::Observer;

use crate::bytecode::op::Op;
use crate::bytecode::operand::{PatternId, Target, TextId};
use crate::bytecode::program::Block;
use crate::bytecode::{Verified, Work};
use crate::model::{Comparison, Field, Input, Outcome, Session, Signal, Subject};

/// Judges one event.
#[must_use]
pub fn run(program: &Verified<'_>, input: Input<'_>) -> Outcome {
    run_observed(program, input, &mut ())
}

/// Judges one event while someone watches. The observer cannot change anything; without one nothing is left of it.
#[must_use]
pub fn run_observed(program: &Verified<'_>, input: Input<'_>, observer: &mut impl Observer) -> Outcome {
    judge(program, input, &Work::of(u64::MAX), observer)
}

/// Judges one event, or stops when the work is spent: then the outcome means nothing.
#[must_use]
pub fn run_within(program: &Verified<'_>, input: Input<'_>, work: &Work) -> Outcome {
    judge(program, input, work, &mut ())
}

fn judge(program: &Verified<'_>, mut input: Input<'_>, work: &Work, observer: &mut impl Observer) -> Outcome {
    let mut outcome = Outcome { session: input.session.take(), ..Outcome::default() };
    let program = program.program();
    for block in program.concerned(input.call.event, tool(&input)).into_iter().filter_map(|at| program.blocks.get(at)) {
        let mut session = outcome.session.as_mut();
        if session.as_ref().is_some_and(|session| session.disabled.contains(&*block.id)) {
            observer.disabled(block);
            continue;
        }
        observer.entered(block, session.as_deref());
        let machine = Machine { block, input: &input, work, session: session.as_deref_mut(), truth: false };
        let Some(trigger) = machine.violated_trigger(observer) else {
            observer.passed(block, session.as_deref());
            continue;
        };
        // What is said once per text is told apart by the text's hash.
        if let Some(Subject::Text(field)) = block.once_per {
            work.spend(HASHING * input.call.fields.get(field).len() as u64);
        }
        if work.is_spent() {
            break;
        }
        if violation::answer(block, trigger, &input, &mut outcome, observer).is_break() {
            break;
        }
    }
    outcome
}

/// What it costs to hash a byte.
const HASHING: u64 = 4;

/// The tool of the event; empty for events without one, whatever the harness sent.
fn tool<'a>(input: &Input<'a>) -> &'a str {
    if input.call.event.has_tool() { &input.call.tool } else { "" }
}

/// One block at work on one event.
struct Machine<'r> {
    block: &'r Block<'r>,
    input: &'r Input<'r>,
    work: &'r Work,
    session: Option<&'r mut Session>,
    truth: bool,
}

impl<'r> Machine<'r> {
    /// Runs the block's routine for the event to its end: the trigger that is violated, if one is.
    fn violated_trigger(mut self, observer: &mut impl Observer) -> Option<u32> {
        let (block, input) = (self.block, self.input);
        let routine = block.routines.iter().find(|routine| routine.event == input.call.event)?;
        let mut offset = 0;
        while let Some((op, next)) = Op::decode(&routine.code, offset) {
            let mut goto = next;
            match op {
                Op::End {} => return None,
                Op::Violate { trigger } => return Some(u32::from(trigger.0)),
                Op::Matches { field, pattern } => self.truth = self.finds(pattern, self.field(field)),
                Op::Contains { field, text } => self.truth = self.contains(self.field(field), self.text(text)),
                Op::Equals { field, text } => self.truth = self.field(field) == self.text(text),
                Op::StartsWith { field, text } => self.truth = self.field(field).starts_with(self.text(text)),
                Op::EndsWith { field, text } => self.truth = self.field(field).ends_with(self.text(text)),
                Op::Exists { field } => self.truth = !self.field(field).is_empty(),
                Op::Compare { signal, comparison, number } => {
                    self.truth = compare(self.signal(signal), comparison, number.0);
                }
                Op::ToolIs { tool: name } => self.truth = tool(input) == self.text(name),
                Op::ToolMatches { pattern } => self.truth = self.finds(pattern, tool(input)),
                Op::AgentIs { agent } => self.truth = input.call.agent == self.text(agent),
                Op::ProfileIn { profiles } => self.truth = profiles.contains(input.profile),
                Op::Flag { flag } => self.truth = self.flag_is_set(flag),
                Op::SetFlag { flag } => self.set_flag(flag),
                Op::ClearFlag { flag } => self.clear_flag(flag),
                Op::JumpIf { to } if self.truth => goto = forward(to, next),
                Op::JumpUnless { to } if !self.truth => goto = forward(to, next),
                Op::JumpIf { .. } | Op::JumpUnless { .. } => {}
            }
            observer.stepped(block, routine, offset, op, self.truth);
            if !self.work.spend(1) {
                return None;
            }
            offset = goto;
        }
        None
    }

    fn field(&self, field: Field) -> &'r str {
        self.input.call.fields.get(field)
    }

    fn signal(&self, signal: Signal) -> u64 {
        match signal {
            Signal::Counter => {
                let behaviors = self.session.as_ref().map(|session| &session.behaviors);
                behaviors.and_then(|behaviors| behaviors.get(&*self.block.id)).map_or(0, |state| state.counter)
            }
            Signal::Repeats
            | Signal::Alternations
            | Signal::FailureStreak
            | Signal::SpendUsd
            | Signal::SpendShare
            | Signal::SpendCapUsd => self.input.signals.get(signal),
        }
    }

    fn flag_is_set(&self, flag: TextId) -> bool {
        self.session.as_ref().is_none_or(|session| session.flags.contains_key(self.text(flag)))
    }

    fn set_flag(&mut self, flag: TextId) {
        let name = self.text(flag);
        if let Some(session) = &mut self.session {
            session.flags.insert(name.to_owned(), self.input.now);
        }
    }

    fn clear_flag(&mut self, flag: TextId) {
        let name = self.text(flag);
        if let Some(session) = &mut self.session {
            session.flags.remove(name);
        }
    }

    /// A text of the pool; the verifier has seen that it is there.
    fn text(&self, id: TextId) -> &'r str {
        self.block.texts.get(usize::from(id.0)).map_or("", |text| text)
    }

    fn contains(&self, field: &str, text: &str) -> bool {
        self.work.spend((field.len() + text.len()) as u64) && field.contains(text)
    }

    /// Whether a pattern of the pool is found; the verifier has seen that it is there.
    fn finds(&self, id: PatternId, text: &str) -> bool {
        self.block.patterns.get(usize::from(id.0)).is_some_and(|pattern| pattern.is_found_within(text, self.work))
    }
}

/// Where a jump goes on; never back, so that every run ends whatever the bytes are.
fn forward(to: Target, next: usize) -> usize {
    next.max(to.0 as usize)
}

fn compare(signal: u64, comparison: Comparison, number: u64) -> bool {
    match comparison {
        Comparison::Gt => signal > number,
        Comparison::Lt => signal < number,
        Comparison::Gte => signal >= number,
        Comparison::Lte => signal <= number,
        Comparison::Equals => signal == number,
    }
}
