//! States and where their bytes lead, made smaller without changing what is found: classes of bytes, and states, that no
//! text tells apart become one. Plain data; knows no library's automaton.

use std::collections::HashMap;
use std::hash::{BuildHasherDefault, Hasher};
use std::slice::ChunksExact;

/// States by number, each with a row of where its classes lead.
#[derive(Debug)]
pub(super) struct Graph {
    /// The class of each byte.
    pub(super) classes: Vec<usize>,
    pub(super) width: usize,
    /// The rows, one after the other.
    pub(super) next: Vec<u32>,
    /// Whether the end of the text completes a match, for each state.
    pub(super) ends: Vec<bool>,
    pub(super) start: u32,
}

/// No match can come any more.
pub(super) const LOST: u32 = 0;
/// There is a match.
pub(super) const FOUND: u32 = 1;

/// Rounds of telling states apart before it is given up: each tells apart what differs one byte later. What is longer
/// is a chain that has little to merge.
const ROUNDS: usize = 300;

impl Graph {
    pub(super) fn rows(&self) -> ChunksExact<'_, u32> {
        self.next.chunks_exact(self.width)
    }

    /// Makes one class of those that lead to the same states from everywhere.
    pub(super) fn merge_columns(&mut self) {
        let column = |class| self.next.iter().skip(class).step_by(self.width).copied();
        let columns: Vec<u32> = (0..self.width).flat_map(column).collect();
        let merged = numbered(columns.chunks_exact(self.ends.len()));
        let kept = firsts(&merged);
        self.next = self.rows().flat_map(|row| kept.iter().filter_map(|class| row.get(*class))).copied().collect();
        for class in &mut self.classes {
            *class = merged.get(*class).map_or(*class, |merged| *merged as usize);
        }
        self.width = kept.len();
    }

    /// Makes one state of those that no text tells apart.
    pub(super) fn merge_states(&mut self) {
        let mut merged: Vec<u32> = self.ends.iter().map(|ends| u32::from(*ends)).collect();
        let mut seen = Vec::new();
        for round in 0.. {
            seen.clear();
            for (row, state) in self.rows().zip(&merged) {
                seen.push(*state);
                seen.extend(row.iter().filter_map(|to| merged.get(*to as usize)));
            }
            let refined = numbered(seen.chunks_exact(self.width + 1));
            if refined.iter().max() == merged.iter().max() {
                break;
            }
            if round == ROUNDS {
                return;
            }
            merged = refined;
        }
        let at = |state: &u32| merged.get(*state as usize).copied();
        let kept = firsts(&merged);
        let row = |state: &usize| self.next.iter().skip(state * self.width).take(self.width).filter_map(at);
        self.next = kept.iter().flat_map(row).collect();
        self.ends = kept.iter().filter_map(|state| self.ends.get(*state)).copied().collect();
        self.start = at(&self.start).unwrap_or(self.start);
    }
}

/// The same number for equal things, from 0 in the order in which they come first.
fn numbered<'t>(things: impl Iterator<Item = &'t [u32]>) -> Vec<u32> {
    let mut known = HashMap::with_hasher(BuildHasherDefault::<Mixed>::default());
    let number = |thing| {
        let fresh = known.len() as u32;
        *known.entry(thing).or_insert(fresh)
    };
    things.map(number).collect()
}

/// Where each number comes first, given that they come first in rising order.
fn firsts(numbers: &[u32]) -> Vec<usize> {
    let mut next = 0;
    let is_first = |(_, number): &(usize, &u32)| {
        let is_first = **number == next;
        next += u32::from(is_first);
        is_first
    };
    numbers.iter().enumerate().filter(is_first).map(|(position, _)| position).collect()
}

/// A quick hash for rows of numbers: whoever wrote the pattern waits for nobody but himself.
#[derive(Default)]
struct Mixed(u64);

impl Hasher for Mixed {
    fn write(&mut self, bytes: &[u8]) {
        const FACTOR: u64 = 0x9e37_79b9_7f4a_7c15;
        let (words, rest) = bytes.as_chunks::<8>();
        let rest = rest.iter().fold(rest.len() as u64, |word, byte| word << 8 | u64::from(*byte));
        for word in words.iter().map(|word| u64::from_le_bytes(*word)).chain([rest]) {
            self.0 = (self.0.rotate_left(23) ^ word).wrapping_mul(FACTOR);
        }
    }

    fn finish(&self) -> u64 {
        self.0 ^ self.0 >> 32
    }
}
