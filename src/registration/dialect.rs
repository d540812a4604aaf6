//! What differs between harnesses: where the file is, how an entry looks, what a person must still do.
//! Data and the few functions that read it; the data itself is in `table`.

use super::command::HookCommand;
use super::layout::Json;
use super::need::{Moment, Need, Needs, Tools};
use super::settings::{Entry, Shape};
use super::table;
use crate::shell::Shell;
use std::collections::BTreeSet;

/// Whose sessions are governed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scope {
    /// All sessions of this user.
    User,
    /// All sessions in this project, of everyone who has the file.
    Project,
    /// This user's sessions in this project.
    Local,
}

impl Scope {
    /// All of them.
    pub const ALL: [Self; 3] = [Self::User, Self::Project, Self::Local];

    /// The word for it.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::User => "user",
            Self::Project => "project",
            Self::Local => "local",
        }
    }
}

/// A harness's way of registering hooks.
#[derive(Debug)]
pub struct Dialect {
    /// The harness, as `forge-hook --harness` takes it.
    pub harness: &'static str,
    /// What people call it.
    pub title: &'static str,
    /// A variable that moves the user's folder, and the part of the user's paths that it replaces.
    pub(super) moved_by: Option<(&'static str, &'static str)>,
    /// The user's file, below the home folder. Of several the first that exists, else the last.
    pub(super) user: &'static [&'static str],
    /// The project's file, below the project's root; as `user`.
    pub(super) project: &'static [&'static str],
    /// The file for this user in this project.
    pub(super) local: Option<&'static str>,
    /// How the entries stand in a file of this name.
    pub(super) form: Form,
    /// The harness's word for a moment; none when it has no such moment, several when it has one per tool.
    pub(super) events: fn(Moment) -> &'static [&'static str],
    /// What to do after writing, by people.
    pub(super) afterwards: &'static [&'static str],
}

/// How entries are written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Form {
    /// `hooks.Event[] = {matcher, hooks: [handler]}`.
    Groups(Handler),
    /// The same below another key than `hooks`.
    NamedGroups(&'static str, Handler),
    /// `hooks.event[] = handler`, with what a new file needs besides.
    List(Handler, &'static [Besides]),
    /// A program of the harness's own plugin language, as a whole file.
    Plugin,
}

/// A member of a new file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Besides {
    /// `"version": 1`.
    Version,
    /// `"name": "forge"`.
    Name,
    /// `"tools": ["*"]`.
    Tools,
}

/// How a handler looks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Handler {
    /// Started directly, with `args`; can refuse when it cannot run.
    Exec,
    /// A shell's line; `timeout` in seconds.
    Seconds,
    /// A shell's line; `timeout` in milliseconds, with a `name`.
    NamedMillis,
    /// A shell's line without a time limit.
    Untimed,
    /// Only the line and the time in seconds; can refuse when it cannot run.
    Bare,
    /// Only the line and `timeout_ms`.
    BareMillis,
    /// Only the line.
    Line,
    /// One line for each kind of shell, `timeoutSec`.
    Shells,
}

/// How long a hook may take: forge itself waits two seconds for another's lock, the rest is for a machine that swaps.
const TIMEOUT_SECONDS: u32 = 30;

impl Dialect {
    /// Every harness that can be installed into.
    pub const ALL: &'static [Self] = table::ALL;

