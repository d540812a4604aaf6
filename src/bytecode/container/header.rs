//! The header and the directory: what the file is, whether this forge can read it, and how many records of what it has.
//! Uses sha2; reads nothing beyond the directory.

use super::source::{Source, array};
use super::wire::{self, Directory};
use super::{aligned, damaged};
use crate::error::{Error, ErrorKind, Result};
use crate::limits;
use crate::model::Settings;
use sha2::{Digest, Sha256};
use std::cell::{Cell, RefCell};
use std::collections::BTreeMap;

/// The version of the format, raised whenever a byte changes its meaning.
pub const FORMAT: u32 = 3;

/// First byte not text, then both line ends and an end-of-file: a transfer that "repairs" text is found at once.
pub(super) const MAGIC: [u8; 8] = *b"\x8fFBC\r\n\x1a\n";

/// Kept free, so that what follows stays aligned.
const RESERVED: [u8; 4] = [0; 4];

/// Bytes before the directory.
pub(super) const HEADER_BYTES: u64 = 96;
/// Bytes of the header that the digest covers, together with the directory.
const COVERED: usize = 64;

/// A file whose header and directory are sound.
pub(super) struct Opened<'a, S> {
    pub(super) source: S,
    pub(super) sources: [u8; 32],
    pub(super) directory: Directory,
    pub(super) directory_bytes: u64,
    /// Where the record table begins.
    pub(super) table: u64,
    /// Automata already found whole, by number: many patterns may share one.
    pub(super) automata: RefCell<BTreeMap<u32, &'a [u8]>>,
    /// Whether all records were found whole, so that none need be looked at again.
    pub(super) is_whole: Cell<bool>,
    /// Bytes read so far. Honest records do not overlap, so reading is bounded by the length of the file, and a file
    /// in which they do cannot keep a hook busy.
    pub(super) used: Cell<u64>,
}

/// The digest of the sources that a program was compiled from, after the checks of header and directory alone.
///
/// # Errors
/// `OldProgram` when another version of forge made it, `BadProgram` when it is damaged or none of ours.
pub fn sources<'a>(program: impl Source<'a>) -> Result<[u8; 32]> {
    Ok(open(program)?.sources)
}

/// What the config file said when the program was compiled, after the checks of header and directory alone.
///
/// # Errors
/// As [`sources`].
pub fn settings<'a>(program: impl Source<'a>) -> Result<Settings> {
    Ok(open(program)?.directory.settings)
}

/// Header and directory as bytes.
pub(super) fn write(sources: [u8; 32], directory: &[u8], total: u64) -> Vec<u8> {
    let mut bytes = Vec::with_capacity(HEADER_BYTES as usize + directory.len());
    bytes.extend(MAGIC);
    bytes.extend(FORMAT.to_le_bytes());
    bytes.extend(RESERVED);
    bytes.extend(total.to_le_bytes());
    bytes.extend(sources);
    bytes.extend((directory.len() as u64).to_le_bytes());
    let digest = digest(&bytes, directory);
    bytes.extend(digest);
    bytes.extend(directory);
    bytes
}

/// Each check relies on the ones before it: what it is, whether it can be read, whether it is whole, what it holds.
pub(super) fn open<'a, S: Source<'a>>(source: S) -> Result<Opened<'a, S>> {
    let length = source.length();
    let start = source.bytes(0, length.min(HEADER_BYTES))?;
    if !start.starts_with(&MAGIC) {
        return Err(damaged("this is not a compiled program of forge"));
    }
    check_version(u32::from_le_bytes(array(start, 8)?), array(start, 12)?)?;
    let declared = u64::from_le_bytes(array(start, 16)?);
    if declared != length {
        return Err(damaged(format_args!("the program should be {declared} bytes long and is {length}")));
    }
    if length > limits::PROGRAM_BYTES as u64 {
        return Err(damaged(format_args!("the program is larger than {} bytes", limits::PROGRAM_BYTES)));
    }
    let directory = source.bytes(HEADER_BYTES, u64::from_le_bytes(array(start, COVERED - 8)?))?;
    if digest(start.get(..COVERED).unwrap_or_default(), directory) != array::<32>(start, COVERED)? {
        return Err(damaged("the program's directory is damaged (its digest differs)"));
    }
    let directory_bytes = directory.len() as u64;
    let directory: Directory = wire::decode(directory, "directory")?;
    if !directory.dispatch.is_sorted_by(|one, next| one.event < next.event) {
        return Err(damaged("the directory names an event twice, or out of order"));
    }
    Ok(Opened {
        source,
        sources: array(start, 24)?,
        table: aligned(HEADER_BYTES + directory_bytes),
        directory_bytes,
        directory,
        automata: RefCell::default(),
        is_whole: Cell::default(),
        used: Cell::default(),
    })
}

fn check_version(format: u32, reserved: [u8; 4]) -> Result<()> {
    let old = |what: String| Err(Error::new(ErrorKind::OldProgram, what));
    if format < FORMAT {
        return old(format!(
            "an older forge compiled this (format {format}, now {FORMAT}); recompile with `forge compile`"
        ));
    }
    if format > FORMAT {
        return old(format!(
            "a newer forge compiled this (format {format}, here {FORMAT}); update forge, or recompile with `forge compile`"
        ));
    }
    if reserved != RESERVED {
        return old("a forge unknown here compiled this; recompile with `forge compile`".to_owned());
    }
    Ok(())
}

fn digest(header: &[u8], directory: &[u8]) -> [u8; 32] {
    Sha256::new().chain_update(header).chain_update(directory).finalize().into()
}
