//! Bytes as a compiled program: whatever verifies runs to its end, within as many steps as it has bytes.

use crate::seal::seal;
use forge::bytecode::assemble::assemble;
use forge::bytecode::op::Op;
use forge::bytecode::program::{Block, Routine};
use forge::bytecode::{Verified, container, listing, verify};
use forge::model::{Call, Event, Field, Input, Outcome, OverridePolicy, Profile, Session, Signals, Timestamp};
use forge::store;
use forge::vm::{self, Observer};
use sha2::{Digest, Sha256};

const TOOLS: &[&str] = &["Bash", "mcp__a__b", ""];

/// As a file; and once more with digest and seals made right, as an attacker would.
pub(crate) fn container(bytes: &[u8]) {
    read_and_run(bytes);
    let mut sealed = bytes.to_vec();
    if reseal(&mut sealed).is_some() {
        read_and_run(&sealed);
    }
}

/// As assembler text.
pub(crate) fn assembly(bytes: &[u8]) {
    let Ok(text) = std::str::from_utf8(bytes) else { return };
    let Ok(program) = assemble(text, &mut |normal| normal.as_bytes().to_vec()) else { return };
    if let Ok(verified) = verify(program) {
        for event in Event::ALL {
            TOOLS.iter().for_each(|tool| drop(run(&verified, *event, tool)));
        }
        // A part of a program verifies as well, and is no file.
        let is_whole = verified.program().blocks.iter().zip(0..).all(|(block, number)| block.index == number);
        if !is_whole {
            return;
        }
        let written = container::write(verified.program()).expect("what verifies can be written");
        assert_eq!(container::read(&written).as_ref().ok(), Some(verified.program()));
    }
}

/// As the choices of the generator of catalogues and events: machine, reference and parts of the file agree.
pub(crate) fn equivalence(bytes: &[u8]) {
    crate::differential::drawn_from(bytes);
}

fn read_and_run(bytes: &[u8]) {
    let whole = container::read(bytes).ok().and_then(|program| {
        assert!(!listing::program(&program).is_empty());
        verify(program).ok()
    });
    for event in Event::ALL {
        for tool in TOOLS {
            let part = container::select(bytes, *event, tool).ok().and_then(|part| verify(part).ok());
            let part = part.map(|part| run(&part, *event, tool));
            if let Some(whole) = &whole {
                assert_eq!(part, Some(run(whole, *event, tool)), "a part of the file decides otherwise");
            }
        }
    }
    if let Some(whole) = &whole {
        let written = container::write(whole.program()).expect("what verifies can be written");
        assert_eq!(container::read(&written).as_ref().ok(), Some(whole.program()));
    }
}

/// Counts steps, and that no routine takes more of them than it has bytes.
#[derive(Default)]
struct Steps(usize);

impl Observer for Steps {
    fn entered(&mut self, _: &Block<'_>, _: Option<&Session>) {
        self.0 = 0;
    }
    fn stepped(&mut self, _: &Block<'_>, routine: &Routine<'_>, _: usize, _: Op, _: bool) {
        self.0 += 1;
        assert!(self.0 <= routine.code.len(), "more steps than bytes");
    }
}

fn run(program: &Verified<'_>, event: Event, tool: &str) -> Outcome {
    let mut call = Call::new(event, tool, r#"{"command":"git push"}"#, store::input_hash);
    call.fields.set(Field::Command, "git push --force; ls é");
    let policy = OverridePolicy::Retry { window: 60 };
    let (signals, profile) = (Signals::default(), Profile::Standard);
    let input = Input { call: &call, session: None, signals, now: Timestamp(0), profile, overrides: policy };
    let remembering = Input { session: Some(Session::default()), ..input.clone() };
    let forgetful = vm::run_observed(program, input, &mut Steps::default());
    assert_eq!(forgetful.session, None, "without memory nothing is remembered");
    vm::run_observed(program, remembering, &mut Steps::default())
}

/// Gives a file of the right shape its length, digest and seals; `None` when it has not even the shape.
fn reseal(bytes: &mut [u8]) -> Option<()> {
    let sample = container::write(&forge::bytecode::program::Program {
        sources: [0; 32],
        settings: forge::model::Settings::default(),
        watches: forge::model::SignalSet::default(),
        files: Vec::new(),
        blocks: Vec::new(),
        dispatch: Vec::new(),
    });
    bytes.get_mut(..16)?.copy_from_slice(sample.ok()?.get(..16)?);
    let length = (bytes.len() as u64).to_le_bytes();
    bytes.get_mut(16..24)?.copy_from_slice(&length);
    let directory_end = 96_usize.checked_add(usize::try_from(number(bytes, 56, 8)?).ok()?)?;
    let digest = Sha256::new().chain_update(bytes.get(..64)?).chain_update(bytes.get(96..directory_end)?).finalize();
    bytes.get_mut(64..96)?.copy_from_slice(&digest);
    let table = directory_end.next_multiple_of(8);
    let first = usize::try_from(number(bytes, table, 4)?).ok()?.min(bytes.len());
    for (number_of, entry) in (0_u64..).zip((table..first).step_by(16)) {
        let at = usize::try_from(number(bytes, entry, 4)?).ok()?;
        let length = usize::try_from(number(bytes, entry + 4, 4)?).ok()?;
        let sealed = seal(number_of, bytes.get(at..at.checked_add(length)?)?).to_le_bytes();
        bytes.get_mut(entry + 8..entry + 16)?.copy_from_slice(&sealed);
    }
    Some(())
}

fn number(bytes: &[u8], at: usize, length: usize) -> Option<u64> {
    let bytes = bytes.get(at..at.checked_add(length)?)?;
    Some(bytes.iter().rev().fold(0, |number, byte| number << 8 | u64::from(*byte)))
}
