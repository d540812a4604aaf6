//! `forge behavior` by the real binary, on a copy of the repository's own catalogue.

use crate::cli::{Project, Ran, forge};
use serde_json::Value;
use std::fs;
use std::io::Write;
use std::path::Path;
use std::process::{Command, Stdio};

pub(crate) fn catalogue() -> Project {
    let project = Project::new();
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    project.copy_into(&root.join("behaviors"), "behaviors");
    project
}

fn read(project: &Project, name: &str) -> String {
    fs::read_to_string(project.path(name)).unwrap()
}

fn ok(ran: &Ran) -> &str {
    assert_eq!((ran.code, ran.stderr.as_str()), (0, ""), "{}", ran.stdout);
    &ran.stdout
}

#[test]
fn off_and_on_edit_the_index_and_nothing_else() {
    let project = catalogue();
    let before = read(&project, "behaviors/index.yaml");
    let ran = forge(&project, &["behavior", "off", "search-first"]);
    assert_eq!(
        ok(&ran),
        "search-first: on -> off\nedited behaviors/index.yaml\nnext: `forge compile`, which makes it act\n"
    );
    let expected =
        before.replace("  - id: search-first\n    enabled: true", "  - id: search-first\n    enabled: false");
    assert_eq!(read(&project, "behaviors/index.yaml"), expected);
    assert_eq!(ok(&forge(&project, &["behavior", "off", "search-first"])), "search-first: off already\n");
    let ran = forge(&project, &["behavior", "on", "search-first", "plan-before-code", "--compile"]);
    assert!(ok(&ran).contains("search-first: off -> on\nplan-before-code: off -> on\n"), "{}", ran.stdout);
    assert!(ran.stdout.contains("\ncompiled "), "{}", ran.stdout);
    assert!(project.path(".forge/compiled/program.fbc").exists());
}

#[test]
fn thresholds_are_doubled_and_halved_in_place() {
    let project = catalogue();
    let file = "behaviors/search-first/behavior.yaml";
    let before = read(&project, file);
    let ran = forge(&project, &["behavior", "relaxed", "search-first", "--json"]);
    let report: Value = serde_json::from_str(ok(&ran)).unwrap();
    assert_eq!(report["changes"][0]["after"], "2 nudge, 6 warning, 10 soft_block");
    assert_eq!(report["files"][0], file);
    let steps = |a, b, c| {
        let new = |old: &str, number| format!("{{ after: {number}, level: {old} }}");
        let text = before.replace("{ after: 1, level: nudge }", &new("nudge", a));
        let text = text.replace("{ after: 3, level: warning }", &new("warning", b));
        text.replace("{ after: 5, level: soft_block }", &new("soft_block", c))
    };
    assert_eq!(read(&project, file), steps(2, 6, 10));
    ok(&forge(&project, &["behavior", "strict", "search-first"]));
    assert_eq!(read(&project, file), before);
    ok(&forge(&project, &["behavior", "strict", "search-first"]));
    assert_eq!(read(&project, file), steps(1, 1, 2));
    let said = forge(&project, &["behavior", "relaxed", "no-destructive-git"]);
    assert!(ok(&said).contains("no thresholds, hard_block from the first violation on already"), "{}", said.stdout);
}

#[test]
fn a_session_is_told_through_the_state() {
    let project = catalogue();
    let ran = forge(&project, &["behavior", "off", "search-first", "--session", "s1"]);
    assert_eq!(ok(&ran), "search-first: off in session `s1`, of which nothing was seen yet\n");
    let state: Value = serde_json::from_str(&read(&project, ".forge/runtime/state.json")).unwrap();
    assert_eq!(state["sessions"]["s1"]["behavior_overrides"]["search-first"]["enabled"], false);
    assert_eq!(
        ok(&forge(&project, &["behavior", "off", "search-first", "--session", "s1"])),
        "search-first: off already in session `s1`\n"
    );
    ok(&forge(&project, &["behavior", "on", "search-first", "--session", "s1"]));
    let state: Value = serde_json::from_str(&read(&project, ".forge/runtime/state.json")).unwrap();
    assert_eq!(state["sessions"]["s1"]["behavior_overrides"]["search-first"]["enabled"], true);
    let ran = forge(&project, &["behavior", "on", "plan-before-code", "--session", "s1"]);
    assert_eq!(ran.code, 1);
    assert!(ran.stderr.contains("a session can only switch off"), "{}", ran.stderr);
}

/// What the hook answers to a write without a search before it.
fn write_in(project: &Project, session: &str) -> String {
    let call = serde_json::json!({"session_id": session, "hook_event_name": "PreToolUse", "tool_name": "Write",
        "tool_input": {"file_path": "/a", "content": "x"}, "cwd": project.path("")});
    let mut hook = Command::new(env!("CARGO_BIN_EXE_forge-hook"))
        .args(["--harness", "claude-code", "--root"])
        .arg(project.path(""))
        .env("FORGE_HOOK_PROFILE", "strict")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    hook.stdin.take().unwrap().write_all(call.to_string().as_bytes()).unwrap();
    String::from_utf8(hook.wait_with_output().unwrap().stdout).unwrap()
}

