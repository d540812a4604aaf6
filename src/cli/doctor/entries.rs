//! One settings file: are the entries those the program needs, does their program exist, is it of this version, what
//! else is registered, and is anything switched off?

use super::check::{Check, Verdict};
use super::spawn;
use crate::cli::hook_program;
use crate::error::Result;
use crate::host::{Host, machine};
use crate::registration::settings::{Registered, switch};
use crate::registration::{Dialect, Scope, Target};
use crate::store::Paths;
use std::collections::BTreeSet;
use std::path::Path;

const NAME: &str = "entries";

/// A settings file in which forge is registered.
pub(super) struct Installed {
    pub(super) scope: Scope,
    pub(super) target: Target,
    /// Everything registered there.
    pub(super) entries: Vec<Registered>,
}

impl Installed {
    /// Our entries.
    pub(super) fn ours(&self) -> impl Iterator<Item = &Registered> {
        self.entries.iter().filter(|entry| entry.is_ours)
    }

    fn command(&self) -> String {
        format!("forge install --harness {} --scope {} --write", self.target.dialect.harness, self.scope.name())
    }
}

/// Where forge is registered, of all harnesses or of one; files that cannot be understood are told.
pub(super) fn find(host: &dyn Host, root: &Path, harness: Option<&str>, checks: &mut Vec<Check>) -> Vec<Installed> {
    let mut found = Vec::new();
    for dialect in Dialect::ALL.iter().filter(|dialect| harness.is_none_or(|name| name == dialect.harness)) {
        for scope in Scope::ALL {
            let Ok(target) = Target::new(host, dialect, scope, root) else { continue };
            match target.registered(host) {
                Ok(entries) if entries.iter().any(|entry| entry.is_ours) => {
                    found.push(Installed { scope, target, entries });
                }
                Ok(_) => {}
                Err(error) => {
                    let remedy = format!("mend the file; {} may be ignoring it too", dialect.title);
                    checks.push(Check::new(Verdict::Warning, NAME, error.to_string(), remedy));
                }
            }
        }
    }
    found
}

/// What can be told of a file without running anything but `--version`.
///
/// # Errors
/// When the file cannot be read again.
pub(super) fn look(host: &dyn Host, root: &Path, installed: &Installed, checks: &mut Vec<Check>) -> Result<()> {
    let target = &installed.target;
    let place = target.path.display();
    let programs: BTreeSet<&str> =
        installed.ours().filter_map(|entry| Some(entry.command.as_ref()?.program.as_str())).collect();
    let needed = hook_program::needs(host, root, installed.scope);
    let program = programs.first().copied().unwrap_or("forge-hook");
    match needed.and_then(|needs| target.install(host, &needs, program)) {
        Ok(plan) if plan.changes() => {
            let what = format!("{place}: not the entries the compiled program needs; some calls may never be judged");
            checks.push(Check::new(Verdict::Failure, NAME, what, installed.command()));
        }
        Ok(_) if lacks_projects(host, root, installed, program) => {
            let what = format!("{place}: the entries your own rules need, which are not all that this project's need");
            let remedy = format!("forge install --harness {} --write", target.dialect.harness);
            checks.push(Check::new(Verdict::Failure, NAME, what, remedy));
        }
        Ok(_) => {
            let events = match installed.ours().count() {
                1 => "1 event".to_owned(),
                several => format!("{several} events"),
            };
            checks.push(Check::fine(NAME, format!("{place}: {events}")));
        }
        Err(error) => checks.push(Check::new(Verdict::Failure, NAME, error.to_string(), installed.command())),
    }
    for program in &programs {
        checks.push(hook(host, program, installed));
    }
    others(installed, checks);
    Ok(())
}

/// Whether a project that is called through the user's settings alone would not hear of all it asks for.
fn lacks_projects(host: &dyn Host, root: &Path, installed: &Installed, program: &str) -> bool {
    if installed.scope != Scope::User || !machine::exists(&Paths::new(root).program()) {
        return false;
    }
    let needs = |scope| hook_program::needs(host, root, scope);
    let both = needs(Scope::User).and_then(|user| Ok(user.and(needs(Scope::Project)?)));
    both.and_then(|needs| installed.target.install(host, &needs, program)).is_ok_and(|plan| plan.changes())
}

