//! `forge behavior describe`: everything one behavior says, for whoever wants to know without reading YAML.

use super::change::unreadable;
use super::files::Files;
use super::list::ladder;
use crate::cli::Exit;
use crate::cli::output::say;
use crate::cli::table::printable;
use crate::error::Result;
use crate::host::OsHost;
use crate::model::{Action, Behavior, Matcher, Profile, Trigger};
use crate::yaml;
use serde_json::json;
use std::path::PathBuf;

/// Arguments.
#[derive(clap::Args)]
pub(super) struct Arguments {
    /// Which behavior
    id: String,
    /// The project's folder; without it, the nearest one upward that has `behaviors/` or `.forge/`
    #[arg(long, value_name = "DIR")]
    root: Option<PathBuf>,
    /// Print one JSON object
    #[arg(long)]
    json: bool,
}

pub(super) fn run(arguments: &Arguments) -> Result<Exit> {
    let files = Files::read(&OsHost::new(), arguments.root.as_deref())?;
    files.need(&arguments.id)?;
    let name = yaml::behavior_file(&arguments.id);
    let Some(behavior) = files.behavior(&arguments.id) else {
        let is_broken = !files.told(&name, false).is_empty();
        if is_broken {
            return unreadable(&files, &name);
        }
        say(&format!(
            "`{}` is not in `{}` and does not act; `forge behavior on {0}` adds it\n",
            arguments.id,
            yaml::INDEX
        ))?;
        return Ok(Exit::Content);
    };
    let lines = lines(behavior, &name);
    if arguments.json {
        let members: serde_json::Map<String, serde_json::Value> =
            lines.into_iter().map(|(key, values)| (key.replace(' ', "_"), json!(values))).collect();
        say(&format!("{}\n", serde_json::Value::Object(members)))?;
        return Ok(Exit::Fine);
    }
    let mut text = String::new();
    for (key, values) in lines.iter().filter(|(_, values)| !values.is_empty()) {
        for (index, value) in values.iter().flat_map(|value| value.lines()).enumerate() {
            let key = if index == 0 { key } else { "" };
            text.push_str(&format!("{key:<12} {}\n", printable(value)));
        }
    }
    say(&text).map(|()| Exit::Fine)
}

fn lines(behavior: &Behavior, file: &str) -> Vec<(&'static str, Vec<String>)> {
    let one = |text: &str| vec![text.to_owned()];
    let some = |text: &Option<String>| text.iter().cloned().collect::<Vec<_>>();
    let applies = &behavior.applies_to;
    vec![
        ("id", one(&behavior.id.value)),
        ("name", one(&behavior.name)),
        ("description", one(behavior.description.trim_end())),
        ("file", one(file)),
        ("acts", one(if behavior.enabled { "yes" } else { "no, it is switched off" })),
        ("category", one(behavior.category.name())),
        ("scope", one(behavior.scope.value.name())),
        ("triggers", behavior.triggers.iter().map(trigger).collect()),
        ("levels", one(&ladder(&behavior.enforcement))),
        ("recovery", one(&behavior.recovery.hint)),
        ("tool instead", some(&behavior.recovery.suggested_tool)),
        ("instead", some(&behavior.recovery.suggested_action)),
        ("tools", applies.tools.clone()),
        ("agents", applies.agents.clone()),
        ("profiles", applies.profiles.iter().map(|profile: &Profile| profile.name().to_owned()).collect()),
        ("author", some(&behavior.metadata.author)),
        ("version", some(&behavior.metadata.version)),
        ("tags", behavior.metadata.tags.clone()),
    ]
}

/// `behavior.yaml line 12: PreToolUse of Bash: a violation`.
fn trigger(trigger: &Trigger) -> String {
    let tools = match &trigger.matcher {
        Matcher::All => String::new(),
        Matcher::Names(names) => format!(" of {}", names.join(", ")),
        Matcher::Pattern(pattern) => format!(" of tools like /{}/", pattern.source),
    };
    let then = match &trigger.action {
        Action::Evaluate => String::from("a violation"),
        Action::SetFlag { flag } => format!("sets the flag `{}`", flag.value),
        Action::CheckFlag { flag, on_present, on_absent } => {
            format!("looks for the flag `{}`; there: {on_present}, not there: {on_absent}", flag.value)
        }
    };
    format!("line {}: {}{tools}: {then}", trigger.place.line, trigger.event)
}
