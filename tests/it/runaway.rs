//! A loop, a row of failures and an overspend, played through the real hook on the catalogue's own behaviors: stopped at
//! the documented call, and nothing of it on ordinary work.

use crate::cli::{Project, forge};
use crate::process::{Answer, hook_with};
use crate::signals::{failure, response, result, said};
use crate::transcripts::{self, Dice};
use serde_json::{Value, json};
use std::io::Write as _;

const WIRES: &[&str] = &["runaway-spend", "runaway-spend-warning", "runaway-loop", "runaway-failures"];

/// A project with these wires alone, and a session in it.
struct Session {
    project: Project,
    harness: &'static str,
    calls: u32,
    prompt: u32,
    /// What the environment says of the cap.
    cap: Option<&'static str>,
}

impl Session {
    fn new(config: &str) -> Self {
        Self::of(Project::new(), config)
    }

    fn of(project: Project, config: &str) -> Self {
        let listed: String = WIRES.iter().map(|id| format!("  - id: {id}\n")).collect();
        project.write("behaviors/index.yaml", format!("schema_version: \"1\"\nbehaviors:\n{listed}"));
        for id in WIRES {
            let from = format!("{}/behaviors/{id}/behavior.yaml", env!("CARGO_MANIFEST_DIR"));
            project.write(&format!("behaviors/{id}/behavior.yaml"), std::fs::read_to_string(from).unwrap());
        }
        project.write(".forge/config.yaml", format!("schema_version: \"1\"\n{config}\n"));
        let ran = forge(&project, &["compile", "--no-settings"]);
        assert_eq!((ran.code, ran.stderr.as_str()), (0, ""), "{}", ran.stdout);
        Self { project, harness: "claude-code", calls: 0, prompt: 1, cap: None }
    }

    fn call(&mut self, tool: &str, input: &Value) -> Answer {
        self.calls += 1;
        let mut payload = json!({
            "session_id": "s1", "transcript_path": self.project.path("t.jsonl"), "cwd": self.project.path(""),
            "permission_mode": "default", "hook_event_name": "PreToolUse", "tool_name": tool, "tool_input": input,
            "tool_use_id": format!("hook-{}", self.calls)
        });
        let turn = if self.harness == "codex" { "turn_id" } else { "prompt_id" };
        payload[turn] = json!(format!("p{}", self.prompt));
        let variables: Vec<_> = self.cap.iter().map(|cap| ("FORGE_SPEND_CAP_USD", *cap)).collect();
        let payload = payload.to_string();
        let arguments = ["--harness", self.harness];
        let answer = hook_with(&self.project.path(""), &arguments, payload.as_bytes(), &variables);
        assert_eq!((answer.exit, answer.stderr.as_str()), (Some(0), ""), "{answer:?}");
        answer
    }

    fn bash(&mut self, command: &str) -> Answer {
        self.call("Bash", &json!({"command": command}))
    }

    fn tell(&self, text: &str) {
        let path = self.project.path("t.jsonl");
        let mut file = std::fs::OpenOptions::new().create(true).append(true).open(path).unwrap();
        file.write_all(text.as_bytes()).unwrap();
    }
}

#[test]
fn a_loop_stops_at_the_third_identical_call() {
    let mut session = Session::new("");
    for _ in 0..2 {
        assert_eq!(session.bash("npm test").stdout, "");
        assert_eq!(session.call("Read", &json!({"file_path": "a.rs"})).stdout, "");
        assert_eq!(session.call("Grep", &json!({"pattern": "x"})).stdout, "");
    }
    let third = session.bash("npm  test");
    assert_eq!(third.decision(), "deny");
    assert!(third.agent().contains("has come 3 times"), "{}", third.agent());
    assert_eq!(session.bash("npm test").decision(), "deny", "it stays refused");
    session.prompt += 1;
    assert_eq!(session.bash("npm test").stdout, "", "a new prompt clears the count");
    let mut alternating = Session::new("");
    let mut answers: Vec<Answer> = (0..6).map(|at| alternating.bash(if at % 2 == 0 { "a" } else { "b" })).collect();
    let last = answers.pop().unwrap();
    assert!(answers.iter().all(|answer| answer.stdout.is_empty()));
    assert_eq!(last.decision(), "deny", "the circle closes for the third time");
    assert!(last.agent().contains("has come 3 times"), "{}", last.agent());
    let mut polling = Session::new("");
    for _ in 0..6 {
        assert_eq!(polling.call("Monitor", &json!({"command": "tail -f log"})).stdout, "", "it waits on purpose");
    }
}

