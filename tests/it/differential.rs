//! The machine against the reference: whole outcomes, over sequences of events, with what was seen counted.

use crate::strategies::{self, Happening, Interlude};
use forge::bytecode::op::Op;
use forge::bytecode::program::{Block, Program, Routine};
use forge::bytecode::{Verified, container, verify};
use forge::lower::lower;
use forge::model::{
    Call, Catalogue, Condition, Event, Field, Input, InputHash, Level, Outcome, Overridden, OverridePolicy, Session,
    Test, TextTest, Timestamp, Verdict,
};
use forge::validate::{Checked, validate};
use forge::vm::{self, Observer};
use forge::{reference, vm::run};
use proptest::prelude::*;
use proptest::strategy::ValueTree;
use proptest::test_runner::{Config, RngAlgorithm, TestRng, TestRunner};
use sha2::Digest;
use std::cell::RefCell;
use std::collections::BTreeSet;

/// Everything a sequence of events can make the machine do. The test fails unless all of it was seen.
#[derive(Debug, Default)]
struct Coverage {
    /// Opcode and truth after it.
    steps: BTreeSet<(&'static str, bool)>,
    levels: BTreeSet<Level>,
    /// What else happened, in words.
    seen: BTreeSet<&'static str>,
    /// Whether the behavior being watched has a memory.
    memory: bool,
    /// Whether a behavior was entered and has not been told about to the end.
    inside: bool,
}

impl Coverage {
    fn missing(&self) -> Vec<String> {
        // What halts is seen otherwise, and a flag is deleted only after it was found.
        let ways = |mnemonic| match mnemonic {
            "end" | "violate" => vec![],
            "clear-flag" => vec![(mnemonic, true)],
            _ => vec![(mnemonic, false), (mnemonic, true)],
        };
        let steps = Op::TABLE.iter().flat_map(|row| ways(row.mnemonic));
        let steps = steps.filter(|step| !self.steps.contains(step)).map(|step| format!("{step:?}"));
        let levels = Level::ALL.iter().filter(|level| !self.levels.contains(level)).map(|level| level.to_string());
        let seen = SIGHTS.iter().filter(|sight| !self.seen.contains(*sight)).map(|sight| (*sight).to_owned());
        steps.chain(levels).chain(seen).collect()
    }
}

const SIGHTS: &[&str] = &[
    "end",
    "violate",
    "switched off",
    "chain cut",
    "override by retry",
    "override by grant",
    "went on after an override",
    "pending block went stale",
    "without memory: a violation",
    "without memory: a block",
    "without memory: a checked flag",
    "threshold above",
    "no threshold above",
    "escalated",
    "kept a level it would not reach now",
    "nobody concerned",
    "some concerned, some not",
    "said once per value",
    "said again of another value",
    "a signal set back",
];

impl Observer for Coverage {
    fn disabled(&mut self, _: &Block<'_>) {
        assert!(!self.inside);
        self.seen.insert("switched off");
    }
    fn entered(&mut self, _: &Block<'_>, session: Option<&Session>) {
        assert!(!std::mem::replace(&mut self.inside, true), "the one before has not ended");
        self.memory = session.is_some();
    }
    fn stepped(&mut self, _: &Block<'_>, _: &Routine<'_>, _: usize, op: Op, truth: bool) {
        if matches!(op, Op::Flag { .. }) && !self.memory {
            self.seen.insert("without memory: a checked flag");
        }
        self.steps.insert((op.row().mnemonic, truth));
    }
    fn passed(&mut self, _: &Block<'_>, _: Option<&Session>) {
        assert!(std::mem::take(&mut self.inside));
        self.seen.insert("end");
    }
    fn violated(&mut self, block: &Block<'_>, verdict: &Verdict, session: Option<&Session>) {
        assert!(std::mem::take(&mut self.inside));
        self.seen.insert("violate");
        self.levels.insert(verdict.level);
        self.seen.insert(if verdict.threshold.is_some() { "threshold above" } else { "no threshold above" });
        if session.is_none() {
            self.seen.insert("without memory: a violation");
            if verdict.level.is_block() {
                self.seen.insert("without memory: a block");
            }
        }
        let reached = block.escalation.iter().filter(|step| u64::from(step.after) <= verdict.counter).map(|s| s.level);
        let now = reached.max().unwrap_or(block.default_level);
        if verdict.level > block.default_level {
            self.seen.insert("escalated");
        }
        if verdict.level > now {
            self.seen.insert("kept a level it would not reach now");
        }
    }
    fn overridden(&mut self, _: &Block<'_>, _: u32, _: &Overridden) {
        assert!(std::mem::take(&mut self.inside));
        self.seen.insert("violate");
    }
}

impl Coverage {
    /// What shows only in the outcome as a whole.
    fn look_at(&mut self, program: &Program<'_>, input: &Input<'_>, outcome: &Outcome) {
        let concerned = program.concerned(input.call.event, &input.call.tool).len();
        if concerned == 0 {
            self.seen.insert("nobody concerned");
        } else if concerned < program.blocks.len() {
            self.seen.insert("some concerned, some not");
        }
        if !outcome.resets.is_empty() {
            self.seen.insert("a signal set back");
        }
        for verdict in &outcome.verdicts {
            let block = program.block(verdict.behavior).expect("it is of this program");
            let told = |session: &Option<Session>| {
                session.as_ref().and_then(|session| session.behaviors.get(&*block.id)?.told_for.clone())
            };
            let (before, after) = (told(&input.session), told(&outcome.session));
            if block.once_per.is_some() && outcome.session.is_some() {
                assert_ne!(before, after, "what was said of a value is not said again");
                self.seen.insert(if before.is_some() { "said again of another value" } else { "said once per value" });
            }
        }
        if let Some(last) = outcome.verdicts.last()
            && last.level.is_block()
            && program.concerned(input.call.event, &input.call.tool).iter().any(|at| *at > last.behavior as usize)
        {
            self.seen.insert("chain cut");
        }
        if let Some(first) = outcome.overridden.first() {
            self.seen.insert(match input.overrides {
                OverridePolicy::Retry { .. } => "override by retry",
                OverridePolicy::Deny { .. } => "override by grant",
                OverridePolicy::Ask => panic!("a retry proved something under `ask`"),
            });
            if outcome.verdicts.iter().any(|verdict| verdict.behavior > first.behavior) {
                self.seen.insert("went on after an override");
            }
        }
        if let (Some(before), Some(after)) = (&input.session, &outcome.session) {
            let pending = |session: &Session, id: &str| session.behaviors.get(id).and_then(|s| s.pending.clone());
            if before.behaviors.keys().any(|id| pending(before, id).is_some() && pending(after, id).is_none())
                && outcome.overridden.is_empty()
            {
                self.seen.insert("pending block went stale");
            }
        }
    }
}

fn checked(catalogue: Catalogue) -> Checked {
    validate(catalogue).expect("the generator keeps the rules of the language").0
}

fn verified<'a>(program: &Program<'a>) -> Verified<'a> {
    verify(program.clone()).expect("what was lowered verifies")
}