#[test]
fn the_hook_does_what_the_switches_say() {
    let project = catalogue();
    ok(&forge(&project, &["behavior", "relaxed", "search-first", "--compile"]));
    ok(&forge(&project, &["behavior", "off", "search-first", "--session", "s1"]));
    assert_eq!(write_in(&project, "s1"), "");
    assert_eq!(write_in(&project, "s2"), "", "the first violation is silent now");
    assert!(write_in(&project, "s2").contains("Search first"), "the second is not");
    assert_eq!(write_in(&project, "s1"), "", "whatever happens elsewhere");
    ok(&forge(&project, &["behavior", "on", "search-first", "--session", "s1"]));
    assert_eq!(write_in(&project, "s1"), "");
    assert!(write_in(&project, "s1").contains("Search first"));
}

#[test]
fn sessions_told_at_once_are_all_told() {
    let project = catalogue();
    let ids: Vec<String> = fs::read_dir(project.path("behaviors"))
        .unwrap()
        .map(|it| it.unwrap())
        .filter(|it| it.path().is_dir())
        .map(|it| it.file_name().into_string().unwrap())
        .collect();
    let started: Vec<_> = ids
        .iter()
        .map(|id| {
            let mut forge = Command::new(env!("CARGO_BIN_EXE_forge"));
            forge.args(["behavior", "off", id, "--session", "s1"]).current_dir(project.path(""));
            forge.stdout(Stdio::null()).spawn().unwrap()
        })
        .collect();
    for mut child in started {
        assert!(child.wait().unwrap().success());
    }
    let state: Value = serde_json::from_str(&read(&project, ".forge/runtime/state.json")).unwrap();
    assert_eq!(state["sessions"]["s1"]["behavior_overrides"].as_object().unwrap().len(), ids.len());
}

#[test]
fn a_state_of_others_is_kept_when_a_session_is_told() {
    let project = catalogue();
    let state = r#"{"schema_version":"1","theirs":[1,{"a":2}],"sessions":{"old":{"mine":1,"last_accessed_at":"2999-01-01T00:00:00Z","behavior_overrides":{"search-first":{"why":"x"}}}}}"#;
    project.write(".forge/runtime/state.json", state);
    ok(&forge(&project, &["behavior", "off", "search-first", "--session", "old"]));
    let after: Value = serde_json::from_str(&read(&project, ".forge/runtime/state.json")).unwrap();
    assert_eq!(after["theirs"], serde_json::json!([1, {"a": 2}]));
    assert_eq!(after["sessions"]["old"]["mine"], 1);
    let choice = serde_json::json!({"why": "x", "enabled": false});
    assert_eq!(after["sessions"]["old"]["behavior_overrides"]["search-first"], choice);
}

#[test]
fn an_agent_is_added_to_and_taken_from_applies_to() {
    let project = catalogue();
    let file = "behaviors/search-first/behavior.yaml";
    let before = read(&project, file);
    let run = |words: &[&str]| forge(&project, &[&["behavior"], words].concat());
    assert_eq!(ok(&run(&["on", "search-first", "--agent", "main"])), "search-first: for every agent already\n");
    let refused = run(&["off", "search-first", "--agent", "main"]);
    assert_eq!((refused.code, read(&project, file) == before), (1, true), "{}", refused.stderr);
    ok(&run(&["on", "search-first", "--agent", "main", "--only"]));
    ok(&run(&["on", "search-first", "--agent", "Explore"]));
    let after = read(&project, file);
    assert!(after.contains("\napplies_to:\n  agents: [main, Explore]\n"), "{after}");
    assert_eq!(after.replace("\napplies_to:\n  agents: [main, Explore]", ""), before);
    ok(&run(&["off", "search-first", "--agent", "main"]));
    assert!(read(&project, file).contains("\n  agents: [Explore]\n"));
    assert_eq!(run(&["off", "search-first", "--agent", "Explore"]).code, 1);
    ok(&forge(&project, &["compile", "--no-settings"]));
}

#[test]
fn a_mistyped_name_gets_the_nearest() {
    let project = catalogue();
    for command in ["on", "off", "strict", "relaxed", "describe"] {
        let ran = forge(&project, &["behavior", command, "serch-first"]);
        assert_eq!(ran.code, 2);
        let said = "forge: there is no behavior `serch-first`; did you mean `search-first`?\n";
        assert_eq!(ran.stderr, said);
    }
}

