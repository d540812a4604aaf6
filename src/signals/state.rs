//! What is remembered of a session's transcripts between events: positions, sums, counts and hashes. Never a command, a
//! prompt, a result or anything else that was said. Uses `serde` for its one file format.

use super::codex::Thread;
use super::fact::Hash;
use super::hashes::{Calls, Hashes};
use super::lines::Position;
use super::money::Nanos;
use crate::limits;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// Raised when the meaning of a field changes; a file of another version is started afresh.
pub(super) const VERSION: u32 = 2;

/// One session.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub(super) struct State {
    pub(super) version: u32,
    /// Its id.
    pub(super) session: String,
    /// The cap at the newest event.
    pub(super) cap: Option<Nanos>,
    /// First seen, seconds since 1970.
    pub(super) created: i64,
    /// When it began, as far as its transcript tells.
    pub(super) began: i64,
    /// Transcripts by path.
    pub(super) files: BTreeMap<String, Followed>,
    /// All that was ever counted.
    pub(super) cost: Nanos,
    /// What of it lies before the last reset.
    pub(super) baseline: Nanos,
    /// What of it is priced by estimate.
    pub(super) estimated: Nanos,
    pub(super) estimated_tokens: u64,
    /// Models no price is known for, first seen first.
    pub(super) estimated_models: Vec<String>,
    /// The user was told of the first of them.
    pub(super) has_told_estimate: bool,
    /// The newest responses, whose numbers may yet change.
    pub(super) recent: Vec<Recent>,
    /// Least recently seen first.
    pub(super) agents: Vec<Agent>,
    /// Calls that a hook refused: their failure is none.
    pub(super) refused: Hashes,
    /// The transcripts there were at the first event have been read to their end.
    pub(super) has_looked: bool,
    /// What forge did about it, newest last.
    pub(super) events: Vec<Event>,
    pub(super) resets: u32,
    /// Other sessions' rollouts that were looked at.
    pub(super) foreign: Hashes,
    /// Folders of transcripts, and when each was last changed when all in it was known.
    pub(super) folders: BTreeMap<String, Option<i64>>,
}

/// One transcript.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub(super) struct Followed {
    /// Whose it is: a key of [`State::agents`].
    pub(super) agent: String,
    pub(super) position: Position,
    /// Read to its end at least once. Until then it may be repeating another session's records.
    pub(super) was_read: bool,
    /// Codex alone.
    #[serde(skip_serializing_if = "Thread::is_new")]
    pub(super) thread: Thread,
    /// What its running totals came to in this pass, and in any pass: read again from the start, they add nothing twice.
    pub(super) counted: Nanos,
    pub(super) most_counted: Nanos,
}

/// A response whose numbers may yet change.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Recent {
    pub(super) id: Hash,
    pub(super) cost: Nanos,
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub(super) is_estimate: bool,
    /// Another session counted it.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub(super) is_foreign: bool,
}

/// One agent's calls and luck.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub(super) struct Agent {
    pub(super) key: String,
    /// The prompt it works on.
    pub(super) prompt: Hash,
    /// How often each call came with nothing changed since.
    pub(super) counts: Vec<(Hash, u64)>,
    /// The calls since something happened that ends every cycle, oldest first.
    pub(super) past: Calls,
    /// The calls of the newest responses the transcript shows, with the response each stands in.
    pub(super) asked: Vec<(Hash, Hash)>,
    /// The newest calls the transcript shows without an answer.
    pub(super) open: Hashes,
    /// An answer to a call a hook told of was found in the transcript, so that a missing one may not be there yet.
    pub(super) is_matched: bool,
    /// Failures since the last success.
    pub(super) streak: u64,
    /// The newest of them.
    pub(super) failed: Hashes,
}

/// Something forge did because of a signal.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Event {
    /// When, seconds since 1970.
    pub at: i64,
    /// Which behavior did it; `baseline` or `reset` where the count itself was moved.
    pub wire: String,
    /// The tool of the call.
    pub tool: String,
    /// The numbers.
    pub detail: String,
}

/// Most events kept.
const EVENTS: usize = 50;
/// Most refused calls kept.
const REFUSED: usize = 200;
/// Most responses whose numbers may change.
const RECENT: usize = 16;

impl State {
    /// An agent's memory, made when missing.
    pub(super) fn agent(&mut self, key: &str) -> &mut Agent {
        let known = self.agents.iter().position(|agent| agent.key == key);
        let agent = known.map(|at| self.agents.remove(at));
        let agent = agent.unwrap_or_else(|| Agent { key: key.to_owned(), ..Agent::default() });
        push_bounded(&mut self.agents, agent, limits::SIGNAL_AGENTS);
        let last = self.agents.len().saturating_sub(1);
        #[allow(clippy::indexing_slicing, reason = "the agent was pushed above")]
        &mut self.agents[last]
    }

    /// What was spent since the start or the last reset.
    pub(super) fn spent(&self) -> Nanos {
        self.cost.minus(self.baseline)
    }

    pub(super) fn record(&mut self, event: Event) {
        push_bounded(&mut self.events, event, EVENTS);
    }

    pub(super) fn refuse(&mut self, id: Hash) {
        if !self.refused.contains(id) {
            self.refused.push(id, REFUSED);
        }
    }

    pub(super) fn remember(&mut self, response: Recent) {
        push_bounded(&mut self.recent, response, RECENT);
    }
}

impl Agent {
    /// Takes note of a call the transcript shows. A call a hook tells of is of the newest response; the one before is kept
    /// for a transcript that is a little ahead.
    pub(super) fn ask(&mut self, id: Hash, response: Hash) {
        if self.asked.last().is_some_and(|(_, newest)| *newest != response) {
            let newest = self.asked.last().map(|(_, newest)| *newest);
            self.asked.retain(|(_, response)| Some(*response) == newest);
        }
        push_bounded(&mut self.asked, (id, response), limits::SIGNAL_CALLS);
        self.open.push(id, limits::SIGNAL_CALLS);
    }
}

/// Adds to the end and forgets from the beginning.
pub(super) fn push_bounded<T>(list: &mut Vec<T>, item: T, most: usize) {
    if list.len() >= most {
        list.drain(..=list.len() - most);
    }
    list.push(item);
}
