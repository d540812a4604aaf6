//! Assembler text <-> program, and what is said about text that is none.

use crate::programs::{self, automaton_of};
use forge::bytecode::assemble::assemble;
use forge::bytecode::assembly;
use proptest::prelude::*;

proptest! {
    #![proptest_config(ProptestConfig::with_cases(256))]

    #[test]
    fn the_assembler_makes_the_same_program_again(program in programs::program()) {
        let text = assembly::print(&program);
        let again = assemble(&text, &mut automaton_of).unwrap_or_else(|error| panic!("{error}\n{text}"));
        prop_assert_eq!(&again, &program, "{}", text);
    }

    #[test]
    fn broken_code_survives_the_trip_too(
        program in programs::program(),
        code in proptest::collection::vec(any::<u8>(), 1..30),
        offsets in proptest::collection::vec(0..40_u32, 0..4),
    ) {
        let mut program = program;
        for routine in program.blocks.iter_mut().flat_map(|block| &mut block.routines) {
            routine.code = code.clone().into();
            let place = |offset: &u32| forge::bytecode::program::CodePlace {
                offset: *offset, trigger: 1, place: forge::bytecode::program::SourcePlace::default(),
            };
            routine.places = offsets.iter().map(place).collect();
        }
        let text = assembly::print(&program);
        let again = assemble(&text, &mut automaton_of).unwrap_or_else(|error| panic!("{error}\n{text}"));
        prop_assert_eq!(&again, &program, "{}", text);
    }

    #[test]
    fn any_text_is_a_program_or_an_error(text in "([a-z0-9:@{}\"\\\\; -]{0,20}\n?){0,8}") {
        drop(assemble(&text, &mut automaton_of));
    }
}

#[test]
fn errors_name_the_line_and_the_word() {
    let block = "block 0 \"a\" \"A\" silent\n";
    let routine = &format!("{block}routine Stop\n");
    let cases = [
        ("block 0 \"a\" \"A\" loud", "line 1: `loud` is no level"),
        ("\n\nsettings retry maybe", "line 3: `maybe` is no answer to errors"),
        ("hint \"x\"", "line 1: this belongs below a `block`"),
        ("sources 00ff", "line 1: a digest has 32 bytes"),
        ("tool \"Bash\" 0", "line 1: this belongs below a `dispatch`"),
        ("dispatch Stop\nguard \"a\" \"a\"", "line 2: a guard belongs below an `other`"),
        (&format!("{block}end"), "line 2: there is no such statement outside of a `routine`"),
        (&format!("{block}hint x"), "line 2: `x` is not in quotes"),
        (&format!("{block}hint \"x\" \"y\""), "line 2: `y` is one too many"),
        (&format!("{block}hint \"\\u{{d800}}\""), "line 2: `d800` is no character"),
        (&format!("{block}nudge {{count}}"), "line 2: there is no variable `count`"),
        (&format!("{block}pattern \"a\" \"a\" slow"), "line 2: `slow` says nothing about a pattern"),
        (&format!("{routine}finish"), "line 3: there is no statement or instruction `finish`"),
        (&format!("{routine}end t1"), "line 3: `end` has 0 operands, not 1"),
        (&format!("{routine}exists colour"), "line 3: `colour` is no field for `exists`"),
        (&format!("{routine}jump-if L1"), "line 3: `L1` is no target for `jump-if`"),
        (&format!("{routine}at 0 1:2"), "line 3: `1:2` is no place (file:line:column)"),
        (&format!("{routine}bytes 123"), "line 3: `123` is not made of pairs of hexadecimal digits"),
        ("file \"a", "line 1: this is no statement"),
    ];
    for (text, error) in cases {
        assert_eq!(assemble(text, &mut automaton_of).unwrap_err().to_string(), error, "{text}");
    }
}