#[test]
fn a_layout_that_cannot_be_kept_is_refused_and_left_alone() {
    let project = catalogue();
    let index = "schema_version: \"1\"\nbehaviors:\n  - id: search-first\n    enabled: |-\n      true\n";
    project.write("behaviors/index.yaml", index);
    let ran = forge(&project, &["behavior", "off", "search-first"]);
    assert_eq!(ran.code, 1);
    let said = "forge: nothing was changed: behaviors/index.yaml:5:7: this layout cannot be changed";
    assert!(ran.stderr.starts_with(said), "{}", ran.stderr);
    assert_eq!(read(&project, "behaviors/index.yaml"), index);
    project.write("behaviors/search-first/behavior.yaml", "id: search-first\n");
    let ran = forge(&project, &["behavior", "strict", "search-first"]);
    assert_eq!(ran.code, 1);
    assert!(ran.stdout.contains("behaviors/search-first/behavior.yaml:1:1"), "{}", ran.stdout);
    assert!(ran.stdout.ends_with("nothing was changed: `behaviors/search-first/behavior.yaml` has errors\n"));
}

#[test]
fn list_and_describe_say_what_the_files_say() {
    let project = catalogue();
    let ran = forge(&project, &["behavior", "list"]);
    let line = ok(&ran).lines().find(|line| line.contains("search-first")).unwrap();
    let words: Vec<&str> = line.split_whitespace().collect();
    assert_eq!(
        words.join(" "),
        "search-first on core silent, 1 nudge, 3 warning, 5 soft_block PreToolUse".replace("silent, ", "")
    );
    let listed: Value = serde_json::from_str(ok(&forge(&project, &["behavior", "list", "--json"]))).unwrap();
    let index: serde_yaml::Value = serde_yaml::from_str(&read(&project, "behaviors/index.yaml")).unwrap();
    let ids = |list: &[String]| list.join(" ");
    let wanted: Vec<String> =
        index["behaviors"].as_sequence().unwrap().iter().map(|it| it["id"].as_str().unwrap().into()).collect();
    let got: Vec<String> =
        listed["behaviors"].as_array().unwrap().iter().map(|it| it["id"].as_str().unwrap().into()).collect();
    assert_eq!(ids(&got), ids(&wanted), "in the order of the index");
    let ran = forge(&project, &["behavior", "describe", "search-first"]);
    assert!(ok(&ran).contains("looks for the flag `search_context_ready`; there: consume, not there: violate"));
}

#[test]
fn a_new_behavior_compiles_clean_and_its_scenarios_pass() {
    let project = Project::new();
    fs::create_dir(project.path("behaviors")).unwrap();
    // Names that mean something else to YAML are ids like any other.
    for id in ["no-npm-publish", "null", "true", "x1"] {
        let ran = forge(&project, &["new", id]);
        assert!(
            ok(&ran).ends_with(&format!(
                "next: edit behaviors/{id}/behavior.yaml, then `forge test` and `forge compile`\n"
            ))
        );
        let compiled = forge(&project, &["compile", "--no-settings", "--json"]);
        let report: Value = serde_json::from_str(ok(&compiled)).unwrap();
        assert_eq!((&report["outcome"], &report["diagnostics"]), (&"written".into(), &serde_json::json!([])), "{id}");
    }
    let index = read(&project, "behaviors/index.yaml");
    assert!(
        index.starts_with("schema_version: \"1\"\nbehaviors:\n  - id: no-npm-publish\n    enabled: true\n  - id: "),
        "{index}"
    );
    let ran = forge(&project, &["test"]);
    assert_eq!(ran.code, 0, "{}{}", ran.stdout, ran.stderr);
    let ran = forge(&project, &["test", "--mutate"]);
    let mutants = ran.stdout.lines().find_map(|line| line.strip_prefix("mutants: ")).unwrap();
    let (noticed, all) = mutants.trim_end_matches(" noticed").split_once(" of ").unwrap();
    assert!(noticed == all && all != "0", "{}", ran.stdout);
    assert!(read(&project, "behaviors/no-npm-publish/behavior.yaml").contains("\nname: \"No npm publish\"\n"));
}

#[test]
fn a_new_behavior_takes_nobody_s_place() {
    let project = catalogue();
    let index = read(&project, "behaviors/index.yaml");
    for (id, said) in
        [("search-first", "is there already"), ("Search", "cannot be a behavior's id"), ("x", "cannot be")]
    {
        let ran = forge(&project, &["new", id]);
        assert!(ran.code == 2 && ran.stderr.contains(said), "{}", ran.stderr);
    }
    project.write("behaviors/index.yaml", "behaviors: 3\n");
    let ran = forge(&project, &["new", "fresh"]);
    assert!(ran.code == 1 && ran.stderr.contains("nothing was written: line 1"), "{}", ran.stderr);
    assert!(!project.path("behaviors/fresh").exists());
    project.write("behaviors/index.yaml", &index);
    ok(&forge(&project, &["new", "fresh"]));
    assert_eq!(
        read(&project, "behaviors/index.yaml"),
        format!("{}\n  - id: fresh\n    enabled: true\n", index.trim_end())
    );
}
