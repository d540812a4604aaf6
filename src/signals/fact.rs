//! What a transcript can say, whoever wrote it. Names of things are hashes from here on: no content passes.
//! Uses `sha2` for them.

use super::money::Usage;
use sha2::{Digest, Sha256};
use std::borrow::Cow;

/// A name, shortened beyond reading: the first eight bytes of its SHA-256.
pub(super) type Hash = u64;

/// The hash of a name made of parts.
pub(super) fn hash(parts: &[&str]) -> Hash {
    let mut digest = Sha256::new();
    for part in parts {
        digest.update(part.as_bytes());
        digest.update([0]);
    }
    digest.finalize().iter().take(8).fold(0, |hash, byte| hash << 8 | u64::from(*byte))
}

/// What became of a call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Verdict {
    /// It did what it should.
    Success,
    /// It failed by itself.
    Failure,
    /// A person stopped it: they are looking, so what went before is over.
    Stopped,
    /// A rule, a hook or a reviewer refused it: it says nothing about the agent's luck.
    Refused,
}

/// Where the numbers of a response come from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Origin {
    /// A record that names the response, so that it can be told from a copy. The same response may be told again, with
    /// final numbers.
    Named(Hash),
    /// A running total, which a transcript without names has instead.
    Counted,
}

/// One thing a line says.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Fact<'a> {
    /// A model answered.
    Response {
        /// Which answer.
        origin: Origin,
        /// What it took.
        usage: Usage,
        /// By which model; empty when the line does not say.
        model: Cow<'a, str>,
    },
    /// The agent asked for a tool: the call, and the response it stands in.
    Called(Hash, Hash),
    /// The tool answered.
    Returned(Hash, Verdict),
    /// A call whose failure was told, or will be, was refused by a hook.
    Refused(Hash),
    /// The user stopped the agent.
    Interrupted,
    /// The user said something.
    Prompted,
}
