//! What instructions are about. Each kind of operand reads, writes, checks, prints and parses itself, so that the
//! listing, the assembler and the verifier know no instruction by name. Uses `model` and `program`; never code offsets
//! other than the ones it is given.

use super::program::{Block, Routine};
use crate::model::{Comparison, Field, Profile, Signal};
use std::collections::BTreeSet;
use std::fmt;

/// A kind of operand, for tables and documentation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct OperandKind {
    /// Its name.
    pub name: &'static str,
    /// How many bytes it takes in the code.
    pub bytes: usize,
    /// What the bytes mean.
    pub about: &'static str,
    /// The words it is written with, in the order of their numbers; empty when it is not a closed vocabulary.
    pub words: &'static [&'static str],
}

/// What an operand is checked against: the block it is in, and the place.
#[derive(Clone, Copy, Debug)]
pub struct Scope<'a> {
    /// The block, for its pools.
    pub block: &'a Block<'a>,
    /// The routine, for its length and places.
    pub routine: &'a Routine<'a>,
    /// The triggers that something of the routine was written in; empty when nothing has a place, as in the part of a
    /// program that a hook reads.
    pub triggers: &'a BTreeSet<u32>,
    /// Where the instruction begins, bytes.
    pub offset: usize,
}

/// Why an operand cannot stand where it stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OperandFault {
    /// The text pool is shorter.
    NoSuchText {
        /// The operand.
        id: u16,
        /// How many there are.
        count: usize,
    },
    /// The pattern pool is shorter.
    NoSuchPattern {
        /// The operand.
        id: u16,
        /// How many there are.
        count: usize,
    },
    /// No place of the routine belongs to this trigger.
    NoSuchTrigger {
        /// The operand.
        trigger: u16,
    },
    /// A jump that does not go forward: only forward jumps always come to an end.
    NotForward {
        /// Where it goes.
        to: u32,
        /// Where the instruction begins.
        from: usize,
    },
    /// A jump to the end of the code or past it.
    Outside {
        /// Where it goes.
        to: u32,
        /// How long the code is.
        len: usize,
    },
}

impl fmt::Display for OperandFault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            Self::NoSuchText { id, count } => write!(f, "text {id} of {count}"),
            Self::NoSuchPattern { id, count } => write!(f, "pattern {id} of {count}"),
            Self::NoSuchTrigger { trigger } => write!(f, "trigger {trigger} has no place in this routine"),
            Self::NotForward { to, from } => write!(f, "jump from {from} to {to} does not go forward"),
            Self::Outside { to, len } => write!(f, "jump to {to} in code of {len} bytes"),
        }
    }
}

/// Words for what an operand only numbers; the listing's side.
pub trait Names {
    /// A text of the pool, as one word (quoted).
    fn text(&self, id: TextId) -> String;
    /// A pattern of the pool, as one word.
    fn pattern(&self, id: PatternId) -> String;
    /// The label of an offset.
    fn label(&self, target: Target) -> String;
}

/// Numbers for words; the assembler's side, the reverse of [`Names`].
pub trait Resolve {
    /// The text a word names, put into the pool if need be.
    fn text(&mut self, word: &str) -> Option<TextId>;
    /// The pattern a word names.
    fn pattern(&mut self, word: &str) -> Option<PatternId>;
    /// The offset of a label. The assembler may answer any number while offsets are not known yet: the length of an
    /// instruction does not depend on it.
    fn label(&mut self, word: &str) -> Option<Target>;
}

/// One kind of operand.
pub trait Operand: Copy {
    /// Its name, size and meaning.
    const KIND: OperandKind;
    /// Takes it from the front of `bytes`; `None` when they end too early or mean nothing.
    fn decode(bytes: &mut &[u8]) -> Option<Self>;
    /// Appends its bytes.
    fn encode(self, code: &mut Vec<u8>);
    /// Whether it may stand in its place.
    ///
    /// # Errors
    /// When it refers to what is not there, or jumps where no jump may go.
    fn check(self, scope: &Scope<'_>) -> Result<(), OperandFault>;
    /// As one word.
    fn print(self, names: &dyn Names) -> String;
    /// The meaning of a word; `None` when it has none.
    fn parse(word: &str, resolve: &mut dyn Resolve) -> Option<Self>;
    /// Where it makes the code go on, for jumps.
    fn target(self) -> Option<Target> {
        None
    }
    /// The same, with jumps going elsewhere.
    #[must_use]
    fn redirect(self, _elsewhere: &dyn Fn(Target) -> Target) -> Self {
        self
    }
}

/// A position in the block's pool of texts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct TextId(pub u16);

/// A position in the block's pool of patterns.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct PatternId(pub u16);

/// Where a jump goes: bytes from the start of the routine's code. Always after the jump itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Target(pub u32);

/// What a signal is compared with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Number(pub u64);

/// Which trigger of the behavior, from 0, as written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct TriggerId(pub u16);

/// Some of the profiles: bit `n` for the `n`th word of [`Profile`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ProfileSet(u8);

impl ProfileSet {
    const ALL_BITS: u8 = (1 << Profile::ALL.len()) - 1;

