//! Diagnostics for programs: one JSON array, every number spelled out.
//! Says the same as `human`; the field names are part of the interface.

use super::{Code, Diagnostic, Label, Sources};
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

/// Problems from the array that [`json`] makes of them; `None` when it is of other files, or none of ours.
#[must_use]
pub fn from_json(problems: &Value, sources: &Sources) -> Option<Vec<Diagnostic>> {
    problems.as_array()?.iter().map(|problem| from_one(problem, sources)).collect()
}

fn from_one(problem: &Value, sources: &Sources) -> Option<Diagnostic> {
    let label = |label: &Value| Some(Label { place: place(label.get("place")?, sources)?, text: text(label, "text")? });
    let code = text(problem, "code")?;
    let at = problem.get("place")?;
    let replacement = problem.get("replacement")?;
    Some(Diagnostic {
        code: Code::ALL.iter().copied().find(|known| known.name() == code)?,
        message: text(problem, "message")?,
        place: if at.is_null() { None } else { Some(place(at, sources)?) },
        label: text(problem, "label")?,
        also: problem.get("also")?.as_array()?.iter().map(label).collect::<Option<_>>()?,
        help: text(problem, "help")?,
        replacement: if replacement.is_null() { None } else { Some(replacement.as_str()?.to_owned()) },
    })
}

fn text(value: &Value, key: &str) -> Option<String> {
    value.get(key)?.as_str().map(str::to_owned)
}

fn place(value: &Value, sources: &Sources) -> Option<Place> {
    let number = |key: &str| u32::try_from(value.get(key)?.as_u64()?).ok();
    let (file, _) = sources.find(value.get("file")?.as_str()?)?;
    Some(Place { file, start: number("start")?, end: number("end")?, line: number("line")?, column: number("column")? })
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
