//! The code of one behavior for one event: conditions become tests and short-circuit jumps. Uses `model` and
//! `bytecode`; offsets are worked out once, at the end, since the length of a jump does not depend on where it goes.

use super::pools::Pools;
use super::{Excess, position, source_place};
use crate::bytecode::op::Op;
use crate::bytecode::operand::{Number, Target, TextId, TriggerId};
use crate::bytecode::program::{CodePlace, Routine};
use crate::limits;
use crate::model::{
    Action, AppliesTo, Behavior, Condition, Event, Matcher, OnAbsent, OnPresent, Place, Test, TextTest, Trigger,
};

/// The routine of a behavior for an event it watches.
pub(super) fn routine(behavior: &Behavior, event: Event, pools: &mut Pools<'_>) -> Result<Routine<'static>, Excess> {
    let mut code = Code { pools, ops: Vec::new(), labels: Vec::new(), places: Vec::new(), trigger: 0 };
    let end = code.label();
    code.applies_to(&behavior.applies_to, end)?;
    for (number, trigger) in behavior.triggers.iter().enumerate() {
        if trigger.event == event {
            code.trigger = u16::try_from(number).map_err(|_| Excess::Triggers)?;
            code.trigger(trigger)?;
        }
    }
    code.bind(end);
    code.emit(Op::End {});
    code.finish(event)
}

/// Code under construction. Until `finish`, the target of a jump is the number of a label.
struct Code<'c, 'p> {
    pools: &'c mut Pools<'p>,
    ops: Vec<Op>,
    /// Per label, the position in `ops` it was bound to.
    labels: Vec<usize>,
    /// Position in `ops`, trigger, place.
    places: Vec<(usize, u16, Place)>,
    trigger: u16,
}

impl Code<'_, '_> {
    fn applies_to(&mut self, applies_to: &AppliesTo, otherwise: Target) -> Result<(), Excess> {
        if !applies_to.profiles.is_empty() {
            self.emit(Op::ProfileIn { profiles: applies_to.profiles.iter().copied().collect() });
            self.jump(false, otherwise);
        }
        self.one_of(&applies_to.agents, |agent| Op::AgentIs { agent }, otherwise)?;
        self.one_of(&applies_to.tools, |tool| Op::ToolIs { tool }, otherwise)?;
        for name in &applies_to.except_tools {
            let tool = self.pools.text(name)?;
            self.emit(Op::ToolIs { tool });
            self.jump(true, otherwise);
        }
        Ok(())
    }

    fn trigger(&mut self, trigger: &Trigger) -> Result<(), Excess> {
        let next = self.label();
        if trigger.event.has_tool() && trigger.matcher != Matcher::All {
            self.place(trigger.place);
            self.matcher(&trigger.matcher, next)?;
        }
        self.branch(&trigger.condition, false, next)?;
        self.place(trigger.place);
        self.action(&trigger.action, next)?;
        self.bind(next);
        Ok(())
    }

    fn matcher(&mut self, matcher: &Matcher, otherwise: Target) -> Result<(), Excess> {
        match matcher {
            Matcher::All => Ok(()),
            // Validated lists have names; one without any fits no tool.
            Matcher::Names(names) if names.is_empty() => {
                self.jump_always(otherwise);
                Ok(())
            }
            Matcher::Names(names) => self.one_of(names, |tool| Op::ToolIs { tool }, otherwise),
            Matcher::Pattern(pattern) => {
                let pattern = self.pools.pattern(pattern)?;
                self.emit(Op::ToolMatches { pattern });
                self.jump(false, otherwise);
                Ok(())
            }
        }
    }

    /// Goes on if the test holds for one of the names or there are none, else jumps.
    fn one_of(&mut self, names: &[String], test: fn(TextId) -> Op, otherwise: Target) -> Result<(), Excess> {
        let fits = self.label();
        for (number, name) in names.iter().enumerate() {
            let op = test(self.pools.text(name)?);
            self.emit(op);
            if number + 1 < names.len() {
                self.jump(true, fits);
            } else {
                self.jump(false, otherwise);
            }
        }
        self.bind(fits);
        Ok(())
    }

    /// Jumps if the condition is `when`, else goes on.
    fn branch(&mut self, condition: &Condition, when: bool, to: Target) -> Result<(), Excess> {
        match condition {
            Condition::All(parts) => self.parts(parts, false, when, to),
            Condition::Any(parts) => self.parts(parts, true, when, to),
            Condition::Not(part) => self.branch(part, !when, to),
            Condition::Test(test) => {
                self.place(test.place);
                self.test(&test.value)?;
                self.jump(when, to);
                Ok(())
            }
        }
    }

    /// Several conditions of which the first that is `decisive` decides the whole: `false` for all, `true` for any.
    fn parts(&mut self, parts: &[Condition], decisive: bool, when: bool, to: Target) -> Result<(), Excess> {
        if when == decisive {
            return parts.iter().try_for_each(|part| self.branch(part, when, to));
        }
        let Some((last, before)) = parts.split_last() else {
            self.jump_always(to);
            return Ok(());
        };
        let decided = self.label();
        for part in before {
            self.branch(part, decisive, decided)?;
        }
        self.branch(last, when, to)?;
        self.bind(decided);
        Ok(())
    }

    fn test(&mut self, test: &Test) -> Result<(), Excess> {
        let op = match test {
            Test::Number { signal, comparison, value } => {
                Op::Compare { signal: *signal, comparison: *comparison, number: Number(*value) }
            }
            Test::Text { field, test } => {
                let field = *field;
                match test {
                    TextTest::Matches(pattern) => Op::Matches { field, pattern: self.pools.pattern(pattern)? },
                    TextTest::Contains(text) => Op::Contains { field, text: self.pools.text(text)? },
                    TextTest::Equals(text) => Op::Equals { field, text: self.pools.text(text)? },
                    TextTest::StartsWith(text) => Op::StartsWith { field, text: self.pools.text(text)? },
                    TextTest::EndsWith(text) => Op::EndsWith { field, text: self.pools.text(text)? },
                    TextTest::Exists => Op::Exists { field },
                }
            }
        };
        self.emit(op);
        Ok(())
    }

    fn action(&mut self, action: &Action, next: Target) -> Result<(), Excess> {
        match action {
            Action::Evaluate => self.violate(),
            Action::SetFlag { flag } => {
                let flag = self.pools.text(&flag.value)?;
                self.emit(Op::SetFlag { flag });
            }
            Action::CheckFlag { flag, on_present, on_absent } => {
                let flag = self.pools.text(&flag.value)?;
                self.check_flag(flag, *on_present, *on_absent, next);
            }
        }
        Ok(())
    }

    fn check_flag(&mut self, flag: TextId, on_present: OnPresent, on_absent: OnAbsent, next: Target) {
        self.emit(Op::Flag { flag });
        let present = self.label();
        match on_absent {
            OnAbsent::Skip => self.jump(false, next),
            OnAbsent::Violate => {
                self.jump(true, present);
                self.violate();
            }
        }
        self.bind(present);
        match on_present {
            OnPresent::Keep => {}
            OnPresent::Consume => self.emit(Op::ClearFlag { flag }),
        }
    }

    fn violate(&mut self) {
        self.emit(Op::Violate { trigger: TriggerId(self.trigger) });
    }

    fn emit(&mut self, op: Op) {
        self.ops.push(op);
    }

    fn jump(&mut self, when: bool, to: Target) {
        self.emit(if when { Op::JumpIf { to } } else { Op::JumpUnless { to } });
    }

    /// Only an empty `any` or a list without names needs it, and no author can write those: two jumps do, so that the
    /// machine need not have a third.
    fn jump_always(&mut self, to: Target) {
        self.jump(true, to);
        self.jump(false, to);
    }

    /// A place in the code that is not known yet.
    fn label(&mut self) -> Target {
        self.labels.push(0);
        Target(position(&self.labels) - 1)
    }

    /// The label is here. Something always follows: at the latest, the `end` of the routine.
    fn bind(&mut self, label: Target) {
        if let Some(bound) = self.labels.get_mut(label.0 as usize) {
            *bound = self.ops.len();
        }
    }

    fn place(&mut self, place: Place) {
        self.places.push((self.ops.len(), self.trigger, place));
    }

    /// Encodes, with labels turned into offsets.
    fn finish(self, event: Event) -> Result<Routine<'static>, Excess> {
        let mut code = Vec::new();
        let mut offsets = Vec::with_capacity(self.ops.len());
        for op in &self.ops {
            offsets.push(position(&code));
            op.encode(&mut code);
        }
        if code.len() > limits::CODE_BYTES {
            return Err(Excess::Code);
        }
        let offset = |op: usize| offsets.get(op).copied().unwrap_or(u32::MAX);
        let resolve = |label: Target| Target(self.labels.get(label.0 as usize).map_or(u32::MAX, |op| offset(*op)));
        code.clear();
        for op in &self.ops {
            op.redirect(&resolve).encode(&mut code);
        }
        let place = |(op, trigger, place): &(usize, u16, Place)| CodePlace {
            offset: offset(*op),
            trigger: u32::from(*trigger),
            place: source_place(*place),
        };
        Ok(Routine { event, code: code.into(), places: self.places.iter().map(place).collect() })
    }
}
