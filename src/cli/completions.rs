//! `forge completions`: a script that completes forge's commands and options in a shell.
//! Made from the same description of the arguments that reads them.

use super::output::say;
use super::{Exit, help};
use crate::error::Result;
use clap_complete::generate;
use clap_complete::shells;

/// The shells there is a script for.
#[derive(Clone, Copy, clap::ValueEnum)]
enum Shell {
    Bash,
    Zsh,
    Fish,
}

/// Arguments.
#[derive(clap::Args)]
pub(super) struct Arguments {
    /// The shell that will read it
    shell: Shell,
}

pub(super) fn run(arguments: &Arguments) -> Result<Exit> {
    let mut command = help::command();
    let mut script = Vec::new();
    match arguments.shell {
        Shell::Bash => generate(shells::Bash, &mut command, "forge", &mut script),
        Shell::Zsh => generate(shells::Zsh, &mut command, "forge", &mut script),
        Shell::Fish => generate(shells::Fish, &mut command, "forge", &mut script),
    }
    say(&String::from_utf8_lossy(&script))?;
    Ok(Exit::Fine)
}
