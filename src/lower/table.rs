//! A library's automaton -> the table a program holds: only what decides whether there is a match, as small as it gets,
//! and the same bytes for the same pattern everywhere. Uses `regex-automata` to look at the automaton and
//! `bytecode::table` for the bytes.

use super::graph::{FOUND, Graph, LOST};
use crate::bytecode::table::{Cell, Table};
use regex_automata::dfa::{Automaton, dense};
use regex_automata::util::primitives::StateID;
use regex_automata::{Anchored, Input};
use std::collections::HashMap;

/// The table of an automaton that searches from the start of a text; `None` when it could stop without an answer.
pub(super) fn table(dfa: &dense::DFA<Vec<u32>>) -> Option<Table> {
    let mut graph = explored(dfa)?;
    graph.merge_columns();
    graph.merge_states();
    graph.merge_columns();
    graph.table()
}

/// All states that some text leads to. Behind a match nothing matters, so that all matches are one state.
fn explored(dfa: &dense::DFA<Vec<u32>>) -> Option<Graph> {
    let classes: Vec<usize> = (0..=u8::MAX).map(|byte| usize::from(dfa.byte_classes().get(byte))).collect();
    let width = classes.iter().max().map_or(1, |class| class + 1);
    let byte_of = |class| (0..=u8::MAX).zip(&classes).find(|(_, its)| **its == class).map(|(byte, _)| byte);
    let bytes = (0..width).map(byte_of).collect::<Option<Vec<u8>>>()?;
    let mut graph = Graph {
        next: [vec![LOST; width], vec![FOUND; width]].concat(),
        ends: vec![false, true],
        classes,
        width,
        start: 2,
    };
    let mut states = vec![dfa.start_state_forward(&Input::new("").anchored(Anchored::No)).ok()?];
    let mut numbers: HashMap<StateID, u32> = states.iter().map(|state| (*state, 2)).collect();
    let mut at = 0;
    while let Some(state) = states.get(at).copied() {
        at += 1;
        for byte in &bytes {
            let to = dfa.next_state(state, *byte);
            if dfa.is_quit_state(to) {
                return None;
            }
            graph.next.push(if dfa.is_dead_state(to) {
                LOST
            } else if dfa.is_match_state(to) {
                FOUND
            } else {
                let fresh = u32::try_from(states.len() + 2).ok()?;
                *numbers.entry(to).or_insert_with(|| {
                    states.push(to);
                    fresh
                })
            });
        }
        graph.ends.push(dfa.is_match_state(dfa.next_eoi_state(state)));
    }
    Some(graph)
}

impl Graph {
    /// The states in the order in which texts reach them, those in which a text may end with a match behind the others.
    fn table(&self) -> Option<Table> {
        let mut order = vec![self.start];
        let mut at = 0;
        let mut is_known = vec![false; self.ends.len()];
        for known in [LOST, FOUND, self.start] {
            *is_known.get_mut(known as usize)? = true;
        }
        while let Some(state) = order.get(at).copied() {
            at += 1;
            for to in self.rows().nth(state as usize)? {
                if !std::mem::replace(is_known.get_mut(*to as usize)?, true) {
                    order.push(*to);
                }
            }
        }
        let ends = |state: &u32| self.ends.get(*state as usize).copied().unwrap_or_default();
        order.sort_by_key(ends);
        let mut places = vec![0; self.ends.len()];
        for (position, state) in order.iter().enumerate() {
            *places.get_mut(*state as usize)? = u32::try_from(position * self.width).ok()?;
        }
        let cell = |to: &u32| {
            Some(match *to {
                LOST => Cell::Lost,
                FOUND => Cell::Found,
                state => Cell::State(*places.get(state as usize)?),
            })
        };
        let rows = order.iter().filter_map(|state| self.rows().nth(*state as usize)).flatten();
        let ending = order.iter().position(ends).unwrap_or(order.len());
        let mut classes = [0; 256];
        for (byte, class) in classes.iter_mut().zip(&self.classes) {
            *byte = u8::try_from(*class).ok()?;
        }
        Some(Table {
            classes,
            start: *places.get(self.start as usize)?,
            ends: u32::try_from(ending * self.width).ok()?,
            cells: rows.map(cell).collect::<Option<_>>()?,
        })
    }
}
