//! A settings file as spans over its own text: parsed by `jsonc-parser`, which tolerates comments and trailing commas,
//! and nothing else that JSON does not have. Never changes the text.

use jsonc_parser::ast::{Array, Object, ObjectProp, Value};
use jsonc_parser::common::Ranged;
use jsonc_parser::{CollectOptions, ParseOptions, parse_to_ast};
use std::ops::Range;

/// Only what harnesses themselves accept; looser readers would hide a mistake of the user's.
const STRICT: ParseOptions = ParseOptions {
    allow_comments: true,
    allow_trailing_commas: true,
    allow_loose_object_property_names: false,
    allow_missing_commas: false,
    allow_single_quoted_strings: false,
    allow_hexadecimal_numbers: false,
    allow_unary_plus_numbers: false,
    allow_bare_decimal_point_numbers: false,
    allow_non_finite_numbers: false,
    allow_extended_string_escapes: false,
};

/// The object a settings file is.
///
/// # Errors
/// What is wrong with it, for a person.
pub(super) fn parse(text: &str) -> Result<Object<'_>, String> {
    let parsed = parse_to_ast(text, &CollectOptions::default(), &STRICT);
    match parsed.map_err(|error| format!("not valid JSON: {}", lower(&error.to_string())))?.value {
        Some(Value::Object(root)) => Ok(root),
        Some(_) => Err("not a JSON object; settings are `{ … }`".to_owned()),
        None => Err("empty; write `{}` into it or delete it".to_owned()),
    }
}

fn lower(text: &str) -> String {
    let mut letters = text.chars();
    letters.next().map_or_else(String::new, |first| first.to_lowercase().chain(letters).collect())
}

/// A member by name.
///
/// # Errors
/// When it stands there twice: programs disagree on which of them counts.
pub(super) fn member<'o, 'a>(object: &'o Object<'a>, name: &str) -> Result<Option<&'o ObjectProp<'a>>, String> {
    let mut found = object.properties.iter().filter(|member| member.name.as_str() == name);
    let first = found.next();
    match found.next() {
        None => Ok(first),
        Some(_) => Err(format!("the key `{name}` stands there twice; remove one of them")),
    }
}

/// A bracketed span and the spans of what is in it.
#[derive(Clone, Debug)]
pub(super) struct Container {
    /// Offset after the opening bracket.
    pub(super) open: usize,
    /// Offset of the closing bracket.
    pub(super) close: usize,
    /// Members or elements.
    pub(super) children: Vec<Range<usize>>,
}

impl Container {
    pub(super) fn of_object(object: &Object<'_>) -> Self {
        Self::new(object.range(), object.properties.iter().map(Ranged::range))
    }

    pub(super) fn of_array(array: &Array<'_>) -> Self {
        Self::new(array.range(), array.elements.iter().map(Ranged::range))
    }

    fn new(whole: jsonc_parser::common::Range, children: impl Iterator<Item = jsonc_parser::common::Range>) -> Self {
        let children = children.map(|child| child.start..child.end).collect();
        Self { open: whole.start.saturating_add(1), close: whole.end.saturating_sub(1), children }
    }
}

/// A piece of the text; empty when the span is none of it.
pub(super) fn cut(text: &str, span: Range<usize>) -> &str {
    text.get(span).unwrap_or_default()
}
