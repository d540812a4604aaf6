//! One session under watch: its lock taken, its memory read, its transcripts caught up with; then what they say, and at
//! the end what is to be remembered. The only file of this module that writes.

use super::codex::Thread;
use super::counted::{self, Counted};
use super::fact::{Fact, hash};
use super::files;
use super::lines::Found;
use super::loops::{self, Attempt, Rounds};
use super::money::Nanos;
use super::prices::{Prices, Vendor};
use super::state::{Event, State, VERSION};
use super::tally::{Tally, end_streak};
use crate::host::{Held, Host};
use crate::limits;
use crate::store::refuse_links;
use std::fmt;
use std::io;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// Whose transcripts can be read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Source {
    /// Claude Code.
    ClaudeCode,
    /// Codex.
    Codex,
}

/// What an event says about itself.
#[derive(Clone, Copy, Debug)]
pub struct Subject<'a> {
    /// Who writes the transcripts.
    pub source: Source,
    /// The session.
    pub session: &'a str,
    /// Its transcript, or a subagent's.
    pub transcript: Option<&'a str>,
    /// The subagent, where the harness names one.
    pub agent: Option<&'a str>,
    /// The prompt the agent works on; another one than before is news from the user.
    pub prompt: Option<&'a str>,
    /// The model, where the harness names it.
    pub model: Option<&'a str>,
    /// The call about to be made, before a tool.
    pub attempt: Option<Attempt<'a>>,
}

/// What the transcripts say, as far as they were read.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Readings {
    /// This exact call, this one included, with nothing changed in between; 0 for calls that repeat on purpose.
    pub repeats: u64,
    /// The cycle of two or three different calls that this one ends; 0 when it came once.
    pub alternations: u64,
    /// Failed calls of this agent in a row.
    pub failure_streak: u64,
    /// Spent since the start or the last reset, by the whole session.
    pub spent: Nanos,
    /// The same in billionths of the cap; 0 without one.
    pub share: u64,
    /// What of everything spent is priced by estimate.
    pub estimated: Nanos,
    /// Models no price is known for.
    pub estimated_models: Vec<String>,
    /// The first of them, told once.
    pub new_estimate: Option<String>,
    /// Spent before the first event, and left out of `spent` because it was over the cap.
    pub left_out: Option<Nanos>,
    /// There is more in the transcripts than has been read.
    pub is_behind: bool,
}

/// A signal as a thing that can be set back.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reset {
    /// This agent's repeats and cycles.
    Rounds,
    /// This agent's failures in a row.
    Failures,
    /// The session's money.
    Spending,
}

/// What came of the event.
#[derive(Clone, Debug, Default)]
pub struct Effects {
    /// Forge refused the call: its failure, which the transcript will show, is none.
    pub is_refused: bool,
    /// What starts over.
    pub resets: Vec<Reset>,
    /// What is told by `forge status`.
    pub events: Vec<Event>,
}

/// Why a session cannot be watched now.
#[derive(Debug)]
pub enum Unwatched {
    /// Others had its memory all the time.
    Timeout,
    /// Its memory cannot be locked here.
    Refused(io::Error),
}

impl fmt::Display for Unwatched {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Timeout => f.write_str("signals lock timeout — rules on signals are passed over for this call"),
            Self::Refused(error) => write!(
                f,
                "signals cannot be locked ({error}) — rules on signals are passed over; make `.forge/runtime/signals` \
                 a folder you can write"
            ),
        }
    }
}

/// A session under watch. Dropping it without [`Watch::close`] forgets what this event brought.
pub struct Watch<'h> {
    host: &'h dyn Host,
    path: PathBuf,
    state: State,
    counted: Counted<'h>,
    agent: String,
    call: Option<super::fact::Hash>,
    readings: Readings,
    _lock: Held,
}

