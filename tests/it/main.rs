//! One binary for all integration tests: it links once, and its modules share their helpers.
#![allow(missing_docs, clippy::disallowed_methods, reason = "tests look at real files and clocks")]
#![allow(clippy::wildcard_enum_match_arm, clippy::string_slice, reason = "tests fail loudly instead")]
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "tests fail loudly instead"
)]
#![allow(clippy::print_stdout, clippy::print_stderr, reason = "tests report")]

mod assembler;
mod audit;
mod backlog;
mod behavior;
mod check;
mod circles;
mod cli;
mod container;
mod corpus;
mod counting_host;
mod diagnostics;
mod differential;
mod disasm;
mod docs;
mod doctor;
mod edit;
mod explain;
mod fake_host;
mod golden;
mod harness_read;
mod harness_schema;
mod harness_write;
mod help;
mod hook_rows;
mod hostile;
mod hostile_project;
mod install;
mod instructions;
mod json_schema;
mod linear;
mod lint;
mod loader;
mod lock;
mod lowering;
mod many_files;
mod masking;
mod overrides;
mod patterns;
mod prices;
mod process;
mod programs;
mod properties;
mod registration;
mod replay;
mod report;
mod runaway;
mod scenarios;
mod schema;
mod seal;
mod signals;
mod state;
mod status;
mod strategies;
mod tidy;
mod told;
mod transcripts;
mod try_;
mod tutorial;
mod user_scope;
mod verifier;
mod when;
mod write_over;
mod yaml;
