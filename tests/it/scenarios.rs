//! The scenarios beside our own behaviors hold, and the player notices what it is there to notice: wrong expectations of
//! every kind, files that say something else than they mean, and what is remembered from step to step.

use crate::cli::{Project, forge};
use forge::diagnostic::{Source, Sources, human};
use forge::explain::{Styles, text};
use forge::model::{Catalogue, FileId};
use forge::scenario::{Played, Rules, Suite, play, read};
use std::io::{BufRead as _, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

fn root() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR"))
}

/// All files below a folder with this ending, as sources.
fn files(folder: &Path, is_wanted: fn(&str) -> bool) -> Vec<Source> {
    let mut found = Vec::new();
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            found.extend(files(&path, is_wanted));
            continue;
        }
        let name = path.strip_prefix(root()).unwrap().to_string_lossy().replace('\\', "/");
        if is_wanted(&name) {
            found.push(Source::new(name, std::fs::read(&path).unwrap()));
        }
    }
    found
}

/// Our own catalogue.
pub(crate) fn own_catalogue() -> Catalogue {
    let is_rule = |name: &str| name.ends_with("/behavior.yaml") || name.ends_with("/index.yaml");
    let sources = Sources::new(files(&root().join("behaviors"), is_rule));
    let (catalogue, problems) = forge::yaml::load(&sources);
    assert!(problems.iter().all(|problem| !problem.is_error()), "{}", human(&problems, &sources, false));
    catalogue
}

/// Our own scenario files, read.
pub(crate) fn own_suites(catalogue: &Catalogue) -> (Sources, Vec<Suite>) {
    let sources = Sources::new(files(&root().join("behaviors"), |name| name.contains("/tests/")));
    let known: Vec<String> = catalogue.behaviors.iter().map(|behavior| behavior.id.value.clone()).collect();
    let mut suites = Vec::new();
    for (file, source) in sources.iter() {
        let folder = source.name.split('/').nth(1).unwrap();
        let (suite, problems) = read(&sources, file, Some(folder), &known);
        assert!(problems.is_empty(), "{}", human(&problems, &sources, false));
        suites.push(suite.unwrap());
    }
    (sources, suites)
}

/// A failure as text.
fn told(played: &Played) -> String {
    let mut told = String::new();
    for failure in &played.failures {
        told.push_str(&format!("line {}: step {}, {}\n", failure.place.line, failure.step, failure.title));
        for difference in &failure.differences {
            told.push_str(&format!("  {}: {} / {}\n", difference.what, difference.expected, difference.got));
        }
        told.extend(failure.disagreement.clone());
        failure.trace.iter().for_each(|view| told.push_str(&text(view, Styles::default())));
    }
    told
}

#[test]
fn our_own_scenarios_hold() {
    let catalogue = own_catalogue();
    let (sources, suites) = own_suites(&catalogue);
    let mut broken = String::new();
    let mut steps = 0;
    for suite in &suites {
        let own = vec![suite.behavior.clone().unwrap()];
        for scenario in &suite.scenarios {
            let mut acts = own.clone();
            acts.extend(scenario.with.clone().unwrap_or_default());
            let rules = Rules::new(&catalogue, Some(&acts)).unwrap();
            let played = play(&rules, scenario, suite.behavior.as_deref(), &mut ());
            steps += played.steps;
            if !played.passed() {
                let name = &sources.get(suite.file).unwrap().name;
                broken.push_str(&format!("{name}: {}\n{}", scenario.name.value, told(&played)));
            }
        }
    }
    assert!(broken.is_empty(), "{broken}");
    assert!(steps > 100, "only {steps} steps were played");
    for behavior in &catalogue.behaviors {
        let of_it = suites.iter().filter(|suite| suite.behavior.as_ref() == Some(&behavior.id.value));
        assert!(of_it.count() >= 2, "{} has no scenarios that block and that pass", behavior.id.value);
    }
}

/// Two small behaviors, for what the format promises.
const PUSH: &str = r#"
schema_version: "1"
id: no-push
name: No push
description: Pushing waits for a person.
category: core
scope: session
policy:
  triggers:
    - event: PreToolUse
      matcher: Bash
      conditions:
        - { field: command, operator: contains, value: git push }
        - { field: command, operator: not_contains, value: --dry-run }
  enforcement:
    default_level: nudge
    escalation:
      - { after: 2, level: soft_block }
  recovery: { hint: Ask first. }
