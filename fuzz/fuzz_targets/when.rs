//! Searches for bytes that break the property `when` of `tests/it/properties`.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| forge_fuzz::check("when", bytes));
