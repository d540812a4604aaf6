//! The one door to a grant: a person at a terminal says yes. Asks past every redirection, and asks nothing where an
//! agent could be the one who answers. Uses the host; what is granted is `allow`'s business.

use super::allow::{self, Blocked};
use super::paths::Paths;
use crate::error::{Error, ErrorKind, Result};
use crate::host::Host;

/// Asks the person at the terminal whether the call that a code names may run, and grants it: once, to the same input
/// in the same session. `None` when the person says no.
///
/// # Errors
/// When this may be an agent's process, when there is no terminal, when the code names nothing that can be allowed.
pub fn allow(host: &dyn Host, paths: &Paths, code: &str) -> Result<Option<Blocked>> {
    refuse_agents(host, "forge allow")?;
    let blocked = allow::find_blocked(host, paths, code)?;
    // The lock is not held while the person thinks.
    if ask(host, "forge allow", &question(&blocked))? { allow::grant(host, paths, code).map(Some) } else { Ok(None) }
}

/// Asks the person at the terminal a question that only a person may answer with yes; `command` asks it.
///
/// # Errors
/// When this may be an agent's process, when there is no terminal.
pub fn confirm(host: &dyn Host, command: &str, question: &str) -> Result<bool> {
    refuse_agents(host, command)?;
    ask(host, command, &format!("{} [y/N] ", plain(question)))
}

fn refuse_agents(host: &dyn Host, command: &str) -> Result<()> {
    let Some(name) = agent_variable(host) else { return Ok(()) };
    let what = format!(
        "`{name}` is set here or in a process above, so this looks like an agent's, and an agent does not override its \
         own blocks; run `{command}` in a terminal of your own"
    );
    Err(Error::new(ErrorKind::Usage, what))
}

fn ask(host: &dyn Host, command: &str, question: &str) -> Result<bool> {
    let answer = host.ask(question).map_err(|error| {
        let what = format!("there is no terminal to ask at ({error}); run `{command}` in one, not from a script");
        Error::new(ErrorKind::Usage, what)
    })?;
    Ok(["y", "yes"].iter().any(|yes| answer.trim().eq_ignore_ascii_case(yes)))
}

fn question(blocked: &Blocked) -> String {
    let session: String = plain(&blocked.session).chars().take(8).collect();
    format!(
        "blocked by  {}\ntool        {}\ninput       {}\nsession     {session}, {} s ago\nAllow this call once? [y/N] ",
        plain(&blocked.behavior),
        plain(&blocked.tool),
        plain(&blocked.summary),
        blocked.age
    )
}

/// A text that cannot move the cursor or recolour the question: it comes from the agent.
fn plain(text: &str) -> String {
    text.chars().map(|c| if c.is_control() { ' ' } else { c }).collect()
}

/// How the names of variables begin that agents set for the processes they start.
const AGENTS: [&str; 8] =
    ["CLAUDECODE", "CLAUDE_CODE_", "CODEX_", "CURSOR_", "GEMINI_CLI", "COPILOT_", "OPENCODE", "ANTIGRAVITY_"];

/// Among those the ones that people set themselves, in every shell.
const PEOPLE: [&str; 7] = [
    "CLAUDE_CODE_USE_",
    "CLAUDE_CODE_MAX_",
    "CLAUDE_CODE_ENABLE_",
    "CLAUDE_CODE_DISABLE_",
    "CODEX_HOME",
    "COPILOT_HOME",
    "OPENCODE_CONFIG",
];

/// The name that gives an agent away: in this process, or in one above it, which no `env -u` reaches.
fn agent_variable(host: &dyn Host) -> Option<String> {
    let begins = |name: &str, starts: &[&str]| starts.iter().any(|start| name.starts_with(start));
    let mut names = host.env_names("").into_iter().chain(host.ancestors_env_names());
    names.find(|name| begins(name, &AGENTS) && !begins(name, &PEOPLE))
}
