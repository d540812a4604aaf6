//! The only files that know an agent's JSON: payload in, answer out, one file per harness.

mod reply;

pub use reply::{Decision, Reply};
