//! `forge behavior on` and `off`: for the project (`enabled` in the index), for one session (its `behavior_overrides`
//! in the state), or for one kind of agent (`applies_to.agents`).

use super::change::{Change, Plan, Writing, unreadable};
use super::files::Files;
use super::thresholds::unique;
use crate::cli::Exit;
use crate::cli::output::say;
use crate::edit::{Edit, New};
use crate::error::{Error, ErrorKind, Result};
use crate::host::{Host, OsHost};
use crate::model::{Behavior, FileId};
use crate::store::{self, Choice, Paths};
use crate::yaml::{self, Kind, Node, Step};
use serde_json::json;
use std::fmt::Write;

/// Arguments.
#[derive(clap::Args)]
pub(super) struct Arguments {
    /// Which behaviors
    #[arg(required = true, value_name = "ID")]
    ids: Vec<String>,
    /// In the whole project, by `enabled` in `behaviors/index.yaml`: the default
    #[arg(long, conflicts_with_all = ["session", "agent"])]
    project: bool,
    /// In one session only, at once and without compiling
    #[arg(long, value_name = "ID", conflicts_with = "compile")]
    session: Option<String>,
    /// For one kind of agent, by `applies_to.agents`; the main agent is `main`
    #[arg(long, value_name = "NAME", conflicts_with = "session")]
    agent: Option<String>,
    /// With `on --agent`: for this agent and no other
    #[arg(long, requires = "agent")]
    only: bool,
    #[command(flatten)]
    writing: Writing,
}

pub(super) fn run(arguments: &Arguments, enabled: bool) -> Result<Exit> {
    let host = OsHost::new();
    let files = Files::read(&host, arguments.writing.root.as_deref())?;
    for id in &arguments.ids {
        files.need(id)?;
    }
    if let Some(session) = &arguments.session {
        return in_session(&host, &files, arguments, (session, enabled));
    }
    let mut plan = Plan::new(&files);
    for id in unique(&arguments.ids) {
        match &arguments.agent {
            None => in_project(&mut plan, &files, id, enabled)?,
            Some(agent) => {
                let name = yaml::behavior_file(id);
                let Some(behavior) = files.behavior(id) else { return unreadable(&files, &name) };
                for_agent(&mut plan, behavior, agent, Wanted { enabled, only: arguments.only })?;
            }
        }
    }
    plan.finish(&host, &arguments.writing)
}

/// Edits the index.
fn in_project(plan: &mut Plan<'_>, files: &Files, id: &str, enabled: bool) -> Result<()> {
    let entries = Step::Key("behaviors");
    let (document, _) = yaml::parse(FileId(0), plan.text(yaml::INDEX)?);
    let listed = document
        .as_ref()
        .and_then(|document| document.at(&[entries]))
        .map_or(&[][..], |node| if let Kind::Sequence(nodes) = &node.kind { nodes } else { &[] });
    let index = listed.iter().position(|entry| scalar(entry.child(Step::Key("id"))) == Some(id));
    // The behavior's own file decides where the index says nothing.
    let said = index.and_then(|index| scalar(listed.get(index)?.child(Step::Key("enabled"))));
    let acts = match (index, said) {
        (None, _) => false,
        (Some(_), Some(said)) => said == "true",
        (Some(_), None) => files.behavior(id).is_none_or(|behavior| behavior.enabled),
    };
    let word = enabled.to_string();
    let edit = match index {
        _ if acts == enabled && said.is_none_or(|said| said == word) => None,
        None => {
            let item = New::mapping([("id", New::Text(id.to_owned())), ("enabled", New::Word(word))]);
            Some(Edit::Append { path: vec![entries], item })
        }
        Some(index) if said.is_some() || has_key(listed.get(index), "enabled") => {
            Some(Edit::Set { path: vec![entries, Step::Index(index), Step::Key("enabled")], word })
        }
        Some(index) => Some(Edit::Add {
            path: vec![entries, Step::Index(index)],
            after: "id",
            key: "enabled",
            value: New::Word(word),
        }),
    };
    if let Some(edit) = edit {
        plan.edit(yaml::INDEX, &[edit])?;
    }
    plan.note(Change { behavior: id.to_owned(), before: on_off(acts), after: on_off(enabled) });
    Ok(())
}

fn scalar(node: Option<&Node>) -> Option<&str> {
    match &node?.kind {
        Kind::Scalar { text, .. } => Some(text),
        Kind::Sequence(_) | Kind::Mapping(_) => None,
    }
}

fn has_key(node: Option<&Node>, key: &str) -> bool {
    node.is_some_and(|node| node.child(Step::Key(key)).is_some())
}

fn on_off(enabled: bool) -> String {
    String::from(if enabled { "on" } else { "off" })
}

/// What is wanted for an agent.
#[derive(Clone, Copy)]
struct Wanted {
    enabled: bool,
    only: bool,
}

