//! `forge status`: how the behaviors fare, at a glance. Reads, writes nothing; judges nothing, that is `forge audit`'s.

use super::behavior::files::Files;
use super::metrics::{Metrics, OfBehavior, OfSession, Tally, Verdict, metrics};
use super::moment::{ago, iso};
use super::output::{say, stdout_is_terminal};
use super::program_state::ProgramState;
use super::table::{Text, Tone, bar, table};
use super::{Exit, status_session};
use crate::error::Result;
use crate::host::{Host, OsHost};
use crate::model::{Level, Timestamp};
use crate::store::{self, Paths};
use serde_json::{Value, json};
use std::fmt::Write;
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
    #[command(flatten)]
    session: status_session::OfSession,
}

/// Most sessions in the table; `--json` has all.
const SESSIONS_SHOWN: usize = 10;
/// Width of the bars.
const BAR: u32 = 12;

pub(super) fn run(arguments: &Arguments) -> Result<Exit> {
    let host = OsHost::new();
    if let Some(ended) = arguments.session.run(&host, arguments.root.as_deref(), arguments.json) {
        return ended;
    }
    let files = Files::read(&host, arguments.root.as_deref())?;
    let seen = store::snapshot(&host, &Paths::new(&files.root))?;
    let metrics = metrics(&files.catalogue, &seen);
    let program = ProgramState::of(&host, &files.root, &files.sources);
    if arguments.json {
        let mut told = as_json(&metrics);
        if let Some(members) = told.as_object_mut() {
            members.insert(String::from("program"), json!(program.name()));
            members.insert(String::from("state_faults"), json!(seen.faults));
        }
        return say(&format!("{told}\n")).map(|()| Exit::Fine);
    }
    let mut text = human(&metrics, host.now(), stdout_is_terminal());
    for problem in program.problem().iter().chain(&seen.faults) {
        // Writing to a String cannot fail.
        let _ = writeln!(text, "{problem}");
    }
    say(&text).map(|()| Exit::Fine)
}

/// The tables.
pub(super) fn human(metrics: &Metrics, now: Timestamp, is_terminal: bool) -> String {
    let Metrics { installed, enabled, total, behaviors, sessions } = metrics;
    let some = |count: usize, what: &str| format!("{count} {what}{}", if count == 1 { "" } else { "s" });
    let mut text = format!("{}, {enabled} on; {}", some(*installed, "behavior"), counted(total));
    let _ = writeln!(text, ", in {}", some(sessions.len(), "remembered session"));
    let most = behaviors.iter().map(|behavior| behavior.tally.violations).max().unwrap_or(0);
    let rows = behaviors.iter().map(|behavior| row(behavior, most, now)).collect::<Vec<_>>();
    if !rows.is_empty() {
        let head = ["BEHAVIOR", "ACTS", "VIOLATIONS", "", "BLOCKS", "OVERRIDES", "RATE", "", "LAST"];
        let _ = write!(text, "\n{}", table(&head, rows, is_terminal));
    }
    let rows: Vec<_> = sessions.iter().take(SESSIONS_SHOWN).map(|session| session_row(session, now)).collect();
    if !rows.is_empty() {
        let head = ["SESSION", "SEEN", "VIOLATIONS", "BLOCKS", "OVERRIDES", "RATE", "LEVEL", "SWITCHED OFF"];
        let _ = write!(text, "\n{}", table(&head, rows, is_terminal));
    }
    match sessions.len().saturating_sub(SESSIONS_SHOWN) {
        0 => {}
        more => {
            let _ = writeln!(text, "… and {more} older sessions; `--json` has them");
        }
    }
    text
}

fn counted(tally: &Tally) -> String {
    let Tally { violations, blocks, overrides, .. } = tally;
    let rate = tally.rate().map_or(String::new(), |rate| format!(" (rate {rate:.2}, {})", tally.verdict().name()));
    let plural = |count: u64| if count == 1 { "" } else { "s" };
    format!(
        "{violations} violation{}, {blocks} block{}, {overrides} overridden{rate}",
        plural(*violations),
        plural(*blocks)
    )
}

