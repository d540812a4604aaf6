//! The instruction table: every row encodes, prints and is emitted, and any bytes at all are an instruction or none.

use crate::golden;
use forge::bytecode::op::{AssemblyFault, Op, Row};
use forge::bytecode::operand::{Names, PatternId, Resolve, Target, TextId};
use proptest::collection::vec;
use proptest::prelude::*;
use std::collections::BTreeSet;

/// Words that are the numbers themselves.
struct Bare;

impl Names for Bare {
    fn text(&self, id: TextId) -> String {
        id.0.to_string()
    }
    fn pattern(&self, id: PatternId) -> String {
        id.0.to_string()
    }
    fn label(&self, target: Target) -> String {
        target.0.to_string()
    }
}

impl Resolve for Bare {
    fn text(&mut self, word: &str) -> Option<TextId> {
        word.parse().ok().map(TextId)
    }
    fn pattern(&mut self, word: &str) -> Option<PatternId> {
        word.parse().ok().map(PatternId)
    }
    fn label(&mut self, word: &str) -> Option<Target> {
        word.parse().ok().map(Target)
    }
}

fn size(row: &Row) -> usize {
    1 + row.operands.iter().map(|(_, kind)| kind.bytes).sum::<usize>()
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn what_is_decoded_encodes_and_prints_back(row in prop::sample::select(Op::TABLE), operands in vec(0..16_u8, 16)) {
        // Words of vocabularies are small numbers, so that many of these are instructions.
        let code = [vec![row.opcode], operands].concat();
        let Some((op, next)) = Op::decode(&code, 0) else { return Ok(()) };
        prop_assert_eq!(op.row(), &row);
        prop_assert_eq!(next, size(&row));
        let mut encoded = Vec::new();
        op.encode(&mut encoded);
        prop_assert_eq!(&encoded[..], &code[..next]);
        let words = op.print(&Bare);
        let words: Vec<&str> = words.iter().map(String::as_str).collect();
        prop_assert_eq!(Op::parse(row.mnemonic, &words, &mut Bare), Ok(op));
        for shorter in 0..next {
            prop_assert_eq!(Op::decode(&code[..shorter], 0), None);
        }
    }

    #[test]
    fn any_bytes_at_any_offset_are_an_instruction_or_none(code in vec(any::<u8>(), 0..24), offset in 0..32_usize) {
        if let Some((_, next)) = Op::decode(&code, offset) {
            prop_assert!(offset < next && next <= code.len());
        }
    }
}

#[test]
fn no_two_instructions_share_an_opcode_or_a_word() {
    let opcodes: Vec<u8> = Op::TABLE.iter().map(|row| row.opcode).collect();
    assert!(opcodes.is_sorted_by(|before, after| before < after), "{opcodes:x?}");
    let words: BTreeSet<&str> = Op::TABLE.iter().map(|row| row.mnemonic).collect();
    assert_eq!(words.len(), Op::TABLE.len());
    assert!(Op::TABLE.iter().all(|row| row.about.ends_with('.') && row.about.trim() == row.about));
}

#[test]
fn a_line_that_is_no_instruction_is_told_why() {
    let fault = |mnemonic, words: &[&str]| Op::parse(mnemonic, words, &mut Bare).unwrap_err();
    assert_eq!(fault("jump", &["1"]), AssemblyFault::UnknownMnemonic);
    assert_eq!(fault("jump-if", &[]), AssemblyFault::OperandCount { expected: 1 });
    assert_eq!(fault("end", &["1"]), AssemblyFault::OperandCount { expected: 0 });
    let bad = |mnemonic, words: &[&str]| match fault(mnemonic, words) {
        AssemblyFault::BadOperand { position, kind } => (position, kind.name),
        other => panic!("{other:?}"),
    };
    assert_eq!(bad("exists", &["comand"]), (0, "field"));
    assert_eq!(bad("compare", &["counter", "gt", "-1"]), (2, "number"));
    assert_eq!(bad("profile-in", &["strict,"]), (0, "profiles"));
    assert_eq!(bad("violate", &["65536"]), (0, "trigger"));
}

#[test]
fn authors_need_every_instruction() {
    let folders = ["behaviors", "tests/data/compile"].map(golden::path);
    let mut emitted = BTreeSet::new();
    for entry in folders.iter().flat_map(|folder| std::fs::read_dir(folder).unwrap()) {
        let path = entry.unwrap().path();
        let file = if path.is_dir() { path.join("behavior.yaml") } else { path };
        if file.extension().is_none_or(|extension| extension != "yaml") || file.ends_with("index.yaml") {
            continue;
        }
        let program = golden::compiled(&std::fs::read_to_string(file).unwrap());
        for routine in program.blocks.iter().flat_map(|block| &block.routines) {
            let mut offset = 0;
            while let Some((op, next)) = Op::decode(&routine.code, offset) {
                emitted.insert(op.row().mnemonic);
                offset = next;
            }
        }
    }
    let missing: Vec<_> = Op::TABLE.iter().map(|row| row.mnemonic).filter(|word| !emitted.contains(word)).collect();
    assert!(missing.is_empty(), "no file under behaviors or tests/data/compile uses {missing:?}");
}
