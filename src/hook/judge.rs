//! The judgement itself: lock, read state, run, append audit, write state, unlock; then the answer.

use super::{Place, failure, program};
use crate::bytecode::Verified;
use crate::harness::{self, Answer, Incoming, Judged};
use crate::model::{Call, Event, Input, Outcome, OverrideMode, OverridePolicy, Profile, Session, Settings, Timestamp};
use crate::render::{self, Context};
use crate::store::{self, Override};
use crate::vm;

/// One view of a call, and the rules that concern it.
struct View<'a> {
    call: &'a Call<'a>,
    rules: Verified<'a>,
}

/// Judges a call in every view that its payload gives. In `ask` mode a call that has run also settles the block that
/// was asked about.
pub(super) fn judge(place: &Place<'_>, incoming: &Incoming<'_>, judged: &Judged<'_>) -> Answer {
    let event = judged.call.event;
    let bytes = match program::read(place.host, place.paths) {
        Ok(bytes) => bytes,
        Err(error) => return failure::no_program(place, incoming, event, &error),
    };
    let mut views = Vec::new();
    for call in std::iter::once(&judged.call).chain(&judged.files) {
        match program::select(&bytes, place.paths, event, &call.tool) {
            Ok(rules) => views.push(View { call, rules }),
            Err(error) => return failure::no_program(place, incoming, event, &error),
        }
    }
    let settings = views.first().map_or_else(Settings::default, |view| view.rules.program().settings);
    views.retain(|view| !view.rules.program().blocks.is_empty());
    let settles = event == Event::PostToolUse && settings.overrides == OverrideMode::Ask;
    let id = incoming.settled.as_deref().filter(|_| settles);
    if views.is_empty() && id.is_none() {
        return Answer::default();
    }
    decide(place, incoming, &Subject { call: &judged.call, settled: id, settings }, &views)
}

/// Takes note that a call ran, though it failed: it was allowed to run.
pub(super) fn settle(place: &Place<'_>, incoming: &Incoming<'_>, call: &Call<'_>) -> Answer {
    let bytes = match program::read(place.host, place.paths) {
        Ok(bytes) => bytes,
        Err(error) => return failure::no_program(place, incoming, call.event, &error),
    };
    match program::select(&bytes, place.paths, call.event, "") {
        Err(error) => failure::no_program(place, incoming, call.event, &error),
        Ok(rules) => {
            let settings = rules.program().settings;
            match incoming.settled.as_deref().filter(|_| settings.overrides == OverrideMode::Ask) {
                None => Answer::default(),
                settled => decide(place, incoming, &Subject { call, settled, settings }, &[]),
            }
        }
    }
}

/// What is decided about.
struct Subject<'a> {
    call: &'a Call<'a>,
    /// The id of the asked-about call that this event shows to have run.
    settled: Option<&'a str>,
    settings: Settings,
}

fn decide(place: &Place<'_>, incoming: &Incoming<'_>, subject: &Subject<'_>, views: &[View<'_>]) -> Answer {
    let overrides = policy(place, incoming, subject.settings);
    let judge = |session: Option<Session>, now| first_violation(place, views, session, now, overrides);
    let locked = match store::open(place.host, place.paths) {
        Ok(locked) => locked,
        Err(unavailable) => {
            let judged = judge(None, place.host.now());
            return answer(incoming, judged, overrides, &[unavailable.to_string()]);
        }
    };
    let mut memory = locked.read();
    let mut session = memory.session(place.session);
    let settled = subject.settled.map_or_else(Vec::new, |id| store::settle(&mut session, id));
    let judged = judge(Some(session.clone()), memory.now());
    let after = judged.as_ref().and_then(|(_, outcome)| outcome.session.clone()).unwrap_or(session);
    let mut overridden: Vec<Override<'_>> =
        settled.iter().map(|(behavior, counter)| Override { behavior, counter: *counter }).collect();
    if let Some((view, outcome)) = &judged {
        overridden.extend(outcome.overridden.iter().filter_map(|it| {
            let block = view.rules.program().block(it.behavior)?;
            Some(Override { behavior: &block.id, counter: it.counter })
        }));
    }
    memory.commit(place.session, &after, subject.call, &overridden);
    let notes = memory.notes().to_vec();
    drop(memory);
    drop(locked);
    answer(incoming, judged, overrides, &notes)
}

/// The outcome of the first view that violates something, or of the whole call. Each view starts from the same session:
/// a flag that one of them consumed must not be missing for the next.
fn first_violation<'v, 'a>(
    place: &Place<'_>,
    views: &'v [View<'a>],
    session: Option<Session>,
    now: Timestamp,
    overrides: OverridePolicy,
) -> Option<(&'v View<'a>, Outcome)> {
    let profile = profile(place);
    let outcomes = views.iter().map(|view| {
        let input = Input { call: view.call, session: session.clone(), now, profile, overrides };
        (view, vm::run(&view.rules, input))
    });
    let mut whole = None;
    for (view, outcome) in outcomes {
        if !outcome.verdicts.is_empty() {
            return Some((view, outcome));
        }
        whole.get_or_insert((view, outcome));
    }
    whole
}

fn answer(
    incoming: &Incoming<'_>,
    judged: Option<(&View<'_>, Outcome)>,
    overrides: OverridePolicy,
    notes: &[String],
) -> Answer {
    let mut answer = match judged {
        None => Answer::default(),
        Some((view, outcome)) => {
            let context = Context { call: view.call, overrides, code: None };
            harness::write(&incoming.sender, &render::reply(view.rules.program(), context, &outcome))
        }
    };
    for note in notes {
        answer.stderr.push_str(&format!("[forge] {}\n", note.replace('\n', " ")));
    }
    answer
}

/// How a soft block is overridden here: `ask` where nobody would be asked is `deny`.
fn policy(place: &Place<'_>, incoming: &Incoming<'_>, settings: Settings) -> OverridePolicy {
    let window = store::window(place.host);
    match settings.overrides {
        OverrideMode::Retry => OverridePolicy::Retry { window },
        OverrideMode::Ask if harness::can_ask(&incoming.sender) => OverridePolicy::Ask,
        OverrideMode::Ask | OverrideMode::Deny => OverridePolicy::Deny { window },
    }
}

/// `FORGE_HOOK_PROFILE`; a word that is no profile is the default, so that a typo cannot loosen anything.
fn profile(place: &Place<'_>) -> Profile {
    place.host.env("FORGE_HOOK_PROFILE").and_then(|word| Profile::from_name(&word)).unwrap_or(Profile::Standard)
}
