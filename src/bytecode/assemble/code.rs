//! The lines of a routine -> its code and places. Uses the instruction table's own parsing; knows no statement.

use super::arguments::at_sign;
use super::{AssemblyError, Result};
use crate::bytecode::op::{AssemblyFault, Op};
use crate::bytecode::operand::{PatternId, Resolve, Target, TextId};
use crate::bytecode::program::CodePlace;
use std::collections::HashMap;

/// One line of a routine.
pub(super) enum CodeLine {
    Label(String),
    Instruction { line: usize, mnemonic: String, words: Vec<String> },
    Bytes(Vec<u8>),
    At { place: CodePlace, here: bool },
}

/// Where the labels of a routine are; while learning, any label may come later.
struct Labels {
    known: HashMap<String, u32>,
    learning: bool,
}

impl Resolve for Labels {
    fn text(&mut self, word: &str) -> Option<TextId> {
        word.strip_prefix('t')?.parse().ok().map(TextId)
    }
    fn pattern(&mut self, word: &str) -> Option<PatternId> {
        word.strip_prefix('p')?.parse().ok().map(PatternId)
    }
    fn label(&mut self, word: &str) -> Option<Target> {
        let known = at_sign(word).ok().or(self.known.get(word).copied());
        known.or(self.learning.then_some(0)).map(Target)
    }
}

/// Goes over the lines twice: once to learn where labels are, once in earnest.
pub(super) fn assemble(lines: &[CodeLine]) -> Result<(Vec<u8>, Vec<CodePlace>)> {
    let mut labels = Labels { known: HashMap::new(), learning: true };
    encode(lines, &mut labels)?;
    labels.learning = false;
    encode(lines, &mut labels)
}

fn encode(lines: &[CodeLine], labels: &mut Labels) -> Result<(Vec<u8>, Vec<CodePlace>)> {
    let (mut code, mut places) = (Vec::new(), Vec::new());
    for line in lines {
        let offset = u32::try_from(code.len()).unwrap_or(u32::MAX);
        match line {
            CodeLine::Label(label) => {
                labels.known.insert(label.clone(), offset);
            }
            CodeLine::Bytes(bytes) => code.extend(bytes),
            CodeLine::At { place, here: true } => places.push(CodePlace { offset, ..*place }),
            CodeLine::At { place, here: false } => places.push(*place),
            CodeLine::Instruction { line, mnemonic, words } => {
                let words: Vec<&str> = words.iter().map(String::as_str).collect();
                let op = Op::parse(mnemonic, &words, labels);
                let wrong = |fault| AssemblyError { line: *line, what: explain(mnemonic, &words, &fault) };
                op.map_err(wrong)?.encode(&mut code);
            }
        }
    }
    Ok((code, places))
}

fn explain(mnemonic: &str, words: &[&str], fault: &AssemblyFault) -> String {
    match fault {
        AssemblyFault::UnknownMnemonic => format!("there is no statement or instruction `{mnemonic}`"),
        AssemblyFault::OperandCount { expected } => {
            format!("`{mnemonic}` has {expected} operands, not {}", words.len())
        }
        AssemblyFault::BadOperand { position, kind } => {
            format!("`{}` is no {} for `{mnemonic}`", words.get(*position).unwrap_or(&""), kind.name)
        }
    }
}
