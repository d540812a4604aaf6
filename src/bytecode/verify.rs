//! Program -> Verified: the one door. Every rule that the machine and the renderer rely on, one function per part.
//! Uses the table's own operand checks, so a new instruction is verified the moment it exists. Whether an automaton is
//! sound is not asked here: the machine has an answer to every one.

use super::fault::{Fault, FaultKind};
use super::op::Op;
use super::operand::Scope;
use super::program::{Block, CodePlace, Dispatch, PatternConst, Program, Routine, SourcePlace};
use crate::error::{Error, ErrorKind};
use crate::limits;
use crate::model::{Signal, Subject};
use std::collections::HashSet;

/// A program that cannot go wrong. Only [`verify`] makes one; the machine takes nothing else.
#[derive(Clone, Debug)]
pub struct Verified<'a> {
    program: Program<'a>,
}

impl<'a> Verified<'a> {
    /// The program.
    #[must_use]
    pub fn program(&self) -> &Program<'a> {
        &self.program
    }
}

/// Checks a program, or the part of one that `container::select` read.
///
/// # Errors
/// The first fault.
pub fn verify(program: Program<'_>) -> Result<Verified<'_>, Fault> {
    let blocks = &program.blocks;
    if blocks.len() > limits::BEHAVIORS {
        return Err(Fault::new(FaultKind::TooManyBlocks, format!("{} of {}", blocks.len(), limits::BEHAVIORS)));
    }
    rising(FaultKind::BlockOrder, blocks.iter().map(|block| block.index))?;
    let mut ids = HashSet::new();
    for block in blocks {
        check_id(block, &mut ids)
            .and_then(|()| check_block(&program, block))
            .map_err(|fault| fault.in_block(&block.id))?;
    }
    rising(FaultKind::DispatchOrder, program.dispatch.iter().map(|table| table.event))?;
    for table in &program.dispatch {
        check_dispatch(&program, table).map_err(|fault| fault.in_event(table.event))?;
    }
    Ok(Verified { program })
}

impl From<Fault> for Error {
    fn from(fault: Fault) -> Self {
        let what =
            format!("the program breaks a rule of programs ({fault}); make it anew with `forge compile --force`");
        Self::new(ErrorKind::BadProgram, what)
    }
}

fn check_id<'p>(block: &'p Block<'_>, ids: &mut HashSet<&'p str>) -> Result<(), Fault> {
    let usual = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'-';
    if !block.id.starts_with(|first: char| first.is_ascii_lowercase()) || !block.id.bytes().all(usual) {
        return Err(Fault::new(FaultKind::BadId, format!("{:?}", block.id)));
    }
    if ids.insert(&block.id) { Ok(()) } else { Err(Fault::new(FaultKind::DuplicateId, "there are two")) }
}

fn check_block(program: &Program<'_>, block: &Block<'_>) -> Result<(), Fault> {
    check_place(program, block.place)?;
    check_escalation(block)?;
    let per = block.once_per.and_then(|subject| match subject {
        Subject::Number(signal) => Some(signal),
        Subject::Text(_) => None,
    });
    per.into_iter().chain(block.resets.iter()).try_for_each(|signal| check_signal(program, signal))?;
    block.patterns.iter().try_for_each(check_pattern)?;
    rising(FaultKind::RoutineOrder, block.routines.iter().map(|routine| routine.event))?;
    for routine in &block.routines {
        check_routine(program, block, routine).map_err(|fault| fault.in_event(routine.event))?;
    }
    Ok(())
}

fn check_place(program: &Program<'_>, place: SourcePlace) -> Result<(), Fault> {
    if place.line == 0 || (place.file as usize) < program.files.len() {
        return Ok(());
    }
    Err(Fault::new(FaultKind::NoSuchFile, format!("file {} of {}", place.file, program.files.len())))
}

fn check_signal(program: &Program<'_>, signal: Signal) -> Result<(), Fault> {
    if !signal.is_watched() || program.watches.contains(signal) {
        return Ok(());
    }
    Err(Fault::new(FaultKind::UnwatchedSignal, signal.name()))
}

fn check_escalation(block: &Block<'_>) -> Result<(), Fault> {
    let mut before = None;
    for step in &block.escalation {
        let (after, level) = before.unwrap_or((1, step.level));
        if step.after < after {
            return Err(Fault::new(FaultKind::ThresholdOrder, format!("{} below {after}", step.after)));
        }
        if step.level < level {
            return Err(Fault::new(FaultKind::LevelOrder, format!("{} below {level}", step.level)));
        }
        before = Some((step.after, step.level));
    }
    Ok(())
}

