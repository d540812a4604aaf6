//! The arguments that describe one event, and the payload they mean.

use crate::diagnostic::nearest;
use crate::error::{Error, ErrorKind, Result};
use crate::harness::Harness;
use crate::host::machine;
use crate::limits;
use crate::model::{Event, Field, Profile, Signal, Signals};
use crate::registration::{Dialect, Moment};
use crate::scenario::Shorthand;
use crate::yaml::condition::{amount, wanted};
use std::io::Read as _;
use std::path::{Path, PathBuf};

/// EventArguments.
#[derive(clap::Args, Clone, Debug, Default)]
pub(in crate::cli) struct EventArguments {
    /// A payload as a harness sends it: a file, or `-` for standard input
    #[arg(value_name = "PAYLOAD", conflicts_with_all = ["tool", "input", "agent", "command", "file_path", "content",
        "old_string", "pattern", "query", "url", "prompt"])]
    payload: Option<PathBuf>,
    /// The tool; `Bash` when there is a --command
    #[arg(long, value_name = "NAME")]
    tool: Option<String>,
    /// A shell command
    #[arg(long, value_name = "TEXT", allow_hyphen_values = true)]
    command: Option<String>,
    /// The file a tool works on
    #[arg(long, value_name = "PATH")]
    file_path: Option<String>,
    /// The new text of a file
    #[arg(long, value_name = "TEXT", allow_hyphen_values = true)]
    content: Option<String>,
    /// The text an edit replaces
    #[arg(long, value_name = "TEXT", allow_hyphen_values = true)]
    old_string: Option<String>,
    /// A search pattern
    #[arg(long, value_name = "TEXT", allow_hyphen_values = true)]
    pattern: Option<String>,
    /// A web search
    #[arg(long, value_name = "TEXT", allow_hyphen_values = true)]
    query: Option<String>,
    /// An address
    #[arg(long, value_name = "URL")]
    url: Option<String>,
    /// The user's prompt, or a tool's instructions
    #[arg(long, value_name = "TEXT", allow_hyphen_values = true)]
    prompt: Option<String>,
    /// More of the tool's input, as a JSON object
    #[arg(long, value_name = "JSON")]
    input: Option<String>,
    /// The moment: `PreToolUse` for a tool, `UserPromptSubmit` for a prompt; of a payload, the harness's own name for it
    #[arg(long, value_name = "NAME")]
    event: Option<String>,
    /// The agent's type, for subagents
    #[arg(long, value_name = "NAME")]
    agent: Option<String>,
    /// The session to judge it in, as it is now; without it, a fresh one
    #[arg(long, value_name = "ID")]
    session: Option<String>,
    /// The profile; without it, `FORGE_HOOK_PROFILE`
    #[arg(long, value_name = "NAME", value_parser = profile)]
    profile: Option<Profile>,
    /// What the session's transcript says, as `repeats=3` or `spend_usd=4.5`; without it, 0
    #[arg(long = "signal", value_name = "NAME=VALUE", value_parser = signal)]
    signals: Vec<(Signal, u64)>,
    /// The harness: who sent the payload, or whose answer is wanted
    #[arg(long, value_name = "NAME", value_parser = harness)]
    harness: Option<Harness>,
    /// The project's folder; without it, found as the hook finds it
    #[arg(long, value_name = "DIR")]
    root: Option<PathBuf>,
    /// Judge by the compiled program even when the sources have changed, as the hook does now
    #[arg(long)]
    compiled: bool,
}

/// An event, told.
pub(super) struct Told {
    pub(super) payload: String,
    pub(super) harness: Option<Harness>,
    /// The harness's name of the event, when the payload has none.
    pub(super) event: Option<String>,
    /// Whose answer is wanted, and at which of its events, when that is another.
    pub(super) answered_as: Option<(Harness, &'static str)>,
}

impl EventArguments {
    pub(super) fn session(&self) -> Option<&str> {
        self.session.as_deref()
    }

    pub(super) fn profile(&self) -> Option<Profile> {
        self.profile
    }

    pub(super) fn signals(&self) -> Signals {
        let mut signals = Signals::default();
        self.signals.iter().for_each(|(signal, value)| signals.set(*signal, *value));
        signals
    }

    pub(super) fn root(&self) -> Option<&Path> {
        self.root.as_deref()
    }

    pub(super) fn is_compiled(&self) -> bool {
        self.compiled
    }

    /// The event as a payload.
    ///
    /// # Errors
    /// When a payload cannot be read, or the arguments mean no event.
    pub(super) fn told(&self) -> Result<Told> {
        match &self.payload {
            Some(path) => {
                let (harness, event) = (self.harness, self.event.clone());
                Ok(Told { payload: payload(path)?, harness, event, answered_as: None })
            }
            None => self.built(),
        }
    }

