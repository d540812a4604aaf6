//! One question with the answer it must get, and which two of them exclude each other.
//! Sound, not complete: what is told to exclude each other does so for every text and number there is.

use super::patterns::found;
use crate::model::{Comparison, Event, Field, Placed, Signal, Test, TextTest};

/// A question and the answer it must get.
#[derive(Clone, Copy)]
pub(super) struct Literal<'a> {
    /// The question.
    pub(super) test: &'a Placed<Test>,
    /// The answer.
    pub(super) holds: bool,
}

impl Literal<'_> {
    /// In words: `command` does not contain `x`.
    pub(super) fn words(&self) -> String {
        let (is, does) = if self.holds { ("is", "") } else { ("is not", "does not ") };
        let verb =
            |one: &str, many: &str, text: &str| format!("{does}{} `{text}`", if self.holds { one } else { many });
        match &self.test.value {
            Test::Text { field, test } => {
                let said = match test {
                    TextTest::Matches(pattern) => verb("matches", "match", &pattern.source),
                    TextTest::Contains(text) => verb("contains", "contain", text),
                    TextTest::Equals(text) => verb("equals", "equal", text),
                    TextTest::StartsWith(text) => verb("starts with", "start with", text),
                    TextTest::EndsWith(text) => verb("ends with", "end with", text),
                    TextTest::Exists => (if self.holds { "exists" } else { "does not exist" }).to_owned(),
                };
                format!("`{field}` {said}")
            }
            Test::Number { signal, comparison, value } => {
                let sign = match comparison {
                    Comparison::Gt => ">",
                    Comparison::Lt => "<",
                    Comparison::Gte => ">=",
                    Comparison::Lte => "<=",
                    Comparison::Equals => "==",
                };
                format!("`{signal}` {is} {sign} {}", amount(*signal, *value))
            }
        }
    }
}

/// A signal's value as it is written.
fn amount(signal: Signal, value: u64) -> String {
    if !signal.is_decimal() {
        return value.to_string();
    }
    let text = format!("{}.{:09}", value / Signal::ONE, value % Signal::ONE);
    text.trim_end_matches('0').trim_end_matches('.').to_owned()
}

/// Whether an event of this kind has this text at all.
const fn carries(event: Event, field: Field) -> bool {
    match event {
        Event::PreToolUse | Event::PostToolUse => true,
        Event::UserPromptSubmit => matches!(field, Field::Prompt),
        Event::Stop => false,
    }
}

/// Whether no event of this kind gives this answer.
pub(super) fn impossible(event: Event, one: &Literal<'_>) -> bool {
    match &one.test.value {
        Test::Text { field, test } => !carries(event, *field) && answer(test, "").is_some_and(|is| is != one.holds),
        Test::Number { comparison, value, .. } => range(*comparison, *value, one.holds) == Range::Empty,
    }
}

/// Whether no event gives both answers.
pub(super) fn clash(one: &Literal<'_>, other: &Literal<'_>) -> bool {
    match (&one.test.value, &other.test.value) {
        (Test::Text { field, test }, Test::Text { field: same, test: second }) if field == same => {
            texts_clash((test, one.holds), (second, other.holds))
        }
        (
            Test::Number { signal, comparison, value },
            Test::Number { signal: same, comparison: second, value: bound },
        ) if signal == same => apart(range(*comparison, *value, one.holds), range(*second, *bound, other.holds)),
        (Test::Text { .. } | Test::Number { .. }, _) => false,
    }
}

fn texts_clash(one: (&TextTest, bool), other: (&TextTest, bool)) -> bool {
    for (told, asked) in [(one, other), (other, one)] {
        if let Some(text) = whole(told) {
            return answer(asked.0, text).is_some_and(|is| is != asked.1);
        }
    }
    match (one, other) {
        ((first, true), (second, false)) | ((second, false), (first, true)) => implies(first, second),
        ((first, true), (second, true)) => exclude(first, second),
        ((_, false), (_, false)) => false,
    }
}

