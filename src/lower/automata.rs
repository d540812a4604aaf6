//! How each pattern will be run: its literals, its automaton, or the engine that needs neither. Decided once per
//! pattern of a catalogue. Uses `pattern::states_of`, `hasty` and
//! `literals`; the only place where automata are built.

use super::literals::{self, Literals};
use super::{hasty, owned};
use crate::bytecode::program::PatternConst;
use crate::limits;
use crate::model::Pattern;
use crate::parallel;
use crate::pattern::states_of;
use regex_automata::dfa::{StartKind, dense};
use regex_automata::nfa::thompson::NFA;
use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};

/// Above this a dense automaton is made as small as it can be, which takes longer than to build it.
const MINIMISED_FROM: usize = 192 << 10;
/// What is larger even then is stored sparse: a quarter of the file, four times slower to search, and, what every use
/// pays, thirty times slower to check per byte when it is loaded.
const SPARSE_FROM: usize = 640 << 10;
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

/// The automaton as it is stored: little-endian everywhere, so that the same sources give the same bytes. A machine of
/// the other kind cannot load it and uses the fallback engine.
fn stored(nfa: &NFA) -> Option<Vec<u8>> {
    let config = dense::Config::new()
        .start_kind(StartKind::Unanchored)
        .dfa_size_limit(Some(limits::DFA_BYTES))
        .determinize_size_limit(Some(BUILD_BYTES));
    let build = |config: dense::Config| dense::Builder::new().configure(config).build_from_nfa(nfa).ok();
    let mut dense = build(config.clone())?;
    if dense.memory_usage() > MINIMISED_FROM {
        dense = build(config.minimize(true))?;
    }
    if dense.memory_usage() > SPARSE_FROM {
        return Some(dense.to_sparse().ok()?.to_bytes_little_endian());
    }
    // The padding in front is not stored: the reader aligns automata itself.
    let (mut bytes, padding) = dense.to_bytes_little_endian();
    Some(bytes.split_off(padding))
}
