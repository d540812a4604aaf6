//! Code -> steps in words: a test and the jump that looks at it in one, targets as labels.
//! Matches the instruction set completely, so that a new instruction does not compile until it has words.

use super::{is_long, listed, quoted, visible};
use crate::bytecode::op::Op;
use crate::bytecode::operand::{PatternId, TextId};
use crate::bytecode::program::{Block, PatternConst, Routine};
use crate::model::{Comparison, Profile};
use std::collections::BTreeMap;

/// One line of a routine: a test with the jump that looks at it, or a single instruction.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Step {
    /// Where it begins in the code, bytes.
    pub offset: usize,
    /// Its label, when something jumps here.
    pub label: Option<String>,
    /// The author's line, when this is the first step of something he wrote.
    pub line: Option<u32>,
    /// What it does, in words.
    pub text: String,
    /// Where the code goes on otherwise.
    pub jump: Option<Jump>,
}

/// The jump of a step.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Jump {
    /// Whether it is taken when the test holds.
    pub when: bool,
    /// The label of where it goes.
    pub to: String,
}

/// A routine in words. What is no instruction is shown as its bytes.
#[must_use]
pub fn steps(block: &Block<'_>, routine: &Routine<'_>) -> Vec<Step> {
    let ops = decode(routine);
    let labels = labels(&ops);
    let label = |offset: u32| labels.get(&offset).cloned().unwrap_or_else(|| format!("@{offset}"));
    let mut steps: Vec<Step> = Vec::new();
    for (offset, op) in &ops {
        let labelled = labels.get(&u32::try_from(*offset).unwrap_or(u32::MAX)).cloned();
        let jump = match op {
            Some(Op::JumpIf { to }) => Some(Jump { when: true, to: label(to.0) }),
            Some(Op::JumpUnless { to }) => Some(Jump { when: false, to: label(to.0) }),
            Some(_) | None => None,
        };
        if let Some(before) = steps.last_mut()
            && before.jump.is_none()
            && before.text != SAME
            && labelled.is_none()
            && jump.is_some()
        {
            before.jump = jump;
            continue;
        }
        let text = match op {
            Some(op) => words(block, *op),
            None => format!("bytes that mean nothing: {:02x?}", routine.code.get(*offset..).unwrap_or_default()),
        };
        // A trigger and its first condition may begin at one instruction: the condition is the closer word.
        let until = routine.places.partition_point(|place| place.offset as usize <= *offset);
        let place = routine.places.get(..until).and_then(<[_]>::last).filter(|place| place.offset as usize == *offset);
        let line = place.map(|place| place.place.line).filter(|line| *line > 0);
        steps.push(Step { offset: *offset, label: labelled, line, text, jump });
    }
    steps
}

/// A jump that looks at a test further up.
const SAME: &str = "the same test";

/// An instruction in words.
fn words(block: &Block<'_>, op: Op) -> String {
    let quote = |id: TextId| match block.texts.get(usize::from(id.0)) {
        Some(text) if is_long(text) => format!("text {} below", id.0),
        Some(text) => quoted(text),
        None => format!("text {}, which is missing", id.0),
    };
    let slashed = |id: PatternId| match block.patterns.get(usize::from(id.0)) {
        Some(pattern) => slashed(id, pattern),
        None => format!("pattern {}, which is missing", id.0),
    };
    match op {
        Op::End {} => "no violation".to_owned(),
        Op::Violate { trigger } => format!("violation, by trigger {}", u32::from(trigger.0) + 1),
        Op::Matches { field, pattern } => format!("{field} matches {}", slashed(pattern)),
        Op::Contains { field, text } => format!("{field} contains {}", quote(text)),
        Op::Equals { field, text } => format!("{field} is {}", quote(text)),
        Op::StartsWith { field, text } => format!("{field} starts with {}", quote(text)),
        Op::EndsWith { field, text } => format!("{field} ends with {}", quote(text)),
        Op::Exists { field } => format!("{field} exists"),
        Op::Compare { signal, comparison, number } => {
            format!("{signal} {} {}", sign(comparison), signal.show(number.0))
        }
        Op::ToolIs { tool } => format!("tool is {}", quote(tool)),
        Op::ToolMatches { pattern } => format!("tool matches {}", slashed(pattern)),
        Op::AgentIs { agent } => format!("agent is {}", quote(agent)),
        Op::ProfileIn { profiles } => {
            let active: Vec<_> = Profile::ALL.iter().filter(|profile| profiles.contains(**profile)).collect();
            format!("profile is {}", listed(active, " or "))
        }
        Op::Flag { flag } => format!("flag {} is set", quote(flag)),
        Op::SetFlag { flag } => format!("set flag {}", quote(flag)),
        Op::ClearFlag { flag } => format!("clear flag {}", quote(flag)),
        Op::JumpIf { .. } | Op::JumpUnless { .. } => SAME.to_owned(),
    }
}

fn sign(comparison: Comparison) -> &'static str {
    match comparison {
        Comparison::Gt => ">",
        Comparison::Lt => "<",
        Comparison::Gte => ">=",
        Comparison::Lte => "<=",
        Comparison::Equals => "==",
    }
}

/// The pattern between slashes, and a mark when it has to be compiled each time it is searched.
fn slashed(id: PatternId, pattern: &PatternConst<'_>) -> String {
    let slow = if pattern.automaton.is_empty() { " (slow: fallback engine)" } else { "" };
    if is_long(&pattern.source) {
        return format!("pattern {} below{slow}", id.0);
    }
    format!("/{}/{slow}", visible(&pattern.source))
}

/// The instructions with their offsets; the last is none where the bytes mean nothing.
pub(super) fn decode(routine: &Routine<'_>) -> Vec<(usize, Option<Op>)> {
    let mut ops = Vec::new();
    let mut offset = 0;
    while offset < routine.code.len() {
        let Some((op, next)) = Op::decode(&routine.code, offset) else {
            ops.push((offset, None));
            break;
        };
        ops.push((offset, Some(op)));
        offset = next;
    }
    ops
}

/// Labels of everything that is jumped to: the last `end` is called so, the others are numbered.
fn labels(ops: &[(usize, Option<Op>)]) -> BTreeMap<u32, String> {
    let targets = ops.iter().filter_map(|(_, op)| op.and_then(Op::target)).map(|target| target.0);
    let mut labels: BTreeMap<u32, String> = targets.map(|target| (target, String::new())).collect();
    let last = ops.last().filter(|(_, op)| *op == Some(Op::End {})).map(|(offset, _)| *offset);
    let mut number = 0;
    for (offset, label) in &mut labels {
        *label = if Some(*offset as usize) == last {
            "end".to_owned()
        } else {
            number += 1;
            format!("L{number}")
        };
    }
    labels
}
