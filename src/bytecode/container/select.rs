//! Bytes -> the part of a Program that one event concerns. What is read does not grow with the rest of the catalogue.
//! Uses the other files of `container`; decides nothing but which blocks are concerned.

use super::header::{self, Opened};
use super::source::Source;
use super::{damaged, wire};
use crate::bytecode::program::{Dispatch, OtherRow, Program, ToolRow};
use crate::error::Result;
use crate::model::Event;
use std::cmp::Ordering;

/// A program that decides about `event` and `tool` (ignored for events without one) exactly as the whole one would,
/// with the blocks that are concerned alone. It has no source files and no places; those are for people.
///
/// # Errors
/// `OldProgram` when another version of forge made it, `BadProgram` when the parts read are damaged or none of ours.
pub fn select<'a>(program: impl Source<'a>, event: Event, tool: &str) -> Result<Program<'a>> {
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
        None => Dispatch { event, tools: Vec::new(), others: file.unnamed(table, tool)? },
    };
    let rows = dispatch.tools.iter().flat_map(|row| &row.blocks);
    let mut next = 0;
    for index in rows.chain(dispatch.others.iter().map(|row| &row.block)) {
        if *index < next {
            return Err(damaged(format_args!("a dispatch table is out of order at block {index}")));
        }
        next = index.saturating_add(1);
        let mut block = file.block(*index)?;
        block.routines.retain(|routine| routine.event == event);
        selected.blocks.push(block);
    }
    selected.dispatch.push(dispatch);
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
    fn unnamed(&self, table: usize, tool: &str) -> Result<Vec<OtherRow<'a>>> {
        let wire::OthersRecord { mut rows, automata } = self.others(table)?;
        self.attach(rows.iter_mut().flat_map(|row| &mut row.guards), &automata)?;
        rows.retain(|row| row.guards.is_empty() || row.guards.iter().any(|guard| guard.is_found(tool)));
        Ok(rows.into_iter().map(|row| OtherRow { block: row.block, guards: Vec::new() }).collect())
    }
}
