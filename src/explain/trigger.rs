//! One trigger of a routine that was run: what its code asks, in the author's words, and what came of each question.

use super::excerpt::Excerpt;
use super::hope;
use crate::bytecode::op::Op;
use crate::bytecode::operand::{PatternId, TextId};
use crate::bytecode::program::{Block, Routine};
use crate::model::{Call, Comparison, Field, Session, Signal};
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
    /// The number that was looked at.
    pub number: Option<u64>,
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

/// Where each trigger of a routine begins: offset, number from 0, line.
pub(super) fn starts(routine: &Routine<'_>) -> Vec<(usize, u32, u32)> {
    let mut starts: Vec<(usize, u32, u32)> = Vec::new();
    for place in &routine.places {
        if starts.last().is_none_or(|(_, trigger, _)| *trigger != place.trigger) {
            starts.push((place.offset as usize, place.trigger, place.place.line));
        }
    }
    starts
}

/// All triggers of the routine.
pub(super) fn triggers(ran: &Ran<'_>) -> Vec<Seen> {
    let ops = decode(ran.routine);
    let starts = starts(ran.routine);
    let end = |position: usize| starts.get(position + 1).map_or(usize::MAX, |(offset, ..)| *offset);
    starts
        .iter()
        .enumerate()
        .map(|(position, (start, number, line))| {
            let range = *start..end(position);
            let own: Vec<(usize, Op)> = ops.iter().filter(|(offset, _)| range.contains(offset)).copied().collect();
            ran.trigger(*number, *line, &own)
        })
        .collect()
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
                    seen.tools.push(format!("/{}/", self.pattern(pattern)));
                    is_this_tool |= truth == Some(true);
                }
                Op::SetFlag { flag } if was_run => seen.actions.push(Action::SetsFlag(self.text(flag).to_owned())),
                Op::ClearFlag { flag } if was_run => seen.actions.push(Action::ClearsFlag(self.text(flag).to_owned())),
                Op::Flag { flag } => seen
                    .actions
                    .extend(truth.map(|present| Action::FindsFlag { flag: self.text(flag).to_owned(), present })),
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
        let place = self.routine.places.iter().rev().find(|place| place.offset as usize == offset);
        let verb = |yes: &str, no: &str| if hoped { yes.to_owned() } else { no.to_owned() };
        let quoted = |id: TextId| format!("`{}`", self.text(id));
        let (field, question) = match op {
            Op::Matches { field, pattern } => {
                (field, format!("{} /{}/", verb("matches", "does not match"), self.pattern(pattern)))
            }
            Op::Contains { field, text } => {
                (field, format!("{} {}", verb("contains", "does not contain"), quoted(text)))
            }
            Op::Equals { field, text } => (field, format!("{} {}", verb("is", "is not"), quoted(text))),
            Op::StartsWith { field, text } => {
                (field, format!("{} {}", verb("starts with", "does not start with"), quoted(text)))
            }
            Op::EndsWith { field, text } => {
                (field, format!("{} {}", verb("ends with", "does not end with"), quoted(text)))
            }
            Op::Exists { field } => (field, verb("exists", "does not exist")),
            Op::Compare { signal, comparison, number } => {
                return Some(Asked {
                    line: place.map_or(0, |place| place.place.line),
                    question: format!("{signal} {} {}", sign(comparison, hoped), number.0),
                    text: None,
                    number: truth.map(|_| self.signal(signal)),
                    held: truth.map(|truth| truth == hoped),
                });
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
        };
        let text = self.call.fields.get(field);
        Some(Asked {
            line: place.map_or(0, |place| place.place.line),
            question: format!("{field} {question}"),
            text: truth.map(|truth| Excerpt::new(text, self.marked(op, field).filter(|_| truth))),
            number: None,
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
        #[allow(clippy::wildcard_enum_match_arm, reason = "nothing else looks at a part of a text")]
        match op {
            Op::Matches { pattern, .. } => {
                let normal = &self.block.patterns.get(usize::from(pattern.0))?.normal;
                Some(regex::Regex::new(normal).ok()?.find(text)?.range())
            }
            Op::Contains { text, .. } => found(text, |text, wanted| text.find(wanted)),
            Op::StartsWith { text, .. } => found(text, |text, wanted| text.starts_with(wanted).then_some(0)),
            Op::EndsWith { text, .. } => found(text, |text, wanted| text.strip_suffix(wanted).map(str::len)),
            Op::Equals { .. } | Op::Exists { .. } => Some(0..text.len()),
            _ => None,
        }
    }

    fn signal(&self, signal: Signal) -> u64 {
        match signal {
            Signal::Counter => {
                let state = self.session.and_then(|session| session.behaviors.get(&*self.block.id));
                state.map_or(0, |state| state.counter)
            }
        }
    }

    fn text(&self, id: TextId) -> &str {
        self.block.texts.get(usize::from(id.0)).map_or("", |text| text)
    }

    fn pattern(&self, id: PatternId) -> &str {
        self.block.patterns.get(usize::from(id.0)).map_or("", |pattern| &pattern.source)
    }
}

/// A comparison as it is written in `when:`; the opposite one when it is not hoped for.
fn sign(comparison: Comparison, hoped: bool) -> &'static str {
    match (comparison, hoped) {
        (Comparison::Gt, true) | (Comparison::Lte, false) => ">",
        (Comparison::Lt, true) | (Comparison::Gte, false) => "<",
        (Comparison::Gte, true) | (Comparison::Lt, false) => ">=",
        (Comparison::Lte, true) | (Comparison::Gt, false) => "<=",
        (Comparison::Equals, true) => "==",
        (Comparison::Equals, false) => "!=",
    }
}
