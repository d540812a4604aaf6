//! The instruction table as a page: `bytecode-spec/instructions.md` is what this returns, and a test compares.
//! Uses the table alone, so that the page cannot leave out an instruction.

use super::op::{Op, Row};
use super::operand::OperandKind;
use std::fmt::Write;

/// The page.
#[must_use]
pub fn instructions() -> String {
    let mut page = String::from(PREFACE);
    // Writing to a String cannot fail.
    let _ = write_instructions(&mut page).and_then(|()| write_operands(&mut page));
    page
}

const PREFACE: &str = "\
# Instructions

Generated from the table in `src/bytecode/op.rs`; `BLESS=1 cargo test` rewrites it.

An instruction is its opcode, one byte, and its operands in the order given, little-endian, without padding. Code is
instructions one after another. What they do together is in [semantics.md](semantics.md).

| opcode | instruction | operands | bytes | meaning |
|---|---|---|---|---|
";

fn write_instructions(page: &mut String) -> std::fmt::Result {
    for Row { opcode, mnemonic, about, operands } in Op::TABLE {
        let named: Vec<String> = operands.iter().map(|(name, kind)| format!("{name}: {}", kind.name)).collect();
        let bytes = 1 + operands.iter().map(|(_, kind)| kind.bytes).sum::<usize>();
        writeln!(page, "| `0x{opcode:02x}` | `{mnemonic}` | {} | {bytes} | {about} |", named.join(", "))?;
    }
    Ok(())
}

fn write_operands(page: &mut String) -> std::fmt::Result {
    writeln!(page, "\n## Operands\n\n| kind | bytes | meaning | numbers |\n|---|---|---|---|")?;
    for OperandKind { name, bytes, about, words } in kinds() {
        let words: Vec<String> = words.iter().enumerate().map(|(number, word)| format!("{number} `{word}`")).collect();
        writeln!(page, "| {name} | {bytes} | {about} | {} |", words.join(", "))?;
    }
    Ok(())
}

/// The kinds of operands, in the order in which the table first uses them.
fn kinds() -> Vec<OperandKind> {
    let mut kinds: Vec<OperandKind> = Vec::new();
    for (_, kind) in Op::TABLE.iter().flat_map(|row| row.operands) {
        if !kinds.contains(kind) {
            kinds.push(*kind);
        }
    }
    kinds
}
