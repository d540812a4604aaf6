//! What must hold for any bytes whatever, one function per kind of input. Shared: `fuzz/` searches for bytes that break
//! one, `replay` plays the bytes that were worth keeping on every `cargo test`.

mod authored;
mod program;
mod remembered;
mod told;

/// One kind of input, and what must hold for it. Panics when it does not.
pub(crate) type Property = fn(&[u8]);

/// All of them, by the name of their fuzz target and corpus.
pub(crate) const PROPERTIES: &[(&str, Property)] = &[
    ("container", program::container),
    ("assembly", program::assembly),
    ("equivalence", program::equivalence),
    ("payload", told::payload),
    ("hook", told::hook),
    ("transcript", told::transcript),
    ("state", remembered::state),
    ("escapes", remembered::escapes),
    ("catalogue", authored::catalogue),
    ("when", authored::when),
    ("pattern", authored::pattern),
];

/// Checks the property of this name.
pub(crate) fn check(name: &str, bytes: &[u8]) {
    let found = PROPERTIES.iter().find(|(known, _)| *known == name);
    let (_, property) = found.unwrap_or_else(|| panic!("there is no property `{name}`"));
    property(bytes);
}