/// Takes a session's lock, waiting at most [`limits::LOCK_WAIT_MILLIS`], and catches up with its transcripts as far as
/// one event may. `folder` is where signals are kept; `cap` is the session's budget.
///
/// # Errors
/// When the lock cannot be had.
pub fn open<'h>(
    host: &'h dyn Host,
    folder: &Path,
    subject: &Subject<'_>,
    rules: (&Prices, Option<Nanos>),
) -> Result<Watch<'h>, Unwatched> {
    let (prices, cap) = rules;
    let stem = stem(subject.session);
    let lock = lock(host, folder, &stem)?;
    let path = folder.join(format!("{stem}.json"));
    let mut state = read(host, &path).unwrap_or_else(|| {
        prune(host, folder, &stem);
        let now = host.now().0;
        let began = subject.transcript.filter(|_| subject.source == Source::Codex);
        let began = began.and_then(|path| files::began(host, Path::new(path))).unwrap_or(now);
        State { version: VERSION, session: subject.session.to_owned(), created: now, began, ..State::default() }
    });
    state.cap = cap;
    let mut counted = Counted::new(host, folder.join(format!("{stem}{}", counted::ENDING)));
    let main = files::find(host, &mut state, subject);
    let is_behind = catch_up(host, &mut state, &mut counted, &Look { subject, prices, main });
    let agent = files::agent_of(subject);
    let now = host.now().0;
    let memory = state.agent(&agent);
    if let Some(prompt) = subject.prompt {
        loops::turn_to(memory, prompt);
    }
    let rounds = subject.attempt.as_ref().map_or_else(Rounds::default, |attempt| loops::note(memory, attempt, now));
    // In the middle of a backlog, failures in a row may long be over.
    let failure_streak = if is_behind { 0 } else { memory.streak };
    let left_out = first_look(&mut state, cap, is_behind, now);
    let new_estimate = state.estimated_models.first().filter(|_| !state.has_told_estimate).cloned();
    state.has_told_estimate |= new_estimate.is_some();
    let spent = if state.has_looked { state.spent() } else { Nanos(0) };
    let readings = Readings {
        repeats: rounds.repeats,
        alternations: rounds.alternations,
        failure_streak,
        spent,
        share: cap.map_or(0, |cap| spent.share_of(cap)),
        estimated: state.estimated,
        estimated_models: state.estimated_models.clone(),
        new_estimate,
        left_out,
        is_behind,
    };
    let call = subject.attempt.and_then(|attempt| attempt.id).map(|id| hash(&["call", id]));
    Ok(Watch { host, path, state, counted, agent, call, readings, _lock: lock })
}

impl Watch<'_> {
    /// What the transcripts say.
    #[must_use]
    pub fn readings(&self) -> &Readings {
        &self.readings
    }

    /// Remembers this event and what came of it, and lets the session go.
    ///
    /// # Errors
    /// As the system says; then the event is forgotten, and its news will be read again.
    pub fn close(mut self, effects: Effects) -> io::Result<()> {
        if let Some(call) = self.call.filter(|_| effects.is_refused) {
            self.state.refuse(call);
            self.state.agent(&self.agent).past.answer(call);
        }
        for reset in effects.resets {
            match reset {
                Reset::Rounds => {
                    let agent = self.state.agent(&self.agent);
                    agent.counts.clear();
                    agent.past.clear();
                }
                Reset::Failures => end_streak(self.state.agent(&self.agent)),
                Reset::Spending => self.state.baseline = self.state.cost,
            }
        }
        for event in effects.events {
            self.state.record(event);
        }
        let text = serde_json::to_vec(&self.state).map_err(io::Error::other)?;
        self.host.write_over(&self.path, &[&text])?;
        // After the sums: killed in between, it is these responses that count twice should their file be replaced, while
        // the other way round they would never have counted at all.
        self.counted.save()
    }
}

/// What a look at the transcripts goes by.
struct Look<'a, 's> {
    subject: &'a Subject<'s>,
    prices: &'a Prices,
    main: Option<String>,
}

/// Reads what the transcripts gained; true when more is left than one event may read.
fn catch_up(host: &dyn Host, state: &mut State, counted: &mut Counted<'_>, look: &Look<'_, '_>) -> bool {
    let mut budget = limits::TRANSCRIPT_BYTES_PER_EVENT;
    let mut names: Vec<String> = state.files.keys().cloned().collect();
    // The main one last: however many subagents there are, they do not push its agent out of memory.
    names.sort_by_key(|name| look.main.as_ref() == Some(name));
    let vendor = match look.subject.source {
        Source::ClaudeCode => Vendor::Unknown,
        Source::Codex => Vendor::OpenAi,
    };
    let mut is_behind = false;
    for name in names {
        let Some(mut file) = state.files.remove(&name) else { continue };
        let mut passes = 0;
        loop {
            let mut position = std::mem::take(&mut file.position);
            let mut tally = Tally {
                state,
                counted,
                prices: look.prices,
                vendor,
                model: look.subject.model.unwrap_or_default(),
                clears_counts: look.subject.prompt.is_none(),
            };
            let mut each = |line: &str| match look.subject.source {
                Source::ClaudeCode => super::claude::read(line, &mut |fact| tally.take(&mut file, fact)),
                Source::Codex => {
                    let had_records = file.thread.has_records;
                    let mut thread = std::mem::take(&mut file.thread);
                    let mut facts: Vec<Fact<'_>> = Vec::new();
                    thread.read(line, &mut |fact| facts.push(fact));
                    file.thread = thread;
                    if file.thread.has_records && !had_records {
                        tally.forget_totals(&mut file);
                    }
                    facts.into_iter().for_each(|fact| tally.take(&mut file, fact));
                }
            };
            let found = position.read_on(host, Path::new(&name), &mut budget, &mut each);
            file.position = position;
            passes += 1;
            match found {
                // Read again from the start; what it repeats adds nothing, and its agent's luck is told anew.
                Ok(Found::Replaced) if passes < 2 => {
                    file.thread = Thread::default();
                    file.counted = Nanos(0);
                    end_streak(state.agent(&file.agent));
                    continue;
                }
                Ok(Found::Replaced | Found::Read(false)) => is_behind = true,
                Ok(Found::Read(true)) => file.was_read = true,
                // A transcript that cannot be read is passed over; the others, and the calls themselves, still count.
                Err(_) => {}
            }
            break;
        }
        state.files.insert(name, file);
    }
    is_behind
}

