//! The shapes that schemas are made of: closed mappings, lists, words, texts, numbers.
//! Knows JSON Schema, nothing of what the files say.

use serde_json::{Map, Value, json};

/// Whether a key must be there.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Need {
    Required,
    Optional,
}

pub(super) use Need::{Optional, Required};

/// One key of a mapping: its name, whether it must be there, its value, and what it is for.
pub(super) type Key = (&'static str, Need, Value, &'static str);

/// A mapping with these keys and no others.
pub(super) fn mapping(keys: impl IntoIterator<Item = Key>) -> Value {
    let mut properties = Map::new();
    let mut required = Vec::new();
    for (name, need, mut schema, purpose) in keys {
        if let Some(members) = schema.as_object_mut() {
            members.insert("description".to_owned(), purpose.into());
        }
        properties.insert(name.to_owned(), schema);
        if need == Required {
            required.push(name);
        }
    }
    json!({"type": "object", "properties": properties, "required": required, "additionalProperties": false})
}

/// The same, where more must hold.
pub(super) fn also(mut schema: Value, rules: Vec<Value>) -> Value {
    if let Some(members) = schema.as_object_mut() {
        members.insert("allOf".to_owned(), rules.into());
    }
    schema
}

/// If a mapping is so, that must hold.
pub(super) fn when(is: Value, then: Value) -> Value {
    json!({"if": is, "then": then})
}

/// A mapping in which a key has one of these values.
pub(super) fn having(key: &str, words: &[&str]) -> Value {
    json!({"properties": {key: {"enum": words}}, "required": [key]})
}

/// A mapping without these keys.
pub(super) fn without(keys: &[&str]) -> Value {
    json!({"properties": keys.iter().map(|key| ((*key).to_owned(), false.into())).collect::<Map<_, Value>>()})
}

/// A text that says something.
pub(super) fn text() -> Value {
    json!({"type": "string", "pattern": "\\S"})
}

/// A text of at most so many characters; the line break at its end does not count.
pub(super) fn short(most: usize) -> Value {
    json!({"type": "string", "minLength": 1, "pattern": format!("^[\\s\\S]{{0,{most}}}\\s*$")})
}

/// One of some words.
pub(super) fn word(words: &[&str]) -> Value {
    json!({"type": "string", "enum": words})
}

/// A list.
pub(super) fn list(entries: Value) -> Value {
    json!({"type": "array", "items": entries})
}

/// A whole number from `least` to `most`.
pub(super) fn whole(least: u64, most: u64) -> Value {
    json!({"type": "integer", "minimum": least, "maximum": most})
}

/// `true` or `false`.
pub(super) fn boolean() -> Value {
    json!({"type": "boolean"})
}

/// A behavior's name.
pub(super) fn id() -> Value {
    json!({"type": "string", "pattern": "^[a-z][a-z0-9-]*[a-z0-9]$"})
}
