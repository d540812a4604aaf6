//! Texts of a call as they may be shown: around what matters, secrets masked, the matching part known.

use crate::store;
use std::ops::Range;

/// How much around the matching part is looked at for secrets, bytes: a secret cut in half is not recognised.
const MARGIN: usize = 1_000;
/// How much is shown, characters.
const SHOWN: usize = 160;
/// How much of it stands before the matching part, characters.
const BEFORE: usize = 40;

/// A part of a text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Excerpt {
    /// What is shown.
    pub text: String,
    /// The matching part, bytes of `text`; none when nothing matched or it was masked.
    pub marked: Option<Range<usize>>,
    /// Whether something stands before it.
    pub cut_before: bool,
    /// Whether something follows it.
    pub cut_after: bool,
}

impl Excerpt {
    /// The part of `text` around `marked`, or its start.
    #[must_use]
    pub fn new(text: &str, marked: Option<Range<usize>>) -> Self {
        let around = marked.clone().unwrap_or(0..0);
        let from = floor(text, around.start.saturating_sub(MARGIN));
        let to = ceiling(text, around.start.saturating_add(2 * MARGIN));
        let window = text.get(from..to).unwrap_or_default();
        let marked = marked.map(|marked| marked.start - from..ceiling(window, marked.end - from));
        let masked = store::masked(window);
        // Where something was masked, positions have moved: the matching part is looked for again.
        let marked = if masked == window {
            marked
        } else {
            marked.and_then(|marked| window.get(marked)).filter(|part| !part.is_empty()).and_then(|part| {
                let start = masked.find(part)?;
                Some(start..start + part.len())
            })
        };
        let start = marked.as_ref().map_or(0, |marked| back(&masked, marked.start, BEFORE));
        let shown = masked.get(start..).unwrap_or_default();
        let end = shown.char_indices().nth(SHOWN).map_or(shown.len(), |(end, _)| end);
        let cut_after = end < shown.len() || to < text.len();
        let shown = shown.get(..end).unwrap_or_default();
        let marked = marked.map(|marked| marked.start - start..(marked.end - start).min(end));
        Self { text: shown.to_owned(), marked, cut_before: from + start > 0, cut_after }
    }
}

/// The character boundary at or before a byte.
fn floor(text: &str, at: usize) -> usize {
    text.floor_char_boundary(at)
}

/// The character boundary at or after a byte.
fn ceiling(text: &str, at: usize) -> usize {
    text.ceil_char_boundary(at)
}

/// The boundary so many characters before another, the whole start when that is all.
fn back(text: &str, from: usize, characters: usize) -> usize {
    let before = text.get(..from).unwrap_or_default();
    before.char_indices().rev().nth(characters).map_or(0, |(at, letter)| at + letter.len_utf8())
}
