//! The judgement itself: lock, read state, run, append audit, write state, unlock; then the answer.

use super::judgement::{self, Circumstances, Judgement, View};
use super::{Place, failure, program, silence};
use crate::harness::{self, Answer, Incoming, Judged};
use crate::model::{Call, Event, OverrideMode, Settings};
use crate::store::{self, Override};
use crate::vm;

/// Judges a call in every view that its payload gives. In `ask` mode a call that has run also settles the block that
/// was asked about.
pub(super) fn judge(place: &Place<'_>, incoming: &Incoming<'_>, judged: &Judged<'_>) -> Answer {
    let event = judged.call.event;
    let file = match program::open(place.host, place.paths) {
        Ok(file) => file,
        Err(error) => return failure::no_program(place, incoming, event, &error),
    };
    let mut selected = Vec::new();
    for call in std::iter::once(&judged.call).chain(&judged.files) {
        match program::select(&file, place.paths, call) {
            Ok(rules) => selected.push((call, rules)),
            Err(error) => return failure::no_program(place, incoming, event, &error),
        }
    }
    let settings = selected.first().map_or_else(Settings::default, |(_, rules)| rules.program().settings);
    selected.retain(|(_, rules)| !rules.program().blocks.is_empty());
    let views: Vec<View<'_>> = selected.iter().map(|(call, rules)| View { call, rules }).collect();
    let settles = event == Event::PostToolUse && settings.overrides == OverrideMode::Ask;
    let id = incoming.settled.as_deref().filter(|_| settles);
    if views.is_empty() && id.is_none() {
        return silence(incoming);
    }
    decide(place, incoming, &Subject { call: &judged.call, settled: id, settings }, &views)
}

/// Takes note that a call ran, though it failed: it was allowed to run.
pub(super) fn settle(place: &Place<'_>, incoming: &Incoming<'_>, call: &Call<'_>) -> Answer {
    let file = match program::open(place.host, place.paths) {
        Ok(file) => file,
        Err(error) => return failure::no_program(place, incoming, call.event, &error),
    };
    let settings = match program::settings(&file, place.paths) {
        Ok(settings) => settings,
        Err(error) => return failure::no_program(place, incoming, call.event, &error),
    };
    match incoming.settled.as_deref().filter(|_| settings.overrides == OverrideMode::Ask) {
        None => silence(incoming),
        settled => decide(place, incoming, &Subject { call, settled, settings }, &[]),
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
    let overrides = judgement::policy(&incoming.sender, subject.settings.overrides, store::window(place.host));
    let judge = |session, now| {
        let circumstances =
            Circumstances { session: place.session, now, profile: judgement::profile(place.host), overrides };
        judgement::judge(views, circumstances, session, subject.settled, &mut |view, input| vm::run(view.rules, input))
    };
    let locked = match store::open(place.host, place.paths) {
        Ok(locked) => locked,
        Err(unavailable) => {
            let judged = judge(None, place.host.now());
            return answer(incoming, &judged, &[unavailable.to_string()]);
        }
    };
    let mut memory = locked.read();
    let judged = judge(Some(memory.session(place.session)), memory.now());
    let overridden: Vec<Override<'_>> =
        judged.overridden.iter().map(|(behavior, counter)| Override { behavior, counter: *counter }).collect();
    if let Some(session) = &judged.session {
        memory.commit(place.session, session, subject.call, &overridden);
    }
    let notes = memory.notes().to_vec();
    drop(memory);
    drop(locked);
    answer(incoming, &judged, &notes)
}

fn answer(incoming: &Incoming<'_>, judged: &Judgement, notes: &[String]) -> Answer {
    let reply = judged.reply.as_ref();
    let mut answer = reply.map_or_else(|| silence(incoming), |reply| harness::write(&incoming.sender, reply));
    for note in notes {
        answer.stderr.push_str(&format!("[forge] {}\n", note.replace('\n', " ")));
    }
    answer
}
