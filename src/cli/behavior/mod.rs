//! `forge behavior`: what the project's behaviors are, and the switches a person has over them: for the project (its
//! YAML), for one session (the state), for one kind of agent (`applies_to.agents`).

use super::Exit;
use crate::error::Result;
use clap::Subcommand;

mod change;
mod describe;
pub(super) mod files;
mod list;
mod status;
mod switch;
mod thresholds;

/// Arguments.
#[derive(clap::Args)]
pub(super) struct Arguments {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    /// All behaviors in the order in which they are evaluated
    List(list::Arguments),
    /// Everything one behavior says
    Describe(describe::Arguments),
    /// Where behaviors stand in the sessions that are remembered
    Status(status::Arguments),
    /// Have behaviors act
    On(switch::Arguments),
    /// Have behaviors not act
    Off(switch::Arguments),
    /// Halve each threshold: fewer violations until the next level
    Strict(thresholds::Arguments),
    /// Double each threshold: more violations until the next level
    Relaxed(thresholds::Arguments),
}

pub(super) fn run(arguments: &Arguments) -> Result<Exit> {
    match &arguments.command {
        Command::List(arguments) => list::run(arguments),
        Command::Describe(arguments) => describe::run(arguments),
        Command::Status(arguments) => status::run(arguments),
        Command::On(arguments) => switch::run(arguments, true),
        Command::Off(arguments) => switch::run(arguments, false),
        Command::Strict(arguments) => thresholds::run(arguments, thresholds::Turn::Strict),
        Command::Relaxed(arguments) => thresholds::run(arguments, thresholds::Turn::Relaxed),
    }
}
