//! The compiled form: instruction table, program, container, verifier, listing, assembler.

pub mod assemble;
pub mod assembly;
pub mod automaton;
pub mod container;
mod dispatch;
pub mod fault;
pub mod listing;
pub mod op;
pub mod operand;
mod printable;
pub mod program;
pub mod spec;
pub mod table;
mod verify;
mod work;

pub use fault::{Fault, FaultKind};
pub(crate) use printable::is_deceptive;
pub use verify::{Verified, verify};
pub use work::Work;
