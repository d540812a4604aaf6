//! `conditions` and `logic`: fields, operators and values, and which go together.
//! Both ways of writing a condition end in `text_test` and `number_test`, so they cannot differ in meaning.

use super::scalar::{Meaning, meaning};
use super::tree::Kind;
use super::walk::{Slot, Walk, found, listed, unknown_word};
use super::word::{Logic, Operator};
use crate::diagnostic::{Code, Diagnostic};
use crate::model::{Comparison, Condition, Field, Place, Placed, Signal, Subject, Test, TextTest};

/// The subject of this name, with or without the place it comes from.
pub(super) fn subject(name: &str) -> Option<Subject> {
    if let Some(name) = name.strip_prefix("session_state.") {
        return Signal::from_name(name).map(Subject::Number);
    }
    match name.strip_prefix("tool_input.") {
        Some(bare) => Field::from_name(bare).map(Subject::Text),
        None => Subject::from_name(name),
    }
}

/// The problem with a name that is no subject's.
pub(super) fn unknown_subject(place: Place, name: &str) -> Diagnostic {
    let bare = name.strip_prefix("tool_input.").or(name.strip_prefix("session_state.")).unwrap_or(name);
    let names = Field::ALL.iter().map(|field| field.name()).chain(Signal::ALL.iter().map(|signal| signal.name()));
    unknown_word(place, format!("there is no field `{name}`"), bare, names)
}

/// What a signal is compared with: a whole number, or for decimal ones an exact number of billionths.
pub(crate) fn amount(signal: Signal, digits: &str) -> Option<u64> {
    if signal.is_decimal() { billionths(digits) } else { digits.parse().ok() }
}

/// A decimal number without sign or exponent as billionths, exactly or not at all.
pub(super) fn billionths(digits: &str) -> Option<u64> {
    let (whole, fraction) = digits.split_once('.').unwrap_or((digits, "0"));
    let is_number = |part: &str| !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_digit());
    if !is_number(whole) || !is_number(fraction) || fraction.len() > 9 {
        return None;
    }
    let fraction: u64 = format!("{fraction:0<9}").parse().ok()?;
    whole.parse::<u64>().ok()?.checked_mul(Signal::ONE)?.checked_add(fraction)
}

/// What a signal may be compared with, in words.
pub(crate) fn wanted(signal: Signal) -> (&'static str, &'static str) {
    if signal.is_decimal() { ("a number of at most nine decimals", "0.8") } else { ("a whole number", "3") }
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
        let Some(subject) = self::subject(&name.value) else {
            self.report(unknown_subject(name.place, &name.value));
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
            let help = "only the signals of the session are numbers; look at a text with `regex_match` or `contains`";
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
        self.compared(slot);
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
        let value = match (meaning(slot.node), &slot.node.kind) {
            (Some(Meaning::Whole(value)), _) if !signal.is_decimal() => Some(value),
            (Some(Meaning::Whole(_) | Meaning::Number), Kind::Scalar { text, .. }) => amount(signal, text),
            _ => None,
        };
        let Some(value) = value else {
            let (number, example) = wanted(signal);
            let message = format!("`{signal}` is compared with {number}, found {}", found(slot.node));
            let help = format!("write a number without quotes: `value: {example}`");
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
