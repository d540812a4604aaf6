//! What a pattern becomes before it is an automaton. One place, so that what `parse` lets pass is what the compiler of
//! automata and the fallback engine can build. Uses `regex-automata`; runs nothing.

use crate::limits;
use regex_automata::nfa::thompson::{Compiler, NFA, WhichCaptures};
use regex_syntax::hir::Hir;

/// The states of a pattern's normal form; `None` when it is no pattern or needs more memory than one may.
#[must_use]
pub fn states(normal: &str) -> Option<NFA> {
    states_of(&regex_syntax::parse(normal).ok()?)
}

/// The same of a normal form that was read already.
#[must_use]
pub fn states_of(expression: &Hir) -> Option<NFA> {
    thread_local! {
        /// Made once: its tables for Unicode cost a hundred times an ordinary pattern.
        static COMPILER: Compiler = {
            let states = NFA::config().which_captures(WhichCaptures::None);
            let mut compiler = NFA::compiler();
            compiler.configure(states.nfa_size_limit(Some(limits::PATTERN_NFA_BYTES)));
            compiler
        };
    }
    COMPILER.with(|compiler| compiler.build_from_hir(expression).ok())
}
