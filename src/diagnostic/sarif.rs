//! Diagnostics for code hosts: one SARIF 2.1.0 log. Says the same as `json`, in the words of that format.
//! Knows the format's required members and no host's extensions.

use super::{Code, Diagnostic, Label, Severity, Sources};
use crate::model::{FileId, Place};
use serde_json::{Value, json};
use std::fmt::Write;

/// All problems as a log of one run. Hosts show nothing that has no file, so problems without a place are told of `fallback`, a name
/// of a source.
#[must_use]
pub fn sarif(problems: &[Diagnostic], sources: &Sources, fallback: &str) -> Value {
    let results: Vec<Value> = problems.iter().map(|problem| result(problem, sources, fallback)).collect();
    json!({
        "$schema": "https://json.schemastore.org/sarif-2.1.0.json",
        "version": "2.1.0",
        "runs": [{
            "tool": {"driver": {
                "name": "forge",
                "semanticVersion": env!("CARGO_PKG_VERSION"),
                "rules": Code::ALL.iter().map(|code| rule(*code)).collect::<Vec<_>>(),
            }},
            "columnKind": "unicodeCodePoints",
            "originalUriBaseIds": {"PROJECT": {"description": {"text": "the project's folder"}}},
            "results": results,
        }],
    })
}

fn rule(code: Code) -> Value {
    json!({
        "id": code.name(),
        "name": format!("{code:?}"),
        "shortDescription": {"text": code.title()},
        "fullDescription": {"text": code.explanation().trim()},
        "defaultConfiguration": {"level": level(code.severity())},
    })
}

/// SARIF's word, which is ours.
const fn level(severity: Severity) -> &'static str {
    severity.name()
}

fn result(problem: &Diagnostic, sources: &Sources, fallback: &str) -> Value {
    let location = problem.place.map_or_else(
        || json!({"physicalLocation": {"artifactLocation": artifact(fallback)}}),
        |place| at(place, sources),
    );
    let mut result = json!({
        "ruleId": problem.code.name(),
        "ruleIndex": Code::ALL.iter().position(|code| *code == problem.code),
        "level": level(problem.severity()),
        "message": {"text": format!("{}; {}", problem.message, problem.help)},
        "locations": [location],
    });
    let Some(members) = result.as_object_mut() else { return result };
    if !problem.also.is_empty() {
        let related = problem.also.iter().map(|Label { place, text }| {
            let mut location = at(*place, sources);
            if let Some(members) = location.as_object_mut() {
                members.insert("message".to_owned(), json!({"text": text}));
            }
            location
        });
        members.insert("relatedLocations".to_owned(), related.collect());
    }
    if let (Some(text), Some(place)) = (&problem.replacement, problem.place) {
        let replacement = json!({"deletedRegion": region(place, sources), "insertedContent": {"text": text}});
        let change = json!({"artifactLocation": artifact(name(place.file, sources)), "replacements": [replacement]});
        members
            .insert("fixes".to_owned(), json!([{"description": {"text": problem.help}, "artifactChanges": [change]}]));
    }
    result
}

fn at(place: Place, sources: &Sources) -> Value {
    json!({"physicalLocation": {
        "artifactLocation": artifact(name(place.file, sources)),
        "region": region(place, sources),
    }})
}

fn name(file: FileId, sources: &Sources) -> &str {
    sources.get(file).map_or("", |source| source.name.as_str())
}

/// A file below the project.
fn artifact(name: &str) -> Value {
    json!({"uri": uri(name), "uriBaseId": "PROJECT"})
}

/// A relative path as a URI reference.
fn uri(name: &str) -> String {
    let mut uri = String::new();
    for byte in name.bytes() {
        if byte.is_ascii_alphanumeric() || b"-._~/".contains(&byte) {
            uri.push(char::from(byte));
        } else {
            // Writing to a String cannot fail.
            let _ = write!(uri, "%{byte:02X}");
        }
    }
    uri
}

/// From the first character to the one after the last, counted in characters.
fn region(place: Place, sources: &Sources) -> Value {
    let text = sources.text(place.file);
    let marked = text.get(place.start as usize..place.end as usize).unwrap_or("");
    let breaks = u32::try_from(marked.matches('\n').count()).unwrap_or(u32::MAX);
    let last = marked.rsplit('\n').next().unwrap_or_default();
    let length = u32::try_from(last.chars().count()).unwrap_or(u32::MAX);
    let from = if breaks == 0 { place.column } else { 1 };
    json!({
        "startLine": place.line,
        "startColumn": place.column,
        "endLine": place.line.saturating_add(breaks),
        "endColumn": from.saturating_add(length),
    })
}
