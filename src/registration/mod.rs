//! What makes a harness call `forge-hook`: entries in its settings file, edited as text so that everything else in it
//! stays byte for byte. May use `model`, `bytecode`, `host`, `limits`, `error`; never writes more than one file.
//!
//! | file | does |
//! |---|---|
//! | [`need`] | a program -> the moments and tools it must be called for |
//! | [`dialect`] | per harness: where its file is, how an entry looks, what a person must still do |
//! | [`command`] | the command line of an entry, written and recognised |
//! | [`settings`] | install and uninstall on the text |
//! | `document`, `layout`, `splice` | the text as spans, its style, and the two edits: append and remove |
//! | [`plan`] | one file of this machine: before, after, and the writing of it |

pub mod command;
pub mod dialect;
mod document;
mod layout;
pub mod need;
mod opencode;
pub mod plan;
pub mod settings;
mod splice;
mod table;

pub use dialect::{Dialect, Scope};
pub use need::{Moment, Need, Needs, Tools};
pub use plan::{Plan, Target};
