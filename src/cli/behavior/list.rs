//! `forge behavior list`: one line a behavior, in the order in which they are evaluated.

use super::files::Files;
use crate::cli::Exit;
use crate::cli::output::{say, stdout_is_terminal};
use crate::cli::table::{Text, Tone, table};
use crate::error::Result;
use crate::host::OsHost;
use crate::model::{Behavior, Enforcement, Event};
use serde_json::json;
use std::path::PathBuf;

/// Arguments.
#[derive(clap::Args)]
pub(super) struct Arguments {
    /// The project's folder; without it, the nearest one upward that has `behaviors/` or `.forge/`
    #[arg(long, value_name = "DIR")]
    root: Option<PathBuf>,
    /// Print one JSON object
    #[arg(long)]
    json: bool,
}

pub(super) fn run(arguments: &Arguments) -> Result<Exit> {
    let files = Files::read(&OsHost::new(), arguments.root.as_deref())?;
    let behaviors = &files.catalogue.behaviors;
    let errors = files.problems.iter().filter(|problem| problem.is_error()).count();
    let exit = if errors > 0 { Exit::Content } else { Exit::Fine };
    if arguments.json {
        let listed: Vec<_> = behaviors
            .iter()
            .map(|behavior| {
                json!({
                    "id": behavior.id.value,
                    "name": behavior.name,
                    "enabled": behavior.enabled,
                    "category": behavior.category.name(),
                    "events": events(behavior).iter().map(|event| event.name()).collect::<Vec<_>>(),
                    "default_level": behavior.enforcement.default_level.name(),
                    "escalation": behavior.enforcement.escalation.iter()
                        .map(|step| json!({"after": step.after, "level": step.level.name()})).collect::<Vec<_>>(),
                    "agents": behavior.applies_to.agents,
                })
            })
            .collect();
        say(&format!("{}\n", json!({"behaviors": listed, "errors": errors})))?;
        return Ok(exit);
    }
    let rows = behaviors.iter().map(|behavior| {
        let events: Vec<&str> = events(behavior).iter().map(|event| event.name()).collect();
        vec![
            Text::new(&behavior.id.value),
            if behavior.enabled { Text::toned("on", Tone::Good) } else { Text::toned("off", Tone::Faint) },
            Text::new(behavior.category.name()),
            Text::new(ladder(&behavior.enforcement)),
            Text::new(events.join(", ")),
        ]
    });
    let head = ["BEHAVIOR", "ACTS", "CATEGORY", "LEVELS", "EVENTS"];
    let mut text = table(&head, rows.collect(), stdout_is_terminal());
    if behaviors.is_empty() {
        text = match errors {
            0 => String::from("the index lists no behavior; `forge new ID` starts one\n"),
            _ => String::from("no behavior can be listed\n"),
        };
    }
    match errors {
        0 => {}
        1 => text.push_str("1 error in the files; `forge compile` shows it\n"),
        more => text.push_str(&format!("{more} errors in the files; `forge compile` shows them\n")),
    }
    say(&text)?;
    Ok(exit)
}

/// The events a behavior looks at.
pub(super) fn events(behavior: &Behavior) -> Vec<Event> {
    let is_watched = |event: &Event| behavior.triggers.iter().any(|trigger| trigger.event == *event);
    Event::ALL.iter().copied().filter(is_watched).collect()
}

/// `silent, 1 nudge, 3 warning`; the default is left out where the first violation is past it.
pub(super) fn ladder(enforcement: &Enforcement) -> String {
    let first = enforcement.escalation.first().map_or(u32::MAX, |step| step.after);
    let default = (first > 1).then(|| enforcement.default_level.name().to_owned());
    let steps = enforcement.escalation.iter().map(|step| format!("{} {}", step.after, step.level));
    default.into_iter().chain(steps).collect::<Vec<_>>().join(", ")
}
