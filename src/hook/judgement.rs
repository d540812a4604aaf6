//! The judgement as a function: views of a call, one session and the circumstances in; what came of it out. The hook wraps it
//! in lock, memory and audit; `forge explain` and scenarios give it a memory of their own, so that they cannot disagree
//! with the hook. No I/O.

use crate::bytecode::Verified;
use crate::bytecode::program::Program;
use crate::harness::{self, Reply, Sender};
use crate::model::{
    BehaviorState, Call, Input, Outcome, OverrideMode, OverridePolicy, Profile, Session, Signals, Timestamp,
};
use crate::render::{self, Context};
use crate::store;

/// One view of a call, and the rules that concern it.
#[derive(Clone, Copy, Debug)]
pub struct View<'a> {
    /// The call: the whole, or one of the files it touches.
    pub call: &'a Call<'a>,
    /// The rules, at least those that concern it.
    pub rules: &'a Verified<'a>,
}

/// What a judgement depends on besides the call, the rules and the memory.
#[derive(Clone, Copy, Debug)]
pub struct Circumstances<'a> {
    /// The session's name, of which the code to allow a block is made.
    pub session: &'a str,
    /// The folder whose rules these are, for texts that name it.
    pub root: &'a str,
    /// The moment.
    pub now: Timestamp,
    /// The active profile.
    pub profile: Profile,
    /// What the session's transcripts say.
    pub signals: Signals,
    /// How soft blocks are overridden here.
    pub overrides: OverridePolicy,
}

/// What came of an event.
#[derive(Clone, Debug, Default)]
pub struct Judgement {
    /// Which view decided, by its position; none when there was no view.
    pub view: Option<usize>,
    /// What that view came to.
    pub outcome: Option<Outcome>,
    /// The behaviors whose block this event showed to be overridden, with their counters.
    pub overridden: Vec<(String, u64)>,
    /// The memory afterwards; `None` when there was none.
    pub session: Option<Session>,
    /// What is answered; `None` says nothing.
    pub reply: Option<Reply>,
}

impl Judgement {
    /// Adds a line to what agent and user are told, if they are told anything.
    pub(super) fn tell(&mut self, line: &str) {
        for text in self.reply.iter_mut().flat_map(|reply| [&mut reply.user, &mut reply.agent]) {
            text.push_str(if text.is_empty() { "forge: " } else { "\n\nforge: " });
            text.push_str(line);
        }
    }
}

/// How one view is run.
pub type Run<'r> = &'r mut dyn FnMut(&View<'_>, Input<'_>) -> Outcome;

/// Judges an event. `settled` is the id of an asked-about call that this event shows to have run; its block is overridden
/// before anything else. The first view that violates something decides, else the first: each starts from the same
/// session, for a flag that one of them consumed must not be missing for the next. What a view shows to be overridden
/// is so whichever view decides: the call is one, and its override is used up.
pub fn judge(
    views: &[View<'_>],
    circumstances: Circumstances<'_>,
    mut session: Option<Session>,
    settled: Option<&str>,
    run: Run<'_>,
) -> Judgement {
    let settled = session.as_mut().zip(settled).map(|(session, id)| store::settle(session, id));
    let mut judgement = Judgement { overridden: settled.unwrap_or_default(), ..Judgement::default() };
    let Circumstances { session: name, root, now, profile, signals, overrides } = circumstances;
    let mut shown: Vec<(String, u64)> = Vec::new();
    for (position, view) in views.iter().enumerate() {
        let outcome = run(view, Input { call: view.call, session: session.clone(), signals, now, profile, overrides });
        for it in &outcome.overridden {
            let block = view.rules.program().block(it.behavior).map(|block| block.id.to_string());
            let news = block.filter(|id| shown.iter().all(|(known, _)| known != id));
            shown.extend(news.map(|id| (id, it.counter)));
        }
        let decides = !outcome.verdicts.is_empty();
        if decides || position == 0 {
            judgement.view = Some(position);
            judgement.outcome = Some(outcome);
        }
        if decides {
            break;
        }
    }
    let decided = judgement.view.and_then(|view| views.get(view)).zip(judgement.outcome.as_mut());
    if let Some((view, outcome)) = decided {
        for state in outcome.session.iter_mut().flat_map(|session| answered(session, &shown)) {
            state.pending = None;
        }
        session.clone_from(&outcome.session);
        let program = view.rules.program();
        let code = code(program, name, outcome, overrides);
        let context = Context { call: view.call, overrides, code: code.as_deref(), session: name, root, signals };
        judgement.reply = Some(render::reply(program, context, outcome));
    }
    judgement.overridden.append(&mut shown);
    judgement.session = session;
    judgement
}

/// The memory of the behaviors whose block was shown to be overridden.
fn answered<'s>(session: &'s mut Session, shown: &[(String, u64)]) -> impl Iterator<Item = &'s mut BehaviorState> {
    let behaviors = session.behaviors.iter_mut();
    behaviors.filter(|(id, _)| shown.iter().any(|(known, _)| known == *id)).map(|(_, state)| state)
}

/// What a person types after `forge allow` to override the block this outcome ends with; `deny` mode alone.
fn code(program: &Program<'_>, session: &str, outcome: &Outcome, overrides: OverridePolicy) -> Option<String> {
    if !matches!(overrides, OverridePolicy::Deny { .. }) {
        return None;
    }
    let block = program.block(outcome.verdicts.last()?.behavior)?;
    let state = outcome.session.as_ref()?.behaviors.get(block.id.as_ref())?;
    Some(store::code(session, &block.id, state.counter, state.pending.as_ref()?))
}

/// How a soft block is overridden here: `ask` where nobody would be asked is `deny`. `window` in seconds.
#[must_use]
pub fn policy(sender: &Sender<'_>, mode: OverrideMode, window: i64) -> OverridePolicy {
    match mode {
        OverrideMode::Retry => OverridePolicy::Retry { window },
        OverrideMode::Ask if harness::can_ask(sender) => OverridePolicy::Ask,
        OverrideMode::Ask | OverrideMode::Deny => OverridePolicy::Deny { window },
    }
}
