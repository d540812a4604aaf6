//! The compiled program of a project, as far as one event needs it.

use super::program_file::{self, ProgramFile};
use crate::bytecode::{Verified, Work, container, verify};
use crate::error::Result;
use crate::host::Host;
use crate::limits;
use crate::model::{Call, OnError, Settings};
use crate::store::Paths;

/// The program file, open.
///
/// # Errors
/// When it is missing or cannot be read.
pub(super) fn open(host: &dyn Host, paths: &Paths) -> Result<ProgramFile> {
    ProgramFile::open(host, paths.program())
}

/// All bytes of the program file.
///
/// # Errors
/// As [`open`].
pub(super) fn read(host: &dyn Host, paths: &Paths) -> Result<Vec<u8>> {
    let path = paths.program();
    host.read(&path, limits::PROGRAM_BYTES).map_err(|error| program_file::unreadable(path, error))
}

/// The settings alone.
///
/// # Errors
/// When the file is not a program of this version.
pub(super) fn settings(file: &ProgramFile, paths: &Paths) -> Result<Settings> {
    container::settings(file).map_err(|error| error.at(&paths.program()))
}

/// The part of a program that concerns a call, proven harmless.
///
/// # Errors
/// When the file is not a program of this version, or not one that verifies.
pub(super) fn select<'a>(
    file: &'a ProgramFile,
    paths: &Paths,
    (call, work): (&Call<'_>, &Work),
) -> Result<Verified<'a>> {
    let part = container::select_within(file, call, work).and_then(|part| Ok(verify(part)?));
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
