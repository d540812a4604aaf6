//! `cargo bench`: whole `forge-hook` processes, one after another in turn with an empty program, and what one does inside.
//! Uses the two binaries as they are released. Builds nothing outside of `target/tmp/bench`.
//!
//! `cargo bench -- [--rounds N] [--only TEXT]`. Times differ between machines and moments; ratios to the empty program,
//! measured in the same seconds, are what the table is about. `docs/performance.md` says what they should be.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::print_stdout,
    clippy::disallowed_methods,
    reason = "a measurement stops at the first thing that is not as it should be"
)]

mod cases;
mod inside;
mod process;
mod project;
mod report;
mod tools;
#[path = "../it/transcripts.rs"]
#[allow(dead_code, reason = "the tests use all of it")]
mod transcripts;

use std::path::PathBuf;

/// Where everything is made that is measured.
fn workshop() -> PathBuf {
    PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("bench")
}

fn main() {
    let arguments: Vec<String> = std::env::args().collect();
    let value = |name: &str| {
        let at = arguments.iter().position(|argument| argument == name)?;
        arguments.get(at + 1).cloned()
    };
    let rounds = value("--rounds").map_or(300, |rounds| rounds.parse().expect("a number of rounds"));
    let only = value("--only").unwrap_or_default();
    std::fs::create_dir_all(workshop()).unwrap();

    let floor = process::floor(&workshop());
    let cases = cases::all(&only);
    let measured = process::measure(&floor, &cases, rounds);
    report::processes(&cases, &measured);
    if let Some(case) = cases.iter().find(|case| case.parallel == 1) {
        report::linking(&process::linkings(&floor, &process::ordinary_floor(&workshop()), case, rounds));
    }
    let inside = inside::all(&only);
    report::inside(&inside);
    let tools = tools::all(&only);
    report::tools(&tools);
    report::keep(&workshop(), &cases, &measured, &inside, &tools);
}
