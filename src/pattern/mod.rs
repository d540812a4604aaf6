//! An author's regular expression, read once: what is wrong with it in his terms, or the form everything compiles.
//! May use `regex-syntax`, `regex-automata` (for the size of what a pattern becomes) and `model`; never runs one.
//! The reference, the compiler of automata and the fallback engine all start from [`Pattern::normal`], so they cannot
//! read the same text differently.

mod problem;
mod states;

pub use problem::PatternProblem;
pub use states::{states, states_of};

use crate::limits;
use crate::model::Pattern;
use regex_syntax::ast::{self, Ast, RepetitionKind, RepetitionOp, Span};
use regex_syntax::hir;
use std::ops::Range;

/// Reads an expression.
///
/// # Errors
/// When it is not a regular expression, asks for what no automaton can do (look-around, back-references), means
/// something else elsewhere (possessive repetition), or would need too much memory.
pub fn parse(source: &str) -> Result<Pattern, PatternProblem> {
    if source.len() > limits::PATTERN_BYTES {
        return Err(problem::too_long(source));
    }
    let ast = ast::parse::ParserBuilder::new()
        .nest_limit(limits::CONDITION_DEPTH as u32)
        .build()
        .parse(source)
        .map_err(|error| problem::of_syntax(source, error.kind(), range(error.span())))?;
    let found = ast::visit(&ast, Survey::default())?;
    let normal = with_ascii_edges(source, &found.edges);
    hir::translate::Translator::new()
        .translate(source, &ast)
        .map_err(|error| problem::of_meaning(source, error.kind(), range(error.span())))?;
    if states(&normal).is_none() {
        let span = found.largest.map_or(0..source.len(), |(_, span)| span);
        return Err(problem::repeats_too_much(span));
    }
    Ok(Pattern { source: source.to_owned(), normal })
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
                    let operators = inner.op.span.start.offset..repetition.op.span.end.offset;
                    return Err(problem::possessive(operators));
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
