//! The user's own rules act in every project, before the project's; nothing a project says loosens them.

use crate::cli::{Project, forge};
use crate::process::{Answer, behavior, compile, hook_with, project};
use serde_json::json;

/// A user's folder with one rule, at a level, and more of its config.
fn user(level: &str, config: &str) -> Project {
    let home = Project::new();
    home.write("forge/behaviors/index.yaml", "schema_version: \"1\"\nbehaviors: [{id: mine}]\n");
    home.write("forge/behaviors/mine/behavior.yaml", behavior("mine", level));
    home.write("forge/.forge/config.yaml", format!("schema_version: \"1\"\n{config}\n"));
    let ran = forge(&home, &["compile", "--no-settings", "--root", home.path("forge").to_str().unwrap()]);
    assert_eq!(ran.code, 0, "{}{}", ran.stdout, ran.stderr);
    home
}

fn call(home: &Project, project: &Project, command: &str) -> Answer {
    let payload = json!({"session_id": "s1", "hook_event_name": "PreToolUse", "tool_name": "Bash", "cwd": project.path(""),
        "tool_input": {"command": command}, "tool_use_id": "toolu_01"});
    let config = home.path("").to_string_lossy().into_owned();
    let variables = [("XDG_CONFIG_HOME", config.as_str())];
    hook_with(&project.path(""), &["--harness", "claude-code"], payload.to_string().as_bytes(), &variables)
}

#[test]
fn it_guards_projects_that_have_no_rules() {
    let (home, bare) = (user("hard_block", ""), Project::new());
    assert_eq!(call(&home, &bare, "forbidden").decision(), "deny");
    assert_eq!(call(&home, &bare, "fine").stdout, "");
    assert!(!bare.path(".forge").exists(), "nothing is left in a project that is none");
    assert!(home.path("forge/.forge/runtime/state.json").exists());
}

#[test]
fn the_users_block_comes_first_and_a_project_cannot_loosen_it() {
    let home = user("soft_block", "override: deny");
    let lax = project("nudge", "override: retry\non_error: allow");
    for _ in 0..2 {
        let answer = call(&home, &lax, "forbidden");
        assert_eq!(answer.decision(), "deny", "a retry is no override where the user says so");
        assert!(answer.agent().contains("[mine]") && !answer.agent().contains("[guard]"), "{}", answer.agent());
    }
    let strict = project("hard_block", "");
    let answer = call(&user("nudge", ""), &strict, "forbidden");
    assert_eq!(answer.decision(), "deny", "a project can tighten");
    assert!(answer.agent().contains("[guard]"));
}

#[test]
fn what_both_have_to_say_is_said_in_order() {
    let (home, project) = (user("nudge", ""), project("nudge", ""));
    let said = call(&home, &project, "forbidden");
    assert_eq!(said.user().matches("Guard").count(), 2, "{}", said.user());
    assert_eq!(said.decision(), "");
    let json = said.json();
    assert_eq!(json["systemMessage"], json["hookSpecificOutput"]["additionalContext"]);
}

#[test]
fn what_cannot_be_judged_is_decided_by_the_stricter_of_both() {
    for (mine, theirs, decision) in
        [("allow", "allow", ""), ("deny", "allow", "deny"), ("allow", "deny", "deny"), ("deny", "deny", "deny")]
    {
        let home = user("nudge", &format!("on_error: {mine}"));
        let project = project("nudge", &format!("on_error: {theirs}"));
        let config = home.path("").to_string_lossy().into_owned();
        let variables = [("XDG_CONFIG_HOME", config.as_str())];
        let arguments = ["--harness", "claude-code", "--event", "PreToolUse"];
        let answer = hook_with(&project.path(""), &arguments, b"not json", &variables);
        assert_eq!(answer.decision(), decision, "{mine} {theirs}");
    }
    let home = user("hard_block", "");
    let broken = project("nudge", "");
    std::fs::write(broken.path(".forge/compiled/program.fbc"), "x").unwrap();
    let answer = call(&home, &broken, "fine");
    assert!(answer.user().contains("not guarding this project"), "{}", answer.user());
    assert_eq!(call(&home, &broken, "forbidden").decision(), "deny", "the user's rules do not need the project's");
    std::fs::write(home.path("forge/.forge/compiled/program.fbc"), "x").unwrap();
    compile(&broken);
    let answer = call(&home, &broken, "forbidden");
    assert!(
        answer.user().contains("not guarding your sessions") && answer.user().contains("Guard"),
        "{}",
        answer.user()
    );
}

#[test]
fn in_its_own_folder_it_acts_once() {
    let home = user("nudge", "");
    let payload = json!({"session_id": "s1", "hook_event_name": "PreToolUse", "tool_name": "Bash",
        "cwd": home.path("forge"), "tool_input": {"command": "forbidden"}});
    let config = home.path("").to_string_lossy().into_owned();
    let variables = [("XDG_CONFIG_HOME", config.as_str())];
    let answer =
        hook_with(&home.path("forge"), &["--harness", "claude-code"], payload.to_string().as_bytes(), &variables);
    assert_eq!(answer.user().matches("Guard").count(), 1, "{}", answer.user());
}
