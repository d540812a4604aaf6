//! `forge status --session`, `--list` and `--reset`: what a watched session has spent and how near it is to each wire, and
//! starting its counts over, which takes a person at a terminal.

use super::moment::iso;
use super::output::{say, stdout_is_terminal};
use super::table::{Text, Tone, printable, table};
use super::wires::Wire;
use super::{Exit, project};
use crate::error::{Error, ErrorKind, Result};
use crate::explain::{digits, sign};
use crate::hook;
use crate::host::Host;
use crate::model::{Signal, Timestamp};
use crate::registration::Scope;
use crate::shell::Shell;
use crate::signals::{self, Nanos, Report};
use crate::store::{self, Paths};
use serde_json::json;
use std::path::{Path, PathBuf};

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

/// What one set of rules remembers of a session.
struct Memory {
    scope: Scope,
    root: PathBuf,
    report: Report,
    wires: Vec<Wire>,
}

impl OfSession {
    /// Runs it; `None` when nothing about sessions was asked.
    pub(super) fn run(&self, host: &dyn Host, root: Option<&Path>, json: bool) -> Option<Result<Exit>> {
        let is_asked = self.list || self.session.is_some();
        is_asked.then(|| memories(host, root).and_then(|memories| self.answer(host, memories, json)))
    }

    fn answer(&self, host: &dyn Host, memories: Vec<Memory>, json: bool) -> Result<Exit> {
        if self.list {
            return list(&memories, json);
        }
        let chosen = chosen(memories, self.session.as_deref().unwrap_or_default())?;
        if self.reset { reset(host, &chosen) } else { show(&chosen, json) }
    }
}

/// What the project's rules and the user's remember, newest first; with a folder named, what the rules there do.
///
/// # Errors
/// When there are no rules at all.
fn memories(host: &dyn Host, root: Option<&Path>) -> Result<Vec<Memory>> {
    let user = hook::user_folder(host).filter(|user| host.list(Paths::new(user).forge()).is_ok());
    let folders: Vec<PathBuf> = match (root, project::root(host, root)) {
        (Some(_), root) => vec![root?],
        (None, Err(error)) => vec![user.clone().ok_or(error)?],
        (None, Ok(project)) => {
            let other = user.clone().filter(|user| *user != project);
            std::iter::once(project).chain(other).collect()
        }
    };
    let mut memories = Vec::new();
    for root in folders {
        let paths = Paths::new(&root);
        let wires = Wire::of(host, &paths);
        let scope = if user.as_ref() == Some(&root) { Scope::User } else { Scope::Project };
        let of = |report| Memory { scope, root: root.clone(), report, wires: wires.clone() };
        memories.extend(signals::reports(host, &paths.signals()).into_iter().map(of));
    }
    memories.sort_by_key(|memory| std::cmp::Reverse(memory.report.updated));
    Ok(memories)
}

/// Everything that is remembered of the one session that begins so; of the newest for the empty beginning.
fn chosen(memories: Vec<Memory>, prefix: &str) -> Result<Vec<Memory>> {
    let ids: Vec<&str> = memories.iter().map(|memory| &*memory.report.session).collect();
    let usage = |what: String| Error::new(ErrorKind::Usage, what);
    let whole = ids.iter().find(|id| **id == prefix);
    let Some(first) = whole.or_else(|| ids.iter().find(|id| id.starts_with(prefix))).map(|id| (*id).to_owned()) else {
        let what = if prefix.is_empty() {
            "no session is watched here; a rule on signals such as `runaway-spend` starts it at the next tool call"
                .to_owned()
        } else {
            format!("no watched session begins with `{prefix}`; `forge status --list` shows them")
        };
        return Err(usage(what));
    };
    let is_clear = prefix.is_empty() || first == prefix;
    if !is_clear && ids.iter().any(|id| id.starts_with(prefix) && *id != first) {
        return Err(usage(format!("several sessions begin with `{prefix}`; give more of the id")));
    }
    Ok(memories.into_iter().filter(|memory| memory.report.session == first).collect())
}

/// Starts the counts over wherever they are kept, if a person agrees.
fn reset(host: &dyn Host, memories: &[Memory]) -> Result<Exit> {
    let Some(first) = memories.first() else { return Ok(Exit::Content) };
    let session = &first.report.session;
    let command = format!("forge status --session {} --reset", Shell::NATIVE.word(session));
    let spent: Vec<String> =
        memories.iter().map(|memory| format!("{} by the {}", memory.report.spent, rules(memory.scope))).collect();
    let question =
        format!("Session {} has spent {}. Start its counts over from $0.00?", printable(session), spent.join(" and "));
    if !store::confirm(host, &command, &question)? {
        return say("nothing was reset\n").map(|()| Exit::Content);
    }
    for memory in memories {
        signals::reset(host, &Paths::new(&memory.root).signals(), session)?;
    }
    say("the counts of this session start over\n").map(|()| Exit::Fine)
}

