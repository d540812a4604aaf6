//! What is wrong with a project's enforcement, in words, and what is only worth knowing. Pure.

use crate::cli::behavior::files::Files;
use crate::cli::metrics::{Metrics, OfBehavior, Tally, Verdict};
use crate::cli::program_state::ProgramState;
use crate::cli::table::printable;
use crate::diagnostic::Diagnostic;
use crate::store::{Snapshot, Verification};

/// The findings; each a sentence without its period.
#[derive(Clone, Debug, Default)]
pub(in crate::cli) struct Found {
    /// These make the command fail.
    pub(in crate::cli) problems: Vec<String>,
    /// These do not.
    pub(in crate::cli) notes: Vec<String>,
}

/// Finds everything.
pub(super) fn find(
    files: &Files,
    program: &ProgramState,
    (seen, verification): (&Snapshot, &Verification),
    metrics: &Metrics,
) -> Found {
    let mut found = Found::default();
    let Found { problems, notes } = &mut found;
    match files.problems.iter().filter(|problem| Diagnostic::is_error(problem)).count() {
        0 => {}
        1 => problems.push(String::from("1 error in the behaviors' files; `forge compile` shows it")),
        errors => problems.push(format!("{errors} errors in the behaviors' files; `forge compile` shows them")),
    }
    problems.extend(program.problem());
    problems.extend(seen.faults.iter().map(|fault| format!("{}; the hook will set it aside", printable(fault))));
    if let Some(newest) = seen.set_aside.last() {
        let files = if seen.set_aside.len() == 1 { "state file was" } else { "state files were" };
        problems.push(format!(
            "{} {files} unreadable and set aside, the newest as `.forge/runtime/{}`; look what wrote it, then remove it",
            seen.set_aside.len(),
            printable(newest)
        ));
    }
    for finding in &verification.findings {
        let told = format!("`.forge/audit/overrides.log`: {finding}");
        if finding.is_problem() { problems.push(told) } else { notes.push(told) }
    }
    match seen.unreadable_lines.as_slice() {
        [] => {}
        [line] => problems.push(format!("`.forge/audit/overrides.log`: line {line} cannot be read")),
        [first, ..] => problems.push(format!(
            "`.forge/audit/overrides.log`: {} lines cannot be read, the first is line {first}",
            seen.unreadable_lines.len()
        )),
    }
    for behavior in &metrics.behaviors {
        let of = of(behavior);
        match behavior.tally.verdict() {
            Verdict::Unknown | Verdict::Healthy => {}
            Verdict::Review => notes.push(format!("{of}: see whether it asks for the right thing")),
            Verdict::Ineffective => {
                problems.push(format!("{of}, so it stops nobody: change what it asks for, relax it, or switch it off"));
            }
        }
        if behavior.enabled.is_none() {
            notes.push(format!("`{}` is remembered, but the project does not know it", printable(&behavior.id)));
        }
    }
    found
}

/// `` `x` is overridden in 4 of 5 blocks``
fn of(behavior: &OfBehavior) -> String {
    let Tally { blocks, overrides, .. } = behavior.tally;
    format!("`{}` is overridden in {overrides} of {blocks} blocks", printable(&behavior.id))
}