#[test]
fn five_failures_in_a_row_are_asked_about_once() {
    let mut session = Session::new("override: ask");
    for at in 1..=5 {
        session.tell(&failure(&format!("f{at}")));
        let answer = session.bash(&format!("try {at}"));
        assert_eq!(answer.decision(), if at < 5 { "" } else { "ask" }, "{at}");
    }
    assert_eq!(session.bash("try again").stdout, "", "the count starts over");
    session.tell(&failure("f6"));
    assert_eq!(session.bash("and again").stdout, "");
    let mut codex = Session::new("override: ask");
    codex.harness = "codex";
    let failed = |id: u32| {
        let output = "Process exited with code 1\n";
        [
            json!({"type": "function_call", "name": "exec_command", "call_id": id.to_string(), "arguments": "{}"}),
            json!({"type": "function_call_output", "call_id": id.to_string(), "output": output}),
        ]
        .map(|payload| format!("{}\n", json!({"type": "response_item", "payload": payload})))
        .concat()
    };
    codex.tell(&(1..=5).map(failed).collect::<String>());
    let answer = codex.bash("next");
    assert_eq!(answer.decision(), "deny", "Codex cannot ask");
    assert!(answer.agent().contains("ask the user"));
    assert_eq!(codex.bash("next").decision(), "", "and is refused once");
}

#[test]
fn the_cap_warns_once_then_ends_the_turn_and_says_what_the_user_can_do() {
    let mut session = Session::new("limits: {spend_cap_usd: 0.10}");
    session.tell(&response("m0", 0));
    assert_eq!(session.bash("a").stdout, "");
    // A response of a million tokens of nothing but input would be $5.00; each of these is half a cent.
    session.tell(&(1..16).map(|at| response(&format!("m{at}"), 0)).collect::<String>());
    let warning = session.bash("b");
    assert_eq!(warning.decision(), "");
    assert!(warning.user().contains("$0.08 of its $0.10 cap"), "{}", warning.user());
    assert_eq!(session.bash("c").stdout, "", "once per cap");
    session.tell(&(16..20).map(|at| response(&format!("m{at}"), 0)).collect::<String>());
    let stop = session.bash("d");
    assert_eq!(stop.decision(), "deny");
    let json = stop.json();
    assert_eq!(json["continue"], json!(false));
    let root = format!("--root {}", session.project.path("").to_string_lossy().trim_end_matches('/'));
    for part in [
        "$0.10 of its $0.10 cap",
        "limits.spend_cap_usd",
        "FORGE_SPEND_CAP_USD",
        "forge status --session s1 --reset",
        &*root,
    ] {
        assert!(json["stopReason"].as_str().unwrap().contains(part) && stop.agent().contains(part), "{part}: {stop:?}");
    }
    for tool in ["TaskStop", "KillShell", "KillBash", "StructuredOutput"] {
        assert_eq!(session.call(tool, &json!({})).stdout, "", "{tool} still passes");
    }
    assert_eq!(session.call("Read", &json!({"file_path": "x"})).decision(), "deny", "everything else does not");
}

