//! `forge new`: a behavior to start from, with scenarios that pass and its line in the index. Overwrites nothing.

use super::output::say;
use super::{Exit, project};
use crate::edit::{Edit, New, edited, spelled};
use crate::error::{Error, ErrorKind, Result};
use crate::host::{Entry, Host, OsHost, machine};
use crate::limits;
use crate::validate::is_id;
use crate::yaml::{self, Step};
use std::io;
use std::path::{Path, PathBuf};

/// Arguments.
#[derive(clap::Args)]
pub(super) struct Arguments {
    /// Its name: small letters, digits and dashes
    id: String,
    /// The project's folder; without it, the nearest one upward that has `behaviors/` or `.forge/`
    #[arg(long, value_name = "DIR")]
    root: Option<PathBuf>,
}

const BEHAVIOR: &str = r#"schema_version: "1"
id: {id}
name: "{name}"
# What is expected of the agent, and why.
description: Commands that begin with `example-command` are not run here.
category: experimental
scope: session

policy:
  triggers:
    # A call that fits is a violation. This one looks at the commands of Bash.
    - event: PreToolUse
      matcher: Bash
      conditions:
        - field: command
          operator: regex_match
          value: '^[\x20\t]*example-command\b'
  enforcement:
    # silent < nudge < warning < soft_block < hard_block; the first violation gets the default.
    default_level: nudge
    escalation:
      - { after: 2, level: warning }
      - { after: 3, level: soft_block }
  recovery:
    hint: Ask for what you need instead of running example-command.
"#;

const SCENARIOS: &str = r#"schema_version: "1"
# Played by `forge test`. Say what must be answered, and what must pass.
scenarios:
  - name: the command is answered more firmly each time
    steps:
      - { command: example-command now, expect: { decision: nudge, counter: 1 } }
      - { command: example-command now, expect: { decision: warning, counter: 2 } }
      - { command: example-command now, expect: { decision: soft_block, counter: 3 } }
  - name: other commands pass
    steps:
      - { command: echo example-command, expect: { decision: pass, counter: 0 } }
"#;

pub(super) fn run(arguments: &Arguments) -> Result<Exit> {
    let host = OsHost::new();
    let root = project::root(&host, arguments.root.as_deref())?;
    let id = arguments.id.as_str();
    if !is_id(id) {
        let what = "small letters, digits and dashes, beginning with a letter, not ending with a dash, at least two";
        return Err(Error::new(ErrorKind::Usage, format!("`{id}` cannot be a behavior's id; write {what}")));
    }
    let folder = root.join("behaviors").join(id);
    if host.entry(&folder) != Entry::Nothing {
        return Err(Error::new(ErrorKind::Usage, "is there already; choose another id, or edit it").at(&folder));
    }
    // The index first in thought, last in deed: what it cannot take is found out before anything is written.
    let index = root.join(yaml::INDEX);
    let listed = listed(&host, &index, id)?;
    let behavior = BEHAVIOR.replace("{id}", &spelled(id)).replace("{name}", &name(id));
    let files = [
        (yaml::behavior_file(id), behavior),
        (format!("behaviors/{id}/tests/scenarios.yaml"), SCENARIOS.to_owned()),
        (yaml::INDEX.to_owned(), listed),
    ];
    let mut text = String::new();
    for (name, content) in &files {
        write(&host, &root.join(name), content)?;
        text.push_str(&format!("wrote {name}\n"));
    }
    text.push_str(&format!("next: edit {}, then `forge test` and `forge compile`\n", yaml::behavior_file(id)));
    say(&text).map(|()| Exit::Fine)
}

/// The index with the new behavior in it, the last to be evaluated.
fn listed(host: &dyn Host, index: &Path, id: &str) -> Result<String> {
    let text = match host.read(index, limits::YAML_BYTES) {
        Ok(bytes) => String::from_utf8(bytes)
            .map_err(|_| Error::new(ErrorKind::Content, "nothing was written: it is not UTF-8").at(index))?,
        Err(error) if error.kind() == io::ErrorKind::NotFound => String::from("schema_version: \"1\"\nbehaviors:\n"),
        Err(error) => return Err(Error::io("read the index", index, error)),
    };
    let item = New::mapping([("id", New::Text(id.to_owned())), ("enabled", New::Word(String::from("true")))]);
    edited(&text, &[Edit::Append { path: vec![Step::Key("behaviors")], item }]).map_err(|refused| {
        let what = format!("nothing was written: line {}: {refused}", refused.place().line.max(1));
        Error::new(ErrorKind::Content, what).at(index)
    })
}

fn write(host: &dyn Host, path: &Path, text: &str) -> Result<()> {
    let failed = |error| Error::io("write", path, error);
    if let Some(folder) = path.parent() {
        host.create_dir_all(folder).map_err(failed)?;
    }
    machine::rewrite(path, text.as_bytes()).map_err(failed)
}

/// `no-npm-publish` as `No npm publish`.
fn name(id: &str) -> String {
    let words = id.replace('-', " ");
    let mut letters = words.chars();
    letters.next().map(|first| first.to_ascii_uppercase()).into_iter().chain(letters).collect()
}
