//! One line of a transcript, looked into as far as asked and no further: a field of an unexpected type is an absent one.
//! May use `serde_json`, which checks the line as a whole and keeps no stack per level. Refuses nothing but what is no JSON.

use serde::Deserialize;
use serde_json::value::RawValue;
use std::borrow::Cow;

/// A value that was not looked into.
pub(super) type Raw<'a> = Option<&'a RawValue>;

/// A JSON string; escapes are the only reason to copy it.
#[derive(Deserialize)]
struct Text<'a>(#[serde(borrow)] Cow<'a, str>);

/// The value as a type of ours, if it is one.
pub(super) fn read<'a, T: Deserialize<'a>>(value: Raw<'a>) -> Option<T> {
    serde_json::from_str(value?.get()).ok()
}

/// The value as a text, if it is one and not empty.
pub(super) fn text(value: Raw<'_>) -> Option<Cow<'_, str>> {
    read::<Text<'_>>(value).map(|text| text.0).filter(|text| !text.is_empty())
}

/// The value as a count of tokens; zero if it is none.
pub(super) fn count(value: Raw<'_>) -> u64 {
    read(value).unwrap_or(0)
}

/// Whether the value is `true`.
pub(super) fn is_true(value: Raw<'_>) -> bool {
    value.is_some_and(|value| value.get() == "true")
}

/// Whether the value is an object.
pub(super) fn is_object(value: Raw<'_>) -> bool {
    value.is_some_and(|value| value.get().starts_with('{'))
}

/// The items of a list; none of anything else.
pub(super) fn items<'a>(value: Raw<'a>) -> Vec<&'a RawValue> {
    read(value).unwrap_or_default()
}

/// A piece of what was said or shown.
#[derive(Deserialize)]
struct Piece<'a> {
    #[serde(borrow, default)]
    text: Raw<'a>,
}

/// A text that may also be written as a list of pieces with `text` in them.
pub(super) fn pieces(value: Raw<'_>) -> Vec<Cow<'_, str>> {
    match text(value) {
        Some(text) => vec![text],
        None => items(value).into_iter().filter_map(|item| text(read::<Piece<'_>>(Some(item))?.text)).collect(),
    }
}

/// The first `limit` bytes of a text, cut where a character ends.
pub(super) fn head(text: &str, limit: usize) -> &str {
    let end = (0..=limit.min(text.len())).rev().find(|end| text.is_char_boundary(*end)).unwrap_or(0);
    text.get(..end).unwrap_or(text)
}
