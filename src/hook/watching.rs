//! The session's transcripts at one event: opened when the program watches a signal, asked, and closed with what came of it.
//! Without such a program not a byte of them is touched.

use super::judgement::{Judgement, View};
use super::said::Said;
use super::{Place, Whose};
use crate::bytecode::program::Program;
use crate::harness::{Decision, Harness, Incoming, News, Reply};
use crate::host::Host;
use crate::model::{Call, Event, Settings, Signal, Signals};
use crate::signals::{self, Attempt, Effects, Nanos, Prices, Reset, Source, Subject, Watch};
use crate::store::Paths;
use std::path::Path;

/// What a session may spend when nobody says.
const DEFAULT_CAP: Nanos = Nanos(10 * Nanos::DOLLAR);

/// The variable that says what a session may spend, in US dollars; 0 is no cap.
pub(super) const CAP: &str = "FORGE_SPEND_CAP_USD";

/// A session under watch, if it is one.
pub(super) struct Watching<'h> {
    watch: Option<Watch<'h>>,
    /// What its transcripts say; nothing when it is not watched.
    pub(super) signals: Signals,
    /// What the user is to be told once.
    pub(super) news: Vec<String>,
    /// What standard error is to be told.
    pub(super) notes: Vec<String>,
}

impl<'h> Watching<'h> {
    /// Nothing is watched.
    pub(super) fn nothing() -> Self {
        Self { watch: None, signals: Signals::default(), news: Vec::new(), notes: Vec::new() }
    }

    /// Catches up with the session when the program watches a signal. Every call before a tool is noted, whether a rule
    /// concerns it or not: it may be what changed something between two others.
    pub(super) fn open(place: &Place<'h>, incoming: &Incoming<'_>, call: &Call<'_>, program: &Program<'_>) -> Self {
        if program.watches.is_empty() || call.event != Event::PreToolUse {
            return Self::nothing();
        }
        let is_codex = incoming.sender.harness == Harness::Codex;
        let source = if is_codex { Source::Codex } else { Source::ClaudeCode };
        // Of others the calls alone are known: they can go in circles, and neither fail nor cost.
        let reads = is_codex || incoming.sender.harness == Harness::ClaudeCode;
        let subject = Subject {
            source,
            session: place.session,
            transcript: incoming.transcript_path.as_deref().filter(|_| reads),
            agent: incoming.agent_id.as_deref(),
            prompt: incoming.turn.as_deref(),
            model: incoming.model.as_deref(),
            attempt: Some(Attempt {
                tool: &call.tool,
                own: incoming.tool.as_deref().unwrap_or(&call.tool),
                input: &call.raw_input,
                id: call.tool_use_id.as_deref(),
            }),
        };
        let cap = cap(place.host.env(CAP).as_deref(), program.settings, place.whose);
        let prices = Prices::of(place.host, &place.paths.prices());
        let opened = signals::open(place.host, &place.paths.signals(), &subject, (&prices, Some(cap)));
        let watch = match opened {
            Ok(watch) => watch,
            Err(unwatched) => return Self { notes: vec![unwatched.to_string()], ..Self::nothing() },
        };
        let readings = watch.readings();
        let mut signals = Signals::default();
        for (signal, value) in [
            (Signal::Repeats, readings.repeats),
            (Signal::Alternations, readings.alternations),
            (Signal::FailureStreak, readings.failure_streak),
            (Signal::SpendUsd, readings.spent.0),
            (Signal::SpendShare, readings.share),
            (Signal::SpendCapUsd, cap.0),
        ] {
            signals.set(signal, value);
        }
        let mut news = Vec::new();
        if let Some(spent) = readings.left_out {
            news.push(format!(
                "forge started counting this session at {spent}, which is already over its {cap} cap, so it counts from \
                 $0.00 from here."
            ));
        }
        if let Some(model) = &readings.new_estimate {
            news.push(format!(
                "forge knows no price for `{model}`, so its tokens are priced like the dearest model of its family."
            ));
        }
        Self { watch: Some(watch), signals, news, notes: Vec::new() }
    }