/// Once everything that was there at the first event has been read: a session already over its cap is counted from here.
/// What it had spent is told once.
fn first_look(state: &mut State, cap: Option<Nanos>, is_behind: bool, now: i64) -> Option<Nanos> {
    if state.has_looked || is_behind {
        return None;
    }
    state.has_looked = true;
    let spent = state.spent();
    if cap.is_none_or(|cap| cap.0 == 0 || spent < cap) {
        return None;
    }
    state.baseline = state.cost;
    let detail = format!("{spent} spent before the first check");
    state.record(Event { at: now, wire: "baseline".to_owned(), tool: String::new(), detail });
    Some(spent)
}

/// What is remembered; for who has the lock.
fn read(host: &dyn Host, path: &Path) -> Option<State> {
    remembered(&host.read(path, limits::SIGNALS_BYTES).ok()?)
}

/// The same, for who has it not.
pub(super) fn look(host: &dyn Host, path: &Path) -> Option<State> {
    remembered(&host.read_settled(path, limits::SIGNALS_BYTES).ok()?)
}

fn remembered(bytes: &[u8]) -> Option<State> {
    serde_json::from_slice::<State>(bytes).ok().filter(|state| state.version == VERSION)
}

/// A session's file name: its id where that is plain, else a hash.
pub(super) fn stem(session: &str) -> String {
    let is_plain = session.len() <= 128
        && session.starts_with(|first: char| first.is_ascii_alphanumeric())
        && session.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"._-".contains(&byte));
    if is_plain { session.to_owned() } else { format!("s-{:016x}", hash(&["session", session])) }
}

const FIRST_PAUSE: Duration = Duration::from_micros(200);
const LONGEST_PAUSE: Duration = Duration::from_millis(10);

pub(super) fn lock(host: &dyn Host, folder: &Path, stem: &str) -> Result<Held, Unwatched> {
    refuse_links(host, folder).map_err(Unwatched::Refused)?;
    let path = folder.join(format!("{stem}.lock"));
    let start = host.uptime();
    let mut pause = FIRST_PAUSE;
    loop {
        let tried = match host.try_lock(&path) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                host.create_dir_all(folder).and_then(|()| host.try_lock(&path))
            }
            tried => tried,
        };
        if let Some(held) = tried.map_err(Unwatched::Refused)? {
            return Ok(held);
        }
        if host.uptime().saturating_sub(start) >= Duration::from_millis(limits::LOCK_WAIT_MILLIS) {
            return Err(Unwatched::Timeout);
        }
        host.sleep(pause);
        pause = (pause * 3 / 2).min(LONGEST_PAUSE);
    }
}

/// Removes what belongs to sessions nobody touched for [`limits::SIGNALS_TTL_SECONDS`]. A lock stays as long as its
/// session's file is fresh: its own time does not change while it is used.
fn prune(host: &dyn Host, folder: &Path, keep: &str) {
    let oldest = host.now().0 - limits::SIGNALS_TTL_SECONDS;
    let is_old = |path: &Path| host.modified(path).is_ok_and(|moment| moment.0 < oldest);
    for name in host.list(folder).unwrap_or_default() {
        let Some((stem, ending)) = name.split_once(".json").or_else(|| name.rsplit_once('.')) else { continue };
        let is_ours = ["lock", "counted", "", ".tmp", ".previous"].contains(&ending);
        let session = folder.join(format!("{stem}.json"));
        let is_fresh = host.modified(&session).is_ok_and(|moment| moment.0 >= oldest);
        if is_ours && stem != keep && !is_fresh && is_old(&folder.join(&name)) {
            // What cannot be removed is tried again with the next new session.
            let _ = host.remove(&folder.join(&name));
        }
    }
}
