//! The one operational error: a file that cannot be read, a program that cannot be loaded.
//! May use `std` alone. Mistakes in the author's YAML are never an `Error`; they are diagnostics, collected.

use std::fmt;
use std::path::{Path, PathBuf};

/// Something outside the user's content went wrong. Opaque: callers print it or look at [`Error::kind`].
/// Its text has the place, the cause and, after a semicolon, the remedy.
#[derive(Debug)]
pub struct Error {
    kind: ErrorKind,
    path: Option<PathBuf>,
    what: String,
    source: Option<Box<dyn std::error::Error + Send + Sync>>,
}

/// What sort of thing went wrong, as far as a caller may act on it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ErrorKind {
    /// Reading or writing failed.
    Io,
    /// A compiled program is missing.
    NoProgram,
    /// A compiled program is damaged or not one of ours.
    BadProgram,
    /// A compiled program was made by another version of forge.
    OldProgram,
    /// An event on standard input cannot be understood.
    BadInput,
    /// The command was used wrongly.
    Usage,
    /// The user's files do not allow what was asked for.
    Content,
}

/// The result of everything operational.
pub type Result<T> = std::result::Result<T, Error>;

impl Error {
    /// An error of `kind`, saying `what`: lower case, no final period, the remedy after a semicolon.
    pub fn new(kind: ErrorKind, what: impl Into<String>) -> Self {
        Self { kind, path: None, what: what.into(), source: None }
    }

    /// A failed read or write of `path`; `doing` completes "cannot …".
    pub fn io(doing: &str, path: &Path, source: std::io::Error) -> Self {
        Self {
            kind: ErrorKind::Io,
            path: Some(path.to_path_buf()),
            what: format!("cannot {doing}"),
            source: Some(Box::new(source)),
        }
    }

    /// The same error, with the file it is about.
    #[must_use]
    pub fn at(mut self, path: &Path) -> Self {
        self.path.get_or_insert_with(|| path.to_path_buf());
        self
    }

    /// What sort of thing went wrong.
    #[must_use]
    pub fn kind(&self) -> ErrorKind {
        self.kind
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(path) = &self.path {
            write!(f, "{}: ", path.display())?;
        }
        f.write_str(&self.what)?;
        if let Some(source) = &self.source {
            write!(f, ": {source}")?;
        }
        Ok(())
    }
}

impl std::error::Error for Error {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        self.source.as_ref().map(|source| &**source as _)
    }
}
