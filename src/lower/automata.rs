//! How each pattern will be run: its literals, its automaton, or the engine that needs neither. Decided once per
//! pattern of a catalogue. Uses `pattern::states_of`, `literals`, `hasty` and `table`; the only place where automata are
//! built.

use super::literals::{self, Literals};
use super::table::table;
use super::{hasty, owned};
use crate::bytecode::program::PatternConst;
use crate::limits;
use crate::model::Pattern;
use crate::parallel;
use crate::pattern::states_of;
use regex_automata::dfa::{StartKind, dense};
use regex_automata::nfa::thompson::NFA;
use regex_automata::util::look::Look;
use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};

/// Memory for building one automaton, bytes. A hopeless pattern reaches it in a fraction of a second.
const BUILD_BYTES: usize = 4 * limits::DFA_BYTES;

/// The patterns of a catalogue, built once each.
pub(super) struct Automata {
    built: BTreeMap<Pattern, PatternConst<'static>>,
}

impl Automata {
    /// Builds many patterns at once, on all cores: by far the longest part of compiling a catalogue.
    pub(super) fn of(patterns: BTreeSet<&Pattern>) -> Self {
        let patterns: Vec<&Pattern> = patterns.into_iter().collect();
        let built = parallel::map(&patterns, |pattern| ((*pattern).clone(), build(pattern)));
        Self { built: built.into_iter().collect() }
    }

    /// The constant for a pattern.
    pub(super) fn constant(&mut self, pattern: &Pattern) -> &PatternConst<'static> {
        self.built.entry(pattern.clone()).or_insert_with_key(build)
    }

    /// The patterns without an automaton, as written, sorted.
    pub(super) fn slow_patterns(self) -> Vec<String> {
        let slow = self.built.into_iter().filter(|(_, built)| built.automaton.is_empty());
        let mut slow: Vec<String> = slow.map(|(pattern, _)| pattern.source).collect();
        slow.dedup();
        slow
    }
}

fn build(pattern: &Pattern) -> PatternConst<'static> {
    let expression = regex_syntax::parse(&pattern.normal).ok();
    let Literals { texts, fold } = expression.as_ref().map(literals::required).unwrap_or_default();
    let automaton = expression.map(hasty::found_alike).and_then(|expression| stored(&states_of(&expression)?));
    PatternConst {
        source: owned(&pattern.source),
        normal: owned(&pattern.normal),
        literals: texts.into_iter().map(Cow::Owned).collect(),
        fold,
        automaton: automaton.unwrap_or_default().into(),
    }
}

/// The automaton as it is stored.
fn stored(nfa: &NFA) -> Option<Vec<u8>> {
    if matches_within_a_letter(nfa) {
        return None;
    }
    let config = dense::Config::new()
        .accelerate(false)
        .start_kind(StartKind::Unanchored)
        .dfa_size_limit(Some(limits::DFA_BYTES))
        .determinize_size_limit(Some(BUILD_BYTES));
    let dfa = dense::Builder::new().configure(config).build_from_nfa(nfa).ok()?;
    Some(table(&dfa)?.to_bytes())
}

/// Whether an empty match may lie between two bytes of a letter, as `\B` does between any two that are no ASCII. That is
/// no match in a text, and a table does not know where letters begin.
fn matches_within_a_letter(nfa: &NFA) -> bool {
    let between = [Look::WordAsciiNegate, Look::WordStartHalfAscii, Look::WordEndHalfAscii];
    nfa.has_empty() && between.into_iter().any(|look| nfa.look_set_any().contains(look))
}