/// What a shell makes of the command the user is told to paste.
#[cfg(unix)]
#[test]
fn the_commands_of_a_block_can_be_pasted_whatever_the_folder_is_called() {
    let name = r#"it's $HOME "x" & y\ "#;
    let mut session = Session::of(Project::named(name), "limits: {spend_cap_usd: 0.01}");
    session.bash("a");
    session.tell(&(0..3).map(|at| response(&format!("m{at}"), 0)).collect::<String>());
    let told = session.bash("b").agent();
    let pasted = |start: &str| {
        let command = told.split('`').find(|part| part.starts_with(start)).unwrap_or_else(|| panic!("{start}: {told}"));
        let bin = std::path::Path::new(env!("CARGO_BIN_EXE_forge")).parent().unwrap();
        let path = format!("{}:{}", bin.display(), std::env::var("PATH").unwrap());
        let mut shell = std::process::Command::new("sh");
        // Nobody is asked here; that there is a session to ask about is what shows the words arrived.
        let out = shell.args(["-c", command]).current_dir("/").env("PATH", path).output().unwrap();
        (out.status.code(), String::from_utf8_lossy(&[out.stdout, out.stderr].concat()).into_owned())
    };
    let (code, said) = pasted("forge compile");
    assert_eq!(code, Some(0), "{said}");
    assert!(pasted("forge status --session s1").1.contains("terminal"), "{told}");
}

#[test]
fn a_session_already_over_its_cap_counts_from_the_first_check_and_says_so_once() {
    let mut session = Session::new("limits: {spend_cap_usd: 0.01}");
    session.tell(&(0..3).map(|at| response(&format!("m{at}"), 0)).collect::<String>());
    let first = session.bash("a");
    assert_eq!(first.decision(), "");
    assert!(first.user().starts_with("forge started counting this session at $0.01"), "{}", first.user());
    assert_eq!(session.bash("b").stdout, "");
    session.tell(&(3..5).map(|at| response(&format!("m{at}"), 0)).collect::<String>());
    assert_eq!(session.bash("c").decision(), "deny");
}

#[test]
fn where_nobody_says_it_the_cap_is_ten_dollars() {
    // A million tokens of output would be $25.
    for (output, is_over) in [(399_000, false), (400_000, true)] {
        let mut session = Session::new("");
        session.tell(&response("m0", output));
        let said = session.bash("a").user();
        assert_eq!(said.contains("already over its $10.00 cap"), is_over, "{said}");
    }
}

#[test]
fn a_model_without_a_price_is_named_once() {
    let mut session = Session::new("");
    session.tell(&response("m1", 1).replace("claude-opus-5", "claude-opus-77"));
    assert!(session.bash("a").user().contains("`claude-opus-77`"));
    assert_eq!(session.bash("b").stdout, "");
}

#[test]
fn ordinary_work_meets_no_wire() {
    let mut session = Session::new("limits: {spend_cap_usd: 1000}");
    let mut dice = Dice(11);
    session.tell(&transcripts::claude_lines(&mut dice, "main", 60));
    session.tell(&said("go on"));
    for at in 0..40 {
        let answer = match dice.roll(5) {
            0 => session.bash("cargo test"),
            1 => session.call("Read", &json!({"file_path": format!("src/{}.rs", dice.roll(9)), "offset": at})),
            2 => session
                .call("Edit", &json!({"file_path": "src/lib.rs", "old_string": at.to_string(), "new_string": "x"})),
            3 => session.bash("sleep 1; curl -s localhost/health"),
            _ => session.call("Agent", &json!({"prompt": "look"})),
        };
        // A repeat with nothing but reads in between is what a loop is; here something always changes.
        session.call("Edit", &json!({"file_path": "src/main.rs", "old_string": format!("{at}"), "new_string": "y"}));
        assert_eq!(answer.stdout, "", "{at}");
        session.tell(&result(&format!("hook-{}", session.calls), dice.roll(6) == 0, "Exit code 1"));
    }
}

#[test]
fn without_a_rule_on_signals_no_transcript_is_touched() {
    let project = crate::process::project("nudge", "");
    let mut payload = crate::process::bash("forbidden");
    payload["transcript_path"] = json!(project.path("t.jsonl"));
    std::fs::write(project.path("t.jsonl"), response("m1", 1)).unwrap();
    crate::process::run(&project, &payload);
    assert!(!project.path(".forge/runtime/signals").exists());
}

