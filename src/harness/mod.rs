//! The only files that know an agent's JSON: payload in, answer out, one file per harness.
//! May use `model` and `error`. What all harnesses share is here and in `json`, `input`, `detect`; what one of them
//! does differently is in its file alone, as overrides of the trait in `dialect`.

mod antigravity;
mod claude_code;
mod codex;
mod copilot;
mod cursor;
mod detect;
mod dialect;
mod droid;
mod gemini;
mod grok;
mod input;
mod json;
mod judged;
mod kiro;
mod nested;
mod opencode;
mod patch;
mod qwen;
mod reply;
mod sender;
mod vscode;
mod windsurf;

pub use reply::{Answer, Decision, Reply};
pub use sender::{Harness, Sender};

use crate::model::{Call, Event, InputHash};
use dialect::Moment;
use std::borrow::Cow;

/// What a harness says.
#[derive(Debug)]
pub struct Incoming<'a> {
    /// Who says it, and therefore how the answer must look.
    pub sender: Sender<'a>,
    /// What it is about.
    pub news: News<'a>,
    /// The tool call that has run, if that is what is told: proof that it was allowed.
    pub settled: Option<Cow<'a, str>>,
    /// The session, where the harness names one.
    pub session_id: Option<Cow<'a, str>>,
    /// The folder the agent works in.
    pub cwd: Option<Cow<'a, str>>,
    /// The file that records the session.
    pub transcript_path: Option<Cow<'a, str>>,
    /// The very subagent, where the harness tells them apart.
    pub agent_id: Option<Cow<'a, str>>,
    /// The prompt the agent works on; another one is news from the user.
    pub turn: Option<Cow<'a, str>>,
    /// The model.
    pub model: Option<Cow<'a, str>>,
    /// The tool by the harness's own name, which can say more than ours: a `Monitor` runs a command and waits.
    pub tool: Option<Cow<'a, str>>,
}

/// What an event is to forge.
#[derive(Debug)]
#[allow(clippy::large_enum_variant, reason = "there is one per process, on the stack")]
pub enum News<'a> {
    /// Something behaviors judge.
    Judge(Judged<'a>),
    /// A tool failed. Nothing behaviors judge, but proof that it was allowed to run.
    Failed(Call<'a>),
    /// A session begins: the moment to say once whether forge is alive.
    SessionStart,
    /// Nothing forge acts on.
    Other,
}

/// A call, as a whole and, where it touches several files at once, file by file.
#[derive(Debug)]
pub struct Judged<'a> {
    /// The whole: every touched path in `file_path`, one per line.
    pub call: Call<'a>,
    /// The same call once per file, so that `ends_with` or `^…$` on a path holds for each. Empty in the usual case. A
    /// call is to be judged by the first of `call` and these, in order, that violates something.
    pub files: Vec<Call<'a>>,
}

/// A payload that cannot be read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Problem {
    /// Who sent it, as far as that is known, so that the answer can be shaped for it.
    pub sender: Option<Sender<'static>>,
    /// The event, when it is one of those behaviors watch.
    pub event: Option<Event>,
    /// One line: what is wrong; then what to do.
    pub what: String,
}

/// Reads one payload. `harness` and `event` are what the installed command says; without them the payload's own keys
/// decide. `hasher` makes the hash of a tool's input, when somebody asks for it.
///
/// # Errors
/// When the bytes are no JSON object, or nothing tells which harness or event they are from.
pub fn read<'a>(
    harness: Option<Harness>,
    event: Option<&str>,
    payload: &'a [u8],
    hasher: fn(&str) -> InputHash,
) -> Result<Incoming<'a>, Problem> {
    let envelope = match detect::envelope(payload) {
        Ok(envelope) => envelope,
        Err(what) => {
            let glimpsed = detect::glimpse(payload);
            let harness = harness.or(glimpsed.map(|_| Harness::ClaudeCode));
            return Err(problem(harness, event.or(glimpsed), what));
        }
    };
    let Some(harness) = detect::harness(harness, &envelope) else {
        let what = "payload of an unknown harness; name it in the hook's command: `--harness NAME`";
        return Err(problem(None, event, what.to_owned()));
    };
    let dialect = harness.dialect();
    let keys = dialect.keys();
    let told = envelope.text(keys.event).or_else(|| event.map(|event| Cow::Owned(event.to_owned())));
    let Some(native) = told.or_else(|| dialect.guess_event(&envelope).map(Cow::Borrowed)) else {
        let what = format!("payload of {harness} without an event; name it in the hook's command: `--event NAME`");
        return Err(problem(Some(harness), None, what));
    };
    let moment = dialect.moment(&native);
    let id = envelope.text(keys.tool_use_id);
    let ran = matches!(moment, Moment::After | Moment::Failed) && dialect.has_run(&envelope);
    let settled = id.clone().filter(|_| ran);
    let about = judged::About { native: &native, id, envelope: &envelope };
    let news = match (moment, moment.event()) {
        (_, Some(event)) => News::Judge(judged::judged(dialect, &about, event, hasher)),
        (Moment::Failed, None) => News::Failed(judged::judged(dialect, &about, Event::PostToolUse, hasher).call),
        (Moment::SessionStart, None) => News::SessionStart,
        (_, None) => News::Other,
    };
    Ok(Incoming {
        sender: Sender { harness, event: native, permission_mode: envelope.text(keys.permission_mode) },
        news,
        settled,
        session_id: envelope.text(keys.session),
        cwd: dialect.cwd(&envelope),
        transcript_path: envelope.text(keys.transcript),
        agent_id: envelope.text(keys.agent_id),
        turn: envelope.text(keys.turn),
        model: envelope.text(keys.model),
        tool: envelope.text(keys.tool),
    })
}

/// A problem, with what the installed command says about the sender.
#[must_use]
pub fn problem(harness: Option<Harness>, event: Option<&str>, what: String) -> Problem {
    let moment = harness.zip(event).and_then(|(harness, event)| harness.dialect().moment(event).event());
    let sender = harness.map(|harness| Sender {
        harness,
        event: Cow::Owned(event.unwrap_or("").to_owned()),
        permission_mode: None,
    });
    Problem { sender, event: moment.or_else(|| event.and_then(Event::from_name)), what }
}

/// Whether this harness would really prompt the user if it were told to ask at this event. Where it would not,
/// [`write`] refuses instead.
#[must_use]
pub fn can_ask(sender: &Sender<'_>) -> bool {
    sender.harness.dialect().can_ask(sender)
}

/// The answer in the harness's own form: exactly what it documents, never more. A reply to another event than the one
/// the sender is at can only be told to the user.
#[must_use]
pub fn write(sender: &Sender<'_>, reply: &Reply) -> Answer {
    let dialect = sender.harness.dialect();
    let moment = dialect.moment(&sender.event);
    if moment != Moment::Other && moment.event() != Some(reply.event) {
        return dialect.notice(sender, &reply.user);
    }
    let decision = match reply.decision {
        Decision::Ask if !dialect.can_ask(sender) => Decision::Deny { is_final: false },
        decision @ (Decision::Pass | Decision::Ask | Decision::Deny { .. }) => decision,
    };
    dialect.write(sender, &dialect::Told::new(reply, decision))
}

/// A message to the user alone, at any event, also one that forge does not judge.
#[must_use]
pub fn notice(sender: &Sender<'_>, text: &str) -> Answer {
    sender.harness.dialect().notice(sender, text)
}
