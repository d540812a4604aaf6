//! `forge init`: from an empty folder to a guarded project. Shows what it will do, asks, does it, says what to try next.
//! Never overwrites a file; what is there already stays and is named.

use super::install::{dialect, shown};
use super::output::say;
use super::{Exit, compile, hook_program, starter};
use crate::error::{Error, ErrorKind, Result};
use crate::host::{Entry, Host, OsHost};
use crate::registration::{Scope, Target};
use std::fmt::Write as _;
use std::path::{Path, PathBuf};

/// Arguments.
#[derive(clap::Args, Clone, Debug)]
pub(super) struct Arguments {
    /// The project's folder; without it, the current one
    #[arg(long, value_name = "DIR")]
    root: Option<PathBuf>,
    /// The agent whose settings get the hook
    #[arg(long, value_name = "NAME", default_value = "claude-code")]
    harness: String,
    /// The hook's program, when it is not beside this one; a bare name is looked up in PATH by the agent
    #[arg(long, value_name = "PATH")]
    hook: Option<String>,
    /// Do it without asking
    #[arg(long, short)]
    yes: bool,
}

const CONFIG: &str = "\
schema_version: \"1\"

# Who may override a soft block.
#   ask    the agent's own prompt asks you; where it cannot ask, the call is refused
#   deny   only `forge allow CODE`, typed by you at a terminal
#   retry  the same call again within a minute counts as allowed (an agent can do that too)
override: ask

# What becomes of a call that cannot be judged, because the compiled program is missing or damaged or the call is
# unreadable. Either way you are told.
#   allow  it goes through
#   deny   tool calls are refused until that is repaired
on_error: allow
";

const GITIGNORE: &str = "\
# What changes with every call stays here; the audit log belongs to the project.
runtime/
*.lock
*.tmp
!audit/
";

/// The list of the catalogue; a project that has one keeps its own rules.
const INDEX: &str = "behaviors/index.yaml";

/// A file to be there.
struct Wanted {
    name: &'static str,
    text: &'static str,
    is_there: bool,
}

pub(super) fn run(arguments: &Arguments) -> Result<Exit> {
    let host = OsHost::new();
    let root = root(&host, arguments.root.as_deref())?;
    let hook = hook_program::path(arguments.hook.as_deref())?;
    let target = Target::new(&host, dialect(&arguments.harness)?, Scope::Project, &root)?;
    // Settings that are not understood are found out before anything is written.
    let before = target.uninstall(&host)?.before;
    let wanted = wanted(&host, &root);
    say(&announcement(&root, &wanted, &target, before.is_some()))?;
    if !arguments.yes && !agrees(&host)? {
        say("nothing was written\n")?;
        return Ok(Exit::Fine);
    }
    for file in wanted.iter().filter(|file| !file.is_there) {
        write(&host, &root.join(file.name), file.text)?;
    }
    let compiled = compile::run(&compile::Arguments::without_settings(root.clone()))?;
    if compiled != Exit::Fine {
        say(
            "\nthe files are there, but they do not compile yet: mend what is listed above, then run `forge compile`\n",
        )?;
        return Ok(compiled);
    }
    let plan = target.install(&host, &hook_program::needs(&host, &root, Scope::Project)?, &hook)?;
    plan.write(&host)?;
    let has_starter = wanted.iter().any(|file| file.name == INDEX && !file.is_there);
    say(&farewell(&root, &target, has_starter))?;
    Ok(Exit::Fine)
}

fn root(host: &dyn Host, given: Option<&Path>) -> Result<PathBuf> {
    let here = host.current_dir().map_err(|error| Error::io("name the current folder", Path::new("."), error))?;
    let root = given.map_or_else(|| here.clone(), |given| here.join(given));
    match host.list(&root) {
        Ok(_) => Ok(root),
        Err(error) => Err(Error::io("open the project", &root, error)),
    }
}

/// The files of a project. A catalogue that has an index is the user's own: nothing is put into it.
fn wanted(host: &dyn Host, root: &Path) -> Vec<Wanted> {
    let is_there = |name: &str| host.entry(&root.join(name)) != Entry::Nothing;
    let own = is_there(INDEX);
    let starter = starter::FILES.iter().copied().filter(|(name, _)| !own || *name == INDEX);
    [(".forge/config.yaml", CONFIG), (".forge/.gitignore", GITIGNORE)]
        .into_iter()
        .chain(starter)
        .map(|(name, text)| Wanted { name, text, is_there: is_there(name) })
        .collect()
}

fn announcement(root: &Path, wanted: &[Wanted], target: &Target, has_settings: bool) -> String {
    let mut text = format!("in {}:\n", root.display());
    let mut line = |what: &str, name: &str, why: &str| {
        let _ = writeln!(text, "{}", format!("  {what:<7} {name:<28} {why}").trim_end());
    };
    for file in wanted.iter().filter(|file| !file.name.starts_with("behaviors/")) {
        let why = if file.name.ends_with("config.yaml") {
            "who may override, and what errors decide"
        } else {
            "so that git takes the rules and the audit log, not the state"
        };
        line(if file.is_there { "keep" } else { "write" }, file.name, if file.is_there { "" } else { why });
    }
    let (kept, new): (Vec<_>, Vec<_>) =
        wanted.iter().filter(|file| file.name.starts_with("behaviors/")).partition(|file| file.is_there);
    for file in kept {
        line("keep", file.name, "");
    }
    let behaviors = new.iter().filter(|file| file.name.ends_with("/behavior.yaml")).count();
    if !new.is_empty() {
        line("write", "behaviors/", &format!("{behaviors} behaviors, with their tests, in {} files", new.len()));
    }
    line("compile", ".forge/compiled/program.fbc", "");
    let what = if has_settings { "edit" } else { "write" };
    line(what, &shown(&target.path, root), &format!("so that {} calls forge", target.dialect.title));
    text
}

fn agrees(host: &dyn Host) -> Result<bool> {
    let answer = host.ask("go ahead? [y/N] ").map_err(|_| {
        let what = "there is no terminal to ask at; nothing was written; add `--yes` to go ahead";
        Error::new(ErrorKind::Usage, what)
    })?;
    Ok(matches!(answer.trim().to_ascii_lowercase().as_str(), "y" | "yes"))
}

fn write(host: &dyn Host, path: &Path, text: &str) -> Result<()> {
    let failed = |error| Error::io("write", path, error);
    if let Some(folder) = path.parent() {
        host.create_dir_all(folder).map_err(failed)?;
    }
    host.write_atomic(path, text.as_bytes()).map_err(failed)
}

/// What to do next. Only the starter catalogue is known to refuse a forced push: elsewhere, trying one might well push.
fn farewell(root: &Path, target: &Target, has_starter: bool) -> String {
    let mut text = format!("\nregistered in {}\n", shown(&target.path, root));
    for step in target.dialect.afterwards() {
        let _ = writeln!(text, "next: {step}");
    }
    text.push_str(
        "next: run `forge doctor`; it sends a call that must be blocked through the hook that was just registered\n",
    );
    if has_starter {
        text.push_str("next: ask your agent to run `git push --force` and see it refused\n");
    }
    text.push_str(
        "next: edit a file in `behaviors/`, run `forge compile`, and the new rule holds from the next call on\n",
    );
    text
}
