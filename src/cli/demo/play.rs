//! Plays payloads through `forge-hook`, one process each, and reads what it remembered after each.

use crate::error::{Error, Result};
use crate::host::Host;
use crate::limits;
use crate::store::Paths;
use serde_json::Value;
use std::io::Write;
use std::path::Path;
use std::process::{Command, Stdio};

/// One payload and what became of it.
pub(super) struct Step {
    pub(super) payload: Value,
    /// The hook's answer; null when it said nothing.
    pub(super) answer: Value,
    /// The behaviors this step changed, with counter and level afterwards.
    pub(super) counts: Vec<(String, u64, String)>,
    /// Whether this step recorded an override.
    pub(super) is_override: bool,
}

pub(super) fn session(host: &dyn Host, hook: &Path, project: &Path, payloads: &str) -> Result<Vec<Step>> {
    let mut steps = Vec::new();
    let mut before = Value::Null;
    for line in payloads.lines() {
        let payload: Value = serde_json::from_str(line).unwrap_or_default();
        let answer = answer(hook, project, line)?;
        let after = session_state(host, project);
        let is_override = overrides(&after) > overrides(&before);
        steps.push(Step { payload, answer, counts: counts(&before, &after), is_override });
        before = after;
    }
    Ok(steps)
}

fn answer(hook: &Path, project: &Path, payload: &str) -> Result<Value> {
    let failed = |error| Error::io("run the hook", hook, error);
    let mut child = Command::new(hook)
        .args(["--harness", "claude-code", "--root"])
        .arg(project)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .map_err(failed)?;
    if let Some(mut stdin) = child.stdin.take() {
        stdin.write_all(payload.as_bytes()).map_err(failed)?;
    }
    let output = child.wait_with_output().map_err(failed)?;
    Ok(serde_json::from_slice(&output.stdout).unwrap_or_default())
}

/// The entry of the one session there is.
fn session_state(host: &dyn Host, project: &Path) -> Value {
    let bytes = host.read(&Paths::new(project).state(), limits::STATE_BYTES).unwrap_or_default();
    let state: Value = serde_json::from_slice(&bytes).unwrap_or_default();
    let sessions = state.get("sessions").and_then(Value::as_object);
    sessions.and_then(|sessions| sessions.values().next().cloned()).unwrap_or_default()
}

fn behaviors(session: &Value) -> impl Iterator<Item = (&String, &Value)> {
    session.get("behaviors").and_then(Value::as_object).into_iter().flatten()
}

fn overrides(session: &Value) -> usize {
    behaviors(session).filter_map(|(_, state)| state.get("overrides")?.as_array()).map(Vec::len).sum()
}

fn counter(state: &Value) -> u64 {
    state.get("counter").and_then(Value::as_u64).unwrap_or_default()
}

fn counts(before: &Value, after: &Value) -> Vec<(String, u64, String)> {
    let earlier = |id: &str| behaviors(before).find(|(other, _)| *other == id).map_or(0, |(_, state)| counter(state));
    behaviors(after)
        .filter(|(id, state)| counter(state) != earlier(id))
        .map(|(id, state)| {
            let level = state.get("effective_level").and_then(Value::as_str).unwrap_or_default();
            (id.clone(), counter(state), level.to_owned())
        })
        .collect()
}
