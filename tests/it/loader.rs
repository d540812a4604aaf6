//! A second loader, written from `bytecode-spec/container.md` alone: it shares no code with `container`, and finds the
//! same blocks. What it needs and cannot find in that page is a hole in the page.

use crate::programs;
use crate::seal::seal;
use forge::bytecode::container;
use proptest::prelude::*;
use sha2::{Digest, Sha256};

/// Bytes that are taken from the front.
struct Input<'a>(&'a [u8]);

impl<'a> Input<'a> {
    fn take(&mut self, length: usize) -> &'a [u8] {
        let (front, rest) = self.0.split_at(length);
        self.0 = rest;
        front
    }

    fn byte(&mut self) -> u8 {
        self.take(1)[0]
    }

    /// "Numbers": one byte up to 250, else 251, 252 or 253 and two, four or eight bytes.
    fn number(&mut self) -> u64 {
        let length = match self.byte() {
            small @ 0..=250 => return u64::from(small),
            251 => 2,
            252 => 4,
            253 => 8,
            other => panic!("{other} begins no number"),
        };
        let mut bytes = [0; 8];
        bytes[..length].copy_from_slice(self.take(length));
        u64::from_le_bytes(bytes)
    }

    fn text(&mut self) -> &'a str {
        let length = self.number() as usize;
        std::str::from_utf8(self.take(length)).unwrap()
    }

    fn list<T>(&mut self, mut one: impl FnMut(&mut Self) -> T) -> Vec<T> {
        (0..self.number()).map(|_| one(self)).collect()
    }

    fn optional<T>(&mut self, one: impl FnOnce(&mut Self) -> T) -> Option<T> {
        match self.byte() {
            0 => None,
            1 => Some(one(self)),
            other => panic!("{other} is neither absent nor present"),
        }
    }
}

/// "Automaton": whether a table finds its pattern.
pub(crate) fn walk(table: &[u8], text: &str) -> bool {
    let number =
        |at: usize, width: usize| (0..width).rev().fold(0, |sum, byte| sum << 8 | usize::from(table[at + byte]));
    let (width, mut state, ends) = (number(0, 4), number(4, 4), number(8, 4));
    let greatest = (1 << (8 * width)) - 1;
    for byte in text.bytes() {
        let cell = state + usize::from(table[12 + usize::from(byte)]);
        state = number(12 + 256 + cell * width, width);
        if state >= greatest - 1 {
            return state < greatest;
        }
    }
    state >= ends
}

fn u32_at(bytes: &[u8], at: usize) -> u32 {
    u32::from_le_bytes(bytes[at..at + 4].try_into().unwrap())
}

fn u64_at(bytes: &[u8], at: usize) -> u64 {
    u64::from_le_bytes(bytes[at..at + 8].try_into().unwrap())
}

/// The ids, pattern texts, automaton sizes and code of all blocks, and the named tools: enough to see that every byte
/// was understood.
fn load(file: &[u8]) -> String {
    assert_eq!(&file[..8], b"\x8fFBC\r\n\x1a\n");
    assert_eq!(u32_at(file, 8), 3);
    assert_eq!(u64_at(file, 16), file.len() as u64);
    let directory_end = 96 + u64_at(file, 56) as usize;
    let digest = Sha256::new().chain_update(&file[..64]).chain_update(&file[96..directory_end]).finalize();
    assert_eq!(&file[64..96], &digest[..]);

    let mut directory = Input(&file[96..directory_end]);
    let settings = (directory.byte(), directory.byte(), directory.optional(Input::number), directory.byte());
    let dispatch = directory.list(|input| (input.byte(), input.number()));
    let blocks = directory.number();
    let automata = directory.number();
    assert!(directory.0.is_empty());

    let table = directory_end.next_multiple_of(8);
    let record = |number: u64| {
        let entry = table + number as usize * 16;
        let at = u32_at(file, entry) as usize;
        let record = &file[at..at + u32_at(file, entry + 4) as usize];
        assert_eq!(at % 8, 0);
        assert_eq!(u64_at(file, entry + 8), seal(number, record));
        record
    };
    let first_block = 1 + dispatch.iter().map(|(_, tools)| 1 + tools).sum::<u64>();
    let first_automaton = first_block + blocks;
    let size = |number: u64| if number == 0 { 0 } else { record(first_automaton + number - 1).len() };
    assert!((0..automata).all(|number| !record(first_automaton + number).is_empty()));

    let mut found = format!("{settings:?}\n");
    let mut number = 1;
    for (event, tools) in dispatch {
        let mut others = Input(record(number));
        let rows = others.list(|input| (input.number(), input.list(pattern)));
        let sizes = others.list(|input| size(input.number()));
        found += &format!("{event} {rows:?} {sizes:?}\n");
        assert!(others.0.is_empty());
        for tool in 1..=tools {
            let mut row = Input(record(number + tool));
            found += &format!("{:?} {:?}\n", row.text(), row.list(Input::number));
            assert!(row.0.is_empty());
        }
        number += 1 + tools;
    }
    for number in first_block..first_automaton {
        let mut input = Input(record(number));
        let (id, name, level) = (input.text(), input.text(), input.byte());
        let escalation = input.list(|input| (input.number(), input.byte()));
        let effects = (input.byte(), input.optional(|input| (input.byte(), input.byte())), input.byte());
        let hint = input.text();
        let suggestions = (input.optional(Input::text), input.optional(Input::text));
        let templates: Vec<_> = (0..4).map(|_| input.optional(|input| input.list(piece))).collect();
        let texts = input.list(Input::text);
        let patterns = input.list(pattern);
        let routines = input.list(|input| {
            let (event, length) = (input.byte(), input.number() as usize);
            (event, input.take(length))
        });
        let sizes = input.list(|input| size(input.number()));
        assert!(input.0.is_empty());
        found += &format!("{id:?} {name:?} {level} {escalation:?} {effects:?} {hint:?} {suggestions:?} {templates:?} ");
        found += &format!("{texts:?} {patterns:?} {routines:?} {sizes:?}\n");
    }
    found
}

