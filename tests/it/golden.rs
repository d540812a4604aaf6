//! Files that hold what a stage is expected to give. `BLESS=1 cargo test` writes them anew.

use crate::programs;
use forge::bytecode::assemble::assemble;
use forge::bytecode::program::Program;
use forge::bytecode::{assembly, container, listing, spec, verify};
use forge::diagnostic::{Source, Sources};
use forge::lower::lower;
use forge::validate::validate;
use forge::yaml;
use proptest::prelude::*;
use std::path::{Path, PathBuf};

/// A path below the repository.
pub(crate) fn path(relative: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join(relative)
}

/// That a file of the repository is what `actual` says it should be.
pub(crate) fn check(file: &Path, actual: &str) {
    if std::env::var_os("BLESS").is_some() {
        std::fs::write(file, actual).unwrap();
        return;
    }
    let expected = std::fs::read_to_string(file).unwrap_or_default().replace("\r\n", "\n");
    assert!(expected == actual, "{} should be (BLESS=1 rewrites it):\n{actual}", file.display());
}

/// A program of one behavior's file, as a project that lists it alone would have it.
pub(crate) fn compiled(behavior: &str) -> Program<'static> {
    let id = behavior.lines().find_map(|line| line.strip_prefix("id: ")).unwrap();
    let index = format!("schema_version: \"1\"\nbehaviors:\n  - id: {id}\n    enabled: true\n");
    let files = vec![Source::new(yaml::INDEX, index), Source::new(yaml::behavior_file(id), behavior)];
    let (catalogue, problems) = yaml::load(&Sources::new(files));
    assert!(problems.iter().all(|problem| !problem.is_error()), "{problems:?}");
    let (checked, _) = validate(catalogue).unwrap();
    lower(&checked, [7; 32]).unwrap().program
}

#[test]
fn listings_are_what_authors_were_shown() {
    for entry in std::fs::read_dir(path("tests/data/compile")).unwrap() {
        let file = entry.unwrap().path();
        if file.extension().is_some_and(|extension| extension == "yaml") {
            let program = compiled(&std::fs::read_to_string(&file).unwrap());
            check(&file.with_extension("listing"), &listing::program(&program));
        }
    }
}

#[test]
fn five_conditions_fit_a_screen() {
    let program = compiled(&std::fs::read_to_string(path("tests/data/compile/five-conditions.yaml")).unwrap());
    let listing = listing::behavior(&program, &program.blocks[0]);
    assert!(listing.lines().count() <= 24, "{listing}");
}

/// The automaton of a pattern, as the compiler makes it, by asking for a program that has it.
fn automata_of<'p>(program: &'p Program<'_>) -> impl FnMut(&str) -> Vec<u8> + use<'p> {
    let blocks = program.blocks.iter().flat_map(|block| &block.patterns);
    let guards = program.dispatch.iter().flat_map(|table| &table.others).flat_map(|row| &row.guards);
    let known: Vec<_> =
        blocks.chain(guards).map(|pattern| (pattern.normal.to_string(), pattern.automaton.to_vec())).collect();
    move |normal| known.iter().find(|(known, _)| known == normal).unwrap().1.clone()
}

#[test]
fn compiled_behaviors_survive_bytes_and_assembler_text() {
    let mut behaviors: Vec<_> =
        std::fs::read_dir(path("tests/data/compile")).unwrap().map(|entry| entry.unwrap().path()).collect();
    behaviors
        .extend(std::fs::read_dir(path("behaviors")).unwrap().map(|entry| entry.unwrap().path().join("behavior.yaml")));
    behaviors.retain(|file| file.extension().is_some_and(|extension| extension == "yaml") && file.exists());
    assert!(behaviors.len() > 4);
    for file in behaviors {
        let program = compiled(&std::fs::read_to_string(&file).unwrap());
        let bytes = container::write(&program).unwrap();
        assert!(container::read(&bytes).unwrap() == program, "{}", file.display());
        let text = assembly::print(&program);
        assert!(assemble(&text, &mut automata_of(&program)).unwrap() == program, "{}", file.display());
        verify(program).unwrap();
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(128))]

    /// Whatever the program, broken ones too.
    #[test]
    fn listings_keep_to_the_width_and_to_visible_characters(program in programs::program(), code in any::<[u8; 12]>()) {
        let mut program = program;
        if let Some(routine) = program.blocks.iter_mut().flat_map(|block| &mut block.routines).next() {
            routine.code = code.to_vec().into();
        }
        let listing = listing::program(&program);
        for line in listing.lines() {
            prop_assert!(line.chars().count() <= listing::WIDTH, "{line}");
            prop_assert!(!line.chars().any(char::is_control), "{line:?}");
        }
    }
}

#[test]
fn the_page_of_instructions_is_the_table() {
    check(&path("bytecode-spec/instructions.md"), &spec::instructions());
}

#[test]
fn the_specification_names_every_rule_of_the_verifier() {
    let page = std::fs::read_to_string(path("bytecode-spec/README.md")).unwrap();
    for kind in forge::bytecode::FaultKind::ALL {
        assert!(page.contains(&format!("\n| `{kind}` |")), "bytecode-spec/README.md has no row for {kind}");
    }
}
