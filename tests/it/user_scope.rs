//! The user's own rules act in every project, before the project's; nothing a project says loosens them.

use crate::cli::{Project, forge};
use crate::install::{Machine, text};
use crate::process::{Answer, behavior, compile, hook_with, project};
use serde_json::{Value, json};

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
    let alone = call(&Project::new(), &project("hard_block", ""), "forbidden");
    assert_eq!((answer.user(), answer.agent()), (alone.user(), alone.agent()), "a block stands alone");
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

/// Everything a person does to guard every project, in both harnesses whose transcripts are read.
#[test]
fn one_command_guards_every_project_and_doctor_sees_a_loop_stopped() {
    let machine = Machine::new();
    let done = |arguments: &[&str]| {
        let out = machine.forge(arguments);
        (out.status.code().unwrap(), text(&out.stdout) + &text(&out.stderr))
    };
    let folder = machine.home().join(".config/forge");
    let (code, told) = done(&["init", "--scope", "user", "--yes"]);
    assert_eq!(code, 0, "{told}");
    assert_eq!(done(&["install", "--scope", "user", "--harness", "codex", "--write"]).0, 0);
    for settings in [".claude/settings.json", ".codex/hooks.json"] {
        let written: Value =
            serde_json::from_str(&std::fs::read_to_string(machine.home().join(settings)).unwrap()).unwrap();
        let events = &written["hooks"];
        assert_eq!(events["PreToolUse"][0]["matcher"], "*", "{settings}: what watches sees every call");
        assert!(events["Stop"].is_null() && events["UserPromptSubmit"].is_null(), "{settings}: nobody asks for these");
    }
    let (code, told) = done(&["doctor"]);
    assert_eq!(
        (code, told.matches("1 of 1 rules with a test of a block were tried and block").count()),
        (0, 2),
        "{told}"
    );
    assert!(!folder.join(".forge/runtime/signals").exists(), "no count of the real ones moved");

    let call = |id: &str| {
        let payload = json!({"session_id": "s9", "hook_event_name": "PreToolUse", "tool_name": "Bash",
            "cwd": machine.root(), "tool_input": {"command": "make"}, "tool_use_id": id});
        let hook = [env!("CARGO_BIN_EXE_forge-hook"), "--harness", "claude-code"].map(str::to_owned);
        text(&machine.ask(&hook, &payload).stdout)
    };
    let answers = ["a", "b", "b", "c"].map(call);
    assert_eq!(answers.map(|answer| answer.contains("deny")), [false, false, false, true], "told twice, counted once");
    let (code, told) = done(&["status", "--session"]);
    assert_eq!(code, 0, "{told}");
    for part in ["Session s9", "count of your own rules", "repeats >= 3", "spend_share >= 0.8", "runaway-loop, Bash"] {
        assert!(told.contains(part), "{part}: {told}");
    }
    let json: Value = serde_json::from_str(&done(&["status", "--session", "s9", "--json"]).1).unwrap();
    let wires = json["wires"].as_array().unwrap();
    let wire = wires.iter().find(|wire| wire["signal"] == "repeats").unwrap();
    assert_eq!((&wire["limit"], &wire["now"], &wire["reached"]), (&json!(3), &json!(3), &json!(true)));
    assert_eq!((&json["scope"], &json["elsewhere"]), (&json!("user"), &json!([])));
    assert_eq!(done(&["status", "--session", "s9", "--reset"]).0, 2, "only for a person at a terminal");
    assert!(!machine.path(".forge").exists());

    // A changed rule is compiled before its events are registered, and compiling registers again.
    let rule = behavior("late", "nudge").replace("event: PreToolUse", "event: PostToolUse");
    let rule = rule.replace("scope: session", "scope: project");
    std::fs::create_dir_all(folder.join("behaviors/late")).unwrap();
    std::fs::write(folder.join("behaviors/late/behavior.yaml"), rule).unwrap();
    let index = folder.join("behaviors/index.yaml");
    let listed = std::fs::read_to_string(&index).unwrap() + "  - id: late\n";
    std::fs::write(&index, listed).unwrap();
    assert_ne!(done(&["doctor"]).0, 0, "the program is stale");
    assert_eq!(done(&["install", "--scope", "user", "--harness", "codex", "--write"]).0, 0);
    let (code, told) = done(&["compile", "--root", folder.to_str().unwrap()]);
    assert!(code == 0 && told.contains("warning[F047]"), "nothing was told the first time, so it is told now: {told}");
    assert!(!folder.join(".claude").exists(), "the user's folder has no settings of its own");
    assert_eq!(done(&["doctor"]).0, 0, "both files are what the program needs");
}

#[test]
fn the_environment_wins_over_the_users_own_cap() {
    let home = user("nudge", "limits: {spend_cap_usd: 10}");
    let rule = behavior("mine", "nudge").replace("schema_version: \"1\"", "schema_version: \"2\"");
    let asked = "conditions: [{field: command, operator: contains, value: forbidden}]";
    let rule = rule.replace(asked, "when: repeats >= 1");
    home.write("forge/behaviors/mine/behavior.yaml", rule);
    let folder = home.path("forge");
    let ran = forge(&home, &["compile", "--no-settings", "--root", folder.to_str().unwrap()]);
    let bare = Project::new();
    let payload = json!({"session_id": "s1", "hook_event_name": "PreToolUse", "tool_name": "Bash", "cwd": bare.path(""),
        "tool_input": {"command": "x"}, "tool_use_id": "t"});
    let config = home.path("").to_string_lossy().into_owned();
    let variables = [("XDG_CONFIG_HOME", config.as_str()), ("FORGE_SPEND_CAP_USD", "20")];
    hook_with(&bare.path(""), &["--harness", "claude-code"], payload.to_string().as_bytes(), &variables);
    let told = forge(&home, &["status", "--session", "--json", "--root", folder.to_str().unwrap()]);
    let json: Value = serde_json::from_str(&told.stdout).unwrap_or_else(|_| panic!("{}{}", ran.stdout, told.stderr));
    assert_eq!(json["cap_usd"].as_f64(), Some(20.0));
}
