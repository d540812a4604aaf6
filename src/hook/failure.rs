//! What is said, and decided, when an event cannot be judged. A guard that is silently not there is the worst failure:
//! every row of the table in [`super`] ends here.

use super::{Arguments, Place, program, root};
use crate::error::Error;
use crate::harness::{self, Answer, Decision, Incoming, Problem, Reply, Sender};
use crate::host::Host;
use crate::model::{Event, OnError};
use crate::store::{self, Paths};

/// A payload that cannot be read.
pub(super) fn bad_input(host: &dyn Host, paths: Option<&Paths>, problem: &Problem) -> Answer {
    let line = format!("[forge] {}", problem.what);
    let Some(sender) = &problem.sender else {
        return Answer { stderr: line + "\n", ..Answer::default() };
    };
    let on_error = paths.map_or(OnError::Allow, |paths| program::on_error(host, paths));
    let text = format!("forge could not judge this event: {}", problem.what);
    answer(sender, problem.event, on_error, Some(&text), &line)
}

/// A program that cannot be used. The user hears it once per session, standard error each time.
pub(super) fn no_program(place: &Place<'_>, incoming: &Incoming<'_>, event: Event, error: &Error) -> Answer {
    let on_error = program::on_error(place.host, place.paths);
    let line = format!("[forge] {error}");
    let text = format!("forge is not guarding this project: {error}");
    let is_news = store::tell_once(place.host, place.paths, place.session, "program");
    answer(&incoming.sender, Some(event), on_error, is_news.then_some(text.as_str()), &line)
}

/// A fault of forge itself. Nothing is known of the event any more but what the installed command says.
#[must_use]
pub fn panicked(host: &dyn Host, arguments: &Arguments, what: &str) -> Answer {
    let what = format!("internal error ({}); please report it with the payload", what.replace('\n', " "));
    let problem = harness::problem(arguments.harness, arguments.event.as_deref(), what);
    let root = arguments.root.clone().or_else(|| root::find(host, None));
    bad_input(host, root.as_deref().map(Paths::new).as_ref(), &problem)
}

/// `text` is for the user; where `on_error` refuses the call it is the reason too, said each time.
fn answer(sender: &Sender<'_>, event: Option<Event>, on_error: OnError, text: Option<&str>, line: &str) -> Answer {
    let mut answer = match (on_error, event) {
        (OnError::Deny, Some(Event::PreToolUse)) => {
            let reason = format!(
                "{}\nThe project refuses tool calls that cannot be judged (on_error: deny).",
                text.unwrap_or(line)
            );
            let decision = Decision::Deny { is_final: true };
            harness::write(
                sender,
                &Reply { event: Event::PreToolUse, decision, user: reason.clone(), agent: reason, ends_turn: false },
            )
        }
        _ => text.map_or_else(Answer::default, |text| harness::notice(sender, text)),
    };
    if answer.stderr.is_empty() {
        answer.stderr = format!("{}\n", line.replace('\n', " "));
    }
    answer
}
