//! Plays scenarios: each step's event, then what it was expected to come to.

use super::compare::{self, Difference};
use super::rules::Rules;
use super::suite::{Deed, Event, Scenario, Step};
use super::world::{Happened, Run, World};
use crate::explain::{self, Watched};
use crate::model::{Event as Moment, Field, Input, Outcome, Place};
use crate::vm::{self, Observer};
use crate::{harness, hook::judgement::View, store};

/// What came of one scenario.
#[derive(Clone, Debug)]
pub struct Played {
    /// Steps played.
    pub steps: usize,
    /// Steps that did not go as expected.
    pub failures: Vec<Failure>,
}

impl Played {
    /// Whether everything went as expected.
    #[must_use]
    pub fn passed(&self) -> bool {
        self.failures.is_empty()
    }
}

/// A step that did not go as expected.
#[derive(Clone, Debug)]
pub struct Failure {
    /// Which step, from 1.
    pub step: usize,
    /// Where it stands.
    pub place: Place,
    /// What happens in it, in a few words.
    pub title: String,
    /// What is not as expected.
    pub differences: Vec<Difference>,
    /// How the machine and the reference differ: a fault of forge, not of the behavior.
    pub disagreement: Option<String>,
    /// The judgement, step by step; empty when nothing was judged.
    pub trace: Vec<Watched>,
}

/// Plays a scenario. `behavior` is the one its expectations are about; `observer` sees every run of the machine.
#[must_use]
pub fn play(rules: &Rules, scenario: &Scenario, behavior: Option<&str>, observer: &mut impl Observer) -> Played {
    let mut run = |view: &View<'_>, input: Input<'_>| vm::run_observed(view.rules, input, observer);
    let mut played = Played { steps: scenario.steps.len(), failures: Vec::new() };
    let mut world = World::new(rules, scenario);
    for (number, step) in (1..).zip(&scenario.steps) {
        if scenario.independent {
            world = World::new(rules, scenario);
        }
        let before = world.clone();
        let result = take(&mut world, step, behavior, &mut run);
        if result.differences.is_empty() && result.disagreement.is_none() {
            continue;
        }
        let mut failure = Failure { step: number, place: step.place, title: title(step), trace: Vec::new(), ..result };
        if let Deed::Event(event) = &step.deed {
            failure.trace = trace(before, step, event);
        }
        played.failures.push(failure);
    }
    played
}

/// Whether a scenario goes as expected. Stops at the first step that does not, and traces nothing.
pub(super) fn passes(rules: &Rules, scenario: &Scenario, behavior: Option<&str>) -> bool {
    let mut world = World::new(rules, scenario);
    scenario.steps.iter().all(|step| {
        if scenario.independent {
            world = World::new(rules, scenario);
        }
        let mut run = |view: &View<'_>, input: Input<'_>| vm::run(view.rules, input);
        let result = take(&mut world, step, behavior, &mut run);
        result.differences.is_empty() && result.disagreement.is_none()
    })
}

/// Takes one step; what is wrong with it, without its title and trace.
fn take(world: &mut World<'_>, step: &Step, behavior: Option<&str>, run: Run<'_>) -> Failure {
    let mut result = Failure {
        step: 0,
        place: step.place,
        title: String::new(),
        differences: Vec::new(),
        disagreement: None,
        trace: Vec::new(),
    };
    world.advance(step.advance);
    let session = step.session.as_deref();
    let mut happened = Vec::new();
    match &step.deed {
        Deed::Wait => {}
        Deed::Allow(id) if world.allow(session, id) => {}
        Deed::Allow(id) => {
            result.differences.push(Difference::new("allow", format!("a pending block of {id}"), "none"))
        }
        Deed::Disable(id) => {
            world.session_mut(session).disabled.insert(id.clone());
        }
        Deed::Enable(id) => {
            world.session_mut(session).disabled.remove(id);
        }
        Deed::Event(event) => {
            for _ in 0..event.parallel {
                match world.happen(event, session, run) {
                    Ok(event) => happened.push(event),
                    Err(what) => {
                        result.differences.push(Difference::new("payload", "one that can be read", what));
                        return result;
                    }
                }
            }
        }
    }
    if happened.is_empty() {
        happened.push(Happened::nothing(world.session_mut(session).clone()));
    }
    if let Some(expect) = &step.expect {
        result.differences.extend(compare::differences(expect, behavior, &happened));
    }
    result.disagreement = happened.into_iter().find_map(|event| event.disagreement);
    result
}

/// The step once more, watched: its last event, for that is what expectations are about.
fn trace(mut world: World<'_>, step: &Step, event: &Event) -> Vec<Watched> {
    world.advance(step.advance);
    let mut views = Vec::new();
    for _ in 0..event.parallel {
        views.clear();
        let mut run = |view: &View<'_>, input: Input<'_>| -> Outcome {
            let (outcome, watched) = explain::watch(view.rules, input);
            views.push(watched);
            outcome
        };
        // A payload that cannot be read has been told already.
        let _ = world.happen(event, step.session.as_deref(), &mut run);
    }
    views
}

/// What happens in a step, in a few words.
fn title(step: &Step) -> String {
    match &step.deed {
        Deed::Wait => "time passes".to_owned(),
        Deed::Allow(id) => format!("a person allows {id}"),
        Deed::Disable(id) => format!("a person switches {id} off"),
        Deed::Enable(id) => format!("a person switches {id} on"),
        Deed::Event(event) => {
            let incoming =
                harness::read(event.harness, event.event.as_deref(), event.payload.as_bytes(), store::input_hash);
            match incoming.map(|incoming| incoming.news) {
                Ok(harness::News::Judge(judged)) => call_title(&judged.call),
                Ok(harness::News::Failed(call)) => format!("{} failed", call.tool),
                Ok(harness::News::SessionStart | harness::News::Other) => "an event nobody judges".to_owned(),
                Err(_) => "a payload that cannot be read".to_owned(),
            }
        }
    }
}

/// The moment where it is not the usual one, the tool, and the first text of the input, in one short line.
fn call_title(call: &crate::model::Call<'_>) -> String {
    let texts = Field::ALL.iter().map(|field| call.fields.get(*field)).find(|text| !text.is_empty());
    let text = texts.and_then(|text| text.lines().next()).unwrap_or_default();
    let cut: String = text.chars().take(60).collect();
    let dots = if cut.len() < text.len() { "…" } else { "" };
    let moment = if call.event == Moment::PreToolUse { "" } else { call.event.name() };
    [moment, &call.tool, &format!("{cut}{dots}")]
        .iter()
        .filter(|word| !word.is_empty())
        .copied()
        .collect::<Vec<_>>()
        .join(" ")
}
