//! What was expected against what came: every difference, in words that need no second look.

use super::Decision;
use super::suite::{Expectation, OverrideCount};
use super::world::Happened;
use crate::model::{BehaviorState, Session};

/// One thing that is not as expected.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Difference {
    /// What: `decision`, `counter`, …; of another behavior `ID.counter`.
    pub what: String,
    /// What the scenario says.
    pub expected: String,
    /// What came.
    pub got: String,
}

impl Difference {
    pub(super) fn new(what: impl Into<String>, expected: impl Into<String>, got: impl Into<String>) -> Self {
        Self { what: what.into(), expected: expected.into(), got: got.into() }
    }
}

/// All differences. `happened` are the events of the step: one, or those that arrived at once, in the order in which
/// they were judged; the last is the one that `decision` and the texts are about.
pub(super) fn differences(expect: &Expectation, behavior: Option<&str>, happened: &[Happened]) -> Vec<Difference> {
    let Some(last) = happened.last() else { return Vec::new() };
    let mut found = Vec::new();
    if let Some(expected) = expect.decision.filter(|expected| !expected.allows(last.decision)) {
        let why: Vec<String> = last.levels.iter().map(|(id, level)| format!("{id}: {level}")).collect();
        let why = if why.is_empty() { String::new() } else { format!(" ({})", why.join(", ")) };
        found.push(Difference::new("decision", expected.name(), format!("{}{why}", last.decision)));
    }
    for (decision, expected) in expect.decisions.iter().flatten() {
        let got = happened.iter().filter(|event| decision.allows(event.decision)).count() as u64;
        unequal(&mut found, &format!("decisions.{decision}"), *expected, got);
    }
    state(&mut found, expect, "", behavior, &last.session);
    if let Some(expected) = &expect.flags {
        let mut expected = expected.clone();
        expected.sort();
        let got: Vec<String> = last.session.flags.keys().cloned().collect();
        if expected != got {
            found.push(Difference::new("flags", listed(&expected), listed(&got)));
        }
    }
    said(&mut found, expect, &last.said);
    let overridden: u64 = happened.iter().map(|event| event.overridden).sum();
    match expect.overridden {
        Some(OverrideCount::Some) if overridden == 0 => {
            found.push(Difference::new("overridden", "at least one", "none"));
        }
        Some(OverrideCount::Exactly(expected)) => unequal(&mut found, "overridden", expected, overridden),
        Some(OverrideCount::Some) | None => {}
    }
    for (id, expect) in &expect.behaviors {
        let level = last.levels.iter().find(|(violated, _)| violated == id).map(|(_, level)| *level);
        let got = level.map_or(Decision::Pass, Decision::from);
        if let Some(expected) = expect.decision.filter(|expected| !expected.allows(got)) {
            found.push(Difference::new(format!("{id}.decision"), expected.name(), got.name()));
        }
        state(&mut found, expect, &format!("{id}."), Some(id), &last.session);
    }
    found
}

/// What is remembered of one behavior.
fn state(found: &mut Vec<Difference>, expect: &Expectation, prefix: &str, id: Option<&str>, session: &Session) {
    let Some(id) = id else { return };
    let nothing = BehaviorState::default();
    let state = session.behaviors.get(id).unwrap_or(&nothing);
    if let Some(expected) = expect.counter {
        unequal(found, &format!("{prefix}counter"), expected, state.counter);
    }
    if let Some(expected) = expect.level {
        unequal(found, &format!("{prefix}level"), expected, state.level);
    }
}

fn said(found: &mut Vec<Difference>, expect: &Expectation, said: &str) {
    let shown = if said.is_empty() { "nothing".to_owned() } else { format!("`{said}`") };
    for fragment in expect.says.iter().filter(|fragment| !said.contains(fragment.as_str())) {
        found.push(Difference::new("says", format!("`{fragment}`"), &shown));
    }
    for fragment in expect.says_not.iter().filter(|fragment| said.contains(fragment.as_str())) {
        found.push(Difference::new("says_not", format!("nothing with `{fragment}`"), &shown));
    }
}

fn unequal<T: PartialEq + ToString>(found: &mut Vec<Difference>, what: &str, expected: T, got: T) {
    if expected != got {
        found.push(Difference::new(what, expected.to_string(), got.to_string()));
    }
}

fn listed(flags: &[String]) -> String {
    if flags.is_empty() { "none".to_owned() } else { flags.join(", ") }
}
