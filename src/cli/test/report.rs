//! What came of a run of scenarios, for people and for programs.

use super::plan::Plan;
use crate::diagnostic;
use crate::explain::{self, Styles};
use crate::model::Place;
use crate::scenario::{Coverage, Failure, Mutant, Played, Rules, Scenario, Suite, Trial};
use serde_json::{Value, json};
use std::fmt::Write as _;

/// Everything that came of it.
pub(super) struct Report<'p> {
    plan: &'p Plan,
    /// One for each scenario played.
    pub(super) results: Vec<Result<'p>>,
    /// Per behavior; when it was asked for.
    pub(super) coverage: Option<Vec<Coverage>>,
    /// With whether each was noticed; when they were asked for.
    pub(super) mutants: Option<Vec<(Mutant, bool)>>,
}

/// What came of one scenario.
pub(super) struct Result<'p> {
    pub(super) suite: &'p Suite,
    pub(super) scenario: &'p Scenario,
    pub(super) rules: &'p Rules,
    pub(super) played: Played,
}

impl Result<'_> {
    /// The scenario once more.
    pub(super) fn trial(&self) -> Trial<'_> {
        Trial { rules: self.rules, scenario: self.scenario, behavior: self.suite.behavior.as_deref() }
    }
}

impl<'p> Report<'p> {
    pub(super) fn new(plan: &'p Plan) -> Self {
        Self { plan, results: Vec::new(), coverage: None, mutants: None }
    }

    /// Whether nothing is to be complained about. Nothing played is nothing shown.
    pub(super) fn is_fine(&self) -> bool {
        !self.plan.is_broken
            && self.plan.problems.is_empty()
            && !self.results.is_empty()
            && self.failed() == 0
            && self.mutants.iter().flatten().all(|(_, noticed)| *noticed)
    }

    fn failed(&self) -> usize {
        self.results.iter().filter(|result| !result.played.passed()).count()
    }

    /// The name of the file of a suite.
    pub(super) fn file(&self, suite: &Suite) -> &str {
        self.plan.sources.1.get(suite.file).map_or("", |source| &source.name)
    }

    /// Where a mutant's mistake is.
    fn spot(&self, place: Place) -> (&str, u32) {
        (self.plan.sources.0.get(place.file).map_or("", |source| &source.name), place.line)
    }

    /// For people.
    pub(super) fn human(&self) -> String {
        let styles = Styles::coloured();
        let mut out = String::new();
        out.push_str(&diagnostic::human(&self.plan.catalogue_problems, &self.plan.sources.0, true));
        out.push_str(&diagnostic::human(&self.plan.problems, &self.plan.sources.1, true));
        out.extend(self.plan.reason.clone().map(|reason| reason + "\n"));
        self.files(&mut out, styles);
        for result in self.results.iter().filter(|result| !result.played.passed()) {
            let _ = writeln!(out, "\n{} {}", styles.bad("failed:"), styles.strong(&result.scenario.name.value));
            for failure in &result.played.failures {
                self.failure(&mut out, result, failure, styles);
            }
        }
        self.coverage(&mut out, styles);
        self.mutants(&mut out, styles);
        out.push_str(&self.summary(styles));
        out
    }

    /// One line for each file.
    fn files(&self, out: &mut String, styles: Styles) {
        let width = self.plan.suites.iter().map(|suite| self.file(suite).chars().count()).max().unwrap_or(0);
        for suite in &self.plan.suites {
            let of_it: Vec<&Result<'_>> = self.results.iter().filter(|result| result.suite == suite).collect();
            if of_it.is_empty() {
                continue;
            }
            let steps: usize = of_it.iter().map(|result| result.played.steps).sum();
            let failed = of_it.iter().filter(|result| !result.played.passed()).count();
            let end = match failed {
                0 => styles.good("all hold"),
                failed => styles.bad(&format!("{failed} failed")),
            };
            let (file, scenarios) = (self.file(suite), counted(of_it.len(), "scenario"));
            let _ = writeln!(out, "{file:<width$}  {scenarios:>12}  {:>10}  {end}", counted(steps, "step"));
        }
    }

    fn failure(&self, out: &mut String, result: &Result<'_>, failure: &Failure, styles: Styles) {
        let place = format!("{}:{}:{}", self.file(result.suite), failure.place.line, failure.place.column);
        let _ = writeln!(out, "  {} step {}: {}", styles.faint(&place), failure.step, failure.title);
        let width = failure.differences.iter().map(|difference| difference.what.len()).max().unwrap_or(0);
        for difference in &failure.differences {
            let indent = format!("\n{:width$}               ", "");
            let inside = |text: &str| text.replace('\n', &indent);
            let _ = writeln!(
                out,
                "    {:<width$}  expected {}",
                difference.what,
                styles.good(&inside(&difference.expected))
            );
            let _ = writeln!(out, "    {:<width$}  got      {}", "", styles.bad(&inside(&difference.got)));
        }
        if let Some(disagreement) = &failure.disagreement {
            let _ = writeln!(
                out,
                "    {}",
                styles.bad("the machine and the reference disagree; this is a fault of forge, please report it")
            );
            out.push_str(&indented(disagreement));
        }
        for view in &failure.trace {
            out.push('\n');
            out.push_str(&indented(&explain::text(view, styles)));
        }
    }