/// The program an entry names.
fn hook(host: &dyn Host, program: &str, installed: &Installed) -> Check {
    let path = Path::new(program);
    if path.is_absolute() && !machine::access(path).is_ok_and(|access| access.can_run) {
        let what = format!("{program}: not there, or not a program; no event reaches forge");
        return Check::new(Verdict::Failure, "hook", what, installed.command());
    }
    if machine::access(path).is_ok_and(|access| access.everyone_writes) {
        let what = format!("{program}: everybody on this machine can replace it");
        return Check::new(Verdict::Warning, "hook", what, format!("chmod o-w {program}"));
    }
    let ours = concat!("forge-hook ", env!("CARGO_PKG_VERSION"));
    match spawn::version(host, program) {
        Ok(version) if version == ours => Check::fine("hook", format!("{program}: {version}, as this forge")),
        Ok(version) => {
            let what = format!("{program}: `{version}`, but this is forge {}", env!("CARGO_PKG_VERSION"));
            Check::new(Verdict::Warning, "hook", what, "install both programs from one release")
        }
        Err(error) => {
            Check::new(Verdict::Failure, "hook", format!("{program} cannot be started: {error}"), installed.command())
        }
    }
}

/// What else is registered for the events that are ours.
fn others(installed: &Installed, checks: &mut Vec<Check>) {
    let place = installed.target.path.display();
    let events: BTreeSet<&str> = installed.ours().map(|entry| entry.event.as_str()).collect();
    let foreign = installed.entries.iter().filter(|entry| !entry.is_ours && events.contains(entry.event.as_str()));
    let (twice, foreign): (Vec<_>, Vec<_>) =
        foreign.partition(|entry| entry.command.as_ref().is_some_and(|command| command.runs_the_hook()));
    if let Some(entry) = twice.first() {
        let what = format!("{place}: {} calls forge-hook a second time; every violation counts twice", entry.event);
        let remedy = format!("remove `{}`; that entry is not one forge wrote", entry.line);
        checks.push(Check::new(Verdict::Warning, "others", what, remedy));
    }
    if !foreign.is_empty() {
        let lines: BTreeSet<String> = foreign.iter().map(|entry| format!("{} `{}`", entry.event, entry.line)).collect();
        let lines = lines.into_iter().collect::<Vec<_>>().join(", ");
        let what = format!("{place}: other hooks for the same events: {lines}; none can undo a refusal");
        checks.push(Check::new(Verdict::Note, "others", what, ""));
    }
}

/// Switches that take hooks away from a harness as a whole.
pub(super) fn switches(host: &dyn Host, root: &Path, installed: &[Installed], checks: &mut Vec<Check>) {
    let harnesses: BTreeSet<&str> = installed.iter().map(|one| one.target.dialect.harness).collect();
    for harness in harnesses {
        let Some(dialect) = Dialect::named(harness) else { continue };
        // The most particular file that says anything counts.
        let said = [Scope::Local, Scope::Project, Scope::User].into_iter().find_map(|scope| {
            let target = Target::new(host, dialect, scope, root).ok()?;
            let text = target.read(host).ok()??;
            Some((target.path.display().to_string(), switch(&text, "disableAllHooks").ok()??))
        });
        if let Some((place, true)) = said {
            let what = format!("{place}: `disableAllHooks` is on: {} runs no hook", dialect.title);
            checks.push(Check::new(Verdict::Failure, "switches", what, "remove `disableAllHooks`"));
        }
        match harness {
            "claude-code" => managed(host, checks),
            "codex" => {
                let what = "Codex skips hooks that no person has reviewed; whether yours are cannot be seen from here";
                checks.push(Check::new(Verdict::Note, "trust", what, "open `/hooks` in Codex and look"));
            }
            _ => {}
        }
    }
}

/// Where an administrator's settings of Claude Code are.
const MANAGED: &str = if cfg!(target_os = "macos") {
    "/Library/Application Support/ClaudeCode/managed-settings.json"
} else if cfg!(windows) {
    r"C:\Program Files\ClaudeCode\managed-settings.json"
} else {
    "/etc/claude-code/managed-settings.json"
};

fn managed(host: &dyn Host, checks: &mut Vec<Check>) {
    let Some(dialect) = Dialect::named("claude-code") else { return };
    let target = Target { dialect, path: MANAGED.into() };
    let Ok(Some(text)) = target.read(host) else { return };
    for name in ["allowManagedHooksOnly", "disableAllHooks"] {
        if switch(&text, name).is_ok_and(|switch| switch == Some(true)) {
            let what = format!("{MANAGED}: `{name}` is on: Claude Code runs none of these hooks");
            let remedy = "ask whoever administers this machine to register forge in the managed settings";
            checks.push(Check::new(Verdict::Failure, "switches", what, remedy));
        }
    }
}
