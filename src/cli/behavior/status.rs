//! `forge behavior status`: where behaviors stand in each remembered session. Reads, writes nothing.

use super::files::Files;
use crate::cli::Exit;
use crate::cli::moment::{ago, iso};
use crate::cli::output::{say, stdout_is_terminal};
use crate::cli::table::{Text, Tone, table};
use crate::error::Result;
use crate::host::{Host, OsHost};
use crate::model::{Behavior, BehaviorState};
use crate::store::{self, Paths, Remembered};
use serde_json::json;
use std::path::PathBuf;

/// Arguments.
#[derive(clap::Args)]
pub(super) struct Arguments {
    /// Which behaviors; without any, all that were violated or switched off
    #[arg(value_name = "ID")]
    ids: Vec<String>,
    /// Only this session; the first characters are enough
    #[arg(long, value_name = "ID")]
    session: Option<String>,
    /// The project's folder; without it, the nearest one upward that has `behaviors/` or `.forge/`
    #[arg(long, value_name = "DIR")]
    root: Option<PathBuf>,
    /// Print one JSON object
    #[arg(long)]
    json: bool,
}

/// One behavior in one session.
struct Standing<'a> {
    session: &'a Remembered,
    id: &'a str,
    state: BehaviorState,
    overrides: u64,
    next: Option<u32>,
}

pub(super) fn run(arguments: &Arguments) -> Result<Exit> {
    let host = OsHost::new();
    let files = Files::read(&host, arguments.root.as_deref())?;
    for id in &arguments.ids {
        files.need(id)?;
    }
    let mut seen = store::snapshot(&host, &Paths::new(&files.root))?;
    seen.sessions.sort_by_key(|session| std::cmp::Reverse(session.last_accessed_at));
    let standings: Vec<Standing<'_>> = seen
        .sessions
        .iter()
        .filter(|it| arguments.session.as_ref().is_none_or(|start| it.id.starts_with(start.as_str())))
        .flat_map(|session| standings(&files, session))
        .filter(|it| arguments.ids.is_empty() || arguments.ids.iter().any(|id| id == it.id))
        .collect();
    if arguments.json {
        let told: Vec<_> = standings.iter().map(as_json).collect();
        return say(&format!("{}\n", json!({"standings": told}))).map(|()| Exit::Fine);
    }
    let rows: Vec<_> = standings
        .iter()
        .map(|it| {
            let last = it.state.last_violation.as_ref();
            vec![
                Text::new(&it.session.id),
                Text::new(it.id),
                if it.is_off() { Text::toned("off", Tone::Faint) } else { Text::new("") },
                Text::number(it.state.counter),
                it.next.map_or(Text::number(""), Text::number),
                Text::new(if it.state.counter == 0 { "" } else { it.state.level.name() }),
                Text::number(it.overrides),
                Text::toned(last.map_or(String::new(), |last| ago(last.at, host.now())), Tone::Faint),
                Text::new(last.map_or("", |last| last.tool.as_str())),
            ]
        })
        .collect();
    if rows.is_empty() {
        return say("no violations are remembered\n").map(|()| Exit::Fine);
    }
    let head = ["SESSION", "BEHAVIOR", "HERE", "VIOLATIONS", "NEXT AT", "LEVEL", "OVERRIDES", "LAST", "BY"];
    say(&table(&head, rows, stdout_is_terminal())).map(|()| Exit::Fine)
}

/// What a session remembers, by behavior.
fn standings<'a>(files: &Files, session: &'a Remembered) -> Vec<Standing<'a>> {
    let violated = session.session.behaviors.keys();
    let only_off = session.session.disabled.iter().filter(|id| !session.session.behaviors.contains_key(*id));
    let standing = |id: &'a String| {
        let state = session.session.behaviors.get(id).cloned().unwrap_or_default();
        let overrides = session.overrides.iter().filter(|(of, _)| of == id).map(|(_, count)| count).sum();
        let next = files.behavior(id).and_then(|behavior| next(behavior, state.counter));
        Standing { session, id, state, overrides, next }
    };
    violated.chain(only_off).map(standing).collect()
}

/// The threshold that comes next.
fn next(behavior: &Behavior, counter: u64) -> Option<u32> {
    behavior.enforcement.escalation.iter().map(|step| step.after).find(|after| u64::from(*after) > counter)
}

fn as_json(it: &Standing<'_>) -> serde_json::Value {
    let last = it.state.last_violation.as_ref();
    json!({
        "session": it.session.id,
        "behavior": it.id,
        "switched_off": it.is_off(),
        "violations": it.state.counter,
        "next_threshold": it.next,
        "level": it.state.level.name(),
        "overrides": it.overrides,
        "pending_block": it.state.pending.is_some(),
        "last_violation_at": last.map(|last| iso(last.at)),
        "last_violation_tool": last.map(|last| last.tool.as_str()),
    })
}

impl Standing<'_> {
    fn is_off(&self) -> bool {
        self.session.session.disabled.contains(self.id)
    }
}
