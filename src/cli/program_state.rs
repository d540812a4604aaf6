//! Whether the compiled program is there, sound, and what the sources say. Reads, writes nothing.

use super::project;
use crate::bytecode::{container, verify};
use crate::diagnostic::Sources;
use crate::host::Host;
use crate::limits;
use crate::store::Paths;
use std::io;
use std::path::Path;

/// What can be said of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum ProgramState {
    /// It enforces what the files say.
    Current,
    /// The files changed since.
    Stale,
    /// It was never made.
    Missing,
    /// The hook refuses it; why.
    Broken(String),
}

impl ProgramState {
    /// Looks at the program of these sources.
    pub(super) fn of(host: &dyn Host, root: &Path, sources: &Sources) -> Self {
        let bytes = match host.read(&Paths::new(root).program(), limits::PROGRAM_BYTES) {
            Ok(bytes) => bytes,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Self::Missing,
            Err(error) => return Self::Broken(error.to_string()),
        };
        match container::read(&bytes) {
            Err(error) => Self::Broken(error.to_string()),
            Ok(program) => {
                let made_of = program.sources;
                match verify(program) {
                    Err(fault) => Self::Broken(fault.to_string()),
                    Ok(_) if made_of == project::digest(sources) => Self::Current,
                    Ok(_) => Self::Stale,
                }
            }
        }
    }

    /// One word.
    pub(super) fn name(&self) -> &'static str {
        match self {
            Self::Current => "current",
            Self::Stale => "stale",
            Self::Missing => "missing",
            Self::Broken(_) => "broken",
        }
    }

    /// What is wrong and what to do, in words.
    pub(super) fn problem(&self) -> Option<String> {
        match self {
            Self::Current => None,
            Self::Stale => Some(String::from("the program is older than the files; run `forge compile`")),
            Self::Missing => Some(String::from("there is no program, so nothing is enforced; run `forge compile`")),
            Self::Broken(why) => Some(format!("the program cannot be used: {why}; run `forge compile`")),
        }
    }
}
