//! `forge test`: plays the scenarios beside the behaviors and says what is not as expected; on request also what they do not
//! reach and which mistakes they would not notice.

mod junit;
mod plan;
mod report;

use super::{Exit, output};
use crate::error::{Error, Result};
use crate::host::{Host, OsHost};
use crate::model::Behavior;
use crate::scenario::{Coverage, Mutant, Reached, Trial, mutants, play};
use plan::Plan;
use report::{Report, Result as Played};
use std::path::PathBuf;
use std::time::Duration;

/// How often `--watch` looks whether a file has changed.
const PAUSE: Duration = Duration::from_millis(500);

/// Arguments.
#[derive(clap::Args, Clone, Debug, Default)]
#[command(
    after_help = "Exit code: 0 when all scenarios hold (and, with --mutate, every mutant is noticed), 1 when not, or when \
                        a file is at fault or no scenario was found, 2 for wrong usage."
)]
pub(super) struct Arguments {
    /// Behaviors by id, scenario files, or folders of them; without any, all scenarios of the project
    #[arg(value_name = "PATH|ID")]
    targets: Vec<String>,
    /// The project's folder; without it, the nearest one upward that has `behaviors/` or `.forge/`
    #[arg(long, value_name = "DIR")]
    root: Option<PathBuf>,
    /// Only scenarios with this text in their name
    #[arg(long, value_name = "TEXT")]
    name: Option<String>,
    /// Also list the triggers, conditions, flags and levels that no scenario reaches
    #[arg(long)]
    coverage: bool,
    /// Also make small mistakes in the behaviors and list those that no scenario notices
    #[arg(long)]
    mutate: bool,
    /// Also write the results as JUnit XML
    #[arg(long, value_name = "FILE")]
    junit: Option<PathBuf>,
    /// Print one JSON object
    #[arg(long)]
    json: bool,
    /// Run again whenever a file changes
    #[arg(long, conflicts_with_all = ["json", "junit"])]
    watch: bool,
}

pub(super) fn run(arguments: &Arguments) -> Result<Exit> {
    let host = OsHost::new();
    if !arguments.watch {
        return once(&host, arguments, &Plan::new(&host, arguments)?);
    }
    let mut before = None;
    loop {
        // A file that is being saved may be missing for a moment.
        match Plan::new(&host, arguments) {
            Ok(plan) if before.as_ref() != Some(&plan.sources) => {
                once(&host, arguments, &plan)?;
                output::say("\nwatching; Ctrl-C ends\n\n")?;
                before = Some(plan.sources);
            }
            Ok(_) => {}
            Err(error) if before.is_none() => return Err(error),
            Err(_) => {}
        }
        host.sleep(PAUSE);
    }
}

/// Plays everything once.
fn once(host: &dyn Host, arguments: &Arguments, plan: &Plan) -> Result<Exit> {
    let mut report = Report::new(plan);
    if !plan.is_broken {
        let mut reached = Reached::default();
        let chosen = plan.chosen(arguments.name.as_deref());
        for (suite, scenario, rules) in chosen {
            let played = play(rules, scenario, suite.behavior.as_deref(), &mut reached);
            report.results.push(Played { suite, scenario, rules, played });
        }
        if arguments.coverage {
            report.coverage = Some(coverage(plan, &report.results, &reached));
        }
        if arguments.mutate {
            report.mutants = Some(mutations(plan, &report.results));
        }
    }
    if let Some(path) = &arguments.junit {
        host.write_atomic(path, junit::xml(&report).as_bytes())
            .map_err(|error| Error::io("write the JUnit report", path, error))?;
    }
    output::say(&if arguments.json { report.json() } else { report.human() })?;
    Ok(if report.is_fine() { Exit::Fine } else { Exit::Content })
}

/// The behaviors that the played scenarios are about, in index order.
fn subjects<'p>(plan: &'p Plan, results: &[Played<'_>]) -> impl Iterator<Item = &'p Behavior> {
    let ids: Vec<String> = results.iter().filter_map(|result| result.suite.behavior.clone()).collect();
    plan.catalogue.behaviors.iter().filter(move |behavior| ids.contains(&behavior.id.value))
}

fn coverage(plan: &Plan, results: &[Played<'_>], reached: &Reached) -> Vec<Coverage> {
    let of = |behavior: &Behavior| {
        let id = &behavior.id.value;
        let rules = results.iter().find(|result| result.rules.behaviors().any(|acts| acts.id.value == *id))?.rules;
        Coverage::new(rules, id, reached)
    };
    subjects(plan, results).filter_map(of).collect()
}

/// Every mutant that would compile, with whether it was noticed. Scenarios that fail without it say nothing about it.
fn mutations(plan: &Plan, results: &[Played<'_>]) -> Vec<(Mutant, bool)> {
    let mut judged = Vec::new();
    for behavior in subjects(plan, results) {
        let concerned = |result: &&Played<'_>| {
            result.played.passed() && result.rules.behaviors().any(|acts| acts.id.value == behavior.id.value)
        };
        let trials: Vec<Trial<'_>> = results.iter().filter(concerned).map(Played::trial).collect();
        let verdicts = mutants(behavior).into_iter().filter_map(|mutant| {
            let noticed = mutant.is_noticed(&trials)?;
            Some((mutant, noticed))
        });
        judged.extend(verdicts);
    }
    judged
}
