//! A call's input in one short line that may be committed to git: known fields only, secrets masked.
//! Uses the model and the masks.

use super::mask;
use crate::limits;
use crate::model::{Call, Field};

/// Of each field so much is looked at: far more than is shown, far less than a file's content.
const LOOKED_AT: usize = 4096;

/// `key=value` of the input's known fields, at most [`limits::SUMMARY_CHARS`] characters, also after [`escape`].
pub(super) fn of(call: &Call<'_>) -> String {
    let mut said = String::new();
    for field in Field::ALL {
        let text = call.fields.get(*field);
        if text.is_empty() {
            continue;
        }
        if !said.is_empty() {
            said.push(' ');
        }
        said.push_str(field.name());
        said.push('=');
        said.push_str(&mask::mask(start_of(text)));
    }
    cut(&said)
}

/// The start of a long text, ending between words, so that no half of a secret is left that looks like none.
fn start_of(text: &str) -> &str {
    let (start, rest) = text.split_at(text.floor_char_boundary(LOOKED_AT));
    if rest.is_empty() { start } else { start.rsplit_once(char::is_whitespace).map_or(start, |(words, _)| words) }
}

fn cut(text: &str) -> String {
    let width = |character: char| escape_char(character).map_or(1, |escape| escape.chars().count());
    let dropped = |character: &char| character.is_control() && *character != '\n';
    let text: String = text.chars().filter(|character| !dropped(character)).collect();
    if text.chars().map(width).sum::<usize>() <= limits::SUMMARY_CHARS {
        return text;
    }
    let mut left = limits::SUMMARY_CHARS - 1;
    let mut short: String = text
        .chars()
        .take_while(|character| {
            let fits = width(*character) <= left;
            left = left.saturating_sub(width(*character));
            fits
        })
        .collect();
    short.push('…');
    short
}

/// A text as one field of an audit line: `\` as `\\`, `|` as `\|`, newline as `\n`, other controls dropped.
#[must_use]
pub fn escape(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for character in text.chars() {
        match escape_char(character) {
            Some(escape) => escaped.push_str(escape),
            None if character.is_control() => {}
            None => escaped.push(character),
        }
    }
    escaped
}

/// What [`escape`] made, as it was; an escape we did not write stands for itself.
#[must_use]
pub fn unescape(text: &str) -> String {
    let mut plain = String::with_capacity(text.len());
    let mut characters = text.chars();
    while let Some(character) = characters.next() {
        match (character, characters.clone().next()) {
            ('\\', Some('n')) => plain.push('\n'),
            ('\\', Some(escaped @ ('\\' | '|'))) => plain.push(escaped),
            _ => {
                plain.push(character);
                continue;
            }
        }
        characters.next();
    }
    plain
}

fn escape_char(character: char) -> Option<&'static str> {
    match character {
        '\\' => Some("\\\\"),
        '|' => Some("\\|"),
        '\n' => Some("\\n"),
        _ => None,
    }
}
