//! Measurements as tables for people and as JSON for the next run, which compares itself with this one.

use crate::cases::{Case, Target};
use crate::inside::Piece;
use crate::process::Measured;
use crate::tools::Fact;
use serde_json::{Value, json};
use std::fs;
use std::path::Path;
use std::time::Duration;

/// The element below which `part` of a hundred lie.
fn percentile(sorted: &[Duration], part: usize) -> f64 {
    let at = (sorted.len() * part / 100).min(sorted.len().saturating_sub(1));
    sorted.get(at).map_or(f64::NAN, |time| time.as_secs_f64() * 1e6)
}

/// The percentile that is compared: the median, or, where others used the machine so much that the floor's own median
/// was half as long again as its best tenth, that tenth.
fn typical(measured: &Measured) -> usize {
    if percentile(&measured.floor, 50) <= 1.5 * percentile(&measured.floor, 10) { 50 } else { 10 }
}

/// A case in units of the floor that was measured beside it.
fn ratio(measured: &Measured) -> f64 {
    let part = typical(measured);
    percentile(&measured.times, part) / percentile(&measured.floor, part)
}

/// Whole processes.
pub(crate) fn processes(cases: &[Case], measured: &[Measured]) {
    println!(
        "| event | p10 µs | p50 | p95 | p99 | × floor | p99/p50 (floor's) | at most | is |\n|---|--:|--:|--:|--:|--:|--:|---|---|"
    );
    for (case, own) in cases.iter().zip(measured) {
        let [p10, p50, p95, p99] = [10, 50, 95, 99].map(|part| percentile(&own.times, part));
        let floors = percentile(&own.floor, 99) / percentile(&own.floor, 50);
        let (most, is) = judged(case, own, cases, measured);
        println!(
            "| {} | {p10:.0} | {p50:.0} | {p95:.0} | {p99:.0} | {:.2} | {:.1} ({floors:.1}) | {most} | {is} |",
            case.name,
            ratio(own),
            p99 / p50
        );
    }
    if measured.iter().any(|own| typical(own) != 50) {
        println!("\nothers used the machine: the best tenth is compared where medians say nothing");
    }
    println!();
}

/// The floor as cargo links it when nothing is said.
pub(crate) fn linking(own: &Measured) {
    let [floor, ordinary] = [&own.floor, &own.times].map(|times| percentile(times, typical(own)));
    println!("an empty program linked as cargo does by default: {ordinary:.0} µs, {:.2} × floor\n", ordinary / floor);
}

/// The target in words, and whether it is met.
fn judged(case: &Case, own: &Measured, cases: &[Case], measured: &[Measured]) -> (String, String) {
    let other = |name: &str| cases.iter().position(|case| case.name == name).and_then(|at| measured.get(at));
    let (most, value, words, unit) = match case.target {
        None => return ("–".to_owned(), "–".to_owned()),
        Some(Target::Times("", most)) => (most, Some(ratio(own)), format!("{most} × floor"), "×"),
        Some(Target::Times(name, most)) => {
            (most, other(name).map(|other| ratio(own) / ratio(other)), format!("{most} × {name}"), "×")
        }
        Some(Target::MicrosecondsOver(name, most)) => {
            let over =
                other(name).map(|other| percentile(&own.times, typical(own)) - percentile(&other.times, typical(own)));
            (most, over, format!("{most} µs over {name}"), "µs")
        }
    };
    let Some(value) = value else { return (words, "not compared".to_owned()) };
    let verdict = if value <= most { "met" } else { "NOT MET" };
    let digits = if unit == "×" { 2 } else { 0 };
    (words, format!("{value:.digits$} {unit}: {verdict}"))
}

/// The pieces inside.
pub(crate) fn inside(pieces: &[Piece]) {
    println!("| inside the process | µs |\n|---|--:|");
    for Piece { name, time } in pieces {
        println!("| {name} | {:.1} |", time.as_secs_f64() * 1e6);
    }
    println!();
}

/// The single facts.
pub(crate) fn tools(facts: &[Fact]) {
    println!("| fact | is | at most |\n|---|--:|--:|");
    for Fact { name, value, unit, most } in facts {
        println!("| {name} | {value:.0} {unit} | {most:.0} {unit} |");
    }
    println!();
}

/// Writes `latest.json`, after moving the one of the run before to `previous.json` and comparing with it.
pub(crate) fn keep(workshop: &Path, cases: &[Case], measured: &[Measured], inside: &[Piece], facts: &[Fact]) {
    let mut rows = serde_json::Map::new();
    for (case, own) in cases.iter().zip(measured) {
        let [p50, p95, p99] = [50, 95, 99].map(|part| percentile(&own.times, part));
        let row = json!({"p50": p50, "p95": p95, "p99": p99, "floor": ratio(own), "runs": own.times.len()});
        rows.insert(case.name.to_owned(), row);
    }
    let pieces: serde_json::Map<String, Value> =
        inside.iter().map(|piece| (piece.name.to_owned(), json!(piece.time.as_secs_f64() * 1e6))).collect();
    let facts: serde_json::Map<String, Value> =
        facts.iter().map(|fact| (fact.name.to_owned(), json!({"value": fact.value, "unit": fact.unit}))).collect();
    let now = json!({"processes": rows, "inside": pieces, "facts": facts});

    let (latest, previous) = (workshop.join("latest.json"), workshop.join("previous.json"));
    if let Ok(before) = fs::read_to_string(&latest) {
        let before: Value = serde_json::from_str(&before).unwrap_or_default();
        compare(&before, &now);
        fs::rename(&latest, &previous).unwrap();
    }
    fs::write(&latest, format!("{now:#}\n")).unwrap();
    println!("written: {}", latest.display());
}

/// What changed by more than a tenth since the run before, in units of the floor.
fn compare(before: &Value, now: &Value) {
    let floors = |run: &Value, name: &str| run["processes"][name]["floor"].as_f64();
    for name in now["processes"].as_object().into_iter().flat_map(serde_json::Map::keys) {
        if let (Some(old), Some(new)) = (floors(before, name), floors(now, name)) {
            let change = (new / old - 1.0) * 100.0;
            if change.abs() > 10.0 {
                println!("{name}: {old:.2} × floor in the run before, now {new:.2} ({change:+.0} %)");
            }
        }
    }
}
