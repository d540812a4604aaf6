//! One event, judged as the hook would judge it, without touching anything: what `forge try` and `forge explain` share. The
//! event comes as a payload or in a few words; everything after that is the hook's own code.

mod input;
mod program;

pub(super) use input::EventArguments;

use crate::error::{Error, ErrorKind, Result};
use crate::explain::{self, Watched};
use crate::harness::{self, Answer, Incoming, Judged, News, Sender};
use crate::hook::{
    self,
    judgement::{self, Circumstances, View},
};
use crate::host::Host;
use crate::model::{Call, Event, Input, OverrideMode, Session, Signals};
use crate::scenario::Decision;
use crate::store::{self, Paths};
use input::Told;
use program::Loaded;

/// What came of the event.
pub(super) struct Ended {
    /// What the reader must know beforehand, one line each.
    pub(super) notes: Vec<String>,
    /// Whom the answer is for.
    pub(super) sender: Sender<'static>,
    /// What it came to.
    pub(super) decision: Decision,
    /// Whether a block waits for a person, in `ask` mode.
    pub(super) overridden: Vec<String>,
    /// Every view that was judged, the deciding one last.
    pub(super) views: Vec<Watched>,
    /// What the hook would answer.
    pub(super) answer: Answer,
}

/// Judges the event that the arguments describe.
///
/// # Errors
/// When the event cannot be read or built, or there is neither program nor sources.
pub(super) fn judge(host: &dyn Host, arguments: &EventArguments) -> Result<Ended> {
    let told = arguments.told()?;
    let harness = told.harness;
    let incoming = harness::read(harness, told.event.as_deref(), told.payload.as_bytes(), store::input_hash)
        .map_err(|problem| Error::new(ErrorKind::BadInput, problem.what))?;
    let loaded = program::load(host, arguments, incoming.cwd.as_deref())?;
    let mut notes = loaded.notes.clone();
    let (name, session) = session(host, arguments, &loaded.paths, &incoming, &mut notes);
    let sender = told.sender(&incoming);
    let mut ended = Ended {
        notes,
        decision: Decision::Pass,
        overridden: Vec::new(),
        views: Vec::new(),
        answer: Answer::default(),
        sender,
    };
    match &incoming.news {
        News::Judge(judged) => {
            let settled = incoming.settled.as_deref().filter(|_| judged.call.event == Event::PostToolUse);
            let subject = Subject { name: &name, judged, settled };
            weigh(host, arguments, &loaded, subject, session, &mut ended);
        }
        News::Failed(_) => ended.notes.push("the tool failed: behaviors judge nothing at this event".to_owned()),
        News::SessionStart => ended.notes.push("a session begins: behaviors judge nothing at this event".to_owned()),
        News::Other => ended.notes.push("behaviors judge nothing at this event".to_owned()),
    }
    Ok(ended)
}

/// What is judged.
struct Subject<'a> {
    /// The session's name.
    name: &'a str,
    judged: &'a Judged<'a>,
    settled: Option<&'a str>,
}

/// The judgement of a call, in the hook's order.
fn weigh(
    host: &dyn Host,
    arguments: &EventArguments,
    loaded: &Loaded,
    subject: Subject<'_>,
    session: Session,
    ended: &mut Ended,
) {
    let program = loaded.rules.program();
    let overrides = judgement::policy(&ended.sender, program.settings.overrides, store::window(host));
    let profile = arguments.profile().unwrap_or_else(|| hook::profile(host));
    let now = host.now();
    let signals = arguments.signals();
    if !program.watches.is_empty() && signals == Signals::default() {
        let note = "the signals of the transcript count as 0 here; give them values with --signal NAME=VALUE";
        ended.notes.push(note.to_owned());
    }
    let root = loaded.root.to_string_lossy();
    let circumstances = Circumstances { session: subject.name, root: &root, now, profile, signals, overrides };
    let Judged { call, files } = subject.judged;
    let all = std::iter::once(call).chain(files);
    let is_concerned = |call: &&Call<'_>| !program.concerned(call.event, &call.tool).is_empty();
    let views: Vec<View<'_>> = all.filter(is_concerned).map(|call| View { call, rules: &loaded.rules }).collect();
    let settled = subject.settled.filter(|_| program.settings.overrides == OverrideMode::Ask);
    if views.is_empty() && settled.is_none() {
        // Nothing comes of it; that every behavior was passed over, and why, is still worth telling.
        let input = Input { call, session: Some(session), signals, now, profile, overrides };
        ended.views.push(explain::watch(&loaded.rules, input).1);
        return;
    }
    let mut watched = Vec::new();
    let judgement = judgement::judge(&views, circumstances, Some(session), settled, &mut |view, input| {
        let (outcome, view) = explain::watch(view.rules, input);
        watched.push(view);
        outcome
    });
    // Views that decided nothing are left out, unless nothing else is left.
    ended.views = judgement.view.and_then(|view| watched.get(view).cloned()).into_iter().collect();
    ended.decision = judgement.outcome.as_ref().map_or(Decision::Pass, Decision::of);
    ended.overridden = judgement.overridden.into_iter().map(|(id, _)| id).collect();
    ended.answer = judgement.reply.as_ref().map_or_else(Answer::default, |reply| harness::write(&ended.sender, reply));
}

/// The session the event happens in, and its name: the one asked for, as it is remembered now, else a fresh one.
fn session(
    host: &dyn Host,
    arguments: &EventArguments,
    paths: &Paths,
    incoming: &Incoming<'_>,
    notes: &mut Vec<String>,
) -> (String, Session) {
    let Some(id) = arguments.session() else {
        let name = incoming.session_id.as_deref().unwrap_or("fresh");
        return (name.to_owned(), Session::default());
    };
    let session = store::peek(host, paths, id);
    if session.is_none() {
        notes.push(format!("nothing is remembered of the session `{id}`; judged as a new one"));
    }
    (id.to_owned(), session.unwrap_or_default())
}

impl Told {
    /// Whom the answer is for: who sent the payload, or the harness that an event in a few words is told for.
    fn sender(&self, incoming: &Incoming<'_>) -> Sender<'static> {
        let Sender { harness, event, permission_mode } = &incoming.sender;
        let mode = permission_mode.as_deref().map(|mode| mode.to_owned().into());
        match &self.answered_as {
            Some((harness, event)) => {
                Sender { harness: *harness, event: (*event).to_owned().into(), permission_mode: mode }
            }
            None => Sender { harness: *harness, event: event.clone().into_owned().into(), permission_mode: mode },
        }
    }
}
