//! `when:`, a condition as one expression: glue between `grammar/when.pest` and the model.
//! Recurses only as deep as the parentheses go, which were counted before.

use super::condition::{Subject, joined};
use super::origin::Origin;
use super::walk::{Slot, Walk};
use crate::diagnostic::{Code, Diagnostic};
use crate::limits;
use crate::model::{Comparison, Condition, Field, Placed, Signal, Test, TextTest};
use pest::Parser as _;
use pest::error::{Error, ErrorVariant, InputLocation};
use pest::iterators::Pair;

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
                let problem = bad_expression(&origin, &text, &error);
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
        match Subject::find(name.as_str()) {
            Some(Subject::Text(field)) => self.text_question(origin, field, &operator, values, &at),
            Some(Subject::Number(signal)) => self.number_question(origin, signal, &operator, &values, &at),
            None => {
                let span = name.as_span();
                let place = origin.place(span.start()..span.end());
                self.report(Subject::unknown(place, name.as_str()));
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
                "numbers are compared on `counter` alone",
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
        let Ok(number) = value.as_str().parse() else {
            let message = format!("`{signal}` is compared with a whole number, found `{}`", value.as_str());
            return self.misfit(origin, value, Code::WrongValue, message, "write a number without quotes");
        };
        let condition = ask(comparison, number);
        Some(if operator.as_str() == "!=" { Condition::Not(Box::new(condition)) } else { condition })
    }

    /// A pattern in slashes; `\/` is a slash, `i` after it ignores case.
    fn slashed(&mut self, origin: &Origin<'_>, pair: &Pair<'_, Rule>) -> Option<crate::model::Pattern> {
        let written = pair.as_str();
        let (body, prefix) = match written.strip_suffix('i') {
            Some(rest) => (rest, "(?i)"),
            None => (written, ""),
        };
        let body = body.strip_prefix('/')?.strip_suffix('/')?;
        let first = pair.as_span().start() + 1;
        // For every byte of the pattern, the byte of the expression it came from.
        let mut bytes: Vec<usize> = vec![first; prefix.len()];
        let mut source = prefix.to_owned();
        let mut letters = body.char_indices().peekable();
        while let Some((at, letter)) = letters.next() {
            let next = letters.peek().map(|(_, next)| *next);
            if letter == '\\' && next == Some('/') {
                continue;
            }
            source.push(letter);
            bytes.extend(std::iter::repeat_n(first + at, letter.len_utf8()));
            // What follows another backslash belongs to it, a second backslash too.
            if letter == '\\'
                && let Some((at, next)) = letters.next()
            {
                source.push(next);
                bytes.extend(std::iter::repeat_n(first + at, next.len_utf8()));
            }
        }
        let end = first + body.len();
        self.pattern(origin, &source, |byte| bytes.get(byte).copied().unwrap_or(end))
    }

    /// The text of a string: `\"`, `\\`, `\n` and `\t` stand for what they do everywhere.
    fn unquoted(&mut self, origin: &Origin<'_>, pair: &Pair<'_, Rule>) -> Option<String> {
        let body = pair.as_str().strip_prefix('"')?.strip_suffix('"')?;
        let mut text = String::new();
        let mut letters = body.char_indices();
        while let Some((at, letter)) = letters.next() {
            if letter != '\\' {
                text.push(letter);
                continue;
            }
            match letters.next() {
                Some((_, escaped @ ('"' | '\\'))) => text.push(escaped),
                Some((_, 'n')) => text.push('\n'),
                Some((_, 't')) => text.push('\t'),
                other => {
                    let escaped = other.map_or(String::new(), |(_, letter)| letter.to_string());
                    let start = pair.as_span().start() + 1 + at;
                    let place = origin.place(start..start + 1 + escaped.len());
                    let message = format!("`\\{escaped}` stands for nothing in a text");
                    let help = "write `\\\\` for a backslash; for a pattern use `matches /…/`";
                    self.report(Diagnostic::new(Code::BadWhen, place, message, help));
                    return None;
                }
            }
        }
        Some(text)
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

/// An expression that the grammar does not know, in the author's words.
fn bad_expression(origin: &Origin<'_>, text: &str, error: &Error<Rule>) -> Diagnostic {
    let at = match error.location {
        InputLocation::Pos(at) | InputLocation::Span((at, _)) => at,
    };
    let rest = text.get(at..).unwrap_or_default();
    let blanks = rest.len() - rest.trim_start().len();
    let rest = rest.trim_start();
    let token = token(rest);
    let place = origin.place(at + blanks..at + blanks + token.len());
    let expected = match &error.variant {
        ErrorVariant::ParsingError { positives, .. } => expected(positives),
        ErrorVariant::CustomError { message } => message.clone(),
    };
    let found = if token.is_empty() { "the end".to_owned() } else { format!("`{token}`") };
    let message = format!("expected {expected}, found {found}");
    Diagnostic::new(Code::BadWhen, place, message, remedy(rest, text))
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

/// The word or sign a text begins with.
fn token(rest: &str) -> &str {
    let is_word = |c: char| c.is_alphanumeric() || c == '_' || c == '.';
    let is_sign = |c: char| "=!<>&|~".contains(c);
    let word = rest.find(|c| !is_word(c)).unwrap_or(rest.len());
    let sign = rest.find(|c| !is_sign(c)).unwrap_or(rest.len());
    let one = rest.chars().next().map_or(0, char::len_utf8);
    rest.get(..word.max(sign).max(one)).unwrap_or(rest)
}

/// What could stand there, in the author's words.
fn expected(rules: &[Rule]) -> String {
    let mut words: Vec<&str> = Vec::new();
    for rule in rules {
        let named = match rule {
            Rule::not | Rule::field | Rule::test | Rule::unary | Rule::both | Rule::either | Rule::expression => {
                "a field"
            }
            Rule::exists | Rule::matches | Rule::r#in | Rule::affix | Rule::equality | Rule::order => "an operator",
            Rule::and => "`and`",
            Rule::or => "`or`",
            Rule::open_list => "`[`",
            Rule::comma => "`,`",
            Rule::close_list => "`]`",
            Rule::close => "`)`",
            Rule::string => "a text in double quotes",
            Rule::regex => "a pattern in slashes",
            Rule::number => "a number",
            Rule::EOI => "the end",
            Rule::group
            | Rule::list
            | Rule::letter
            | Rule::name
            | Rule::keyword
            | Rule::skeleton
            | Rule::parenthesis
            | Rule::WHITESPACE => continue,
        };
        if !words.contains(&named) {
            words.push(named);
        }
    }
    words.sort_by_key(|word| *word == "the end");
    match words.split_last() {
        Some((last, rest)) if !rest.is_empty() => format!("{} or {last}", rest.join(", ")),
        Some((last, _)) => (*last).to_owned(),
        None => "an expression".to_owned(),
    }
}

/// What to do about the mistakes people bring from other languages.
fn remedy(rest: &str, text: &str) -> &'static str {
    if rest.starts_with("&&") {
        "write `and`"
    } else if rest.starts_with("||") {
        "write `or`"
    } else if rest.starts_with('!') && !rest.starts_with("!=") {
        "write `not`"
    } else if rest.starts_with('\'') {
        "texts stand in double quotes: `\"…\"`"
    } else if rest.starts_with('=') && !rest.starts_with("==") {
        "write `==`"
    } else if rest.starts_with('~') || rest.starts_with("=~") {
        "write `matches /…/`"
    } else if rest.starts_with(['/', '"']) {
        "close it with the sign it begins with; in YAML without quotes ` #` begins a comment"
    } else if rest.is_empty() && !text.is_empty() {
        "the expression ends too early; in YAML without quotes ` #` begins a comment"
    } else {
        "write `field operator value`, as in `command matches /git push/`, joined by `and`, `or` and `not`"
    }
}
