//! The properties of `tests/it/properties` for the fuzz targets, which are one line each.
//! `cargo +stable fuzz run --sanitizer none container` searches with the toolchain everything else is built with.
#![allow(dead_code, unused_imports, clippy::all, reason = "modules of the tests, of which the targets use a part")]

#[path = "../../tests/it/differential.rs"]
mod differential;
#[path = "../../tests/it/fake_host.rs"]
mod fake_host;
#[path = "../../tests/it/properties/mod.rs"]
mod properties;
#[path = "../../tests/it/seal.rs"]
mod seal;
#[path = "../../tests/it/strategies.rs"]
mod strategies;

/// Panics when the property of this name does not hold for these bytes.
pub fn check(name: &str, bytes: &[u8]) {
    properties::check(name, bytes);
}
