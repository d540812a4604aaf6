//! `forge man`: the manual, one page for each command, as `man` reads it.
//! Made from the same description of the arguments that reads them, so it says what `--help` says.

use super::output::say;
use super::{Exit, help};
use crate::error::{Error, Result};
use crate::host::{Host, OsHost};
use clap::Command;
use clap_mangen::Man;
use std::path::{Path, PathBuf};

/// Arguments.
#[derive(clap::Args)]
pub(super) struct Arguments {
    /// Write `forge.1`, `forge-compile.1` and all others into this folder; without it, print `forge.1`
    #[arg(long, value_name = "DIR")]
    dir: Option<PathBuf>,
}

pub(super) fn run(arguments: &Arguments) -> Result<Exit> {
    let mut command = help::command().disable_help_subcommand(true);
    command.build();
    let Some(folder) = &arguments.dir else {
        say(&String::from_utf8_lossy(&page(&command)?))?;
        return Ok(Exit::Fine);
    };
    let host = OsHost::new();
    host.create_dir_all(folder).map_err(|error| Error::io("write", folder, error))?;
    let mut commands = vec![&command];
    while let Some(command) = commands.pop() {
        let path = folder.join(format!("{}.1", command.get_display_name().unwrap_or_else(|| command.get_name())));
        host.write_atomic(&path, &page(command)?).map_err(|error| Error::io("write", &path, error))?;
        commands.extend(command.get_subcommands());
    }
    Ok(Exit::Fine)
}

fn page(command: &Command) -> Result<Vec<u8>> {
    let mut page = Vec::new();
    let man = Man::new(command.clone()).manual("forge");
    man.render(&mut page).map_err(|error| Error::io("write", Path::new("the page"), error))?;
    Ok(page)
}
