//! Mistakes an author could have made, made on purpose: a scenario that holds with one of them in place does not notice it.
//! Each mutant is a behavior that differs from the real one in one place.

use super::play;
use super::rules::Rules;
use super::suite::Scenario;
use crate::explain::digits;
use crate::model::{
    Action, Behavior, Comparison, Condition, Level, Matcher, OnAbsent, OnPresent, Place, Placed, Signal, Test,
    TextTest, Trigger,
};

/// A behavior with one mistake.
#[derive(Clone, Debug)]
pub struct Mutant {
    /// Where the mistake is.
    pub place: Place,
    /// What it is, in words.
    pub what: String,
    behavior: Behavior,
}

/// A scenario, with the rules it is played against and the behavior its expectations are about.
#[derive(Clone, Copy, Debug)]
pub struct Trial<'a> {
    /// The rules without mistake.
    pub rules: &'a Rules,
    /// The scenario.
    pub scenario: &'a Scenario,
    /// Whom it is about.
    pub behavior: Option<&'a str>,
}

impl Mutant {
    /// Whether one of the trials, all of which hold without the mistake, fails with it. `None` when the mistake makes a behavior
    /// that would not compile: nobody could make it unnoticed.
    #[must_use]
    pub fn is_noticed(&self, trials: &[Trial<'_>]) -> Option<bool> {
        // Trials of one file share their rules.
        let mut mutated: Vec<(*const Rules, Rules)> = Vec::new();
        for trial in trials {
            let key: *const Rules = trial.rules;
            let known = mutated.iter().position(|(known, _)| *known == key);
            let position = match known {
                Some(position) => position,
                None => {
                    mutated.push((key, trial.rules.with_mutant(&self.behavior)?));
                    mutated.len() - 1
                }
            };
            let Some((_, rules)) = mutated.get(position) else { continue };
            if !play::passes(rules, trial.scenario, trial.behavior) {
                return Some(true);
            }
        }
        Some(false)
    }
}

/// All mutants of a behavior, in the order of its text.
#[must_use]
pub fn mutants(behavior: &Behavior) -> Vec<Mutant> {
    let mut found = Vec::new();
    for (number, trigger) in behavior.triggers.iter().enumerate() {
        let mut with = |place: Place, what: String, mutated: Option<Trigger>| {
            let mut behavior = behavior.clone();
            match (mutated, behavior.triggers.get_mut(number)) {
                (Some(mutated), Some(slot)) => *slot = mutated,
                _ => drop(behavior.triggers.remove(number)),
            }
            found.push(Mutant { place, what: format!("trigger {}: {what}", number + 1), behavior });
        };
        if behavior.triggers.len() > 1 {
            with(trigger.place, "left out".to_owned(), None);
        }
        for (what, matcher) in matchers(&trigger.matcher) {
            with(trigger.place, what, Some(Trigger { matcher, ..trigger.clone() }));
        }
        for (place, what, condition) in conditions(&trigger.condition) {
            with(place.unwrap_or(trigger.place), what, Some(Trigger { condition, ..trigger.clone() }));
        }
        for (what, action) in actions(&trigger.action) {
            with(trigger.place, what, Some(Trigger { action, ..trigger.clone() }));
        }
    }
    found.extend(levels(behavior));
    found
}

/// A name left out.
fn matchers(matcher: &Matcher) -> Vec<(String, Matcher)> {
    let Matcher::Names(names) = matcher else { return Vec::new() };
    if names.len() < 2 {
        return Vec::new();
    }
    let without = |name: &String| {
        let rest = names.iter().filter(|other| *other != name).cloned().collect();
        (format!("{name} left out of the matcher"), Matcher::Names(rest))
    };
    names.iter().map(without).collect()
}

type Changed<T> = (Option<Place>, String, T);

/// Each question asked otherwise, each part left out, `all` for `any`. Conditions are not nested deeper than their limit.
fn conditions(condition: &Condition) -> Vec<Changed<Condition>> {
    match condition {
        Condition::Test(test) => questions(test),
        Condition::Not(inner) => {
            let wrap = |(place, what, inner)| (place, what, Condition::Not(Box::new(inner)));
            conditions(inner).into_iter().map(wrap).collect()
        }
        Condition::All(parts) => list(parts, Condition::All, ("any of the conditions is enough", Condition::Any)),
        Condition::Any(parts) => list(parts, Condition::Any, ("all conditions must hold", Condition::All)),
    }
}

type Join = fn(Vec<Condition>) -> Condition;

fn list(parts: &[Condition], join: Join, other: (&str, Join)) -> Vec<Changed<Condition>> {
    let mut changed = Vec::new();
    if parts.len() > 1 {
        changed.push((parts.first().and_then(place), other.0.to_owned(), (other.1)(parts.to_vec())));
    }
    for (number, part) in parts.iter().enumerate() {
        if parts.len() > 1 {
            let mut rest = parts.to_vec();
            rest.remove(number);
            changed.push((place(part), format!("condition {} left out", number + 1), join(rest)));
        }
        for (place, what, part) in conditions(part) {
            let mut all = parts.to_vec();
            if let Some(slot) = all.get_mut(number) {
                *slot = part;
            }
            changed.push((place, what, join(all)));
        }
    }
    changed
}

/// Where a condition stands: at its first question.
fn place(condition: &Condition) -> Option<Place> {
    match condition {
        Condition::Test(test) => Some(test.place),
        Condition::Not(inner) => place(inner),
        Condition::All(parts) | Condition::Any(parts) => parts.iter().find_map(place),
    }
}

fn questions(test: &Placed<Test>) -> Vec<Changed<Condition>> {
    let original = Condition::Test(test.clone());
    let mut changed = vec![(Some(test.place), "condition negated".to_owned(), Condition::Not(Box::new(original)))];
    let mut ask = |what: String, value: Test| {
        changed.push((Some(test.place), what, Condition::Test(Placed { value, place: test.place })));
    };
    match &test.value {
        Test::Number { signal, comparison, value } => {
            let instead = other_edge(*comparison);
            let with = |comparison, value| Test::Number { signal: *signal, comparison, value };
            ask(format!("`{instead}` for `{comparison}`"), with(instead, *value));
            let step = if signal.is_decimal() { Signal::ONE / 100 } else { 1 };
            for value in [value.checked_add(step), value.checked_sub(step)].into_iter().flatten() {
                ask(format!("compared with {}", digits(*signal, value)), with(*comparison, value));
            }
        }
        Test::Text { field, test: asked } => {
            let with = |test| Test::Text { field: *field, test };
            match asked {
                TextTest::Contains(text) => {
                    ask("`equals` for `contains`".to_owned(), with(TextTest::Equals(text.clone())))
                }
                TextTest::Equals(text) => {
                    ask("`contains` for `equals`".to_owned(), with(TextTest::Contains(text.clone())))
                }
                TextTest::StartsWith(text) => {
                    ask("`contains` for `starts_with`".to_owned(), with(TextTest::Contains(text.clone())));
                }
                TextTest::EndsWith(text) => {
                    ask("`contains` for `ends_with`".to_owned(), with(TextTest::Contains(text.clone())));
                }
                TextTest::Matches(_) | TextTest::Exists => {}
            }
        }
    }
    changed
}

/// The same comparison with the edge on the other side.
fn other_edge(comparison: Comparison) -> Comparison {
    match comparison {
        Comparison::Gt => Comparison::Gte,
        Comparison::Gte => Comparison::Gt,
        Comparison::Lt => Comparison::Lte,
        Comparison::Lte => Comparison::Lt,
        Comparison::Equals => Comparison::Gte,
    }
}

fn actions(action: &Action) -> Vec<(String, Action)> {
    let Action::CheckFlag { flag, on_present, on_absent } = action else { return Vec::new() };
    let with = |on_present, on_absent| Action::CheckFlag { flag: flag.clone(), on_present, on_absent };
    let kept = match on_present {
        OnPresent::Consume => OnPresent::Keep,
        OnPresent::Keep => OnPresent::Consume,
    };
    let answered = match on_absent {
        OnAbsent::Skip => OnAbsent::Violate,
        OnAbsent::Violate => OnAbsent::Skip,
    };
    vec![
        (format!("`on_present: {kept}`"), with(kept, *on_absent)),
        (format!("`on_absent: {answered}`"), with(*on_present, answered)),
        ("`action: evaluate`".to_owned(), Action::Evaluate),
    ]
}

/// Thresholds moved by one, levels one word milder and stricter.
fn levels(behavior: &Behavior) -> Vec<Mutant> {
    let mut found = Vec::new();
    let mut with = |place: Place, what: String, change: &dyn Fn(&mut Behavior)| {
        let mut behavior = behavior.clone();
        change(&mut behavior);
        found.push(Mutant { place, what, behavior });
    };
    let steps = &behavior.enforcement.escalation;
    // Below a first threshold of 1 nobody ever sees the default.
    if steps.first().is_none_or(|step| step.after > 1) {
        let default = behavior.enforcement.default_level;
        for level in neighbours(default) {
            let what = format!("`default_level: {level}` for `{default}`");
            with(behavior.id.place, what, &|behavior| behavior.enforcement.default_level = level);
        }
    }
    for (number, step) in steps.iter().enumerate() {
        let moved = [step.after.checked_add(1), step.after.checked_sub(1).filter(|after| *after > 0)];
        for after in moved.into_iter().flatten() {
            with(step.place, format!("`after: {after}` for `{}`", step.after), &|behavior| {
                if let Some(step) = behavior.enforcement.escalation.get_mut(number) {
                    step.after = after;
                }
            });
        }
        for level in neighbours(step.level) {
            with(step.place, format!("`level: {level}` for `{}`", step.level), &|behavior| {
                if let Some(step) = behavior.enforcement.escalation.get_mut(number) {
                    step.level = level;
                }
            });
        }
    }
    found
}

/// The words next to a level.
fn neighbours(level: Level) -> impl Iterator<Item = Level> {
    Level::ALL.iter().copied().filter(move |other| (*other as u8).abs_diff(level as u8) == 1)
}
