//! What an edited document must say: the tree without its places, with the one change made to it.
//! The other half of the proof in `edited`; it shares nothing with the text surgery it checks.

use super::Edit;
use super::spelling::{New, scalar};
use crate::model::Place;
use crate::yaml::{Entry, Kind, Node, Step, Style};

/// A tree that says the same and stands nowhere.
pub(super) fn shape(node: &Node) -> Node {
    let kind = match &node.kind {
        Kind::Scalar { text, style } => Kind::Scalar { text: text.clone(), style: *style },
        Kind::Sequence(nodes) => Kind::Sequence(nodes.iter().map(shape).collect()),
        Kind::Mapping(entries) => {
            Kind::Mapping(entries.iter().map(|entry| pair(&entry.key, shape(&entry.value))).collect())
        }
    };
    nowhere(kind)
}

/// The shape of a tree after an edit; `None` when the edit does not fit it.
pub(super) fn shape_after(root: &Node, edit: &Edit<'_>) -> Option<Node> {
    let mut root = shape(root);
    let node = edit.path().iter().try_fold(&mut root, |node, step| child(node, *step))?;
    match (edit, &mut node.kind) {
        (Edit::Set { word, .. }, kind @ Kind::Scalar { .. }) => {
            *kind = Kind::Scalar { text: word.clone(), style: Style::Plain };
        }
        (Edit::Add { after, key, value, .. }, Kind::Mapping(entries)) => {
            let at = entries.iter().position(|entry| entry.key == *after).map_or(entries.len(), |at| at + 1);
            entries.insert(at, pair(key, new(value)));
        }
        (Edit::Append { item, .. }, Kind::Sequence(nodes)) => nodes.push(new(item)),
        (Edit::Append { item, .. }, kind @ Kind::Scalar { .. }) if is_nothing(kind) => {
            *kind = Kind::Sequence(vec![new(item)]);
        }
        (Edit::Remove { index, .. }, Kind::Sequence(nodes)) if *index < nodes.len() => drop(nodes.remove(*index)),
        (
            Edit::Set { .. } | Edit::Add { .. } | Edit::Append { .. } | Edit::Remove { .. },
            Kind::Scalar { .. } | Kind::Sequence(_) | Kind::Mapping(_),
        ) => return None,
    }
    Some(root)
}

/// Whether nothing at all was written.
pub(super) fn is_nothing(kind: &Kind) -> bool {
    matches!(kind, Kind::Scalar { text, style: Style::Plain } if text.is_empty())
}

fn child<'n>(node: &'n mut Node, step: Step<'_>) -> Option<&'n mut Node> {
    match (&mut node.kind, step) {
        (Kind::Mapping(entries), Step::Key(key)) => {
            entries.iter_mut().find(|entry| entry.key == key).map(|entry| &mut entry.value)
        }
        (Kind::Sequence(nodes), Step::Index(index)) => nodes.get_mut(index),
        (Kind::Scalar { .. } | Kind::Sequence(_) | Kind::Mapping(_), Step::Key(_) | Step::Index(_)) => None,
    }
}

fn new(value: &New) -> Node {
    nowhere(match value {
        New::Word(word) => Kind::Scalar { text: word.clone(), style: Style::Plain },
        New::Text(text) => scalar(text),
        New::List(texts) => Kind::Sequence(texts.iter().map(|text| nowhere(scalar(text))).collect()),
        New::Mapping(entries) => Kind::Mapping(entries.iter().map(|(key, value)| pair(key, new(value))).collect()),
    })
}

fn pair(key: &str, value: Node) -> Entry {
    Entry { key: key.to_owned(), key_place: Place::default(), value }
}

fn nowhere(kind: Kind) -> Node {
    Node { kind, place: Place::default() }
}
