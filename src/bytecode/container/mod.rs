//! Program <-> bytes: the file `.forge/compiled/program.fbc`, laid out so that one event reads only what concerns it.
//! The one place that knows bincode. Nothing read here is trusted beyond its shape; `verify` judges what it says.
//!
//! ```text
//! header | directory | record table | records: source map, per event (others, tool, tool, …), blocks, automata
//! ```
//!
//! `bytecode-spec/container.md` describes every byte.

mod header;
mod read;
mod seal;
mod select;
mod source;
mod wire;
mod write;

pub use header::{FORMAT, settings, sources};
pub use read::{outline, read};
pub use seal::seal;
pub use select::{select, select_for, select_within};
pub use source::{Source, ends_before};
pub use write::write;

use crate::error::{Error, ErrorKind};

/// Records begin at multiples of this, and so may the automata in them be used where they lie.
const ALIGNMENT: u64 = 8;

/// `at`, or the next place a record may begin.
const fn aligned(at: u64) -> u64 {
    at.next_multiple_of(ALIGNMENT)
}

/// The file is not what a writer of this format makes.
fn damaged(what: impl std::fmt::Display) -> Error {
    Error::new(ErrorKind::BadProgram, format!("{what}; make it anew with `forge compile --force`"))
}
