//! Bytes -> the whole Program: every record, every seal, every byte. For people's commands, which have the time.
//! Uses the other files of `container`; a hook uses `select` instead.

use super::header::{self, Opened};
use super::seal::seal;
use super::select::Wanted;
use super::source::{Source, array};
use super::wire::{self, BlockRecord, OthersRecord, SourceMap, Wire};
use super::write::ENTRY_BYTES;
use super::{ALIGNMENT, aligned, damaged};
use crate::bytecode::program::{Block, Dispatch, PatternConst, Program, ToolRow};
use crate::error::Result;
use std::borrow::Cow;
use std::ops::Range;

/// How often the file may be read over: once to check its layout, once to decode it.
const READINGS: u64 = 2;

/// What a program watches: its settings, and the rows of every event, without patterns' automata. No blocks, places and
/// files: what is read does not grow with the rules, but for the tools they name.
///
/// # Errors
/// `OldProgram` when another version of forge made it, `BadProgram` when the parts read are damaged or none of ours.
pub fn outline<'a>(program: impl Source<'a>) -> Result<Program<'a>> {
    let file = header::open(program)?;
    let mut dispatch = Vec::new();
    for (table, size) in file.directory.dispatch.iter().enumerate() {
        let others = file.others(table)?.rows;
        let tools = file.tool_rows(table)?;
        dispatch.push(Dispatch { event: size.event, tools, others });
    }
    let (settings, watches) = (file.directory.settings, file.directory.watches);
    Ok(Program { sources: file.sources, settings, watches, files: Vec::new(), blocks: Vec::new(), dispatch })
}

/// The whole program.
///
/// # Errors
/// `OldProgram` when another version of forge made it, `BadProgram` when it is damaged or none of ours.
pub fn read(bytes: &[u8]) -> Result<Program<'_>> {
    let file = header::open(bytes)?;
    file.check_layout()?;
    let mut dispatch = Vec::new();
    for table in 0..file.directory.dispatch.len() {
        dispatch.push(file.dispatch(table)?);
    }
    let blocks = (0..file.directory.blocks).map(|index| file.block(index)).collect::<Result<Vec<_>>>()?;
    let map: SourceMap<'_> = file.decode(0, "source map")?;
    let mut program = Program {
        sources: file.sources,
        settings: file.directory.settings,
        watches: file.directory.watches,
        files: map.files,
        blocks,
        dispatch,
    };
    if map.blocks.len() != program.blocks.len() {
        return Err(damaged("the source map is of another program"));
    }
    for (block, places) in program.blocks.iter_mut().zip(map.blocks) {
        block.place = places.place;
        if block.routines.len() != places.routines.len() {
            return Err(damaged(format_args!("the source map of `{}` is of another behavior", block.id)));
        }
        for (routine, code) in block.routines.iter_mut().zip(places.routines) {
            routine.places = code;
        }
    }
    Ok(program)
}

