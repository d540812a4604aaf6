//! Does a block block? Sends what must be refused through the very command that is registered, from a folder that is
//! not the project's, and reads the answer as the harness would.
//!
//! What is tried is tried in a copy of the project (its compiled program, nothing else), so that no counter and no log
//! of the real one moves; one harmless event then goes to the real project, to see that the hook finds it.

use super::check::{Check, Verdict};
use super::entries::Installed;
use super::payload;
use super::probe::{Probe, Shadow};
use super::spawn::{self, Ended, Stage};
use crate::error::{Error, Result};
use crate::host::{Host, machine};
use crate::registration::Moment;
use crate::registration::settings::Registered;
use crate::shell::Shell;
use serde_json::json;
use std::path::Path;
use std::time::Duration;

const NAME: &str = "live";
/// A hook that takes longer is felt at every call.
const SLOW: Duration = Duration::from_millis(50);

/// Whose rules are tried, and where they are.
#[derive(Clone, Copy)]
pub(super) enum Rules<'a> {
    /// A project's.
    OfProject(&'a Path),
    /// The user's own, tried in a project without any.
    OfUser(&'a Path),
}

/// Tries all probes; where there is none, or no program, forge's own rule. Whether a block was seen to block.
///
/// # Errors
/// When the copy cannot be made.
pub(super) fn look(
    host: &dyn Host,
    rules: Rules<'_>,
    installed: &Installed,
    probes: &[Probe],
    checks: &mut Vec<Check>,
) -> Result<bool> {
    let shadow = match rules {
        Rules::OfProject(root) => Shadow::of(host, root)?,
        Rules::OfUser(root) => Shadow::of_user(host, root)?,
    };
    let mut refused = Vec::new();
    let mut blocks = false;
    let mut untold = 0;
    for probe in probes {
        match attempt(host, installed, &shadow, probe) {
            Ok(true) => refused.push(probe),
            Ok(false) => untold += 1,
            Err(check) => checks.push(check),
        }
    }
    if let Some(first) = refused.first().and_then(|probe| probe.deeds.last()) {
        let count = refused.len();
        let what = format!(
            "{count} of {} rules with a test of a block were tried and block, such as {}",
            probes.len(),
            first.told()
        );
        checks.push(Check::fine(NAME, what));
        blocks = true;
    } else if untold == probes.len() {
        blocks = known_rule(host, installed, checks)?;
    }
    if let Rules::OfProject(root) = rules {
        finds_project(host, root, installed, checks);
    }
    slow_start(host, installed, &shadow, checks);
    Ok(blocks)
}

/// Whether the last deed of a probe was refused; `Ok(false)` when this harness has no event for it.
fn attempt(
    host: &dyn Host,
    installed: &Installed,
    shadow: &Shadow<'_>,
    probe: &Probe,
) -> std::result::Result<bool, Check> {
    let harness = installed.target.dialect.harness;
    let session = format!("forge-doctor-{}", probe.behavior);
    let mut last = None;
    for (number, deed) in probe.deeds.iter().enumerate() {
        let id = format!("doctor-{number}");
        let Some((event, payload)) = payload::before(harness, deed, (&session, &id), &shadow.root) else {
            return Ok(false);
        };
        let Some(entry) = installed.ours().find(|entry| entry.event == event) else {
            let what = format!("{}: nothing is registered for {event}", installed.target.path.display());
            return Err(Check::new(Verdict::Failure, NAME, what, "run `forge compile`, or `forge install` again"));
        };
        let ended = spawn::run(host, entry, &shadow.stage(harness, &elsewhere()), &payload.to_string());
        let ended = ended
            .map_err(|error| Check::new(Verdict::Failure, NAME, format!("`{}`: {error}", entry.line), REINSTALL))?;
        last = Some((deed, entry, ended));
    }
    let Some((deed, entry, ended)) = last else { return Ok(false) };
    if payload::stops(harness, &ended) {
        return Ok(true);
    }
    let what =
        format!("{} must be blocked by `{}` and was let through: {}", deed.told(), probe.behavior, answer(&ended));
    Err(Check::new(Verdict::Failure, NAME, what, format!("run this by hand to see more: {}", by_hand(entry))))
}

const REINSTALL: &str = "register the hook again with `forge install`";

fn by_hand(entry: &Registered) -> String {
    entry.command.as_ref().map_or_else(|| entry.line.clone(), |command| command.line(Shell::NATIVE))
}

/// A folder in which no project is.
fn elsewhere() -> std::path::PathBuf {
    machine::temporary_folder()
}

fn answer(ended: &Ended) -> String {
    let Some(code) = ended.code else { return "the hook did not end by itself".to_owned() };
    let said = [&ended.stdout, &ended.stderr].map(|text| text.trim()).join(" ");
    let said: String = said.trim().chars().take(300).collect();
    if said.is_empty() { format!("exit {code} without a word") } else { format!("exit {code}, {said}") }
}

/// What the hook says is wrong, once: the harness's form of it says the same.
fn complaint(ended: &Ended) -> String {
    let told: Vec<_> = ended.stderr.lines().filter_map(|line| line.strip_prefix("[forge] ")).collect();
    if ended.code == Some(0) && !told.is_empty() { told.join("; ") } else { answer(ended) }
}

/// The hook and the harness's form of an answer, tried with a rule of forge's own. Whether it blocked.
fn known_rule(host: &dyn Host, installed: &Installed, checks: &mut Vec<Check>) -> Result<bool> {
    let words = installed.target.dialect.words(Moment::PreToolUse);
    if !installed.ours().any(|entry| words.contains(&entry.event.as_str())) {
        let what = "no behavior here watches what a tool is about to do, so no block was tried";
        checks.push(Check::new(Verdict::Note, NAME, what, ""));
        return Ok(false);
    }
    let (shadow, probe) = Shadow::with_known_rule(host)?;
    let compiled = spawn::compile(host, &shadow.root).map_err(|error| Error::io("compile", &shadow.root, error))?;
    if !compiled {
        checks.push(Check::new(Verdict::Failure, NAME, "forge cannot compile its own rule", "please report this"));
        return Ok(false);
    }
    match attempt(host, installed, &shadow, &probe) {
        Ok(false) => {
            let what = "forge's own rule cannot be tried with this agent";
            checks.push(Check::new(Verdict::Failure, NAME, what, "please report this"));
        }
        Ok(true) => {
            let what = "no behavior here brings a test of a block that this agent can be shown; forge's own rule, tried in \
                        a project of its own, blocks";
            let remedy = "add a scenario with `expect: hard_block` to a behavior's `tests/` to have it tried here";
            checks.push(Check::new(Verdict::Note, NAME, what, remedy));
            return Ok(true);
        }
        Err(check) => checks.push(check),
    }
    Ok(false)
}

/// The start of a session, told to the real project: the hook must find it and have nothing to complain about.
fn finds_project(host: &dyn Host, root: &Path, installed: &Installed, checks: &mut Vec<Check>) {
    let dialect = installed.target.dialect;
    let words = dialect.words(Moment::SessionStart);
    let Some(entry) = installed.ours().find(|entry| words.contains(&entry.event.as_str())) else { return };
    let session = format!("forge-doctor-{}", host.now().0);
    let payload = json!({
        "session_id": session, "sessionId": session, "cwd": root, "hook_event_name": entry.event, "source": "startup",
    });
    let here = elsewhere();
    let stage = Stage { harness: dialect.harness, project: root, here: &here, config: None };
    let ended = spawn::run(host, entry, &stage, &payload.to_string());
    let check = match ended {
        Ok(ended) if ended.code == Some(0) && !ended.stderr.contains("[forge]") => return,
        Ok(ended) => format!("at the start of a session the hook complains: {}", complaint(&ended)),
        Err(error) => format!("`{}`: {error}", entry.line),
    };
    checks.push(Check::new(Verdict::Failure, NAME, check, "do what it says, then run `forge doctor` again"));
}

fn slow_start(host: &dyn Host, installed: &Installed, shadow: &Shadow<'_>, checks: &mut Vec<Check>) {
    let Some(entry) = installed.ours().next() else { return };
    let harness = installed.target.dialect.harness;
    let payload =
        json!({ "session_id": "forge-doctor", "cwd": shadow.root, "hook_event_name": entry.event }).to_string();
    let here = elsewhere();
    let runs = (0..5).map(|_| spawn::run(host, entry, &shadow.stage(harness, &here), &payload));
    let mut times: Vec<Duration> = runs.filter_map(|run| Some(run.ok()?.took)).collect();
    times.sort();
    let Some(median) = times.get(times.len() / 2) else { return };
    let what = format!("the hook takes {} ms (median of {} starts)", median.as_millis(), times.len());
    checks.push(if *median > SLOW {
        let remedy = "look for a virus scanner, a network drive, or a wrapper around forge-hook";
        Check::new(Verdict::Warning, "start", what, remedy)
    } else {
        Check::fine("start", what)
    });
}
