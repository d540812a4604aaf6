//! Where a scenario happens: its clock, its sessions, and what an event does to them. Events go the way of the hook
//! (`harness::read`, `hook::judgement`), with this memory in place of the file.

use super::rules::Rules;
use super::suite::Event;
use super::{Decision, Scenario};
use crate::harness::{self, Incoming, Judged, News, Reply};
use crate::hook::judgement::{self, Circumstances, Judgement, View};
use crate::limits;
use crate::model::{self, Call, Input, Level, Outcome, OverrideMode, Profile, Session, Signals, Timestamp};
use crate::{reference, store};
use std::collections::BTreeMap;

/// Every scenario begins at 2026-01-01T00:00:00Z, so that playing it twice is the same twice.
const START: Timestamp = Timestamp(1_767_225_600);

/// The session of steps that name none.
const SESSION: &str = "scenario";

/// How the machine is run on one view.
pub(super) type Run<'r> = judgement::Run<'r>;

/// The state of a scenario between two steps.
#[derive(Clone)]
pub(super) struct World<'r> {
    rules: &'r Rules,
    profile: Profile,
    overrides: OverrideMode,
    now: Timestamp,
    /// With the moment each was last accessed.
    sessions: BTreeMap<String, (Session, Timestamp)>,
}

/// An event that somebody may have something against.
struct Arrived<'a> {
    incoming: &'a Incoming<'a>,
    session: &'a str,
    /// The views of it that some behavior watches.
    calls: &'a [&'a Call<'a>],
    /// The id of an asked-about call that it shows to have run.
    settled: Option<&'a str>,
    signals: Signals,
}

/// What came of an event, seen from outside.
#[derive(Clone, Debug)]
pub(super) struct Happened {
    pub(super) decision: Decision,
    /// Per violated behavior: how strictly it was answered.
    pub(super) levels: Vec<(String, Level)>,
    pub(super) overridden: u64,
    /// What was said; nothing when nothing was.
    pub(super) said: String,
    /// The session it happened in, as it is now.
    pub(super) session: Session,
    /// How the machine and the reference differ; they never should.
    pub(super) disagreement: Option<String>,
}

impl Happened {
    /// Nobody had anything to do with it.
    pub(super) fn nothing(session: Session) -> Self {
        Self {
            decision: Decision::Pass,
            levels: Vec::new(),
            overridden: 0,
            said: String::new(),
            session,
            disagreement: None,
        }
    }
}

impl<'r> World<'r> {
    pub(super) fn new(rules: &'r Rules, scenario: &Scenario) -> Self {
        let overrides = scenario.overrides.unwrap_or(rules.checked.settings().overrides);
        Self { rules, profile: scenario.profile, overrides, now: START, sessions: BTreeMap::new() }
    }

    /// Moves the clock, back too.
    pub(super) fn advance(&mut self, seconds: i64) {
        self.now = Timestamp(self.now.0.saturating_add(seconds));
    }

    /// A session as it is, for what a person does to it.
    pub(super) fn session_mut(&mut self, name: Option<&str>) -> &mut Session {
        let now = self.now;
        self.forget_old();
        &mut self.sessions.entry(name.unwrap_or(SESSION).to_owned()).or_insert_with(|| (Session::default(), now)).0
    }

    /// A person allows a behavior's pending block; false when there is none.
    pub(super) fn allow(&mut self, name: Option<&str>, id: &str) -> bool {
        let now = self.now;
        let state = self.session_mut(name).behaviors.get_mut(id);
        let Some(pending) = state.and_then(|state| state.pending.as_mut()) else { return false };
        pending.granted_at = Some(now);
        true
    }

