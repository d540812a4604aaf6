//! Whether a call goes in circles: the same again, or two or three in turn, with nothing changed in between.
//! Works on one agent's memory; reads no file. Which calls repeat on purpose is a table here.

use super::fact::{Hash, hash};
use super::hashes::Past;
use super::state::{Agent, push_bounded};
use crate::limits;
use crate::store;
use serde_json::Value;
use std::borrow::Cow;

/// A tool call about to be made.
#[derive(Clone, Copy, Debug)]
pub struct Attempt<'a> {
    /// The tool, by forge's name.
    pub tool: &'a str,
    /// The tool, by the harness's own name.
    pub own: &'a str,
    /// Its input as JSON.
    pub input: &'a str,
    /// The harness's id of this very call.
    pub id: Option<&'a str>,
}

/// How often a call has come round.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Rounds {
    /// This exact call, this one included.
    pub(super) repeats: u64,
    /// The cycle of two or three different calls it ends; 0 when it ends none that came twice.
    pub(super) alternations: u64,
}

/// Calls that change nothing: with only these in between, a repeat is still a repeat.
const READ_ONLY: &[&str] = &["Read", "Grep", "Glob", "LS", "NotebookRead", "WebFetch", "WebSearch", "ToolSearch"];

/// Calls repeated on purpose, lower case, without a server's prefix: they start or message subagents, wait, or ask.
const ON_PURPOSE: &[&str] = &[
    "agent",
    "task",
    "spawn_agent",
    "followup_task",
    "send_message",
    "sendmessage",
    "wait",
    "wait_agent",
    "sleep",
    "taskoutput",
    "bashoutput",
    "monitor",
    "schedulewakeup",
    "list_agents",
    "listagents",
    "askuserquestion",
    "exitplanmode",
    "request_user_input",
    "request_user_input_async",
    // Codex polls a running command by sending it nothing.
    "write_stdin",
];

/// Browser steps repeated on purpose.
const STEPS: &[&str] = &["scroll", "key", "press_key", "wait"];

const SHELLS: &[&str] = &["Bash", "exec_command", "shell", "shell_command", "local_shell", "container.exec"];

/// Takes note of a call and counts its rounds.
pub(super) fn note(agent: &mut Agent, attempt: &Attempt<'_>, now: i64) -> Rounds {
    let input: Option<Value> = needs_input(attempt).then(|| serde_json::from_str(attempt.input).ok()).flatten();
    if is_on_purpose(attempt, input.as_ref()) {
        agent.counts.clear();
        agent.past.clear();
        return Rounds::default();
    }
    let call = fingerprint(attempt, input);
    let id = attempt.id.map(|id| hash(&["call", id]));
    let so_far = agent.counts.iter().find(|(counted, _)| *counted == call).map_or(0, |(_, count)| *count);
    let earlier = agent.past.newest(call);
    if earlier.is_some_and(|past| is_one_batch(agent, &past, id, now)) {
        // One of several identical calls of one turn: the agent has not seen an answer it could be ignoring.
        return Rounds { repeats: so_far.max(1), alternations: 0 };
    }
    let changes_nothing = READ_ONLY.contains(&attempt.tool);
    let repeats = so_far.saturating_add(1);
    if changes_nothing {
        agent.counts.retain(|(counted, _)| *counted != call);
        push_bounded(&mut agent.counts, (call, repeats), limits::SIGNAL_CALLS);
    } else {
        agent.counts = vec![(call, repeats)];
    }
    agent.past.push(Past { call, id, at: now, changes_nothing, is_answered: false }, limits::SIGNAL_CALLS);
    // A cycle that has come before holds this call.
    let alternations = if earlier.is_some() { alternations(agent) } else { 0 };
    Rounds { repeats, alternations }
}

/// The cycles in a row that an agent's newest call ends.
pub(super) fn alternations(agent: &Agent) -> u64 {
    let all: Vec<Past> = agent.past.iter().rev().collect();
    if all.first().is_none_or(|newest| newest.changes_nothing) {
        return rounds(&all);
    }
    let acting: Vec<Past> = all.iter().copied().filter(|past| !past.changes_nothing).collect();
    rounds(&all).max(rounds(&acting))
}

