//! A YAML document as written: every node and key with its place. Meaning comes later; edits need nothing but this.
//! Plain data with lookups; made by `events` alone.

use crate::model::Place;

/// One document.
#[derive(Clone, Debug, PartialEq)]
pub struct Document {
    /// Its content.
    pub root: Node,
    /// Its comments, from `#` to the end of the line.
    pub comments: Vec<Place>,
}

/// One value.
#[derive(Clone, Debug, PartialEq)]
pub struct Node {
    /// What it is.
    pub kind: Kind,
    /// Where it stands: a scalar with its quotes, a collection from its first key or entry to its last. A block scalar
    /// begins at its first line of content.
    pub place: Place,
}

/// What a value is.
#[derive(Clone, Debug, PartialEq)]
pub enum Kind {
    /// A single value.
    Scalar {
        /// Its text, escapes and line folding resolved.
        text: String,
        /// How it was written; only a plain one can be anything but text.
        style: Style,
    },
    /// A list.
    Sequence(Vec<Node>),
    /// A mapping, in the order written, without duplicates.
    Mapping(Vec<Entry>),
}

/// How a scalar was written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Style {
    /// Without quotes.
    Plain,
    /// In single quotes.
    Single,
    /// In double quotes.
    Double,
    /// After `|`.
    Literal,
    /// After `>`.
    Folded,
}

/// One key with its value.
#[derive(Clone, Debug, PartialEq)]
pub struct Entry {
    /// The key.
    pub key: String,
    /// Where the key stands.
    pub key_place: Place,
    /// The value.
    pub value: Node,
}

/// One step from a node to a node inside it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Step<'a> {
    /// To the value of this key.
    Key(&'a str),
    /// To the entry of this number, from 0.
    Index(usize),
}

impl Document {
    /// The node at the end of a path, if the path exists.
    #[must_use]
    pub fn at(&self, path: &[Step<'_>]) -> Option<&Node> {
        path.iter().try_fold(&self.root, |node, step| node.child(*step))
    }
}

impl Node {
    /// The node one step inside.
    #[must_use]
    pub fn child(&self, step: Step<'_>) -> Option<&Self> {
        match (&self.kind, step) {
            (Kind::Mapping(entries), Step::Key(key)) => {
                entries.iter().find(|entry| entry.key == key).map(|entry| &entry.value)
            }
            (Kind::Sequence(nodes), Step::Index(index)) => nodes.get(index),
            (Kind::Scalar { .. } | Kind::Sequence(_) | Kind::Mapping(_), Step::Key(_) | Step::Index(_)) => None,
        }
    }

    /// Where to point when the node as a whole is meant: a mapping's first key, a list's first entry, a scalar itself.
    #[must_use]
    pub fn head(&self) -> Place {
        match &self.kind {
            Kind::Scalar { .. } => self.place,
            Kind::Sequence(nodes) => nodes.first().map_or(self.place, Self::head),
            Kind::Mapping(entries) => entries.first().map_or(self.place, |entry| entry.key_place),
        }
    }
}
