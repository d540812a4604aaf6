//! What scenarios reach of the behaviors they are about: triggers, conditions both ways, flags both ways, levels.

use super::rules::Rules;
use crate::bytecode::op::Op;
use crate::bytecode::program::{Block, Routine};
use crate::explain::{self, PartKind};
use crate::model::{Behavior, Event, Level, Session, Verdict};
use crate::vm::Observer;
use std::collections::BTreeSet;

/// What was reached; an observer of every run.
#[derive(Clone, Debug, Default)]
pub struct Reached {
    /// Behavior, event, offset of the instruction, truth after it.
    instructions: BTreeSet<(String, Event, usize, bool)>,
    /// Behavior, trigger from 1.
    violations: BTreeSet<(String, u32)>,
    levels: BTreeSet<(String, Level)>,
}

impl Observer for Reached {
    fn stepped(&mut self, block: &Block<'_>, routine: &Routine<'_>, offset: usize, _op: Op, truth: bool) {
        self.instructions.insert((block.id.to_string(), routine.event, offset, truth));
    }

    fn violated(&mut self, block: &Block<'_>, verdict: &Verdict, _session: Option<&Session>) {
        self.violations.insert((block.id.to_string(), verdict.trigger + 1));
        self.levels.insert((block.id.to_string(), verdict.level));
    }
}

/// What there is to reach in one behavior.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Coverage {
    /// Its id.
    pub behavior: String,
    /// Its file, relative to the project.
    pub file: String,
    /// In the order of the file's parts: triggers with their conditions, then levels.
    pub goals: Vec<Goal>,
}

/// One thing to reach.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Goal {
    /// Its line.
    pub line: u32,
    /// In words: `trigger 1 fires`.
    pub what: String,
    /// Whether some step reached it.
    pub reached: bool,
}

impl Coverage {
    /// The behavior of this id; `None` when the rules have none that acts.
    #[must_use]
    pub fn new(rules: &Rules, id: &str, reached: &Reached) -> Option<Self> {
        let program = rules.program().program();
        let block = program.blocks.iter().find(|block| block.id == id)?;
        let behavior = rules.behaviors().find(|behavior| behavior.id.value == id)?;
        let file = program.files.get(block.place.file as usize).map_or_else(String::new, ToString::to_string);
        let mut goals = triggers(block, reached);
        goals.extend(levels(behavior, reached));
        Some(Self { behavior: id.to_owned(), file, goals })
    }

    /// How many goals were reached.
    #[must_use]
    pub fn reached(&self) -> usize {
        self.goals.iter().filter(|goal| goal.reached).count()
    }
}

fn triggers(block: &Block<'_>, reached: &Reached) -> Vec<Goal> {
    let mut goals: Vec<Goal> = Vec::new();
    for part in explain::parts(block) {
        let seen = |truth: bool| {
            let id = block.id.to_string();
            reached.instructions.contains(&(id, part.event, part.offset, truth))
        };
        let mut goal = |what: String, reached: bool| match goals.iter_mut().find(|goal| goal.what == what) {
            // A trigger has several instructions that show it fired; one is enough.
            Some(goal) => goal.reached |= reached,
            None => goals.push(Goal { line: part.line, what, reached }),
        };
        let trigger = format!("trigger {}", part.trigger);
        match &part.kind {
            PartKind::Condition { question, when } => {
                goal(format!("{trigger}, line {}: `{question}` holds", part.line), seen(*when));
                goal(format!("{trigger}, line {}: `{question}` fails", part.line), seen(!*when));
            }
            PartKind::Flag(flag) => {
                goal(format!("{trigger} finds the flag {flag}"), seen(true));
                goal(format!("{trigger} does not find the flag {flag}"), seen(false));
            }
            PartKind::Action => {
                let violated = reached.violations.contains(&(block.id.to_string(), part.trigger));
                goal(format!("{trigger} fires"), violated || seen(true) || seen(false));
            }
        }
    }
    goals
}

/// The levels that some number of violations brings.
fn levels(behavior: &Behavior, reached: &Reached) -> Vec<Goal> {
    let steps = &behavior.enforcement.escalation;
    let default = behavior.enforcement.default_level;
    let from_start = steps.first().is_some_and(|step| step.after <= 1);
    let default = (!from_start).then_some((behavior.id.place.line, default));
    let listed = default.into_iter().chain(steps.iter().map(|step| (step.place.line, step.level)));
    let mut goals: Vec<Goal> = Vec::new();
    for (line, level) in listed {
        let what = format!("the level {level}");
        if !goals.iter().any(|goal| goal.what == what) {
            goals.push(Goal { line, what, reached: reached.levels.contains(&(behavior.id.value.clone(), level)) });
        }
    }
    goals
}