#[allow(clippy::cast_precision_loss, reason = "the length of a bar")]
fn row(behavior: &OfBehavior, most: u64, now: Timestamp) -> Vec<Text> {
    let tally = behavior.tally;
    let share = if most == 0 { 0.0 } else { tally.violations as f64 / most as f64 };
    let (rate, verdict) = rate(tally);
    vec![
        Text::new(&behavior.id),
        match behavior.enabled {
            Some(true) => Text::toned("on", Tone::Good),
            Some(false) => Text::toned("off", Tone::Faint),
            None => Text::toned("unknown", Tone::Doubtful),
        },
        Text::number(tally.violations),
        Text::toned(bar(share, BAR), tone(behavior)),
        Text::number(tally.blocks),
        Text::number(tally.overrides),
        rate,
        verdict,
        Text::toned(behavior.last_violation.map_or(String::new(), |at| ago(at, now)), Tone::Faint),
    ]
}

/// As strict as the strictest level any session reached.
fn tone(behavior: &OfBehavior) -> Tone {
    let highest = Level::ALL.iter().zip(behavior.levels).rev().find(|(_, sessions)| *sessions > 0);
    match highest.map(|(level, _)| *level) {
        Some(Level::SoftBlock | Level::HardBlock) => Tone::Bad,
        Some(Level::Warning) => Tone::Doubtful,
        Some(Level::Nudge) => Tone::Good,
        Some(Level::Silent) | None => Tone::Faint,
    }
}

fn session_row(session: &OfSession, now: Timestamp) -> Vec<Text> {
    let tally = session.tally;
    let off: Vec<&str> = session.switched_off.iter().map(String::as_str).collect();
    vec![
        Text::new(&session.id),
        Text::toned(session.last_accessed.map_or(String::new(), |at| ago(at, now)), Tone::Faint),
        Text::number(tally.violations),
        Text::number(tally.blocks),
        Text::number(tally.overrides),
        rate(tally).0,
        Text::new(if tally.violations == 0 { "" } else { session.level.name() }),
        Text::new(off.join(", ")),
    ]
}

fn rate(tally: Tally) -> (Text, Text) {
    let verdict = tally.verdict();
    let tone = match verdict {
        Verdict::Unknown => return (Text::number(""), Text::new("")),
        Verdict::Healthy => Tone::Good,
        Verdict::Review => Tone::Doubtful,
        Verdict::Ineffective => Tone::Bad,
    };
    let rate = tally.rate().map_or(String::new(), |rate| format!("{rate:.2}"));
    (Text::number(rate), Text::toned(verdict.name(), tone))
}

/// The same for programs.
pub(super) fn as_json(metrics: &Metrics) -> Value {
    let behaviors: Vec<Value> = metrics
        .behaviors
        .iter()
        .map(|behavior| {
            let levels = Level::ALL.iter().zip(behavior.levels);
            let levels: serde_json::Map<String, Value> =
                levels.map(|(level, sessions)| (level.name().to_owned(), json!(sessions))).collect();
            let mut told = tally_json(behavior.tally);
            told.extend([
                (String::from("id"), json!(behavior.id)),
                (String::from("enabled"), json!(behavior.enabled)),
                (String::from("sessions_by_level"), json!(levels)),
                (String::from("sessions_switched_off"), json!(behavior.switched_off)),
                (String::from("logged_overrides"), json!(behavior.logged_overrides)),
                (String::from("last_violation_at"), json!(behavior.last_violation.map(iso))),
            ]);
            Value::Object(told)
        })
        .collect();
    let sessions: Vec<Value> = metrics
        .sessions
        .iter()
        .map(|session| {
            let mut told = tally_json(session.tally);
            told.extend([
                (String::from("id"), json!(session.id)),
                (String::from("last_accessed_at"), json!(session.last_accessed.map(iso))),
                (String::from("level"), json!(session.level.name())),
                (String::from("switched_off"), json!(session.switched_off)),
            ]);
            Value::Object(told)
        })
        .collect();
    json!({
        "installed": metrics.installed,
        "enabled": metrics.enabled,
        "total": tally_json(metrics.total),
        "behaviors": behaviors,
        "sessions": sessions,
    })
}

fn tally_json(tally: Tally) -> serde_json::Map<String, Value> {
    let by_level: serde_json::Map<String, Value> =
        Level::ALL.iter().zip(tally.by_level).map(|(level, count)| (level.name().to_owned(), json!(count))).collect();
    [
        ("violations", json!(tally.violations)),
        ("violations_by_level", json!(by_level)),
        ("blocks", json!(tally.blocks)),
        ("overrides", json!(tally.overrides)),
        ("override_rate", json!(tally.rate())),
        ("verdict", json!(tally.verdict().name())),
    ]
    .into_iter()
    .map(|(key, value)| (key.to_owned(), value))
    .collect()
}
