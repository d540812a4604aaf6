//! Edits of YAML files that people wrote: a value, a key or an entry changes, and not one other byte. Uses the `yaml`
//! tree for places alone; knows nothing of behaviors. Every result is read again and compared before it is given out.

mod expected;
mod refused;
mod spelling;
mod splice;

pub use refused::Refused;
pub use spelling::{New, spelled};

use crate::diagnostic::Diagnostic;
use crate::model::{FileId, Place};
use crate::yaml::{Document, Step, parse};

/// One change of a document.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Edit<'a> {
    /// A scalar gets another value.
    Set {
        /// Where it stands.
        path: Vec<Step<'a>>,
        /// Its new value, a word that needs no quotes.
        word: String,
    },
    /// A mapping gets a key it does not have.
    Add {
        /// Where the mapping stands.
        path: Vec<Step<'a>>,
        /// The key after which the new one is written; the last one when this one is missing.
        after: &'a str,
        /// The new key.
        key: &'a str,
        /// Its value.
        value: New,
    },
    /// A list gets one more entry, the last.
    Append {
        /// Where the list stands.
        path: Vec<Step<'a>>,
        /// The entry.
        item: New,
    },
    /// A list loses an entry.
    Remove {
        /// Where the list stands.
        path: Vec<Step<'a>>,
        /// Which entry, from 0.
        index: usize,
    },
}

/// The text after all edits, each made on the result of the one before.
///
/// # Errors
/// When the text is not a document, when an edit names what is not there, or when it cannot be made without touching
/// anything else. Then no edit is made.
pub fn edited(text: &str, edits: &[Edit<'_>]) -> Result<String, Refused> {
    let mut text = text.to_owned();
    for edit in edits {
        text = one(&text, edit)?;
    }
    Ok(text)
}

fn one(text: &str, edit: &Edit<'_>) -> Result<String, Refused> {
    let before = document(text)?;
    let after = splice::splice(text, &before, edit)?;
    let place = before.at(edit.path()).map_or(before.root.place, |node| node.place);
    let is_as_meant = document(&after).is_ok_and(|document| {
        let said = expected::shape(&document.root);
        expected::shape_after(&before.root, edit).is_some_and(|wanted| wanted == said)
            && comments(text, &before) == comments(&after, &document)
    });
    if is_as_meant { Ok(after) } else { Err(Refused::unsafe_edit(place)) }
}

/// The document of a text without problems.
fn document(text: &str) -> Result<Document, Refused> {
    let (document, problems) = parse(FileId(0), text);
    match (document, problems.into_iter().find(Diagnostic::is_error)) {
        (_, Some(problem)) => Err(Refused::new(problem.message, problem.place.unwrap_or_default())),
        (Some(document), None) => Ok(document),
        (None, None) => Err(Refused::new("the file is empty", Place::default())),
    }
}

fn comments<'t>(text: &'t str, document: &Document) -> Vec<&'t str> {
    let written = |place: &Place| text.get(place.start as usize..place.end as usize).unwrap_or_default();
    document.comments.iter().map(written).collect()
}

impl<'a> Edit<'a> {
    /// The node that is edited.
    fn path(&self) -> &[Step<'a>] {
        match self {
            Self::Set { path, .. } | Self::Add { path, .. } | Self::Append { path, .. } | Self::Remove { path, .. } => {
                path
            }
        }
    }
}
