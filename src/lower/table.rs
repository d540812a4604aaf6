//! A library's automaton -> the table a program holds: only what decides whether there is a match, as small as it gets,
//! and the same bytes for the same pattern everywhere. Uses `regex-automata` to look at the automaton and
//! `bytecode::table` for the bytes.

use crate::bytecode::table::{Cell, Table};
use regex_automata::dfa::{Automaton, dense};
use regex_automata::util::primitives::StateID;
use regex_automata::{Anchored, Input};
use std::collections::HashMap;

/// States by number, each with a row of where its classes lead.
#[derive(Debug)]
struct Graph {
    /// The class of each byte.
    classes: Vec<usize>,
    width: usize,
    /// The rows, one after the other.
    next: Vec<usize>,
    /// Whether the end of the text completes a match, for each state.
    ends: Vec<bool>,
    start: usize,
}

/// No match can come any more.
const LOST: usize = 0;
/// There is a match.
const FOUND: usize = 1;

/// Rounds of telling states apart before it is given up: each tells apart what differs one byte later. What is longer
/// is a chain that has little to merge.
const ROUNDS: usize = 300;

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
    let mut numbers: HashMap<StateID, usize> = states.iter().map(|state| (*state, 2)).collect();
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
                *numbers.entry(to).or_insert_with(|| {
                    states.push(to);
                    states.len() + 1
                })
            });
        }
        graph.ends.push(dfa.is_match_state(dfa.next_eoi_state(state)));
    }
    Some(graph)
}

impl Graph {
    fn rows(&self) -> impl Iterator<Item = &[usize]> {
        self.next.chunks_exact(self.width)
    }

    /// Makes one class of those that lead to the same states from everywhere.
    fn merge_columns(&mut self) {
        let column = |class| self.next.iter().skip(class).step_by(self.width).copied().collect::<Vec<_>>();
        let merged = numbered((0..self.width).map(column));
        let kept = firsts(&merged);
        self.next = self.rows().flat_map(|row| kept.iter().filter_map(|class| row.get(*class))).copied().collect();
        self.classes.iter_mut().for_each(|class| *class = merged.get(*class).copied().unwrap_or(*class));
        self.width = kept.len();
    }

    /// Makes one state of those that no text tells apart.
    fn merge_states(&mut self) {
        let mut merged: Vec<usize> = self.ends.iter().map(|ends| usize::from(*ends)).collect();
        for round in 0.. {
            let refined = {
                let at = |state: &usize| merged.get(*state).copied();
                let seen =
                    |(row, state): (&[usize], &usize)| row.iter().filter_map(at).chain([*state]).collect::<Vec<_>>();
                numbered(self.rows().zip(&merged).map(seen))
            };
            if refined.iter().max() == merged.iter().max() {
                break;
            }
            if round == ROUNDS {
                return;
            }
            merged = refined;
        }
        let at = |state: &usize| merged.get(*state).copied();
        let kept = firsts(&merged);
        let row = |state: &usize| self.next.iter().skip(state * self.width).take(self.width).filter_map(at);
        self.next = kept.iter().flat_map(row).collect();
        self.ends = kept.iter().filter_map(|state| self.ends.get(*state)).copied().collect();
        self.start = at(&self.start).unwrap_or(self.start);
    }

    /// The states in the order in which texts reach them, those in which a text may end with a match behind the others.
    fn table(&self) -> Option<Table> {
        let mut order = vec![self.start];
        let mut at = 0;
        let mut is_known = vec![false; self.ends.len()];
        for known in [LOST, FOUND, self.start] {
            *is_known.get_mut(known)? = true;
        }
        while let Some(state) = order.get(at).copied() {
            at += 1;
            for to in self.rows().nth(state)? {
                if !std::mem::replace(is_known.get_mut(*to)?, true) {
                    order.push(*to);
                }
            }
        }
        let ends = |state: &usize| self.ends.get(*state).copied().unwrap_or_default();
        order.sort_by_key(ends);
        let mut places = vec![0; self.ends.len()];
        for (position, state) in order.iter().enumerate() {
            *places.get_mut(*state)? = position * self.width;
        }
        let cell = |to: &usize| {
            Some(match *to {
                LOST => Cell::Lost,
                FOUND => Cell::Found,
                state => Cell::State(u32::try_from(*places.get(state)?).ok()?),
            })
        };
        let rows = order.iter().filter_map(|state| self.rows().nth(*state)).flatten();
        let ending = order.iter().position(ends).unwrap_or(order.len());
        let mut classes = [0; 256];
        for (byte, class) in classes.iter_mut().zip(&self.classes) {
            *byte = u8::try_from(*class).ok()?;
        }
        Some(Table {
            classes,
            start: u32::try_from(*places.get(self.start)?).ok()?,
            ends: u32::try_from(ending * self.width).ok()?,
            cells: rows.map(cell).collect::<Option<_>>()?,
        })
    }
}

/// The same number for equal things, from 0 in the order in which they come first.
fn numbered(things: impl Iterator<Item = Vec<usize>>) -> Vec<usize> {
    let mut known = HashMap::new();
    let number = |thing| {
        let fresh = known.len();
        *known.entry(thing).or_insert(fresh)
    };
    things.map(number).collect()
}

/// Where each number comes first, given that they come first in rising order.
fn firsts(numbers: &[usize]) -> Vec<usize> {
    let mut next = 0;
    let is_first = |(_, number): &(usize, &usize)| {
        let is_first = **number == next;
        next += usize::from(is_first);
        is_first
    };
    numbers.iter().enumerate().filter(is_first).map(|(position, _)| position).collect()
}
