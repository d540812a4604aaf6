//! The compiled form: instruction table, program, container, verifier, listing, assembler.

pub mod automaton;
pub mod dispatch;
pub mod op;
pub mod operand;
pub mod program;
pub mod verify;

pub use verify::{Verified, verify};
