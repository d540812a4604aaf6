//! What can be wrong with a program, as one vocabulary, and where it is. Made by `verify` alone.
//! Every kind has an accept/reject pair at its exact boundary in `tests/data/verify/` or `tests/it/verifier.rs`.

use super::operand::OperandFault;
use crate::model::{Event, vocabulary};
use std::fmt;

vocabulary! {
    /// A rule of programs that one of them breaks.
    pub enum FaultKind {
        /// There are more blocks than a catalogue may have behaviors.
        TooManyBlocks = "too-many-blocks",
        /// The indexes of the blocks do not rise.
        BlockOrder = "block-order",
        /// An id is not made of lower-case letters, digits and `-`, beginning with a letter: it goes into state and audit.
        BadId = "bad-id",
        /// Two blocks have one id: they would share their memory.
        DuplicateId = "duplicate-id",
        /// A place is in no source file of the program.
        NoSuchFile = "no-such-file",
        /// A threshold of the escalation table is zero, or lower than the one before.
        ThresholdOrder = "threshold-order",
        /// A level of the escalation table is lower than the one before.
        LevelOrder = "level-order",
        /// A block asks for or sets back a signal that the program does not say it watches: nobody would read it.
        UnwatchedSignal = "unwatched-signal",
        /// A pattern is longer than the fallback engine may be given.
        PatternLength = "pattern-length",
        /// A stored automaton is larger than one may be.
        AutomatonSize = "automaton-size",
        /// A literal that is compared without case has a capital: it would never be found.
        LiteralCase = "literal-case",
        /// The routines of a block are not in the order of events, or two are for one.
        RoutineOrder = "routine-order",
        /// The code of a routine is longer than code may be.
        CodeLength = "code-length",
        /// The bytes at an offset are no instruction.
        NoInstruction = "no-instruction",
        /// The last instruction does not halt, or there is none.
        NoEnd = "no-end",
        /// An instruction names a text that the block does not have.
        NoSuchText = "no-such-text",
        /// An instruction names a pattern that the block does not have.
        NoSuchPattern = "no-such-pattern",
        /// An instruction names a trigger that has no place in the routine, though others have.
        NoSuchTrigger = "no-such-trigger",
        /// A jump does not go forward.
        JumpBack = "jump-back",
        /// A jump goes to the end of the code or past it.
        JumpOutside = "jump-outside",
        /// A jump goes into the middle of an instruction.
        JumpInside = "jump-inside",
        /// The places of a routine are not in the order of its code.
        PlaceOrder = "place-order",
        /// A place of a routine belongs to no instruction.
        PlaceOffset = "place-offset",
        /// The dispatch tables are not in the order of events, or two are for one.
        DispatchOrder = "dispatch-order",
        /// The tools of a dispatch table are not sorted, or one is named twice.
        ToolOrder = "tool-order",
        /// The blocks of a dispatch row do not rise.
        RowOrder = "row-order",
        /// A dispatch row names a block that is not there.
        NoSuchBlock = "no-such-block",
        /// A dispatch row names a block that has no code for the event.
        NoRoutine = "no-routine",
    }
}

/// What is wrong with a program, and where.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fault {
    /// Which rule it breaks.
    pub kind: FaultKind,
    /// The id of the block it is in.
    pub block: Option<String>,
    /// The event whose code or table it is in.
    pub event: Option<Event>,
    /// Where in the code, bytes.
    pub offset: Option<usize>,
    /// What was found there.
    pub detail: String,
}

impl Fault {
    /// A fault that is nowhere yet.
    pub(super) fn new(kind: FaultKind, detail: impl Into<String>) -> Self {
        Self { kind, block: None, event: None, offset: None, detail: detail.into() }
    }

    pub(super) fn in_block(mut self, id: &str) -> Self {
        self.block = Some(id.to_owned());
        self
    }

    pub(super) fn in_event(mut self, event: Event) -> Self {
        self.event = Some(event);
        self
    }

    pub(super) fn at(mut self, offset: usize) -> Self {
        self.offset = Some(offset);
        self
    }
}

impl From<OperandFault> for Fault {
    fn from(fault: OperandFault) -> Self {
        let kind = match fault {
            OperandFault::NoSuchText { .. } => FaultKind::NoSuchText,
            OperandFault::NoSuchPattern { .. } => FaultKind::NoSuchPattern,
            OperandFault::NoSuchTrigger { .. } => FaultKind::NoSuchTrigger,
            OperandFault::NotForward { .. } => FaultKind::JumpBack,
            OperandFault::Outside { .. } => FaultKind::JumpOutside,
        };
        Self::new(kind, fault.to_string())
    }
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.kind)?;
        if let Some(block) = &self.block {
            write!(f, " in `{}`", block.escape_debug())?;
        }
        if let Some(event) = self.event {
            write!(f, ", {event}")?;
        }
        if let Some(offset) = self.offset {
            write!(f, ", at {offset}")?;
        }
        write!(f, ": {}", self.detail)
    }
}

impl std::error::Error for Fault {}
