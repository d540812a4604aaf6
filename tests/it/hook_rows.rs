//! What happens when something is wrong: every row of the table in `src/hook/mod.rs`, and the same table in
//! `docs/hook.md`, has a scenario here; so has every odd payload that must be judged like any other.

use crate::cli::Project;
use crate::fake_host::FakeHost;
use crate::process::{Answer, bash, behavior, compile, hook, hook_in, project, run};
use forge::hook::Arguments;
use serde_json::{Value, json};
use std::fs;
use std::io;

/// What a row's scenario must show. Texts are parts; an empty one means nothing may be said there.
struct Expected {
    stderr: &'static str,
    user: &'static str,
    /// Whether the call is refused with `on_error: allow`, and with `on_error: deny`.
    denied: [bool; 2],
    /// Whether the user hears it at the second event of the session too.
    again: bool,
}

const fn told(part: &'static str, again: bool) -> Expected {
    Expected { stderr: part, user: part, denied: [false, true], again }
}

/// A scenario: breaks a project, and says what is sent to it.
type Scenario = (&'static str, fn(&Project) -> Vec<u8>, Expected);

fn payload() -> Vec<u8> {
    bash("forbidden").to_string().into_bytes()
}

fn session_start() -> Vec<u8> {
    json!({"session_id": "s", "hook_event_name": "SessionStart", "source": "startup", "cwd": "/nowhere"})
        .to_string()
        .into_bytes()
}

fn with_program(project: &Project, change: impl FnOnce(&mut Vec<u8>)) -> Vec<u8> {
    let path = project.path(".forge/compiled/program.fbc");
    let mut bytes = fs::read(&path).unwrap();
    change(&mut bytes);
    fs::write(&path, bytes).unwrap();
    payload()
}

const SCENARIOS: &[Scenario] = &[
    ("bad-input", |_| Vec::new(), told("empty", true)),
    ("bad-input", |_| b"not json".to_vec(), told("JSON", true)),
    ("bad-input", |_| b"{\"hook_event_name\":\"PreToolUse\",\"tool_name\":\"B\xff\"}".to_vec(), told("UTF-8", true)),
    ("bad-input", |_| [payload(), payload()].concat(), told("trailing", true)),
    ("bad-input", |_| payload()[..40].to_vec(), told("JSON", true)),
    (
        "no-program",
        |project| {
            fs::remove_file(project.path(".forge/compiled/program.fbc")).unwrap();
            payload()
        },
        told("run `forge compile`", false),
    ),
    (
        "unreadable-program",
        |project| {
            let path = project.path(".forge/compiled/program.fbc");
            fs::remove_file(&path).unwrap();
            fs::create_dir(&path).unwrap();
            payload()
        },
        told("run `forge compile`", false),
    ),
    (
        "damaged-program",
        |project| with_program(project, |bytes| bytes.truncate(bytes.len() / 2)),
        told("forge compile", false),
    ),
    ("damaged-program", |project| with_program(project, Vec::clear), told("forge compile", false)),
    ("damaged-program", |project| with_program(project, |bytes| bytes[0] ^= 1), told("forge compile", false)),
    (
        "damaged-program",
        |project| {
            with_program(project, |bytes| {
                let middle = bytes.len() / 2;
                for byte in &mut bytes[middle..] {
                    *byte ^= 0x10;
                }
            })
        },
        told("forge compile", false),
    ),
    (
        "other-version",
        |project| with_program(project, |bytes| bytes[8] = bytes[8].wrapping_add(1)),
        told("forge compile", false),
    ),
    ("too-costly", crate::hostile::costly_event, told("too long", true)),
    (
        "stale-program",
        |project| {
            project.write("behaviors/guard/behavior.yaml", behavior("guard", "nudge"));
            session_start()
        },
        Expected { stderr: "forge compile", user: "old rules are enforced", denied: [false, false], again: false },
    ),
    (
        "no-project",
        |project| {
            fs::remove_dir_all(project.path(".forge")).unwrap();
            payload()
        },
        Expected { stderr: "", user: "", denied: [false, false], again: false },
    ),
    (
        "broken-state",
        |project| {
            project.write(".forge/runtime/state.json", "{\"sessions\": [");
            payload()
        },
        Expected { stderr: "state.json", user: "BLOCKED", denied: [true, true], again: true },
    ),
];

/// Refusing is how the user learns of it when `on_error` says so; a notice otherwise.
fn check(row: &str, expected: &Expected, on_error: usize, answer: &Answer, is_first: bool) {
    let about = format!("{row}, on_error {on_error}, first {is_first}: {answer:?}");
    assert_eq!(answer.exit, Some(0), "{about}");
    assert_eq!(answer.decision() == "deny", expected.denied[on_error], "{about}");
    if is_first || row != "broken-state" && row != "stale-program" {
        assert!(answer.stderr.contains(expected.stderr), "{about}");
        assert_eq!(answer.stderr.is_empty(), expected.stderr.is_empty(), "{about}");
        assert!(answer.stderr.lines().count() <= 1, "one line: {about}");
    }
    let is_heard = is_first || expected.again || expected.denied[on_error];
    assert_eq!(answer.user().is_empty(), expected.user.is_empty() || !is_heard, "{about}");
    if is_heard {
        assert!(answer.user().contains(expected.user), "{about}");
    }
    if expected.denied[on_error] {
        assert!(!answer.agent().is_empty(), "{about}");
    }
}

#[test]
fn every_row_says_and_decides_what_the_table_says() {
    for (row, breaks, expected) in SCENARIOS {
        for (on_error, word) in ["allow", "deny"].iter().enumerate() {
            let project = project("hard_block", &format!("on_error: {word}"));
            let stdin = breaks(&project);
            check(
                row,
                expected,
                on_error,
                &hook_in(&project.path(""), &["--harness", "claude-code", "--event", "PreToolUse"], &stdin),
                true,
            );
            check(
                row,
                expected,
                on_error,
                &hook_in(&project.path(""), &["--harness", "claude-code", "--event", "PreToolUse"], &stdin),
                false,
            );
        }
    }
}

#[test]
fn a_payload_nobody_is_known_to_have_sent_is_told_on_standard_error() {
    let project = project("hard_block", "on_error: deny");
    let answer = hook_in(&project.path(""), &[], b"{\"who\":\"knows\"}");
    assert_eq!((answer.stdout.as_str(), answer.exit), ("", Some(0)));
    assert!(answer.stderr.contains("--harness"), "{}", answer.stderr);
}

/// Runs the hook on a host that misbehaves.
fn judged_by(host: &FakeHost, project: &Project) -> (Value, String) {
    answered_by(host, project, payload())
}

fn answered_by(host: &FakeHost, project: &Project, payload: Vec<u8>) -> (Value, String) {
    let root = Some(project.path(""));
    let arguments = Arguments { harness: forge::harness::Harness::from_name("claude-code"), root, event: None };
    let answer = forge::hook::run(host, &arguments, Ok(payload));
    (serde_json::from_str(&answer.stdout).unwrap_or_default(), answer.stderr)
}

#[test]
fn without_a_lock_every_behavior_answers_with_its_default_level() {
    for (kind, part) in [
        (None, "state lock timeout — using default levels"),
        (Some(io::ErrorKind::Unsupported), "using default levels"),
    ] {
        let project = project("hard_block", "");
        let host = FakeHost::new();
        match kind {
            Some(kind) => host.lock_error.set(Some(kind)),
            None => host.busy_tries.set(u32::MAX),
        }
        let (answer, stderr) = judged_by(&host, &project);
        assert_eq!(answer["hookSpecificOutput"]["permissionDecision"], "deny", "{stderr}");
        assert!(stderr.contains(part), "{stderr}");
        assert!(!project.path(".forge/runtime/state.json").exists(), "nothing is written");
    }
}

#[test]
fn a_variable_that_cannot_be_understood_is_told_and_decides_nothing() {
    for (name, value, is_understood) in [
        ("FORGE_HOOK_PROFILE", "strct", false),
        ("FORGE_HOOK_PROFILE", "Strict", false),
        ("FORGE_HOOK_PROFILE", "strict", true),
        ("FORGE_OVERRIDE_WINDOW_SECONDS", "60s", false),
        ("FORGE_OVERRIDE_WINDOW_SECONDS", "5", true),
        ("FORGE_SESSION_TTL_SECONDS", "-1", false),
        ("FORGE_SPEND_CAP_USD", "ten", false),
        ("FORGE_SPEND_CAP_USD", "2.50", true),
    ] {
        let project = project("hard_block", "");
        let host = FakeHost::new();
        host.set_env(name, value);
        let (answer, stderr) = judged_by(&host, &project);
        assert_eq!(answer["hookSpecificOutput"]["permissionDecision"], "deny", "{name}={value}");
        assert_eq!(stderr.contains(&format!("{name} is `{value}`")), !is_understood, "{name}={value}: {stderr}");
        let (answer, stderr) = answered_by(&host, &project, session_start());
        let user = answer["systemMessage"].as_str().unwrap_or_default();
        assert_eq!(user.contains(name), !is_understood, "{name}={value}: {user}");
        assert_eq!(stderr.contains(name), !is_understood, "{name}={value}: {stderr}");
    }
}

#[test]
fn a_full_disk_is_told_and_decides_nothing() {
    let project = project("hard_block", "");
    let host = FakeHost::new();
    host.failing_writes.set(Some((0, io::ErrorKind::StorageFull)));
    let (answer, stderr) = judged_by(&host, &project);
    assert_eq!(answer["hookSpecificOutput"]["permissionDecision"], "deny");
    assert!(stderr.contains("not counted"), "{stderr}");
    let left: Vec<_> = fs::read_dir(project.path(".forge/runtime"))
        .map_or_else(|_| Vec::new(), |all| all.map(|one| one.unwrap().file_name()).collect());
    assert!(left.iter().all(|name| !name.to_string_lossy().contains("tmp")), "{left:?}");
}

#[test]
fn an_override_that_cannot_be_recorded_lets_nothing_through() {
    // Every write of the retry fails in turn, and all after it, as on a full disk; the last time none does.
    for failing in 0.. {
        let project = project("soft_block", "override: retry");
        let host = FakeHost::new();
        assert_eq!(judged_by(&host, &project).0["hookSpecificOutput"]["permissionDecision"], "deny");
        host.failing_writes.set(Some((failing, io::ErrorKind::StorageFull)));
        let (answer, stderr) = judged_by(&host, &project);
        let log = fs::read_to_string(project.path(".forge/audit/overrides.log")).unwrap_or_default();
        if answer.is_null() {
            assert!(failing >= 3 && log.lines().count() == 1 && stderr.is_empty(), "write {failing}: {log} {stderr}");
            return;
        }
        assert_eq!(answer["hookSpecificOutput"]["permissionDecision"], "deny", "write {failing}");
        for told in [answer["systemMessage"].as_str().unwrap(), &stderr] {
            assert!(told.contains("cannot be recorded"), "write {failing}: {told}");
        }
        // With room again the block that was written is answered as ever, by one retry.
        host.failing_writes.set(None);
        let passed = (0..2).filter(|_| judged_by(&host, &project).0.is_null()).count();
        assert_eq!(passed, 1, "write {failing}");
    }
}

/// Asks a host about a project it has to find itself, from a folder inside.
fn found_by(host: &FakeHost, folder: &std::path::Path) -> (Value, String) {
    let mut payload = bash("forbidden");
    payload["cwd"] = folder.to_str().unwrap().into();
    let arguments = Arguments { harness: forge::harness::Harness::from_name("claude-code"), root: None, event: None };
    let answer = forge::hook::run(host, &arguments, Ok(payload.to_string().into_bytes()));
    (serde_json::from_str(&answer.stdout).unwrap_or_default(), answer.stderr)
}

#[test]
fn a_project_that_cannot_be_seen_is_told_each_time_unless_one_above_is_seen() {
    let (bare, host) = (tempfile::tempdir().unwrap(), FakeHost::new());
    host.unseen.replace(Some(bare.path().join(".forge")));
    for _ in 0..2 {
        let (answer, stderr) = found_by(&host, bare.path());
        let user = answer["systemMessage"].as_str().unwrap_or_default();
        assert!(user.contains("not guarding this project"), "{answer} {stderr}");
        assert!(stderr.starts_with("[forge] "), "{stderr}");
        fs::remove_dir_all(bare.path().join(".forge")).unwrap();
    }
    let project = project("hard_block", "");
    let inside = project.path("src");
    fs::create_dir(&inside).unwrap();
    host.unseen.replace(Some(inside.join(".forge")));
    let (answer, stderr) = found_by(&host, &inside);
    assert_eq!(answer["hookSpecificOutput"]["permissionDecision"], "deny", "{stderr}");
}

/// The file system itself: such a link cannot be followed by root either.
#[cfg(unix)]
#[test]
fn a_link_in_place_of_the_project_that_leads_nowhere_is_told() {
    for (target, is_told) in [(".forge", true), ("nowhere", true), ("src", true)] {
        let project = project("hard_block", "on_error: deny");
        fs::create_dir(project.path("src")).unwrap();
        fs::remove_dir_all(project.path(".forge")).unwrap();
        std::os::unix::fs::symlink(target, project.path(".forge")).unwrap();
        for _ in 0..2 {
            let answer = run(&project, &bash("forbidden"));
            assert_eq!(
                (answer.user().contains("not guarding"), answer.exit),
                (is_told, Some(0)),
                "{target}: {answer:?}"
            );
        }
        assert_eq!(fs::read_dir(project.path("src")).unwrap().count(), 0, "{target}: something was written through it");
    }
}

/// The file system itself refuses, for a user who is not root.
#[cfg(unix)]
#[test]
fn a_read_only_folder_is_told_and_decides_nothing() {
    use std::os::unix::fs::PermissionsExt;
    let project = project("hard_block", "");
    run(&project, &bash("forbidden"));
    let runtime = project.path(".forge/runtime");
    fs::set_permissions(&runtime, fs::Permissions::from_mode(0o555)).unwrap();
    let is_root = fs::write(runtime.join("probe"), "").is_ok();
    let answer = run(&project, &bash("forbidden"));
    fs::set_permissions(&runtime, fs::Permissions::from_mode(0o755)).unwrap();
    assert_eq!(answer.decision(), "deny", "{answer:?}");
    if is_root {
        println!("skipped half: root writes everywhere");
    } else {
        assert!(answer.stderr.contains("not counted"), "{answer:?}");
    }
}

/// Payloads that look odd and mean something are judged by what they mean.
#[test]
fn odd_payloads_are_judged_like_any_other() {
    let raw = |input: &str| {
        format!(
            "{{\"session_id\":\"s\",\"hook_event_name\":\"PreToolUse\",\"tool_name\":\"Bash\",\"tool_input\":{input}}}"
        )
        .into_bytes()
    };
    let deep = format!("{{\"command\":\"forbidden\",\"x\":{}{}}}", "[".repeat(10_000), "]".repeat(10_000));
    let large = format!("{{\"command\":\"forbidden {}\"}}", "x".repeat(10 << 20));
    let blocked: &[(&str, Vec<u8>)] = &[
        ("a lone surrogate", raw(r#"{"command":"\ud800 forbidden"}"#)),
        ("a NUL", raw(r#"{"command":"\u0000forbidden"}"#)),
        ("10,000 levels", raw(&deep)),
        ("10 MB", raw(&large)),
        ("the last of two keys counts", raw(r#"{"command":"ls","command":"forbidden"}"#)),
        ("an argument vector", raw(r#"{"command":["sh","-c","forbidden"]}"#)),
        ("escapes", raw("{\"command\":\"\\u0066orbidden\"}")),
        ("a byte order mark", [b"\xef\xbb\xbf".to_vec(), payload()].concat()),
        ("no session id", br#"{"hook_event_name":"PreToolUse","tool_name":"Bash","tool_input":{"command":"forbidden"}}"#.to_vec()),
        ("fields nobody knows", br#"{"session_id":"s","hook_event_name":"PreToolUse","tool_name":"Bash","tool_input":{"command":"forbidden"},"new":{"a":[1]}}"#.to_vec()),
    ];
    for (about, stdin) in blocked {
        let project = project("hard_block", "");
        let answer = hook(&project, stdin);
        assert_eq!(
            (answer.decision().as_str(), answer.exit),
            ("deny", Some(0)),
            "{about}: {} {}",
            answer.stdout.len(),
            answer.stderr
        );
    }
    let passed: &[(&str, Vec<u8>)] = &[
        ("null input", raw("null")),
        ("no input", br#"{"session_id":"s","hook_event_name":"PreToolUse","tool_name":"Bash"}"#.to_vec()),
        ("a number", raw("7")),
        ("the last of two keys counts", raw(r#"{"command":"forbidden","command":"ls"}"#)),
        ("null command", raw(r#"{"command":null}"#)),
    ];
    for (about, stdin) in passed {
        let project = project("hard_block", "");
        let answer = hook(&project, stdin);
        assert_eq!((answer.stdout.as_str(), answer.stderr.as_str(), answer.exit), ("", "", Some(0)), "{about}");
    }
}

#[test]
fn a_payload_beyond_the_limit_is_bad_input() {
    let project = project("hard_block", "on_error: deny");
    let huge = vec![b' '; forge::limits::PAYLOAD_BYTES + 1];
    let answer = hook_in(&project.path(""), &["--harness", "claude-code", "--event", "PreToolUse"], &huge);
    assert_eq!((answer.decision().as_str(), answer.exit), ("deny", Some(0)), "{}", answer.stderr);
}

#[test]
fn a_misspelt_option_does_not_take_the_guard_away() {
    let project = project("hard_block", "");
    let root = project.path("").display().to_string();
    let elsewhere = tempfile::tempdir().unwrap();
    for (folder, arguments) in [
        (project.path(""), &["--harnes", "claude-code"][..]),
        (project.path(""), &["--harness", "claude"]),
        (project.path(""), &["--event"]),
        (project.path(""), &["--what", "ever"]),
        // What stands before and after it is still understood.
        (elsewhere.path().to_owned(), &["--what", "ever", "--root", &root]),
        (elsewhere.path().to_owned(), &["--root", &root, "--harness", "claude"]),
    ] {
        let answer = hook_in(&folder, arguments, &payload());
        assert_eq!((answer.decision().as_str(), answer.exit), ("deny", Some(0)), "{arguments:?}");
        assert!(answer.stderr.starts_with("[forge] "), "{arguments:?}");
    }
}

/// The rows of a table, by the name in their first cell.
fn rows(text: &str) -> Vec<String> {
    let cells = text.lines().filter_map(|line| line.trim_start_matches("//! ").strip_prefix("| "));
    let names = cells.filter_map(|row| row.split(" | ").next()).map(|name| name.trim_matches('`').to_owned());
    names
        .filter(|name| {
            name.chars().all(|c| c.is_ascii_lowercase() || c == '-') && name != "row" && name.contains('-')
                || name == "panic"
        })
        .collect()
}

#[test]
fn the_two_tables_and_the_scenarios_have_the_same_rows() {
    let root = std::path::Path::new(env!("CARGO_MANIFEST_DIR"));
    let code = rows(&fs::read_to_string(root.join("src/hook/mod.rs")).unwrap());
    let page = rows(&fs::read_to_string(root.join("docs/hook.md")).unwrap());
    assert_eq!(code, page);
    assert!(code.len() > 10, "{code:?}");
    let elsewhere = [
        "unknown-harness",
        "unseen-project",
        "misread-variable",
        "lock-timeout",
        "lock-refused",
        "unwritable-state",
        "panic",
    ];
    for row in &code {
        let is_shown = SCENARIOS.iter().any(|(name, _, _)| name == row) || elsewhere.contains(&row.as_str());
        assert!(is_shown, "the row `{row}` has no scenario");
    }
}

#[test]
fn a_panic_still_gives_an_answer() {
    let project = project("hard_block", "on_error: deny");
    let arguments = Arguments {
        harness: forge::harness::Harness::from_name("claude-code"),
        event: Some("PreToolUse".to_owned()),
        root: Some(project.path("")),
    };
    let answer = forge::hook::panicked(&FakeHost::new(), &arguments, "at some line: something");
    assert_eq!(answer.exit, 0);
    assert!(answer.stdout.contains("\"permissionDecision\":\"deny\""), "{}", answer.stdout);
    assert!(answer.stderr.contains("internal error"), "{}", answer.stderr);
    compile(&project);
}
