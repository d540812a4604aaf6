//! `forge try`: what the hook would answer to one event, byte for byte, and the word for it.

use super::one_event::{self, Ended};
use super::{Exit, output};
use crate::error::Result;
use crate::explain::{Fate, Styles};
use crate::host::OsHost;
use crate::scenario::Decision;
use serde_json::{Value, json};

/// Arguments.
#[derive(clap::Args, Clone, Debug, Default)]
pub(super) struct Arguments {
    #[command(flatten)]
    event: one_event::EventArguments,
    /// Print one JSON object
    #[arg(long)]
    json: bool,
}

pub(super) fn run(arguments: &Arguments) -> Result<Exit> {
    let ended = one_event::judge(&OsHost::new(), &arguments.event)?;
    if arguments.json {
        output::say(&format!("{:#}\n", object(&ended)))?;
    } else {
        output::say(&format!("{}{}", notes(&ended), answer(&ended, Styles::coloured())))?;
    }
    Ok(Exit::Fine)
}

/// What the reader must know beforehand.
pub(super) fn notes(ended: &Ended) -> String {
    ended.notes.iter().map(|note| format!("note: {note}\n")).collect()
}

/// The decision, and the answer as it is.
pub(super) fn answer(ended: &Ended, styles: Styles) -> String {
    let word = match ended.decision {
        Decision::Pass | Decision::Silent => styles.good(ended.decision.name()),
        Decision::Nudge | Decision::Warning => styles.strong(ended.decision.name()),
        Decision::SoftBlock | Decision::HardBlock => styles.bad(ended.decision.name()),
    };
    let why = violated(ended);
    let why = if why.is_empty() { String::new() } else { format!(" ({})", why.join(", ")) };
    let mut text = format!("{word}{why}\n");
    for id in &ended.overridden {
        text.push_str(&format!("the block of {id} is overridden\n"));
    }
    let answer = &ended.answer;
    let head = format!("{} would be told at {}, exit code {}:", ended.sender.harness, ended.sender.event, answer.exit);
    text.push_str(&styles.faint(&head));
    text.push('\n');
    if answer.stdout.is_empty() && answer.stderr.is_empty() {
        text.push_str(&styles.faint("(nothing)"));
        text.push('\n');
    }
    if !answer.stdout.is_empty() {
        text.push_str(answer.stdout.trim_end_matches('\n'));
        text.push('\n');
    }
    if !answer.stderr.is_empty() {
        text.push_str(&format!("{}\n{}\n", styles.faint("on standard error:"), answer.stderr.trim_end_matches('\n')));
    }
    text
}

/// The behaviors that were violated, with how strictly that is answered.
fn violated(ended: &Ended) -> Vec<String> {
    let all = ended.views.iter().flat_map(|view| &view.behaviors);
    all.filter_map(|behavior| {
        let Fate::Violated { level, .. } = behavior.fate else { return None };
        Some(format!("{}: {level}", behavior.id))
    })
    .collect()
}

/// For programs.
pub(super) fn object(ended: &Ended) -> Value {
    json!({
        "notes": ended.notes,
        "decision": ended.decision.name(),
        "overridden": ended.overridden,
        "harness": ended.sender.harness.name(),
        "answer": {
            "stdout": ended.answer.stdout,
            "stderr": ended.answer.stderr,
            "exit": ended.answer.exit,
        },
    })
}
