//! `conditions` and `logic`: fields, operators and values, and which go together.
//! Both ways of writing a condition end in `text_test` and `number_test`, so they cannot differ in meaning.

use super::scalar::{Meaning, meaning};
use super::walk::{Slot, Walk, found, listed, unknown_word};
use super::word::{Logic, Operator};
use crate::diagnostic::{Code, Diagnostic};
use crate::model::{Comparison, Condition, Field, Place, Placed, Signal, Test, TextTest};

/// What can be looked at.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Subject {
    /// A text of the call.
    Text(Field),
    /// A number of the session.
    Number(Signal),
}

impl Subject {
    /// The subject of this name, with or without the place it comes from.
    pub(super) fn find(name: &str) -> Option<Self> {
        if let Some(name) = name.strip_prefix("session_state.") {
            return Signal::from_name(name).map(Self::Number);
        }
        let bare = name.strip_prefix("tool_input.").unwrap_or(name);
        Field::from_name(bare).map(Self::Text).or_else(|| Signal::from_name(name).map(Self::Number))
    }

    fn names() -> impl Iterator<Item = &'static str> + Clone {
        Field::ALL.iter().map(|field| field.name()).chain(Signal::ALL.iter().map(|signal| signal.name()))
    }

    /// The problem with a name that is none.
    pub(super) fn unknown(place: Place, name: &str) -> Diagnostic {
        let bare = name.strip_prefix("tool_input.").or(name.strip_prefix("session_state.")).unwrap_or(name);
        unknown_word(place, format!("there is no field `{name}`"), bare, Self::names())
    }
}

/// Conditions joined; one alone stays as it is, so that both ways of writing it give the same tree.
pub(super) fn joined(mut parts: Vec<Condition>, join: fn(Vec<Condition>) -> Condition) -> Condition {
    match (parts.len(), parts.pop()) {
        (1, Some(only)) => only,
        (_, last) => {
            parts.extend(last);
            join(parts)
        }
    }
}

