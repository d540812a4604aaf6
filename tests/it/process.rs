//! The real `forge-hook`, one process per event, on a compiled project; and what a whole event does, end to end.

use crate::cli::{Project, forge};
use crate::golden;
use serde_json::{Value, json};
use std::io::Write;
use std::path::Path;
use std::process::{Command, Stdio};

/// What a run of the hook came to.
#[derive(Debug)]
pub(crate) struct Answer {
    pub(crate) stdout: String,
    pub(crate) stderr: String,
    pub(crate) exit: Option<i32>,
}

impl Answer {
    /// Standard output as JSON; null when empty.
    pub(crate) fn json(&self) -> Value {
        if self.stdout.is_empty() { Value::Null } else { serde_json::from_str(&self.stdout).unwrap() }
    }

    fn text(&self, pointer: &str) -> String {
        self.json().pointer(pointer).and_then(Value::as_str).unwrap_or_default().to_owned()
    }

    pub(crate) fn decision(&self) -> String {
        self.text("/hookSpecificOutput/permissionDecision")
    }

    /// What the user is told.
    pub(crate) fn user(&self) -> String {
        self.text("/systemMessage")
    }

    /// What the agent is told.
    pub(crate) fn agent(&self) -> String {
        self.text("/hookSpecificOutput/permissionDecisionReason") + &self.text("/hookSpecificOutput/additionalContext")
    }
}

/// A project whose one behavior blocks the word `forbidden` in a command, at a level, in an override mode.
pub(crate) fn project(level: &str, config: &str) -> Project {
    let project = Project::new();
    project.write("behaviors/index.yaml", "schema_version: \"1\"\nbehaviors: [{id: guard}]\n");
    project.write("behaviors/guard/behavior.yaml", behavior("guard", level));
    if !config.is_empty() {
        project.write(".forge/config.yaml", format!("schema_version: \"1\"\n{config}\n"));
    }
    compile(&project);
    project
}

pub(crate) fn behavior(id: &str, level: &str) -> String {
    format!(
        "schema_version: \"1\"\nid: {id}\nname: Guard\ndescription: A test.\ncategory: core\nscope: session\npolicy:\n  \
         triggers:\n    - event: PreToolUse\n      matcher: Bash\n      conditions: [{{field: command, operator: contains, \
         value: forbidden}}]\n  enforcement: {{default_level: {level}}}\n  recovery: {{hint: Use what is allowed.}}\n"
    )
}

pub(crate) fn compile(project: &Project) {
    let ran = forge(project, &["compile", "--no-settings"]);
    assert_eq!(ran.code, 0, "{}{}", ran.stdout, ran.stderr);
}

/// Runs the hook in the project's folder.
pub(crate) fn hook(project: &Project, stdin: &[u8]) -> Answer {
    hook_in(&project.path(""), &["--harness", "claude-code"], stdin)
}

pub(crate) fn hook_in(folder: &Path, arguments: &[&str], stdin: &[u8]) -> Answer {
    hook_with(folder, arguments, stdin, &[])
}

pub(crate) fn hook_with(folder: &Path, arguments: &[&str], stdin: &[u8], variables: &[(&str, &str)]) -> Answer {
    let mut command = Command::new(env!("CARGO_BIN_EXE_forge-hook"));
    command.args(arguments).current_dir(folder);
    for name in
        ["CLAUDE_PROJECT_DIR", "FORGE_HOOK_PROFILE", "FORGE_OVERRIDE_WINDOW_SECONDS", "FORGE_SESSION_TTL_SECONDS"]
    {
        command.env_remove(name);
    }
    // The person who runs the tests may have rules of their own.
    command.env_remove("FORGE_SPEND_CAP_USD").env("XDG_CONFIG_HOME", "/nowhere").envs(variables.iter().copied());
    let mut child =
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("the hook starts");
    let mut pipe = child.stdin.take().unwrap();
    let stdin = stdin.to_vec();
    // A hook that answers without reading everything closes the pipe; that is its right.
    let writer = std::thread::spawn(move || drop(pipe.write_all(&stdin)));
    let output = child.wait_with_output().unwrap();
    writer.join().unwrap();
    Answer {
        stdout: String::from_utf8(output.stdout).unwrap(),
        stderr: String::from_utf8(output.stderr).unwrap(),
        exit: output.status.code(),
    }
}

