//! `forge status` and `forge audit` by the real binary: what the numbers are, what counts as a problem, and that the
//! registry keeps what is not ours.

use crate::behavior::catalogue;
use crate::cli::{Project, forge};
use serde_json::{Value, json};
use std::fs;
use std::process::{Command, Stdio};

const MOMENT: &str = "2026-10-20T10:00:00Z";

/// One behavior's entry in a session: violations, level, overrides.
pub(crate) fn entry(counter: u64, level: &str, overrides: usize) -> Value {
    json!({"counter": counter, "effective_level": level, "last_violation_at": MOMENT, "last_violation_tool": "Write",
        "pending_block": null, "overrides": vec![json!({"timestamp": MOMENT}); overrides]})
}

pub(crate) fn session(behaviors: &Value) -> Value {
    json!({"created_at": MOMENT, "last_accessed_at": MOMENT, "behaviors": behaviors})
}

pub(crate) fn write_state(project: &Project, sessions: &Value) {
    let state = json!({"schema_version": "1", "sessions": sessions});
    project.write(".forge/runtime/state.json", state.to_string());
}

/// A compiled catalogue with two sessions. `search-first` blocks from the fifth violation on.
fn used() -> Project {
    let project = catalogue();
    assert_eq!(forge(&project, &["compile", "--no-settings"]).code, 0);
    write_state(
        &project,
        &json!({
            "aaaaaaaa-1": session(&json!({"search-first": entry(8, "soft_block", 1), "gone": entry(2, "nudge", 0)})),
            "bbbbbbbb-2": session(&json!({"search-first": entry(2, "nudge", 0), "no-destructive-git": entry(3, "hard_block", 0)})),
        }),
    );
    project
}

fn told(project: &Project, arguments: &[&str]) -> Value {
    let ran = forge(project, arguments);
    serde_json::from_str(&ran.stdout).unwrap_or_else(|_| panic!("{}{}", ran.stdout, ran.stderr))
}

fn of<'v>(told: &'v Value, id: &str) -> &'v Value {
    told["behaviors"].as_array().unwrap().iter().find(|it| it["id"] == id).unwrap()
}

#[test]
fn blocks_are_the_violations_from_the_blocking_threshold_on() {
    let told = told(&used(), &["status", "--json"]);
    let search = of(&told, "search-first");
    let levels = json!({"silent": 0, "nudge": 4, "warning": 2, "soft_block": 4, "hard_block": 0});
    assert_eq!(search["violations_by_level"], levels, "8 and 2 violations at 1, 3, 5");
    let numbers =
        |it: &Value| json!([it["violations"], it["blocks"], it["overrides"], it["override_rate"], it["verdict"]]);
    assert_eq!(numbers(search), json!([10, 4, 1, 0.25, "healthy"]));
    assert_eq!(numbers(of(&told, "no-destructive-git")), json!([3, 3, 0, 0.0, "healthy"]));
    assert_eq!(numbers(of(&told, "gone")), json!([2, 0, 0, null, "no blocks"]));
    assert_eq!(of(&told, "gone")["enabled"], Value::Null);
    let total = &told["total"];
    assert_eq!(json!([total["violations"], total["blocks"], total["overrides"]]), json!([15, 7, 1]));
    assert_eq!(told["program"], "current");
}

/// Each line of one table: the violations, the level the state remembers, and what is made of them.
#[test]
fn changed_thresholds_keep_the_estimate_within_what_the_state_knows() {
    for (counter, level, overrides, levels, blocks) in [
        (0, "silent", 0, [0, 0, 0, 0, 0], 0),
        (1, "nudge", 0, [0, 1, 0, 0, 0], 0),
        (5, "soft_block", 0, [0, 2, 2, 1, 0], 1),
        // The thresholds were higher when this was counted: nothing was blocked.
        (9, "warning", 0, [0, 2, 7, 0, 0], 0),
        // They were lower: one at least was blocked.
        (3, "soft_block", 0, [0, 2, 0, 1, 0], 1),
        // Every override is of a block.
        (5, "soft_block", 3, [0, 2, 2, 1, 0], 3),
    ] {
        let project = catalogue();
        write_state(&project, &json!({"s": session(&json!({"search-first": entry(counter, level, overrides)}))}));
        let told = told(&project, &["status", "--json"]);
        let search = of(&told, "search-first");
        let got: Vec<u64> = ["silent", "nudge", "warning", "soft_block", "hard_block"]
            .iter()
            .map(|level| search["violations_by_level"][level].as_u64().unwrap())
            .collect();
        assert_eq!((&got[..], search["blocks"].as_u64()), (&levels[..], Some(blocks)), "{counter} at {level}");
    }
}