/// A hasher that forgets nothing.
fn hash(input: &str) -> InputHash {
    InputHash(input.to_owned())
}

fn call(happening: &Happening) -> Call<'static> {
    let mut call = Call::new(happening.event, happening.tool, format!("{:?}", happening.texts), hash);
    call.agent = happening.agent.into();
    call.tool_use_id = happening.tool_use_id.map(Into::into);
    for (field, text) in happening.fields() {
        call.fields.set(field, text);
    }
    call
}

/// Plays a sequence three ways and compares after every event.
fn play(
    catalogue: Catalogue,
    happenings: &[Happening],
    overrides: OverridePolicy,
    coverage: &RefCell<Coverage>,
) -> Result<(), TestCaseError> {
    let checked = checked(catalogue);
    let program = lower(&checked, [7; 32]).unwrap().program;
    let whole = verified(&program);
    let bytes = container::write(&program).unwrap();
    let mut session = Session::default();
    let mut now = Timestamp(1_700_000_000);
    let mut latest = None;
    for happening in happenings {
        now.0 += happening.advance;
        let call = call(match latest {
            Some(latest) if happening.again => latest,
            _ => latest.insert(happening),
        });
        interlude(happening.interlude, &program, &mut session, now);
        let session_or_none = match happening.interlude {
            Interlude::NoMemory => None,
            Interlude::Nothing | Interlude::Grant | Interlude::Toggle(_) => Some(session.clone()),
        };
        let Happening { signals, profile, .. } = *happening;
        let input = Input { call: &call, session: session_or_none, signals, now, profile, overrides };

        let expected = reference::evaluate(&checked, input.clone());
        let outcome = vm::run_observed(&whole, input.clone(), &mut *coverage.borrow_mut());
        prop_assert_eq!(&outcome, &expected);
        prop_assert_eq!(&run(&whole, input.clone()), &expected, "an observer changed something");

        let tool = if call.event.has_tool() { &*call.tool } else { "" };
        let concerned: Vec<u32> =
            program.concerned(call.event, tool).into_iter().map(|at| program.blocks[at].index).collect();
        prop_assert_eq!(concerned, reference::concerned(&checked, call.event, tool));

        let part = container::select(&bytes[..], call.event, tool).unwrap();
        prop_assert_eq!(&run(&verified(&part), input.clone()), &expected, "a part of the file decides otherwise");
        let part = container::select_for(&bytes[..], &call).unwrap();
        prop_assert_eq!(&run(&verified(&part), input.clone()), &expected, "the part for this call decides otherwise");

        let mut coverage = coverage.borrow_mut();
        coverage.look_at(&program, &input, &expected);
        session = expected.session.unwrap_or(session);
    }
    Ok(())
}

