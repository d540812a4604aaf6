//! Program <-> bytes: round trips, damage, hostile files, and that the part a hook reads decides as the whole does.

use crate::programs;
use forge::bytecode::program::{Program, Routine};
use forge::bytecode::{container, verify};
use forge::error::{ErrorKind, Result};
use forge::lower::lower;
use forge::model::{
    Call, Catalogue, Condition, Event, Field, Input, InputHash, OverridePolicy, Profile, Session, Test, TextTest,
    Timestamp,
};
use forge::validate::validate;
use forge::vm;
use proptest::prelude::*;
use sha2::{Digest, Sha256};
use std::cell::Cell;
use std::sync::LazyLock;

fn bytes_of(program: &Program<'_>) -> Vec<u8> {
    container::write(program).unwrap()
}

/// A small program with everything in it.
fn sample() -> Program<'static> {
    SAMPLE.clone()
}

static SAMPLE: LazyLock<Program<'static>> = LazyLock::new(|| {
    use proptest::strategy::ValueTree;
    let mut runner = proptest::test_runner::TestRunner::deterministic();
    loop {
        let program = programs::program().new_tree(&mut runner).unwrap().current();
        let bytes = bytes_of(&program).len();
        let is_rich = program.blocks.len() > 2 && program.dispatch.len() > 2;
        let has_guards = program.dispatch.iter().flat_map(|table| &table.others).any(|row| !row.guards.is_empty());
        if is_rich && has_guards && bytes < 6_000 {
            return program;
        }
    }
});

/// A file whose seals and digests are right whatever else is in it.
fn resealed(mut bytes: Vec<u8>) -> Vec<u8> {
    let word = |bytes: &[u8], at: usize| u64::from_le_bytes(bytes[at..at + 8].try_into().unwrap());
    let total = bytes.len() as u64;
    bytes[16..24].copy_from_slice(&total.to_le_bytes());
    let Some(directory_end) = 96_usize.checked_add(word(&bytes, 56) as usize).filter(|end| *end <= bytes.len()) else {
        return bytes;
    };
    let digest = Sha256::new().chain_update(&bytes[..64]).chain_update(&bytes[96..directory_end]).finalize();
    bytes[64..96].copy_from_slice(&digest);
    let mut entry = directory_end.next_multiple_of(8);
    // The table ends where the first record begins.
    let Some(first) = bytes.get(entry..entry + 4) else { return bytes };
    let table_end = u32::from_le_bytes(first.try_into().unwrap()) as usize;
    for number in 0_u64.. {
        let Some(table) = bytes.get(entry..entry + 8).filter(|_| entry < table_end) else { break };
        let at = u32::from_le_bytes(table[..4].try_into().unwrap()) as usize;
        let length = u32::from_le_bytes(table[4..].try_into().unwrap()) as usize;
        let Some(record) = at.checked_add(length).and_then(|end| bytes.get(at..end)) else { break };
        let seal = crate::seal::seal(number, record).to_le_bytes();
        let Some(sealed) = bytes.get_mut(entry + 8..entry + 16) else { break };
        sealed.copy_from_slice(&seal);
        entry += 16;
    }
    bytes
}

/// Whatever bytes these are: they are read, verified and run, or refused; nothing panics.
fn survives(bytes: &[u8]) {
    if let Ok(program) = container::read(bytes)
        && let Ok(verified) = verify(program)
    {
        run(&verified, Event::PreToolUse, "Bash");
    }
    for event in Event::ALL {
        let all_automata = container::select(bytes, *event, "Bash");
        let some_automata = container::select_for(bytes, &call(*event, "Bash"));
        for part in [all_automata, some_automata].into_iter().flatten() {
            if let Ok(verified) = verify(part) {
                run(&verified, *event, "Bash");
            }
        }
    }
}

fn call(event: Event, tool: &str) -> Call<'static> {
    let mut call = Call::new(event, tool.to_owned(), "{}", |input| InputHash(input.len().to_string()));
    call.fields.set(Field::Command, "aab mcp");
    call.fields.set(Field::Content, "a");
    call
}

