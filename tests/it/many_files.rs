//! Calls that touch several files at once: judged as a whole and file by file, and still one call.

use crate::process::{self, Answer, compile, hook_in};
use serde_json::json;
use std::fs;

/// Refuses edits of what ends with `secret.rs`, softly.
const GUARD: &str = "schema_version: \"1\"
id: guard
name: Guard
description: A test.
category: core
scope: session
policy:
  triggers:
    - event: PreToolUse
      matcher: Edit
      conditions: [{field: file_path, operator: ends_with, value: secret.rs}]
  enforcement: {default_level: soft_block}
  recovery: {hint: Leave it.}
";

#[test]
fn an_override_shown_by_one_file_of_many_is_recorded_and_used_up() {
    is_recorded_once("*** Update File: open.rs\n+a\n*** Update File: secret.rs\n+b\n");
}

#[test]
fn an_override_shown_by_several_files_is_one_override() {
    is_recorded_once("*** Update File: secret.rs\n+a\n*** Update File: a-secret.rs\n+b\n");
}

fn is_recorded_once(files: &str) {
    let project = process::project("nudge", "override: retry");
    project.write("behaviors/guard/behavior.yaml", GUARD);
    compile(&project);
    let patch = format!("*** Begin Patch\n{files}*** End Patch\n");
    let payload = json!({
        "session_id": "s", "turn_id": "t", "cwd": "/nowhere", "hook_event_name": "PreToolUse",
        "tool_name": "apply_patch", "tool_input": {"command": patch}, "tool_use_id": "call_1"
    });
    let edit = || -> Answer { hook_in(&project.path(""), &["--harness", "codex"], payload.to_string().as_bytes()) };
    assert_eq!(edit().decision(), "deny");
    assert_eq!(edit().decision(), "", "a retry is an override");
    let log = fs::read_to_string(project.path(".forge/audit/overrides.log")).unwrap_or_default();
    assert_eq!(log.lines().count(), 1, "it is recorded: {log}");
    assert_eq!(edit().decision(), "deny", "it is used up");
}
