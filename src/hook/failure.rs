//! What is said, and decided, when an event cannot be judged. A guard that is silently not there is the worst failure:
//! every row of the table in [`super`] ends here.

use super::said::Said;
use super::{Arguments, Place, program, root};
use crate::error::Error;
use crate::harness::{self, Answer, Decision, Problem, Reply};
use crate::host::Host;
use crate::model::{Event, OnError};
use crate::store::{self, Paths};

/// A payload that cannot be read.
pub(super) fn bad_input(host: &dyn Host, arguments: &Arguments, problem: &Problem) -> Answer {
    let Some(sender) = &problem.sender else {
        return Answer { stderr: format!("[forge] {}\n", problem.what), ..Answer::default() };
    };
    let project = arguments.root.clone().or_else(|| root::find(host, None));
    let roots = project.into_iter().chain(root::of_user(host));
    let on_errors = roots.map(|root| program::on_error(host, &Paths::new(&root)));
    // Neither of the two can loosen what the other decided.
    let on_error = on_errors.max().unwrap_or(OnError::Allow);
    let text = format!("forge could not judge this event: {}", problem.what);
    let said = said(problem.event, on_error, Some(&text), &problem.what);
    let mut answer = match (&said.reply, &said.notice) {
        (Some(reply), _) => harness::write(sender, reply),
        (None, Some(notice)) => harness::notice(sender, notice),
        (None, None) => Answer::default(),
    };
    if answer.stderr.is_empty() {
        answer.stderr = format!("[forge] {}\n", problem.what.replace('\n', " "));
    }
    answer
}

/// A program that cannot be used. The user hears it once per session, standard error each time.
pub(super) fn no_program(place: &Place<'_>, event: Event, error: &Error) -> Said {
    let on_error = program::on_error(place.host, place.paths);
    let text = format!("forge is not guarding {}: {error}", place.whose.sessions());
    let is_news = store::tell_once(place.host, place.paths, place.session, "program");
    said(Some(event), on_error, is_news.then_some(text.as_str()), &error.to_string())
}

/// An event whose judgement would take longer than an agent waits. Nothing of it is remembered.
pub(super) fn too_costly(place: &Place<'_>, event: Event) -> Said {
    let what =
        "to judge this event would take too long; make the call smaller, or look at the rules with `forge disasm`";
    let text = format!("forge is not guarding {}: {what}", place.whose.sessions());
    said(Some(event), program::on_error(place.host, place.paths), Some(&text), what)
}

/// An event of which nothing is known but what the installed command says.
pub(super) fn unreadable(host: &dyn Host, arguments: &Arguments, what: String) -> Answer {
    bad_input(host, arguments, &harness::problem(arguments.harness, arguments.event.as_deref(), what))
}

/// A fault of forge itself. Nothing is known of the event any more but what the installed command says.
#[must_use]
pub fn panicked(host: &dyn Host, arguments: &Arguments, what: &str) -> Answer {
    unreadable(
        host,
        arguments,
        format!("internal error ({}); please report it with the payload", what.replace('\n', " ")),
    )
}

/// `text` is for the user; where `on_error` refuses the call it is the reason too, said each time. `line` is for
/// standard error.
fn said(event: Option<Event>, on_error: OnError, text: Option<&str>, line: &str) -> Said {
    let line_said = Some(line.to_owned());
    match (on_error, event) {
        (OnError::Deny, Some(Event::PreToolUse)) => {
            let reason = format!(
                "{}\nThe project refuses tool calls that cannot be judged (on_error: deny).",
                text.map_or_else(|| format!("[forge] {line}"), str::to_owned)
            );
            let decision = Decision::Deny { is_final: true };
            let reply =
                Reply { event: Event::PreToolUse, decision, user: reason.clone(), agent: reason, ends_turn: false };
            Said { reply: Some(reply), line: line_said, ..Said::default() }
        }
        _ => Said { notice: text.map(str::to_owned), line: line_said, ..Said::default() },
    }
}