    /// Remembers the event and what came of it, and adds the news to what the user is told.
    pub(super) fn close(&mut self, place: &Place<'_>, call: &Call<'_>, judged: &mut Judgement, views: &[View<'_>]) {
        let Some(watch) = self.watch.take() else { return };
        if !self.news.is_empty() {
            let reply = judged.reply.get_or_insert_with(|| Reply::silent(call.event));
            let said = std::mem::take(&mut reply.user);
            let parts = [said].into_iter().filter(|said| !said.is_empty()).chain(self.news.drain(..));
            reply.user = parts.collect::<Vec<_>>().join("\n\n");
        }
        let decided = judged.view.and_then(|view| views.get(view));
        let is_refused = judged.reply.as_ref().is_some_and(|reply| matches!(reply.decision, Decision::Deny { .. }));
        let outcome = judged.outcome.as_ref();
        let resets = outcome.into_iter().flat_map(|outcome| outcome.resets.iter()).filter_map(reset).collect();
        let verdicts = outcome.map(|outcome| outcome.verdicts.as_slice()).unwrap_or_default();
        let events = verdicts.iter().filter_map(|verdict| {
            let block = decided?.rules.program().block(verdict.behavior).filter(|block| block.watches())?;
            Some(signals::Event {
                at: place.host.now().0,
                wire: block.id.to_string(),
                tool: call.tool.chars().take(80).filter(|letter| !letter.is_control()).collect(),
                detail: detail(&self.signals, verdict.level.name()),
            })
        });
        if let Err(error) = watch.close(Effects { is_refused, resets, events: events.collect() }) {
            self.notes.push(format!("signals cannot be written ({error}); this call will be looked at again"));
        }
    }
}

/// Tells the rules of the other folder that a call was refused here: what it fails with says nothing of the agent's luck,
/// whoever counts.
pub(super) fn tell_refusal(
    host: &dyn Host,
    other: Option<&Path>,
    session: &str,
    incoming: &Incoming<'_>,
    said: &mut Said,
) {
    let News::Judge(judged) = &incoming.news else { return };
    let id = judged.call.tool_use_id.as_deref().filter(|_| judged.call.event == Event::PreToolUse && said.is_refusal());
    if let Some((other, id)) = other.zip(id)
        && let Err(error) = signals::refused(host, &Paths::new(other).signals(), session, id)
    {
        said.notes.push(format!("signals cannot be written ({error}); this refusal may count as a failure"));
    }
}

fn reset(signal: Signal) -> Option<Reset> {
    match signal {
        Signal::Repeats | Signal::Alternations => Some(Reset::Rounds),
        Signal::FailureStreak => Some(Reset::Failures),
        Signal::SpendUsd | Signal::SpendShare => Some(Reset::Spending),
        Signal::Counter | Signal::SpendCapUsd => None,
    }
}

/// The numbers of an event, and how it was answered.
fn detail(signals: &Signals, level: &str) -> String {
    format!(
        "{level}: call {} in a row, cycle {}, {} failed in a row, {} of {}",
        signals.get(Signal::Repeats),
        signals.get(Signal::Alternations),
        signals.get(Signal::FailureStreak),
        Nanos(signals.get(Signal::SpendUsd)),
        Nanos(signals.get(Signal::SpendCapUsd)),
    )
}

/// The cap that holds: the environment's word, which is the user's; a project can tighten it, and decides where there is
/// none.
fn cap(told: Option<&str>, settings: Settings, whose: Whose) -> Nanos {
    let written = settings.spend_cap.map(Nanos);
    match (told.and_then(Nanos::parse), whose) {
        (None, _) => written.unwrap_or(DEFAULT_CAP),
        (Some(told), Whose::User) => told,
        (Some(told), Whose::Project) => written.filter(|written| is_stricter(*written, told)).unwrap_or(told),
    }
}

/// Zero is no cap, the loosest of all.
fn is_stricter(one: Nanos, other: Nanos) -> bool {
    one.0 != 0 && (other.0 == 0 || one < other)
}
