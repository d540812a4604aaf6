//! The texts that places point into. A place is bytes, a line and a column; whoever shows one needs the text again.
//! Holds bytes that were read elsewhere; never reads a file itself.

use crate::limits;
use crate::model::{FileId, Place};
use std::ops::Range;

/// One file of a project.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Source {
    /// Its path below the project, with `/` on every system.
    pub name: String,
    /// What is in it; not necessarily text. Empty when it was too large to be read.
    pub bytes: Vec<u8>,
    /// Whether it is larger than `limits::YAML_BYTES`.
    pub too_large: bool,
}

impl Source {
    /// A file with this name and content.
    pub fn new(name: impl Into<String>, bytes: impl Into<Vec<u8>>) -> Self {
        let bytes = bytes.into();
        Self { name: name.into(), too_large: bytes.len() > limits::YAML_BYTES, bytes }
    }

    /// A file that is larger than `limits::YAML_BYTES` and was not read for that.
    pub fn too_large(name: impl Into<String>) -> Self {
        Self { name: name.into(), bytes: Vec::new(), too_large: true }
    }
}

/// All files of a project, sorted by name: the order of [`FileId`]s does not depend on the system that listed them.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Sources {
    files: Vec<Source>,
}

impl Sources {
    /// These files.
    #[must_use]
    pub fn new(mut files: Vec<Source>) -> Self {
        files.sort_by(|one, other| one.name.cmp(&other.name));
        Self { files }
    }

    /// Every file with its id.
    pub fn iter(&self) -> impl Iterator<Item = (FileId, &Source)> {
        (0u32..).map(FileId).zip(&self.files)
    }

    /// The file of this name.
    #[must_use]
    pub fn find(&self, name: &str) -> Option<(FileId, &Source)> {
        let index = self.files.binary_search_by(|source| source.name.as_str().cmp(name)).ok()?;
        Some((FileId(u32::try_from(index).ok()?), self.files.get(index)?))
    }

    /// The file a place is in.
    #[must_use]
    pub fn get(&self, file: FileId) -> Option<&Source> {
        self.files.get(file.0 as usize)
    }

    /// Its text, with U+FFFD where it is not UTF-8. Byte offsets before the first such place stay right.
    #[must_use]
    pub fn text(&self, file: FileId) -> std::borrow::Cow<'_, str> {
        self.get(file).map_or(std::borrow::Cow::Borrowed(""), |source| String::from_utf8_lossy(&source.bytes))
    }
}

/// The place of a stretch of a text, with its line and column counted.
#[must_use]
pub fn place(file: FileId, text: &str, range: Range<usize>) -> Place {
    let before = text.get(..range.start).unwrap_or(text);
    let line_start = before.rfind('\n').map_or(0, |newline| newline + 1);
    let column = before.get(line_start..).map_or(0, |line| line.chars().filter(|c| *c != '\u{feff}').count());
    Place {
        file,
        start: small(range.start),
        end: small(range.end.max(range.start)),
        line: small(before.bytes().filter(|byte| *byte == b'\n').count() + 1),
        column: small(column + 1),
    }
}

/// Offsets fit: larger files were refused by size.
fn small(number: usize) -> u32 {
    u32::try_from(number).unwrap_or(u32::MAX)
}