/// Whose count it is.
fn rules(scope: Scope) -> &'static str {
    match scope {
        Scope::User => "count of your own rules",
        Scope::Project | Scope::Local => "project's count",
    }
}

fn as_json(memory: &Memory) -> serde_json::Value {
    let report = &memory.report;
    let dollars = |amount: Nanos| json!(amount.0 as f64 / Nanos::DOLLAR as f64);
    json!({
        "session": report.session,
        "scope": memory.scope.name(),
        "root": memory.root,
        "updated": iso(Timestamp(report.updated)),
        "spent_usd": dollars(report.spent),
        "total_usd": dollars(report.total),
        "cap_usd": report.cap.map(dollars),
        "failure_streak": report.failure_streak,
        "repeats": report.repeats,
        "alternations": report.alternations,
        "wires": memory.wires.iter().map(|wire| json!({
            "behavior": wire.behavior, "signal": wire.signal.name(), "comparison": sign(wire.comparison, true),
            "limit": number(wire.signal, wire.limit), "now": number(wire.signal, wire.now(report)),
            "reached": wire.is_reached(report),
        })).collect::<Vec<_>>(),
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

/// A signal's value as a number of JSON.
fn number(signal: Signal, value: u64) -> serde_json::Value {
    if signal.is_decimal() { json!(value as f64 / Signal::ONE as f64) } else { json!(value) }
}

fn list(memories: &[Memory], json: bool) -> Result<Exit> {
    if json {
        let all: Vec<_> = memories.iter().map(as_json).collect();
        return say(&format!("{}\n", json!(all))).map(|()| Exit::Fine);
    }
    if memories.is_empty() {
        return say("no session is watched here yet\n").map(|()| Exit::Fine);
    }
    let row = |memory: &Memory| {
        let report = &memory.report;
        let cap = report.cap.map_or_else(|| "no cap".to_owned(), |cap| cap.to_string());
        vec![
            Text::new(&report.session),
            Text::new(memory.scope.name()),
            Text::new(iso(Timestamp(report.updated))),
            Text::number(report.spent),
            Text::number(cap),
            Text::number(report.events.len()),
        ]
    };
    let rows = memories.iter().map(row).collect();
    let head = ["session", "rules", "last call", "spent", "cap", "events"];
    say(&table(&head, rows, stdout_is_terminal())).map(|()| Exit::Fine)
}

fn show(memories: &[Memory], json: bool) -> Result<Exit> {
    if json {
        // One object, of what changed last; what other rules remember of the same session stands in it.
        let mut all = memories.iter().map(as_json);
        let mut told = all.next().unwrap_or_default();
        if let Some(members) = told.as_object_mut() {
            members.insert("elsewhere".to_owned(), all.collect());
        }
        return say(&format!("{told}\n")).map(|()| Exit::Fine);
    }
    let texts: Vec<String> = memories.iter().map(|memory| told(memory, memories.len() > 1)).collect();
    say(&texts.join("\n")).map(|()| Exit::Fine)
}

/// One set of rules' view of a session.
fn told(memory: &Memory, is_one_of_several: bool) -> String {
    let report = &memory.report;
    let of_cap = report.cap.map_or_else(|| " (no cap)".to_owned(), |cap| format!(" of its {cap} cap"));
    let percent = report
        .cap
        .map_or_else(String::new, |cap| format!(" ({}%)", report.spent.share_of(cap) / (Nanos::DOLLAR / 100)));
    let whose = if memory.scope == Scope::User || is_one_of_several {
        format!(", by the {} in {}", rules(memory.scope), printable(&memory.root.to_string_lossy()))
    } else {
        String::new()
    };
    let mut text =
        format!("Session {} has spent {}{of_cap}{percent}{whose}.\n", printable(&report.session), report.spent);
    if report.resets > 0 {
        text.push_str(&format!(
            "Started over {} time{}; {} in all.\n",
            report.resets,
            if report.resets == 1 { "" } else { "s" },
            report.total
        ));
    }
    if report.estimated.0 > 0 {
        let models: Vec<String> = report.estimated_models.iter().map(|model| printable(model)).collect();
        let (estimated, total) = (report.estimated, report.total);
        text.push_str(&format!("{estimated} of {total} is an estimate, for {}.\n", models.join(", ")));
    }
    let row = |wire: &Wire| {
        let tone = if wire.is_reached(report) { Tone::Bad } else { Tone::Plain };
        let now = digits(wire.signal, wire.now(report));
        vec![Text::new(&wire.behavior), Text::new(wire.told()), Text::toned(now, tone)]
    };
    let rows: Vec<_> = memory.wires.iter().map(row).collect();
    text.push('\n');
    if rows.is_empty() {
        text.push_str("no enabled rule asks for a signal\n");
    } else {
        text.push_str(&table(&["wire", "acts at", "now"], rows, stdout_is_terminal()));
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
    text
}