fn pattern(input: &mut Input<'_>) -> (String, String, Vec<String>, u8) {
    let (source, normal) = (input.text().to_owned(), input.text().to_owned());
    (source, normal, input.list(|input| input.text().to_owned()), input.byte())
}

fn piece(input: &mut Input<'_>) -> String {
    match input.byte() {
        0 => format!("{:?}", input.text()),
        1 => format!("variable {}", input.byte()),
        other => panic!("{other} is no kind of piece"),
    }
}

/// The same, from the program in memory.
fn expected(program: &forge::bytecode::program::Program<'_>) -> String {
    let pattern = |pattern: &forge::bytecode::program::PatternConst<'_>| {
        let literals: Vec<String> = pattern.literals.iter().map(ToString::to_string).collect();
        (pattern.source.to_string(), pattern.normal.to_string(), literals, u8::from(pattern.fold))
    };
    let piece = |piece: &forge::bytecode::program::SpeechPiece<'_>| match piece {
        forge::bytecode::program::SpeechPiece::Text(text) => format!("{text:?}"),
        forge::bytecode::program::SpeechPiece::Variable(variable) => format!("variable {}", *variable as u8),
    };
    let settings = program.settings;
    let settings = (settings.overrides as u8, settings.on_error as u8, settings.spend_cap, program.watches.bits());
    let mut found = format!("{settings:?}\n");
    for table in &program.dispatch {
        let rows: Vec<_> =
            table.others.iter().map(|row| (row.block, row.guards.iter().map(pattern).collect::<Vec<_>>())).collect();
        let guards = table.others.iter().flat_map(|row| &row.guards);
        let sizes: Vec<_> = guards.map(|guard| guard.automaton.len()).collect();
        found += &format!("{} {rows:?} {sizes:?}\n", table.event as u8);
        for row in &table.tools {
            found += &format!("{:?} {:?}\n", row.tool, row.blocks);
        }
    }
    for block in &program.blocks {
        let escalation: Vec<_> = block.escalation.iter().map(|step| (step.after, step.level as u8)).collect();
        let speech = &block.speech;
        let suggestions = (speech.suggested_tool.as_deref(), speech.suggested_action.as_deref());
        let templates: Vec<_> = [&speech.nudge, &speech.warning, &speech.block_reason, &speech.override_prompt]
            .map(|template| template.as_ref().map(|pieces| pieces.iter().map(piece).collect::<Vec<_>>()))
            .into();
        let patterns: Vec<_> = block.patterns.iter().map(pattern).collect();
        let routines: Vec<_> =
            block.routines.iter().map(|routine| (routine.event as u8, routine.code.as_ref())).collect();
        let sizes: Vec<_> = block.patterns.iter().map(|pattern| pattern.automaton.len()).collect();
        let once_per = block.once_per.map(|subject| match subject {
            forge::model::Subject::Text(field) => (0, field as u8),
            forge::model::Subject::Number(signal) => (1, signal as u8),
        });
        let effects = (block.resets.bits(), once_per, u8::from(block.ends_turn));
        let (id, name, level, hint) = (&block.id, &block.name, block.default_level as u8, &speech.hint);
        found += &format!("{id:?} {name:?} {level} {escalation:?} {effects:?} {hint:?} {suggestions:?} {templates:?} ");
        found += &format!("{:?} {patterns:?} {routines:?} {sizes:?}\n", block.texts);
    }
    found
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn the_specification_is_enough_to_load_a_program(program in programs::program()) {
        let bytes = container::write(&program).unwrap();
        prop_assert_eq!(load(&bytes), expected(&program));
    }
}

#[test]
fn the_page_has_every_vocabulary_of_the_file() {
    use forge::model::{Event, Field, Level, OnError, OverrideMode, Signal, Variable};
    let page = std::fs::read_to_string(crate::golden::path("bytecode-spec/container.md")).unwrap();
    let row = |name: &str, words: Vec<&str>| {
        assert!(page.contains(&format!("| {name} | {} |", words.join(", "))), "{name}: {words:?}");
    };
    row("field", Field::ALL.iter().map(|word| word.name()).collect());
    row("signal", Signal::ALL.iter().map(|word| word.name()).collect());
    row("event", Event::ALL.iter().map(|word| word.name()).collect());
    row("level", Level::ALL.iter().map(|word| word.name()).collect());
    row("variable", Variable::ALL.iter().map(|word| word.name()).collect());
    row("override", OverrideMode::ALL.iter().map(|word| word.name()).collect());
    row("on-error", OnError::ALL.iter().map(|word| word.name()).collect());
}
