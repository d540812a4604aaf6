//! `forge doctor`: is forge installed, and is it live? Looks, tries, and says what to do; changes nothing.

mod check;
mod entries;
mod live;
mod payload;
mod probe;
mod program;
mod spawn;

use super::install::dialect;
use super::output::say;
use super::{Exit, project};
use crate::error::Result;
use crate::host::{Host, OsHost};
use check::{Check, Verdict};
use entries::Installed;
use serde_json::json;
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

/// Arguments.
#[derive(clap::Args, Clone, Debug)]
pub(super) struct Arguments {
    /// The project's folder; without it, the nearest one upward that has `behaviors/` or `.forge/`
    #[arg(long, value_name = "DIR")]
    root: Option<PathBuf>,
    /// Only this agent; without it, every one whose settings call forge
    #[arg(long, value_name = "NAME")]
    harness: Option<String>,
    /// Print one JSON object
    #[arg(long)]
    json: bool,
}

pub(super) fn run(arguments: &Arguments) -> Result<Exit> {
    let host = OsHost::new();
    if let Some(harness) = &arguments.harness {
        dialect(harness)?;
    }
    let root = project::root(&host, arguments.root.as_deref())?;
    let root = std::path::absolute(&root).unwrap_or(root);
    let (checks, blocks) = examine(&host, &root, arguments.harness.as_deref())?;
    let failures = checks.iter().filter(|check| check.verdict == Verdict::Failure).count();
    if arguments.json {
        let checks: Vec<_> = checks.iter().map(Check::json).collect();
        say(&format!("{:#}\n", json!({ "root": root, "live": failures == 0, "blocked": blocks, "checks": checks })))?;
    } else {
        let lines: String = checks.iter().map(Check::line).collect();
        let sum = match failures {
            0 if blocks => "\nforge is live here: a block blocks\n".to_owned(),
            0 => "\nnothing is wrong, and nothing was tried: no behavior here blocks a call\n".to_owned(),
            _ => format!("\n{failures} of {} checks failed: a block may not block\n", checks.len()),
        };
        say(&format!("{}\n{lines}{sum}", root.display()))?;
    }
    Ok(if failures == 0 { Exit::Fine } else { Exit::Content })
}

/// The checks, and whether a block was seen to block.
fn examine(host: &dyn Host, root: &Path, harness: Option<&str>) -> Result<(Vec<Check>, bool)> {
    let mut checks = Vec::new();
    let mut blocks = false;
    let behaviors = program::look(host, root, &mut checks);
    let installed = entries::find(host, root, harness, &mut checks);
    if installed.is_empty() {
        let what = format!("no settings of {} call forge for this project", harness.unwrap_or("any agent"));
        let remedy = "run `forge compile` for Claude Code, or `forge install --harness NAME --write`";
        checks.push(Check::new(Verdict::Failure, "entries", what, remedy));
    }
    twice(&installed, &mut checks);
    entries::switches(host, root, &installed, &mut checks);
    let probes = probe::of_project(host, root, behaviors.as_deref().unwrap_or_default());
    for one in &installed {
        entries::look(host, root, one, &mut checks)?;
        blocks |= live::look(host, root, one, &probes, &mut checks)?;
    }
    let settings: Vec<&Path> = installed.iter().map(|one| one.target.path.as_path()).collect();
    program::permissions(root, &settings, &mut checks);
    Ok((checks, blocks))
}

/// A harness adds up the entries of all its files, and drops those that are the same.
fn twice(installed: &[Installed], checks: &mut Vec<Check>) {
    let harnesses: BTreeSet<&str> = installed.iter().map(|one| one.target.dialect.harness).collect();
    for harness in harnesses {
        let files: Vec<_> = installed.iter().filter(|one| one.target.dialect.harness == harness).collect();
        let entries: BTreeSet<_> =
            files.iter().flat_map(|one| one.ours()).map(|entry| (&entry.event, &entry.command)).collect();
        let events: BTreeSet<_> = entries.iter().map(|(event, _)| event).collect();
        if files.len() > 1 && entries.len() > events.len() {
            let places: Vec<_> = files.iter().map(|one| one.target.path.display().to_string()).collect();
            let what = format!("{harness} calls forge from {}: every violation counts twice", places.join(" and "));
            let remedy = "keep one of them; `forge uninstall` removes the other";
            checks.push(Check::new(Verdict::Warning, "others", what, remedy));
        }
    }
}
