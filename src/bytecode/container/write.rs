//! Program -> bytes. The same program always gives the same bytes.
//! Uses the other files of `container`; never reads.

use super::header::{self, HEADER_BYTES};
use super::seal::seal;
use super::wire::{BlockPlaces, BlockRecord, Directory, DispatchSize, OthersRecord, SourceMap, encode};
use super::{aligned, damaged};
use crate::bytecode::program::{PatternConst, Program};
use crate::error::{Error, ErrorKind, Result};
use crate::limits;
use std::borrow::Cow;
use std::collections::BTreeMap;

/// Bytes of one entry of the record table.
pub(super) const ENTRY_BYTES: u64 = 16;

/// The program as a file. It has to be whole: block `n` is the one with index `n`.
///
/// # Errors
/// When the program is larger than [`limits::PROGRAM_BYTES`], or only part of one.
pub fn write(program: &Program<'_>) -> Result<Vec<u8>> {
    if let Some((position, _)) = (0..).zip(&program.blocks).find(|(position, block)| block.index != *position) {
        return Err(damaged(format_args!("this is a part of a program: block {position} is missing")));
    }
    let mut automata = Automata::default();
    let mut records = vec![Cow::Owned(encode(&source_map(program))?)];
    let mut dispatch = Vec::new();
    for table in &program.dispatch {
        dispatch.push(DispatchSize { event: table.event, tools: number(table.tools.len())? });
        let guards = table.others.iter().flat_map(|row| &row.guards);
        let others = OthersRecord { rows: table.others.clone(), automata: automata.numbers(guards)? };
        records.push(Cow::Owned(encode(&others)?));
        for row in &table.tools {
            records.push(Cow::Owned(encode(row)?));
        }
    }
    for block in &program.blocks {
        let stored = BlockRecord { block: block.clone(), automata: automata.numbers(&block.patterns)? };
        records.push(Cow::Owned(encode(&stored)?));
    }
    let directory = encode(&Directory {
        settings: program.settings,
        watches: program.watches,
        dispatch,
        blocks: number(program.blocks.len())?,
        automata: number(automata.stored.len())?,
    })?;
    records.extend(automata.stored.into_iter().map(Cow::Borrowed));
    lay_out(program.sources, &directory, &records)
}

/// Places every record and writes the file from front to back.
fn lay_out(sources: [u8; 32], directory: &[u8], records: &[Cow<'_, [u8]>]) -> Result<Vec<u8>> {
    let table_at = aligned(HEADER_BYTES + directory.len() as u64);
    let mut end = table_at + records.len() as u64 * ENTRY_BYTES;
    let mut table = Vec::with_capacity(records.len() * ENTRY_BYTES as usize);
    for (record, position) in records.iter().zip(0_u64..) {
        let at = aligned(end);
        end = at + record.len() as u64;
        if end > limits::PROGRAM_BYTES as u64 {
            return Err(Error::new(
                ErrorKind::BadProgram,
                format!(
                    "the compiled program would be larger than {} MiB; split the catalogue, or write simpler patterns",
                    limits::PROGRAM_BYTES >> 20
                ),
            ));
        }
        table.extend((at as u32).to_le_bytes());
        table.extend((record.len() as u32).to_le_bytes());
        table.extend(seal(position, record).to_le_bytes());
    }
    let mut bytes = header::write(sources, directory, end);
    pad(&mut bytes);
    bytes.extend(table);
    for record in records {
        pad(&mut bytes);
        bytes.extend(record.iter());
    }
    Ok(bytes)
}

fn pad(bytes: &mut Vec<u8>) {
    bytes.resize(aligned(bytes.len() as u64) as usize, 0);
}

/// Automata in the order in which they are first met, each once.
#[derive(Default)]
struct Automata<'p> {
    stored: Vec<&'p [u8]>,
    /// In the order of their bytes: to compare a dozen beginnings is a fraction of digesting one as a whole.
    known: BTreeMap<&'p [u8], u32>,
}

impl<'p> Automata<'p> {
    /// The numbers of the patterns' automata, from 1; 0 where a pattern has none.
    fn numbers<'q: 'p>(&mut self, patterns: impl IntoIterator<Item = &'p PatternConst<'q>>) -> Result<Vec<u32>> {
        patterns.into_iter().map(|pattern| self.store(&pattern.automaton)).collect()
    }

    fn store(&mut self, automaton: &'p [u8]) -> Result<u32> {
        if automaton.is_empty() {
            return Ok(0);
        }
        if let Some(known) = self.known.get(automaton) {
            return Ok(*known);
        }
        self.stored.push(automaton);
        let position = number(self.stored.len())?;
        self.known.insert(automaton, position);
        Ok(position)
    }
}

fn source_map<'a>(program: &Program<'a>) -> SourceMap<'a> {
    let blocks = program.blocks.iter().map(|block| BlockPlaces {
        place: block.place,
        routines: block.routines.iter().map(|routine| routine.places.clone()).collect(),
    });
    SourceMap { files: program.files.clone(), blocks: blocks.collect() }
}

fn number(count: usize) -> Result<u32> {
    u32::try_from(count).map_err(|_| damaged(format_args!("{count} are too many for one program")))
}
