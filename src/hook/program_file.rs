//! A program file read piecewise, as an event needs it. Uses the host alone; knows nothing of what the bytes mean.

use crate::bytecode::container;
use crate::error::{Error, ErrorKind, Result};
use crate::host::{Host, OpenFile};
use std::cell::{Cell, OnceCell};
use std::io;
use std::path::PathBuf;

/// Read at once, from the beginning: of an ordinary catalogue all that tells an event that concerns nobody. One page, for
/// each costs more to bring in than a read does.
const HEAD_BYTES: u64 = 4 << 10;

/// An open program file and what was read of it. It stays the same program when `forge compile` puts a new one in its
/// place meanwhile.
pub(crate) struct ProgramFile {
    path: PathBuf,
    file: Box<dyn OpenFile>,
    head: Vec<u8>,
    pieces: Pieces,
}

impl ProgramFile {
    /// Opens the file and reads its beginning.
    ///
    /// # Errors
    /// When it is missing or cannot be read.
    pub(crate) fn open(host: &dyn Host, path: PathBuf) -> Result<Self> {
        let opened = host.open(&path).and_then(|file| {
            let head = file.bytes(0, usize::try_from(file.length().min(HEAD_BYTES)).unwrap_or(usize::MAX))?;
            Ok((file, head))
        });
        match opened {
            Ok((file, head)) => Ok(Self { path, file, head, pieces: Pieces::default() }),
            Err(error) => Err(unreadable(path, error)),
        }
    }
}

/// Why a program cannot be had, and what to do about it.
pub(super) fn unreadable(path: PathBuf, error: io::Error) -> Error {
    if matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory) {
        return Error::new(ErrorKind::NoProgram, "there is no compiled program; run `forge compile`").at(&path);
    }
    Error::io("read the compiled program; run `forge compile`, or make it a readable file", &path, error)
}

impl<'a> container::Source<'a> for &'a ProgramFile {
    fn length(&self) -> u64 {
        self.file.length()
    }

    fn bytes(&self, at: u64, length: u64) -> Result<&'a [u8]> {
        // Checked before anything is allocated: lengths come from the file.
        if at.checked_add(length).is_none_or(|end| end > self.file.length()) {
            return Err(container::ends_before(at.saturating_add(length)));
        }
        let start = usize::try_from(at).unwrap_or(usize::MAX);
        let length = usize::try_from(length).unwrap_or(usize::MAX);
        if let Some(piece) = self.head.get(start..start.saturating_add(length)) {
            return Ok(piece);
        }
        let piece = self.file.bytes(at, length).map_err(|error| unreadable(self.path.clone(), error))?;
        Ok(self.pieces.keep(piece))
    }
}

/// Places for pieces, filled one after the other.
type Row = Box<[OnceCell<Vec<u8>>]>;

/// Keeps pieces where they are for as long as it lives: row `n` has room for 2ⁿ, so none ever moves.
#[derive(Default)]
struct Pieces {
    rows: [OnceCell<Row>; 32],
    kept: Cell<usize>,
}

impl Pieces {
    fn keep(&self, piece: Vec<u8>) -> &[u8] {
        let number = self.kept.get() + 1;
        self.kept.set(number);
        let row = number.ilog2();
        let slots = self
            .rows
            .get(row as usize)
            .map(|slots| slots.get_or_init(|| std::iter::repeat_with(OnceCell::new).take(1 << row).collect()));
        // Every number has its place: the bytes of a program are fewer than the places.
        let slot = slots.and_then(|slots| slots.get(number - (1 << row)));
        slot.map_or(&[], |slot| slot.get_or_init(|| piece))
    }
}
