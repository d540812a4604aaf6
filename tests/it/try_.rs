//! `forge try` and `forge explain` as they are typed: events in a few words, payloads, the session as it is, wrong usage.

use crate::cli::{Project, forge};
use crate::explain::{fed, own_project};

/// What `forge try --json` says of these arguments: decision and answer.
fn tried(project: &Project, arguments: &[&str]) -> (String, String) {
    let ran = forge(project, &[&["try", "--json"], arguments].concat());
    assert_eq!(ran.code, 0, "{arguments:?}: {}", ran.stderr);
    let told: serde_json::Value = serde_json::from_str(&ran.stdout).unwrap();
    (told["decision"].as_str().unwrap().to_owned(), told["answer"]["stdout"].as_str().unwrap().to_owned())
}

#[test]
fn an_event_in_a_few_words_is_judged_like_its_payload() {
    let project = own_project("retry");
    for (arguments, decision) in [
        (&["--command", "git push --force"][..], "hard_block"),
        (&["--command", "-x"], "pass"),
        (&["--command", "git commit -m x"], "nudge"),
        (&["--tool", "Write", "--file-path", "a.rs", "--content", "x"], "nudge"),
        (&["--tool", "Write", "--file-path", ".forge/config.yaml"], "hard_block"),
        (&["--tool", "Write", "--input", r#"{"file_path": ".forge/config.yaml"}"#], "hard_block"),
        (&["--tool", "Bash", "--event", "PostToolUse", "--command", "git push --force"], "pass"),
        (&["--prompt", "No, wrong file"], "nudge"),
        (&["--prompt", "Thanks"], "pass"),
        (&["--event", "Stop"], "pass"),
        (&["--tool", "Task", "--prompt", "No, wrong", "--agent", "explorer"], "pass"),
    ] {
        let (got, stdout) = tried(&project, arguments);
        assert_eq!(got, decision, "{arguments:?}");
        assert_eq!(stdout.is_empty(), decision == "pass", "{arguments:?}: {stdout}");
    }
    let (_, codex) = tried(&project, &["--command", "git push --force", "--harness", "codex"]);
    assert!(codex.contains("permissionDecision") && !codex.contains("override_allowed"), "{codex}");
    assert!(!project.path(".forge/runtime").exists(), "trying left something behind");
}

#[test]
fn a_session_is_judged_as_it_is_now() {
    let project = own_project("retry");
    let payload =
        r#"{"hook_event_name":"PreToolUse","session_id":"live","tool_name":"Write","tool_input":{"file_path":"a.md"}}"#;
    for _ in 0..4 {
        fed(env!("CARGO_BIN_EXE_forge-hook"), &project, &[], payload);
    }
    assert_eq!(tried(&project, &["--tool", "Write", "--file-path", "a.md"]).0, "nudge");
    assert_eq!(tried(&project, &["--tool", "Write", "--file-path", "a.md", "--session", "live"]).0, "soft_block");
    let ran = forge(&project, &["try", "--tool", "Write", "--file-path", "a.md", "--session", "other"]);
    assert!(ran.stdout.starts_with("note: nothing is remembered of the session `other`"), "{}", ran.stdout);
    let ran = forge(&project, &["explain", "--tool", "Write", "--file-path", "a.md", "--session", "live"]);
    assert!(ran.stdout.contains("counter 4 -> 5, soft_block from 5 on"), "{}", ran.stdout);
}

#[test]
fn rules_that_are_not_compiled_are_told() {
    let project = own_project("retry");
    let index = std::fs::read_to_string(project.path("behaviors/index.yaml")).unwrap();
    project.write(
        "behaviors/index.yaml",
        index.replacen(
            "- id: no-destructive-git\n    enabled: true",
            "- id: no-destructive-git\n    enabled: false",
            1,
        ),
    );
    let arguments = ["try", "--command", "git push --force"];
    let ran = forge(&project, &arguments);
    assert!(ran.stdout.contains("note: the sources have changed") && ran.stdout.contains("\nnudge"), "{}", ran.stdout);
    let ran = forge(&project, &[&arguments[..], &["--compiled"]].concat());
    assert!(ran.stdout.contains("this is the compiled program\nhard_block"), "{}", ran.stdout);
    std::fs::remove_file(project.path(".forge/compiled/program.fbc")).unwrap();
    let ran = forge(&project, &arguments);
    assert!(ran.stdout.starts_with("note: there is no compiled program"), "{}", ran.stdout);
    let ran = forge(&project, &[&arguments[..], &["--compiled"]].concat());
    assert_eq!((ran.code, ran.stderr.contains("run `forge compile`")), (2, true), "{}", ran.stderr);
}

#[test]
fn wrong_usage_says_what_to_write() {
    let project = own_project("retry");
    for (arguments, help) in [
        (&["try"][..], "describe one with `--tool`"),
        (&["try", "--event", "PreToolUse"], "name it with `--tool`"),
        (&["try", "--event", "PreTolUse", "--tool", "Bash"], "did you mean `PreToolUse`?"),
        (&["try", "--command", "ls", "--profile", "strickt"], "did you mean `strict`?"),
        (&["try", "--command", "ls", "--harness", "codx"], "did you mean `codex`?"),
        (&["try", "--tool", "Bash", "--input", "[]"], "not a JSON object"),
        (&["explain", "no-such-file.json"], "no-such-file.json"),
        (&["explain", "x.json", "--command", "ls"], "cannot be used with"),
    ] {
        let ran = forge(&project, arguments);
        assert_eq!(ran.code, 2, "{arguments:?}");
        assert!(ran.stderr.contains(help), "{arguments:?}: {}", ran.stderr);
    }
    let ran = fed(env!("CARGO_BIN_EXE_forge"), &project, &["try", "-"], "no JSON");
    assert_eq!(ran.code, 2);
}
