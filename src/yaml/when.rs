//! `when:`, a condition as one expression: glue between `grammar/when.pest` and the model.
//! Recurses only as deep as the parentheses go, which were counted before.

use super::condition::{amount, joined, subject, unknown_subject, wanted};
use super::origin::Origin;
use super::walk::{Slot, Walk};
use crate::diagnostic::{Code, Diagnostic};
use crate::limits;
use crate::model::{Comparison, Condition, Field, Placed, Signal, Subject, Test, TextTest};
use pest::Parser as _;
use pest::iterators::Pair;

mod literal;
mod mistake;

mod grammar {
    #[derive(pest_derive::Parser)]
    #[grammar = "../grammar/when.pest"]
    pub(super) struct Grammar;
}
use grammar::{Grammar, Rule};

impl Walk<'_> {
    /// The condition an expression means.
    pub(super) fn when(&mut self, slot: Slot<'_>) -> Option<Condition> {
        let text = self.text(slot)?.value;
        self.control_character(slot);
        let origin = self.origin(slot.node);
        if let Some(at) = too_deep(&text) {
            let message = format!("parentheses more than {} deep", limits::CONDITION_DEPTH);
            let place = origin.place(at..at + 1);
            self.report(Diagnostic::new(Code::ConditionTooDeep, place, message, "split it into several triggers"));
            return None;
        }
        match Grammar::parse(Rule::expression, &text) {
            Ok(mut pairs) => {
                let either = pairs.next()?.into_inner().next()?;
                self.either(&origin, either)
            }
            Err(error) => {
                let problem = mistake::bad_expression(&origin, &text, &error);
                self.report(problem);
                None
            }
        }
    }

    fn either(&mut self, origin: &Origin<'_>, pair: Pair<'_, Rule>) -> Option<Condition> {
        let parts = pair.into_inner().filter(|pair| pair.as_rule() == Rule::both);
        let parts: Vec<_> = parts.map(|pair| self.both(origin, pair)).collect();
        Some(joined(parts.into_iter().collect::<Option<_>>()?, Condition::Any))
    }

    fn both(&mut self, origin: &Origin<'_>, pair: Pair<'_, Rule>) -> Option<Condition> {
        let parts = pair.into_inner().filter(|pair| pair.as_rule() == Rule::unary);
        let parts: Vec<_> = parts.map(|pair| self.unary(origin, pair)).collect();
        Some(joined(parts.into_iter().collect::<Option<_>>()?, Condition::All))
    }

    fn unary(&mut self, origin: &Origin<'_>, pair: Pair<'_, Rule>) -> Option<Condition> {
        let mut negated = false;
        let mut condition = None;
        for pair in pair.into_inner() {
            if pair.as_rule() == Rule::not {
                negated = !negated;
            } else if pair.as_rule() == Rule::either {
                condition = self.either(origin, pair);
            } else if pair.as_rule() == Rule::test {
                condition = self.question(origin, pair);
            }
        }
        condition.map(|condition| if negated { Condition::Not(Box::new(condition)) } else { condition })
    }

    /// `field operator value`.
    fn question(&mut self, origin: &Origin<'_>, pair: Pair<'_, Rule>) -> Option<Condition> {
        let span = pair.as_span();
        let place = origin.place(span.start()..span.end());
        let mut inner = pair.into_inner();
        let name = inner.next()?;
        let operator = inner.next()?;
        let values: Vec<_> = inner.filter(|pair| is_value(pair.as_rule())).collect();
        let at = |test| Condition::Test(Placed { value: test, place });
        match subject(name.as_str()) {
            Some(Subject::Text(field)) => self.text_question(origin, field, &operator, values, &at),
            Some(Subject::Number(signal)) => self.number_question(origin, signal, &operator, &values, &at),
            None => {
                let span = name.as_span();
                let place = origin.place(span.start()..span.end());
                self.report(unknown_subject(place, name.as_str()));
                None
            }
        }
    }

    fn text_question(
        &mut self,
        origin: &Origin<'_>,
        field: Field,
        operator: &Pair<'_, Rule>,
        values: Vec<Pair<'_, Rule>>,
        at: &impl Fn(Test) -> Condition,
    ) -> Option<Condition> {
        let ask = |test| at(Test::Text { field, test });
        if operator.as_rule() == Rule::order {
            let message = format!("`{field}` is text and cannot be compared with `{}`", operator.as_str());
            return self.misfit(
                origin,
                operator,
                Code::WrongOperator,
                message,
                "only the signals of the session are numbers",
            );
        }
        let mut tests = Vec::new();
        for value in values {
            if value.as_rule() == Rule::number {
                let message = format!("`{field}` is text and cannot be compared with the number `{}`", value.as_str());
                let help = format!("put it in quotes: `\"{}\"`", value.as_str());
                return self.misfit(origin, &value, Code::WrongValue, message, &help);
            }
            tests.push(if value.as_rule() == Rule::regex {
                TextTest::Matches(self.slashed(origin, &value)?)
            } else {
                let text = self.unquoted(origin, &value)?;
                if text.is_empty() && operator.as_rule() == Rule::affix {
                    let message = "every text contains the empty text";
                    return self.misfit(
                        origin,
                        &value,
                        Code::EmptyText,
                        message,
                        "write what should be looked for, or use `exists`",
                    );
                }
                match operator.as_str() {
                    "contains" => TextTest::Contains(text),
                    "starts_with" => TextTest::StartsWith(text),
                    "ends_with" => TextTest::EndsWith(text),
                    _ => TextTest::Equals(text),
                }
            });
        }
        if operator.as_rule() == Rule::exists {
            return Some(ask(TextTest::Exists));
        }
        let condition = joined(tests.into_iter().map(ask).collect(), Condition::Any);
        Some(if operator.as_str() == "!=" { Condition::Not(Box::new(condition)) } else { condition })
    }

    fn number_question(
        &mut self,
        origin: &Origin<'_>,
        signal: Signal,
        operator: &Pair<'_, Rule>,
        values: &[Pair<'_, Rule>],
        at: &impl Fn(Test) -> Condition,
    ) -> Option<Condition> {
        let ask = |comparison, value| at(Test::Number { signal, comparison, value });
        let comparison = match operator.as_str() {
            "==" | "!=" => Comparison::Equals,
            ">" => Comparison::Gt,
            "<" => Comparison::Lt,
            ">=" => Comparison::Gte,
            "<=" => Comparison::Lte,
            // A number of the session is always there.
            "exists" => return Some(ask(Comparison::Gte, 0)),
            other => {
                let message = format!("`{signal}` is a number and cannot be looked at with `{other}`");
                let help = "compare it with `==`, `!=`, `<`, `<=`, `>` or `>=`";
                return self.misfit(origin, operator, Code::WrongOperator, message, help);
            }
        };
        let value = values.first()?;
        let Some(number) = amount(signal, value.as_str()) else {
            let message = format!("`{signal}` is compared with {}, found `{}`", wanted(signal).0, value.as_str());
            return self.misfit(origin, value, Code::WrongValue, message, "write a number without quotes");
        };
        let condition = ask(comparison, number);
        Some(if operator.as_str() == "!=" { Condition::Not(Box::new(condition)) } else { condition })
    }

    fn misfit<T>(
        &mut self,
        origin: &Origin<'_>,
        pair: &Pair<'_, Rule>,
        code: Code,
        message: impl Into<String>,
        help: &str,
    ) -> Option<T> {
        let span = pair.as_span();
        let place = origin.place(span.start()..span.end());
        self.report(Diagnostic::new(code, place, message, help));
        None
    }
}

fn is_value(rule: Rule) -> bool {
    matches!(rule, Rule::string | Rule::regex | Rule::number)
}

/// The byte of the first parenthesis that is too deep.
fn too_deep(text: &str) -> Option<usize> {
    let mut depth = 0usize;
    for pair in Grammar::parse(Rule::skeleton, text).ok()?.flatten() {
        if pair.as_rule() == Rule::parenthesis {
            depth = if pair.as_str() == "(" { depth + 1 } else { depth.saturating_sub(1) };
            if depth > limits::CONDITION_DEPTH {
                return Some(pair.as_span().start());
            }
        }
    }
    None
}
