//! Bytes -> the part of a Program that one event concerns. What is read does not grow with the rest of the catalogue.
//! Uses the other files of `container`; decides nothing but which blocks are concerned.

use super::header::{self, Opened};
use super::source::Source;
use super::{damaged, wire};
use crate::bytecode::Work;
use crate::bytecode::op::Op;
use crate::bytecode::operand::PatternId;
use crate::bytecode::program::{Block, Dispatch, OtherRow, PatternConst, Program, ToolRow};
use crate::error::Result;
use crate::model::{Call, Event};
use std::cmp::Ordering;
use std::collections::BTreeSet;

/// To look for literals in a longer text twice, here and in the machine, costs more than to read an automaton.
const LONG: usize = 16 << 10;

/// A program that decides about `event` and `tool` (ignored for events without one) exactly as the whole one would,
/// with the blocks that are concerned alone. It has no source files and no places; those are for people.
///
/// # Errors
/// `OldProgram` when another version of forge made it, `BadProgram` when the parts read are damaged or none of ours.
pub fn select<'a>(program: impl Source<'a>, event: Event, tool: &str) -> Result<Program<'a>> {
    part(program, event, tool, &Work::of_one_event(), |_| Wanted::All)
}

/// As [`select`], for one call: without the automata that its texts cannot need, because no literal of the pattern is
/// in them. They are by far the most of a program's bytes.
///
/// # Errors
/// As [`select`].
pub fn select_for<'a>(program: impl Source<'a>, call: &Call<'_>) -> Result<Program<'a>> {
    select_within(program, call, &Work::of_one_event())
}

/// As [`select_for`], for one view of a call of several: what it costs comes off the event's work.
///
/// # Errors
/// As [`select`]. What was selected is of no meaning once the work is spent.
pub fn select_within<'a>(program: impl Source<'a>, call: &Call<'_>, work: &Work) -> Result<Program<'a>> {
    part(program, call.event, &call.tool, work, |block| Wanted::Some(needed(block, call, work)))
}

/// What it costs to read, check and verify a byte of a record.
const READING: u64 = 16;

/// Which automata of a block are read.
pub(super) enum Wanted {
    All,
    /// Of the patterns with these positions.
    Some(BTreeSet<usize>),
}

impl Wanted {
    pub(super) fn includes(&self, position: usize) -> bool {
        match self {
            Self::All => true,
            Self::Some(positions) => positions.contains(&position),
        }
    }
}

/// The patterns of a block that some test of its code applies to a text their literals do not rule out. To leave one
/// out that is needed would cost time and change nothing: the fallback engine decides alike. Without work left, all are.
fn needed(block: &Block<'_>, call: &Call<'_>, work: &Work) -> BTreeSet<usize> {
    let mut needed = BTreeSet::new();
    for routine in &block.routines {
        let mut offset = 0;
        while let Some((op, next)) = Op::decode(&routine.code, offset) {
            offset = next;
            let Some((id, text)) = tried(op, call) else { continue };
            let position = usize::from(id.0);
            let pattern = block.patterns.get(position);
            let may_be_in = |pattern: &PatternConst<'_>| {
                text.len() > LONG || !work.spend(pattern.cost_of_literals(text)) || pattern.may_be_in(text)
            };
            if !needed.contains(&position) && pattern.is_some_and(may_be_in) {
                needed.insert(position);
            }
        }
    }
    needed
}

/// The pattern an instruction runs, and on which text.
fn tried<'c>(op: Op, call: &'c Call<'_>) -> Option<(PatternId, &'c str)> {
    if let Op::Matches { field, pattern } = op {
        return Some((pattern, call.fields.get(field)));
    }
    if let Op::ToolMatches { pattern } = op {
        return Some((pattern, if call.event.has_tool() { &call.tool } else { "" }));
    }
    None
}

fn part<'a>(
    program: impl Source<'a>,
    event: Event,
    tool: &str,
    work: &Work,
    wanted: impl Fn(&Block<'a>) -> Wanted,
) -> Result<Program<'a>> {
    let file = header::open(program)?;
    let mut selected = Program {
        sources: file.sources,
        settings: file.directory.settings,
        watches: file.directory.watches,
        files: Vec::new(),
        blocks: Vec::new(),
        dispatch: Vec::new(),
    };
    let Some(table) = file.directory.dispatch.iter().position(|size| size.event == event) else { return Ok(selected) };
    let tool = if event.has_tool() { tool } else { "" };
    let named = if event.has_tool() { file.named(table, tool)? } else { None };
    let dispatch = match named {
        Some(row) => Dispatch { event, tools: vec![row], others: Vec::new() },
        None => Dispatch { event, tools: Vec::new(), others: file.unnamed(table, tool, work)? },
    };
    let rows = dispatch.tools.iter().flat_map(|row| &row.blocks);
    let mut next = 0;
    for index in rows.chain(dispatch.others.iter().map(|row| &row.block)) {
        if *index < next {
            return Err(damaged(format_args!("a dispatch table is out of order at block {index}")));
        }
        next = index.saturating_add(1);
        let (mut block, automata) = file.bare_block(*index)?;
        block.routines.retain(|routine| routine.event == event);
        let wanted = wanted(&block);
        file.attach(&mut block.patterns, &automata, &wanted)?;
        selected.blocks.push(block);
    }
    selected.dispatch.push(dispatch);
    work.spend(READING.saturating_mul(file.used.get()));
    Ok(selected)
}

impl<'a, S: Source<'a>> Opened<'a, S> {
    /// The row of a tool, if it is named. Every row looked at on the way is checked by its seal, so damage cannot lead
    /// the search past the right one.
    fn named(&self, table: usize, tool: &str) -> Result<Option<ToolRow<'a>>> {
        let mut left = self.dispatch_records(table);
        left.start += 1;
        while !left.is_empty() {
            let middle = left.start + (left.end - left.start) / 2;
            let row = self.tool_row(middle)?;
            match row.tool.as_ref().cmp(tool) {
                Ordering::Equal => return Ok(Some(row)),
                Ordering::Less => left.start = middle + 1,
                Ordering::Greater => left.end = middle,
            }
        }
        Ok(None)
    }

    /// The rows that concern a tool nobody names. Their guards have spoken, and are left out.
    fn unnamed(&self, table: usize, tool: &str, work: &Work) -> Result<Vec<OtherRow<'a>>> {
        let wire::OthersRecord { mut rows, automata } = self.others(table)?;
        self.attach(rows.iter_mut().flat_map(|row| &mut row.guards), &automata, &Wanted::All)?;
        rows.retain(|row| row.guards.is_empty() || row.guards.iter().any(|guard| guard.is_found_within(tool, work)));
        Ok(rows.into_iter().map(|row| OtherRow { block: row.block, guards: Vec::new() }).collect())
    }
}
