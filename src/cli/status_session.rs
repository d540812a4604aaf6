//! `forge status --session`, `--list` and `--reset`: what a watched session has spent and how near it is to each wire, and
//! starting its counts over, which takes a person at a terminal.

use super::moment::iso;
use super::output::{say, stdout_is_terminal};
use super::table::{Text, Tone, printable, table};
use super::{Exit, project};
use crate::error::{Error, ErrorKind, Result};
use crate::host::Host;
use crate::model::Timestamp;
use crate::signals::{self, Nanos, Report};
use crate::store::{self, Paths};
use serde_json::json;
use std::path::Path;

/// Which session, and what to do with it.
#[derive(clap::Args)]
pub(super) struct OfSession {
    /// What a session has spent and how near it is to each limit; its id or the first characters of it, without them the
    /// newest
    #[arg(long, value_name = "ID", num_args = 0..=1, default_missing_value = "")]
    session: Option<String>,
    /// All sessions whose transcripts are watched
    #[arg(long, conflicts_with = "session")]
    list: bool,
    /// Start the session's counts over; asks at the terminal
    #[arg(long, requires = "session")]
    reset: bool,
}

/// Events shown; `--json` has all.
const EVENTS: usize = 10;

impl OfSession {
    /// Runs it; `None` when nothing about sessions was asked.
    pub(super) fn run(&self, host: &dyn Host, root: Option<&Path>, json: bool) -> Option<Result<Exit>> {
        let is_asked = self.list || self.session.is_some();
        is_asked.then(|| project::root(host, root).and_then(|root| self.answer(host, &Paths::new(&root), json)))
    }

    fn answer(&self, host: &dyn Host, paths: &Paths, json: bool) -> Result<Exit> {
        let folder = paths.signals();
        let reports = signals::reports(host, &folder);
        if self.list {
            return list(&reports, json);
        }
        let report = chosen(reports, self.session.as_deref().unwrap_or_default())?;
        if !self.reset {
            return show(&report, json);
        }
        let command = format!("forge status --session {} --reset", report.session);
        let question = format!(
            "Session {} has spent {}. Start its counts over from $0.00?",
            printable(&report.session),
            report.spent
        );
        if !store::confirm(host, &command, &question)? {
            return say("nothing was reset\n").map(|()| Exit::Content);
        }
        signals::reset(host, &folder, &report.session)?;
        say("the counts of this session start over\n").map(|()| Exit::Fine)
    }
}

/// The one session that begins so; the newest of all for the empty beginning.
fn chosen(reports: Vec<Report>, prefix: &str) -> Result<Report> {
    let mut fitting = reports.into_iter().filter(|report| report.session.starts_with(prefix));
    let usage = |what: String| Error::new(ErrorKind::Usage, what);
    let Some(first) = fitting.next() else {
        let what = if prefix.is_empty() {
            "no session is watched here; a rule on signals such as `runaway-spend` starts it at the next tool call"
                .to_owned()
        } else {
            format!("no watched session begins with `{prefix}`; `forge status --list` shows them")
        };
        return Err(usage(what));
    };
    let is_clear = prefix.is_empty() || first.session == prefix;
    match fitting.next() {
        Some(_) if !is_clear => Err(usage(format!("several sessions begin with `{prefix}`; give more of the id"))),
        Some(_) | None => Ok(first),
    }
}

fn as_json(report: &Report) -> serde_json::Value {
    let dollars = |amount: Nanos| json!(amount.0 as f64 / Nanos::DOLLAR as f64);
    json!({
        "session": report.session,
        "updated": iso(Timestamp(report.updated)),
        "spent_usd": dollars(report.spent),
        "total_usd": dollars(report.total),
        "cap_usd": report.cap.map(dollars),
        "failure_streak": report.failure_streak,
        "repeats": report.repeats,
        "transcripts": report.transcripts,
        "estimated_usd": dollars(report.estimated),
        "estimated_tokens": report.estimated_tokens,
        "estimated_models": report.estimated_models,
        "resets": report.resets,
        "events": report.events.iter().map(|event| json!({
            "at": iso(Timestamp(event.at)), "behavior": event.wire, "tool": event.tool, "detail": event.detail,
        })).collect::<Vec<_>>(),
    })
}

fn list(reports: &[Report], json: bool) -> Result<Exit> {
    if json {
        let all: Vec<_> = reports.iter().map(as_json).collect();
        return say(&format!("{}\n", json!(all))).map(|()| Exit::Fine);
    }
    if reports.is_empty() {
        return say("no session is watched here yet\n").map(|()| Exit::Fine);
    }
    let row = |report: &Report| {
        let cap = report.cap.map_or_else(|| "no cap".to_owned(), |cap| cap.to_string());
        vec![
            Text::new(&report.session),
            Text::new(iso(Timestamp(report.updated))),
            Text::number(report.spent),
            Text::number(cap),
            Text::number(report.events.len()),
        ]
    };
    let rows = reports.iter().map(row).collect();
    say(&table(&["session", "last call", "spent", "cap", "events"], rows, stdout_is_terminal())).map(|()| Exit::Fine)
}

fn show(report: &Report, json: bool) -> Result<Exit> {
    if json {
        return say(&format!("{}\n", as_json(report))).map(|()| Exit::Fine);
    }
    let of_cap = report.cap.map_or_else(|| " (no cap)".to_owned(), |cap| format!(" of its {cap} cap"));
    let mut text = format!("Session {} has spent {}{of_cap}.\n\n", printable(&report.session), report.spent);
    let percent = report
        .cap
        .map_or_else(String::new, |cap| format!(" ({}%)", report.spent.share_of(cap) / (Nanos::DOLLAR / 100)));
    let spent = format!("{}{percent}", report.spent);
    let is_over = report.cap.is_some_and(|cap| report.spent >= cap);
    let rows = vec![
        vec![Text::new("spend"), Text::toned(spent, if is_over { Tone::Bad } else { Tone::Plain })],
        vec![Text::new("same call, nothing changed"), Text::new(format!("{} times", report.repeats))],
        vec![Text::new("failed calls in a row"), Text::new(report.failure_streak.to_string())],
    ];
    text.push_str(&table(&["signal", "now"], rows, stdout_is_terminal()));
    if report.resets > 0 {
        text.push_str(&format!("\nstarted over {} times; {} in all\n", report.resets, report.total));
    }
    if report.estimated.0 > 0 {
        let models: Vec<String> = report.estimated_models.iter().map(|model| printable(model)).collect();
        text.push_str(&format!(
            "\n{} of {} is an estimate, for {}\n",
            report.estimated,
            report.total,
            models.join(", ")
        ));
    }
    if !report.events.is_empty() {
        text.push_str("\nlatest events\n");
    }
    for event in report.events.iter().rev().take(EVENTS) {
        let at = iso(Timestamp(event.at));
        let parts = [printable(&event.wire), printable(&event.tool), printable(&event.detail)];
        let parts: Vec<&str> = parts.iter().map(String::as_str).filter(|part| !part.is_empty()).collect();
        text.push_str(&format!("  {at}  {}\n", parts.join(", ")));
    }
    say(&text).map(|()| Exit::Fine)
}
