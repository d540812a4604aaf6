//! One event, start to end, against a [`Host`]: payload in, answer out.
//! May use everything but the authors' side (`yaml`, `validate`, `lower`, `reference`, `cli`). Never panics on purpose,
//! never fails: whatever goes wrong is told, and the event is answered.
//!
//! The order is the whole concurrency story: lock, read state, run, append audit, write state, unlock, print. What
//! needs no state is decided before the lock is taken.
//!
//! What happens when something is wrong. "Told" means one line on standard error and, where the harness has a channel
//! for it, the user; `on_error` is the project's setting (`allow` unless it says `deny`, which refuses PreToolUse).
//!
//! | row | what is wrong | told to the user | the event decides |
//! |---|---|---|---|
//! | bad-input | the payload is empty, no JSON, no UTF-8, two documents, or beyond 64 MiB | each time | `on_error` |
//! | unknown-harness | nothing says which harness sent it | no channel: stderr alone | nothing |
//! | no-project | no folder upward holds `.forge/` | not wrong: nothing is enforced here | nothing |
//! | unseen-project | whether a folder upward holds `.forge/` cannot be seen: a link that leads nowhere, a folder that may not be looked into | each time | `allow`: what the project says cannot be seen either |
//! | no-program | `.forge/` holds no compiled program | once per session | `on_error` |
//! | unreadable-program | it is a folder, or not readable | once per session | `on_error` |
//! | damaged-program | truncated, altered, foreign | once per session | `on_error` |
//! | other-version | compiled by another version of forge | once per session | `on_error` |
//! | misread-variable | `FORGE_HOOK_PROFILE` or a number among the variables cannot be understood | when a session starts | by the default |
//! | too-costly | judging it would take too long: a program that was made to, or a text of many megabytes | each time | `on_error` |
//! | stale-program | its sources have changed (looked at when a session starts) | once per session | the old rules |
//! | lock-timeout | others held the state for 2 s | stderr alone | each behavior's default level |
//! | lock-refused | the file system knows no locks; `.forge`, or `runtime` in it, is a link | stderr alone | each behavior's default level |
//! | broken-state | `state.json` is not ours; kept as `state.json.corrupt-…` | stderr alone | as in a new session |
//! | unwritable-state | disk full, read-only folder | stderr alone | as usual, from what was read; an override that cannot be recorded is none, which is told |
//! | panic | a fault in forge itself | each time | `on_error` of the program |

mod environment;
mod failure;
mod judge;
pub mod judgement;
mod program;
mod program_file;
mod root;
mod said;
mod start;
mod watching;

pub use environment::profile;
pub use failure::panicked;
pub(crate) use program_file::ProgramFile;
pub use root::{find as find_root, of_user as user_root, user_folder};

use crate::harness::{self, Answer, Harness, Incoming, News, Reply};
use crate::host::Host;
use crate::store::{self, Paths};
use said::Said;
use std::io;
use std::path::PathBuf;

/// What the installed command says.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Arguments {
    /// `--harness NAME`: who sends the payload. Without it the payload's keys decide.
    pub harness: Option<Harness>,
    /// `--event NAME`: the harness's own name of the event, for payloads that carry none.
    pub event: Option<String>,
    /// `--root DIR`: the project, where it is not to be searched for.
    pub root: Option<PathBuf>,
}

/// Answers one event. `payload` is standard input, as far as it could be read.
#[must_use]
pub fn run(host: &dyn Host, arguments: &Arguments, payload: io::Result<Vec<u8>>) -> Answer {
    let payload = match payload {
        Ok(payload) => payload,
        Err(error) => {
            return failure::unreadable(host, arguments, format!("standard input cannot be read: {error}"));
        }
    };
    match harness::read(arguments.harness, arguments.event.as_deref(), &payload, store::input_hash) {
        Ok(incoming) => event(host, arguments, &incoming),
        Err(problem) => failure::bad_input(host, arguments, &problem),
    }
}

fn event(host: &dyn Host, arguments: &Arguments, incoming: &Incoming<'_>) -> Answer {
    let project = arguments.root.clone().or_else(|| root::find(host, incoming.cwd.as_deref()));
    // In the folder of the user's own rules they are the project's.
    let user = root::of_user(host).filter(|user| project.as_ref() != Some(user));
    let Some(home) = project.as_ref().or(user.as_ref()) else { return silence(incoming) };
    let session = incoming.session_id.as_deref().filter(|id| !id.is_empty()).map_or_else(
        || store::fallback_session(host, incoming.cwd.as_deref().map_or(home.as_path(), std::path::Path::new)),
        str::to_owned,
    );
    let mut said = Said::default();
    for (root, whose) in [(&user, Whose::User), (&project, Whose::Project)] {
        let Some(root) = root else { continue };
        let place = Place { host, root, paths: &Paths::new(root), session: &session, whose };
        said = said.then(match &incoming.news {
            News::Judge(judged) => judge::judge(&place, incoming, judged),
            News::Failed(call) => judge::settle(&place, incoming, call),
            News::SessionStart => start::report(&place),
            News::Other => Said::default(),
        });
        if said.is_refusal() {
            let other = if whose == Whose::User { &project } else { &user };
            watching::tell_refusal(host, other.as_deref(), &session, incoming, &mut said);
            break;
        }
    }
    said.write(incoming)
}

/// Nothing to say. Most harnesses take it as empty output; one takes that for a broken hook and wants it spelled out.
fn silence(incoming: &Incoming<'_>) -> Answer {
    match &incoming.news {
        News::Judge(judged) => harness::write(&incoming.sender, &Reply::silent(judged.call.event)),
        News::Failed(_) | News::SessionStart | News::Other => Answer::default(),
    }
}

/// Where an event happens.
struct Place<'a> {
    host: &'a dyn Host,
    root: &'a std::path::Path,
    paths: &'a Paths,
    session: &'a str,
    whose: Whose,
}

/// Whose rules are asked.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Whose {
    /// The user's, for every project.
    User,
    /// The project's.
    Project,
}

impl Whose {
    /// What they guard, for messages.
    fn sessions(self) -> &'static str {
        match self {
            Self::User => "your sessions",
            Self::Project => "this project",
        }
    }
}