#[test]
fn status_tells_what_a_session_spent_and_how_near_it_is() {
    let mut session = Session::new("limits: {spend_cap_usd: 0.01}");
    let status = |session: &Session, arguments: &[&str]| forge(&session.project, &[&["status"], arguments].concat());
    let nobody = status(&session, &["--session"]);
    assert_eq!(nobody.code, 2);
    assert!(nobody.stderr.contains("no session is watched here"), "{}", nobody.stderr);
    session.bash("a");
    session.tell(&(0..3).map(|at| response(&format!("m{at}"), 0)).collect::<String>());
    session.bash("b");
    let told = status(&session, &["--session", "s"]);
    assert_eq!(told.code, 0, "{}", told.stderr);
    for part in ["Session s1 has spent $0.01 of its $0.01 cap", "(150%)", "runaway-spend, Bash, hard_block"] {
        assert!(told.stdout.contains(part), "{part}:\n{}", told.stdout);
    }
    let json: Value = serde_json::from_str(&status(&session, &["--session", "s1", "--json"]).stdout).unwrap();
    assert_eq!((json["spent_usd"].as_f64(), json["cap_usd"].as_f64()), (Some(0.015), Some(0.01)));
    let listed = status(&session, &["--list"]);
    assert!(listed.stdout.contains("s1") && listed.stdout.contains("$0.01"), "{}", listed.stdout);
    assert_eq!(status(&session, &["--session", "other"]).code, 2);
    let reset = status(&session, &["--session", "s1", "--reset"]);
    assert_eq!(reset.code, 2, "{}", reset.stdout);
    assert_eq!(session.bash("c").decision(), "deny", "without a person nothing starts over");
    let host = forge::host::OsHost::new();
    forge::signals::reset(&host, &session.project.path(".forge/runtime/signals"), "s1").unwrap();
    assert_eq!(session.bash("c").stdout, "");
    let told = status(&session, &["--session"]);
    assert!(
        told.stdout.contains("Started over 1 time") && told.stdout.contains("set back to $0.00"),
        "{}",
        told.stdout
    );
}

/// Runs `forge` with a pseudo-terminal of `script` as its own, at which somebody types this. `None` where there is none.
#[cfg(target_os = "linux")]
fn at_a_terminal(project: &Project, arguments: &str, typed: &str) -> Option<(i32, String)> {
    let command = format!("'{}' {arguments}", env!("CARGO_BIN_EXE_forge"));
    let mut script = std::process::Command::new("script");
    script.args(["-qec", &command, "/dev/null"]).current_dir(project.path("")).env("XDG_CONFIG_HOME", "/nowhere");
    script.stdin(std::process::Stdio::piped()).stdout(std::process::Stdio::piped());
    let mut child = script.stderr(std::process::Stdio::null()).spawn().ok()?;
    // Stays open: at the end of its input `script` waits a second for more. What asks nothing may be gone already.
    let mut stdin = child.stdin.take()?;
    let _ = stdin.write_all(typed.as_bytes());
    let out = child.wait_with_output().ok()?;
    let told = String::from_utf8_lossy(&out.stdout).into_owned();
    // Tests that an agent started are not a person at a terminal, and are told so.
    let is_tried = told.contains("[y/N]");
    if !is_tried {
        assert!(told.is_empty() || told.contains("this looks like an agent's"), "{told}");
    }
    is_tried.then_some((out.status.code()?, told))
}

#[cfg(target_os = "linux")]
#[test]
fn a_person_at_a_terminal_starts_the_counts_over() {
    let mut session = Session::new("limits: {spend_cap_usd: 0.01}");
    session.bash("a");
    session.tell(&(0..3).map(|at| response(&format!("m{at}"), 0)).collect::<String>());
    assert_eq!(session.bash("b").decision(), "deny");
    let reset = |session: &Session, typed: &str| at_a_terminal(&session.project, "status --session s1 --reset", typed);
    for no in ["n\n", "\n", "nothing of the kind\n"] {
        let Some((code, told)) = reset(&session, no) else {
            eprintln!("skipped: no `script` here, or an agent runs this");
            return;
        };
        assert_eq!(code, 1, "{told}");
        assert!(told.contains("nothing was reset"), "{told}");
        assert_eq!(session.bash("c").decision(), "deny", "{no:?} is no yes");
    }
    let (code, told) = reset(&session, "y\n").unwrap();
    assert_eq!(code, 0, "{told}");
    assert!(told.contains("has spent $0.01") && told.contains("start over"), "{told}");
    assert_eq!(session.bash("d").stdout, "");
}

