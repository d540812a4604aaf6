//! What is remembered between events: sessions, their lock, overrides and the audit log. `docs/state-and-audit.md`
//! describes the files. May use `model`, `host`, `error` and `limits`; decides nothing about any behavior.

mod allow;
mod audit;
mod canonical;
mod chain;
mod choice;
mod consent;
mod digest;
mod identity;
mod json;
mod links;
mod lock;
mod mask;
mod memory;
mod notice;
mod object;
mod overrides;
mod paths;
mod peek;
mod quarantine;
mod scan;
mod session;
mod session_file;
mod snapshot;
mod sources;
mod summary;
mod time;

pub use allow::{Blocked, code};
pub use audit::{Verification, verify};
pub use canonical::input_hash;
pub use chain::Finding;
pub use choice::{Choice, choose};
pub use consent::{allow, confirm};
pub use identity::fallback_session;
pub use links::refuse_links;
pub use lock::Unavailable;
pub use memory::{Locked, Memory, open};
pub use notice::tell_once;
pub use overrides::{Override, TTL, WINDOW, may_settle, seconds, settle, window};
pub use paths::Paths;
pub use peek::peek;
pub use snapshot::{Logged, Remembered, Snapshot, snapshot};
pub use sources::{SourceFile, source_files, sources_digest};
pub use summary::{escape, unescape};

/// A text as it may be shown: every secret in it replaced.
#[must_use]
pub fn masked(text: &str) -> String {
    mask::mask(text)
}