    fn coverage(&self, out: &mut String, styles: Styles) {
        for coverage in self.coverage.iter().flatten() {
            let (reached, all) = (coverage.reached(), coverage.goals.len());
            let count = format!("{reached} of {all} reached");
            let count = if reached == all { styles.good(&count) } else { styles.bad(&count) };
            let _ = writeln!(out, "\n{} {count}", styles.strong(&format!("coverage of {}:", coverage.behavior)));
            for goal in coverage.goals.iter().filter(|goal| !goal.reached) {
                let place = styles.faint(&format!("{}:{}", coverage.file, goal.line));
                let _ = writeln!(out, "  {place}  never: {}", one_line(&goal.what));
            }
        }
    }

    fn mutants(&self, out: &mut String, styles: Styles) {
        let Some(mutants) = &self.mutants else { return };
        let survivors: Vec<&Mutant> =
            mutants.iter().filter(|(_, noticed)| !noticed).map(|(mutant, _)| mutant).collect();
        let count = format!("{} of {} noticed", mutants.len() - survivors.len(), mutants.len());
        let count = if survivors.is_empty() { styles.good(&count) } else { styles.bad(&count) };
        let _ = writeln!(out, "\n{} {count}", styles.strong("mutants:"));
        for mutant in survivors {
            let (file, line) = self.spot(mutant.place);
            let _ = writeln!(out, "  {}  no scenario notices {}", styles.faint(&format!("{file}:{line}")), mutant.what);
        }
    }

    fn summary(&self, styles: Styles) -> String {
        if self.plan.is_broken {
            return styles.bad("nothing was played: the behaviors do not compile") + "\n";
        }
        if self.results.is_empty() {
            let what = "no scenario found; write one in `behaviors/<id>/tests/*.yaml`";
            return styles.bad(what) + "\n";
        }
        let steps: usize = self.results.iter().map(|result| result.played.steps).sum();
        let end = match self.failed() {
            0 => styles.good("all hold"),
            failed => styles.bad(&format!("{failed} failed")),
        };
        format!("\n{}, {}: {end}\n", counted(self.results.len(), "scenario"), counted(steps, "step"))
    }

    /// For programs.
    pub(super) fn json(&self) -> String {
        let problems = [
            diagnostic::json(&self.plan.catalogue_problems, &self.plan.sources.0),
            diagnostic::json(&self.plan.problems, &self.plan.sources.1),
        ];
        let problems: Vec<Value> =
            problems.into_iter().filter_map(|problems| problems.as_array().cloned()).flatten().collect();
        let mut report = json!({
            "passed": self.is_fine(),
            "scenarios": self.results.len(),
            "steps": self.results.iter().map(|result| result.played.steps).sum::<usize>(),
            "failed": self.failed(),
            "problems": problems,
            "reason": self.plan.reason,
            "results": self.results.iter().map(|result| self.result(result)).collect::<Vec<_>>(),
        });
        if let (Some(coverage), Some(report)) = (&self.coverage, report.as_object_mut()) {
            report.insert("coverage".to_owned(), coverage.iter().map(covered).collect());
        }
        if let (Some(mutants), Some(report)) = (&self.mutants, report.as_object_mut()) {
            let mutant = |(mutant, noticed): &(Mutant, bool)| {
                let (file, line) = self.spot(mutant.place);
                json!({"file": file, "line": line, "what": mutant.what, "noticed": noticed})
            };
            report.insert("mutants".to_owned(), mutants.iter().map(mutant).collect());
        }
        format!("{report:#}\n")
    }

    fn result(&self, result: &Result<'_>) -> Value {
        let failure = |failure: &Failure| {
            let differences = failure.differences.iter();
            json!({
                "step": failure.step,
                "line": failure.place.line,
                "column": failure.place.column,
                "title": failure.title,
                "differences": differences
                    .map(|it| json!({"what": it.what, "expected": it.expected, "got": it.got}))
                    .collect::<Vec<_>>(),
                "disagreement": failure.disagreement,
                "trace": failure.trace.iter().map(explain::json).collect::<Vec<_>>(),
            })
        };
        json!({
            "file": self.file(result.suite),
            "line": result.scenario.name.place.line,
            "behavior": result.suite.behavior,
            "name": result.scenario.name.value,
            "steps": result.played.steps,
            "passed": result.played.passed(),
            "failures": result.played.failures.iter().map(failure).collect::<Vec<_>>(),
        })
    }
}

fn covered(coverage: &Coverage) -> Value {
    let goals =
        coverage.goals.iter().map(|goal| json!({"line": goal.line, "what": goal.what, "reached": goal.reached}));
    json!({"behavior": coverage.behavior, "file": coverage.file, "goals": goals.collect::<Vec<_>>()})
}

fn indented(text: &str) -> String {
    text.lines().map(|line| format!("      {line}\n")).collect()
}

/// `1 step`, `2 steps`.
fn counted(count: usize, what: &str) -> String {
    format!("{count} {what}{}", if count == 1 { "" } else { "s" })
}

/// A text on one line, cut where it gets long: patterns may have many.
fn one_line(text: &str) -> String {
    let line = text.replace('\n', " ");
    let words: Vec<&str> = line.split_whitespace().collect();
    let line = words.join(" ");
    if line.chars().count() <= 120 {
        return line;
    }
    let start: String = line.chars().take(90).collect();
    let back: Vec<char> = line.chars().rev().take(24).collect();
    let end: String = back.into_iter().rev().collect();
    format!("{start}…{end}")
}
