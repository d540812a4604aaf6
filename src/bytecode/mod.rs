//! The compiled form: instruction table, program, container, verifier, listing, assembler.

pub mod container;
pub mod program;
