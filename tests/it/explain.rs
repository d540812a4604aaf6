//! What is explained is what happens: the answer is the hook's byte for byte, a condition is told as its author wrote it,
//! and the text says why each behavior was passed over.

use crate::cli::{Project, Ran, forge};
use crate::scenarios::{own_catalogue, small_catalogue};
use forge::diagnostic::{Source, Sources};
use forge::explain::{Excerpt, PartKind, Styles, parts, text, watch};
use forge::model::{
    Call, Condition, Event, Field, Input, OverridePolicy, Profile, Session, Signals, Test, TextTest, Timestamp,
};
use forge::scenario::Rules;
use forge::store::input_hash;
use proptest::prelude::*;
use std::fs;
use std::io::Write as _;
use std::path::Path;
use std::process::{Command, Stdio};

/// Runs a program with this payload on standard input.
pub(crate) fn fed(program: &str, project: &Project, arguments: &[&str], payload: &str) -> Ran {
    let mut child = Command::new(program)
        .args(arguments)
        .current_dir(project.path("."))
        .env_remove("CLICOLOR_FORCE")
        .env_remove("CLAUDE_PROJECT_DIR")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    child.stdin.take().unwrap().write_all(payload.as_bytes()).unwrap();
    let out = child.wait_with_output().unwrap();
    Ran {
        code: out.status.code().unwrap(),
        stdout: String::from_utf8(out.stdout).unwrap(),
        stderr: String::from_utf8(out.stderr).unwrap(),
    }
}

/// Our own behaviors, all enabled and compiled, with soft blocks overridden in this way.
pub(crate) fn own_project(overrides: &str) -> Project {
    let project = Project::new();
    let own = Path::new(env!("CARGO_MANIFEST_DIR"));
    for behavior in own_catalogue().behaviors {
        let name = format!("behaviors/{}/behavior.yaml", behavior.id.value);
        project.write(&name, fs::read(own.join(&name)).unwrap());
    }
    let index = fs::read_to_string(own.join("behaviors/index.yaml")).unwrap();
    // The trip wires stay off: explaining does not read transcripts, it is told what they say.
    let (mut whole, mut id) = (String::new(), "");
    for line in index.lines() {
        id = line.trim().strip_prefix("- id: ").unwrap_or(id);
        let is_wire = id.starts_with("runaway-");
        whole.push_str(&if is_wire { line.to_owned() } else { line.replace("enabled: false", "enabled: true") });
        whole.push('\n');
    }
    project.write("behaviors/index.yaml", whole);
    project.write(".forge/config.yaml", format!("schema_version: \"1\"\noverride: {overrides}\n"));
    let ran = forge(&project, &["compile", "--no-settings"]);
    assert_eq!(ran.code, 0, "{}{}", ran.stdout, ran.stderr);
    project
}

