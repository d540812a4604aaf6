//! A session starts: the moment to say, once and to the user, when the rules are not what the sources say or not as strict
//! as somebody meant them to be.

use super::said::Said;
use super::{Place, environment, failure, program};
use crate::bytecode::container;
use crate::model::Event;
use crate::store::{self, SourceFile};

/// Looks at the whole program, not at the part an event needs, so that damage is known before it matters.
pub(super) fn report(place: &Place<'_>) -> Said {
    let bytes = match program::read(place.host, place.paths) {
        Ok(bytes) => bytes,
        Err(error) => return failure::no_program(place, Event::PreToolUse, &error),
    };
    if let Err(error) = program::whole(&bytes, place.paths) {
        return failure::no_program(place, Event::PreToolUse, &error);
    }
    let now = store::source_files(place.host, place.root)
        .map(|files| store::sources_digest(files.iter().map(SourceFile::digested)));
    // Sources that cannot be read now could be read when they were compiled; what they said then is enforced.
    let is_stale = matches!((container::sources(bytes.as_slice()), now), (Ok(compiled), Ok(now)) if compiled != now);
    let stale = "the behaviors changed since they were compiled; the old rules are enforced until `forge compile` runs";
    let is_news = is_stale && store::tell_once(place.host, place.paths, place.session, "stale");
    let told: Vec<String> =
        is_news.then(|| stale.to_owned()).into_iter().chain(environment::misread(place.host)).collect();
    let notice = (!told.is_empty()).then(|| format!("forge: {}", told.join("\nforge: ")));
    Said { notice, notes: told, ..Said::default() }
}