"#;
const NOTES: &str = r#"
schema_version: "1"
id: notes-first
name: Notes first
description: Notes before files.
category: core
scope: session
policy:
  triggers:
    - { event: PostToolUse, matcher: Read, action: set_flag, flag: read }
    - { event: PreToolUse, matcher: Write, action: check_flag, flag: read, on_present: keep, on_absent: violate }
    - event: Stop
  enforcement: { default_level: silent }
  recovery: { hint: Read first. }
applies_to: { agents: [main, writer] }
"#;

pub(crate) fn small_catalogue() -> Catalogue {
    let index = "schema_version: \"1\"\nbehaviors:\n  - { id: no-push }\n  - { id: notes-first, enabled: false }\n";
    let sources = Sources::new(vec![
        Source::new("behaviors/index.yaml", index),
        Source::new("behaviors/no-push/behavior.yaml", PUSH),
        Source::new("behaviors/notes-first/behavior.yaml", NOTES),
    ]);
    let (catalogue, problems) = forge::yaml::load(&sources);
    assert!(problems.is_empty(), "{}", human(&problems, &sources, false));
    catalogue
}

/// Reads a scenario file of the behavior `no-push`.
fn suite(yaml: &str) -> Result<Suite, String> {
    let sources = Sources::new(vec![Source::new("s.yaml", yaml)]);
    let known = ["no-push".to_owned(), "notes-first".to_owned()];
    let (suite, problems) = read(&sources, FileId(0), Some("no-push"), &known);
    if problems.is_empty() { Ok(suite.unwrap()) } else { Err(human(&problems, &sources, false)) }
}

/// Plays the steps (YAML of a list, one a line) as one scenario with these further keys; what does not go as expected.
fn played(keys: &str, steps: &str) -> Vec<String> {
    let steps: String = steps.trim().lines().map(|line| format!("      {}\n", line.trim())).collect();
    let yaml = format!("schema_version: \"1\"\nscenarios:\n  - name: s\n    {keys}\n    steps:\n{steps}");
    let suite = suite(&yaml).unwrap_or_else(|told| panic!("{told}"));
    let mut acts = vec!["no-push".to_owned()];
    acts.extend(suite.scenarios[0].with.clone().unwrap_or_default());
    let rules = Rules::new(&small_catalogue(), Some(&acts)).unwrap();
    let played = play(&rules, &suite.scenarios[0], Some("no-push"), &mut ());
    assert!(played.failures.iter().all(|failure| failure.disagreement.is_none()));
    let mut told = Vec::new();
    for failure in &played.failures {
        for difference in &failure.differences {
            told.push(format!(
                "{}: {} expected {}, got {}",
                failure.step, difference.what, difference.expected, difference.got
            ));
        }
    }
    told
}

