//! What the numbers of `forge status`, `forge audit` and its report mean, computed once for all three. Pure: the files'
//! words, the remembered sessions and the log in, counts out. `docs/control.md` says what cannot be known.

use crate::model::{Catalogue, Enforcement, Level, Timestamp};
use crate::store::{Remembered, Snapshot};
use std::collections::{BTreeMap, BTreeSet};

/// Counts of violations and what became of them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Tally {
    /// Violations that were counted.
    pub(super) violations: u64,
    /// Those among them that refused a call.
    pub(super) blocks: u64,
    /// Blocks that were overridden.
    pub(super) overrides: u64,
}

/// What an override rate says about a behavior.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Verdict {
    /// Nothing was blocked, so nothing is said.
    Unknown,
    /// People mostly agree with it.
    Healthy,
    /// People often disagree with it.
    Review,
    /// People go past it.
    Ineffective,
}

/// One behavior over all remembered sessions.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct OfBehavior {
    pub(super) id: String,
    /// Whether it acts; `None` when the project does not know it (any more).
    pub(super) enabled: Option<bool>,
    pub(super) tally: Tally,
    /// Sessions by the highest level they reached with it, silent first.
    pub(super) levels: [u64; 5],
    /// Sessions that switched it off.
    pub(super) switched_off: u64,
    /// Overrides in the audit log, whose sessions may be forgotten.
    pub(super) logged_overrides: u64,
    pub(super) last_violation: Option<Timestamp>,
}

/// One remembered session.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct OfSession {
    pub(super) id: String,
    pub(super) last_accessed: Option<Timestamp>,
    pub(super) tally: Tally,
    pub(super) level: Level,
    pub(super) switched_off: BTreeSet<String>,
}

/// All of it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Metrics {
    /// Behaviors of the project.
    pub(super) installed: usize,
    /// Those that act.
    pub(super) enabled: usize,
    pub(super) total: Tally,
    /// In index order, then the unknown ones by name.
    pub(super) behaviors: Vec<OfBehavior>,
    /// The newest first.
    pub(super) sessions: Vec<OfSession>,
}

impl Tally {
    /// Overrides per block; `None` when nothing was blocked.
    #[allow(clippy::cast_precision_loss, reason = "a rate of counts")]
    pub(super) fn rate(self) -> Option<f64> {
        (self.blocks > 0).then(|| self.overrides as f64 / self.blocks as f64)
    }

    pub(super) fn verdict(self) -> Verdict {
        match self.rate() {
            None => Verdict::Unknown,
            Some(rate) if rate < 0.3 => Verdict::Healthy,
            Some(rate) if rate <= 0.7 => Verdict::Review,
            Some(_) => Verdict::Ineffective,
        }
    }

    fn add(&mut self, other: Self) {
        self.violations = self.violations.saturating_add(other.violations);
        self.blocks = self.blocks.saturating_add(other.blocks);
        self.overrides = self.overrides.saturating_add(other.overrides);
    }
}

impl Verdict {
    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Unknown => "no blocks",
            Self::Healthy => "healthy",
            Self::Review => "review",
            Self::Ineffective => "ineffective",
        }
    }
}

/// Counts everything.
pub(super) fn metrics(catalogue: &Catalogue, seen: &Snapshot) -> Metrics {
    let mut behaviors: Vec<OfBehavior> = catalogue
        .behaviors
        .iter()
        .map(|behavior| OfBehavior { enabled: Some(behavior.enabled), ..OfBehavior::new(&behavior.id.value) })
        .collect();
    let installed = behaviors.len();
    let enabled = behaviors.iter().filter(|behavior| behavior.enabled == Some(true)).count();
    let enforcements: BTreeMap<&str, &Enforcement> =
        catalogue.behaviors.iter().map(|behavior| (behavior.id.value.as_str(), &behavior.enforcement)).collect();
    let ids = seen.sessions.iter().flat_map(|session| session.session.behaviors.keys());
    let others: BTreeSet<&str> = ids.chain(seen.log.iter().map(|line| &line.behavior)).map(String::as_str).collect();
    behaviors.extend(others.into_iter().filter(|id| !enforcements.contains_key(id)).map(OfBehavior::new));

    let places: BTreeMap<String, usize> = behaviors.iter().map(|it| it.id.clone()).zip(0..).collect();
    let mut total = Tally::default();
    let mut sessions = Vec::new();
    for remembered in &seen.sessions {
        let mut of_session = OfSession::new(remembered);
        for (id, state) in &remembered.session.behaviors {
            let tally = tally(remembered, id, enforcements.get(id.as_str()).copied());
            of_session.tally.add(tally);
            of_session.level = of_session.level.max(state.level);
            let Some(behavior) = places.get(id).and_then(|place| behaviors.get_mut(*place)) else { continue };
            behavior.tally.add(tally);
            behavior.last_violation = behavior.last_violation.max(state.last_violation.as_ref().map(|last| last.at));
            if let Some(sessions) = behavior.levels.get_mut(state.level as usize).filter(|_| state.counter > 0) {
                *sessions += 1;
            }
        }
        for id in &remembered.session.disabled {
            if let Some(behavior) = places.get(id).and_then(|place| behaviors.get_mut(*place)) {
                behavior.switched_off += 1;
            }
        }
        total.add(of_session.tally);
        sessions.push(of_session);
    }
    for line in &seen.log {
        if let Some(behavior) = places.get(&line.behavior).and_then(|place| behaviors.get_mut(*place)) {
            behavior.logged_overrides += 1;
        }
    }
    sessions.sort_by_key(|session| std::cmp::Reverse(session.last_accessed));
    Metrics { installed, enabled, total, behaviors, sessions }
}

/// What one session says of one behavior. The state counts violations and knows the highest level, not how often a call
/// was refused; that follows from the thresholds: every violation from the first blocking one on is a block. With
/// thresholds changed since then it is an estimate, which the level and the overrides keep within bounds.
fn tally(remembered: &Remembered, id: &str, enforcement: Option<&Enforcement>) -> Tally {
    let state = remembered.session.behaviors.get(id);
    let (violations, level) = state.map_or((0, Level::Silent), |state| (state.counter, state.level));
    let of_id = remembered.overrides.iter().filter(|(behavior, _)| behavior == id);
    let overrides = of_id.map(|(_, count)| *count).sum::<u64>();
    let first = enforcement.and_then(first_block).unwrap_or(violations).max(1);
    let blocks = if level.is_block() { violations.saturating_sub(first - 1).max(1) } else { 0 };
    Tally { violations, blocks: blocks.max(overrides), overrides }
}

/// The first violation that refuses a call.
fn first_block(enforcement: &Enforcement) -> Option<u64> {
    if enforcement.default_level.is_block() {
        return Some(1);
    }
    enforcement.escalation.iter().find(|step| step.level.is_block()).map(|step| u64::from(step.after))
}

impl OfBehavior {
    fn new(id: &str) -> Self {
        Self {
            id: id.to_owned(),
            enabled: None,
            tally: Tally::default(),
            levels: [0; 5],
            switched_off: 0,
            logged_overrides: 0,
            last_violation: None,
        }
    }
}

impl OfSession {
    fn new(remembered: &Remembered) -> Self {
        Self {
            id: remembered.id.clone(),
            last_accessed: remembered.last_accessed_at,
            tally: Tally::default(),
            level: Level::Silent,
            switched_off: remembered.session.disabled.clone(),
        }
    }
}
