//! `forge sync`: compiles when there is something to compile, for scripts that run in every project.

use super::compile;
use super::output::say;
use super::{Exit, project};
use crate::error::Result;
use crate::host::{Host, OsHost};
use std::path::PathBuf;

/// Arguments.
#[derive(clap::Args)]
pub(super) struct Arguments {
    /// The project's folder; without it, the nearest one upward that has `behaviors/` or `.forge/`
    #[arg(long, value_name = "DIR")]
    root: Option<PathBuf>,
}

pub(super) fn run(arguments: &Arguments) -> Result<Exit> {
    let host = OsHost::new();
    let root = project::root(&host, arguments.root.as_deref());
    match root {
        Ok(root) if host.list(&root.join("behaviors")).is_ok() => compile::run(&compile::Arguments::plain(root)),
        // A folder that was named and is not there is a mistake; none found is nothing to do.
        Err(error) if arguments.root.is_some() => Err(error),
        Ok(_) | Err(_) => say("nothing to compile: no `behaviors/`\n").map(|()| Exit::Fine),
    }
}
