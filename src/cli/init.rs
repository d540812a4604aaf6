//! `forge init`: from an empty folder to a guarded project. Shows what it will do, asks, does it, says what to try next.
//! Never overwrites a file; what is there already stays and is named.

use super::install::dialect;
use super::output::say;
use super::{Exit, compile, hook_program, project, starter};
use crate::error::{Error, ErrorKind, Result};
use crate::hook;
use crate::host::{Entry, Host, OsHost};
use crate::registration::{Scope, Target};
use crate::store;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};

/// Arguments.
#[derive(clap::Args, Clone, Debug)]
pub(super) struct Arguments {
    /// Whose sessions: everybody's in this project, or all of this user's, which starts with the trip wires alone
    #[arg(long, value_enum, default_value = "project")]
    scope: Scope,
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

/// The settings that a project and the user's own folder share.
macro_rules! shared_settings {
    () => {
        "\
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
"
    };
}

const CONFIG: &str = concat!("schema_version: \"1\"\n\n", shared_settings!());

const CONFIG_OF_USER: &str = concat!(
    "\
schema_version: \"1\"

# These rules come first in every project; none of them can loosen what is said here.

",
    shared_settings!(),
    "
limits:
  # What one session may spend, in US dollars at list prices; 0 is no cap. FORGE_SPEND_CAP_USD wins.
  spend_cap_usd: 10
"
);

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
    let scope = arguments.scope;
    let root = match scope {
        Scope::Project => root(&host, arguments.root.as_deref())?,
        Scope::User if arguments.root.is_some() => {
            let what = "the user's rules have a folder of their own; leave `--root` out, or `--scope user`";
            return Err(Error::new(ErrorKind::Usage, what));
        }
        Scope::User => user_folder(&host)?,
        Scope::Local => {
            let what = "there are no rules of scope `local`; use `project`, or `user` for all of your sessions";
            return Err(Error::new(ErrorKind::Usage, what));
        }
    };
    let hook = hook_program::path(arguments.hook.as_deref())?;
    let target = Target::new(&host, dialect(&arguments.harness)?, scope, &root)?;
    // Settings that are not understood are found out before anything is written.
    let before = target.uninstall(&host)?.before;
    let wanted = match scope {
        Scope::User => wanted(&host, &root, CONFIG_OF_USER, &starter::of_user()),
        Scope::Project | Scope::Local => wanted(&host, &root, CONFIG, starter::FILES),
    };
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
    let plan = target.install(&host, &hook_program::needs(&host, &root, scope)?, &hook)?;
    plan.write(&host)?;
    let has_starter = wanted.iter().any(|file| file.name == INDEX && !file.is_there);
    say(&farewell(&root, &target, scope, has_starter))?;
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

/// The user's folder, whether or not it is there yet.
fn user_folder(host: &dyn Host) -> Result<PathBuf> {
    let unknown = "the home folder is not known; set HOME or XDG_CONFIG_HOME";
    hook::user_folder(host).ok_or_else(|| Error::new(ErrorKind::Usage, unknown))
}

/// The files of a folder of rules. A catalogue that has an index is the user's own: nothing is put into it.
fn wanted(host: &dyn Host, root: &Path, config: &'static str, starter: &[(&'static str, &'static str)]) -> Vec<Wanted> {
    let is_there = |name: &str| host.entry(&root.join(name)) != Entry::Nothing;
    let own = is_there(INDEX);
    let starter = starter.iter().copied().filter(|(name, _)| !own || *name == INDEX);
    [(".forge/config.yaml", config), (".forge/.gitignore", GITIGNORE)]
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
    line(what, &project::shown(&target.path, root), &format!("so that {} calls forge", target.dialect.title));
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
        store::refuse_links(host, folder).map_err(failed)?;
        host.create_dir_all(folder).map_err(failed)?;
    }
    host.write_atomic(path, text.as_bytes()).map_err(failed)
}

/// What to do next. Only the starter catalogue is known to refuse a forced push: elsewhere, trying one might well push.
fn farewell(root: &Path, target: &Target, scope: Scope, has_starter: bool) -> String {
    let mut text = format!("\nregistered in {}\n", project::shown(&target.path, root));
    for step in target.dialect.afterwards() {
        let _ = writeln!(text, "next: {step}");
    }
    if scope == Scope::User {
        let _ = writeln!(
            text,
            "next: run `forge doctor`; it sends a loop that must be stopped through the hook that was just registered
next: `forge status --session` shows what the newest session has spent and how near it is to each wire
next: edit a file in {}, run `{}`, and the new rule holds in every project",
            root.display(),
            project::compile_command(root)
        );
        return text;
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
