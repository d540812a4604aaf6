//! One trigger of a routine that was run: what its code asks, in the author's words, and what came of each question.

use super::excerpt::Excerpt;
use super::hope;
use crate::bytecode::op::Op;
use crate::bytecode::operand::{PatternId, TextId};
use crate::bytecode::program::{Block, Routine};
use crate::model::{Call, Comparison, Event, Field, Session, Signal, Signals};
use std::collections::BTreeMap;
use std::ops::Range;

/// A trigger, and what came of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Seen {
    /// Which of the behavior's, from 1, as written.
    pub number: u32,
    /// Its line; 0 when unknown.
    pub line: u32,
    /// The tools it is about; patterns between slashes, empty for all.
    pub tools: Vec<String>,
    /// Whether it fired.
    pub fired: Fired,
    /// Its conditions, in order.
    pub asked: Vec<Asked>,
    /// What it did.
    pub actions: Vec<Action>,
}

/// Whether a trigger fired.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fired {
    /// It was not reached: one before it was violated.
    NotReached,
    /// It is about other tools.
    OtherTool,
    /// Its conditions do not hold.
    ConditionsFailed,
    /// It fired.
    Yes,
}

/// One condition.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Asked {
    /// Its line; 0 when unknown.
    pub line: u32,
    /// The question in words.
    pub question: String,
    /// What was looked at; none for numbers, which stand in `value`.
    pub text: Option<Excerpt>,
    /// The number that was looked at, as people write it.
    pub number: Option<String>,
    /// Whether it holds; `None` when it was not looked at, because others had decided.
    pub held: Option<bool>,
}

/// What a trigger did.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Action {
    /// It is a violation.
    Violates,
    /// It set this flag.
    SetsFlag(String),
    /// It looked for this flag.
    FindsFlag {
        /// Its name.
        flag: String,
        /// Whether it was there.
        present: bool,
        /// Where this very behavior sets it: event, trigger from 1, line.
        set_by: Vec<(Event, u32, u32)>,
    },
    /// It deleted this flag.
    ClearsFlag(String),
}

/// What was run, and on what.
pub(super) struct Ran<'r> {
    pub(super) block: &'r Block<'r>,
    pub(super) routine: &'r Routine<'r>,
    pub(super) call: &'r Call<'r>,
    pub(super) session: Option<&'r Session>,
    pub(super) signals: Signals,
    /// Truth after each instruction that was carried out, by its offset.
    pub(super) truths: &'r BTreeMap<usize, bool>,
    /// The trigger that is violated, from 0.
    pub(super) violated: Option<u32>,
}

/// The instructions of a routine with their offsets.
pub(super) fn decode(routine: &Routine<'_>) -> Vec<(usize, Op)> {
    let mut ops = Vec::new();
    let mut offset = 0;
    while let Some((op, next)) = Op::decode(&routine.code, offset) {
        ops.push((offset, op));
        offset = next;
    }
    ops
}

/// Where each trigger of a routine begins: offset, number from 0, line. What belongs to a trigger as a whole comes last.
pub(super) fn starts(routine: &Routine<'_>) -> Vec<(usize, u32, u32)> {
    let mut starts: Vec<(usize, u32, u32)> = Vec::new();
    for place in &routine.places {
        match starts.last_mut() {
            Some((_, trigger, line)) if *trigger == place.trigger => *line = place.place.line,
            _ => starts.push((place.offset as usize, place.trigger, place.place.line)),
        }
    }
    starts
}

/// Instructions with their offsets.
pub(super) type Code = Vec<(usize, Op)>;

/// The triggers of a routine: number from 0, line, instructions.
pub(super) fn split(routine: &Routine<'_>) -> Vec<(u32, u32, Code)> {
    let ops = decode(routine);
    let starts = starts(routine);
    let ends = starts.iter().skip(1).map(|(offset, ..)| *offset).chain([usize::MAX]);
    let own = |range: Range<usize>| ops.iter().filter(|(offset, _)| range.contains(offset)).copied().collect();
    starts.iter().zip(ends).map(|((start, number, line), end)| (*number, *line, own(*start..end))).collect()
}

/// The author's line of an instruction; 0 when unknown.
pub(super) fn line_at(routine: &Routine<'_>, offset: usize) -> u32 {
    let place = routine.places.iter().rev().find(|place| place.offset as usize == offset);
    place.map_or(0, |place| place.place.line)
}

/// The triggers of a behavior that set a flag: event, number from 1, line.
fn setters(block: &Block<'_>, wanted: TextId) -> Vec<(Event, u32, u32)> {
    let mut setters = Vec::new();
    for routine in &block.routines {
        for (number, line, ops) in split(routine) {
            if ops.iter().any(|(_, op)| matches!(op, Op::SetFlag { flag } if *flag == wanted)) {
                setters.push((routine.event, number + 1, line));
            }
        }
    }
    setters
}