/// Edits `applies_to.agents`: an empty list means every agent, so the last one cannot be taken away.
fn for_agent(plan: &mut Plan<'_>, behavior: &Behavior, agent: &str, wanted: Wanted) -> Result<()> {
    let id = &behavior.id.value;
    let agents = &behavior.applies_to.agents;
    let refuse = |what: String| Err(Error::new(ErrorKind::Content, format!("nothing was changed: {what}")));
    let place = agents.iter().position(|named| named == agent);
    let list = vec![Step::Key("applies_to"), Step::Key("agents")];
    let mut edits = Vec::new();
    let mut after: Vec<String> = agents.clone();
    match (wanted, place) {
        (Wanted { enabled: false, only: true }, _) => {
            return refuse(String::from("`--only` says for whom alone a behavior acts; use it with `on`"));
        }
        (Wanted { enabled: true, only: true }, place) => {
            after = vec![agent.to_owned()];
            if place.is_none() {
                edits.push(added(plan, id, agent)?);
            }
            for (index, _) in agents.iter().enumerate().rev().filter(|(_, named)| *named != agent) {
                edits.push(Edit::Remove { path: list.clone(), index });
            }
        }
        (Wanted { enabled: true, only: false }, None) if !agents.is_empty() => {
            after.push(agent.to_owned());
            edits.push(added(plan, id, agent)?);
        }
        (Wanted { enabled: true, only: false }, _) => {}
        (Wanted { enabled: false, .. }, _) if agents.is_empty() => {
            return refuse(format!(
                "`{id}` acts for every agent and the language has no `all but {agent}`; name those it is for with `forge behavior on {id} --agent NAME --only`"
            ));
        }
        (Wanted { enabled: false, .. }, None) => {}
        (Wanted { enabled: false, .. }, Some(_)) if agents.len() == 1 => {
            return refuse(format!(
                "`{agent}` is the only agent of `{id}`, and without one it acts for all; switch it off with `forge behavior off {id}`"
            ));
        }
        (Wanted { enabled: false, .. }, Some(index)) => {
            after.remove(index);
            edits.push(Edit::Remove { path: list, index });
        }
    }
    plan.edit(&yaml::behavior_file(id), &edits)?;
    plan.note(Change { behavior: id.clone(), before: for_whom(agents), after: for_whom(&after) });
    Ok(())
}

/// The edit that adds an agent, however much of the list is there.
fn added<'a>(plan: &Plan<'_>, id: &str, agent: &'a str) -> Result<Edit<'a>> {
    let (document, _) = yaml::parse(FileId(0), plan.text(&yaml::behavior_file(id))?);
    let at = |path: &[Step<'_>]| document.as_ref().is_some_and(|document| document.at(path).is_some());
    let list = vec![Step::Key("applies_to"), Step::Key("agents")];
    let agents = New::List(vec![agent.to_owned()]);
    Ok(if at(&list) {
        Edit::Append { path: list, item: New::Text(agent.to_owned()) }
    } else if at(&[Step::Key("applies_to")]) {
        Edit::Add { path: vec![Step::Key("applies_to")], after: "tools", key: "agents", value: agents }
    } else {
        let value = New::mapping([("agents", agents)]);
        Edit::Add { path: Vec::new(), after: "policy", key: "applies_to", value }
    })
}

fn for_whom(agents: &[String]) -> String {
    if agents.is_empty() { String::from("for every agent") } else { format!("for {}", agents.join(", ")) }
}

/// Writes the session's own choice.
fn in_session(host: &dyn Host, files: &Files, arguments: &Arguments, (session, enabled): (&str, bool)) -> Result<Exit> {
    for id in arguments.ids.iter() {
        if enabled && files.behavior(id).is_some_and(|behavior| !behavior.enabled) {
            let what =
                format!("`{id}` is off in the project, and a session can only switch off; leave out `--session`");
            return Err(Error::new(ErrorKind::Content, format!("nothing was changed: {what}")));
        }
    }
    let paths = Paths::new(&files.root);
    let mut text = String::new();
    let mut changes = Vec::new();
    for id in unique(&arguments.ids) {
        let Choice { is_known, is_new } = store::choose(host, &paths, session, id, enabled)?;
        let word = on_off(enabled);
        changes.push(json!({"behavior": id, "session": session, "enabled": enabled, "changed": is_new}));
        // Writing to a String cannot fail.
        let _ = match (is_known, is_new) {
            (true, true) => writeln!(text, "{id}: {word} in session `{session}`, from now on"),
            (true, false) => writeln!(text, "{id}: {word} already in session `{session}`"),
            (false, _) => writeln!(text, "{id}: {word} in session `{session}`, of which nothing was seen yet"),
        };
    }
    if arguments.writing.json {
        text = format!("{}\n", json!({"changes": changes}));
    }
    say(&text).map(|()| Exit::Fine)
}
