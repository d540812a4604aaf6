//! How each pattern will be run: its literals, its automaton, or the engine that needs neither. Decided once per
//! pattern of a catalogue. Uses `bytecode::automaton` and `literals`; the only place where automata are built.

use super::literals::{self, Literals};
use super::owned;
use crate::bytecode::automaton;
use crate::bytecode::program::PatternConst;
use crate::limits;
use crate::model::Pattern;
use regex_automata::dfa::{StartKind, dense};
use regex_automata::nfa::thompson::NFA;
use std::borrow::Cow;
use std::collections::BTreeMap;

/// Above this a dense automaton is stored sparse: four times slower to search, a fifth of the file.
const SPARSE_FROM: usize = 256 << 10;
/// Up to this, bytes, an automaton is made minimal: above, the time it takes grows faster than what is saved.
const MINIMIZE_TO: usize = 16 << 10;
/// Memory for building one automaton, bytes. A hopeless pattern reaches it in a fraction of a second.
const BUILD_BYTES: usize = 4 * limits::DFA_BYTES;

/// The patterns of a catalogue met so far, built once each.
#[derive(Default)]
pub(super) struct Automata {
    built: BTreeMap<Pattern, PatternConst<'static>>,
}

impl Automata {
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
    let Literals { texts, fold } = literals::required(&pattern.normal);
    PatternConst {
        source: owned(&pattern.source),
        normal: owned(&pattern.normal),
        literals: texts.into_iter().map(Cow::Owned).collect(),
        fold,
        automaton: automaton::compile(&pattern.normal).and_then(|nfa| stored(&nfa)).unwrap_or_default().into(),
    }
}

/// The automaton as it is stored: little-endian everywhere, so that the same sources give the same bytes. A machine of
/// the other kind cannot load it and uses the fallback engine.
fn stored(nfa: &NFA) -> Option<Vec<u8>> {
    let plain = determinize(nfa, false)?;
    if plain.memory_usage() <= MINIMIZE_TO {
        let minimal = determinize(nfa, true)?;
        return Some(little_endian(&minimal));
    }
    if plain.memory_usage() <= SPARSE_FROM {
        return Some(little_endian(&plain));
    }
    Some(plain.to_sparse().ok()?.to_bytes_little_endian())
}

/// Dense automata are stored with padding in front, to be dropped: the reader aligns them itself.
fn little_endian(dfa: &dense::DFA<Vec<u32>>) -> Vec<u8> {
    let (mut bytes, padding) = dfa.to_bytes_little_endian();
    bytes.split_off(padding)
}

fn determinize(nfa: &NFA, minimize: bool) -> Option<dense::DFA<Vec<u32>>> {
    let config = dense::Config::new()
        .start_kind(StartKind::Unanchored)
        .minimize(minimize)
        .accelerate(true)
        .dfa_size_limit(Some(limits::DFA_BYTES))
        .determinize_size_limit(Some(BUILD_BYTES));
    dense::Builder::new().configure(config).build_from_nfa(nfa).ok()
}
