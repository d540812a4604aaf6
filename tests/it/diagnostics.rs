//! Every kind of problem has a project that shows it and the words it is told in. `BLESS=1` rewrites the words and
//! the page made from the table.

use crate::cli::{Project, forge};
use forge::diagnostic::{self, Code, Sources};
use forge::limits;
use forge::model::{Action, Behavior, Catalogue, Level, Place, Placed, Scope, Step, Template};
use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

/// Codes whose examples are too large or too broken to be files of a repository; each is made in a test below.
const MADE_HERE: &[Code] = &[Code::NotUtf8, Code::TooLarge, Code::TooMany, Code::BehaviorTooLarge];
/// Of scenario files: `scenarios.rs` makes them.
const OF_SCENARIOS: &[Code] = &[Code::BadDuration, Code::BadStep, Code::NoSuchBehavior];

fn data() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/diagnostics")
}

/// The behavior most examples change one thing of.
const PLAIN: &str = include_str!("../data/diagnostics/F047-scope.yaml");

/// The project of an example: a folder is one, a file is the behavior `sample` of one.
pub(crate) fn project(example: &Path) -> Project {
    let project = Project::new();
    if example.is_dir() {
        project.copy(example);
    } else {
        project.write("behaviors/index.yaml", "schema_version: \"1\"\nbehaviors:\n  - id: sample\n    enabled: true\n");
        project.write("behaviors/sample/behavior.yaml", fs::read_to_string(example).unwrap());
    }
    project
}

fn compare(path: &Path, told: &str) {
    if std::env::var_os("BLESS").is_some() {
        fs::write(path, told).unwrap();
    }
    let expected = fs::read_to_string(path).unwrap_or_default().replace("\r\n", "\n");
    assert_eq!(told, expected, "{}: run with BLESS=1 when the new words are right", path.display());
}

#[test]
fn every_example_is_told_as_expected() {
    let mut shown = BTreeSet::new();
    let mut examples: Vec<PathBuf> = fs::read_dir(data()).unwrap().map(|entry| entry.unwrap().path()).collect();
    examples.sort();
    for example in examples.iter().filter(|path| path.extension().is_none_or(|extension| extension != "txt")) {
        let ran = forge(&project(example), &["compile", "--validate"]);
        let name = example.file_stem().unwrap().to_str().unwrap();
        let code = Code::ALL.iter().find(|code| name.starts_with(code.name())).expect(name);
        assert!(ran.stdout.contains(&format!("[{}]", code.name())), "{name} does not show its code:\n{}", ran.stdout);
        assert_eq!(ran.code == 1, ran.stdout.contains("error["), "{name}: exit code {}\n{}", ran.code, ran.stdout);
        assert_eq!(ran.stderr, "", "{name}");
        compare(&example.with_file_name(format!("{name}.txt")), &ran.stdout);
        shown.insert(*code);
    }
    let missing: Vec<_> = Code::ALL
        .iter()
        .filter(|code| !shown.contains(code) && ![MADE_HERE, OF_SCENARIOS].concat().contains(code))
        .collect();
    assert!(missing.is_empty(), "codes without an example: {missing:?}");
}

/// The text of a behavior that should be refused, and the code it should be refused with.
fn refused(text: impl AsRef<[u8]>, code: Code) -> String {
    let project = Project::new();
    project.write("behaviors/index.yaml", "schema_version: \"1\"\nbehaviors: [{id: sample}]\n");
    project.write("behaviors/sample/behavior.yaml", text);
    let ran = forge(&project, &["compile"]);
    assert_eq!(ran.code, 1, "{}", ran.stdout);
    assert!(ran.stdout.contains(&format!("[{}]", code.name())), "{}", ran.stdout);
    assert!(!project.path(".forge").exists());
    ran.stdout
}

#[test]
fn bytes_that_are_no_text_are_refused_with_their_place() {
    let text =
        refused(PLAIN.replace("A sample", "caf").replace("caf", "caf\u{1}").replace('\u{1}', "\u{0}"), Code::Syntax);
    assert!(text.contains("behavior.yaml:4:"), "{text}");
    let mut bytes = PLAIN.as_bytes().to_vec();
    let at = PLAIN.find("A sample").unwrap();
    bytes[at] = 0xe9;
    let text = refused(bytes, Code::NotUtf8);
    assert!(text.contains("behavior.yaml:4:14") && text.contains("0xe9"), "{text}");
}

#[test]
fn a_large_file_is_refused_by_its_size() {
    refused(format!("{PLAIN}# {}\n", "x".repeat(5 << 20)), Code::TooLarge);
    refused(format!("{PLAIN}# {}\n", "x".repeat(limits::YAML_BYTES - PLAIN.len() - 2)), Code::TooLarge);
}

#[test]
fn brackets_without_end_are_refused() {
    for open in ["[", "{", "- ", "? ", "[{", "a: [", "{a: "] {
        refused(open.repeat(200_000 / open.len()), Code::TooDeep);
    }
}

