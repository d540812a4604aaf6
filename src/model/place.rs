//! Where something stands in the author's files. Carried from the YAML reader to diagnostics and to `forge disasm`.

/// Which source file: an index into [`Catalogue::files`](super::Catalogue::files).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct FileId(pub u32);

/// A stretch of one source file.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Place {
    /// The file.
    pub file: FileId,
    /// First byte, counted from the start of the file.
    pub start: u32,
    /// One past the last byte; never below `start`.
    pub end: u32,
    /// Line of `start`, from 1.
    pub line: u32,
    /// Column of `start` in characters, from 1.
    pub column: u32,
}

/// A value and the place it was written at. Equality looks at the value alone: two catalogues that say the same
/// are the same, wherever the words stand.
#[derive(Clone, Copy, Debug, Default)]
pub struct Placed<T> {
    /// What was written.
    pub value: T,
    /// Where.
    pub place: Place,
}

impl<T: PartialEq> PartialEq for Placed<T> {
    fn eq(&self, other: &Self) -> bool {
        self.value == other.value
    }
}

impl<T: Eq> Eq for Placed<T> {}

impl<T> Placed<T> {
    /// A value that stands nowhere, as generated catalogues have it.
    pub fn nowhere(value: T) -> Self {
        Self { value, place: Place::default() }
    }
}
