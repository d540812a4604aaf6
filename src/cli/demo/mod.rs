//! `forge demo`: a throw-away project with the starter catalogue, and a recorded session played through the real hook.
//! What it shows is what happened: the answers are the hook's, the numbers are read from its state file.

mod play;
mod show;

use super::{Exit, starter};
use crate::error::{Error, ErrorKind, Result};
use crate::host::{Host, OsHost, machine};
use std::path::{Path, PathBuf};
use std::process::Command;

/// The payloads, as a harness sends them, one a line.
const SESSION: &str = include_str!("session.jsonl");

/// Arguments.
#[derive(clap::Args)]
pub(super) struct Arguments {
    /// Keep the project and say where it is
    #[arg(long)]
    keep: bool,
}

pub(super) fn run(arguments: &Arguments) -> Result<Exit> {
    let host = OsHost::new();
    let forge = machine::this_program().map_err(|error| Error::io("find this program", Path::new("forge"), error))?;
    let hook = hook(&host, &forge)?;
    let project = machine::temporary_folder().join(format!("forge-demo-{}", std::process::id()));
    let played = make(&host, &forge, &project).and_then(|()| play::session(&host, &hook, &project, SESSION));
    if let Ok(steps) = &played {
        show::session(steps, &project, &host);
    }
    if arguments.keep {
        anstream::println!("\nThe project is kept in {}", project.display());
    } else {
        host.remove(&project).map_err(|error| Error::io("remove the demo's project", &project, error))?;
    }
    played.map(|_| Exit::Fine)
}

/// The hook beside this program. Started by cargo, which builds one binary at a time, it may not be there yet.
fn hook(host: &dyn Host, forge: &Path) -> Result<PathBuf> {
    let hook = forge.with_file_name(format!("forge-hook{}", machine::EXE_SUFFIX));
    if machine::exists(&hook) {
        return Ok(hook);
    }
    let (Some(cargo), Some(package)) = (host.env("CARGO"), host.env("CARGO_MANIFEST_DIR")) else {
        let what = "`forge-hook` is not beside `forge`; install both, for instance with `cargo install --path .`";
        return Err(Error::new(ErrorKind::Usage, what).at(&hook));
    };
    anstream::eprintln!("building forge-hook first");
    let mut build = Command::new(cargo);
    build
        .args(["build", "--quiet", "--bin", "forge-hook", "--manifest-path"])
        .arg(Path::new(&package).join("Cargo.toml"));
    if !cfg!(debug_assertions) {
        build.arg("--release");
    }
    succeed(&mut build, "build forge-hook")?;
    Ok(hook)
}

fn make(host: &dyn Host, forge: &Path, project: &Path) -> Result<()> {
    for (name, text) in starter::FILES {
        let path = project.join(name);
        let folder = path.parent().unwrap_or(project);
        host.create_dir_all(folder).map_err(|error| Error::io("make a folder", folder, error))?;
        host.write_atomic(&path, text.as_bytes()).map_err(|error| Error::io("write", &path, error))?;
    }
    succeed(Command::new(forge).args(["compile", "--no-settings", "--root"]).arg(project), "compile the catalogue")
}

fn succeed(command: &mut Command, doing: &str) -> Result<()> {
    let ended = command.status().map_err(|error| Error::io(doing, Path::new(command.get_program()), error))?;
    if ended.success() {
        Ok(())
    } else {
        Err(Error::new(ErrorKind::Io, format!("cannot {doing}: it ended with {ended}")))
    }
}
