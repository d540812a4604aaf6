//! The instruction set: one table, from which the enum, the encoding, the printing, the parsing and the documentation
//! are derived. Uses `operand` alone; what an instruction does is written in `vm` and `bytecode-spec/semantics.md`.
//!
//! A machine without stack or registers: one truth bit, which tests set and jumps look at; it is false at the start.
//! Jumps go forward only, and the last instruction of a routine halts: every run ends. There is no unconditional
//! jump, since nothing an author can write needs one.

use super::operand::{
    Names, Number, Operand, OperandFault, OperandKind, PatternId, ProfileSet, Resolve, Scope, Target, TextId, TriggerId,
};
use crate::model::{Comparison, Field, Signal};

/// A row of the table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Row {
    /// The first byte of the instruction.
    pub opcode: u8,
    /// Its word in listings.
    pub mnemonic: &'static str,
    /// What it does.
    pub about: &'static str,
    /// Its operands, in order: what each is called, and its kind.
    pub operands: &'static [(&'static str, OperandKind)],
}

/// Why a line of assembly is no instruction.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum AssemblyFault {
    /// No instruction has this word.
    UnknownMnemonic,
    /// The instruction has another number of operands.
    OperandCount {
        /// How many it has.
        expected: usize,
    },
    /// A word means nothing as this operand.
    BadOperand {
        /// Which one, from 0.
        position: usize,
        /// What it should be.
        kind: OperandKind,
    },
}

macro_rules! row {
    ($opcode:literal $mnemonic:literal [$($about:literal),+] { $( $operand:ident: $kind:ty ),* }) => {
        Row {
            opcode: $opcode,
            mnemonic: $mnemonic,
            about: concat!($($about),+).trim_ascii(),
            operands: &[$( (stringify!($operand), <$kind as Operand>::KIND) ),*],
        }
    };
}

macro_rules! instructions {
    ($(
        $(#[doc = $about:literal])+
        $opcode:literal $name:ident $mnemonic:literal { $( $operand:ident: $kind:ty ),* }
    )+) => {
        /// One instruction.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub enum Op {
            $(
                $(#[doc = $about])+
                #[allow(missing_docs, reason = "an operand is documented by its type")]
                $name { $( $operand: $kind ),* },
            )+
        }

        impl Op {
            /// Every instruction, by opcode.
            pub const TABLE: &'static [Row] =
                &[$( row!($opcode $mnemonic [$($about),+] { $( $operand: $kind ),* }), )+];

            /// The instruction at an offset and the offset of the next; `None` when the bytes there are none.
            #[must_use]
            pub fn decode(code: &[u8], offset: usize) -> Option<(Self, usize)> {
                let (opcode, mut bytes) = code.get(offset..)?.split_first()?;
                let op = match *opcode {
                    $( $opcode => Self::$name { $( $operand: Operand::decode(&mut bytes)? ),* }, )+
                    _ => return None,
                };
                Some((op, code.len() - bytes.len()))
            }

            /// Appends the instruction's bytes.
            pub fn encode(self, code: &mut Vec<u8>) {
                match self {
                    $( Self::$name { $( $operand ),* } => {
                        code.push($opcode);
                        $( $operand.encode(code); )*
                    } )+
                }
            }

            /// Its row.
            #[must_use]
            pub const fn row(self) -> &'static Row {
                match self {
                    $( Self::$name { .. } => const {
                        &row!($opcode $mnemonic [$($about),+] { $( $operand: $kind ),* })
                    }, )+
                }
            }

            /// Whether every operand may stand in its place.
            ///
            /// # Errors
            /// What is wrong with the first that may not.
            #[allow(unused_variables, reason = "instructions without operands have nothing to check")]
            pub fn check(self, scope: &Scope<'_>) -> Result<(), OperandFault> {
                match self {
                    $( Self::$name { $( $operand ),* } => {
                        $( $operand.check(scope)?; )*
                    } )+
                }
                Ok(())
            }

            /// Its operands as words, in order.
            #[must_use]
            #[allow(unused_variables, reason = "instructions without operands have nothing to print")]
            pub fn print(self, names: &dyn Names) -> Vec<String> {
                match self {
                    $( Self::$name { $( $operand ),* } => vec![$( $operand.print(names) ),*], )+
                }
            }

            /// The instruction a line of assembly means.
            ///
            /// # Errors
            /// When the first word is no instruction, or the others are not its operands.
            #[allow(unused_variables, unused_assignments, unused_mut, reason = "not all instructions have operands")]
            pub fn parse(mnemonic: &str, words: &[&str], resolve: &mut dyn Resolve) -> Result<Self, AssemblyFault> {
                match mnemonic {
                    $( $mnemonic => {
                        let [$( $operand ),*] = *words else {
                            let expected = [$( stringify!($operand) ),*] as [&str; _];
                            return Err(AssemblyFault::OperandCount { expected: expected.len() });
                        };
                        let mut position = 0;
                        $(
                            let kind = <$kind as Operand>::KIND;
                            let $operand = <$kind as Operand>::parse($operand, resolve)
                                .ok_or(AssemblyFault::BadOperand { position, kind })?;
                            position += 1;
                        )*
                        Ok(Self::$name { $( $operand ),* })
                    } )+
                    _ => Err(AssemblyFault::UnknownMnemonic),
                }
            }

            /// Where the code may go on besides the next instruction.
            #[must_use]
            pub fn target(self) -> Option<Target> {
                match self {
                    $( Self::$name { $( $operand ),* } => None $( .or($operand.target()) )*, )+
                }
            }

            /// The same instruction going elsewhere, if it goes anywhere.
            #[must_use]
            #[allow(unused_variables, reason = "instructions without operands go nowhere")]
            pub fn redirect(self, elsewhere: &dyn Fn(Target) -> Target) -> Self {
                match self {
                    $( Self::$name { $( $operand ),* } => Self::$name { $( $operand: $operand.redirect(elsewhere) ),* }, )+
                }
            }
        }
    };
}