/// How often the newest cycle of two or three different calls came in a row, newest call first; 0 when only once, or
/// when all of it only reads, as going back and forth between two files does.
fn rounds(newest_first: &[Past]) -> u64 {
    let of_period = |period: usize| {
        let mut cycles = newest_first.chunks_exact(period);
        let Some(cycle) = cycles.next() else { return 0 };
        let are_different =
            cycle.iter().enumerate().all(|(at, past)| cycle.iter().skip(at + 1).all(|it| it.call != past.call));
        if !are_different || cycle.iter().all(|past| past.changes_nothing) {
            return 0;
        }
        let same = |other: &&[Past]| other.iter().zip(cycle).all(|(one, two)| one.call == two.call);
        cycles.take_while(same).count() + 1
    };
    let most = of_period(2).max(of_period(3));
    if most < 2 { 0 } else { u64::try_from(most).unwrap_or(u64::MAX) }
}

/// Seconds within which a transcript shows an answer at the latest. It is written with some delay.
const DELAY: u64 = 2;

/// Whether two identical calls are of one turn: they stand in one response, or the earlier one is not answered yet.
/// Where a transcript tells neither, they are not: a loop must not go unseen because its transcript cannot be read.
fn is_one_batch(agent: &Agent, earlier: &Past, id: Option<Hash>, now: i64) -> bool {
    let Some(earlier_id) = earlier.id else { return false };
    if id == Some(earlier_id) {
        // The very same call, told twice: the hook is registered in two places.
        return true;
    }
    let response = |id: Hash| agent.asked.iter().rev().find(|(asked, _)| *asked == id).map(|(_, response)| *response);
    let is_one_response = id.and_then(response).is_some_and(|it| response(earlier_id) == Some(it));
    let is_recent = agent.is_matched && now.abs_diff(earlier.at) <= DELAY;
    is_one_response || (!earlier.is_answered && (is_recent || agent.open.contains(earlier_id)))
}

fn needs_input(attempt: &Attempt<'_>) -> bool {
    SHELLS.contains(&attempt.tool) || attempt.input.contains("\"action\"")
}

fn is_on_purpose(attempt: &Attempt<'_>, input: Option<&Value>) -> bool {
    // Claude Code's `Monitor` is a shell command to every other rule; its own name alone says that it waits.
    for name in [attempt.tool, attempt.own] {
        let name = name.rsplit("__").next().unwrap_or(name).to_ascii_lowercase();
        if ON_PURPOSE.contains(&&*name) || name.ends_with("press_key") {
            return true;
        }
    }
    let Some(input) = input else { return false };
    let action = input.get("action").and_then(Value::as_str).unwrap_or_default().to_ascii_lowercase();
    STEPS.contains(&&*action) || (SHELLS.contains(&attempt.tool) && command(input).is_some_and(waits))
}

/// The command as one text; a list of words counts as well.
fn command(input: &Value) -> Option<Cow<'_, str>> {
    match input.get("command").or_else(|| input.get("cmd"))? {
        Value::String(text) => Some(Cow::Borrowed(text)),
        Value::Array(words) => Some(words.iter().filter_map(Value::as_str).collect::<Vec<_>>().join(" ").into()),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::Object(_) => None,
    }
}

/// Whether a command waits, which makes it a poll and no loop.
#[allow(clippy::needless_pass_by_value, reason = "the command is used up")]
fn waits(command: Cow<'_, str>) -> bool {
    command
        .split(|letter: char| !letter.is_alphanumeric() && letter != '_')
        .any(|word| word == "sleep" || word == "wait")
}

/// A call's tool and input, as a hash. For a shell the label is left out, and runs of spaces count as one.
fn fingerprint(attempt: &Attempt<'_>, input: Option<Value>) -> Hash {
    let shell = input.filter(|_| SHELLS.contains(&attempt.tool)).and_then(|input| match input {
        Value::Object(object) => Some(object),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) | Value::Array(_) => None,
    });
    match shell {
        Some(mut object) => {
            object.remove("description");
            for key in ["command", "cmd"] {
                if let Some(Value::String(text)) = object.get_mut(key) {
                    *text = text.split_whitespace().collect::<Vec<_>>().join(" ");
                }
            }
            hash(&["attempt", attempt.tool, &Value::Object(object).to_string()])
        }
        None => hash(&["attempt", attempt.tool, &store::input_hash(attempt.input).0]),
    }
}

/// The user said something new: what went before is over.
pub(super) fn turn_to(agent: &mut Agent, prompt: &str) {
    let prompt = hash(&["prompt", prompt]);
    if agent.prompt != prompt {
        agent.prompt = prompt;
        agent.counts.clear();
        agent.past.clear();
    }
}
