//! The compiled program of a project, as far as one event needs it.

use crate::bytecode::{Verified, container, verify};
use crate::error::{Error, ErrorKind, Result};
use crate::host::Host;
use crate::limits;
use crate::model::{Event, OnError};
use crate::store::Paths;
use std::io;

/// The bytes of the program file.
///
/// # Errors
/// When it is missing or cannot be read.
pub(super) fn read(host: &dyn Host, paths: &Paths) -> Result<Vec<u8>> {
    let path = paths.program();
    host.read(&path, limits::PROGRAM_BYTES).map_err(|error| {
        if matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory) {
            return Error::new(ErrorKind::NoProgram, "there is no compiled program; run `forge compile`").at(&path);
        }
        Error::io("read the compiled program; run `forge compile`, or make it a readable file", &path, error)
    })
}

/// The part of a program that concerns an event, proven harmless.
///
/// # Errors
/// When the bytes are not a program of this version, or not one that verifies.
pub(super) fn select<'a>(bytes: &'a [u8], paths: &Paths, event: Event, tool: &str) -> Result<Verified<'a>> {
    let part = container::select(bytes, event, tool).and_then(|part| Ok(verify(part)?));
    part.map_err(|error| error.at(&paths.program()))
}

/// Checks all of a program.
///
/// # Errors
/// As [`select`].
pub(super) fn whole(bytes: &[u8], paths: &Paths) -> Result<()> {
    let checked = container::read(bytes).and_then(|program| Ok(verify(program)?));
    checked.map(drop).map_err(|error| error.at(&paths.program()))
}

/// What an event decides that cannot be judged. `forge compile` writes the word beside the program, because the
/// moment it is needed is the moment the program cannot be read. Absent or unreadable: `allow`.
pub(super) fn on_error(host: &dyn Host, paths: &Paths) -> OnError {
    let written = host.read(&paths.on_error(), 64).ok().and_then(|bytes| String::from_utf8(bytes).ok());
    written.and_then(|word| OnError::from_name(word.trim())).unwrap_or(OnError::Allow)
}