    /// The one of this name.
    #[must_use]
    pub fn named(harness: &str) -> Option<&'static Self> {
        Self::ALL.iter().find(|dialect| dialect.harness == harness)
    }

    /// The harness's word for a moment; none when it has no such moment, several when it has one per tool.
    #[must_use]
    pub fn words(&self, moment: Moment) -> &'static [&'static str] {
        (self.events)(moment)
    }

    /// What a person must still do after the file was written.
    #[must_use]
    pub const fn afterwards(&self) -> &'static [&'static str] {
        self.afterwards
    }

    /// Whether the file is a program of ours alone instead of settings with entries.
    #[must_use]
    pub fn is_plugin(&self) -> bool {
        self.form == Form::Plugin
    }

    /// Where entries stand in a file of this name.
    #[must_use]
    pub fn shape(&self, file_name: &str) -> Shape {
        let besides = |besides: &[Besides]| besides.iter().map(|one| one.member()).collect();
        match self.form {
            // Droid's own file has the events at its top; its settings have them below `hooks` as Claude Code's do.
            Form::Groups(_) if self.harness == "droid" && file_name == "hooks.json" => {
                Shape { key: None, grouped: true, besides: Vec::new() }
            }
            Form::Groups(_) | Form::Plugin => Shape { key: Some("hooks"), grouped: true, besides: Vec::new() },
            Form::NamedGroups(key, _) => Shape { key: Some(key), grouped: true, besides: Vec::new() },
            Form::List(_, members) => Shape { key: Some("hooks"), grouped: false, besides: besides(members) },
        }
    }

    /// The entries a program needs here, with the hook's path.
    #[must_use]
    pub fn entries(&self, needs: &Needs, program: &str) -> Vec<Entry> {
        let mut entries = Vec::new();
        for need in &needs.calls {
            for event in (self.events)(need.moment) {
                let command = HookCommand::new(program, self.harness, event);
                let value = self.element(need, &command, needs.fails_closed);
                entries.push(Entry { event: (*event).to_owned(), value });
            }
        }
        entries
    }

    fn element(&self, need: &Need, command: &HookCommand, fails_closed: bool) -> Json {
        match self.form {
            Form::Groups(handler) | Form::NamedGroups(_, handler) => {
                let hooks = ("hooks".to_owned(), Json::List(vec![handler.written(need, command, fails_closed)]));
                let matcher = self.matcher(need).map(|matcher| ("matcher".to_owned(), Json::text(matcher)));
                Json::Map(matcher.into_iter().chain([hooks]).collect())
            }
            Form::List(handler, _) => handler.written(need, command, fails_closed),
            Form::Plugin => Json::Map(Vec::new()),
        }
    }

    /// Names are handed on to Claude Code alone, whose names ours are. Elsewhere the hook is called for every tool: a
    /// name missed in translation would be a rule that is never asked.
    fn matcher(&self, need: &Need) -> Option<String> {
        let has_tool = matches!(need.moment, Moment::PreToolUse | Moment::PostToolUse | Moment::PostToolUseFailure);
        match &need.tools {
            Tools::Named(names) if has_tool && self.harness == "claude-code" => Some(matcher_of(names)),
            Tools::Named(_) | Tools::All => has_tool.then(|| "*".to_owned()),
        }
    }
}

/// Tools that are one to forge and several to Claude Code: what runs commands, and the old name of `Agent`.
const ALSO: &[(&str, &[&str])] = &[("Bash", &["Monitor", "PowerShell"]), ("Agent", &["Task"])];

fn matcher_of(names: &BTreeSet<String>) -> String {
    let also = ALSO.iter().filter(|(name, _)| names.contains(*name)).flat_map(|(_, also)| *also);
    let all: BTreeSet<&str> = names.iter().map(String::as_str).chain(also.copied()).collect();
    let is_listable = |name: &&str| name.chars().all(|c| c.is_ascii_alphanumeric() || "_-".contains(c));
    // A name with other letters would turn the list into a regular expression.
    if all.iter().all(is_listable) { all.into_iter().collect::<Vec<_>>().join("|") } else { "*".to_owned() }
}

impl Besides {
    fn member(self) -> (&'static str, Json) {
        match self {
            Self::Version => ("version", Json::Number(1)),
            Self::Name => ("name", Json::text("forge")),
            Self::Tools => ("tools", Json::List(vec![Json::text("*")])),
        }
    }
}

impl Handler {
    fn written(self, need: &Need, command: &HookCommand, fails_closed: bool) -> Json {
        let line = || Json::Text(command.line(Shell::NATIVE));
        let kind = || Json::text("command");
        let millis = Json::Number(TIMEOUT_SECONDS.saturating_mul(1000));
        let seconds = Json::Number(TIMEOUT_SECONDS);
        let closed = fails_closed && need.moment == Moment::PreToolUse;
        match self {
            Self::Exec => {
                let arguments = command.arguments.iter().map(Json::text).collect();
                let program = Json::text(&command.program);
                let timeout = seconds;
                let exec = Json::map([("type", kind()), ("command", program), ("args", Json::List(arguments))]);
                exec.with("timeout", timeout).with_if(closed, "onFailure", Json::text("block"))
            }
            Self::Seconds => Json::map([("type", kind()), ("command", line()), ("timeout", seconds)]),
            Self::NamedMillis => {
                Json::map([("type", kind()), ("name", Json::text("forge")), ("command", line()), ("timeout", millis)])
            }
            Self::Untimed => Json::map([("type", kind()), ("command", line())]),
            Self::Bare => {
                Json::map([("command", line()), ("timeout", seconds)]).with_if(closed, "failClosed", Json::True)
            }
            Self::BareMillis => Json::map([("command", line()), ("timeout_ms", millis)]),
            Self::Line => Json::map([("command", line())]),
            Self::Shells => Json::map([
                ("type", kind()),
                ("bash", Json::Text(command.line(Shell::Posix))),
                ("powershell", Json::Text(command.line(Shell::PowerShell))),
                ("timeoutSec", seconds),
            ]),
        }
    }
}
