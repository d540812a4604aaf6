//! `forge allow`, the part that remembers: which block a code names, and the one grant a person can give it.
//! A code is no secret and proves nothing by itself; that a person typed it is for the command to make sure of.

use super::memory::{self, Memory};
use super::paths::Paths;
use super::{canonical, digest, session};
use crate::error::{Error, ErrorKind, Result};
use crate::host::Host;
use crate::limits;
use crate::model::{Call, Event, PendingBlock};

/// Letters and digits that nobody takes for each other.
const LETTERS: &[u8; 32] = b"0123456789ABCDEFGHJKMNPQRSTVWXYZ";

/// A soft block that waits for a person.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Blocked {
    /// The session.
    pub session: String,
    /// The behavior that blocks.
    pub behavior: String,
    /// The tool whose call was blocked.
    pub tool: String,
    /// The call's input in short, secrets masked.
    pub summary: String,
    /// Seconds since the block.
    pub age: i64,
}

/// The code of a block, `XXXX-XXXX`: another one for each session, behavior, input, count and moment.
#[must_use]
pub fn code(session: &str, behavior: &str, counter: u64, block: &PendingBlock) -> String {
    // Ids cannot hold a newline, session names might: the fixed parts come first and the name last.
    let named = [behavior, &block.input.0, &block.blocked_at.0.to_string(), &counter.to_string(), session].join("\n");
    let mut code = String::with_capacity(9);
    for (index, byte) in digest::sha256(named.as_bytes()).into_iter().take(8).enumerate() {
        if index == 4 {
            code.push('-');
        }
        code.push(LETTERS.get(usize::from(byte % 32)).copied().map_or('0', char::from));
    }
    code
}

/// The block that a code names, while it can still be allowed.
///
/// # Errors
/// When no block waits under this code, when it waited too long, when it was allowed before, when the memory cannot be
/// had.
pub(super) fn find_blocked(host: &dyn Host, paths: &Paths, code: &str) -> Result<Blocked> {
    let locked = open(host, paths)?;
    find(&locked.read(), code)
}

/// Allows the block that a code names: the same call in the same session, once, within the window.
///
/// # Errors
/// As [`find_blocked`], and when the grant cannot be written.
pub(super) fn grant(host: &dyn Host, paths: &Paths, code: &str) -> Result<Blocked> {
    let locked = open(host, paths)?;
    let mut memory = locked.read();
    // Looked for again under the lock: meanwhile the block may have been answered, replaced or granted.
    let blocked = find(&memory, code)?;
    let mut session = memory.session(&blocked.session);
    let state = session.behaviors.get_mut(&blocked.behavior);
    if let Some(pending) = state.and_then(|state| state.pending.as_mut()) {
        pending.granted_at = Some(memory.now());
    }
    let nothing = Call::new(Event::PreToolUse, "", "", canonical::input_hash);
    memory.commit(&blocked.session, &session, &nothing, &[]);
    match memory.notes() {
        [] => Ok(blocked),
        notes => Err(refusal(&format!("nothing is allowed: {}", notes.join("; ")))),
    }
}

fn open<'h>(host: &'h dyn Host, paths: &'h Paths) -> Result<memory::Locked<'h>> {
    memory::open(host, paths).map_err(|unavailable| refusal(&format!("nothing is allowed: {unavailable}")))
}

fn refusal(what: &str) -> Error {
    Error::new(ErrorKind::Usage, what)
}

fn find(memory: &Memory<'_>, typed: &str) -> Result<Blocked> {
    let wanted = normal(typed);
    let now = memory.now();
    for (id, text) in memory.entries() {
        let Ok(session) = session::read(Some(text), now) else { continue };
        for (behavior, state) in session.behaviors {
            let Some(block) =
                state.pending.filter(|block| normal(&code(&id, &behavior, state.counter, block)) == wanted)
            else {
                continue;
            };
            let age = now.0.saturating_sub(block.blocked_at.0);
            if !(0..limits::ALLOW_CODE_SECONDS).contains(&age) {
                return Err(refusal(&format!(
                    "`{typed}` has expired; let the agent try again, the new block names a new code"
                )));
            }
            if block.granted_at.is_some() {
                return Err(refusal(&format!("`{typed}` was used already; a code allows one call, once")));
            }
            let (tool, summary) = session::told(text, &behavior).unwrap_or_default();
            return Ok(Blocked { session: id, behavior, tool, summary, age });
        }
    }
    Err(refusal(&format!(
        "no block waits under `{typed}`; the code stands in the block's message, changes with every block and holds for \
         {} minutes",
        limits::ALLOW_CODE_SECONDS / 60
    )))
}

/// A code as it was meant: case, dashes and look-alikes do not matter.
fn normal(code: &str) -> String {
    let letters = code.chars().filter(|c| !c.is_whitespace() && *c != '-');
    let meant = |c: char| match c.to_ascii_uppercase() {
        'O' => '0',
        'I' | 'L' => '1',
        other => other,
    };
    letters.map(meant).collect()
}