impl Walk<'_> {
    /// `conditions` with their `logic`. None at all hold always, whatever the logic.
    pub(super) fn conditions(&mut self, list: Option<Slot<'_>>, logic: Option<Slot<'_>>) -> Option<Condition> {
        let logic = match logic {
            None => Some(Logic::All),
            Some(slot) => self.word(slot).map(|word| word.value),
        };
        let Some(list) = list else { return logic.map(|_| Condition::All(Vec::new())) };
        let parts: Vec<_> = self.list(list)?.into_iter().map(|slot| self.condition(slot)).collect();
        let parts: Vec<Condition> = parts.into_iter().collect::<Option<_>>()?;
        Some(match logic? {
            Logic::Any if !parts.is_empty() => joined(parts, Condition::Any),
            Logic::Any | Logic::All => joined(parts, Condition::All),
        })
    }

    fn condition(&mut self, slot: Slot<'_>) -> Option<Condition> {
        let mut fields = self.fields(slot, "a condition")?;
        let head = fields.head();
        let name = fields.need(self, "field").and_then(|slot| self.text(slot));
        let operator_slot = fields.need(self, "operator");
        let operator: Option<Placed<Operator>> = operator_slot.and_then(|slot| self.word(slot));
        let value = fields.take("value");
        fields.close(self);
        let name = name?;
        let Some(subject) = Subject::find(&name.value) else {
            self.report(Subject::unknown(name.place, &name.value));
            return None;
        };
        let operator = operator?;
        match subject {
            Subject::Text(field) => self.text_condition(head, field, operator, value),
            Subject::Number(signal) => self.number_condition(head, signal, operator, value),
        }
    }

    fn text_condition(
        &mut self,
        head: Place,
        field: Field,
        operator: Placed<Operator>,
        value: Option<Slot<'_>>,
    ) -> Option<Condition> {
        if matches!(operator.value, Operator::Gt | Operator::Lt | Operator::Gte | Operator::Lte) {
            let message = format!("`{field}` is text and cannot be compared with `{}`", operator.value);
            let help = "numbers are compared on `counter` alone; look at a text with `regex_match` or `contains`";
            self.report(Diagnostic::new(Code::WrongOperator, operator.place, message, help));
            return None;
        }
        if matches!(operator.value, Operator::Exists | Operator::NotExists) {
            self.no_value(operator, value)?;
            return Some(sense(operator.value, head, Test::Text { field, test: TextTest::Exists }));
        }
        let slot = self.value(operator, value)?;
        // `equals: ""` asks whether a field is absent.
        let text = match meaning(slot.node) {
            Some(Meaning::Text("")) if operator.value == Operator::Equals => String::new(),
            Some(Meaning::Text(text)) if !text.is_empty() => text.to_owned(),
            _ => self.text(slot)?.value,
        };
        self.final_break(slot);
        let test = match operator.value {
            Operator::RegexMatch => TextTest::Matches(self.pattern(&self.origin(slot.node), &text, |byte| byte)?),
            Operator::Equals => TextTest::Equals(text),
            Operator::StartsWith => TextTest::StartsWith(text),
            Operator::EndsWith => TextTest::EndsWith(text),
            Operator::Contains | Operator::NotContains => TextTest::Contains(text),
            Operator::Gt | Operator::Lt | Operator::Gte | Operator::Lte | Operator::Exists | Operator::NotExists => {
                return None;
            }
        };
        Some(sense(operator.value, head, Test::Text { field, test }))
    }

    fn number_condition(
        &mut self,
        head: Place,
        signal: Signal,
        operator: Placed<Operator>,
        value: Option<Slot<'_>>,
    ) -> Option<Condition> {
        let number = |comparison, value| Test::Number { signal, comparison, value };
        let comparison = match operator.value {
            Operator::Gt => Comparison::Gt,
            Operator::Lt => Comparison::Lt,
            Operator::Gte => Comparison::Gte,
            Operator::Lte => Comparison::Lte,
            Operator::Equals => Comparison::Equals,
            // A number of the session is always there.
            Operator::Exists | Operator::NotExists => {
                self.no_value(operator, value)?;
                return Some(sense(operator.value, head, number(Comparison::Gte, 0)));
            }
            Operator::RegexMatch
            | Operator::Contains
            | Operator::NotContains
            | Operator::StartsWith
            | Operator::EndsWith => {
                let message = format!("`{signal}` is a number and cannot be looked at with `{}`", operator.value);
                let help = format!("compare it with {}", listed(Comparison::ALL.iter().map(|word| word.name())));
                self.report(Diagnostic::new(Code::WrongOperator, operator.place, message, help));
                return None;
            }
        };
        let slot = self.value(operator, value)?;
        let Some(Meaning::Whole(value)) = meaning(slot.node) else {
            let message = format!("`{signal}` is compared with a whole number, found {}", found(slot.node));
            let help = "write a number without quotes: `value: 3`";
            self.report(Diagnostic::new(Code::WrongValue, slot.node.head(), message, help));
            return None;
        };
        Some(sense(operator.value, head, number(comparison, value)))
    }

    /// The value an operator must have.
    fn value<'n>(&mut self, operator: Placed<Operator>, value: Option<Slot<'n>>) -> Option<Slot<'n>> {
        if value.is_none() {
            let message = format!("`{}` needs a value to compare with", operator.value);
            self.report(Diagnostic::new(Code::WrongValue, operator.place, message, "add `value:`"));
        }
        value
    }

    /// The value an operator must not have; `None` when it has one.
    fn no_value(&mut self, operator: Placed<Operator>, value: Option<Slot<'_>>) -> Option<()> {
        let Some(slot) = value else { return Some(()) };
        let message = format!("`{}` takes no value", operator.value);
        self.report(Diagnostic::new(Code::WrongValue, slot.node.head(), message, "remove `value`"));
        None
    }
}

/// The test, or its opposite for the operators that say `not`.
fn sense(operator: Operator, place: Place, test: Test) -> Condition {
    let test = Condition::Test(Placed { value: test, place });
    if matches!(operator, Operator::NotContains | Operator::NotExists) { Condition::Not(Box::new(test)) } else { test }
}
