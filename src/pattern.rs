//! An author's regular expression, parsed once into a form in which nothing is left to interpretation.
//! May use `regex-syntax` and `model`; never compiles or runs a pattern. The reference, the compiler of automata and
//! the fallback engine all start from [`Pattern::normal`], so they cannot read the same text differently.

use crate::limits;
use crate::model::Pattern;
use regex_syntax::hir::{Capture, Hir, HirKind, Look, Repetition};
use std::ops::Range;

/// Why an expression is not one of ours.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PatternProblem {
    /// What is wrong, in the author's terms.
    pub message: String,
    /// What to write instead.
    pub help: String,
    /// Where in the expression, bytes.
    pub span: Range<usize>,
}

/// Parses an expression and spells out its meaning.
///
/// # Errors
/// When it is not a regular expression, or asks for what no automaton can do (look-around, back-references).
pub fn parse(source: &str) -> Result<Pattern, PatternProblem> {
    let parsed = regex_syntax::ParserBuilder::new().nest_limit(limits::CONDITION_DEPTH as u32).build().parse(source);
    match parsed {
        Ok(hir) => Ok(Pattern { source: source.to_owned(), normal: ascii_edges(hir).to_string() }),
        Err(error) => Err(PatternProblem { message: error.to_string(), help: String::new(), span: 0..source.len() }),
    }
}

/// Word edges in their ASCII form: an automaton cannot decide Unicode ones and would give up on any non-ASCII text.
fn ascii_edges(hir: Hir) -> Hir {
    match hir.into_kind() {
        HirKind::Empty => Hir::empty(),
        HirKind::Literal(literal) => Hir::literal(literal.0),
        HirKind::Class(class) => Hir::class(class),
        HirKind::Look(look) => Hir::look(match look {
            Look::WordUnicode => Look::WordAscii,
            Look::WordUnicodeNegate => Look::WordAsciiNegate,
            Look::WordStartUnicode => Look::WordStartAscii,
            Look::WordEndUnicode => Look::WordEndAscii,
            Look::WordStartHalfUnicode => Look::WordStartHalfAscii,
            Look::WordEndHalfUnicode => Look::WordEndHalfAscii,
            Look::Start
            | Look::End
            | Look::StartLF
            | Look::EndLF
            | Look::StartCRLF
            | Look::EndCRLF
            | Look::WordAscii
            | Look::WordAsciiNegate
            | Look::WordStartAscii
            | Look::WordEndAscii
            | Look::WordStartHalfAscii
            | Look::WordEndHalfAscii => look,
        }),
        HirKind::Repetition(Repetition { min, max, greedy, sub }) => {
            Hir::repetition(Repetition { min, max, greedy, sub: Box::new(ascii_edges(*sub)) })
        }
        // Which part matched is never asked, so groups need not survive.
        HirKind::Capture(Capture { sub, .. }) => ascii_edges(*sub),
        HirKind::Concat(parts) => Hir::concat(parts.into_iter().map(ascii_edges).collect()),
        HirKind::Alternation(parts) => Hir::alternation(parts.into_iter().map(ascii_edges).collect()),
    }
}