#[test]
fn what_the_format_promises_holds() {
    let cases = [
        // Overrides, one way each.
        ("override: retry", "- { command: git push, expect: { decision: nudge, counter: 1, level: nudge } }
          - { command: git push, expect: { decision: soft_block, says: [Ask first], says_not: [nothing of this] } }
          - { command: git push, advance: 59s, expect: { decision: pass, overridden: true, counter: 2 } }
          - { command: git push, expect: { decision: soft_block, overridden: false } }
          - { command: git push, advance: 1m, expect: { decision: soft_block, overridden: 0, counter: 4 } }
          - { command: git push, advance: -1s, expect: soft_block }"),
        ("override: deny", "- { command: git push }
          - { command: git push, expect: soft_block }
          - { command: git push, expect: { decision: soft_block, counter: 3 } }
          - { allow: no-push }
          - { command: git push, expect: { decision: pass, overridden: 1, counter: 3 } }"),
        ("override: ask", "- { command: git push }
          - { command: git push, call: a, expect: { decision: soft_block, counter: 2 } }
          - { event: PostToolUse, command: git push, call: b, expect: { overridden: 0 } }
          - { event: PostToolUse, command: git push, call: a, expect: { decision: pass, overridden: 1, counter: 2 } }
          - { event: PostToolUse, command: git push, call: a, expect: { overridden: 0 } }"),
        // Sessions, the clock, what a person does.
        ("independent: false", "- { command: git push, session: a, expect: { counter: 1 } }
          - { command: git push, session: b, expect: { decision: nudge, counter: 1 } }
          - { command: git push, session: a, expect: { decision: soft_block, counter: 2 } }
          - { advance: 1d }
          - { command: git push, session: a, expect: { decision: soft_block, counter: 3 } }
          - { command: git push, session: a, advance: 24h1s, expect: { decision: nudge, counter: 1 } }
          - { disable: no-push, session: a }
          - { command: git push, session: a, expect: { decision: pass, counter: 1 } }
          - { enable: no-push, session: a }
          - { command: git push, session: a, expect: { decision: soft_block, counter: 2 } }"),
        ("independent: true", "- { command: git push, expect: { decision: nudge, counter: 1 } }
          - { command: git push, expect: { decision: nudge, counter: 1 } }
          - { command: git push --dry-run, expect: { decision: pass, counter: 0 } }"),
        ("override: deny", "- { command: git push, parallel: 64, expect: { decision: soft_block, counter: 64, decisions: { nudge: 1, soft_block: 63 } } }"),
        // Other behaviors, agents, events, payloads.
        ("with: [notes-first]", "- { tool: Write, file_path: a, expect: { decision: pass, counter: 0, behaviors: { notes-first: { decision: silent, counter: 1 } } } }
          - { event: PostToolUse, tool: Read, file_path: a, expect: { flags: [read] } }
          - { tool: Write, file_path: a, expect: { behaviors: { notes-first: { decision: pass, counter: 1 } } } }
          - { event: Stop, agent: writer, expect: { decision: silent, behaviors: { notes-first: { counter: 2 } } } }
          - { event: Stop, agent: reader, expect: { decision: pass, behaviors: { notes-first: { counter: 2 } } } }"),
        ("profile: strict", "- { payload: { hook_event_name: PreToolUse, session_id: p, tool_name: Bash, tool_input: { command: git push, timeout: 1.5 } }, expect: { decision: nudge, counter: 1 } }
          - { payload: '{\"hook_event_name\": \"PreToolUse\", \"session_id\": \"p\", \"tool_name\": \"Bash\", \"tool_input\": {\"command\": \"git push\"}}', expect: { decision: soft_block, counter: 2 } }
          - { harness: gemini, payload: { hook_event_name: BeforeTool, session_id: p, tool_name: run_shell_command, tool_input: { command: git push x } }, expect: { decision: soft_block, counter: 3 } }
          - { tool: Bash, input: { command: git push, description: x }, session: p, expect: { counter: 4 } }"),
    ];
    for (keys, steps) in cases {
        assert_eq!(played(keys, steps), [] as [&str; 0], "{keys}");
    }
}

#[test]
fn every_wrong_expectation_is_told() {
    let wrong = played(
        "override: retry",
        "- { command: git push, expect: { decision: pass, counter: 2, level: warning, flags: [x], says: [abc], says_not: [Ask], overridden: true } }
         - { command: ls, expect: hard_block }
         - { command: git push, parallel: 2, expect: { decisions: { soft_block: 2 }, behaviors: { no-push: { counter: 9 } } } }
         - { allow: no-push }
         - { payload: 'no JSON', expect: pass }",
    );
    let told: Vec<&str> = wrong.iter().map(|line| line.split(", got").next().unwrap()).collect();
    assert_eq!(
        told,
        [
            "1: decision expected pass",
            "1: counter expected 2",
            "1: level expected warning",
            "1: flags expected x",
            "1: says expected `abc`",
            "1: says_not expected nothing with `Ask`",
            "1: overridden expected at least one",
            "2: decision expected hard_block",
            "3: decisions.soft_block expected 2",
            "3: no-push.counter expected 9",
            "4: allow expected a pending block of no-push",
            "5: payload expected one that can be read",
        ],
        "{wrong:#?}"
    );
}

#[test]
fn a_typo_in_a_scenario_file_is_an_error_with_its_place() {
    let head = "schema_version: \"1\"\nscenarios:\n  - name: s\n    steps:\n      - ";
    for (step, code, help) in [
        ("{ comand: ls, expect: pass }", "F012", "did you mean `command`?"),
        ("{ command: ls, expect: { decison: pass } }", "F012", "did you mean `decision`?"),
        ("{ command: ls, expect: soft-block }", "F018", "did you mean `soft_block`?"),
        ("{ command: ls, advance: 5 }", "F070", "`61s`"),
        ("{ command: ls, advance: 5x }", "F070", "`61s`"),
        ("{ command: ls, allow: no-push }", "F071", "a step is one event"),
        ("{ expect: pass }", "F071", "a step is one event"),
        ("{ event: PreToolUse }", "F071", "add `tool:`"),
        ("{ payload: {}, command: ls }", "F071", "remove the other keys"),
        ("{ disable: no-psh }", "F072", "did you mean `no-push`?"),
        ("{ command: ls, expect: { behaviors: { other: { counter: 1 } } } }", "F072", "the index has"),
        ("{ command: ls, parallel: 0 }", "F042", "write such a number"),
        ("{ harness: claude, payload: {} }", "F018", "claude-code"),
        ("{ command: ls, signals: { repeat: 3 } }", "F012", "did you mean `repeats`?"),
        ("{ command: ls, signals: { repeats: 1.5 } }", "F014", "write such as `3`"),
        ("{ command: ls, expect: { overridden: maybe } }", "F014", "write `true` or `false`"),
    ] {
        let told = suite(&format!("{head}{step}\n")).expect_err(step);
        assert!(told.contains(code) && told.contains(help) && told.contains("s.yaml:5:"), "{step}\n{told}");
    }
    let told = suite("schema_version: \"2\"\nscenarios: []\n").unwrap_err();
    assert!(told.contains("F021"), "{told}");
    let told = suite("schema_version: \"1\"\nscenario: []\n").unwrap_err();
    assert!(told.contains("did you mean `scenarios`?"), "{told}");
}

/// A project with the two small behaviors, and a scenario file of `no-push` with these scenarios.
fn project(scenarios: &str) -> Project {
    let project = Project::new();
    let index = "schema_version: \"1\"\nbehaviors:\n  - { id: no-push }\n  - { id: notes-first, enabled: false }\n";
    project.write("behaviors/index.yaml", index);
    project.write("behaviors/no-push/behavior.yaml", PUSH);
    project.write("behaviors/notes-first/behavior.yaml", NOTES);
    project.write("behaviors/no-push/tests/a.yaml", format!("schema_version: \"1\"\nscenarios:\n{scenarios}"));
    project
}

/// All that there is to notice of `no-push`.
const WHOLE: &str = r#"  - name: pushes <are> "counted"
    override: deny
    steps:
      - { command: x git push y, expect: { decision: nudge, counter: 1 } }
      - { command: git push, expect: { decision: soft_block, counter: 2 } }
      - { command: git push --dry-run, expect: { decision: pass, counter: 2 } }
      - { command: --dry-run, expect: pass }
      - { command: ls, expect: pass }
"#;

#[test]
fn a_wrong_scenario_is_shown_with_its_place_and_its_trace() {
    let wrong = "  - name: wrong\n    steps:\n      - { command: git push, expect: { decision: pass, counter: 1 } }\n";
    let project = project(wrong);
    let ran = forge(&project, &["test"]);
    assert_eq!((ran.code, ran.stderr.as_str()), (1, ""), "{}", ran.stdout);
    for told in [
        "behaviors/no-push/tests/a.yaml    1 scenario      1 step  1 failed",
        "failed: wrong",
        "behaviors/no-push/tests/a.yaml:5:11 step 1: Bash git push",
        "decision  expected pass",
        "          got      nudge (no-push: nudge)",
        "held   command contains `git push`, line 13",
        "1 scenario, 1 step: 1 failed",
    ] {
        assert!(ran.stdout.contains(told), "`{told}` is not in\n{}", ran.stdout);
    }
    let junit = project.path("junit.xml");
    let ran = forge(&project, &["test", "--json", "--junit", junit.to_str().unwrap()]);
    assert_eq!(ran.code, 1);
    let told: serde_json::Value = serde_json::from_str(&ran.stdout).unwrap();
    assert_eq!(told["passed"], false);
    assert_eq!(told["results"][0]["failures"][0]["line"], 5);
    assert_eq!(told["results"][0]["failures"][0]["differences"][0]["what"], "decision");
    assert_eq!(told["results"][0]["failures"][0]["trace"][0]["behaviors"][0]["fate"]["is"], "violated");
    let junit = std::fs::read_to_string(junit).unwrap();
    assert!(
        junit.contains("tests=\"1\" failures=\"1\"") && junit.contains("<failure message=\"step 1: Bash git push\">"),
        "{junit}"
    );
}

#[test]
fn coverage_and_mutants_show_what_scenarios_do_not_see() {
    let whole = project(WHOLE);
    let ran = forge(&whole, &["test", "--coverage", "--mutate"]);
    assert_eq!(ran.code, 0, "{}{}", ran.stdout, ran.stderr);
    assert!(ran.stdout.contains("coverage of no-push: 7 of 7 reached"), "{}", ran.stdout);
    let thin = project("  - name: thin\n    steps:\n      - { command: git push, expect: nudge }\n");
    let ran = forge(&thin, &["test", "--coverage"]);
    assert_eq!(ran.code, 0, "gaps alone are no failure: {}", ran.stdout);
    assert!(
        ran.stdout.contains("behavior.yaml:13  never: trigger 1, line 13: `command contains `git push`` fails"),
        "{}",
        ran.stdout
    );
    assert!(ran.stdout.contains("behavior.yaml:18  never: the level soft_block"), "{}", ran.stdout);
    let ran = forge(&thin, &["test", "--mutate"]);
    assert_eq!(ran.code, 1);
    assert!(ran.stdout.contains("behavior.yaml:18  no scenario notices `after: 3` for `2`"), "{}", ran.stdout);
    assert!(
        ran.stdout.contains("behavior.yaml:14  no scenario notices trigger 1: condition 2 left out"),
        "{}",
        ran.stdout
    );
    assert!(!ran.stdout.contains("line 13: condition negated"), "{}", ran.stdout);
    assert_eq!(ran.stdout, forge(&thin, &["test", "--mutate"]).stdout, "twice the same");
}

#[test]
fn what_is_to_be_played_can_be_chosen() {
    let project = project(WHOLE);
    project.write("more/b.yaml", "schema_version: \"1\"\nscenarios:\n  - name: all that act\n    steps:\n      - { command: git push, expect: nudge }\n");
    for (arguments, scenarios) in [
        (&["test"][..], 1),
        (&["test", "no-push"], 1),
        (&["test", "behaviors/no-push/tests/a.yaml"], 1),
        (&["test", "more", "no-push"], 2),
        (&["test", "more/b.yaml"], 1),
        (&["test", "."], 1),
        (&["test", ".", "--name", "<are>"], 1),
    ] {
        let ran = forge(&project, &[arguments, &["--json"]].concat());
        let told: serde_json::Value = serde_json::from_str(&ran.stdout).expect(&ran.stderr);
        assert_eq!((ran.code, &told["scenarios"]), (0, &serde_json::json!(scenarios)), "{arguments:?}");
    }
    for (arguments, code, told) in [
        (&["test", "--name", "nobody"][..], 1, "no scenario found"),
        (&["test", "notes-first"], 1, "no scenario found"),
        (&["test", "no-psh"], 2, "did you mean `no-push`?"),
    ] {
        let ran = forge(&project, arguments);
        assert_eq!(ran.code, code, "{arguments:?}");
        assert!(format!("{}{}", ran.stdout, ran.stderr).contains(told), "{arguments:?}: {}{}", ran.stdout, ran.stderr);
    }
    project.write("behaviors/no-push/tests/a.yaml", "schema_version: \"1\"\nscenarioss: []\n");
    let ran = forge(&project, &["test"]);
    assert!(ran.code == 1 && ran.stdout.contains("did you mean `scenarios`?"), "{}", ran.stdout);
    project.write("behaviors/no-push/behavior.yaml", PUSH.replace("default_level", "default_levl"));
    let ran = forge(&project, &["test"]);
    assert!(ran.code == 1 && ran.stdout.contains("did you mean `default_level`?"), "{}", ran.stdout);
}

#[test]
fn watching_plays_again_when_a_file_changes() {
    let project = project(WHOLE);
    let mut child = Command::new(env!("CARGO_BIN_EXE_forge"))
        .args(["test", "--watch"])
        .current_dir(project.path("."))
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut lines = BufReader::new(child.stdout.take().unwrap()).lines().map(Result::unwrap);
    assert!(lines.find(|line| line.contains("steps:") || line.contains("step:")).unwrap().ends_with("all hold"));
    lines.find(|line| line.starts_with("watching")).unwrap();
    project.write("behaviors/no-push/behavior.yaml", PUSH.replace("after: 2", "after: 9"));
    assert!(lines.find(|line| line.starts_with("1 scenario, ")).unwrap().ends_with("1 failed"));
    child.kill().unwrap();
    child.wait().unwrap();
}
