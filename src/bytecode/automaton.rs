//! Running a pattern of a program on a text: the required literals first, then the stored automaton, then an engine
//! compiled on the spot. Uses `program`, `limits` and `pattern`; never fails, since the machine that asks cannot either.

use super::program::PatternConst;
use super::table;
use super::work::Work;
use crate::limits;
use crate::pattern::states;
use regex_automata::hybrid;
use regex_automata::nfa::thompson::{NFA, pikevm::PikeVM};
use regex_automata::{Anchored, Input};

/// Which way a pattern was decided, for `explain` and the tests.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Way {
    /// None of its literals is in the text.
    Literals,
    /// By the stored automaton.
    Automaton,
    /// By the engine compiled from the pattern's text.
    Fallback,
    /// Nothing in the program can run it, which no compiler of ours writes: the test counts as true, so that a
    /// damaged rule shows itself rather than falling silent.
    Nothing,
}

impl PatternConst<'_> {
    /// Whether the pattern is found in the text.
    #[must_use]
    pub fn is_found(&self, text: &str) -> bool {
        self.decide(text).0
    }

    /// Whether the pattern is found in the text, and which way that was decided.
    #[must_use]
    pub fn decide(&self, text: &str) -> (bool, Way) {
        self.decide_within(text, &Work::of(u64::MAX))
    }

    /// As [`PatternConst::is_found`]; of no meaning once the work is spent.
    #[must_use]
    pub fn is_found_within(&self, text: &str, work: &Work) -> bool {
        self.decide_within(text, work).0
    }

    fn decide_within(&self, text: &str, work: &Work) -> (bool, Way) {
        if !work.spend(self.cost_of_literals(text)) {
            return (true, Way::Nothing);
        }
        if !self.may_be_in(text) {
            return (false, Way::Literals);
        }
        if !work.spend(size(text)) {
            return (true, Way::Nothing);
        }
        if let Some(found) = self.by_automaton(text) {
            return (found, Way::Automaton);
        }
        match self.by_fallback_within(text, work) {
            Some(found) => (found, Way::Fallback),
            None => (true, Way::Nothing),
        }
    }

    /// What [`PatternConst::may_be_in`] may cost: each literal is looked for in the whole text, and where case is ignored,
    /// a text that begins one everywhere is compared everywhere.
    #[must_use]
    pub(super) fn cost_of_literals(&self, text: &str) -> u64 {
        const COMPARED_AT_ONCE: u64 = 4;
        let again = |literal: &str| if self.fold { size(literal) / COMPARED_AT_ONCE } else { 0 };
        let each = |literal: &str| size(literal).saturating_add(size(text).saturating_mul(1 + again(literal)));
        self.literals.iter().fold(1, |sum, literal| each(literal).saturating_add(sum))
    }

    /// What the literals alone say: false only when there can be no match.
    #[must_use]
    pub fn may_be_in(&self, text: &str) -> bool {
        self.literals.is_empty()
            || self.literals.iter().any(|literal| match self.fold {
                true => contains_folded(text.as_bytes(), literal.as_bytes()),
                false => memchr::memmem::find(text.as_bytes(), literal.as_bytes()).is_some(),
            })
    }

    /// What the stored automaton says; `None` when there is none, or a damaged one.
    #[must_use]
    pub fn by_automaton(&self, text: &str) -> Option<bool> {
        table::is_found(&self.automaton, text.as_bytes())
    }

    /// What the fallback engine says; `None` when the pattern's text is none of ours.
    #[must_use]
    pub fn by_fallback(&self, text: &str) -> Option<bool> {
        self.by_fallback_within(text, &Work::of(u64::MAX))
    }

    fn by_fallback_within(&self, text: &str, work: &Work) -> Option<bool> {
        if !work.spend(PARSING * size(&*self.normal)) {
            return None;
        }
        let Some(nfa) = states(&self.normal) else {
            // The limit was met, or there is a mistake; both may show at the very end.
            work.spend(COMPILING * limits::PATTERN_NFA_BYTES as u64);
            return None;
        };
        work.spend(COMPILING * nfa.memory_usage() as u64);
        lazily(&nfa, text, work).or_else(|| slowly(nfa, text, work))
    }
}

/// What it costs to parse a byte of a pattern, which may be a third of a class of all letters; and to make a byte of states.
const PARSING: u64 = 1 << 16;
const COMPILING: u64 = 16;
/// What it costs to fill the memory of a search that builds its states as it goes.
const FILLING: u64 = 32 << 20;
/// What it costs to take one state one byte further.
const STEP: u64 = 4;

fn size(bytes: impl AsRef<[u8]>) -> u64 {
    bytes.as_ref().len() as u64
}

/// Builds states as the text asks for them; gives up when it had to forget them all more often than can be paid for.
fn lazily(nfa: &NFA, text: &str, work: &Work) -> Option<bool> {
    let most = usize::try_from(work.left() / FILLING).unwrap_or(usize::MAX);
    let patience = hybrid::dfa::Config::new().minimum_cache_clear_count(Some(most));
    let dfa = hybrid::dfa::DFA::builder().configure(patience).build_from_nfa(nfa.clone()).ok()?;
    let mut cache = dfa.create_cache();
    let found = dfa.try_search_fwd(&mut cache, &whole(text)).ok().map(|end| end.is_some());
    work.spend(FILLING.saturating_mul(cache.clear_count() as u64)).then_some(found)?
}

fn slowly(nfa: NFA, text: &str, work: &Work) -> Option<bool> {
    let steps = (nfa.states().len() as u64).saturating_mul(size(text) + 1);
    if !work.spend(steps.saturating_mul(STEP)) {
        return None;
    }
    let machine = PikeVM::new_from_nfa(nfa).ok()?;
    Some(machine.is_match(&mut machine.create_cache(), text))
}

/// Where a match ends is never asked: the search stops at the first sign of one.
fn whole(text: &str) -> Input<'_> {
    Input::new(text).anchored(Anchored::No).earliest(true)
}

/// Whether `text` contains `literal`, which is in lower case, when ASCII case is ignored.
fn contains_folded(text: &[u8], literal: &[u8]) -> bool {
    let Some(&first) = literal.first() else { return true };
    memchr::memchr2_iter(first, first.to_ascii_uppercase(), text)
        .any(|start| text.get(start..start + literal.len()).is_some_and(|part| part.eq_ignore_ascii_case(literal)))
}