/// The text itself, where an answer leaves only one.
fn whole((test, holds): (&TextTest, bool)) -> Option<&str> {
    match (test, holds) {
        (TextTest::Equals(text), true) => Some(text),
        (TextTest::Exists, false) => Some(""),
        (TextTest::Equals(_) | TextTest::Exists, _) => None,
        (TextTest::Matches(_) | TextTest::Contains(_) | TextTest::StartsWith(_) | TextTest::EndsWith(_), _) => None,
    }
}

/// What a question about a text is answered; `None` when that cannot be said.
fn answer(test: &TextTest, text: &str) -> Option<bool> {
    Some(match test {
        TextTest::Matches(pattern) => return found(pattern, text),
        TextTest::Contains(part) => text.contains(part.as_str()),
        TextTest::Equals(whole) => text == whole,
        TextTest::StartsWith(start) => text.starts_with(start.as_str()),
        TextTest::EndsWith(end) => text.ends_with(end.as_str()),
        TextTest::Exists => !text.is_empty(),
    })
}

/// Whether every text that passes the first test passes the second.
fn implies(first: &TextTest, second: &TextTest) -> bool {
    if first == second {
        return true;
    }
    match (first, second) {
        (TextTest::StartsWith(text), TextTest::StartsWith(start)) => text.starts_with(start.as_str()),
        (TextTest::EndsWith(text), TextTest::EndsWith(end)) => text.ends_with(end.as_str()),
        (
            TextTest::StartsWith(text) | TextTest::EndsWith(text) | TextTest::Contains(text),
            TextTest::Contains(part),
        ) => text.contains(part.as_str()),
        (TextTest::StartsWith(text) | TextTest::EndsWith(text) | TextTest::Contains(text), TextTest::Exists) => {
            !text.is_empty()
        }
        (
            TextTest::StartsWith(_)
            | TextTest::EndsWith(_)
            | TextTest::Contains(_)
            | TextTest::Matches(_)
            | TextTest::Equals(_)
            | TextTest::Exists,
            _,
        ) => false,
    }
}

/// Whether no text passes both tests.
fn exclude(first: &TextTest, second: &TextTest) -> bool {
    match (first, second) {
        (TextTest::StartsWith(one), TextTest::StartsWith(other)) => {
            !one.starts_with(other.as_str()) && !other.starts_with(one.as_str())
        }
        (TextTest::EndsWith(one), TextTest::EndsWith(other)) => {
            !one.ends_with(other.as_str()) && !other.ends_with(one.as_str())
        }
        (
            TextTest::StartsWith(_)
            | TextTest::EndsWith(_)
            | TextTest::Contains(_)
            | TextTest::Matches(_)
            | TextTest::Equals(_)
            | TextTest::Exists,
            _,
        ) => false,
    }
}

/// The numbers that an answer leaves.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Range {
    Empty,
    /// From the first to the second, both included.
    Within(u64, u64),
    AllBut(u64),
}

fn range(comparison: Comparison, value: u64, holds: bool) -> Range {
    let above = || value.checked_add(1).map_or(Range::Empty, |least| Range::Within(least, u64::MAX));
    let below = || value.checked_sub(1).map_or(Range::Empty, |most| Range::Within(0, most));
    match (comparison, holds) {
        (Comparison::Gt, true) | (Comparison::Lte, false) => above(),
        (Comparison::Lt, true) | (Comparison::Gte, false) => below(),
        (Comparison::Gte, true) | (Comparison::Lt, false) => Range::Within(value, u64::MAX),
        (Comparison::Lte, true) | (Comparison::Gt, false) => Range::Within(0, value),
        (Comparison::Equals, true) => Range::Within(value, value),
        (Comparison::Equals, false) => Range::AllBut(value),
    }
}

fn apart(one: Range, other: Range) -> bool {
    match (one, other) {
        (Range::Empty, _) | (_, Range::Empty) => true,
        (Range::Within(low, high), Range::Within(least, most)) => high < least || most < low,
        (Range::AllBut(value), Range::Within(low, high)) | (Range::Within(low, high), Range::AllBut(value)) => {
            low == value && high == value
        }
        (Range::AllBut(_), Range::AllBut(_)) => false,
    }
}
