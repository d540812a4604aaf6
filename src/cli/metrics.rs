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
    /// The same by the level they were answered with, silent first.
    pub(super) by_level: [u64; 5],
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
        for (all, more) in self.by_level.iter_mut().zip(other.by_level) {
            *all = all.saturating_add(more);
        }
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

/// What one session says of one behavior. The state counts violations and knows the highest level, not how each one was
/// answered; that follows from the thresholds.
fn tally(remembered: &Remembered, id: &str, enforcement: Option<&Enforcement>) -> Tally {
    let state = remembered.session.behaviors.get(id);
    let (violations, level) = state.map_or((0, Level::Silent), |state| (state.counter, state.level));
    let of_id = remembered.overrides.iter().filter(|(behavior, _)| behavior == id);
    let overrides = of_id.map(|(_, count)| *count).sum::<u64>();
    let by_level = by_level(enforcement, violations, level);
    let blocks: u64 =
        Level::ALL.iter().zip(by_level).filter(|(level, _)| level.is_block()).map(|(_, count)| count).sum();
    Tally { violations, by_level, blocks: blocks.max(overrides), overrides }
}

/// Violations by level: each at the level of its threshold, and never at a lower one than those before. Where the
/// thresholds were changed since, the highest level that the session really reached corrects the estimate: nothing is
/// above it, and one at least is at it.
fn by_level(enforcement: Option<&Enforcement>, violations: u64, highest: Level) -> [u64; 5] {
    let mut counts = [0; 5];
    let mut count = |level: Level, violations: u64| {
        if let Some(counted) = counts.get_mut(level.min(highest) as usize) {
            *counted += violations;
        }
    };
    let steps = enforcement.map_or(&[][..], |enforcement| &enforcement.escalation);
    let mut level = enforcement.map_or(Level::Silent, |enforcement| enforcement.default_level);
    let mut from = 1_u64;
    for step in steps {
        let until = u64::from(step.after).min(violations.saturating_add(1));
        count(level, until.saturating_sub(from));
        // A level that no violation was answered with does not hold the next ones up.
        level = if until > from || from > 1 { level.max(step.level) } else { step.level };
        from = from.max(until);
    }
    count(level, violations.saturating_add(1).saturating_sub(from));
    let lower = highest as usize;
    if violations > 0 && counts.get(lower) == Some(&0) {
        if let Some(moved) = counts.iter_mut().rev().find(|count| **count > 0) {
            *moved -= 1;
        }
        if let Some(reached) = counts.get_mut(lower) {
            *reached += 1;
        }
    }
    counts
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
