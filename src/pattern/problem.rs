//! What is wrong with an expression, in the author's terms, and what to write instead. Uses `regex-syntax` for its kinds
//! of error alone.

use crate::limits;
use regex_syntax::ast::ErrorKind;
use regex_syntax::hir;
use std::ops::Range;

/// Why an expression is not one of ours.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PatternProblem {
    /// What is wrong, in the author's terms.
    pub message: String,
    /// What to write instead; empty when the message says it.
    pub help: String,
    /// Where in the expression, bytes; on character boundaries.
    pub span: Range<usize>,
}

impl PatternProblem {
    fn new(message: impl Into<String>, help: impl Into<String>, span: Range<usize>) -> Self {
        Self { message: message.into(), help: help.into(), span }
    }
}

/// A construct other engines have, named, or what the parser says.
#[allow(clippy::wildcard_enum_match_arm, reason = "the parser's own words do for the rest, and it may add more")]
pub(super) fn of_syntax(source: &str, kind: &ErrorKind, span: Range<usize>) -> PatternProblem {
    let written = source.get(span.clone()).unwrap_or_default();
    match kind {
        ErrorKind::UnsupportedLookAround => look_around(written, span),
        ErrorKind::UnsupportedBackreference => back_reference(span),
        ErrorKind::FlagUnrecognized => group_of_elsewhere(source, span),
        ErrorKind::EscapeUnrecognized => escape_of_elsewhere(written, span),
        ErrorKind::RepetitionMissing => repeats_nothing(source, span.start),
        ErrorKind::RepetitionCountUnclosed
        | ErrorKind::RepetitionCountDecimalEmpty
        | ErrorKind::RepetitionCountInvalid => PatternProblem::new(
            "the count of a repetition must be `{n}`, `{n,}` or `{n,m}` with `n` not above `m`",
            "write `\\{` for the character itself",
            span,
        ),
        ErrorKind::ClassEscapeInvalid | ErrorKind::ClassRangeLiteral => {
            PatternProblem::new(format!("`{written}` cannot stand here in `[…]`"), "write `\\-` for a hyphen", span)
        }
        ErrorKind::ClassUnclosed => {
            PatternProblem::new("`[` is never closed", "add `]`, or write `\\[` for the character itself", span)
        }
        ErrorKind::GroupUnclosed => {
            PatternProblem::new("`(` is never closed", "add `)`, or write `\\(` for the character itself", span)
        }
        ErrorKind::GroupUnopened => {
            PatternProblem::new("`)` closes nothing", "remove it, or write `\\)` for the character itself", span)
        }
        ErrorKind::EscapeUnexpectedEof => {
            PatternProblem::new("`\\` at the end escapes nothing", "write `\\\\` for a backslash", span)
        }
        ErrorKind::NestLimitExceeded(limit) => PatternProblem::new(
            format!("the pattern is nested more than {limit} deep"),
            "split it into several conditions",
            span,
        ),
        other => PatternProblem::new(other.to_string(), "", span),
    }
}

/// The parser points before the operator.
fn repeats_nothing(source: &str, start: usize) -> PatternProblem {
    let operator = source.get(start..).and_then(|rest| rest.chars().next()).unwrap_or('*');
    PatternProblem::new(
        format!("`{operator}` repeats nothing"),
        format!("write `\\{operator}` for the character itself"),
        start..start + operator.len_utf8(),
    )
}

fn look_around(written: &str, span: Range<usize>) -> PatternProblem {
    const ABSENT: &str =
        "ask for its absence in a second condition: `operator: not_contains`, or `not … matches /…/` in `when:`";
    let (name, help) = match written {
        "(?=" => ("look-ahead", "ask for what follows in a second condition; all conditions of a trigger must hold"),
        "(?!" => ("negative look-ahead", ABSENT),
        "(?<=" => ("look-behind", "write what comes before as a part of the pattern"),
        _ => ("negative look-behind", ABSENT),
    };
    PatternProblem::new(format!("{name} `{written}…)` is not supported"), help, span)
}

fn back_reference(span: Range<usize>) -> PatternProblem {
    PatternProblem::new(
        "back-references are not supported",
        "write out the alternatives, such as `(\"[^\"]*\"|'[^']*')` for text in either quotes",
        span,
    )
}