/// Events whose answers cover every level, flags, several files at once, other harnesses and subagents.
const EVENTS: &[(&str, &str)] = &[
    (
        "",
        r#"{"hook_event_name":"PreToolUse","session_id":"s","tool_name":"Write","tool_input":{"file_path":"src/a.rs","content":"x"}}"#,
    ),
    (
        "",
        r#"{"hook_event_name":"PreToolUse","session_id":"s","tool_name":"Bash","tool_use_id":"t","tool_input":{"command":"git push"}}"#,
    ),
    (
        "",
        r#"{"hook_event_name":"PostToolUse","session_id":"s","tool_name":"Bash","tool_use_id":"t","tool_input":{"command":"git push"},"tool_response":{}}"#,
    ),
    ("", r#"{"hook_event_name":"PreToolUse","session_id":"s","tool_name":"Grep","tool_input":{"pattern":"x"}}"#),
    (
        "",
        r#"{"hook_event_name":"PreToolUse","session_id":"s","tool_name":"Bash","tool_input":{"command":"git commit -m x && git push -f"}}"#,
    ),
    (
        "",
        r#"{"hook_event_name":"PreToolUse","session_id":"s","tool_name":"Bash","tool_input":{"command":"cargo test"}}"#,
    ),
    ("", r#"{"hook_event_name":"UserPromptSubmit","session_id":"s","prompt":"No, that is wrong"}"#),
    ("", r#"{"hook_event_name":"Stop","session_id":"s","stop_hook_active":true}"#),
    ("", r#"{"hook_event_name":"SessionEnd","session_id":"s"}"#),
    (
        "",
        r#"{"hook_event_name":"PreToolUse","session_id":"s","agent_type":"explorer","permission_mode":"bypassPermissions","tool_name":"Edit","tool_input":{"file_path":"a.py","old_string":"a","new_string":"b"}}"#,
    ),
    (
        "codex",
        r#"{"hook_event_name":"PreToolUse","session_id":"s","tool_name":"apply_patch","tool_input":{"command":"*** Begin Patch\n*** Add File: a.md\n+x\n*** Update File: .forge/config.yaml\n@@\n+y\n*** End Patch\n"}}"#,
    ),
    (
        "gemini",
        r#"{"hook_event_name":"BeforeTool","session_id":"s","tool_name":"run_shell_command","tool_input":{"command":"git push origin +main"}}"#,
    ),
];

/// An answer without the code that allows its block: it is made of the second in which the block happened.
fn without_code(answer: &str) -> String {
    let Some((before, after)) = answer.split_once("forge allow ") else { return answer.to_owned() };
    format!("{before}{}", without_code(&after[9..]))
}

#[test]
fn what_is_explained_is_what_the_hook_then_answers() {
    for overrides in ["retry", "ask"] {
        let project = own_project(overrides);
        let state = project.path(".forge/runtime/state.json");
        let (mut choice, mut heard, mut passed) = (7_usize, 0, 0);
        for _ in 0..48 {
            // A sequence without a pattern, the same each time.
            choice = (choice * 1_103_515_245 + 12_345) % 2_147_483_648;
            let (harness, payload) = EVENTS[choice / 65_536 % EVENTS.len()];
            let named: &[&str] = if harness.is_empty() { &[] } else { &["--harness", harness] };
            let before = fs::read(&state).ok();
            let ask = [&["explain", "--json", "--session", "s", "-"], named].concat();
            let told = fed(env!("CARGO_BIN_EXE_forge"), &project, &ask, payload);
            assert_eq!(told.code, 0, "{}", told.stderr);
            assert!(before == fs::read(&state).ok(), "explaining changed the state");
            let told: serde_json::Value = serde_json::from_str(&told.stdout).unwrap();
            let done = fed(env!("CARGO_BIN_EXE_forge-hook"), &project, named, payload);
            let stdout = told["answer"]["stdout"].as_str().unwrap();
            assert_eq!(without_code(stdout), without_code(&done.stdout), "{payload}\n{told:#}");
            assert_eq!(told["answer"]["exit"], done.code);
            let is_heard = !done.stdout.is_empty();
            heard += usize::from(is_heard);
            passed += usize::from(!is_heard);
        }
        assert!(heard > 10 && passed > 5, "{heard} answers, {passed} silences: too few of one");
    }
}

#[test]
fn the_text_says_why_each_behavior_was_passed_over() {
    let index = "schema_version: \"1\"\nbehaviors: [{id: off-now}, {id: strict-only}, {id: for-writers}, {id: at-stop}, {id: on-write}, {id: edit-only}, {id: pushes}, {id: later}]\n";
    let behavior = |id: &str, triggers: &str, rest: &str| {
        let text = format!(
            "schema_version: \"1\"\nid: {id}\nname: It\ndescription: It.\ncategory: core\nscope: session\npolicy:\n  triggers:\n{triggers}  enforcement: {{ default_level: soft_block }}\n  recovery: {{ hint: Do otherwise. }}\n{rest}"
        );
        Source::new(format!("behaviors/{id}/behavior.yaml"), text)
    };
    let any = "    - { event: PreToolUse, matcher: '*' }\n";
    let pushes = "    - { event: PreToolUse, matcher: Edit|/dev.*/ }\n    - event: PreToolUse\n      matcher: Bash\n      conditions:\n        - { field: command, operator: regex_match, value: 'git\\s+push' }\n        - { field: command, operator: not_contains, value: --dry-run }\n        - { field: counter, operator: lt, value: 3 }\n    - event: PreToolUse\n      matcher: '*'\n";
    let sources = Sources::new(vec![
        Source::new("behaviors/index.yaml", index),
        behavior("off-now", any, ""),
        behavior("strict-only", any, "applies_to: { profiles: [strict] }\n"),
        behavior("for-writers", any, "applies_to: { agents: [writer] }\n"),
        behavior("at-stop", "    - event: Stop\n", ""),
        behavior("on-write", "    - { event: PreToolUse, matcher: Write|Edit }\n", ""),
        behavior("edit-only", any, "applies_to: { tools: [Edit] }\n"),
        behavior("pushes", pushes, ""),
        behavior("later", any, ""),
    ]);
    let (catalogue, problems) = forge::yaml::load(&sources);
    assert!(problems.is_empty(), "{}", forge::diagnostic::human(&problems, &sources, false));
    let rules = Rules::new(&catalogue, None).unwrap();
    let mut call = Call::new(Event::PreToolUse, "Bash", "{}", input_hash);
    call.fields.set(Field::Command, "cd x\ngit  push origin");
    let mut session = Session::default();
    session.disabled.insert("off-now".to_owned());
    session.flags.insert("seen".to_owned(), Timestamp(0));
    let input = Input {
        call: &call,
        session: Some(session),
        now: Timestamp(0),
        profile: Profile::Standard,
        signals: Signals::default(),
        overrides: OverridePolicy::Ask,
    };
    let (_, watched) = watch(rules.program(), input);
    let expected = r"PreToolUse Bash, agent main, profile standard
  command  cd x\ngit  push origin
 1 off-now      skipped     switched off in this session
 2 strict-only  skipped     acts in the profile strict
 3 for-writers  skipped     acts for writer
 4 at-stop      skipped     watches Stop
 5 on-write     skipped     not about Bash: watches Write, Edit
 6 edit-only    skipped     not about Bash: watches Edit
 7 pushes       soft_block  by trigger 2: counter 0 -> 1, soft_block is its default, no threshold above
    behaviors/pushes/behavior.yaml:2
    trigger 1, line 9 (/Edit|/dev.*//): other tools
    trigger 2, line 10 (Bash): fired
      held   command matches /git\s+push/, line 13
            cd x\ngit  push origin
                  ^^^^^^^^^
      held   command does not contain `--dry-run`, line 14
            cd x\ngit  push origin
      held   counter < 3, it is 0, line 15
      -> a violation
    trigger 3, line 16: not reached
 8 later        skipped     a block before it ended the chain
flags: seen
";
    assert_eq!(text(&watched, Styles::default()), expected);
    let json = forge::explain::json(&watched).to_string();
    assert!(json.contains(r#""matching":"git  push""#), "{json}");
}

/// Conditions whose tests all differ, each with whether an odd number of `not` stands around it.
fn condition() -> impl Strategy<Value = Condition> {
    let leaf = (0_u32..1_000_000).prop_map(|number| {
        let test = TextTest::Contains(format!("<{number}>"));
        Condition::test(Test::Text { field: Field::Command, test })
    });
    leaf.prop_recursive(4, 16, 4, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 1..4).prop_map(Condition::All),
            prop::collection::vec(inner.clone(), 1..4).prop_map(Condition::Any),
            inner.prop_map(|part| Condition::Not(Box::new(part))),
        ]
    })
}

fn wishes(condition: &Condition, wish: bool, found: &mut Vec<(String, bool)>) {
    match condition {
        Condition::All(parts) | Condition::Any(parts) => parts.iter().for_each(|part| wishes(part, wish, found)),
        Condition::Not(part) => wishes(part, !wish, found),
        Condition::Test(test) => {
            let Test::Text { test: TextTest::Contains(text), .. } = &test.value else { panic!("{test:?}") };
            let verb = if wish { "contains" } else { "does not contain" };
            found.push((format!("command {verb} `{text}`"), wish));
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 300, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn a_condition_is_told_as_its_author_wrote_it(condition in condition()) {
        let mut expected = Vec::new();
        wishes(&condition, true, &mut expected);
        let mut catalogue = small_catalogue();
        catalogue.behaviors[0].triggers.truncate(1);
        catalogue.behaviors[0].triggers[0].condition = condition;
        let rules = Rules::new(&catalogue, None).unwrap();
        let told: Vec<(String, bool)> = parts(&rules.program().program().blocks[0])
            .into_iter()
            .filter_map(|part| match part.kind {
                PartKind::Condition { question, when } => Some((question, when)),
                _ => None,
            })
            .collect();
        prop_assert_eq!(told, expected);
    }

    #[test]
    fn an_excerpt_shows_the_matching_part_or_nothing_of_it(before in "\\PC{0,300}", part in "[a-z é]{1,300}", after in "\\PC{0,300}") {
        let text = format!("{before}{part}{after}");
        let marked = before.len()..before.len() + part.len();
        let excerpt = Excerpt::new(&text, Some(marked));
        if let Some(shown) = excerpt.marked.clone() {
            let shown = excerpt.text.get(shown).unwrap();
            prop_assert!(part.starts_with(shown), "{shown:?} of {part:?}");
        }
        prop_assert!(excerpt.text.chars().count() <= 160);
        let _ = Excerpt::new(&text, None);
    }
}

#[test]
fn a_pattern_in_verbose_mode_is_shown_without_its_layout() {
    let ran = forge(&own_project("ask"), &["explain", "--command", "git push -f"]);
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    assert!(ran.stdout.contains("held   command matches /(?x) (?: ^ |"), "{}", ran.stdout);
    assert!(!ran.stdout.contains(r"/(?x)\n"), "{}", ran.stdout);
}

#[test]
fn money_is_told_in_dollars_and_every_other_number_as_it_is() {
    use forge::explain::digits;
    use forge::model::Signal;
    for (signal, value, told) in [
        (Signal::SpendUsd, 0, "$0.00"),
        (Signal::SpendUsd, 4_500_000_000, "$4.50"),
        (Signal::SpendUsd, 1_234_000_000, "$1.234"),
        (Signal::SpendCapUsd, 10 * Signal::ONE, "$10.00"),
        (Signal::SpendShare, 800_000_000, "0.8"),
        (Signal::Repeats, 3, "3"),
    ] {
        assert_eq!(digits(signal, value), told);
    }
}
