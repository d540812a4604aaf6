//! `forge install`: shows what would be written into a harness's settings, and with `--write` writes it.
//! The edit itself is `registration`'s; here is who is asked for, and what is said.

use super::output::say;
use super::program_state::ProgramState;
use super::{Exit, compile, hook_program, project};
use crate::error::{Error, ErrorKind, Result};
use crate::hook;
use crate::host::{Host, OsHost};
use crate::registration::{Dialect, Plan, Scope, Target};
use serde_json::json;
use std::fmt::Write as _;
use std::path::PathBuf;

/// Which settings, and whether they are written.
#[derive(clap::Args, Clone, Debug)]
pub(super) struct Selection {
    /// The agent: claude-code, codex, gemini, cursor, copilot, droid, qwen, grok, kiro, windsurf, antigravity, opencode
    #[arg(long, value_name = "NAME")]
    harness: String,
    /// Whose sessions: all of this user's, everybody's in this project, or this user's in this project
    #[arg(long, value_enum, default_value = "project")]
    scope: Scope,
    /// Another settings file than the usual one
    #[arg(long, value_name = "PATH")]
    file: Option<PathBuf>,
    /// The project's folder; without it, the nearest one upward that has `behaviors/` or `.forge/`
    #[arg(long, value_name = "DIR")]
    root: Option<PathBuf>,
    /// Write the file; without this only the difference is shown
    #[arg(long)]
    write: bool,
    /// Print one JSON object
    #[arg(long)]
    json: bool,
}

/// Arguments.
#[derive(clap::Args, Clone, Debug)]
pub(super) struct Arguments {
    #[command(flatten)]
    selection: Selection,
    /// The hook's program, when it is not beside this one; a bare name is looked up in PATH by the agent
    #[arg(long, value_name = "PATH")]
    hook: Option<String>,
}

impl clap::ValueEnum for Scope {
    fn value_variants<'a>() -> &'a [Self] {
        &Self::ALL
    }

    fn to_possible_value(&self) -> Option<clap::builder::PossibleValue> {
        Some(clap::builder::PossibleValue::new(self.name()))
    }
}

pub(super) fn run(arguments: &Arguments) -> Result<Exit> {
    let host = OsHost::new();
    let selection = &arguments.selection;
    let (root, target) = selection.target(&host)?;
    if selection.scope == Scope::User {
        selection.prepare_user(&host)?;
    }
    let needs = hook_program::needs(&host, &root, selection.scope)?;
    let plan = target.install(&host, &needs, &hook_program::path(arguments.hook.as_deref())?)?;
    selection.finish(&host, &target, &plan, target.dialect.afterwards())
}

impl Selection {
    /// The project's folder and the file.
    ///
    /// # Errors
    /// When the harness is unknown or has no such scope, or there is no project.
    pub(super) fn target(&self, host: &dyn Host) -> Result<(PathBuf, Target)> {
        let dialect = dialect(&self.harness)?;
        // A user's settings need no project.
        let root = match project::root(host, self.root.as_deref()) {
            Err(_) if self.scope == Scope::User && self.root.is_none() => PathBuf::new(),
            root => root?,
        };
        let target = match &self.file {
            Some(path) => Target { dialect, path: path.clone() },
            None => Target::new(host, dialect, self.scope, &root)?,
        };
        Ok((root, target))
    }

    /// The user's rules have their say in what is registered: they are compiled before, where that is due.
    ///
    /// # Errors
    /// When they do not compile.
    fn prepare_user(&self, host: &dyn Host) -> Result<()> {
        let Some(folder) = hook::user_folder(host).filter(|folder| host.list(&folder.join("behaviors")).is_ok()) else {
            return Ok(());
        };
        if self.write {
            return compile::bring_up_to_date(host, &folder).map(drop);
        }
        let state = ProgramState::of(host, &folder, &project::sources(host, &folder)?);
        if state == ProgramState::Current || self.json {
            return Ok(());
        }
        say(&format!("{}: the rules changed; with `--write` they are compiled first\n", folder.display()))
    }

    /// Says what changes, and changes it where that is asked for. `next` is what a person must do afterwards.
    ///
    /// # Errors
    /// When the file cannot be written.
    pub(super) fn finish(&self, host: &dyn Host, target: &Target, plan: &Plan, next: &[&str]) -> Result<Exit> {
        if self.write {
            plan.write(host)?;
        }
        if self.json {
            let told = json!({
                "harness": target.dialect.harness,
                "scope": self.scope.name(),
                "path": plan.path,
                "changes": plan.changes(),
                "written": self.write && plan.changes(),
                "diff": plan.diff(),
                "next": next,
            });
            say(&format!("{told:#}\n"))?;
            return Ok(Exit::Fine);
        }
        let path = plan.path.display();
        let mut text = plan.diff();
        let _ = match (plan.changes(), self.write, plan.after.is_some()) {
            (false, _, _) => writeln!(text, "{path}: nothing to change"),
            (true, false, _) => writeln!(text, "\nnothing was written; add `--write` to do it"),
            (true, true, true) => writeln!(text, "\nwrote {path}"),
            (true, true, false) => writeln!(text, "\nremoved {path}"),
        };
        if self.write || !plan.changes() {
            for step in next {
                let _ = writeln!(text, "next: {step}");
            }
        }
        say(&text)?;
        Ok(Exit::Fine)
    }
}

/// The harness of a name.
///
/// # Errors
/// When none has it.
pub(super) fn dialect(harness: &str) -> Result<&'static Dialect> {
    Dialect::named(harness).ok_or_else(|| {
        let known: Vec<_> = Dialect::ALL.iter().map(|dialect| dialect.harness).collect();
        let what = match harness {
            "vscode" => "VS Code reads the hooks of `copilot` and `claude-code`; install into one of them".to_owned(),
            _ => match known.iter().find(|known| known.split('-').next() == Some(harness)) {
                Some(near) => format!("unknown harness `{harness}`; did you mean `{near}`?"),
                None => format!("unknown harness `{harness}`; known are {}", known.join(", ")),
            },
        };
        Error::new(ErrorKind::Usage, what)
    })
}
