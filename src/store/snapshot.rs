//! What is remembered, to be looked at: read without the lock, and without changing, purging or setting aside anything. For the author's commands; the hook never comes here.

use super::json::{Cursor, Malformed, decode};
use super::object::Object;
use super::paths::Paths;
use super::session_file::SessionFile;
use super::summary::unescape;
use super::{audit, quarantine, session, time};
use crate::error::{Error, Result};
use crate::host::Host;
use crate::limits;
use crate::model::{Session, Timestamp};
use std::io;

/// All that can be seen at one moment.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Snapshot {
    /// The sessions of the state file, old ones too, in its order.
    pub sessions: Vec<Remembered>,
    /// What is wrong with the state file, one line each.
    pub faults: Vec<String>,
    /// The names of the states that were set aside as unreadable, oldest first.
    pub set_aside: Vec<String>,
    /// The lines of the audit log that can be read.
    pub log: Vec<Logged>,
    /// The numbers of those that cannot, from 1.
    pub unreadable_lines: Vec<usize>,
}

/// One session.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Remembered {
    /// Its name.
    pub id: String,
    /// When it was first seen.
    pub created_at: Option<Timestamp>,
    /// When it was last seen.
    pub last_accessed_at: Option<Timestamp>,
    /// What the engine knows of it.
    pub session: Session,
    /// How often each behavior was overridden in it.
    pub overrides: Vec<(String, u64)>,
}

/// One line of the audit log.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Logged {
    /// When.
    pub at: Timestamp,
    /// The first characters of the session's name.
    pub session: String,
    /// The behavior's id.
    pub behavior: String,
    /// The tool.
    pub tool: String,
    /// The call in short, secrets masked when it was written.
    pub summary: String,
    /// The violations before it.
    pub counter: u64,
}

/// Looks at everything.
///
/// # Errors
/// When a file is there and cannot be read.
pub fn snapshot(host: &dyn Host, paths: &Paths) -> Result<Snapshot> {
    let mut seen = Snapshot { set_aside: quarantine::set_aside_names(host, paths), ..Snapshot::default() };
    let log = audit::log(host, paths)?;
    for (line, text) in (1..).zip(log.split_terminator('\n')) {
        match logged(text) {
            Some(logged) => seen.log.push(logged),
            None => seen.unreadable_lines.push(line),
        }
    }
    let path = paths.state();
    let text = match host.read_settled(&path, limits::STATE_BYTES).map(String::from_utf8) {
        Ok(Ok(text)) => text,
        Ok(Err(_)) => {
            seen.faults.push(String::from("state.json is not UTF-8"));
            return Ok(seen);
        }
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(seen),
        Err(error) => return Err(Error::io("read the state", &path, error)),
    };
    match SessionFile::read(&text, Timestamp(i64::MIN)) {
        Ok(file) => {
            for (id, text) in file.sessions() {
                match remembered(&id, text, host.now()) {
                    Some(session) => seen.sessions.push(session),
                    None => seen.faults.push(format!("the entry of session `{id}` makes no sense")),
                }
            }
        }
        Err(_) => seen.faults.push(String::from("state.json is no state file of this version of forge")),
    }
    Ok(seen)
}

fn remembered(id: &str, text: &str, now: Timestamp) -> Option<Remembered> {
    let session = session::read(Some(text), now).ok()?;
    let object = Object::read(Some(text)).ok()?;
    let moment = |key| object.get(key).and_then(|text| time::read(&decode(text)));
    let behaviors = Object::read(object.get("behaviors")).ok()?;
    let mut overrides = Vec::new();
    for (behavior, state) in behaviors.members().filter(|(_, state)| *state != "null") {
        let count = elements(Object::read(Some(state)).ok()?.get("overrides").unwrap_or("[]")).ok()?;
        if count > 0 {
            overrides.push((behavior.to_owned(), count));
        }
    }
    let (created_at, last_accessed_at) = (moment("created_at"), moment("last_accessed_at"));
    Some(Remembered { id: id.to_owned(), created_at, last_accessed_at, session, overrides })
}

/// How many elements an array has.
fn elements(array: &str) -> std::result::Result<u64, Malformed> {
    let mut cursor = Cursor::new(array);
    cursor.expect(b'[')?;
    let mut count = 0;
    while !cursor.eat(b']') {
        if count > 0 {
            cursor.expect(b',')?;
        }
        cursor.value()?;
        count += 1;
    }
    Ok(count)
}

/// The parts of a line; an older tool's line may lack the reason.
fn logged(line: &str) -> Option<Logged> {
    let mut parts = vec![String::new()];
    let mut characters = line.chars();
    while let Some(character) = characters.next() {
        let part = parts.last_mut()?;
        match character {
            '|' => parts.push(String::new()),
            '\\' => {
                part.push('\\');
                part.extend(characters.next());
            }
            other => part.push(other),
        }
    }
    let mut parts = parts.iter().map(|part| unescape(part));
    let mut next = || parts.next();
    let at = time::read(&next()?)?;
    let (session, behavior, tool, summary) = (next()?, next()?, next()?, next()?);
    Some(Logged { at, session, behavior, tool, summary, counter: next()?.trim().parse().ok()? })
}
