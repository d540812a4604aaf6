//! Raw JSON, walked one level at a time: objects as lists of raw values, texts decoded so that nothing is refused.
//! May use `serde_json` for its validating scanner, which keeps no stack per level; it never builds a tree and never
//! recurses, so depth and size of a payload cost nothing but a look at each byte.

use serde::de::{Deserialize, Deserializer, MapAccess, Visitor};
use serde_json::value::RawValue;
use std::borrow::Cow;
use std::fmt;

/// One JSON value, as its text.
pub(super) type Raw<'a> = &'a RawValue;

/// The entries of one object, in order, none of them looked into.
#[derive(Debug, Default)]
pub(super) struct Object<'a> {
    entries: Vec<(Cow<'a, str>, Raw<'a>)>,
}

impl<'a> Object<'a> {
    /// Reads a whole document that must be an object.
    pub(super) fn parse(text: &'a str) -> Result<Self, serde_json::Error> {
        serde_json::from_str(text)
    }

    /// The object inside a value; nothing for a value of another type.
    pub(super) fn inside(value: Raw<'a>) -> Option<Self> {
        value.get().starts_with('{').then(|| Self::parse(value.get()).ok()).flatten()
    }

    /// The value of a key. Of several the last, as the harnesses' own parsers take it; `null` is as good as absent.
    pub(super) fn get(&self, key: &str) -> Option<Raw<'a>> {
        let value = self.entries.iter().rev().find(|(name, _)| name == key).map(|(_, value)| *value)?;
        (value.get() != "null").then_some(value)
    }

    /// The value of the first of these keys that is there.
    pub(super) fn first(&self, keys: &[&str]) -> Option<Raw<'a>> {
        keys.iter().find_map(|key| self.get(key))
    }

    /// The text of the first of these keys that is there and not empty.
    pub(super) fn text(&self, keys: &[&str]) -> Option<Cow<'a, str>> {
        keys.iter().filter_map(|key| self.get(key)).map(text).find(|text| !text.is_empty())
    }

    /// The object at the first of these keys that is there; empty when none is.
    pub(super) fn object(&self, keys: &[&str]) -> Self {
        self.first(keys).and_then(Self::inside).unwrap_or_default()
    }

    /// The JSON text of the object with these keys alone.
    pub(super) fn only(&self, keys: &[&str]) -> String {
        let there = keys.iter().filter_map(|key| Some(format!("\"{key}\":{}", self.get(key)?.get())));
        format!("{{{}}}", there.collect::<Vec<_>>().join(","))
    }

    /// Whether the key is there and `true`.
    pub(super) fn is_true(&self, key: &str) -> bool {
        self.get(key).is_some_and(|value| value.get() == "true")
    }

    /// Whether the key is there.
    pub(super) fn has(&self, key: &str) -> bool {
        self.get(key).is_some()
    }
}

impl<'de: 'a, 'a> Deserialize<'de> for Object<'a> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Entries;
        impl<'de> Visitor<'de> for Entries {
            type Value = Object<'de>;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a JSON object")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Object<'de>, A::Error> {
                let mut entries = Vec::new();
                // Keys are taken raw too: a broken escape in a key nobody asks for must not cost the whole payload.
                while let Some((key, value)) = map.next_entry::<Raw<'de>, Raw<'de>>()? {
                    entries.push((text(key), value));
                }
                Ok(Object { entries })
            }
        }
        deserializer.deserialize_map(Entries)
    }
}

/// The items of an array; nothing for a value of another type.
pub(super) fn items(value: Raw<'_>) -> Option<Vec<Raw<'_>>> {
    value.get().starts_with('[').then(|| serde_json::from_str(value.get()).ok()).flatten()
}

/// The text of an array's first item.
pub(super) fn text_of_first(value: Raw<'_>) -> Option<Cow<'_, str>> {
    items(value)?.first().map(|item| text(item))
}

/// What a condition sees of a value: a string's content, an array as a shell would need it written (a command given
/// as argv), anything else as its JSON text. `null` is empty.
pub(super) fn text(value: Raw<'_>) -> Cow<'_, str> {
    let json = value.get();
    if let Some(inner) = json.strip_prefix('"').and_then(|rest| rest.strip_suffix('"')) {
        return unescape(inner);
    }
    if json == "null" {
        return Cow::Borrowed("");
    }
    match items(value) {
        Some(items) => Cow::Owned(items.iter().map(|item| quoted(item)).collect::<Vec<_>>().join(" ")),
        None => Cow::Borrowed(json),
    }
}

/// One word of a command line. Arrays inside arrays stay JSON, so that this goes one level deep and no further.
fn quoted(item: Raw<'_>) -> Cow<'_, str> {
    let json = item.get();
    let word = if json.starts_with('"') { text(item) } else { Cow::Borrowed(json) };
    let plain = |c: char| c.is_alphanumeric() || "_@%+=:,./-".contains(c);
    if !word.is_empty() && word.chars().all(plain) {
        return word;
    }
    Cow::Owned(format!("'{}'", word.replace('\'', r"'\''")))
}

/// The content of a JSON string without its quotes. Valid strings decode as every parser decodes them; half a surrogate
/// pair, which Rust text cannot hold, becomes U+FFFD, so that one odd character never hides the rest from a rule.
pub(super) fn unescape(inner: &str) -> Cow<'_, str> {
    let Some(first) = memchr::memchr(b'\\', inner.as_bytes()) else { return Cow::Borrowed(inner) };
    let (plain, mut rest) = inner.split_at(first);
    let mut out = String::with_capacity(inner.len());
    out.push_str(plain);
    while let Some(at) = memchr::memchr(b'\\', rest.as_bytes()) {
        let (plain, escape) = rest.split_at(at);
        out.push_str(plain);
        let (c, length) = escaped(escape);
        out.push(c);
        rest = escape.get(length..).unwrap_or("");
    }
    out.push_str(rest);
    Cow::Owned(out)
}

/// The character an escape at the start of `text` stands for, and its length in bytes.
fn escaped(text: &str) -> (char, usize) {
    let simple = |c| (c, 2);
    match text.as_bytes().get(1) {
        Some(b'n') => simple('\n'),
        Some(b't') => simple('\t'),
        Some(b'r') => simple('\r'),
        Some(b'b') => simple('\u{8}'),
        Some(b'f') => simple('\u{c}'),
        Some(b'u') => {
            let high = unit(text, 0);
            // A high half with its low half beside it is one character; any other half stands alone.
            let low = unit(text, 6).filter(|_| text.as_bytes().get(6..8) == Some(br"\u"));
            let pair = high.zip(low).and_then(|(high, low)| char::decode_utf16([high, low]).next()?.ok());
            match (pair, high) {
                (Some(c), _) if u32::from(c) > 0xFFFF => (c, 12),
                (_, Some(high)) => (char::from_u32(u32::from(high)).unwrap_or(char::REPLACEMENT_CHARACTER), 6),
                (_, None) => (char::REPLACEMENT_CHARACTER, 2),
            }
        }
        Some(&other) if other.is_ascii() => simple(char::from(other)),
        Some(_) | None => (char::REPLACEMENT_CHARACTER, 1),
    }
}

/// The four hex digits of the escape `\uXXXX` that starts at `at`.
fn unit(text: &str, at: usize) -> Option<u16> {
    u16::from_str_radix(text.get(at + 2..at + 6)?, 16).ok()
}
