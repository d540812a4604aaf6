//! The `forge` command: arguments, exit codes, one file per subcommand.
//! May import everything; nothing imports it but `bin/forge.rs`.

use crate::error::ErrorKind;
use clap::{FromArgMatches, Parser, Subcommand};
use std::process::ExitCode;

mod allow;
mod audit;
mod behavior;
mod check;
mod compile;
mod compile_report;
mod completions;
mod demo;
mod disasm;
mod doctor;
mod explain;
mod help;
mod hook_program;
mod init;
mod install;
mod man;
mod metrics;
mod moment;
mod new;
mod one_event;
mod output;
mod prices;
mod program_state;
mod project;
mod report;
mod schema;
mod starter;
mod status;
mod status_session;
mod sync;
mod table;
mod test;
mod told;
mod try_;
mod uninstall;
mod wires;

/// Declare how a coding agent must behave; compile it; enforce it on every tool call.
#[derive(Parser)]
#[command(name = "forge", version, arg_required_else_help = true)]
struct Arguments {
    #[command(subcommand)]
    command: Command,
}

/// In the order in which a newcomer meets them.
#[derive(Subcommand)]
enum Command {
    /// Play a recorded session against the catalogue in a throw-away project
    Demo(demo::Arguments),
    /// Set up a project: rules to start with, compiled, and the hook registered
    Init(init::Arguments),
    /// Start a behavior: its file, scenarios that pass, its line in the index
    New(new::Arguments),
    /// See the behaviors, switch them on and off, make them stricter or more relaxed
    Behavior(behavior::Arguments),
    /// Say what is wrong with the behaviors; writes nothing
    Check(check::Arguments),
    /// Check `behaviors/` and write `.forge/compiled/program.fbc`
    Compile(compile::Arguments),
    /// Compile when there is a `behaviors/` folder, do nothing when there is none
    Sync(sync::Arguments),
    /// Say what the hook would answer to one event; changes nothing
    Try(try_::Arguments),
    /// Say why: every behavior, trigger and condition that one event meets; changes nothing
    Explain(explain::Arguments),
    /// Play the scenarios in `behaviors/<id>/tests/*.yaml` and say what is not as expected
    Test(test::Arguments),
    /// Show how the behaviors fare: violations, blocks, overrides and their rate
    Status(status::Arguments),
    /// See what is wrong, keep the registry, write a report; exit 1 on problems
    Audit(audit::Arguments),
    /// The list prices that a session's spending is counted with
    Prices(prices::Arguments),
    /// Let one blocked call through, at a terminal
    Allow(allow::Arguments),
    /// See whether a block would block: settings, program, and a call that must be refused
    Doctor(doctor::Arguments),
    /// Register the hook in an agent's settings
    Install(install::Arguments),
    /// Take the hook out of an agent's settings
    Uninstall(uninstall::Arguments),
    /// Show a compiled program as readable assembly
    Disasm(disasm::Arguments),
    /// Print the JSON Schemas of the YAML files, for editors
    Schema(schema::Arguments),
    /// Print a completion script for a shell
    Completions(completions::Arguments),
    /// Print the manual, or write its pages
    Man(man::Arguments),
}

/// How a command ended. The numbers are part of the interface.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Exit {
    /// Done.
    Fine = 0,
    /// The user's content is at fault.
    Content = 1,
    /// Wrong usage, or reading and writing failed.
    Failure = 2,
}

/// Parses the command line and runs the subcommand. Errors go to standard error as `forge: …`.
#[must_use]
pub fn main() -> ExitCode {
    // Usage and help go out here, as clap writes them.
    let arguments = Arguments::from_arg_matches(&help::command().get_matches()).unwrap_or_else(|error| error.exit());
    let ended = match arguments.command {
        Command::Demo(arguments) => demo::run(&arguments),
        Command::Init(arguments) => init::run(&arguments),
        Command::New(arguments) => new::run(&arguments),
        Command::Behavior(arguments) => behavior::run(&arguments),
        Command::Check(arguments) => check::run(&arguments),
        Command::Compile(arguments) => compile::run(&arguments),
        Command::Sync(arguments) => sync::run(&arguments),
        Command::Try(arguments) => try_::run(&arguments),
        Command::Explain(arguments) => explain::run(&arguments),
        Command::Test(arguments) => test::run(&arguments),
        Command::Status(arguments) => status::run(&arguments),
        Command::Audit(arguments) => audit::run(&arguments),
        Command::Allow(arguments) => allow::run(&arguments),
        Command::Doctor(arguments) => doctor::run(&arguments),
        Command::Prices(arguments) => prices::run(&arguments),
        Command::Install(arguments) => install::run(&arguments),
        Command::Uninstall(arguments) => uninstall::run(&arguments),
        Command::Disasm(arguments) => disasm::run(&arguments),
        Command::Schema(arguments) => schema::run(&arguments),
        Command::Completions(arguments) => completions::run(&arguments),
        Command::Man(arguments) => man::run(&arguments),
    };
    match ended {
        Ok(exit) => ExitCode::from(exit as u8),
        Err(error) => {
            anstream::eprintln!("forge: {error}");
            let exit = if error.kind() == ErrorKind::Content { Exit::Content } else { Exit::Failure };
            ExitCode::from(exit as u8)
        }
    }
}
