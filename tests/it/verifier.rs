//! Every rule of the verifier, at its exact boundary: what it just accepts and what it just refuses.
//! In assembler text in `tests/data/verify/`; the limits that would make text of megabytes, here.

use crate::{golden, programs};
use forge::bytecode::assemble::assemble;
use forge::bytecode::op::Op;
use forge::bytecode::program::{Block, Program};
use forge::bytecode::{Fault, FaultKind, verify};
use forge::limits;
use proptest::prelude::*;
use std::collections::BTreeSet;

/// In these texts the normal form of a pattern is the size of its automaton.
fn program(file: &str) -> Program<'static> {
    let text = std::fs::read_to_string(golden::path("tests/data/verify").join(file)).unwrap();
    assemble(&text, &mut |size| vec![0; size.parse().unwrap()]).unwrap_or_else(|error| panic!("{file}: {error}"))
}

/// Rules about sizes, with what is just allowed.
fn at_the_limit(kind: FaultKind, excess: usize) -> Option<Program<'static>> {
    let mut program = program("no-end.accept.fasm");
    match kind {
        FaultKind::TooManyBlocks => {
            let block = |index| Block { index, id: format!("b{index}").into(), ..program.blocks[0].clone() };
            program.blocks = (0..(limits::BEHAVIORS + excess) as u32).map(block).collect();
        }
        FaultKind::CodeLength => {
            let mut code = Vec::new();
            (0..limits::CODE_BYTES + excess).for_each(|_| Op::End {}.encode(&mut code));
            program.blocks[0].routines[0].code = code.into();
        }
        FaultKind::PatternLength => {
            let pattern = self::program("no-such-pattern.accept.fasm").blocks[0].patterns[0].clone();
            let normal = "x".repeat(limits::NORMAL_BYTES + excess).into();
            program.blocks[0].patterns = vec![forge::bytecode::program::PatternConst { normal, ..pattern }];
        }
        _ => return None,
    }
    Some(program)
}

#[test]
fn every_rule_accepts_and_refuses_at_its_boundary() {
    for kind in FaultKind::ALL {
        let accepted = at_the_limit(*kind, 0).unwrap_or_else(|| program(&format!("{kind}.accept.fasm")));
        if let Err(fault) = verify(accepted) {
            panic!("{kind}: refuses what is just allowed: {fault}");
        }
        let refused = at_the_limit(*kind, 1).unwrap_or_else(|| program(&format!("{kind}.reject.fasm")));
        let fault = verify(refused).map(|_| ()).expect_err(kind.name());
        assert_eq!(fault.kind, *kind, "{fault}");
        golden::check(&golden::path(&format!("tests/data/verify/{kind}.fault")), &format!("{fault}\n"));
    }
}

#[test]
fn every_file_belongs_to_a_rule() {
    let known: BTreeSet<&str> = FaultKind::ALL.iter().map(|kind| kind.name()).collect();
    for entry in std::fs::read_dir(golden::path("tests/data/verify")).unwrap() {
        let name = entry.unwrap().file_name().into_string().unwrap();
        assert!(known.contains(name.split('.').next().unwrap()), "{name} belongs to no rule");
    }
}

#[test]
fn a_guard_is_a_pattern_like_any_other() {
    let text = |size| {
        format!(
            "block 0 \"a\" \"A\" silent\n routine PreToolUse\n end\ndispatch PreToolUse\n other 0\n guard \"a\" \"{size}\" automaton"
        )
    };
    let program = |size: usize| assemble(&text(size), &mut |size| vec![0; size.parse().unwrap()]).unwrap();
    assert!(verify(program(limits::DFA_BYTES)).is_ok());
    assert_eq!(verify(program(limits::DFA_BYTES + 1)).unwrap_err().kind, FaultKind::AutomatonSize);
}

#[test]
fn ids_are_words_that_fit_into_state_and_audit() {
    let verdict = |id: &str| {
        let mut program = program("no-end.accept.fasm");
        program.blocks[0].id = id.to_owned().into();
        verify(program).map(|_| ()).map_err(|fault| fault.kind)
    };
    for id in ["a", "z9", "a-b", "b-"] {
        assert_eq!(verdict(id), Ok(()), "{id}");
    }
    for id in ["", "9a", "-a", "A", "aB", "a_b", "a b", "a\n", "é", "a|b", "a`", "a{"] {
        assert_eq!(verdict(id), Err(FaultKind::BadId), "{id}");
    }
}

#[test]
fn a_fault_says_what_to_do() {
    let error = forge::error::Error::from(Fault {
        kind: FaultKind::JumpBack,
        block: Some("a".to_owned()),
        event: None,
        offset: Some(7),
        detail: "jump from 7 to 2 does not go forward".to_owned(),
    });
    assert_eq!(error.kind(), forge::error::ErrorKind::BadProgram);
    assert!(error.to_string().ends_with("make it anew with `forge compile --force`"), "{error}");
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(256))]

    /// What verifies always comes to an end: following the code from any offset by any choice of jumps.
    #[test]
    fn verified_code_ends_within_its_length(
        program in programs::program(),
        changes in proptest::collection::vec((any::<proptest::sample::Index>(), any::<u8>()), 0..3),
        mut choice in any::<u64>(),
    ) {
        let mut program = program;
        for routine in program.blocks.iter_mut().flat_map(|block| &mut block.routines) {
            for (at, byte) in &changes {
                let at = at.index(routine.code.len());
                routine.code.to_mut()[at] = *byte;
            }
        }
        let Ok(verified) = verify(program) else { return Ok(()) };
        for routine in verified.program().blocks.iter().flat_map(|block| &block.routines) {
            let (mut offset, mut steps) = (0, 0);
            loop {
                let (op, next) = Op::decode(&routine.code, offset).expect("an instruction where the code goes on");
                steps += 1;
                prop_assert!(steps <= routine.code.len());
                if op.halts() {
                    break;
                }
                choice = choice.rotate_left(1);
                offset = op.target().filter(|_| choice & 1 == 0).map_or(next, |to| to.0 as usize);
            }
        }
    }
}