/// A payload as Claude Code sends it.
pub(crate) fn bash(command: &str) -> Value {
    json!({
        "session_id": "5e551011-0000-4000-8000-000000000001", "transcript_path": "/t.jsonl", "cwd": "/nowhere",
        "permission_mode": "default", "hook_event_name": "PreToolUse", "tool_name": "Bash",
        "tool_input": {"command": command, "description": "A test"}, "tool_use_id": "toolu_01"
    })
}

pub(crate) fn run(project: &Project, payload: &Value) -> Answer {
    hook(project, payload.to_string().as_bytes())
}

fn state(project: &Project) -> Value {
    let text = std::fs::read_to_string(project.path(".forge/runtime/state.json")).unwrap_or_default();
    serde_json::from_str(&text).unwrap_or_default()
}

fn log_lines(project: &Project) -> usize {
    std::fs::read_to_string(project.path(".forge/audit/overrides.log")).unwrap_or_default().lines().count()
}

#[test]
fn a_hard_block_reaches_agent_and_user_and_counts() {
    let project = project("hard_block", "");
    let answer = run(&project, &bash("do forbidden things"));
    assert_eq!((answer.decision().as_str(), answer.exit, answer.stderr.as_str()), ("deny", Some(0), ""));
    assert!(answer.agent().starts_with("**[guard] BLOCKED:** Guard (violation 1)."), "{}", answer.agent());
    assert!(answer.agent().ends_with("Use what is allowed.\nThis restriction cannot be overridden."));
    assert_eq!(answer.user(), answer.agent());
    assert_eq!(answer.json()["hookSpecificOutput"]["override_allowed"], false);
    assert_eq!(state(&project)["sessions"]["5e551011-0000-4000-8000-000000000001"]["behaviors"]["guard"]["counter"], 1);
}

#[test]
fn what_no_rule_is_about_touches_no_state() {
    let project = project("hard_block", "");
    let mut payload = bash("do forbidden things");
    payload["tool_name"] = "Write".into();
    let answer = run(&project, &payload);
    assert_eq!((answer.stdout.as_str(), answer.stderr.as_str(), answer.exit), ("", "", Some(0)));
    assert!(!project.path(".forge/runtime").exists());
}

#[test]
fn the_project_is_found_from_any_folder() {
    let project = project("hard_block", "");
    let elsewhere = tempfile::tempdir().unwrap();
    let deep = project.path("src/deep");
    std::fs::create_dir_all(&deep).unwrap();
    let mut payload = bash("forbidden");
    payload["cwd"] = deep.to_str().unwrap().into();
    let arguments = ["--harness", "claude-code"];
    let from_cwd = hook_in(elsewhere.path(), &arguments, payload.to_string().as_bytes());
    assert_eq!(from_cwd.decision(), "deny");
    let from_process = hook_in(&deep, &arguments, bash("forbidden").to_string().as_bytes());
    assert_eq!(from_process.decision(), "deny");
    let root = project.path("");
    let named = ["--root", root.to_str().unwrap()];
    assert_eq!(hook_in(elsewhere.path(), &named, bash("forbidden").to_string().as_bytes()).decision(), "deny");
}

#[test]
fn in_ask_mode_the_call_s_own_result_proves_the_override_once() {
    for event in ["PostToolUse", "PostToolUseFailure"] {
        let project = project("soft_block", "override: ask");
        let blocked = run(&project, &bash("forbidden"));
        assert_eq!(blocked.decision(), "ask", "{blocked:?}");
        let mut after = bash("forbidden");
        after["hook_event_name"] = event.into();
        after["tool_use_id"] = "toolu_other".into();
        run(&project, &after);
        assert_eq!(log_lines(&project), 0, "another call's result proves nothing");
        after["tool_use_id"] = "toolu_01".into();
        run(&project, &after);
        run(&project, &after);
        assert_eq!(log_lines(&project), 1, "{event}");
        let log = std::fs::read_to_string(project.path(".forge/audit/overrides.log")).unwrap();
        assert!(log.contains("|5e551011|guard|Bash|"), "{log}");
        let session = &state(&project)["sessions"]["5e551011-0000-4000-8000-000000000001"]["behaviors"]["guard"];
        assert_eq!((&session["counter"], &session["pending_block"]), (&json!(1), &Value::Null));
        assert_eq!(session["overrides"].as_array().unwrap().len(), 1);
    }
}

