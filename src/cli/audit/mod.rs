//! `forge audit`: what the numbers of `forge status` come to, and whether everything they rest on is sound. Keeps the
//! registry and writes the report; changes nothing of the project itself.

use super::behavior::files::Files;
use super::metrics::{Metrics, metrics};
use super::moment::iso;
use super::output::{say, stdout_is_terminal};
use super::program_state::ProgramState;
use super::{Exit, report, status};
use crate::error::{Error, Result};
use crate::host::{Host, OsHost, machine};
use crate::store::{self, Paths};
use clap::Subcommand;
pub(super) use problems::Found;
use problems::find;
use serde_json::json;
use std::fmt::Write;
use std::path::{Path, PathBuf};

mod problems;
mod registry;
mod verify;

/// Arguments.
#[derive(clap::Args)]
#[command(args_conflicts_with_subcommands = true)]
pub(super) struct Arguments {
    #[command(subcommand)]
    command: Option<Command>,
    /// The project's folder; without it, the nearest one upward that has `behaviors/` or `.forge/`
    #[arg(long, value_name = "DIR")]
    root: Option<PathBuf>,
    /// Write all of it as one HTML page that needs no network
    #[arg(long, value_name = "FILE")]
    report: Option<PathBuf>,
    /// The registry to keep; without it, the project's own `registry/projects.yml`
    #[arg(long, value_name = "FILE", conflicts_with = "no_registry")]
    registry: Option<PathBuf>,
    /// Leave the registry alone
    #[arg(long)]
    no_registry: bool,
    /// Print one JSON object
    #[arg(long)]
    json: bool,
}

#[derive(Subcommand)]
enum Command {
    /// Compare `.forge/audit/overrides.log` with its chain of digests; exit 1 when a line was changed
    Verify(verify::Arguments),
}

pub(super) fn run(arguments: &Arguments) -> Result<Exit> {
    match &arguments.command {
        Some(Command::Verify(arguments)) => verify::run(arguments),
        None => audit(&OsHost::new(), arguments),
    }
}

fn audit(host: &dyn Host, arguments: &Arguments) -> Result<Exit> {
    let files = Files::read(host, arguments.root.as_deref())?;
    let paths = Paths::new(&files.root);
    let seen = store::snapshot(host, &paths)?;
    let verification = store::verify(host, &paths)?;
    let metrics = metrics(&files.catalogue, &seen);
    let program = ProgramState::of(host, &files.root, &files.sources);
    let found = find(&files, &program, (&seen, &verification), &metrics);
    let name = project_name(&files.root);

    let mut written = Vec::new();
    if !arguments.no_registry {
        let path = arguments.registry.clone().unwrap_or_else(|| files.root.join("registry/projects.yml"));
        let entry = registry::Entry { name: &name, root: &files.root, updated: iso(host.now()), metrics: &metrics };
        registry::keep(host, &path, &entry)?;
        written.push(path);
    }
    if let Some(path) = &arguments.report {
        let page = report::page(&report::Subject {
            name: &name,
            now: host.now(),
            metrics: &metrics,
            seen: &seen,
            found: &found,
        });
        write(host, path, &page)?;
        written.push(path.clone());
    }
    say(&if arguments.json { as_json(&metrics, &found, &written) } else { human(host, &metrics, &found, &written) })?;
    Ok(if found.problems.is_empty() { Exit::Fine } else { Exit::Content })
}

/// The folder's name, which is what people call a project.
fn project_name(root: &Path) -> String {
    let whole = machine::resolved(root).unwrap_or_else(|_| root.to_path_buf());
    whole.file_name().map_or_else(|| String::from("project"), |name| name.to_string_lossy().into_owned())
}

/// Writes a file whole, with the folders it needs.
fn write(host: &dyn Host, path: &Path, text: &str) -> Result<()> {
    let failed = |error| Error::io("write", path, error);
    if let Some(folder) = path.parent().filter(|folder| !folder.as_os_str().is_empty()) {
        host.create_dir_all(folder).map_err(failed)?;
    }
    machine::rewrite(path, text.as_bytes()).map_err(failed)
}

fn human(host: &dyn Host, metrics: &Metrics, found: &Found, written: &[PathBuf]) -> String {
    let mut text = status::human(metrics, host.now(), stdout_is_terminal());
    text.push('\n');
    // Writing to a String cannot fail.
    for problem in &found.problems {
        let _ = writeln!(text, "problem: {problem}");
    }
    for note in &found.notes {
        let _ = writeln!(text, "note: {note}");
    }
    if found.problems.is_empty() {
        text.push_str("no problems\n");
    }
    for path in written {
        let _ = writeln!(text, "wrote {}", path.display());
    }
    text
}

fn as_json(metrics: &Metrics, found: &Found, written: &[PathBuf]) -> String {
    let told = json!({
        "problems": found.problems,
        "notes": found.notes,
        "metrics": status::as_json(metrics),
        "written": written,
    });
    format!("{told}\n")
}
