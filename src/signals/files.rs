//! Which transcripts belong to a session: its own and its subagents'. The only place that knows where harnesses put them.
//! May use `host` and `limits`; reads no more of a file than its first line.

use super::fact::{Hash, hash};
use super::record::{self, Raw};
use super::state::{Followed, State};
use super::watch::{Source, Subject};
use crate::host::{Entry, Host};
use crate::limits;
use serde::Deserialize;
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

/// The agent that is none of the subagents.
const MAIN: &str = "main";

/// Whose calls these are: a key of the session's agents.
pub(super) fn agent_of(subject: &Subject<'_>) -> String {
    match (subject.source, subject.agent, subject.transcript) {
        (_, Some(agent), _) => key(agent),
        (Source::Codex, None, Some(path)) => key(path),
        (Source::ClaudeCode | Source::Codex, None, _) => MAIN.to_owned(),
    }
}

/// Adds the session's transcripts that are not followed yet, and names the main one.
pub(super) fn find(host: &dyn Host, state: &mut State, subject: &Subject<'_>) -> Option<String> {
    let told = subject.transcript.filter(|path| !path.is_empty())?;
    match subject.source {
        Source::ClaudeCode => {
            let main = session_file(Path::new(told));
            follow(state, &main, MAIN);
            subagents(host, state, &main);
            Some(main.to_string_lossy().into_owned())
        }
        Source::Codex => {
            follow(state, Path::new(told), &key(told));
            rollouts(host, state, Path::new(told), subject.session);
            Some(told.to_owned())
        }
    }
}

fn follow(state: &mut State, path: &Path, agent: &str) {
    let Some(path) = path.to_str() else { return };
    if state.files.len() < limits::TRANSCRIPTS && !state.files.contains_key(path) {
        state.files.insert(path.to_owned(), Followed { agent: agent.to_owned(), ..Followed::default() });
    }
}

/// A subagent's own file names the session's: `<session>/subagents/…/agent-<id>.jsonl`.
fn session_file(told: &Path) -> PathBuf {
    let is_subagent = told.file_name().is_some_and(|name| name.to_string_lossy().starts_with("agent-"));
    let folders = told.ancestors().skip(1).take(3);
    let session = folders.filter(|folder| folder.ends_with("subagents")).find_map(Path::parent);
    match session.filter(|_| is_subagent) {
        Some(session) => session.with_added_extension("jsonl"),
        None => told.to_path_buf(),
    }
}

/// Claude Code: beside the session's file, workflow agents one level deeper.
fn subagents(host: &dyn Host, state: &mut State, main: &Path) {
    let root = main.with_extension("").join("subagents");
    let workflows = root.join("workflows");
    let known = state.folders.keys().map(PathBuf::from).filter(|folder| *folder != root);
    let mut folders: Vec<PathBuf> = std::iter::once(root.clone()).chain(known).collect();
    let mut at = 0;
    while let Some(folder) = folders.get(at).cloned() {
        at += 1;
        let Some(listing) = Listing::of(host, state, &folder) else { continue };
        for name in &listing.names {
            if let Some(id) = name.strip_prefix("agent-").and_then(|rest| rest.strip_suffix(".jsonl")) {
                follow(state, &folder.join(name), &key(id));
            }
            let is_deeper = folder == workflows || (folder == root && name == "workflows");
            if is_deeper && !folders.contains(&folder.join(name)) {
                folders.push(folder.join(name));
            }
        }
        listing.keep(state, true);
    }
}

/// The names in a folder that may hold something new.
struct Listing {
    folder: String,
    names: Vec<String>,
    /// When it was last changed, if that can be relied on: within the second in which a folder is listed it may change
    /// again unseen, and a link says nothing of the folder behind it.
    changed: Option<i64>,
}

/// Seconds after which a change of a folder shows in its time, for the coarsest file systems.
const COARSE: i64 = 2;

impl Listing {
    /// `None` when the folder has not changed since all in it was known, or is none.
    fn of(host: &dyn Host, state: &State, folder: &Path) -> Option<Self> {
        let (now, changed) = (host.now().0, host.modified(folder).ok()?.0);
        let name = folder.to_str()?;
        if state.folders.get(name) == Some(&Some(changed)) {
            return None;
        }
        let is_sure = changed <= now - COARSE && host.entry(folder) == Entry::Folder;
        let names = host.list(folder).ok()?;
        Some(Self { folder: name.to_owned(), names, changed: is_sure.then_some(changed) })
    }

