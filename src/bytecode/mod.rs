//! The compiled form: instruction table, program, container, verifier, listing, assembler.

pub mod op;
pub mod operand;
pub mod program;
