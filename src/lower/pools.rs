//! The constants of one block, each once. Uses `bytecode` and `automata`.

use super::automata::Automata;
use super::{Excess, owned};
use crate::bytecode::operand::{PatternId, TextId};
use crate::bytecode::program::PatternConst;
use crate::model::Pattern;
use std::borrow::Cow;
use std::collections::HashMap;
use std::hash::Hash;

/// The pools of a block under construction.
pub(super) struct Pools<'a> {
    automata: &'a mut Automata,
    texts: Pool<String>,
    patterns: Pool<Pattern>,
}

impl<'a> Pools<'a> {
    /// Empty pools.
    pub(super) fn new(automata: &'a mut Automata) -> Self {
        Self { automata, texts: Pool::default(), patterns: Pool::default() }
    }

    /// The number of a text.
    pub(super) fn text(&mut self, text: &str) -> Result<TextId, Excess> {
        self.texts.number(&text.to_owned()).map(TextId).ok_or(Excess::Texts)
    }

    /// The number of a pattern.
    pub(super) fn pattern(&mut self, pattern: &Pattern) -> Result<PatternId, Excess> {
        self.patterns.number(pattern).map(PatternId).ok_or(Excess::Patterns)
    }

    /// What was asked for, by number.
    pub(super) fn finish(self) -> (Vec<Cow<'static, str>>, Vec<PatternConst<'static>>) {
        let texts = self.texts.items.iter().map(|text| owned(text)).collect();
        let patterns = self.patterns.items.iter().map(|pattern| self.automata.constant(pattern).clone()).collect();
        (texts, patterns)
    }
}

struct Pool<T> {
    items: Vec<T>,
    numbers: HashMap<T, u16>,
}

impl<T> Default for Pool<T> {
    fn default() -> Self {
        Self { items: Vec::new(), numbers: HashMap::new() }
    }
}

impl<T: Clone + Eq + Hash> Pool<T> {
    /// The number of an item, the next free one when it is new; `None` when there is none left.
    fn number(&mut self, item: &T) -> Option<u16> {
        if let Some(number) = self.numbers.get(item) {
            return Some(*number);
        }
        let number = u16::try_from(self.items.len()).ok()?;
        self.items.push(item.clone());
        self.numbers.insert(item.clone(), number);
        Some(number)
    }
}