    /// Whether the profile is one of them.
    #[must_use]
    pub const fn contains(self, profile: Profile) -> bool {
        self.0 & (1 << profile as u8) != 0
    }
}

impl FromIterator<Profile> for ProfileSet {
    fn from_iter<I: IntoIterator<Item = Profile>>(profiles: I) -> Self {
        Self(profiles.into_iter().fold(0, |bits, profile| bits | 1 << profile as u8))
    }
}

fn take<const N: usize>(bytes: &mut &[u8]) -> Option<[u8; N]> {
    let (front, rest) = bytes.split_first_chunk()?;
    *bytes = rest;
    Some(*front)
}

/// A word of a closed vocabulary is one byte: its position there.
macro_rules! word_operand {
    ($vocabulary:ident, $name:literal, $about:literal) => {
        impl Operand for $vocabulary {
            const KIND: OperandKind = OperandKind { name: $name, bytes: 1, about: $about, words: Self::NAMES };
            fn decode(bytes: &mut &[u8]) -> Option<Self> {
                let [number] = take(bytes)?;
                Self::ALL.get(usize::from(number)).copied()
            }
            fn encode(self, code: &mut Vec<u8>) {
                code.push(self as u8);
            }
            fn check(self, _: &Scope<'_>) -> Result<(), OperandFault> {
                Ok(())
            }
            fn print(self, _: &dyn Names) -> String {
                self.name().to_owned()
            }
            fn parse(word: &str, _: &mut dyn Resolve) -> Option<Self> {
                Self::from_name(word)
            }
        }
    };
}

word_operand!(Field, "field", "a text of the call, by number");
word_operand!(Signal, "signal", "a number of the session, by number");
word_operand!(Comparison, "comparison", "how two numbers are compared, by number");

impl Operand for TextId {
    const KIND: OperandKind =
        OperandKind { name: "text", bytes: 2, about: "a position in the block's pool of texts", words: &[] };
    fn decode(bytes: &mut &[u8]) -> Option<Self> {
        take(bytes).map(|id| Self(u16::from_le_bytes(id)))
    }
    fn encode(self, code: &mut Vec<u8>) {
        code.extend(self.0.to_le_bytes());
    }
    fn check(self, scope: &Scope<'_>) -> Result<(), OperandFault> {
        let count = scope.block.texts.len();
        if usize::from(self.0) < count { Ok(()) } else { Err(OperandFault::NoSuchText { id: self.0, count }) }
    }
    fn print(self, names: &dyn Names) -> String {
        names.text(self)
    }
    fn parse(word: &str, resolve: &mut dyn Resolve) -> Option<Self> {
        resolve.text(word)
    }
}

impl Operand for PatternId {
    const KIND: OperandKind =
        OperandKind { name: "pattern", bytes: 2, about: "a position in the block's pool of patterns", words: &[] };
    fn decode(bytes: &mut &[u8]) -> Option<Self> {
        take(bytes).map(|id| Self(u16::from_le_bytes(id)))
    }
    fn encode(self, code: &mut Vec<u8>) {
        code.extend(self.0.to_le_bytes());
    }
    fn check(self, scope: &Scope<'_>) -> Result<(), OperandFault> {
        let count = scope.block.patterns.len();
        if usize::from(self.0) < count { Ok(()) } else { Err(OperandFault::NoSuchPattern { id: self.0, count }) }
    }
    fn print(self, names: &dyn Names) -> String {
        names.pattern(self)
    }
    fn parse(word: &str, resolve: &mut dyn Resolve) -> Option<Self> {
        resolve.pattern(word)
    }
}

impl Operand for Target {
    const KIND: OperandKind = OperandKind {
        name: "target",
        bytes: 4,
        about: "an offset in the routine's code; after the jump, before the end, where an instruction begins",
        words: &[],
    };
    fn decode(bytes: &mut &[u8]) -> Option<Self> {
        take(bytes).map(|to| Self(u32::from_le_bytes(to)))
    }
    fn encode(self, code: &mut Vec<u8>) {
        code.extend(self.0.to_le_bytes());
    }
    /// Forward and inside. That an instruction begins there is for the verifier, who knows where they begin.
    fn check(self, scope: &Scope<'_>) -> Result<(), OperandFault> {
        let (to, len) = (self.0 as usize, scope.routine.code.len());
        if to <= scope.offset {
            return Err(OperandFault::NotForward { to: self.0, from: scope.offset });
        }
        if to < len { Ok(()) } else { Err(OperandFault::Outside { to: self.0, len }) }
    }
    fn print(self, names: &dyn Names) -> String {
        names.label(self)
    }
    fn parse(word: &str, resolve: &mut dyn Resolve) -> Option<Self> {
        resolve.label(word)
    }
    fn target(self) -> Option<Target> {
        Some(self)
    }
    fn redirect(self, elsewhere: &dyn Fn(Target) -> Target) -> Self {
        elsewhere(self)
    }
}

impl Operand for Number {
    const KIND: OperandKind =
        OperandKind { name: "number", bytes: 8, about: "an unsigned number, written in decimal", words: &[] };
    fn decode(bytes: &mut &[u8]) -> Option<Self> {
        take(bytes).map(|number| Self(u64::from_le_bytes(number)))
    }
    fn encode(self, code: &mut Vec<u8>) {
        code.extend(self.0.to_le_bytes());
    }
    fn check(self, _: &Scope<'_>) -> Result<(), OperandFault> {
        Ok(())
    }
    fn print(self, _: &dyn Names) -> String {
        self.0.to_string()
    }
    fn parse(word: &str, _: &mut dyn Resolve) -> Option<Self> {
        word.parse().ok().map(Self)
    }
}

impl Operand for TriggerId {
    const KIND: OperandKind = OperandKind {
        name: "trigger",
        bytes: 2,
        about: "a trigger of the behavior, from 0, as written; one that has a place in the routine, unless nothing there has",
        words: &[],
    };
    fn decode(bytes: &mut &[u8]) -> Option<Self> {
        take(bytes).map(|id| Self(u16::from_le_bytes(id)))
    }
    fn encode(self, code: &mut Vec<u8>) {
        code.extend(self.0.to_le_bytes());
    }
    fn check(self, scope: &Scope<'_>) -> Result<(), OperandFault> {
        let known = scope.triggers.is_empty() || scope.triggers.contains(&u32::from(self.0));
        if known { Ok(()) } else { Err(OperandFault::NoSuchTrigger { trigger: self.0 }) }
    }
    fn print(self, _: &dyn Names) -> String {
        self.0.to_string()
    }
    fn parse(word: &str, _: &mut dyn Resolve) -> Option<Self> {
        word.parse().ok().map(Self)
    }
}

impl Operand for ProfileSet {
    const KIND: OperandKind = OperandKind {
        name: "profiles",
        bytes: 1,
        about: "some profiles, one bit each, the first word being bit 0; written with `,` between them, `none` when empty",
        words: Profile::NAMES,
    };
    fn decode(bytes: &mut &[u8]) -> Option<Self> {
        let [bits] = take(bytes)?;
        (bits & !Self::ALL_BITS == 0).then_some(Self(bits))
    }
    fn encode(self, code: &mut Vec<u8>) {
        code.push(self.0);
    }
    fn check(self, _: &Scope<'_>) -> Result<(), OperandFault> {
        Ok(())
    }
    fn print(self, _: &dyn Names) -> String {
        let names: Vec<&str> =
            Profile::ALL.iter().filter(|profile| self.contains(**profile)).map(|profile| profile.name()).collect();
        if names.is_empty() { "none".to_owned() } else { names.join(",") }
    }
    fn parse(word: &str, _: &mut dyn Resolve) -> Option<Self> {
        if word == "none" {
            return Some(Self::default());
        }
        word.split(',').map(Profile::from_name).collect()
    }
}