    /// An event arrives. `run` runs the machine on one view of it.
    ///
    /// # Errors
    /// When its payload cannot be read: what is wrong with it.
    pub(super) fn happen(&mut self, event: &Event, session: Option<&str>, run: Run<'_>) -> Result<Happened, String> {
        let name = event.event.as_deref();
        let incoming = harness::read(event.harness, name, event.payload.as_bytes(), store::input_hash)
            .map_err(|problem| problem.what)?;
        let session = session.or(incoming.session_id.as_deref()).unwrap_or(SESSION).to_owned();
        let (calls, tells_run) = match &incoming.news {
            News::Judge(judged) => (self.concerned(judged), judged.call.event == model::Event::PostToolUse),
            News::Failed(_) => (Vec::new(), true),
            News::SessionStart | News::Other => (Vec::new(), false),
        };
        let settled = incoming.settled.as_deref().filter(|_| tells_run && self.overrides == OverrideMode::Ask);
        if calls.is_empty() && settled.is_none() {
            let session = self.sessions.get(&session).map(|(session, _)| session.clone()).unwrap_or_default();
            return Ok(Happened::nothing(session));
        }
        self.forget_old();
        let before = self.sessions.get(&session).map(|(session, _)| session.clone()).unwrap_or_default();
        let arrived =
            Arrived { incoming: &incoming, session: &session, calls: &calls, settled, signals: event.signals };
        let (judgement, disagreement) = self.judge(&arrived, &before, run);
        let after = judgement.session.clone().unwrap_or(before);
        self.sessions.insert(session, (after.clone(), self.now));
        Ok(self.seen(&judgement, after, disagreement))
    }

    /// The views of a call that some behavior watches.
    fn concerned<'c, 'a>(&self, judged: &'c Judged<'a>) -> Vec<&'c Call<'a>> {
        let watches = |call: &&Call<'_>| {
            if self.rules.machine {
                !self.rules.program.program().concerned(call.event, &call.tool).is_empty()
            } else {
                !reference::concerned(&self.rules.checked, call.event, &call.tool).is_empty()
            }
        };
        std::iter::once(&judged.call).chain(&judged.files).filter(watches).collect()
    }

    /// Judges with the machine and with the reference; tells where they differ.
    fn judge(&self, arrived: &Arrived<'_>, before: &Session, run: Run<'_>) -> (Judgement, Option<String>) {
        let Arrived { incoming, session, calls, settled, signals } = *arrived;
        let overrides = judgement::policy(&incoming.sender, self.overrides, limits::OVERRIDE_WINDOW_SECONDS);
        let circumstances =
            Circumstances { session, root: ".", now: self.now, profile: self.profile, signals, overrides };
        let views: Vec<View<'_>> = calls.iter().map(|call| View { call, rules: &self.rules.program }).collect();
        let judge = |run: Run<'_>| judgement::judge(&views, circumstances, Some(before.clone()), settled, run);
        let meant = judge(&mut |_: &View<'_>, input: Input<'_>| reference::evaluate(&self.rules.checked, input));
        if !self.rules.machine {
            return (meant, None);
        }
        let done = judge(run);
        let differs = (done.view, &done.outcome) != (meant.view, &meant.outcome);
        let disagreement = differs.then(|| difference(done.outcome.as_ref(), meant.outcome.as_ref()));
        (done, disagreement)
    }

    fn seen(&self, judgement: &Judgement, session: Session, disagreement: Option<String>) -> Happened {
        let outcome = judgement.outcome.as_ref();
        let verdicts = outcome.map(|outcome| outcome.verdicts.as_slice()).unwrap_or_default();
        let behaviors: Vec<&str> = self.rules.behaviors().map(|behavior| behavior.id.value.as_str()).collect();
        let id = |number: u32| behaviors.get(number as usize).copied().unwrap_or_default().to_owned();
        Happened {
            decision: outcome.map_or(Decision::Pass, Decision::of),
            levels: verdicts.iter().map(|verdict| (id(verdict.behavior), verdict.level)).collect(),
            overridden: judgement.overridden.len() as u64,
            said: judgement.reply.as_ref().map_or_else(String::new, said),
            session,
            disagreement,
        }
    }

    /// Forgets sessions that nobody accessed for a day, as every access to the memory does.
    fn forget_old(&mut self) {
        let oldest = self.now.0.saturating_sub(limits::SESSION_TTL_SECONDS);
        self.sessions.retain(|_, (_, accessed)| accessed.0 >= oldest);
    }
}

/// All that is said, once when user and agent are told the same.
fn said(reply: &Reply) -> String {
    if reply.user == reply.agent { reply.agent.clone() } else { format!("{}\n{}", reply.user, reply.agent) }
}

fn difference(machine: Option<&Outcome>, reference: Option<&Outcome>) -> String {
    format!("machine: {machine:?}\nreference: {reference:?}")
}
