//! The judgement itself: lock, read state, run, append audit, write state, unlock; then the answer.

use super::judgement::{self, Circumstances, Judgement, View};
use super::said::Said;
use super::watching::Watching;
use super::{Place, environment, failure, program};
use crate::bytecode::Work;
use crate::harness::{Incoming, Judged};
use crate::model::{Call, OverrideMode, Session, Settings};
use crate::store::{self, Override};
use crate::vm;
use std::path::PathBuf;

/// Judges a call in every view that its payload gives. In `ask` mode a call that has run also settles the block that
/// was asked about.
pub(super) fn judge(place: &Place<'_>, incoming: &Incoming<'_>, judged: &Judged<'_>) -> Said {
    let event = judged.call.event;
    let file = match program::open(place.host, place.paths) {
        Ok(file) => file,
        Err(error) => return failure::no_program(place, event, &error),
    };
    let work = Work::of_one_event();
    let mut selected = Vec::new();
    for call in std::iter::once(&judged.call).chain(&judged.files) {
        match program::select(&file, place.paths, (call, &work)) {
            Ok(_) if work.is_spent() => return failure::too_costly(place, event),
            Ok(rules) => selected.push((call, rules)),
            Err(error) => return failure::no_program(place, event, &error),
        }
    }
    let settings = selected.first().map_or_else(Settings::default, |(_, rules)| rules.program().settings);
    let whole = selected.first().map(|(call, rules)| Watching::open(place, incoming, call, rules.program()));
    let mut watching = whole.unwrap_or_else(Watching::nothing);
    selected.retain(|(_, rules)| !rules.program().blocks.is_empty());
    let views: Vec<View<'_>> = selected.iter().map(|(call, rules)| View { call, rules }).collect();
    let id = settled(place, incoming, settings);
    let subject = Subject { call: &judged.call, settled: id, settings, work: &work };
    if views.is_empty() && id.is_none() {
        let mut nothing = Judgement::default();
        watching.close(place, subject.call, &mut nothing, &views);
        return said(nothing, watching.notes);
    }
    decide(place, incoming, &subject, &views, watching)
}

/// Takes note that a call ran, though it failed: it was allowed to run.
pub(super) fn settle(place: &Place<'_>, incoming: &Incoming<'_>, call: &Call<'_>) -> Said {
    let file = match program::open(place.host, place.paths) {
        Ok(file) => file,
        Err(error) => return failure::no_program(place, call.event, &error),
    };
    let settings = match program::settings(&file, place.paths) {
        Ok(settings) => settings,
        Err(error) => return failure::no_program(place, call.event, &error),
    };
    match settled(place, incoming, settings) {
        None => Said::default(),
        id => decide(
            place,
            incoming,
            &Subject { call, settled: id, settings, work: &Work::of_one_event() },
            &[],
            Watching::nothing(),
        ),
    }
}

/// The id of the asked-about call that this event shows to have run; none in most events, which then cost no lock.
fn settled<'i>(place: &Place<'_>, incoming: &'i Incoming<'_>, settings: Settings) -> Option<&'i str> {
    let id = incoming.settled.as_deref().filter(|_| settings.overrides == OverrideMode::Ask)?;
    store::may_settle(place.host, place.paths, id).then_some(id)
}

/// What is decided about.
struct Subject<'a> {
    call: &'a Call<'a>,
    /// The id of the asked-about call that this event shows to have run.
    settled: Option<&'a str>,
    settings: Settings,
    /// What is left to spend on it.
    work: &'a Work,
}

fn decide(
    place: &Place<'_>,
    incoming: &Incoming<'_>,
    subject: &Subject<'_>,
    views: &[View<'_>],
    mut watching: Watching<'_>,
) -> Said {
    let signals = watching.signals;
    watching.notes.extend(environment::misread(place.host));
    let overrides = judgement::policy(&incoming.sender, subject.settings.overrides, store::window(place.host));
    let work = subject.work;
    // An agent's folder may end with a slash, which reads badly in a path.
    let root: PathBuf = place.root.components().collect();
    let root = root.to_string_lossy();
    let judge = |session, now| {
        let circumstances = Circumstances {
            session: place.session,
            root: &root,
            now,
            profile: environment::profile(place.host),
            signals,
            overrides,
        };
        judgement::judge(views, circumstances, session, subject.settled, &mut |view, input| {
            vm::run_within(view.rules, input, work)
        })
    };
    let locked = match store::open(place.host, place.paths) {
        Ok(locked) => locked,
        Err(unavailable) => {
            let mut judged = judge(None, place.host.now());
            if work.is_spent() {
                return failure::too_costly(place, subject.call.event);
            }
            watching.close(place, subject.call, &mut judged, views);
            watching.notes.push(unavailable.to_string());
            return said(judged, watching.notes);
        }
    };
    let mut memory = locked.read();
    let mut judged = judge(Some(memory.session(place.session)), memory.now());
    if work.is_spent() {
        return failure::too_costly(place, subject.call.event);
    }
    if !commit(&mut memory, place, subject, &judged) && decides_override(subject, &judged) {
        // Nobody could tell that this override was used, so it would let the call pass again and again.
        judged = judge(Some(unanswered(memory.session(place.session), &judged)), memory.now());
        judged.tell(NOT_RECORDED);
        watching.notes.push(NOT_RECORDED.to_owned());
        commit(&mut memory, place, subject, &judged);
    }
    let mut notes = memory.notes().to_vec();
    notes.dedup();
    drop(memory);
    drop(locked);
    watching.close(place, subject.call, &mut judged, views);
    let notes = [notes, watching.notes].concat();
    said(judged, notes)
}

/// Writes what came of an event. Returns whether it could be written; an event that changes nothing always can.
fn commit(memory: &mut store::Memory<'_>, place: &Place<'_>, subject: &Subject<'_>, judged: &Judgement) -> bool {
    let Some(session) = &judged.session else { return true };
    let overridden = judged.overridden.iter().map(|(behavior, counter)| Override { behavior, counter: *counter });
    memory.commit(place.session, session, subject.call, &overridden.collect::<Vec<_>>())
}

/// Why a call is refused again that was allowed.
const NOT_RECORDED: &str = "this call was allowed, but that cannot be recorded, so it is not let through; make room on the disk and `.forge/` writable";

/// Whether the call passes because of an override that was seen now. One that is seen only afterwards cannot be taken back.
fn decides_override(subject: &Subject<'_>, judged: &Judgement) -> bool {
    subject.call.event.can_be_overridden() && !judged.overridden.is_empty()
}

/// The session as if the blocks that were just overridden had not waited for an answer.
fn unanswered(mut session: Session, judged: &Judgement) -> Session {
    for (behavior, _) in &judged.overridden {
        if let Some(state) = session.behaviors.get_mut(behavior) {
            state.pending = None;
        }
    }
    session
}

fn said(judged: Judgement, notes: Vec<String>) -> Said {
    Said { reply: judged.reply, notes, ..Said::default() }
}