#[test]
fn the_rate_has_three_names() {
    for (overrides, verdict, code) in [(2, "healthy", 0), (3, "review", 0), (7, "review", 0), (8, "ineffective", 1)] {
        let project = catalogue();
        forge(&project, &["compile", "--no-settings"]);
        write_state(&project, &json!({"s": session(&json!({"search-first": entry(14, "soft_block", overrides)}))}));
        assert_eq!(of(&told(&project, &["status", "--json"]), "search-first")["verdict"], verdict, "{overrides} of 10");
        let ran = forge(&project, &["audit", "--no-registry"]);
        assert_eq!(ran.code, code, "{}", ran.stdout);
        assert_eq!(ran.stdout.contains("so it stops nobody"), code == 1, "{}", ran.stdout);
    }
}

#[test]
fn tables_have_no_colour_where_nobody_sees_it() {
    let ran = forge(&used(), &["status"]);
    assert!(!ran.stdout.contains('\u{1b}'), "{}", ran.stdout);
    let first = "15 violations, 7 blocks, 1 overridden (rate 0.14, healthy), in 2 remembered sessions\n";
    assert!(ran.stdout.contains(first), "{}", ran.stdout);
    let line = ran.stdout.lines().find(|line| line.contains("search-first")).unwrap();
    let words: Vec<&str> = line.split_whitespace().take(8).collect();
    assert_eq!(words, ["search-first", "on", "10", "████████████", "4", "1", "0.25", "healthy"]);
    assert!(ran.stdout.contains("aaaaaaaa-1"), "{}", ran.stdout);
}

/// On a pseudo-terminal of `script`, as wide as said.
fn on_terminal(project: &Project, columns: u16, no_color: bool) -> Option<String> {
    let shown = format!("stty cols {columns}; '{}' status", env!("CARGO_BIN_EXE_forge"));
    let mut script = Command::new("script");
    script.args(["-qec", &shown, "/dev/null"]).current_dir(project.path("")).env("TERM", "xterm-256color");
    script.env_remove("CI").env_remove("NO_COLOR").stdin(Stdio::null());
    if no_color {
        script.env("NO_COLOR", "1");
    }
    let out = script.output().ok().filter(|out| out.status.success())?;
    Some(String::from_utf8_lossy(&out.stdout).into_owned())
}

#[test]
fn a_terminal_gets_colours_unless_it_wants_none() {
    let project = used();
    let Some(coloured) = on_terminal(&project, 160, false) else {
        eprintln!("skipped: `script` is not here or another one");
        return;
    };
    assert!(coloured.contains("\u{1b}[") && coloured.contains("search-first"), "{coloured}");
    let plain = on_terminal(&project, 160, true).unwrap();
    assert!(!plain.contains('\u{1b}') && plain.contains("search-first"), "{plain}");
    let narrow = on_terminal(&project, 90, true).unwrap();
    let widest =
        narrow.lines().filter(|line| !line.contains("remembered")).map(|line| line.trim_end().chars().count()).max();
    assert!(widest.unwrap() <= 90, "{narrow}");
    assert!(on_terminal(&project, 0, true).unwrap().contains("search-first"), "no letter a line");
}

#[test]
fn a_session_s_standing_is_shown() {
    let project = used();
    forge(&project, &["behavior", "off", "objection-format", "search-first", "--session", "cccc"]);
    let told = told(&project, &["behavior", "status", "search-first", "--json"]);
    let standing = |start: &str| {
        let all = told["standings"].as_array().unwrap();
        all.iter().find(|it| it["session"].as_str().unwrap().starts_with(start)).unwrap_or(&Value::Null).clone()
    };
    // The sessions of the fixture are older than a day, so writing a new one forgot them.
    assert_eq!((standing("aaaa"), &standing("cccc")["switched_off"]), (Value::Null, &json!(true)));
    assert!(forge(&project, &["behavior", "status", "--session", "cccc"]).stdout.contains("objection-format"));
}

#[test]
fn looking_changes_nothing() {
    let project = used();
    let state = fs::read(project.path(".forge/runtime/state.json")).unwrap();
    project.write(".forge/runtime/state.json", &state);
    for arguments in [&["status"][..], &["audit", "--no-registry"], &["behavior", "status"], &["behavior", "list"]] {
        forge(&project, arguments);
    }
    assert_eq!(fs::read(project.path(".forge/runtime/state.json")).unwrap(), state);
    project.write(".forge/runtime/state.json", "{broken");
    let ran = forge(&project, &["audit", "--no-registry"]);
    assert_eq!(ran.code, 1);
    assert!(ran.stdout.contains("problem: state.json is no state file"), "{}", ran.stdout);
    assert_eq!(
        fs::read(project.path(".forge/runtime/state.json")).unwrap(),
        b"{broken",
        "it is not set aside by looking"
    );
}