/// Groups that begin with `(?` and something that is no flag here.
fn group_of_elsewhere(source: &str, flag: Range<usize>) -> PatternProblem {
    let start = source.get(..flag.start).and_then(|before| before.rfind("(?")).unwrap_or(flag.start);
    let group = start..flag.end;
    let rest = source.get(flag.start..).unwrap_or_default();
    let problem = |message: &str, help: &str| PatternProblem::new(message, help, group.clone());
    match rest.chars().next() {
        Some('>') => problem(
            "atomic groups `(?>…)` are not supported",
            "write `(?:…)`; an automaton never backtracks, so it gains nothing",
        ),
        Some('#') => problem("comments `(?#…)` are not supported", "say it in the YAML, after a `#`"),
        Some('P') if rest.starts_with("P=") => back_reference(start..flag.end + "=".len()),
        Some('P') if rest.starts_with("P>") => problem("recursion is not supported", "write out the levels you need"),
        Some('&' | '+' | '0'..='9') => problem("recursion is not supported", "write out the levels you need"),
        Some('(') => problem("conditional groups are not supported", "write both cases with `|`"),
        Some('|') => problem("branch reset groups are not supported", "write `(?:…)`"),
        Some(other) => problem(
            &format!("`{other}` is no flag of a pattern"),
            "the flags are `i` (any case), `m` (`^` and `$` at lines), `s` (`.` is any character), `x` (spaces ignored), `U`, `R` and `u`",
        ),
        None => problem("the flags of the pattern do not end", "add `)`"),
    }
}

/// Escapes that exist in other engines.
fn escape_of_elsewhere(written: &str, span: Range<usize>) -> PatternProblem {
    let help = match written {
        "\\Z" => "write `\\z` for the end of the text, or `\\n?\\z` to allow a last line break",
        "\\h" => "write `[ \\t]`",
        "\\H" => "write `[^ \\t]`",
        "\\R" => "write `\\r?\\n`",
        "\\N" => "write `.`",
        "\\X" => "write `.`, or name the characters you mean",
        "\\e" => "write `\\x1B`",
        "\\Q" | "\\E" => "write a backslash before each special character, or use the operator `contains`",
        "\\K" => "leave it out: where a match begins is never asked",
        "\\G" => "write `\\A` for the start of the text",
        "\\k" | "\\g" => return back_reference(span),
        _ => "leave out the backslash, or double it for a backslash",
    };
    PatternProblem::new(format!("`{written}` is not supported"), help, span)
}

#[allow(clippy::wildcard_enum_match_arm, reason = "the parser's own words do for the rest, and it may add more")]
pub(super) fn of_meaning(source: &str, kind: &hir::ErrorKind, span: Range<usize>) -> PatternProblem {
    let written = source.get(span.clone()).unwrap_or_default();
    match kind {
        hir::ErrorKind::InvalidUtf8 => PatternProblem::new(
            format!("`{written}` without `u` could match half a character"),
            "leave out `-u`; texts are always Unicode",
            span,
        ),
        hir::ErrorKind::UnicodePropertyNotFound | hir::ErrorKind::UnicodePropertyValueNotFound => PatternProblem::new(
            format!("`{written}` names no Unicode property"),
            "write for instance `\\p{L}` for letters or `\\p{Greek}` for a script",
            span,
        ),
        hir::ErrorKind::UnicodeNotAllowed => PatternProblem::new(
            format!("`{written}` needs Unicode, which `-u` switched off"),
            "leave out `-u`; texts are always Unicode",
            span,
        ),
        other => PatternProblem::new(other.to_string(), "", span),
    }
}

/// Longer than anyone writes by hand.
pub(super) fn too_long(source: &str) -> PatternProblem {
    PatternProblem::new(
        format!("the pattern is {} bytes long, more than {}", source.len(), limits::PATTERN_BYTES),
        "split it into several conditions with `logic: any`",
        0..source.len(),
    )
}

/// The parser takes `a++` for `(a+)+`; whoever writes it means something else.
pub(super) fn possessive(span: Range<usize>) -> PatternProblem {
    PatternProblem::new(
        "possessive repetition is not supported: here a `+` after a repetition would only repeat it",
        "leave out the `+`; an automaton never backtracks, so it gains nothing",
        span,
    )
}

/// What it becomes does not fit the limit; the largest count is the likeliest reason.
pub(super) fn repeats_too_much(span: Range<usize>) -> PatternProblem {
    PatternProblem::new(
        "the pattern repeats too much to be compiled",
        "write a smaller count, `+` or `*`, or `[0-9]` and `[a-z]` for `\\d` and `\\w`, which mean all of Unicode",
        span,
    )
}