fn run(program: &forge::bytecode::Verified<'_>, event: Event, tool: &str) -> forge::model::Outcome {
    let call = call(event, tool);
    let input = Input {
        signals: forge::model::Signals::default(),
        call: &call,
        session: Some(Session::default()),
        now: Timestamp(1),
        profile: Profile::Standard,
        overrides: OverridePolicy::Retry { window: 60 },
    };
    vm::run(program, input)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(256))]

    #[test]
    fn a_program_and_its_bytes_are_the_same(program in programs::program()) {
        let bytes = bytes_of(&program);
        let read = container::read(&bytes).unwrap();
        prop_assert_eq!(&read, &program);
        prop_assert_eq!(&bytes, &bytes_of(&read));
        prop_assert_eq!(container::sources(&bytes[..]).unwrap(), program.sources);
        prop_assert!(verify(read).is_ok());
    }

    #[test]
    fn a_part_decides_as_the_whole(program in programs::program()) {
        let bytes = bytes_of(&program);
        let whole = verify(program.clone()).unwrap();
        for event in Event::ALL {
            for tool in programs::tools(&program) {
                let part = container::select(&bytes[..], *event, &tool).unwrap();
                let concerned: Vec<_> =
                    program.concerned(*event, &tool).into_iter().map(|at| program.blocks[at].index).collect();
                prop_assert_eq!(&concerned, &part.blocks.iter().map(|block| block.index).collect::<Vec<_>>());
                let only_event = |routine: &Routine<'_>| routine.event == *event;
                prop_assert!(part.blocks.iter().all(|block| block.routines.iter().all(only_event)));
                let part = verify(part).unwrap();
                let behaviors = |outcome: &forge::model::Outcome| format!("{outcome:?}");
                prop_assert_eq!(behaviors(&run(&whole, *event, &tool)), behaviors(&run(&part, *event, &tool)));
                let part = verify(container::select_for(&bytes[..], &call(*event, &tool)).unwrap()).unwrap();
                prop_assert_eq!(behaviors(&run(&whole, *event, &tool)), behaviors(&run(&part, *event, &tool)));
            }
        }
    }

    #[test]
    fn any_bytes_are_a_program_or_an_error(bytes in proptest::collection::vec(any::<u8>(), 0..300)) {
        survives(&bytes);
        let mut disguised = bytes_of(&sample())[..96].to_vec();
        disguised.extend(bytes);
        survives(&resealed(disguised));
    }

    #[test]
    fn hostile_files_with_right_seals_are_a_program_or_an_error(
        changes in proptest::collection::vec((any::<proptest::sample::Index>(), any::<u8>()), 1..6),
    ) {
        let mut bytes = bytes_of(&sample());
        for (at, byte) in changes {
            let at = 24 + at.index(bytes.len() - 24);
            bytes[at] = byte;
        }
        survives(&resealed(bytes));
    }
}

/// Without this the hostile files would all be refused for their seals, and try nothing.
#[test]
fn resealed_files_get_past_the_seals() {
    let bytes = bytes_of(&sample());
    assert!(resealed(bytes.clone()) == bytes);
    let (mut read, mut verified, mut selected) = (0, 0, 0);
    for at in 24..bytes.len() {
        let mut changed = bytes.clone();
        changed[at] ^= 1;
        let changed = resealed(changed);
        selected += usize::from(container::select(&changed[..], Event::PreToolUse, "Bash").is_ok());
        if let Ok(program) = container::read(&changed) {
            read += 1;
            verified += usize::from(verify(program).is_ok());
        }
    }
    let tried = bytes.len();
    assert!(read * 3 > tried && selected * 3 > tried, "of {tried}, {read} were read, {selected} selected");
    assert!(verified * 4 > tried && verified < read, "of {tried}, {read} were read, {verified} verified");
}

#[test]
fn every_changed_byte_is_noticed() {
    let program = sample();
    let bytes = bytes_of(&program);
    let parts = |bytes: &[u8]| -> Vec<Result<String>> {
        Event::ALL
            .iter()
            .map(|event| container::select(bytes, *event, "Bash").map(|part| format!("{part:?}")))
            .collect()
    };
    let sound = parts(&bytes);
    for at in 0..bytes.len() {
        for change in [1, 0x80, 0xff] {
            let mut damaged = bytes.clone();
            damaged[at] ^= change;
            assert!(container::read(&damaged).is_err(), "byte {at} changed by {change} passed for a whole program");
            for (part, sound) in parts(&damaged).into_iter().zip(&sound) {
                let same = part.as_ref().is_ok_and(|part| part == sound.as_ref().unwrap());
                assert!(same || part.is_err(), "byte {at} changed by {change} changed what a hook reads");
            }
        }
    }
}

#[test]
fn every_truncation_and_every_addition_is_noticed() {
    let bytes = bytes_of(&sample());
    for length in 0..bytes.len() {
        assert!(container::read(&bytes[..length]).is_err());
        for event in Event::ALL {
            assert!(container::select(&bytes[..length], *event, "Bash").is_err());
        }
    }
    let longer = [&bytes[..], &[0]].concat();
    assert!(container::read(&longer).is_err());
    assert!(container::read(&resealed(longer)).is_err(), "bytes behind the last record are none of its");
}

