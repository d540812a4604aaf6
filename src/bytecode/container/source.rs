//! Where a program's bytes come from: memory, or positional reads of a file.
//! Uses `error`; knows nothing of what the bytes mean.

use super::damaged;
use crate::error::{Error, Result};

/// Bytes that can be had piecewise. Whoever implements it keeps what it gave for as long as `'a`, and begins each
/// piece at an address divisible by eight where `at` is.
pub trait Source<'a> {
    /// How many there are.
    fn length(&self) -> u64;

    /// `length` bytes from `at` on.
    ///
    /// # Errors
    /// When there are not so many, or reading fails.
    fn bytes(&self, at: u64, length: u64) -> Result<&'a [u8]>;
}

impl<'a> Source<'a> for &'a [u8] {
    fn length(&self) -> u64 {
        self.len() as u64
    }

    fn bytes(&self, at: u64, length: u64) -> Result<&'a [u8]> {
        let start = usize::try_from(at).ok();
        let end = at.checked_add(length).and_then(|end| usize::try_from(end).ok());
        start
            .zip(end)
            .and_then(|(start, end)| self.get(start..end))
            .ok_or_else(|| ends_before(at.saturating_add(length)))
    }
}

/// The error of a file that should be longer.
pub fn ends_before(end: u64) -> Error {
    damaged(format_args!("the program ends before byte {end}"))
}

/// An array out of a piece that is long enough.
pub(super) fn array<const N: usize>(piece: &[u8], at: usize) -> Result<[u8; N]> {
    piece.get(at..).and_then(|rest| rest.first_chunk()).copied().ok_or_else(|| ends_before(at.saturating_add(N) as u64))
}
