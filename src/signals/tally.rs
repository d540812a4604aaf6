//! From what the transcripts say to sums and counts. One fact at a time, in file order; every response once.
//! Knows prices and the session's state; reads no file.

use super::counted::Counted;
use super::fact::{Fact, Hash, Origin, Verdict};
use super::money::{Nanos, Usage};
use super::prices::{Prices, Vendor};
use super::record;
use super::state::{Agent, Followed, Recent, State};
use crate::limits;

/// What a session's facts are added up with.
pub(super) struct Tally<'t, 'h> {
    pub(super) state: &'t mut State,
    pub(super) counted: &'t mut Counted<'h>,
    pub(super) prices: &'t Prices,
    pub(super) vendor: Vendor,
    /// The model the hook was told, for responses that name none.
    pub(super) model: &'t str,
    /// Nobody else tells when the user says something new.
    pub(super) clears_counts: bool,
}

/// Most models named as estimated.
const MODELS: usize = 10;

impl Tally<'_, '_> {
    /// Takes one fact of one transcript.
    pub(super) fn take(&mut self, file: &mut Followed, fact: Fact<'_>) {
        match fact {
            Fact::Response { origin, usage, model } => {
                let model = if model.is_empty() { self.model } else { &*model };
                match origin {
                    Origin::Named(id) => self.named(file, id, &usage, model),
                    Origin::Counted => self.total(file, &usage, model),
                }
            }
            Fact::Called(id, response) => {
                let agent = self.state.agent(&file.agent);
                agent.ask(id, response);
            }
            Fact::Returned(id, verdict) => self.returned(file, id, verdict),
            Fact::Refused(id) => {
                self.state.refuse(id);
                let agent = self.state.agent(&file.agent);
                if agent.failed.remove(id) {
                    agent.streak = agent.streak.saturating_sub(1);
                }
            }
            Fact::Interrupted => end_streak(self.state.agent(&file.agent)),
            Fact::Prompted => {
                let agent = self.state.agent(&file.agent);
                end_streak(agent);
                if self.clears_counts {
                    agent.counts.clear();
                    agent.past.clear();
                }
            }
        }
    }

    /// The file has a record per response after all: its running totals told the same once more.
    pub(super) fn forget_totals(&mut self, file: &mut Followed) {
        self.state.cost = self.state.cost.minus(file.most_counted);
        file.counted = Nanos(0);
        file.most_counted = Nanos(0);
    }

    fn named(&mut self, file: &Followed, id: Hash, usage: &Usage, model: &str) {
        let priced = self.prices.price(usage, model, self.vendor);
        if let Some(known) = self.state.recent.iter_mut().find(|recent| recent.id == id) {
            // The same response in a further record. Only its numbers can grow: an earlier record may hold a placeholder.
            let more = if known.is_foreign { Nanos(0) } else { priced.cost.minus(known.cost) };
            known.cost = known.cost.plus(more);
            self.state.cost = self.state.cost.plus(more);
            if known.is_estimate {
                self.state.estimated = self.state.estimated.plus(more);
            }
            return;
        }
        if self.counted.has(id) {
            return;
        }
        let is_foreign = !file.was_read && self.counted.is_foreign(id);
        self.state.remember(Recent { id, cost: priced.cost, is_estimate: priced.is_estimate, is_foreign });
        if is_foreign {
            return;
        }
        self.counted.add(id);
        self.state.cost = self.state.cost.plus(priced.cost);
        if priced.is_estimate {
            self.estimated(priced.cost, usage, model);
        }
    }

    fn total(&mut self, file: &mut Followed, usage: &Usage, model: &str) {
        let priced = self.prices.price(usage, model, self.vendor);
        file.counted = file.counted.plus(priced.cost);
        let more = file.counted.minus(file.most_counted);
        file.most_counted = file.most_counted.plus(more);
        self.state.cost = self.state.cost.plus(more);
        if priced.is_estimate {
            self.estimated(more, usage, model);
        }
    }

    fn estimated(&mut self, cost: Nanos, usage: &Usage, model: &str) {
        let state = &mut *self.state;
        state.estimated = state.estimated.plus(cost);
        state.estimated_tokens = state.estimated_tokens.saturating_add(usage.tokens());
        let name: String = record::head(if model.is_empty() { "(no model id)" } else { model }, 60)
            .chars()
            .filter(|letter| !letter.is_control())
            .collect();
        if state.estimated_models.len() < MODELS && !state.estimated_models.contains(&name) {
            state.estimated_models.push(name);
        }
    }

    fn returned(&mut self, file: &Followed, id: Hash, verdict: Verdict) {
        let was_refused = self.state.refused.contains(id);
        let agent = self.state.agent(&file.agent);
        agent.open.remove(id);
        agent.is_matched |= agent.past.answer(id);
        match verdict {
            // Forge or another hook refused it: its result says nothing.
            _ if was_refused => {}
            Verdict::Failure => {
                agent.streak = agent.streak.saturating_add(1);
                agent.failed.push(id, limits::SIGNAL_CALLS);
            }
            Verdict::Refused => {}
            Verdict::Success | Verdict::Stopped => end_streak(agent),
        }
    }
}

/// Nothing that went before counts any more.
pub(super) fn end_streak(agent: &mut Agent) {
    agent.streak = 0;
    agent.failed.clear();
}