instructions! {
    /// Halts; the behavior has nothing against the event.
    0x00 End "end" {}
    /// Halts; the event violates the behavior by this trigger.
    0x01 Violate "violate" { trigger: TriggerId }

    /// Truth becomes whether the pattern is found in the field.
    0x10 Matches "matches" { field: Field, pattern: PatternId }
    /// Truth becomes whether the field contains the text.
    0x11 Contains "contains" { field: Field, text: TextId }
    /// Truth becomes whether the field is exactly the text.
    0x12 Equals "equals" { field: Field, text: TextId }
    /// Truth becomes whether the field begins with the text.
    0x13 StartsWith "starts-with" { field: Field, text: TextId }
    /// Truth becomes whether the field ends with the text.
    0x14 EndsWith "ends-with" { field: Field, text: TextId }
    /// Truth becomes whether the field is there and not empty.
    0x15 Exists "exists" { field: Field }
    /// Truth becomes how the signal, as it was before the event, compares with the number.
    0x16 Compare "compare" { signal: Signal, comparison: Comparison, number: Number }

    /// Truth becomes whether the tool has this name.
    0x20 ToolIs "tool-is" { tool: TextId }
    /// Truth becomes whether the pattern is found in the tool's name.
    0x21 ToolMatches "tool-matches" { pattern: PatternId }
    /// Truth becomes whether the agent is of this type.
    0x22 AgentIs "agent-is" { agent: TextId }
    /// Truth becomes whether the active profile is one of these.
    0x23 ProfileIn "profile-in" { profiles: ProfileSet }

    /// Truth becomes whether the flag is set. Without memory it counts as set.
    0x30 Flag "flag" { flag: TextId }
    /// The flag is set, now.
    0x31 SetFlag "set-flag" { flag: TextId }
    /// The flag is deleted.
    0x32 ClearFlag "clear-flag" { flag: TextId }

    /// Goes on at the target if truth is true.
    0x40 JumpIf "jump-if" { to: Target }
    /// Goes on at the target if truth is false.
    0x41 JumpUnless "jump-unless" { to: Target }
}

impl Op {
    /// Whether nothing follows it.
    #[must_use]
    pub const fn halts(self) -> bool {
        matches!(self, Self::End {} | Self::Violate { .. })
    }
}