/// All triggers of the routine.
pub(super) fn triggers(ran: &Ran<'_>) -> Vec<Seen> {
    split(ran.routine).into_iter().map(|(number, line, ops)| ran.trigger(number, line, &ops)).collect()
}

impl Ran<'_> {
    fn trigger(&self, number: u32, line: u32, ops: &[(usize, Op)]) -> Seen {
        let hopes = hope::hopes(ops);
        let mut seen = Seen {
            number: number + 1,
            line,
            tools: Vec::new(),
            fired: Fired::NotReached,
            asked: Vec::new(),
            actions: Vec::new(),
        };
        let mut is_this_tool = false;
        for (offset, op) in ops {
            let truth = self.truths.get(offset).copied();
            let was_run = truth.is_some();
            match *op {
                Op::ToolIs { tool } => {
                    seen.tools.push(self.text(tool).to_owned());
                    is_this_tool |= truth == Some(true);
                }
                Op::ToolMatches { pattern } => {
                    seen.tools.push(format!("/{}/", pattern_of(self.block, pattern)));
                    is_this_tool |= truth == Some(true);
                }
                Op::SetFlag { flag } if was_run => seen.actions.push(Action::SetsFlag(self.text(flag).to_owned())),
                Op::ClearFlag { flag } if was_run => seen.actions.push(Action::ClearsFlag(self.text(flag).to_owned())),
                Op::Flag { flag } => seen.actions.extend(truth.map(|present| Action::FindsFlag {
                    flag: self.text(flag).to_owned(),
                    present,
                    set_by: setters(self.block, flag),
                })),
                Op::Violate { .. } if self.violated == Some(number) => seen.actions.push(Action::Violates),
                Op::SetFlag { .. }
                | Op::ClearFlag { .. }
                | Op::Violate { .. }
                | Op::End {}
                | Op::AgentIs { .. }
                | Op::ProfileIn { .. }
                | Op::JumpIf { .. }
                | Op::JumpUnless { .. } => {}
                Op::Matches { .. }
                | Op::Contains { .. }
                | Op::Equals { .. }
                | Op::StartsWith { .. }
                | Op::EndsWith { .. }
                | Op::Exists { .. }
                | Op::Compare { .. } => {
                    let hoped = hopes.get(offset).copied().unwrap_or(true);
                    seen.asked.extend(self.asked(*offset, *op, hoped, truth));
                }
            }
        }
        let was_entered = ops.iter().any(|(offset, _)| self.truths.contains_key(offset));
        seen.fired = match () {
            () if !seen.actions.is_empty() => Fired::Yes,
            () if !was_entered => Fired::NotReached,
            () if !seen.tools.is_empty() && !is_this_tool => Fired::OtherTool,
            () => Fired::ConditionsFailed,
        };
        seen
    }

    /// A test as a condition: in words, with what it saw. `hoped` is false under a `not`.
    fn asked(&self, offset: usize, op: Op, hoped: bool, truth: Option<bool>) -> Option<Asked> {
        let (text, number) = match (op, truth) {
            (Op::Compare { signal, .. }, Some(_)) => (None, Some(digits(signal, self.signal(signal)))),
            (_, Some(truth)) => {
                let field = field(op)?;
                let marked = self.marked(op, field).filter(|_| truth);
                (Some(Excerpt::new(self.call.fields.get(field), marked)), None)
            }
            (_, None) => (None, None),
        };
        Some(Asked {
            line: line_at(self.routine, offset),
            question: question(self.block, op, hoped)?,
            text,
            number,
            held: truth.map(|truth| truth == hoped),
        })
    }

    /// The part of a text that makes a test true.
    fn marked(&self, op: Op, field: Field) -> Option<Range<usize>> {
        let text = self.call.fields.get(field);
        let found = |id: TextId, find: fn(&str, &str) -> Option<usize>| {
            let wanted = self.text(id);
            find(text, wanted).map(|start| start..start + wanted.len())
        };
        match op {
            Op::Matches { pattern, .. } => {
                let normal = &self.block.patterns.get(usize::from(pattern.0))?.normal;
                Some(regex::Regex::new(normal).ok()?.find(text)?.range())
            }
            Op::Contains { text, .. } => found(text, |text, wanted| text.find(wanted)),
            Op::StartsWith { text, .. } => found(text, |text, wanted| text.starts_with(wanted).then_some(0)),
            Op::EndsWith { text, .. } => found(text, |text, wanted| text.strip_suffix(wanted).map(str::len)),
            Op::Equals { .. } | Op::Exists { .. } => Some(0..text.len()),
            Op::Compare { .. }
            | Op::End {}
            | Op::Violate { .. }
            | Op::ToolIs { .. }
            | Op::ToolMatches { .. }
            | Op::AgentIs { .. }
            | Op::ProfileIn { .. }
            | Op::Flag { .. }
            | Op::SetFlag { .. }
            | Op::ClearFlag { .. }
            | Op::JumpIf { .. }
            | Op::JumpUnless { .. } => None,
        }
    }

    fn signal(&self, signal: Signal) -> u64 {
        match signal {
            Signal::Counter => {
                let state = self.session.and_then(|session| session.behaviors.get(&*self.block.id));
                state.map_or(0, |state| state.counter)
            }
            Signal::Repeats
            | Signal::Alternations
            | Signal::FailureStreak
            | Signal::SpendUsd
            | Signal::SpendShare
            | Signal::SpendCapUsd => self.signals.get(signal),
        }
    }

    fn text(&self, id: TextId) -> &str {
        text(self.block, id)
    }
}