    fn built(&self) -> Result<Told> {
        let fields = [
            (Field::Command, &self.command),
            (Field::FilePath, &self.file_path),
            (Field::Content, &self.content),
            (Field::OldString, &self.old_string),
            (Field::Pattern, &self.pattern),
            (Field::Query, &self.query),
            (Field::Url, &self.url),
            (Field::Prompt, &self.prompt),
        ];
        let fields = fields.into_iter().filter_map(|(field, text)| Some((field, text.clone()?))).collect();
        let input = match self.input.as_deref().map(serde_json::from_str) {
            None => serde_json::Map::new(),
            Some(Ok(serde_json::Value::Object(input))) => input,
            Some(_) => return Err(usage("`--input` is not a JSON object; write `--input '{\"key\": \"value\"}'`")),
        };
        let event = self.event.as_deref().map(event).transpose()?;
        let (tool, agent, session) = (self.tool.clone(), self.agent.clone(), self.session.clone());
        let short = Shorthand { event, tool, fields, input, agent, session, ..Shorthand::default() };
        let Some(payload) = short.payload() else {
            let what = match event {
                Some(event) => format!("`{event}` is about a tool; name it with `--tool`"),
                None => "no event; name a payload file (`-` for standard input), or describe one with `--tool`, \
                         `--command` or `--prompt`"
                    .to_owned(),
            };
            return Err(usage(what));
        };
        let moment = short.moment().unwrap_or(Event::PreToolUse);
        let answered_as = self.harness.filter(|harness| *harness != Harness::ClaudeCode);
        let answered_as = answered_as.map(|harness| native(harness, moment).map(|name| (harness, name))).transpose()?;
        Ok(Told { payload, harness: Some(Harness::ClaudeCode), event: None, answered_as })
    }
}

/// A harness's own name of a moment.
fn native(harness: Harness, event: Event) -> Result<&'static str> {
    let moment = match event {
        Event::PreToolUse => Moment::PreToolUse,
        Event::PostToolUse => Moment::PostToolUse,
        Event::UserPromptSubmit => Moment::UserPromptSubmit,
        Event::Stop => Moment::Stop,
    };
    // A plugin speaks Claude Code's words.
    let Some(dialect) = Dialect::named(harness.name()).filter(|dialect| !dialect.is_plugin()) else {
        return Ok(event.name());
    };
    dialect.words(moment).first().copied().ok_or_else(|| usage(format!("{harness} has no event like `{event}`")))
}

fn payload(path: &Path) -> Result<String> {
    let bytes = if path == Path::new("-") {
        let mut bytes = Vec::new();
        let limit = limits::PAYLOAD_BYTES as u64;
        let read = std::io::stdin().lock().take(limit).read_to_end(&mut bytes);
        read.map(|_| bytes).map_err(|error| Error::io("read", Path::new("standard input"), error))?
    } else {
        machine::read_stream(path, limits::PAYLOAD_BYTES).map_err(|error| Error::io("read the payload", path, error))?
    };
    String::from_utf8(bytes).map_err(|_| Error::new(ErrorKind::BadInput, "the payload is not UTF-8").at(path))
}

fn usage(what: impl Into<String>) -> Error {
    Error::new(ErrorKind::Usage, what)
}

fn event(word: &str) -> Result<Event> {
    Event::from_name(word).ok_or_else(|| usage(unknown(word, Event::NAMES)))
}

fn signal(word: &str) -> std::result::Result<(Signal, u64), String> {
    let (name, digits) = word.split_once('=').ok_or("write `NAME=VALUE`, such as `repeats=3`")?;
    let watched = Signal::ALL.iter().copied().filter(|signal| signal.is_watched());
    let names: Vec<&str> = watched.clone().map(Signal::name).collect();
    let signal = watched.into_iter().find(|signal| signal.name() == name).ok_or_else(|| unknown(name, &names))?;
    let (kind, example) = wanted(signal);
    let value = amount(signal, digits).ok_or_else(|| format!("`{name}` is {kind}, such as `{example}`"))?;
    Ok((signal, value))
}

fn profile(word: &str) -> std::result::Result<Profile, String> {
    Profile::from_name(word).ok_or_else(|| unknown(word, Profile::NAMES))
}

fn harness(word: &str) -> std::result::Result<Harness, String> {
    Harness::from_name(word).ok_or_else(|| unknown(word, Harness::NAMES))
}

fn unknown(word: &str, known: &[&str]) -> String {
    match nearest(word, known.iter().copied()) {
        Some(near) => format!("`{word}` is unknown; did you mean `{near}`?"),
        None => format!("`{word}` is unknown; write one of {}", known.join(", ")),
    }
}