fn check_pattern(pattern: &PatternConst<'_>) -> Result<(), Fault> {
    let (length, size) = (pattern.normal.len(), pattern.automaton.len());
    if length > limits::NORMAL_BYTES {
        return Err(Fault::new(FaultKind::PatternLength, format!("{length} bytes of {}", limits::NORMAL_BYTES)));
    }
    if size > limits::DFA_BYTES {
        return Err(Fault::new(FaultKind::AutomatonSize, format!("{size} bytes of {}", limits::DFA_BYTES)));
    }
    let capital = pattern.literals.iter().find(|literal| literal.bytes().any(|byte| byte.is_ascii_uppercase()));
    match capital {
        Some(literal) if pattern.fold => Err(Fault::new(FaultKind::LiteralCase, format!("{literal:?}"))),
        Some(_) | None => Ok(()),
    }
}

fn check_routine(program: &Program<'_>, block: &Block<'_>, routine: &Routine<'_>) -> Result<(), Fault> {
    if routine.code.len() > limits::CODE_BYTES {
        let detail = format!("{} bytes of {}", routine.code.len(), limits::CODE_BYTES);
        return Err(Fault::new(FaultKind::CodeLength, detail));
    }
    let starts = check_instructions(program, block, routine)?;
    check_jumps(routine, &starts)?;
    let mut before = 0;
    for CodePlace { offset, place, trigger: _ } in &routine.places {
        check_place(program, *place)?;
        if *offset < before {
            return Err(Fault::new(FaultKind::PlaceOrder, format!("after {before}")).at(*offset as usize));
        }
        before = *offset;
        if starts.binary_search(&(*offset as usize)).is_err() {
            return Err(Fault::new(FaultKind::PlaceOffset, "no instruction begins there").at(*offset as usize));
        }
    }
    Ok(())
}

/// Each instruction by itself, and that the last one halts. Where they begin, rising.
fn check_instructions(program: &Program<'_>, block: &Block<'_>, routine: &Routine<'_>) -> Result<Vec<usize>, Fault> {
    let triggers = routine.places.iter().map(|place| place.trigger).collect();
    let mut starts = Vec::new();
    let (mut offset, mut halts) = (0, false);
    while offset < routine.code.len() {
        let Some((op, next)) = Op::decode(&routine.code, offset) else {
            return Err(Fault::new(FaultKind::NoInstruction, "these bytes mean nothing").at(offset));
        };
        op.check(&Scope { block, routine, triggers: &triggers, offset })
            .map_err(|fault| Fault::from(fault).at(offset))?;
        if let Op::Compare { signal, .. } = op {
            check_signal(program, signal).map_err(|fault| fault.at(offset))?;
        }
        starts.push(offset);
        halts = op.halts();
        offset = next;
    }
    if halts { Ok(starts) } else { Err(Fault::new(FaultKind::NoEnd, "the code can be run off").at(offset)) }
}

/// Jumps go to where instructions begin. That they go forward and stay inside, their operand has checked.
fn check_jumps(routine: &Routine<'_>, starts: &[usize]) -> Result<(), Fault> {
    for offset in starts {
        let target = Op::decode(&routine.code, *offset).and_then(|(op, _)| op.target());
        if let Some(target) = target
            && starts.binary_search(&(target.0 as usize)).is_err()
        {
            return Err(Fault::new(FaultKind::JumpInside, format!("to {}", target.0)).at(*offset));
        }
    }
    Ok(())
}

fn check_dispatch(program: &Program<'_>, table: &Dispatch<'_>) -> Result<(), Fault> {
    rising(FaultKind::ToolOrder, table.tools.iter().map(|row| &row.tool))?;
    for row in &table.tools {
        check_row(program, table, row.blocks.iter().copied())?;
    }
    check_row(program, table, table.others.iter().map(|row| row.block))?;
    table.others.iter().flat_map(|row| &row.guards).try_for_each(check_pattern)
}

fn check_row(program: &Program<'_>, table: &Dispatch<'_>, row: impl Iterator<Item = u32> + Clone) -> Result<(), Fault> {
    rising(FaultKind::RowOrder, row.clone())?;
    for index in row {
        let position = program.blocks.binary_search_by_key(&index, |block| block.index);
        let Some(block) = position.ok().and_then(|position| program.blocks.get(position)) else {
            return Err(Fault::new(FaultKind::NoSuchBlock, format!("block {index}")));
        };
        if !block.routines.iter().any(|routine| routine.event == table.event) {
            let fault = Fault::new(FaultKind::NoRoutine, "a dispatch row names the block");
            return Err(fault.in_block(&block.id));
        }
    }
    Ok(())
}

/// Each is greater than the one before.
fn rising<T: PartialOrd + std::fmt::Debug>(kind: FaultKind, values: impl Iterator<Item = T>) -> Result<(), Fault> {
    let mut before: Option<T> = None;
    for value in values {
        if let Some(before) = before.filter(|before| *before >= value) {
            return Err(Fault::new(kind, format!("{value:?} after {before:?}")));
        }
        before = Some(value);
    }
    Ok(())
}