    /// Remembers the folder; all in it is known, or it is to be listed again.
    fn keep(self, state: &mut State, is_known: bool) {
        if state.folders.len() < limits::TRANSCRIPTS || state.folders.contains_key(&self.folder) {
            state.folders.insert(self.folder, self.changed.filter(|_| is_known));
        }
    }
}

/// A rollout's first line.
#[derive(Deserialize)]
struct First<'a> {
    #[serde(borrow, default)]
    payload: Raw<'a>,
}

#[derive(Deserialize)]
struct Meta<'a> {
    #[serde(borrow, default)]
    id: Raw<'a>,
    #[serde(borrow, default)]
    session_id: Raw<'a>,
}

/// Bytes of a file in which its first line is looked for at first.
const FIRST: usize = 1 << 16;
/// Most rollouts of others remembered as such.
const FOREIGN: usize = 2_000;
/// How long before the session a subagent's file may seem to have been written: clocks and file systems are coarse.
const SLACK: i64 = 60;

/// Codex: every subagent writes a rollout of its own, whose first line names the root session. They lie in the folder of
/// the day they began: the main rollout's, today's or yesterday's.
fn rollouts(host: &dyn Host, state: &mut State, main: &Path, session: &str) {
    let Some(day) = main.parent() else { return };
    let mut folders = vec![day.to_path_buf()];
    if let Some(sessions) = main.ancestors().nth(4) {
        let now = host.now().0;
        // The folders are named by local time, which is at most fourteen hours from UTC.
        for moment in [now - 86_400, now, now + 14 * 3_600] {
            let Ok(date) = jiff::Timestamp::from_second(moment) else { continue };
            // `2026-11-30T…`: a folder per year, in it one per month, in it one per day.
            let date = date.to_string();
            let parts = date.split('T').next().unwrap_or_default().split('-');
            folders.push(parts.fold(sessions.to_path_buf(), |path, part| path.join(part)));
        }
    }
    folders.sort();
    folders.dedup();
    for folder in folders {
        let Some(listing) = Listing::of(host, state, &folder) else { continue };
        let foreign: BTreeSet<Hash> = state.foreign.iter().collect();
        let mut is_known = true;
        for name in &listing.names {
            let path = folder.join(name);
            let is_followed = path.to_str().is_none_or(|path| state.files.contains_key(path));
            let id = hash(&["rollout", name]);
            if is_followed || !name.starts_with("rollout-") || !name.ends_with(".jsonl") || foreign.contains(&id) {
                continue;
            }
            if host.modified(&path).is_ok_and(|moment| moment.0 < state.began - SLACK) {
                continue;
            }
            match first_line(host, &path).as_deref().map(names) {
                // Still being written: looked at again at the next event.
                None => is_known = false,
                Some(Some((own, root))) if root == session && own != session => {
                    follow(state, &path, &key(&path.to_string_lossy()));
                }
                Some(_) => state.foreign.push(id, FOREIGN),
            }
        }
        listing.keep(state, is_known);
    }
}

/// A file's first line, if it is whole.
fn first_line(host: &dyn Host, path: &Path) -> Option<String> {
    let mut want = FIRST;
    loop {
        let bytes = host.read_at(path, 0, want).ok()?;
        if let Some(end) = bytes.iter().position(|byte| *byte == b'\n') {
            return String::from_utf8(bytes.get(..end)?.to_vec()).ok();
        }
        if bytes.len() < want || want >= limits::TRANSCRIPT_CHUNK {
            return None;
        }
        want *= 4;
    }
}

/// A rollout's own id and its session's, by its first line.
fn names(line: &str) -> Option<(String, String)> {
    let first = record::read::<Meta<'_>>(serde_json::from_str::<First<'_>>(line).ok()?.payload)?;
    Some((record::text(first.id)?.into_owned(), record::text(first.session_id).unwrap_or_default().into_owned()))
}

/// When a rollout began, by its first line.
pub(super) fn began(host: &dyn Host, path: &Path) -> Option<i64> {
    #[derive(Deserialize)]
    struct Line<'a> {
        #[serde(borrow, default)]
        timestamp: Raw<'a>,
    }
    let line = first_line(host, path)?;
    let stamp = record::text(serde_json::from_str::<Line<'_>>(&line).ok()?.timestamp)?;
    stamp.parse::<jiff::Timestamp>().ok().map(|moment| moment.as_second())
}

/// A short name for an agent: its id, or the hash of a long one.
fn key(id: &str) -> String {
    let is_plain = id.len() <= 64 && id.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"-_.".contains(&byte));
    if is_plain { id.to_owned() } else { format!("#{:016x}", hash(&["agent", id])) }
}