#[test]
fn other_versions_are_told_from_damage() {
    let bytes = bytes_of(&sample());
    let kind = |at: usize, change: u8| {
        let mut changed = bytes.clone();
        changed[at] = changed[at].wrapping_add(change);
        let error = container::read(&changed).unwrap_err();
        assert!(error.to_string().contains("forge compile"), "no remedy: {error}");
        error.kind()
    };
    assert_eq!(kind(0, 1), ErrorKind::BadProgram, "the magic");
    assert_eq!(kind(8, 1), ErrorKind::OldProgram, "a newer format");
    assert_eq!(kind(8, 255), ErrorKind::OldProgram, "an older format");
    for at in 12..16 {
        assert_eq!(kind(at, 1), ErrorKind::OldProgram, "the reserved byte {at}");
    }
    assert_eq!(kind(16, 1), ErrorKind::BadProgram, "the length");
}

#[test]
fn a_part_of_a_program_is_not_written() {
    let mut program = sample();
    program.blocks.remove(0);
    assert_eq!(container::write(&program).unwrap_err().kind(), ErrorKind::BadProgram);
}

/// Memory that counts what is read of it.
struct Counted<'a, 'c>(&'a [u8], &'c Cell<u64>);

impl<'a> container::Source<'a> for Counted<'a, '_> {
    fn length(&self) -> u64 {
        self.0.length()
    }
    fn bytes(&self, at: u64, length: u64) -> Result<&'a [u8]> {
        self.1.set(self.1.get() + length);
        self.0.bytes(at, length)
    }
}

#[test]
fn what_a_hook_reads_does_not_grow_with_the_catalogue() {
    let read = |behaviors: u32| {
        let program = of_size(behaviors);
        let (bytes, count) = (bytes_of(&program), Cell::new(0));
        let part = container::select(Counted(&bytes, &count), Event::PreToolUse, "tool-3").unwrap();
        assert_eq!(part.blocks.len(), 1);
        (bytes.len() as u64, count.get())
    };
    let (_, of_ten) = read(10);
    let (size, of_many) = read(5_000);
    assert!(of_many < 3 * of_ten && of_many < size / 50, "{of_ten} bytes of 10 behaviors, {of_many} of 5,000");
}

/// Behaviors for a tool each.
fn of_size(behaviors: u32) -> Program<'static> {
    let mut program = sample();
    let mut block = program.blocks.iter().find(|block| !block.routines.is_empty()).unwrap().clone();
    block.routines.truncate(1);
    block.routines[0].event = Event::PreToolUse;
    let named = |index: u32| forge::bytecode::program::Block { index, id: format!("b{index}").into(), ..block.clone() };
    program.blocks = (0..behaviors).map(named).collect();
    let mut tools: Vec<_> = (0..behaviors)
        .map(|index| forge::bytecode::program::ToolRow { tool: format!("tool-{index}").into(), blocks: vec![index] })
        .collect();
    tools.sort_by(|one, other| one.tool.cmp(&other.tool));
    program.dispatch = vec![forge::bytecode::program::Dispatch { event: Event::PreToolUse, tools, others: vec![] }];
    program
}

#[test]
fn records_that_overlap_cost_no_more_than_the_file() {
    // A thousand blocks, all pointed at the longest record of the file.
    let bytes = bytes_of(&of_size(1_000));
    let directory = u64::from_le_bytes(bytes[56..64].try_into().unwrap()) as usize;
    let table = (96 + directory).next_multiple_of(8);
    let longest = bytes[table..table + 8].to_vec();
    let mut hostile = bytes.clone();
    for entry in 1..2_002 {
        hostile[table + entry * 16..table + entry * 16 + 8].copy_from_slice(&longest);
    }
    let hostile = resealed(hostile);
    let count = Cell::new(0);
    let part = container::select(Counted(&hostile, &count), Event::PreToolUse, "tool-3");
    assert!(part.is_err() && count.get() < 4 * hostile.len() as u64);
    assert!(container::read(&hostile).is_err());
}

#[test]
fn automata_whose_literals_are_not_in_the_texts_are_not_read() {
    let pattern = forge::pattern::parse(r"git\s+push\s.*--force").unwrap();
    let condition = Condition::test(Test::Text { field: Field::Command, test: TextTest::Matches(pattern) });
    let behaviors = vec![crate::strategies::lone_behavior("no-force", condition)];
    let (checked, _) = validate(Catalogue { behaviors, files: vec!["a".to_owned()], ..Catalogue::default() }).unwrap();
    let program = lower(&checked, [0; 32]).unwrap().program;
    let bytes = bytes_of(&program);
    let read = |command: &'static str| {
        let (mut call, count) = (call(Event::PreToolUse, "Bash"), Cell::new(0));
        call.fields.set(Field::Command, command);
        let part = container::select_for(Counted(&bytes, &count), &call).unwrap();
        (part.blocks[0].patterns[0].automaton.len() as u64, count.get())
    };
    let (automaton, of_hit) = read("git push --force");
    let (none, of_miss) = read("git status");
    assert!(automaton > 0 && none == 0 && of_hit >= of_miss + automaton, "{of_hit} and {of_miss} bytes");
}
