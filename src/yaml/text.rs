//! Texts with a language of their own: patterns, matchers, templates. Glue between `grammar/*.pest` and the model; every
//! mistake is pointed at where it stands inside the text.

use super::origin::Origin;
use super::walk::{Slot, Walk, listed};
use crate::diagnostic::{Code, Diagnostic, nearest};
use crate::limits;
use crate::model::{Matcher, Pattern, Piece, Template, Variable};
use crate::pattern;
use pest::Parser as _;

mod template {
    #[derive(pest_derive::Parser)]
    #[grammar = "../grammar/template.pest"]
    pub(super) struct Grammar;
}

mod matcher {
    #[derive(pest_derive::Parser)]
    #[grammar = "../grammar/matcher.pest"]
    pub(super) struct Grammar;
}

impl Walk<'_> {
    /// A regular expression that stands in a scalar; `at` gives the byte of the scalar's text for a byte of the pattern.
    pub(super) fn pattern(
        &mut self,
        origin: &Origin<'_>,
        source: &str,
        at: impl Fn(usize) -> usize,
    ) -> Option<Pattern> {
        if source.len() > limits::PATTERN_BYTES {
            let message = format!("a pattern of {} bytes; {} are the most", source.len(), limits::PATTERN_BYTES);
            let place = origin.place(at(0)..at(source.len()));
            self.report(Diagnostic::new(Code::BadPattern, place, message, "split it into several conditions"));
            return None;
        }
        match pattern::parse(source) {
            Ok(pattern) => Some(pattern),
            Err(problem) => {
                let place = origin.place(at(problem.span.start)..at(problem.span.end));
                self.report(Diagnostic::new(Code::BadPattern, place, problem.message, problem.help));
                None
            }
        }
    }

    /// Which tools a trigger is about.
    pub(super) fn matcher(&mut self, slot: Slot<'_>) -> Option<Matcher> {
        let text = self.text_or_empty(slot)?;
        self.compared(slot);
        let pairs = matcher::Grammar::parse(matcher::Rule::matcher, &text.value).ok()?;
        let form = pairs.flatten().find(|pair| {
            matches!(pair.as_rule(), matcher::Rule::all | matcher::Rule::names | matcher::Rule::pattern)
        })?;
        if form.as_rule() == matcher::Rule::all {
            return Some(Matcher::All);
        }
        if form.as_rule() == matcher::Rule::pattern {
            return self.pattern(&self.origin(slot.node), &text.value, |byte| byte).map(Matcher::Pattern);
        }
        let mut names = Vec::new();
        for pair in form.into_inner() {
            let name = pair.as_str().trim();
            if name.is_empty() {
                let span = pair.as_span();
                let place = self.origin(slot.node).place(span.start()..span.end());
                let message = format!("a name is missing in the matcher `{}`", text.value);
                let help = "write names with `|` between them: `Write|Edit`; `*` is all tools";
                self.report(Diagnostic::new(Code::BadMatcher, place, message, help));
                return None;
            }
            if !names.iter().any(|known| known == name) {
                names.push(name.to_owned());
            }
        }
        Some(Matcher::Names(names))
    }

    /// A text with holes, of at most `most` characters as written.
    pub(super) fn template(&mut self, slot: Slot<'_>, most: Option<usize>) -> Option<Template> {
        let text = self.prose(slot)?;
        let length = text.value.chars().count();
        if let Some(most) = most.filter(|most| length > *most) {
            let message = format!("{} has {length} characters; {most} are the most", slot.name());
            self.report(Diagnostic::new(Code::TooLong, text.place, message, "shorten it; the hint can say the rest"));
        }
        let pairs = template::Grammar::parse(template::Rule::template, &text.value).ok()?;
        let problems = self.problems.len();
        let origin = self.origin(slot.node);
        let mut pieces = Pieces::default();
        for pair in pairs.flatten() {
            let span = pair.as_span();
            match pair.as_rule() {
                template::Rule::text => pieces.text(pair.as_str()),
                template::Rule::doubled => pieces.text(pair.as_str().get(1..).unwrap_or_default()),
                template::Rule::name => match Variable::from_name(pair.as_str()) {
                    Some(variable) => pieces.pieces.push(Piece::Variable(variable)),
                    None => self.unknown_variable(&origin, span.start()..span.end(), pair.as_str()),
                },
                template::Rule::stray => {
                    let place = origin.place(span.start()..span.end());
                    let brace = pair.as_str();
                    let message = format!("a `{brace}` without its other half");
                    let help = format!("a brace that is meant as one is doubled: `{brace}{brace}`");
                    self.report(Diagnostic::new(Code::Braces, place, message, help));
                }
                template::Rule::template | template::Rule::variable | template::Rule::EOI => {}
            }
        }
        (self.problems.len() == problems).then_some(Template { pieces: pieces.pieces })
    }

    fn unknown_variable(&mut self, origin: &Origin<'_>, range: std::ops::Range<usize>, name: &str) {
        let place = origin.place(range);
        let words = || Variable::ALL.iter().map(|variable| variable.name());
        let message = format!("unknown variable `{{{name}}}`");
        let problem = match nearest(name, words()) {
            Some(near) => {
                let help = format!("did you mean `{{{near}}}`?");
                Diagnostic::new(Code::UnknownVariable, place, message, help).replaced_by(near)
            }
            None => {
                let help =
                    format!("the variables are {}; double the braces when they are meant as such", listed(words()));
                Diagnostic::new(Code::UnknownVariable, place, message, help)
            }
        };
        self.report(problem);
    }
}

/// Stretches of a template being put together: texts side by side become one.
#[derive(Default)]
struct Pieces {
    pieces: Vec<Piece>,
}

impl Pieces {
    fn text(&mut self, more: &str) {
        if let Some(Piece::Text(text)) = self.pieces.last_mut() {
            text.push_str(more);
        } else {
            self.pieces.push(Piece::Text(more.to_owned()));
        }
    }
}
