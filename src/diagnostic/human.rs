//! Diagnostics for people: the message, `file:line:column`, the source line with a caret, the help, and what to write instead.
//! Gives text; whoever prints it decides about colour.

use super::{Diagnostic, Severity, Sources};
use crate::limits;
use crate::model::{FileId, Place};
use annotate_snippets::renderer::DecorStyle;
use annotate_snippets::{
    Annotation, AnnotationKind, Group, Level, Origin, Patch, Renderer, Snippet, normalize_untrusted_str,
};
use std::borrow::Cow;
use std::ops::Range;

/// Most problems shown; beyond it a line says how many more there are. A hostile file has one on every byte.
const SHOWN: usize = 200;

/// All problems, in the order given, with colours when `colour`.
#[must_use]
pub fn human(problems: &[Diagnostic], sources: &Sources, colour: bool) -> String {
    let renderer = if colour { Renderer::styled() } else { Renderer::plain() }.decor_style(DecorStyle::Ascii);
    let mut text = String::new();
    for problem in problems.iter().take(SHOWN) {
        let groups = groups(problem, sources);
        text.push_str(&renderer.render(&groups));
        text.push_str("\n\n");
    }
    if let Some(more) = problems.len().checked_sub(SHOWN).filter(|more| *more > 0) {
        text.push_str(&format!("… and {more} more\n\n"));
    }
    text
}

/// The parts of one report: the problem itself, then the help.
fn groups<'a>(problem: &'a Diagnostic, sources: &'a Sources) -> Vec<Group<'a>> {
    let level = match problem.severity() {
        Severity::Error => Level::ERROR,
        Severity::Warning => Level::WARNING,
    };
    let mut group = level
        .primary_title(normalize_untrusted_str(&problem.message))
        .id(problem.code.name())
        .elements([] as [Snippet<'_, Patch<'_>>; 0]);
    let Some(place) = problem.place else {
        return vec![help(group, problem)];
    };
    let text = sources.text(place.file);
    if text.is_empty() || text.len() > limits::YAML_BYTES {
        let origin =
            Origin::path(name(sources, place.file)).line(place.line as usize).char_column(place.column as usize);
        return vec![help(group.element(origin), problem)];
    }
    let mut marks = vec![mark(AnnotationKind::Primary, place, &problem.label, &text)];
    for label in problem.also.iter().filter(|label| label.place.file == place.file) {
        marks.push(mark(AnnotationKind::Context, label.place, &label.text, &text));
    }
    group = group.element(snippet(sources, place.file, text.clone()).annotations(marks));
    for label in problem.also.iter().filter(|label| label.place.file != place.file) {
        let text = sources.text(label.place.file);
        let mark = mark(AnnotationKind::Context, label.place, &label.text, &text);
        group = group.element(snippet(sources, label.place.file, text).annotation(mark));
    }
    let Some(replacement) = &problem.replacement else {
        return vec![help(group, problem)];
    };
    let patch = Patch::new(inside(place, &text), replacement.as_str());
    let instead = Level::HELP
        .secondary_title(normalize_untrusted_str(&problem.help))
        .element(Snippet::source(text).path(name(sources, place.file)).patch(patch));
    vec![group, instead]
}

/// The group with the help at its end; some messages say it all.
fn help<'a>(group: Group<'a>, problem: &'a Diagnostic) -> Group<'a> {
    if problem.help.is_empty() {
        return group;
    }
    group.element(Level::HELP.message(normalize_untrusted_str(&problem.help)))
}

fn snippet<'a>(sources: &'a Sources, file: FileId, text: Cow<'a, str>) -> Snippet<'a, Annotation<'a>> {
    Snippet::source(text).path(name(sources, file)).line_start(1)
}

fn name(sources: &Sources, file: FileId) -> &str {
    sources.get(file).map_or("", |source| source.name.as_str())
}

fn mark<'a>(kind: AnnotationKind, place: Place, label: &'a str, text: &str) -> Annotation<'a> {
    let annotation = kind.span(inside(place, text));
    if label.is_empty() { annotation } else { annotation.label(normalize_untrusted_str(label)) }
}

/// The bytes of a place, cut to the text: bytes that are no UTF-8 were replaced by longer ones.
fn inside(place: Place, text: &str) -> Range<usize> {
    let end = (place.end as usize).min(text.len());
    (place.start as usize).min(end)..end
}
