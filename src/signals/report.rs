//! What is known of watched sessions, for people; and starting a session's counts over, which only a person may do.
//! May use `host` and `error`; reads no transcript.

use super::loops;
use super::money::Nanos;
use super::state::Event;
use super::tally::end_streak;
use super::watch;
use crate::error::{Error, ErrorKind, Result};
use crate::host::Host;
use std::path::Path;

/// One watched session.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Report {
    /// Its id.
    pub session: String,
    /// The newest event, seconds since 1970.
    pub updated: i64,
    /// Spent since the start or the last reset.
    pub spent: Nanos,
    /// Spent in all.
    pub total: Nanos,
    /// The cap at the newest event; none without one.
    pub cap: Option<Nanos>,
    /// What of the total is priced by estimate, how many tokens that are, and of which models.
    pub estimated: Nanos,
    /// See `estimated`.
    pub estimated_tokens: u64,
    /// See `estimated`.
    pub estimated_models: Vec<String>,
    /// The longest row of failures that one of its agents is in.
    pub failure_streak: u64,
    /// The highest count of one call that one of its agents is at.
    pub repeats: u64,
    /// The longest row of cycles that one of its agents is in; 0 for none.
    pub alternations: u64,
    /// Transcripts followed.
    pub transcripts: usize,
    /// How often a person started the counts over.
    pub resets: u32,
    /// What was done because of signals, newest last.
    pub events: Vec<Event>,
}

/// All watched sessions, newest first.
#[must_use]
pub fn reports(host: &dyn Host, folder: &Path) -> Vec<Report> {
    let names = host.list(folder).unwrap_or_default();
    let files = names.iter().filter(|name| name.ends_with(".json")).map(|name| folder.join(name));
    let mut reports: Vec<Report> = files.filter_map(|path| report(host, &path)).collect();
    reports.sort_by(|one, other| other.updated.cmp(&one.updated).then_with(|| one.session.cmp(&other.session)));
    reports
}

fn report(host: &dyn Host, path: &Path) -> Option<Report> {
    let state = watch::look(host, path)?;
    let spent = state.spent();
    Some(Report {
        updated: host.modified(path).map_or(state.created, |moment| moment.0),
        spent,
        total: state.cost,
        cap: state.cap.filter(|cap| cap.0 > 0),
        estimated: state.estimated,
        estimated_tokens: state.estimated_tokens,
        failure_streak: state.agents.iter().map(|agent| agent.streak).max().unwrap_or(0),
        repeats: state.agents.iter().flat_map(|agent| &agent.counts).map(|(_, count)| *count).max().unwrap_or(0),
        alternations: state.agents.iter().map(loops::alternations).max().unwrap_or(0),
        transcripts: state.files.len(),
        resets: state.resets,
        session: state.session,
        estimated_models: state.estimated_models,
        events: state.events,
    })
}

/// Starts all counts of a session over: its money, its failures, its repeats. The total stays in the record.
///
/// # Errors
/// When the session is not watched, or its memory cannot be had or written.
pub fn reset(host: &dyn Host, folder: &Path, session: &str) -> Result<()> {
    let stem = watch::stem(session);
    let path = folder.join(format!("{stem}.json"));
    let _lock = watch::lock(host, folder, &stem)
        .map_err(|unwatched| Error::new(ErrorKind::Io, format!("nothing was reset: {unwatched}")))?;
    let Some(mut state) = watch::look(host, &path) else {
        return Err(Error::new(ErrorKind::Usage, format!("no session `{session}` is watched here")));
    };
    let spent = state.spent();
    state.baseline = state.cost;
    for agent in &mut state.agents {
        end_streak(agent);
        agent.counts.clear();
        agent.past.clear();
    }
    state.resets = state.resets.saturating_add(1);
    let detail = format!("{spent} set back to $0.00 by a person");
    state.record(Event { at: host.now().0, wire: "reset".to_owned(), tool: String::new(), detail });
    let text = serde_json::to_vec(&state).map_err(|error| Error::io("write", &path, error.into()))?;
    host.write_over(&path, &[&text]).map_err(|error| Error::io("write", &path, error))
}
