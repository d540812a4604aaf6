//! The parts of a behavior's code that can come out one way or the other: what `forge test --coverage` counts.

use super::hope;
use super::trigger;
use crate::bytecode::op::Op;
use crate::bytecode::program::Block;
use crate::model::Event;

/// One part.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Part {
    /// The event whose routine it belongs to.
    pub event: Event,
    /// The trigger, from 1.
    pub trigger: u32,
    /// Its line; 0 when unknown.
    pub line: u32,
    /// Its instruction.
    pub offset: usize,
    /// What it is.
    pub kind: PartKind,
}

/// What a part is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum PartKind {
    /// A condition, in words. It holds when the instruction's truth is `when`.
    Condition {
        /// In words.
        question: String,
        /// The truth it holds at.
        when: bool,
    },
    /// A flag that is looked for: truth is whether it is there.
    Flag(String),
    /// What the trigger does once it fires.
    Action,
}

/// The parts of a behavior, in the order of its code.
#[must_use]
pub fn parts(block: &Block<'_>) -> Vec<Part> {
    let mut parts = Vec::new();
    for routine in &block.routines {
        for (number, line, ops) in trigger::split(routine) {
            let hopes = hope::hopes(&ops);
            for (offset, op) in ops {
                let when = hopes.get(&offset).copied().unwrap_or(true);
                let question = trigger::question(block, op, when);
                let kind = match (question, op) {
                    (Some(question), _) => PartKind::Condition { question, when },
                    (None, Op::Flag { flag }) => PartKind::Flag(trigger::text(block, flag).to_owned()),
                    (None, Op::SetFlag { .. } | Op::ClearFlag { .. } | Op::Violate { .. }) => PartKind::Action,
                    (None, _) => continue,
                };
                let line = match kind {
                    PartKind::Condition { .. } => trigger::line_at(routine, offset),
                    PartKind::Flag(_) | PartKind::Action => line,
                };
                parts.push(Part { event: routine.event, trigger: number + 1, line, offset, kind });
            }
        }
    }
    parts
}
