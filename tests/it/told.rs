//! What the last compile told is told again without looking, and is never anything else than looking would find.

use crate::cli::{Project, Ran, forge};
use crate::diagnostics::project;
use forge::diagnostic::{self, Sources};
use std::fs;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

const COMPILE: &[&str] = &["compile", "--no-settings"];
const AS_JSON: &[&str] = &["compile", "--no-settings", "--json"];

/// Every example of a warning: a project that compiles, and has something to tell.
fn examples() -> Vec<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/diagnostics");
    let mut examples: Vec<PathBuf> = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    examples.retain(|path| path.extension().is_none_or(|ending| ending != "txt"));
    examples.retain(|path| !fs::read_to_string(path.with_extension("txt")).unwrap().contains("error["));
    examples.sort();
    examples
}

/// A project with a warning, compiled.
fn compiled() -> Project {
    let example = examples().into_iter().find(|path| path.ends_with("F047-scope.yaml")).unwrap();
    let project = project(&example);
    let ran = forge(&project, COMPILE);
    assert!(ran.stdout.starts_with("warning[F047]") && ran.stdout.contains("\ncompiled 1"), "{}", ran.stdout);
    project
}

fn told(project: &Project) -> PathBuf {
    project.path(".forge/compiled/told")
}

/// When the file was put there: whoever has to look puts it there anew.
fn written(project: &Project) -> SystemTime {
    fs::metadata(told(project)).unwrap().modified().unwrap()
}

fn same(ran: &Ran, other: &Ran) {
    assert_eq!((ran.code, &ran.stdout, &ran.stderr), (other.code, &other.stdout, &other.stderr));
}

#[test]
fn what_is_told_again_is_what_looking_finds() {
    let examples = examples();
    assert!(examples.len() > 5, "{examples:?}");
    for example in examples {
        let project = project(&example);
        assert_eq!(forge(&project, COMPILE).code, 0, "{}", example.display());
        let put = written(&project);
        let again = [forge(&project, COMPILE), forge(&project, AS_JSON)];
        assert_eq!(written(&project), put, "{}: it was looked again", example.display());
        for (arguments, again) in [COMPILE, AS_JSON].into_iter().zip(&again) {
            fs::remove_file(told(&project)).unwrap();
            let looked = forge(&project, arguments);
            same(again, &looked);
            assert!(
                looked.stdout.contains("up to date") || looked.stdout.contains("\"unchanged\""),
                "{}",
                looked.stdout
            );
            assert!(told(&project).exists(), "whoever looked keeps what he found");
        }
    }
}

#[test]
fn problems_are_read_as_they_were_written() {
    for example in fs::read_dir(Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/diagnostics")).unwrap() {
        let path = example.unwrap().path();
        if path.extension().is_none_or(|ending| ending != "yaml") {
            continue;
        }
        let index = "schema_version: \"1\"\nbehaviors: [{id: sample}, {id: other}]\n";
        let sources = Sources::new(vec![
            diagnostic::Source::new("behaviors/index.yaml", index),
            diagnostic::Source::new("behaviors/sample/behavior.yaml", fs::read(&path).unwrap()),
        ]);
        let (catalogue, mut problems) = forge::yaml::load(&sources);
        problems.extend(match forge::validate::validate(catalogue) {
            Ok((_, warnings)) => warnings,
            Err(problems) => problems,
        });
        let json = diagnostic::json(&problems, &sources);
        let of_a_file = problems.iter().any(|problem| problem.place.is_some());
        assert_eq!(diagnostic::from_json(&json, &sources), Some(problems), "{}", path.display());
        assert_eq!(diagnostic::from_json(&json, &Sources::default()).is_none(), of_a_file, "files that are not there");
    }
}

#[test]
fn a_damaged_file_is_passed_over_and_put_right() {
    let project = compiled();
    let (sound, expected) = (fs::read(told(&project)).unwrap(), forge(&project, COMPILE));
    let changed = |at: usize| {
        let mut bytes = sound.clone();
        bytes[at] ^= 1;
        bytes
    };
    let places = (0..sound.len()).step_by(sound.len() / 12).map(changed);
    for damaged in places.chain([Vec::new(), sound[..sound.len() / 2].to_vec(), b"\xff\n{}".to_vec()]) {
        fs::write(told(&project), damaged).unwrap();
        same(&forge(&project, COMPILE), &expected);
        assert_eq!(fs::read(told(&project)).unwrap(), sound);
    }
}

#[test]
fn it_is_never_told_of_other_sources_or_another_program() {
    let project = compiled();
    let kept = fs::read(told(&project)).unwrap();
    let program = fs::read(project.path(".forge/compiled/program.fbc")).unwrap();
    let source = fs::read_to_string(project.path("behaviors/sample/behavior.yaml")).unwrap();
    project.write("behaviors/sample/behavior.yaml", source.replace("scope: project", "scope: session"));
    let ran = forge(&project, COMPILE);
    assert!(ran.stdout.starts_with("compiled 1 behavior"), "{}", ran.stdout);

    // The warning of before, with the sources of now; then the sources of before, with the program of now.
    fs::write(told(&project), &kept).unwrap();
    assert!(forge(&project, COMPILE).stdout.starts_with("up to date"));
    project.write("behaviors/sample/behavior.yaml", source);
    fs::write(told(&project), &kept).unwrap();
    let ran = forge(&project, COMPILE);
    assert!(ran.stdout.contains("\ncompiled 1 behavior"), "{}", ran.stdout);
    assert!(fs::read(project.path(".forge/compiled/program.fbc")).unwrap() == program);
}

#[test]
fn what_stands_beside_the_program_is_looked_at_as_well() {
    let project = compiled();
    project.write(".forge/prices.yaml", "schema_version: \"1\"\nmodels: [{id: mine, input: 1, output: 2}]\n");
    assert!(forge(&project, COMPILE).stdout.contains("\ncompiled 1"));
    for name in ["on_error", "prices", "program.fbc"] {
        fs::remove_file(project.path(".forge/compiled").join(name)).unwrap();
        let ran = forge(&project, COMPILE);
        assert!(ran.stdout.contains("\ncompiled 1"), "{name}: {}", ran.stdout);
        assert!(forge(&project, COMPILE).stdout.contains("\nup to date"), "{name}");
    }
}

#[test]
fn a_run_that_writes_nothing_keeps_nothing() {
    let project = compiled();
    fs::remove_file(told(&project)).unwrap();
    for argument in ["--dry-run", "--validate"] {
        assert_eq!(forge(&project, &["compile", argument]).code, 0);
        assert!(!told(&project).exists(), "{argument}");
    }
    assert!(forge(&project, &["compile", "--force", "--no-settings"]).stdout.contains("\ncompiled 1"));
    assert!(forge(&project, &["compile", "--force", "--no-settings"]).stdout.contains("\ncompiled 1"), "forced again");
}
