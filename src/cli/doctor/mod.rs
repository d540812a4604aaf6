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
use crate::hook;
use crate::host::{Host, OsHost};
use crate::registration::Scope;
use check::{Check, Verdict};
use entries::Installed;
use live::Rules;
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
    // The user's own rules act here too.
    let user = hook::user_root(&host);
    let project = match project::root(&host, arguments.root.as_deref()) {
        Ok(root) => Some(std::path::absolute(&root).unwrap_or(root)).filter(|root| user.as_ref() != Some(root)),
        Err(_) if user.is_some() && arguments.root.is_none() => None,
        Err(error) => return Err(error),
    };
    let harness = arguments.harness.as_deref();
    let mut parts = Vec::new();
    if let Some(root) = &user {
        parts.push((root, of_user(&host, root, harness)?));
    }
    if let Some(root) = &project {
        parts.push((root, of_project(&host, root, harness, user.is_some())?));
    }
    let all = || parts.iter().flat_map(|(_, (checks, _))| checks);
    let blocks = parts.iter().any(|(_, (_, blocks))| *blocks);
    let failures = all().filter(|check| check.verdict == Verdict::Failure).count();
    if arguments.json {
        let checks: Vec<_> = all().map(Check::json).collect();
        let told =
            json!({ "root": project, "user_root": user, "live": failures == 0, "blocked": blocks, "checks": checks });
        say(&format!("{told:#}\n"))?;
    } else {
        let part = |(root, (checks, _)): &(&PathBuf, Checked)| {
            let lines: String = checks.iter().map(Check::line).collect();
            format!("{}\n{lines}\n", root.display())
        };
        let told: String = parts.iter().map(part).collect();
        let sum = match failures {
            0 if blocks => "forge is live here: a block blocks\n".to_owned(),
            0 => "nothing is wrong, and nothing was tried: no behavior here blocks a call\n".to_owned(),
            _ => format!("{failures} of {} checks failed: a block may not block\n", all().count()),
        };
        say(&format!("{told}{sum}"))?;
    }
    Ok(if failures == 0 { Exit::Fine } else { Exit::Content })
}

/// The checks, and whether a block was seen to block.
type Checked = (Vec<Check>, bool);

/// The user's own rules, and the settings that call forge in every project.
fn of_user(host: &dyn Host, root: &Path, harness: Option<&str>) -> Result<Checked> {
    let mut checks = Vec::new();
    let mut blocks = false;
    let compile = project::compile_command(root);
    let behaviors = program::look(host, root, &compile, &mut checks);
    let mut installed = entries::find(host, root, harness, &mut checks);
    installed.retain(|one| one.scope == Scope::User);
    if installed.is_empty() {
        let what = format!("no settings of {} call forge in every project", harness.unwrap_or("any agent"));
        let remedy = "run `forge install --scope user --harness NAME --write`";
        checks.push(Check::new(Verdict::Failure, "entries", what, remedy));
    }
    let probes = probe::of_rules(host, root, behaviors.as_deref().unwrap_or_default());
    for one in &installed {
        entries::look(host, root, one, &mut checks)?;
        blocks |= live::look(host, Rules::OfUser(root), one, &probes, &mut checks)?;
    }
    let settings: Vec<&Path> = installed.iter().map(|one| one.target.path.as_path()).collect();
    program::links(host, root, &mut checks);
    program::permissions(host, root, &settings, &mut checks);
    Ok((checks, blocks))
}

/// A project's rules. `has_user_rules`: what the user registered for those was looked at already.
fn of_project(host: &dyn Host, root: &Path, harness: Option<&str>, has_user_rules: bool) -> Result<Checked> {
    let mut checks = Vec::new();
    let mut blocks = false;
    let behaviors = program::look(host, root, "forge compile", &mut checks);
    let mut installed = entries::find(host, root, harness, &mut checks);
    if installed.is_empty() {
        let what = format!("no settings of {} call forge for this project", harness.unwrap_or("any agent"));
        let remedy = "run `forge compile` for Claude Code, or `forge install --harness NAME --write`";
        checks.push(Check::new(Verdict::Failure, "entries", what, remedy));
    }
    twice(&installed, &mut checks);
    entries::switches(host, root, &installed, &mut checks);
    if has_user_rules {
        let its_own = installed.iter().filter(|one| one.scope != Scope::User);
        let its_own: BTreeSet<&str> = its_own.map(|one| one.target.dialect.harness).collect();
        installed.retain(|one| one.scope != Scope::User || !its_own.contains(one.target.dialect.harness));
    }
    let probes = probe::of_rules(host, root, behaviors.as_deref().unwrap_or_default());
    for one in &installed {
        entries::look(host, root, one, &mut checks)?;
        blocks |= live::look(host, Rules::OfProject(root), one, &probes, &mut checks)?;
    }
    let settings: Vec<&Path> = installed.iter().map(|one| one.target.path.as_path()).collect();
    program::links(host, root, &mut checks);
    program::permissions(host, root, &settings, &mut checks);
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
