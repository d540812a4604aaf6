//! What must be blocked: taken from the tests the behaviors bring along, and tried in a copy of the project, so that
//! nobody's counters move. Where no behavior brings one, a rule that is known to block.

use super::payload::Deed;
use super::spawn::Stage;
use crate::bytecode::{container, verify};
use crate::cli::starter;
use crate::error::{Error, Result};
use crate::harness::{self, Harness, News};
use crate::host::{Host, machine};
use crate::model::{Input, OverridePolicy, Profile, Session, Signal, Signals, Timestamp};
use crate::store::{self, Paths};
use crate::{limits, vm};
use serde_json::{Map, Value, json};
use std::path::{Path, PathBuf};

/// Uses of tools of which the last must be blocked.
#[derive(Clone, Debug)]
pub(super) struct Probe {
    /// The behavior that promises it.
    pub(super) behavior: String,
    pub(super) deeds: Vec<Deed>,
}

/// One probe per behavior whose tests have one: the shortest that is plain enough to be sent to any harness; and a loop
/// where one is stopped.
pub(super) fn of_rules(host: &dyn Host, root: &Path, behaviors: &[String]) -> Vec<Probe> {
    let tested = behaviors.iter().filter_map(|behavior| of_behavior(host, root, behavior));
    tested.chain(of_loop(host, root)).collect()
}

/// Most rounds of a loop.
const LONGEST_LOOP: u64 = 10;

/// The same call over and over, or two in turn, until a rule on signals blocks: the first round at which one does is asked
/// of the machine itself, so that whatever else the rule asks for is answered as it will be.
fn of_loop(host: &dyn Host, root: &Path) -> Option<Probe> {
    let bytes = host.read(&Paths::new(root).program(), limits::PROGRAM_BYTES).ok()?;
    [&["true"][..], &["true", "echo"]].into_iter().find_map(|in_turn| {
        let deeds: Vec<Deed> = in_turn.iter().map(|command| shell(command)).collect();
        let (behavior, rounds) = (1..=LONGEST_LOOP).find_map(|rounds| {
            let mut signals = Signals::default();
            match in_turn.len() {
                1 => signals.set(Signal::Repeats, rounds),
                _ => {
                    signals.set(Signal::Repeats, 1);
                    // A cycle is none before it comes a second time.
                    signals.set(Signal::Alternations, if rounds < 2 { 0 } else { rounds });
                }
            }
            Some((blocker(&bytes, deeds.last()?, signals)?, rounds))
        })?;
        let calls = usize::try_from(rounds).ok()?.checked_mul(deeds.len())?;
        Some(Probe { behavior, deeds: deeds.into_iter().cycle().take(calls).collect() })
    })
}

fn shell(command: &str) -> Deed {
    Deed { tool: "Bash".to_owned(), input: std::iter::once(("command".to_owned(), Value::from(command))).collect() }
}

/// The rule on signals that blocks a first call of a session with these signals, if it is one that decides.
fn blocker(program: &[u8], deed: &Deed, signals: Signals) -> Option<String> {
    let payload =
        json!({"hook_event_name": "PreToolUse", "session_id": "s", "tool_name": deed.tool, "tool_input": deed.input});
    let payload = payload.to_string().into_bytes();
    let incoming = harness::read(Some(Harness::ClaudeCode), None, &payload, store::input_hash).ok()?;
    let News::Judge(judged) = &incoming.news else { return None };
    let rules = verify(container::select_for(program, &judged.call).ok()?).ok()?;
    let session = Some(Session::default());
    let (now, overrides) = (Timestamp(0), OverridePolicy::Deny { window: 0 });
    let input = Input { call: &judged.call, session, signals, now, profile: Profile::Standard, overrides };
    let outcome = vm::run(&rules, input);
    let verdict = outcome.verdicts.last().filter(|verdict| verdict.level.is_block())?;
    let block = rules.program().block(verdict.behavior).filter(|block| block.watches())?;
    Some(block.id.to_string())
}

fn of_behavior(host: &dyn Host, root: &Path, behavior: &str) -> Option<Probe> {
    let folder = root.join("behaviors").join(behavior).join("tests");
    let mut names = host.list(&folder).ok()?;
    names.sort();
    let texts = names.iter().filter_map(|name| host.read(&folder.join(name), limits::YAML_BYTES).ok());
    let deeds = texts.filter_map(|text| serde_yaml::from_slice::<Value>(&text).ok()).filter_map(|file| shortest(&file));
    Some(Probe { behavior: behavior.to_owned(), deeds: deeds.min_by_key(Vec::len)? })
}

/// The shortest way to a block in a file of scenarios.
fn shortest(file: &Value) -> Option<Vec<Deed>> {
    let scenarios = file.get("scenarios")?.as_array()?.iter();
    scenarios.filter_map(Value::as_object).filter_map(way_to_block).min_by_key(Vec::len)
}

fn way_to_block(scenario: &Map<String, Value>) -> Option<Vec<Deed>> {
    // A scenario with settings of its own (a profile, a mode) would not mean the same here.
    if !scenario.keys().all(|key| ["name", "independent", "steps"].contains(&key.as_str())) {
        return None;
    }
    let independent = scenario.get("independent") == Some(&Value::Bool(true));
    let mut deeds = Vec::new();
    for step in scenario.get("steps")?.as_array()? {
        let deed = deed(step.as_object()?);
        if is_blocked(step) {
            let last = deed?;
            return Some(if independent { vec![last] } else { deeds.into_iter().chain([last]).collect() });
        }
        if !independent {
            deeds.push(deed?);
        }
    }
    None
}

