//! `forge disasm` as a process: what it finds, what it prints, how it ends.

use crate::golden;
use forge::bytecode::assemble::assemble;
use forge::bytecode::{assembly, container, listing};
use std::path::Path;
use std::process::{Command, Output};

fn program() -> forge::bytecode::program::Program<'static> {
    golden::compiled(&std::fs::read_to_string(golden::path("tests/data/compile/five-conditions.yaml")).unwrap())
}

/// A project with a compiled program, and a folder inside it.
fn project() -> tempfile::TempDir {
    let root = tempfile::tempdir().unwrap();
    std::fs::create_dir_all(root.path().join(".forge/compiled")).unwrap();
    std::fs::create_dir_all(root.path().join("some/where")).unwrap();
    std::fs::write(root.path().join(".forge/compiled/program.fbc"), container::write(&program()).unwrap()).unwrap();
    root
}

fn disasm(folder: &Path, arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_forge")).arg("disasm").args(arguments).current_dir(folder).output().unwrap()
}

/// What a run that succeeds prints.
fn printed(folder: &Path, arguments: &[&str]) -> String {
    let output = disasm(folder, arguments);
    assert_eq!(output.status.code(), Some(0), "{}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).unwrap()
}

/// What a run that fails says.
fn refused(folder: &Path, arguments: &[&str]) -> String {
    let output = disasm(folder, arguments);
    assert_eq!((output.status.code(), output.stdout.len()), (Some(2), 0));
    String::from_utf8(output.stderr).unwrap()
}

#[test]
fn it_lists_the_program_of_the_project_around_it() {
    let (root, program) = (project(), program());
    assert_eq!(printed(&root.path().join("some/where"), &[]), listing::program(&program));
    let one = listing::behavior(&program, &program.blocks[0]);
    assert_eq!(printed(root.path(), &["--behavior", "five-conditions"]), one);
}

#[test]
fn it_lists_the_program_it_is_given() {
    let (root, elsewhere) = (project(), tempfile::tempdir().unwrap());
    let path = root.path().join(".forge/compiled/program.fbc");
    assert_eq!(printed(elsewhere.path(), &[path.to_str().unwrap()]), listing::program(&program()));
}

#[test]
fn json_has_the_documented_shape() {
    let root = project();
    let whole: serde_json::Value = serde_json::from_str(&printed(root.path(), &["--json"])).unwrap();
    let keys = |value: &serde_json::Value| value.as_object().unwrap().keys().cloned().collect::<Vec<_>>().join(" ");
    assert_eq!(keys(&whole), "behaviors dispatch files format settings sources watches");
    let behavior = &whole["behaviors"][0];
    assert_eq!(
        keys(behavior),
        "default_level ends_turn escalation file id line name once_per patterns resets routines texts"
    );
    assert_eq!(behavior["escalation"][1], serde_json::json!({ "after": 3, "level": "warning" }));
    assert_eq!(keys(&behavior["patterns"][0]), "automaton_bytes fold literals normal source");
    let step = &behavior["routines"][0]["steps"][7];
    assert_eq!(keys(step), "jump label line offset text");
    assert_eq!(step["text"], r"command matches /\bgit\s+push\b/");
    assert_eq!(step["jump"], serde_json::json!({ "when": true, "to": "L4" }));
    let row = &whole["dispatch"][0]["tools"][0];
    assert_eq!(*row, serde_json::json!({ "tool": "Bash", "behaviors": ["five-conditions"] }));

    let one: serde_json::Value =
        serde_json::from_str(&printed(root.path(), &["--json", "--behavior", "five-conditions"])).unwrap();
    assert_eq!(one, *behavior);
}

#[test]
fn assembler_text_makes_the_program_again() {
    let text = printed(project().path(), &["--asm"]);
    assert_eq!(text, assembly::print(&program()));
    let automaton = program().blocks[0].patterns[0].automaton.to_vec();
    assert!(assemble(&text, &mut |_| automaton.clone()).unwrap() == program());
}

#[test]
fn an_unknown_behavior_is_answered_with_the_nearest() {
    let root = project();
    let said = refused(root.path(), &["--behavior", "five-condition"]);
    let expected = "there is no behavior `five-condition` in the program; did you mean `five-conditions`?";
    assert!(said.contains(expected), "{said}");
    let said = refused(root.path(), &["--behavior", "something-else"]);
    assert!(said.contains("`forge disasm` lists them all"), "{said}");
}

#[test]
fn what_is_no_program_is_refused_with_its_path_and_a_remedy() {
    let root = project();
    let path = root.path().join(".forge/compiled/program.fbc");
    let bytes = std::fs::read(&path).unwrap();
    let mut old = bytes.clone();
    old[8] = 0;
    for bad in [&bytes[..40], b"", b"schema_version", &bytes[..bytes.len() - 1], &old] {
        std::fs::write(&path, bad).unwrap();
        let said = refused(root.path(), &[]);
        assert!(said.contains("program.fbc: ") && said.contains("`forge compile"), "{said}");
        assert_eq!(said.lines().count(), 1, "{said}");
    }
    std::fs::remove_file(&path).unwrap();
    assert!(refused(root.path(), &[]).contains("program.fbc: cannot read the program; `forge compile` makes one"));
}

#[test]
fn outside_of_any_project_it_says_what_it_looked_for() {
    let nowhere = tempfile::tempdir().unwrap();
    let said = refused(nowhere.path(), &[]);
    assert!(said.contains("no folder from here upward holds `.forge/`"), "{said}");
}
