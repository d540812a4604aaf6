//! An author's regular expression, read once: what is wrong with it in his terms, or the form everything compiles.
//! May use `regex-syntax`, `regex-automata` (for the size of what a pattern becomes) and `model`; never runs one.
//! The reference, the compiler of automata and the fallback engine all start from [`Pattern::normal`], so they cannot
//! read the same text differently.

use crate::limits;
use crate::model::Pattern;
use regex_automata::nfa::thompson::{NFA, WhichCaptures};
use regex_syntax::ast::{self, Ast, ErrorKind, RepetitionKind, RepetitionOp, Span};
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

/// Reads an expression.
///
/// # Errors
/// When it is not a regular expression, asks for what no automaton can do (look-around, back-references), means
/// something else elsewhere (possessive repetition), or would need too much memory.
pub fn parse(source: &str) -> Result<Pattern, PatternProblem> {
    if source.len() > limits::PATTERN_BYTES {
        let message = format!("the pattern is {} bytes long, more than {}", source.len(), limits::PATTERN_BYTES);
        return Err(PatternProblem::new(
            message,
            "split it into several conditions with `logic: any`",
            0..source.len(),
        ));
    }
    let ast = ast::parse::ParserBuilder::new()
        .nest_limit(limits::CONDITION_DEPTH as u32)
        .build()
        .parse(source)
        .map_err(|error| syntax_problem(source, error.kind(), range(error.span())))?;
    let found = ast::visit(&ast, Survey::default())?;
    let normal = with_ascii_edges(source, &found.edges);
    hir::translate::Translator::new()
        .translate(source, &ast)
        .map_err(|error| meaning_problem(source, error.kind(), range(error.span())))?;
    if !fits_in_memory(&normal) {
        let span = found.largest.map_or(0..source.len(), |(_, span)| span);
        return Err(PatternProblem::new(
            "the pattern repeats too much to be compiled",
            "write a smaller count, `+` or `*`, or `[0-9]` and `[a-z]` for `\\d` and `\\w`, which mean all of Unicode",
            span,
        ));
    }
    Ok(Pattern { source: source.to_owned(), normal })
}

/// Whether the fallback engine, which is compiled in the same way, could be built.
fn fits_in_memory(normal: &str) -> bool {
    let states = NFA::config().which_captures(WhichCaptures::None).nfa_size_limit(Some(limits::PATTERN_NFA_BYTES));
    NFA::compiler().configure(states).build(normal).is_ok()
}

fn range(span: &Span) -> Range<usize> {
    span.start.offset..span.end.offset
}

/// What a walk over the expression collects.
#[derive(Default)]
struct Survey {
    /// Word edges, in the order of the text.
    edges: Vec<Range<usize>>,
    /// The largest count of a repetition, and where it stands.
    largest: Option<(u32, Range<usize>)>,
}

impl ast::Visitor for Survey {
    type Output = Self;
    type Err = PatternProblem;

    fn finish(self) -> Result<Self, PatternProblem> {
        Ok(self)
    }

    fn visit_pre(&mut self, ast: &Ast) -> Result<(), PatternProblem> {
        match ast {
            Ast::Assertion(assertion) if is_word_edge(&assertion.kind) => self.edges.push(range(&assertion.span)),
            Ast::Repetition(repetition) => {
                if let (RepetitionKind::OneOrMore, Ast::Repetition(inner)) = (&repetition.op.kind, &*repetition.ast) {
                    return Err(PatternProblem::new(
                        "possessive repetition is not supported: here a `+` after a repetition would only repeat it",
                        "leave out the `+`; an automaton never backtracks, so it gains nothing",
                        inner.op.span.start.offset..repetition.op.span.end.offset,
                    ));
                }
                let count = most(&repetition.op);
                if self.largest.as_ref().is_none_or(|(largest, _)| count > *largest) {
                    self.largest = Some((count, range(&repetition.op.span)));
                }
            }
            Ast::Assertion(_)
            | Ast::Empty(_)
            | Ast::Flags(_)
            | Ast::Literal(_)
            | Ast::Dot(_)
            | Ast::ClassUnicode(_)
            | Ast::ClassPerl(_)
            | Ast::ClassBracketed(_)
            | Ast::Group(_)
            | Ast::Alternation(_)
            | Ast::Concat(_) => {}
        }
        Ok(())
    }
}

fn most(op: &RepetitionOp) -> u32 {
    match &op.kind {
        RepetitionKind::ZeroOrOne | RepetitionKind::ZeroOrMore | RepetitionKind::OneOrMore => 1,
        RepetitionKind::Range(
            ast::RepetitionRange::Exactly(count)
            | ast::RepetitionRange::AtLeast(count)
            | ast::RepetitionRange::Bounded(_, count),
        ) => *count,
    }
}

fn is_word_edge(kind: &ast::AssertionKind) -> bool {
    use ast::AssertionKind as Kind;
    match kind {
        Kind::WordBoundary
        | Kind::NotWordBoundary
        | Kind::WordBoundaryStart
        | Kind::WordBoundaryEnd
        | Kind::WordBoundaryStartAngle
        | Kind::WordBoundaryEndAngle
        | Kind::WordBoundaryStartHalf
        | Kind::WordBoundaryEndHalf => true,
        Kind::StartLine | Kind::EndLine | Kind::StartText | Kind::EndText => false,
    }
}

/// The expression with its word edges in their ASCII form: an automaton cannot decide Unicode ones and would give up
/// on any text that is not ASCII.
fn with_ascii_edges(source: &str, edges: &[Range<usize>]) -> String {
    let mut normal = String::with_capacity(source.len() + edges.len() * "(?-u:)".len());
    let mut done = 0;
    for edge in edges {
        normal.push_str(source.get(done..edge.start).unwrap_or_default());
        normal.push_str("(?-u:");
        normal.push_str(source.get(edge.clone()).unwrap_or_default());
        normal.push(')');
        done = edge.end;
    }
    normal.push_str(source.get(done..).unwrap_or_default());
    normal
}

/// A construct other engines have, named, or what the parser says.
#[allow(clippy::wildcard_enum_match_arm, reason = "the parser's own words do for the rest, and it may add more")]
fn syntax_problem(source: &str, kind: &ErrorKind, span: Range<usize>) -> PatternProblem {
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
fn meaning_problem(source: &str, kind: &hir::ErrorKind, span: Range<usize>) -> PatternProblem {
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
