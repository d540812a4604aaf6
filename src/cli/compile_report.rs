//! What `forge compile` says at its end: problems, then what became of the program. For people or as one JSON object.

use super::Exit;
use super::output::{say, stdout_is_terminal};
use super::told::Told;
use crate::diagnostic::{self, Diagnostic, Sources};
use crate::error::Result;
use crate::model::{Condition, Event, Matcher, Place, Test, TextTest};
use crate::validate::Checked;
use serde_json::json;
use std::fmt::Write;

/// What became of the program.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Outcome {
    /// Nothing, because of errors.
    Failed,
    /// Nothing, because only the check was wanted.
    Checked,
    /// Nothing, because only the report was wanted.
    DryRun,
    /// Nothing, because it is already there.
    Unchanged,
    /// It was written.
    Written,
}

/// A pattern whose automaton would be too large.
struct SlowPattern {
    pattern: String,
    place: Option<Place>,
}

impl SlowPattern {
    /// Its first line, cut where it gets long.
    fn short(&self) -> String {
        let line = self.pattern.lines().next().unwrap_or_default();
        let cut: String = line.chars().take(60).collect();
        if cut.len() < self.pattern.len() { format!("{cut}…") } else { cut }
    }
}

/// Where a condition has a pattern.
fn written_at(condition: &Condition, pattern: &str) -> Option<Place> {
    match condition {
        Condition::All(parts) | Condition::Any(parts) => parts.iter().find_map(|part| written_at(part, pattern)),
        Condition::Not(part) => written_at(part, pattern),
        Condition::Test(test) => match &test.value {
            Test::Text { test: TextTest::Matches(found), .. } if found.source == pattern => Some(test.place),
            Test::Text { .. } | Test::Number { .. } => None,
        },
    }
}

/// The report of one run.
pub(super) struct Report<'a> {
    pub(super) sources: &'a Sources,
    pub(super) problems: Vec<Diagnostic>,
    pub(super) outcome: Outcome,
    pub(super) bytes: Option<usize>,
    /// Settings files in which the hook was registered anew.
    pub(super) settings: Vec<String>,
    slow_patterns: Vec<SlowPattern>,
    ids: Vec<String>,
    events: Vec<Event>,
}

impl<'a> Report<'a> {
    /// A report that nothing has come of yet.
    pub(super) fn new(sources: &'a Sources) -> Self {
        Self {
            sources,
            problems: Vec::new(),
            outcome: Outcome::Failed,
            bytes: None,
            settings: Vec::new(),
            slow_patterns: Vec::new(),
            ids: Vec::new(),
            events: Vec::new(),
        }
    }

    /// Notes that all is as it was when this was told.
    pub(super) fn unchanged(&mut self, told: Told) {
        let Told { behaviors, events, warnings, bytes } = told;
        (self.ids, self.events, self.problems, self.bytes) = (behaviors, events, warnings, Some(bytes));
        self.outcome = Outcome::Unchanged;
    }

    /// What is told of sources that compiled to so many bytes.
    pub(super) fn told(&self, bytes: usize) -> Told {
        let (behaviors, events, warnings) = (self.ids.clone(), self.events.clone(), self.problems.clone());
        Told { behaviors, events, warnings, bytes }
    }

    /// Notes which behaviors act, on which events.
    pub(super) fn behaviors(&mut self, checked: &Checked) {
        self.ids = checked.enabled().map(|behavior| behavior.id.value.clone()).collect();
        let watched =
            |event: &Event| checked.enabled().flat_map(|b| &b.triggers).any(|trigger| trigger.event == *event);
        self.events = Event::ALL.iter().copied().filter(watched).collect();
    }

    /// Notes patterns that run slower, with the first place each is written at.
    pub(super) fn slow_patterns(&mut self, checked: &Checked, patterns: Vec<String>) {
        for pattern in patterns {
            let place = checked.enabled().flat_map(|b| &b.triggers).find_map(|trigger| match &trigger.matcher {
                Matcher::Pattern(found) if found.source == pattern => Some(trigger.place),
                Matcher::All | Matcher::Names(_) | Matcher::Pattern(_) => written_at(&trigger.condition, &pattern),
            });
            self.slow_patterns.push(SlowPattern { pattern, place });
        }
    }

    /// Prints it.
    pub(super) fn print(&self, as_json: bool) -> Result<Exit> {
        say(&if as_json { self.json() } else { self.human() })?;
        Ok(if self.outcome == Outcome::Failed { Exit::Content } else { Exit::Fine })
    }

    fn count(&self, errors: bool) -> usize {
        self.problems.iter().filter(|problem| problem.is_error() == errors).count()
    }

    fn human(&self) -> String {
        let mut text = diagnostic::human(&self.problems, self.sources, stdout_is_terminal());
        let behaviors = counted(self.ids.len(), "behavior");
        let events: Vec<&str> = self.events.iter().map(|event| event.name()).collect();
        let events = if events.is_empty() { "no event".to_owned() } else { events.join(", ") };
        let bytes = counted(self.bytes.unwrap_or(0), "byte");
        // Writing to a String cannot fail.
        let _ = match self.outcome {
            Outcome::Failed => write!(text, "nothing written: {}", counted(self.count(true), "error")),
            Outcome::Checked => write!(text, "checked {behaviors} for {events}: no errors"),
            Outcome::DryRun => write!(text, "would compile {behaviors} for {events} to {bytes}"),
            Outcome::Unchanged => write!(text, "up to date: {behaviors} for {events}, {bytes}"),
            Outcome::Written => write!(text, "compiled {behaviors} for {events} to {bytes}"),
        };
        if self.count(false) > 0 {
            let _ = write!(text, ", {}", counted(self.count(false), "warning"));
        }
        text.push('\n');
        for path in &self.settings {
            let _ = writeln!(text, "registered in {path}");
        }
        for slow in &self.slow_patterns {
            let place = slow.place.map_or(String::new(), |place| {
                let file = self.sources.get(place.file).map_or("", |source| &source.name);
                format!("{file}:{}:{}: ", place.line, place.column)
            });
            let _ = writeln!(
                text,
                "{place}its automaton would be too large, so this pattern runs slower: `{}`",
                slow.short()
            );
        }
        text
    }

    fn json(&self) -> String {
        let outcome = match self.outcome {
            Outcome::Failed => "failed",
            Outcome::Checked => "checked",
            Outcome::DryRun => "dry_run",
            Outcome::Unchanged => "unchanged",
            Outcome::Written => "written",
        };
        let report = json!({
            "outcome": outcome,
            "behaviors": self.ids,
            "events": self.events.iter().map(|event| event.name()).collect::<Vec<_>>(),
            "bytes": self.bytes,
            "settings": self.settings,
            "errors": self.count(true),
            "warnings": self.count(false),
            "slow_patterns": self.slow_patterns.iter().map(|slow| &slow.pattern).collect::<Vec<_>>(),
            "diagnostics": diagnostic::json(&self.problems, self.sources),
        });
        format!("{report}\n")
    }
}

/// `1 byte`, `1,234 bytes`.
pub(super) fn counted(number: usize, what: &str) -> String {
    let digits = number.to_string();
    let mut grouped = String::new();
    for (index, digit) in digits.chars().enumerate() {
        if index > 0 && (digits.len() - index).is_multiple_of(3) {
            grouped.push(',');
        }
        grouped.push(digit);
    }
    format!("{grouped} {what}{}", if number == 1 { "" } else { "s" })
}