#[test]
fn an_alias_bomb_is_refused() {
    let mut text = String::from("a0: &a0 [x, x]\n");
    for level in 1..40 {
        let below = level - 1;
        text.push_str(&format!("a{level}: &a{level} [*a{below}, *a{below}, *a{below}]\n"));
    }
    refused(text, Code::Anchor);
}

#[test]
fn a_behavior_beyond_the_format_is_refused() {
    let texts: Vec<String> = (0..65_537).map(|number| format!("\"{number}\"")).collect();
    let when = format!("when: 'command in [{}]'", texts.join(","));
    let text = PLAIN.replace("\"1\"", "\"2\"").replace("matcher: Bash", &format!("matcher: Bash\n      {when}"));
    refused(text, Code::BehaviorTooLarge);
}

#[test]
fn too_many_behaviors_are_refused() {
    let project = crate::yaml::project(&[("sample", PLAIN)]);
    let (catalogue, _) = forge::yaml::load(&project);
    let behaviors = vec![catalogue.behaviors[0].clone(); limits::BEHAVIORS + 1];
    let problems = forge::validate::validate(Catalogue { behaviors, ..catalogue }).unwrap_err();
    assert!(problems.iter().any(|problem| problem.code == Code::TooMany));
}

/// Catalogues that no file was read for have no places; every rule holds for them all the same, and can be told.
#[test]
fn the_rules_hold_for_catalogues_made_by_hand() {
    let (catalogue, _) = forge::yaml::load(&crate::yaml::project(&[("sample", PLAIN)]));
    let codes = |change: &dyn Fn(&mut Behavior)| {
        let mut catalogue = Catalogue { files: Vec::new(), ..catalogue.clone() };
        for behavior in &mut catalogue.behaviors {
            behavior.id.place = Place::default();
            behavior.scope = Placed::nowhere(Scope::Session);
            change(behavior);
        }
        let problems = match forge::validate::validate(catalogue) {
            Ok((checked, warnings)) => {
                assert_eq!(checked.enabled().count(), 1);
                warnings
            }
            Err(problems) => problems,
        };
        assert_eq!(diagnostic::human(&problems, &Sources::default(), false).matches("help").count(), problems.len());
        problems.iter().map(|problem| problem.code.name()).collect::<Vec<_>>()
    };
    let step = |after, level| Step { after, level, place: Place::default() };
    assert_eq!(codes(&|_| {}), [] as [&str; 0]);
    assert_eq!(codes(&|behavior| behavior.id = Placed::nowhere("-".into())), ["F022"]);
    assert_eq!(codes(&|behavior| behavior.triggers.clear()), ["F026"]);
    assert_eq!(codes(&|behavior| behavior.scope = Placed::nowhere(Scope::Task)), ["F047"]);
    assert_eq!(codes(&|behavior| behavior.rendering.nudge = Some(Template::default())), ["F048"]);
    assert_eq!(codes(&|behavior| behavior.enforcement.escalation = vec![step(0, Level::Nudge)]), ["F042"]);
    let falling = vec![step(1, Level::Warning), step(2, Level::Nudge)];
    assert_eq!(codes(&|behavior| behavior.enforcement.escalation = falling.clone())[0], "F043");
    let twice = vec![step(3, Level::Warning), step(3, Level::SoftBlock)];
    assert_eq!(codes(&|behavior| behavior.enforcement.escalation = twice.clone()), ["F044"]);
    let flag = Action::SetFlag { flag: Placed::nowhere("seen".into()) };
    assert_eq!(codes(&|behavior| behavior.triggers[0].action = flag.clone()), ["F046"]);
}

#[test]
fn two_behaviors_of_one_id_are_refused_wherever_they_come_from() {
    let (mut catalogue, _) = forge::yaml::load(&crate::yaml::project(&[("sample", PLAIN)]));
    catalogue.behaviors.push(catalogue.behaviors[0].clone());
    let problems = forge::validate::validate(catalogue).unwrap_err();
    assert!(problems.iter().any(|problem| problem.code == Code::Twice));
}

#[test]
fn the_page_of_codes_is_generated() {
    compare(&Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/diagnostics.md"), &diagnostic::page());
}

#[test]
fn the_same_problems_are_told_to_programs() {
    let sources = crate::yaml::project(&[("sample", &PLAIN.replace("project", "sesion"))]);
    let (_, problems) = forge::yaml::load(&sources);
    let told = diagnostic::json(&problems, &sources);
    assert_eq!(told[0]["code"], "F018");
    assert_eq!(told[0]["replacement"], "session");
    assert_eq!(told[0]["place"]["file"], "behaviors/sample/behavior.yaml");
    assert_eq!((told[0]["place"]["line"].as_u64(), told[0]["place"]["column"].as_u64()), (Some(6), Some(8)));
    assert_eq!(diagnostic::json(&[], &Sources::default()), serde_json::json!([]));
}
