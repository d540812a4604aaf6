//! Prints a played session: what the agent did, what forge answered, what was counted; then the state and the audit.

use super::play::Step;
use crate::host::Host;
use crate::limits;
use crate::store::Paths;
use anstyle::{AnsiColor, Style};
use serde_json::Value;
use std::path::Path;

pub(super) fn session(steps: &[Step], project: &Path, host: &dyn Host) {
    let dim = Style::new().dimmed();
    anstream::println!("A recorded session of an agent, played through the real forge-hook, one process per event:\n");
    for (number, step) in (1..).zip(steps) {
        anstream::println!("{number:>3}  {}", deed(&step.payload));
        let (word, style) = verdict(step);
        anstream::println!("     {style}{word}{style:#}");
        for line in said(&step.answer).lines() {
            anstream::println!("       {dim}│{dim:#} {line}");
        }
        for (id, counter, level) in &step.counts {
            anstream::println!("       {dim}counted: {id} {counter}, level {level}{dim:#}");
        }
    }
    let paths = Paths::new(project);
    for (title, path) in [
        ("state.json, what the next event starts from", paths.state()),
        ("overrides.log, what stays", paths.overrides_log()),
    ] {
        let bytes = host.read(&path, limits::STATE_BYTES).unwrap_or_default();
        let text = match serde_json::from_slice::<Value>(&bytes) {
            Ok(json) => serde_json::to_string_pretty(&json).unwrap_or_default(),
            Err(_) => String::from_utf8_lossy(&bytes).into_owned(),
        };
        anstream::println!("\n{title}:\n{}", text.trim_end());
    }
}

/// What the agent or the user did, in one line.
fn deed(payload: &Value) -> String {
    let text = |path: &str| payload.pointer(path).and_then(Value::as_str);
    match text("/hook_event_name").unwrap_or_default() {
        "UserPromptSubmit" => format!("the user: {}", text("/prompt").unwrap_or_default()),
        "Stop" => "the agent ends its turn".to_owned(),
        _ => {
            let what = ["command", "file_path", "pattern"].iter().find_map(|key| text(&format!("/tool_input/{key}")));
            format!("{} {}", text("/tool_name").unwrap_or_default(), what.unwrap_or_default())
        }
    }
}

fn verdict(step: &Step) -> (&'static str, Style) {
    let colour = |colour: AnsiColor| Style::new().bold().fg_color(Some(colour.into()));
    let refused = step.answer.pointer("/hookSpecificOutput/permissionDecision").is_some_and(|it| it == "deny");
    let is_final = step.answer.pointer("/hookSpecificOutput/override_allowed").is_some_and(|it| it == false);
    match (refused, is_final, step.answer.is_null()) {
        (true, true, _) => ("refused, finally", colour(AnsiColor::Red)),
        (true, false, _) => ("refused", colour(AnsiColor::Red)),
        (false, _, true) if step.is_override => {
            ("runs: the same call again within a minute overrides, and is recorded", colour(AnsiColor::Magenta))
        }
        (false, _, true) => ("runs", colour(AnsiColor::Green)),
        (false, _, false) => ("runs, with a word to the agent", colour(AnsiColor::Yellow)),
    }
}

fn said(answer: &Value) -> &str {
    answer.get("systemMessage").and_then(Value::as_str).unwrap_or_default()
}