fn is_blocked(step: &Value) -> bool {
    let Some(expect) = step.get("expect") else { return false };
    matches!(expect.get("decision").unwrap_or(expect).as_str(), Some("soft_block" | "hard_block"))
}

/// A step that is a use of a tool and nothing more special.
fn deed(step: &Map<String, Value>) -> Option<Deed> {
    const FIELDS: [&str; 7] = ["command", "file_path", "content", "old_string", "pattern", "query", "url"];
    let input: Map<String, Value> = step
        .iter()
        .filter(|(key, _)| FIELDS.contains(&key.as_str()))
        .map(|(key, value)| (key.clone(), value.clone()))
        .collect();
    let is_plain = step.keys().all(|key| ["tool", "expect"].contains(&key.as_str()) || input.contains_key(key));
    let tool = step.get("tool").and_then(Value::as_str).or_else(|| input.contains_key("command").then_some("Bash"))?;
    is_plain.then(|| Deed { tool: tool.to_owned(), input })
}

/// A folder that vanishes with it.
pub(super) struct Shadow<'h> {
    host: &'h dyn Host,
    /// The whole of it.
    folder: PathBuf,
    /// The project to try in.
    pub(super) root: PathBuf,
    /// Where the user's own rules are looked for.
    pub(super) config: PathBuf,
}

impl<'h> Shadow<'h> {
    /// An empty project.
    ///
    /// # Errors
    /// When it cannot be made.
    pub(super) fn new(host: &'h dyn Host, name: &str) -> Result<Self> {
        let unique = format!("forge-doctor-{}-{}-{name}", host.parent_pid(), host.uptime().as_nanos());
        let folder = machine::temporary_folder().join(unique);
        let (root, config) = (folder.join("project"), folder.join("config"));
        for made in [&root, &config] {
            host.create_dir_all(made).map_err(|error| Error::io("make a project to try in", made, error))?;
        }
        Ok(Self { host, folder, root, config })
    }

    /// A copy of what decides in a project.
    ///
    /// # Errors
    /// When it cannot be made.
    pub(super) fn of(host: &'h dyn Host, root: &Path) -> Result<Self> {
        let shadow = Self::new(host, "project")?;
        copy(host, root, &shadow.root)?;
        Ok(shadow)
    }

    /// A copy of what decides for a user, and a project that has no rules.
    ///
    /// # Errors
    /// When it cannot be made.
    pub(super) fn of_user(host: &'h dyn Host, root: &Path) -> Result<Self> {
        let shadow = Self::new(host, "user")?;
        copy(host, root, &shadow.config.join("forge"))?;
        Ok(shadow)
    }

    /// A harness at work in it.
    pub(super) fn stage<'s>(&'s self, harness: &'s str, here: &'s Path) -> Stage<'s> {
        Stage { harness, project: &self.root, here, config: Some(&self.config) }
    }

    /// A project with nothing but forge's own rule about git: it must refuse a forced push.
    ///
    /// # Errors
    /// When it cannot be made.
    pub(super) fn with_known_rule(host: &'h dyn Host) -> Result<(Self, Probe)> {
        const RULE: &str = "no-destructive-git";
        let shadow = Self::new(host, "rule")?;
        let folder = shadow.root.join("behaviors").join(RULE);
        let failed = |error| Error::io("make a project to try in", &folder, error);
        let rule = starter::FILES.iter().filter(|(name, _)| name.contains(RULE));
        host.create_dir_all(&folder.join("tests")).map_err(failed)?;
        for (name, text) in rule {
            host.write_atomic(&shadow.root.join(name), text.as_bytes()).map_err(failed)?;
        }
        let index = format!("schema_version: \"1\"\nbehaviors:\n  - id: {RULE}\n    enabled: true\n");
        host.write_atomic(&shadow.root.join("behaviors/index.yaml"), index.as_bytes()).map_err(failed)?;
        let probe = of_behavior(host, &shadow.root, RULE);
        let deeds = probe.map(|probe| probe.deeds).unwrap_or_default();
        Ok((shadow, Probe { behavior: RULE.to_owned(), deeds }))
    }
}

/// Copies the program and what stands beside it. The folder's own `.forge` also ends the search for a project: the
/// temporary folder may itself be inside one.
fn copy(host: &dyn Host, from: &Path, to: &Path) -> Result<()> {
    let (from, to) = (Paths::new(from), Paths::new(to));
    let failed = |error| Error::io("make a project to try in", to.forge(), error);
    host.create_dir_all(&to.forge().join("compiled")).map_err(failed)?;
    for (from, to) in [(from.program(), to.program()), (from.on_error(), to.on_error())] {
        if machine::exists(&from) {
            let bytes = host.read(&from, limits::PROGRAM_BYTES);
            bytes.and_then(|bytes| host.write_atomic(&to, &bytes)).map_err(|error| Error::io("copy", &from, error))?;
        }
    }
    Ok(())
}

impl Drop for Shadow<'_> {
    fn drop(&mut self) {
        // A leftover in the temporary folder is the system's to clean.
        let _ = self.host.remove(&self.folder);
    }
}
