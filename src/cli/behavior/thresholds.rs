//! `forge behavior strict` and `relaxed`: each `after` of the escalation halved, never below 1, or doubled. Both keep
//! the order of the thresholds; two that meet leave the later one's level.

use super::change::{Change, Plan, Writing, unreadable};
use super::files::Files;
use crate::cli::Exit;
use crate::edit::Edit;
use crate::error::Result;
use crate::host::OsHost;
use crate::model::Behavior;
use crate::yaml::{self, Step};

/// Arguments.
#[derive(clap::Args)]
pub(super) struct Arguments {
    /// Which behaviors
    #[arg(required = true, value_name = "ID")]
    ids: Vec<String>,
    /// In the project's YAML: the default, and the only place that has thresholds
    #[arg(long)]
    project: bool,
    #[command(flatten)]
    writing: Writing,
}

/// Which way.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Turn {
    /// Earlier.
    Strict,
    /// Later.
    Relaxed,
}

pub(super) fn run(arguments: &Arguments, turn: Turn) -> Result<Exit> {
    let host = OsHost::new();
    let files = Files::read(&host, arguments.writing.root.as_deref())?;
    let mut plan = Plan::new(&files);
    for id in unique(&arguments.ids) {
        files.need(id)?;
        let name = yaml::behavior_file(id);
        let Some(behavior) = files.behavior(id) else { return unreadable(&files, &name) };
        let old: Vec<u32> = behavior.enforcement.escalation.iter().map(|step| step.after).collect();
        let new: Vec<u32> = old.iter().map(|after| turn.threshold(*after)).collect();
        plan.edit(&name, &edits(&old, &new))?;
        plan.note(Change { behavior: id.clone(), before: shown(behavior, &old), after: shown(behavior, &new) });
    }
    plan.finish(&host, &arguments.writing)
}

impl Turn {
    fn threshold(self, after: u32) -> u32 {
        match self {
            Self::Strict => (after / 2).max(1),
            Self::Relaxed => after.saturating_mul(2),
        }
    }
}

/// Each behavior once, as first named.
pub(super) fn unique(ids: &[String]) -> impl Iterator<Item = &String> {
    ids.iter().enumerate().filter(|(index, id)| !ids.iter().take(*index).any(|before| before == *id)).map(|(_, id)| id)
}

fn edits(old: &[u32], new: &[u32]) -> Vec<Edit<'static>> {
    let changed = old.iter().zip(new).enumerate().filter(|(_, (old, new))| old != new);
    let path = |index| {
        vec![
            Step::Key("policy"),
            Step::Key("enforcement"),
            Step::Key("escalation"),
            Step::Index(index),
            Step::Key("after"),
        ]
    };
    changed.map(|(index, (_, new))| Edit::Set { path: path(index), word: new.to_string() }).collect()
}

/// `1 nudge, 3 warning`.
fn shown(behavior: &Behavior, thresholds: &[u32]) -> String {
    if thresholds.is_empty() {
        return format!("no thresholds, {} from the first violation on", behavior.enforcement.default_level);
    }
    let steps = thresholds.iter().zip(&behavior.enforcement.escalation);
    steps.map(|(after, step)| format!("{after} {}", step.level)).collect::<Vec<_>>().join(", ")
}
