//! Diagnostics for programs: one JSON array, every number spelled out.
//! Says the same as `human`; the field names are part of the interface.

use super::{Diagnostic, Label, Sources};
use crate::model::Place;
use serde_json::{Value, json};

/// All problems as a JSON array.
#[must_use]
pub fn json(problems: &[Diagnostic], sources: &Sources) -> Value {
    problems.iter().map(|problem| one(problem, sources)).collect()
}

fn one(problem: &Diagnostic, sources: &Sources) -> Value {
    let also: Vec<Value> =
        problem.also.iter().map(|Label { place, text }| json!({"place": at(*place, sources), "text": text})).collect();
    json!({
        "code": problem.code.name(),
        "severity": problem.severity().name(),
        "message": problem.message,
        "place": problem.place.map(|place| at(place, sources)),
        "label": problem.label,
        "also": also,
        "help": problem.help,
        "replacement": problem.replacement,
    })
}

fn at(place: Place, sources: &Sources) -> Value {
    json!({
        "file": sources.get(place.file).map(|source| source.name.as_str()),
        "line": place.line,
        "column": place.column,
        "start": place.start,
        "end": place.end,
    })
}