#[test]
fn in_ask_mode_a_retry_is_a_new_violation_and_nobody_to_ask_means_no() {
    let project = project("soft_block", "override: ask");
    assert_eq!(run(&project, &bash("forbidden")).decision(), "ask");
    assert_eq!(run(&project, &bash("forbidden")).decision(), "ask");
    let mut alone = bash("forbidden");
    alone["permission_mode"] = "bypassPermissions".into();
    let answer = run(&project, &alone);
    assert_eq!(answer.decision(), "deny");
    assert!(answer.agent().contains("forge allow "), "{}", answer.agent());
    assert_eq!(log_lines(&project), 0);
}

#[test]
fn in_retry_mode_parallel_retries_record_exactly_one_override() {
    let project = project("soft_block", "");
    assert_eq!(run(&project, &bash("forbidden")).decision(), "deny");
    let decisions: Vec<_> = std::thread::scope(|scope| {
        let runs: Vec<_> = (0..8).map(|_| scope.spawn(|| run(&project, &bash("forbidden")).decision())).collect();
        runs.into_iter().map(|run| run.join().unwrap()).collect()
    });
    // Each override clears the block, and the next call is a violation with a block of its own.
    let passed = decisions.iter().filter(|decision| decision.is_empty()).count();
    let overridden =
        state(&project)["sessions"]["5e551011-0000-4000-8000-000000000001"]["behaviors"]["guard"]["overrides"]
            .as_array()
            .unwrap()
            .len();
    assert_eq!((passed, log_lines(&project)), (overridden, overridden), "{decisions:?}");
    assert_eq!(passed, 4, "blocked, overridden, blocked, …: {decisions:?}");
}

#[test]
fn an_agent_that_ends_its_turn_again_overrides_nothing() {
    for mode in ["", "override: deny"] {
        let project = Project::new();
        project.write("behaviors/index.yaml", "schema_version: \"1\"\nbehaviors: [{id: guard}]\n");
        let text = behavior("guard", "soft_block").replace("event: PreToolUse\n      matcher: Bash\n", "event: Stop\n");
        let conditions = text.find("      conditions").unwrap();
        let end = text[conditions..].find('\n').unwrap() + conditions + 1;
        project.write("behaviors/guard/behavior.yaml", format!("{}{}", &text[..conditions], &text[end..]));
        if !mode.is_empty() {
            project.write(".forge/config.yaml", format!("schema_version: \"1\"\n{mode}\n"));
        }
        compile(&project);
        let mut stop =
            json!({"session_id": "s", "hook_event_name": "Stop", "stop_hook_active": false, "cwd": "/nowhere"});
        let refused = run(&project, &stop);
        assert_eq!(refused.json()["decision"], "block", "{refused:?}");
        let reason = refused.json()["reason"].as_str().unwrap().to_owned();
        assert!(reason.ends_with("refuses the end of a turn once; the next attempt goes through."), "{reason}");
        stop["stop_hook_active"] = true.into();
        assert_eq!(run(&project, &stop).json()["decision"], Value::Null);
        assert_eq!(log_lines(&project), 0, "nobody overrode anything");
    }
}

#[test]
fn silence_is_spelled_out_to_whom_takes_none_for_a_broken_hook() {
    let payload = std::fs::read(golden::path("tests/data/harness/payloads/antigravity-pretooluse.json")).unwrap();
    let (bare, guarded) = (tempfile::tempdir().unwrap(), project("nudge", ""));
    for folder in [bare.path(), &guarded.path("")] {
        let arguments = ["--harness", "antigravity", "--event", "PreToolUse"];
        let answer = hook_in(folder, &arguments, &payload);
        assert_eq!(answer.json()["decision"], "allow", "{answer:?}");
    }
}
