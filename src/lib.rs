//! forge governs coding agents: people declare in YAML how an agent must behave, `forge compile` turns that into
//! verified bytecode, and `forge-hook` runs it before every tool call.
//!
//! Five nouns carry the whole of it:
//!
//! > YAML becomes a **Catalogue**, a Catalogue that makes sense is **Checked**, Checked lowers to a **Program**,
//! > a Program that cannot go wrong is **Verified**, and Verified with one event and one session gives an **Outcome**.
//!
//! The modules, in reading order:
//!
//! | module | from | to |
//! |---|---|---|
//! | [`model`] | – | the nouns as plain data |
//! | [`yaml`] | text | [`model::Catalogue`], or [`diagnostic`]s |
//! | [`pattern`] | a regular expression | [`model::Pattern`] |
//! | [`validate`] | Catalogue | [`validate::Checked`], or diagnostics |
//! | [`lint`] | Checked | warnings: rules that cannot be meant as they stand |
//! | [`lower`] | Checked | [`bytecode::Program`](bytecode::program::Program) |
//! | [`bytecode`] | Program | bytes and back, [`bytecode::Verified`], listing |
//! | [`vm`] | Verified, [`model::Input`] | [`model::Outcome`] |
//! | [`reference`] | Checked, Input | Outcome: the meaning, written to be read |
//! | [`render`] | Outcome | [`harness::Reply`] |
//! | [`harness`] | an agent's JSON | [`model::Call`], and Reply to JSON |
//! | [`host`], [`store`] | – | the world, and what is remembered in it |
//! | [`signals`] | a session's transcripts | what they say: repeats, failures, money |
//! | [`hook`] | one event | one answer |
//! | [`edit`] | a YAML text and a change | the text with that change alone |
//! | [`registration`] | what a program needs | entries in an agent's settings file |
//! | [`explain`] | one event, one session | every step of the judgement, and why |
//! | [`scenario`] | a scenario file | what differs from what it expects |
//! | [`schema`] | – | the YAML files as JSON Schema, for editors |
//! | [`cli`] | the author's commands | |

pub mod bytecode;
pub mod cli;
pub mod diagnostic;
pub mod edit;
pub mod error;
pub mod explain;
pub mod harness;
pub mod hook;
pub mod host;
pub mod limits;
pub mod lint;
pub mod lower;
pub mod model;
mod parallel;
pub mod pattern;
pub mod reference;
pub mod registration;
pub mod render;
pub mod scenario;
pub mod schema;
pub mod shell;
pub mod signals;
pub mod store;
pub mod validate;
pub mod vm;
pub mod yaml;
