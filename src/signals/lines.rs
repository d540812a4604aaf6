//! The new lines of a growing file: from where the last event stopped, whole lines only, a bounded number of bytes.
//! May use `host` and `limits`; knows nothing of what a line means.

use super::fact::{Hash, hash};
use crate::host::Host;
use crate::limits;
use serde::{Deserialize, Serialize};
use std::io;
use std::path::Path;

/// How far a file was read.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub(super) struct Position {
    /// The first byte not yet understood.
    offset: u64,
    /// The length the file had when all its whole lines were read; none while there is a backlog.
    done_at: Option<u64>,
    /// The bytes just before `offset`, by which another file under the same name is noticed.
    tail: Hash,
    /// Inside a line too long to be understood.
    is_skipping: bool,
}

/// What a look at a file came to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Found {
    /// Another file: what was known of the old one is void. Nothing was read yet.
    Replaced,
    /// All there is has been read, if true; otherwise the bytes ran out first.
    Read(bool),
}

/// How many bytes before the offset are compared.
const TAIL: u64 = 32;

impl Position {
    /// Reads on, line by line, as long as the budget lasts.
    ///
    /// # Errors
    /// As the system says; lines before the error have been told.
    pub(super) fn read_on(
        &mut self,
        host: &dyn Host,
        path: &Path,
        budget: &mut usize,
        each: &mut dyn FnMut(&str),
    ) -> io::Result<Found> {
        let length = host.length(path)?;
        if self.done_at == Some(length) {
            return Ok(Found::Read(true));
        }
        if length < self.offset {
            *self = Self::default();
            return Ok(Found::Replaced);
        }
        self.done_at = None;
        let mut want = limits::TRANSCRIPT_CHUNK;
        while *budget > 0 {
            let back = self.offset.min(TAIL);
            let behind = usize::try_from(back).unwrap_or(0);
            let bytes = host.read_at(path, self.offset - back, want + behind)?;
            let (before, new) = bytes.split_at_checked(behind).unwrap_or((&bytes, &[]));
            if back > 0 && tail(before) != self.tail {
                *self = Self::default();
                return Ok(Found::Replaced);
            }
            // What is read twice, because a line does not end in this piece, costs twice.
            *budget = budget.saturating_sub(new.len());
            let at_end = new.len() < want;
            let Some(end) = new.iter().rposition(|byte| *byte == b'\n').map(|at| at + 1) else {
                if at_end {
                    // The last line is still being written.
                    self.done_at = Some(length);
                    return Ok(Found::Read(true));
                }
                if self.is_skipping || want >= limits::TRANSCRIPT_LINE {
                    self.is_skipping = true;
                    self.pass(&bytes, new.len());
                } else {
                    want *= 2;
                }
                continue;
            };
            let whole = new.get(..end).unwrap_or_default();
            for line in whole.split_inclusive(|byte| *byte == b'\n') {
                if !std::mem::take(&mut self.is_skipping) {
                    each(&String::from_utf8_lossy(line));
                }
            }
            let read = bytes.get(..behind + end).unwrap_or(&bytes);
            self.pass(read, end);
            want = limits::TRANSCRIPT_CHUNK;
            if at_end {
                self.done_at = Some(length);
                return Ok(Found::Read(true));
            }
        }
        Ok(Found::Read(false))
    }

    /// Moves on by the last `count` of these bytes.
    fn pass(&mut self, bytes: &[u8], count: usize) {
        self.offset = self.offset.saturating_add(u64::try_from(count).unwrap_or(u64::MAX));
        let kept = usize::try_from(self.offset.min(TAIL)).unwrap_or(0);
        self.tail = tail(bytes.get(bytes.len().saturating_sub(kept)..).unwrap_or_default());
    }
}

fn tail(bytes: &[u8]) -> Hash {
    hash(&[&String::from_utf8_lossy(bytes)])
}