fn interlude(interlude: Interlude, program: &Program<'_>, session: &mut Session, now: Timestamp) {
    match interlude {
        Interlude::Nothing | Interlude::NoMemory => {}
        Interlude::Grant => {
            for pending in session.behaviors.values_mut().filter_map(|state| state.pending.as_mut()) {
                pending.granted_at = Some(now);
            }
        }
        Interlude::Toggle(number) => {
            if let Some(block) = program.blocks.get(number) {
                let id = block.id.clone().into_owned();
                if !session.disabled.remove(&id) {
                    session.disabled.insert(id);
                }
            }
        }
    }
}

#[test]
fn machine_and_reference_agree_on_every_outcome() {
    let cases = std::env::var("PROPTEST_CASES").ok().and_then(|cases| cases.parse().ok()).unwrap_or(2_000);
    let mut runner = TestRunner::new(Config { cases, failure_persistence: None, ..Config::default() });
    let coverage = RefCell::new(Coverage::default());
    let sequences = (strategies::catalogue(), strategies::happenings(), strategies::policy());
    let result =
        runner.run(&sequences, |(catalogue, happenings, policy)| play(catalogue, &happenings, policy, &coverage));
    if let Err(failure) = result {
        panic!("{failure}");
    }
    let missing = coverage.borrow().missing();
    assert!(missing.is_empty(), "{cases} cases never showed: {missing:?}");
}

/// Plays one catalogue and one sequence whose every choice follows from `bytes`.
pub(crate) fn drawn_from(bytes: &[u8]) {
    let config = Config { failure_persistence: None, ..Config::default() };
    // Bytes taken as the choices themselves would run out, and a generator that looks for distinct ones never end.
    let seed: [u8; 32] = sha2::Sha256::digest(bytes).into();
    let mut runner = TestRunner::new_with_rng(config, TestRng::from_seed(RngAlgorithm::ChaCha, &seed));
    let sequences = (strategies::catalogue(), strategies::happenings(), strategies::policy());
    let Ok(drawn) = sequences.new_tree(&mut runner) else { return };
    let (catalogue, happenings, policy) = drawn.current();
    if let Err(failure) = play(catalogue, &happenings, policy, &RefCell::default()) {
        panic!("{failure}");
    }
}

/// Every condition of up to `size` nodes over two questions.
fn conditions(size: usize) -> Vec<Condition> {
    let question =
        |text: &str| Condition::test(Test::Text { field: Field::Command, test: TextTest::Contains(text.to_owned()) });
    let mut by_size: Vec<Vec<Condition>> =
        vec![vec![], vec![question("a"), question("b"), Condition::All(vec![]), Condition::Any(vec![])]];
    for nodes in 2..=size {
        let mut these = Vec::new();
        for only in &by_size[nodes - 1] {
            these.push(Condition::Not(Box::new(only.clone())));
            these.push(Condition::All(vec![only.clone()]));
            these.push(Condition::Any(vec![only.clone()]));
        }
        for left in 1..nodes - 1 {
            for first in &by_size[left] {
                for second in &by_size[nodes - 1 - left] {
                    these.push(Condition::All(vec![first.clone(), second.clone()]));
                    these.push(Condition::Any(vec![first.clone(), second.clone()]));
                }
            }
        }
        by_size.push(these);
    }
    by_size.concat()
}

#[test]
fn every_small_condition_means_the_same_to_both() {
    let behaviors: Vec<_> = conditions(5)
        .into_iter()
        .enumerate()
        .map(|(number, condition)| strategies::lone_behavior(&format!("number-{number}"), condition))
        .collect();
    let checked = checked(Catalogue { behaviors, ..Catalogue::default() });
    let program = verified(&lower(&checked, [0; 32]).unwrap().program);
    let mut answers = BTreeSet::new();
    for command in ["", "a", "b", "ab"] {
        let mut call = Call::new(Event::PreToolUse, "Bash", "{}", hash);
        call.fields.set(Field::Command, command);
        let overrides = OverridePolicy::Ask;
        let profile = forge::model::Profile::Standard;
        let signals = forge::model::Signals::default();
        let input = Input { call: &call, session: None, signals, now: Timestamp(0), profile, overrides };
        let outcome = run(&program, input.clone());
        assert_eq!(outcome, reference::evaluate(&checked, input), "`{command}`");
        answers.insert(outcome.verdicts.len());
    }
    assert!(answers.len() > 1, "the texts make a difference");
}