#[test]
fn a_project_says_what_its_models_cost() {
    let mut session = Session::new("limits: {spend_cap_usd: 5}");
    let list = "schema_version: \"1\"\nmodels:\n  - {id: in-house, input: 2.5, output: 10, cache_read: 0.125}\n";
    session.project.write(".forge/prices.yaml", list);
    let ran = forge(&session.project, &["compile", "--no-settings"]);
    assert_eq!(ran.code, 0, "{}", ran.stdout);
    let shown = forge(&session.project, &["prices"]).stdout;
    let row = shown.lines().find(|line| line.contains("in-house")).unwrap_or_else(|| panic!("{shown}"));
    assert_eq!(row.split_whitespace().collect::<Vec<_>>(), ["in-house", "2.50", "0.125", "2.50", "2.50", "10.00"]);
    assert!(shown.contains("claude-opus-5-5") && shown.contains("2026-09-28"));
    session.bash("a");
    session.tell(&response("m1", 0).replace("claude-opus-5", "in-house").replace("1000", "1000000"));
    assert_eq!(session.bash("b").user(), "", "no estimate");
    let told = forge(&session.project, &["status", "--session"]).stdout;
    assert!(told.contains("has spent $2.50"), "{told}");
    session.project.write(".forge/prices.yaml", "schema_version: \"1\"\nmodels: [{id: x, input: 0.0001, output: 1}]\n");
    let ran = forge(&session.project, &["compile", "--no-settings"]);
    assert_eq!(ran.code, 1);
    assert!(ran.stdout.contains("at most three decimals"), "{}", ran.stdout);
    session.project.write(".forge/prices.yaml", "schema_version: \"1\"\nmodels: []\n");
    forge(&session.project, &["compile", "--no-settings"]);
    assert!(!forge(&session.project, &["prices"]).stdout.contains("in-house"));
}

#[test]
fn the_environment_wins_and_a_project_can_only_tighten() {
    for (environment, config, spent_share) in [
        ("20", "", 50),
        ("20", "limits: {spend_cap_usd: 5}", 200),
        ("5", "limits: {spend_cap_usd: 20}", 200),
        ("0", "limits: {spend_cap_usd: 20}", 50),
        ("10.0", "", 100),
    ] {
        let mut session = Session::new(config);
        session.cap = Some(environment);
        session.bash("a");
        session.tell(&response("m1", 0).replace("1000", "2000000"));
        session.bash("b");
        let json = forge(&session.project, &["status", "--session", "--json"]).stdout;
        let json: Value = serde_json::from_str(&json).unwrap();
        let share = 100.0 * json["spent_usd"].as_f64().unwrap() / json["cap_usd"].as_f64().unwrap();
        assert_eq!(share.round() as u32, spent_share, "{environment} {config}: {json}");
    }
}

#[test]
fn a_rule_about_one_tool_still_sees_what_others_change() {
    let mut session = Session::new("");
    let rule = "schema_version: \"2\"\nid: twice\nname: Twice\ndescription: A test.\ncategory: core\nscope: session\npolicy:\n  \
                triggers:\n    - {event: PreToolUse, matcher: Bash, when: repeats >= 2}\n  enforcement: {default_level: hard_block}\n  \
                recovery: {hint: Do otherwise.}\n";
    session.project.write("behaviors/index.yaml", "schema_version: \"1\"\nbehaviors: [{id: twice}]\n");
    session.project.write("behaviors/twice/behavior.yaml", rule);
    assert_eq!(forge(&session.project, &["compile"]).code, 0);
    let settings: Value = {
        let text = std::fs::read_to_string(session.project.path(".claude/settings.json")).unwrap();
        serde_json::from_str(&text).unwrap()
    };
    assert_eq!(settings["hooks"]["PreToolUse"][0]["matcher"], "*", "every call has to be seen");
    assert_eq!(session.bash("make").stdout, "");
    assert_eq!(session.call("Edit", &json!({"file_path": "a", "new_string": "x"})).stdout, "");
    assert_eq!(session.bash("make").stdout, "", "something has changed");
    assert_eq!(session.bash("make").decision(), "deny");
}