#[test]
fn audit_names_every_kind_of_problem() {
    let sound = used();
    let ran = forge(&sound, &["audit", "--no-registry"]);
    assert_eq!(ran.code, 0, "{}", ran.stdout);
    assert!(
        ran.stdout.contains("\nno problems\n") && ran.stdout.contains("note: `gone` is remembered"),
        "{}",
        ran.stdout
    );
    let problem = |change: &dyn Fn(&Project), said: &str| {
        let project = used();
        change(&project);
        let ran = forge(&project, &["audit", "--no-registry"]);
        assert!(ran.code == 1 && ran.stdout.contains(&format!("problem: {said}")), "{said}: {}", ran.stdout);
    };
    problem(&|it| drop(forge(it, &["behavior", "off", "search-first"])), "the program is older than the files");
    problem(&|it| fs::remove_file(it.path(".forge/compiled/program.fbc")).unwrap(), "there is no program");
    problem(&|it| it.write(".forge/compiled/program.fbc", "x"), "the program cannot be used: ");
    problem(&|it| it.write(".forge/runtime/state.json.corrupt-1", "x"), "1 state file was unreadable");
    problem(&|it| it.write(".forge/audit/overrides.log", "what\n"), "`.forge/audit/overrides.log`: line 1 cannot be");
    problem(&|it| it.write("behaviors/index.yaml", "a: 1\n"), "3 errors in the behaviors' files");
    let line = "2026-11-30T10:00:00Z|aaaaaaaa|search-first|Write|file_path=/a|5|\n";
    let changed = |it: &Project| {
        it.write(".forge/audit/overrides.log", line);
        let digest = "0".repeat(64);
        it.write(".forge/audit/overrides.chain", format!("{digest} {digest}\n"));
    };
    problem(&changed, "`.forge/audit/overrides.log`: line 1 was edited");
}

fn registry(project: &Project) -> String {
    fs::read_to_string(project.path("registry/projects.yml")).unwrap()
}

#[test]
fn the_registry_is_made_and_kept() {
    let project = used();
    assert_eq!(forge(&project, &["audit"]).code, 0);
    let first = registry(&project);
    let read: serde_yaml::Value = serde_yaml::from_str(&first).unwrap();
    let entry = &read["projects"][0];
    assert_eq!(entry["path"].as_str(), Some("."));
    assert_eq!(entry["behaviors"]["search-first"]["override_rate"].as_f64(), Some(0.25));
    assert_eq!(entry["behaviors"]["search-first"]["blocks"].as_u64(), Some(4));
    assert_eq!(forge(&project, &["audit"]).code, 0);
    let without_time =
        |text: &str| text.lines().filter(|line| !line.contains("updated:")).map(str::to_owned).collect::<Vec<_>>();
    assert_eq!(without_time(&registry(&project)), without_time(&first));
}

#[test]
fn what_others_wrote_into_the_registry_stays() {
    let project = used();
    let theirs = "# ours\nprojects:\n  - name: Other  # first\n    path: /elsewhere\n    score: 9.5\n    notes: \"a: b\"\n\n  - name: here\n    path: .\n    stacks: [rust]   # mine\n    behaviors: {search-first: {note: 'x', violations: 1}}\n    score: 7\nlast: yes\n";
    project.write("registry/projects.yml", theirs);
    assert_eq!(forge(&project, &["audit"]).code, 0);
    let after = registry(&project);
    let mut lines = after.lines();
    for line in theirs.lines().filter(|line| !line.contains("behaviors:")) {
        assert!(lines.any(|now| now == line), "`{line}` is not where it was in\n{after}");
    }
    let read: serde_yaml::Value = serde_yaml::from_str(&after).unwrap();
    let search = &read["projects"][1]["behaviors"]["search-first"];
    assert_eq!((search["note"].as_str(), search["violations"].as_u64()), (Some("x"), Some(10)));
    assert_eq!(read["projects"].as_sequence().unwrap().len(), 2);
    project.write("registry/projects.yml", "projects: {a: 1}\n");
    let ran = forge(&project, &["audit"]);
    assert_eq!((ran.code, registry(&project).as_str()), (1, "projects: {a: 1}\n"));
    assert!(ran.stderr.contains("the registry was not changed: line 1: "), "{}", ran.stderr);
}

#[test]
fn one_registry_serves_several_projects() {
    let shelf = Project::new();
    shelf.write("registry/projects.yml", "version: 3\r\n# none yet\r\n");
    let path = shelf.path("registry/projects.yml");
    let (one, two) = (used(), used());
    for project in [&one, &two, &one] {
        let ran = forge(project, &["audit", "--registry", path.to_str().unwrap()]);
        assert_eq!(ran.code, 0, "{}{}", ran.stdout, ran.stderr);
    }
    let text = registry(&shelf);
    assert!(text.starts_with("version: 3\r\n"), "{text}");
    assert_eq!(text.matches('\n').count(), text.matches("\r\n").count());
    let read: serde_yaml::Value = serde_yaml::from_str(&text).unwrap();
    let paths: Vec<_> =
        read["projects"].as_sequence().unwrap().iter().map(|it| it["path"].as_str().unwrap().to_owned()).collect();
    assert_eq!(paths, [one, two].map(|it| fs::canonicalize(it.path("")).unwrap().to_str().unwrap().to_owned()));
}
