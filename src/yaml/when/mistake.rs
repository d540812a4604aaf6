//! An expression that the grammar does not know, told in the author's words: what was expected, what was found, and what
//! people who write so elsewhere should write here.

use super::Rule;
use crate::diagnostic::{Code, Diagnostic};
use crate::yaml::origin::Origin;
use pest::error::{Error, ErrorVariant, InputLocation};

/// The problem with a text the grammar refused.
pub(super) fn bad_expression(origin: &Origin<'_>, text: &str, error: &Error<Rule>) -> Diagnostic {
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
