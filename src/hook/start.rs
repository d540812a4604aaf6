//! A session starts: the moment to say, once and to the user, when the rules are not what the sources say.

use super::{Place, failure, program};
use crate::bytecode::container;
use crate::harness::{self, Answer, Incoming};
use crate::model::Event;
use crate::store;

/// Looks at the whole program, not at the part an event needs, so that damage is known before it matters.
pub(super) fn report(place: &Place<'_>, incoming: &Incoming<'_>) -> Answer {
    let bytes = match program::read(place.host, place.paths) {
        Ok(bytes) => bytes,
        Err(error) => return failure::no_program(place, incoming, Event::PreToolUse, &error),
    };
    if let Err(error) = program::whole(&bytes, place.paths) {
        return failure::no_program(place, incoming, Event::PreToolUse, &error);
    }
    let is_stale = match (container::sources(bytes.as_slice()), store::sources_digest(place.host, place.root)) {
        (Ok(compiled), Ok(now)) => compiled != now,
        // Rules that cannot be read now were read when they were compiled; those are enforced.
        _ => false,
    };
    if !is_stale || !store::tell_once(place.host, place.paths, place.session, "stale") {
        return Answer::default();
    }
    let text = "the behaviors changed since they were compiled; the old rules are enforced until `forge compile` runs";
    let mut answer = harness::notice(&incoming.sender, &format!("forge: {text}"));
    answer.stderr.push_str(&format!("[forge] {text}\n"));
    answer
}