impl<'a, S: Source<'a>> Opened<'a, S> {
    /// The numbers of a dispatch table's records: first the one for tools nobody names, then one per named tool.
    pub(super) fn dispatch_records(&self, table: usize) -> Range<u64> {
        let sizes = self.directory.dispatch.iter().map(|size| 1 + u64::from(size.tools));
        let before: u64 = sizes.clone().take(table).sum();
        let start = 1 + before;
        start..start + sizes.skip(table).take(1).sum::<u64>()
    }

    /// The number of the first block's record.
    fn first_block(&self) -> u64 {
        self.dispatch_records(self.directory.dispatch.len()).start
    }

    fn first_automaton(&self) -> u64 {
        self.first_block() + u64::from(self.directory.blocks)
    }

    fn records(&self) -> u64 {
        self.first_automaton() + u64::from(self.directory.automata)
    }

    /// Where a record lies, as the table has it: offset, length and seal. Not yet trusted.
    fn entry(&self, number: u64) -> Result<(u64, u64, u64)> {
        let entry = self.source.bytes(self.table + number * ENTRY_BYTES, ENTRY_BYTES)?;
        let at = u32::from_le_bytes(array(entry, 0)?);
        let length = u32::from_le_bytes(array(entry, 4)?);
        Ok((u64::from(at), u64::from(length), u64::from_le_bytes(array(entry, 8)?)))
    }

    /// A record's bytes, whole.
    fn record(&self, number: u64, what: &str) -> Result<&'a [u8]> {
        let (at, length, sealed) = self.entry(number)?;
        if !at.is_multiple_of(ALIGNMENT) {
            return Err(damaged(format_args!("the {what} lies askew, at byte {at}")));
        }
        self.used.set(self.used.get().saturating_add(length));
        if self.used.get() > self.source.length().saturating_mul(READINGS) {
            return Err(damaged("its records overlap"));
        }
        let bytes = self.source.bytes(at, length)?;
        if self.is_whole.get() || seal(number, bytes) == sealed {
            Ok(bytes)
        } else {
            Err(damaged(format_args!("the {what} at byte {at} is damaged (its checksum differs)")))
        }
    }

    fn decode<T: Wire<'a>>(&self, number: u64, what: &str) -> Result<T> {
        wire::decode(self.record(number, what)?, what)
    }

    fn tool_rows(&self, table: usize) -> Result<Vec<ToolRow<'a>>> {
        self.dispatch_records(table).skip(1).map(|number| self.tool_row(number)).collect()
    }

    pub(super) fn tool_row(&self, number: u64) -> Result<ToolRow<'a>> {
        self.decode(number, "row of a tool")
    }

    /// The rows for tools nobody names.
    pub(super) fn others(&self, table: usize) -> Result<OthersRecord<'a>> {
        self.decode(self.dispatch_records(table).start, "table of other tools")
    }

    fn dispatch(&self, table: usize) -> Result<Dispatch<'a>> {
        let OthersRecord { rows: mut others, automata } = self.others(table)?;
        self.attach(others.iter_mut().flat_map(|row| &mut row.guards), &automata, &Wanted::All)?;
        let tools = self.tool_rows(table)?;
        let event = self.directory.dispatch.get(table).map(|size| size.event);
        let event = event.ok_or_else(|| damaged("a dispatch table is missing"))?;
        Ok(Dispatch { event, tools, others })
    }

    /// The block with this index, without its places.
    fn block(&self, index: u32) -> Result<Block<'a>> {
        let (mut block, automata) = self.bare_block(index)?;
        self.attach(&mut block.patterns, &automata, &Wanted::All)?;
        Ok(block)
    }

    /// The block with this index, without its places and automata; and the numbers of these.
    pub(super) fn bare_block(&self, index: u32) -> Result<(Block<'a>, Vec<u32>)> {
        if index >= self.directory.blocks {
            return Err(damaged(format_args!("there is no block {index}")));
        }
        let BlockRecord { mut block, automata } = self.decode(self.first_block() + u64::from(index), "block")?;
        block.index = index;
        Ok((block, automata))
    }

    /// Gives patterns their automata, by number from 1; 0 leaves one without, and so does not being wanted.
    pub(super) fn attach<'p>(
        &self,
        patterns: impl IntoIterator<Item = &'p mut PatternConst<'a>>,
        numbers: &[u32],
        wanted: &Wanted,
    ) -> Result<()>
    where
        'a: 'p,
    {
        let mut numbers = numbers.iter();
        for (position, pattern) in patterns.into_iter().enumerate() {
            let number = *numbers.next().ok_or_else(|| damaged("a pattern has no number of its automaton"))?;
            if number > self.directory.automata {
                return Err(damaged(format_args!("there is no automaton {number}")));
            }
            if number > 0 && wanted.includes(position) {
                pattern.automaton = Cow::Borrowed(self.automaton(number)?);
            }
        }
        match numbers.next() {
            None => Ok(()),
            Some(number) => Err(damaged(format_args!("automaton {number} belongs to no pattern"))),
        }
    }

    /// An automaton by number from 1; each is read once, however many patterns share it.
    fn automaton(&self, number: u32) -> Result<&'a [u8]> {
        if let Some(known) = self.automata.borrow().get(&number) {
            return Ok(known);
        }
        let stored = self.record(self.first_automaton() + u64::from(number) - 1, "automaton")?;
        self.automata.borrow_mut().insert(number, stored);
        Ok(stored)
    }

    /// That the records fill the file: in their order, each at the first aligned byte after the one before, zeros
    /// between them, nothing behind; and that every one of them is whole.
    fn check_layout(&self) -> Result<()> {
        let mut end = header::HEADER_BYTES + self.directory_bytes;
        self.check_zeros(end, self.table)?;
        end = self.table.saturating_add(self.records().saturating_mul(ENTRY_BYTES));
        for number in 0..self.records() {
            let (at, length, _) = self.entry(number)?;
            if at != aligned(end) {
                return Err(damaged(format_args!("record {number} begins at byte {at} instead of {}", aligned(end))));
            }
            self.check_zeros(end, at)?;
            self.record(number, "record")?;
            end = at + length;
        }
        let length = self.source.length();
        if end != length {
            return Err(damaged(format_args!("the records end at byte {end} of {length}")));
        }
        self.is_whole.set(true);
        Ok(())
    }

    fn check_zeros(&self, from: u64, to: u64) -> Result<()> {
        if self.source.bytes(from, to - from)?.iter().all(|byte| *byte == 0) {
            Ok(())
        } else {
            Err(damaged(format_args!("there is something between records at byte {from}")))
        }
    }
}
