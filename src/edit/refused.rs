//! Why a file was not edited. Plain data; whoever prints it adds the file's name.

use crate::model::Place;
use std::fmt;

/// An edit that was not made. Its text says why and what to do instead.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Refused {
    what: String,
    place: Place,
}

impl Refused {
    pub(super) fn new(what: impl Into<String>, place: Place) -> Self {
        Self { what: what.into(), place }
    }

    /// The edit would have changed more than it should.
    pub(super) fn unsafe_edit(place: Place) -> Self {
        Self::new("this layout cannot be changed without touching its comments or other values; edit it by hand", place)
    }

    /// Where in the file.
    #[must_use]
    pub fn place(&self) -> Place {
        self.place
    }
}

impl fmt::Display for Refused {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.what)
    }
}

impl std::error::Error for Refused {}
