//! What one event does with what is remembered, in its only order: lock, read, judge (elsewhere), write, unlock.
//! Reading and writing never fail for the caller: what goes wrong becomes a note for standard error.

use super::json::quote;
use super::lock::{self, Unavailable};
use super::object::Object;
use super::overrides::Override;
use super::paths::Paths;
use super::session::{self, Additions};
use super::session_file::SessionFile;
use super::{audit, overrides, quarantine, summary, time};
use crate::host::{Entry, Held, Host};
use crate::limits;
use crate::model::{Call, Session, Timestamp};
use std::io;

/// The memory of a project, locked; dropping it unlocks.
pub struct Locked<'h> {
    host: &'h dyn Host,
    paths: &'h Paths,
    /// `None` when the folder cannot be written; then nothing is.
    held: Option<Held>,
    /// `None` when there is no state, or none that can be read as text.
    text: Option<String>,
    now: Timestamp,
    notes: Vec<String>,
}

/// Locks the memory and reads it. Missing folders are made.
///
/// # Errors
/// When it cannot be had in time, or not at all. Then the event is judged without it.
pub fn open<'h>(host: &'h dyn Host, paths: &'h Paths) -> Result<Locked<'h>, Unavailable> {
    let held = lock::take(host, paths)?;
    let mut locked = Locked { host, paths, held, text: None, now: host.now(), notes: Vec::new() };
    if locked.held.is_none() {
        locked.notes.push(format!("{} cannot be written; this event is not counted", paths.runtime().display()));
    } else if host.entry(&paths.gitignore()) == Entry::Nothing {
        // Worth no word when it fails: whatever is wrong with the folder is said when the state is written.
        let _ = host.write_atomic(&paths.gitignore(), b"runtime/\n!audit/\n");
    }
    // Behind a link is a file of someone else, whose content must not come to stand here.
    if host.entry(&paths.state()) == Entry::Link {
        if locked.held.is_some() {
            locked.notes.push(quarantine::set_aside(host, paths, locked.now, "is a link"));
        }
        return Ok(locked);
    }
    let why = match host.read(&paths.state(), limits::STATE_BYTES).map(String::from_utf8) {
        Ok(Ok(text)) => {
            locked.text = Some(text);
            return Ok(locked);
        }
        Ok(Err(_)) => "is not UTF-8",
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(locked),
        Err(error) if error.kind() == io::ErrorKind::FileTooLarge => "is too large",
        Err(_) if host.entry(&paths.state()) == Entry::Folder => "is a folder",
        Err(error) => return Err(Unavailable::Refused(error)),
    };
    if locked.held.is_some() {
        locked.notes.push(quarantine::set_aside(host, paths, locked.now, why));
    }
    Ok(locked)
}

impl Locked<'_> {
    /// The sessions, without those nobody accessed for `FORGE_SESSION_TTL_SECONDS`. A file that is no state of ours is
    /// set aside, and nothing is remembered.
    pub fn read(&self) -> Memory<'_> {
        let oldest = Timestamp(self.now.0.saturating_sub(overrides::ttl(self.host)));
        let mut notes = self.notes.clone();
        let file = self.text.as_deref().map_or(Ok(SessionFile::default()), |text| SessionFile::read(text, oldest));
        let file = file.unwrap_or_else(|_| {
            let why = "is no state file of this version of forge";
            notes.push(match self.held {
                Some(_) => quarantine::set_aside(self.host, self.paths, self.now, why),
                None => format!("{} {why}; nothing is remembered", self.paths.state().display()),
            });
            SessionFile::default()
        });
        Memory { locked: self, file, notes }
    }
}

/// The sessions while the lock is held.
pub struct Memory<'l> {
    locked: &'l Locked<'l>,
    file: SessionFile<'l>,
    notes: Vec<String>,
}

impl Memory<'_> {
    /// The moment the lock was taken: the time of everything this event does.
    #[must_use]
    pub fn now(&self) -> Timestamp {
        self.locked.now
    }

    /// What went wrong so far, for standard error: one line each, without the `[forge]` in front.
    #[must_use]
    pub fn notes(&self) -> &[String] {
        &self.notes
    }

    /// All sessions' names and texts.
    pub(super) fn entries(&self) -> impl Iterator<Item = (String, &str)> {
        self.file.sessions()
    }

    /// What is remembered of a session; nothing when it is new. One that does not make sense is set aside and starts
    /// empty; the others are not touched.
    pub fn session(&mut self, id: &str) -> Session {
        let Ok(session) = session::read(self.file.session(id), self.locked.now) else {
            let Locked { host, paths, now, .. } = self.locked;
            let text = self.locked.text.as_deref().unwrap_or_default();
            self.notes.push(quarantine::keep_copy(*host, paths, *now, text));
            self.file.forget(id);
            return Session::default();
        };
        session
    }

    /// Changes a session's entry in the file as text, and writes it. The answer is the edit's, and whether it was kept.
    pub(super) fn edit<T>(
        &mut self,
        id: &str,
        change: impl FnOnce(&mut Object<'_>, Timestamp) -> T,
    ) -> (T, io::Result<()>) {
        let Locked { now, .. } = *self.locked;
        let mut entry = Object::read(self.file.session(id)).unwrap_or_default();
        let moment = quote(&time::write(now));
        if entry.get("created_at").is_none() {
            entry.set("created_at", moment.clone());
        }
        entry.set("last_accessed_at", moment);
        let answer = change(&mut entry, now);
        if self.locked.held.is_none() {
            return (answer, Err(io::ErrorKind::PermissionDenied.into()));
        }
        (answer, self.write(id, &entry.write()))
    }

    /// Writes a session back, accessed now, and records the blocks that this call showed to be overridden: in the
    /// audit log first, then in the session. Returns whether all of it is written.
    pub fn commit(&mut self, id: &str, session: &Session, call: &Call<'_>, overridden: &[Override<'_>]) -> bool {
        let Locked { host, paths, now, .. } = *self.locked;
        if self.locked.held.is_none() {
            return false;
        }
        let known = self.notes.len();
        let old = self.file.session(id);
        let is_told = !overridden.is_empty() || session.behaviors.values().any(|state| state.pending.is_some());
        let summary = if is_told { summary::of(call) } else { String::new() };
        let records: Vec<_> = overridden.iter().map(|it| (it.behavior, it.record(now, &call.tool, &summary))).collect();
        for line in overridden.iter().map(|it| it.audit_line(now, id, &call.tool, &summary)) {
            if let Err(error) = audit::append(host, paths, &line) {
                self.notes.push(format!("override not logged: {error}"));
            }
        }
        let added = Additions { tool: &call.tool, summary: &summary, overrides: &records };
        // The old text was read before; should it make no sense after all, it was set aside then.
        let text = session::write(old, session, now, &added).or_else(|_| session::write(None, session, now, &added));
        // Never an entry that the next event could not read: what cannot be written leaves the file as it is.
        let text = text.map_err(|_| io::ErrorKind::InvalidData.into());
        if let Err(error) = text.and_then(|text| self.write(id, &text)) {
            self.notes
                .push(format!("{}: state not saved, this event is not counted: {error}", paths.state().display()));
        }
        self.notes.len() == known
    }

    fn write(&self, id: &str, session: &str) -> io::Result<()> {
        let pieces = self.file.with(id, session);
        let bytes: Vec<&[u8]> = pieces.iter().map(|piece| piece.as_bytes()).collect();
        self.locked.host.write_over(&self.locked.paths.state(), &bytes)
    }
}