/// A text of a block's pool.
pub(super) fn text<'b>(block: &'b Block<'_>, id: TextId) -> &'b str {
    block.texts.get(usize::from(id.0)).map_or("", |text| text)
}

/// A pattern of a block's pool, as its author wrote it.
pub(super) fn pattern_of<'b>(block: &'b Block<'_>, id: PatternId) -> &'b str {
    block.patterns.get(usize::from(id.0)).map_or("", |pattern| &pattern.source)
}

/// The field a test looks at.
#[allow(clippy::wildcard_enum_match_arm, reason = "nothing else looks at a text")]
fn field(op: Op) -> Option<Field> {
    match op {
        Op::Matches { field, .. }
        | Op::Contains { field, .. }
        | Op::Equals { field, .. }
        | Op::StartsWith { field, .. }
        | Op::EndsWith { field, .. }
        | Op::Exists { field } => Some(field),
        _ => None,
    }
}

/// A test as the condition it holds as: `hoped` is false under a `not`. `None` for what is no condition.
pub(super) fn question(block: &Block<'_>, op: Op, hoped: bool) -> Option<String> {
    let verb = |yes: &'static str, no: &'static str| if hoped { yes } else { no };
    let quoted = |id: TextId| format!("`{}`", text(block, id));
    Some(match op {
        Op::Matches { field, pattern: id } => {
            format!("{field} {} /{}/", verb("matches", "does not match"), pattern_of(block, id))
        }
        Op::Contains { field, text } => format!("{field} {} {}", verb("contains", "does not contain"), quoted(text)),
        Op::Equals { field, text } => format!("{field} {} {}", verb("is", "is not"), quoted(text)),
        Op::StartsWith { field, text } => {
            format!("{field} {} {}", verb("starts with", "does not start with"), quoted(text))
        }
        Op::EndsWith { field, text } => format!("{field} {} {}", verb("ends with", "does not end with"), quoted(text)),
        Op::Exists { field } => format!("{field} {}", verb("exists", "does not exist")),
        Op::Compare { signal, comparison, number } => {
            format!("{signal} {} {}", sign(comparison, hoped), digits(signal, number.0))
        }
        Op::End {}
        | Op::Violate { .. }
        | Op::ToolIs { .. }
        | Op::ToolMatches { .. }
        | Op::AgentIs { .. }
        | Op::ProfileIn { .. }
        | Op::Flag { .. }
        | Op::SetFlag { .. }
        | Op::ClearFlag { .. }
        | Op::JumpIf { .. }
        | Op::JumpUnless { .. } => return None,
    })
}

/// A comparison as it is written in `when:`; the opposite one when it is not hoped for.
#[must_use]
pub fn sign(comparison: Comparison, hoped: bool) -> &'static str {
    match (comparison, hoped) {
        (Comparison::Gt, true) | (Comparison::Lte, false) => ">",
        (Comparison::Lt, true) | (Comparison::Gte, false) => "<",
        (Comparison::Gte, true) | (Comparison::Lt, false) => ">=",
        (Comparison::Lte, true) | (Comparison::Gt, false) => "<=",
        (Comparison::Equals, true) => "==",
        (Comparison::Equals, false) => "!=",
    }
}

/// A signal's value as people write it: `3`, `0.8`, `$4.50`.
#[must_use]
pub fn digits(signal: Signal, value: u64) -> String {
    let digits = signal.show(value);
    match signal {
        Signal::SpendUsd | Signal::SpendCapUsd => {
            let (dollars, cents) = digits.split_once('.').unwrap_or((&digits, ""));
            format!("${dollars}.{cents:0<2}")
        }
        Signal::Counter | Signal::Repeats | Signal::Alternations | Signal::FailureStreak | Signal::SpendShare => digits,
    }
}
