//! `forge doctor` says yes only where a block blocks: each way of the guard falling off is tried and must be noticed.

use crate::install::{Machine, text};
use serde_json::Value;

struct Report {
    code: Option<i32>,
    checks: Vec<(String, String, String)>,
}

impl Report {
    fn of(machine: &Machine) -> Self {
        let output = machine.forge(&["doctor", "--json"]);
        let told: Value = serde_json::from_slice(&output.stdout)
            .unwrap_or_else(|error| panic!("{error}: {} {}", text(&output.stdout), text(&output.stderr)));
        let word = |check: &Value, key: &str| check[key].as_str().unwrap().to_owned();
        let checks = told["checks"].as_array().unwrap().iter();
        let checks = checks
            .map(|one| (word(one, "check"), word(one, "verdict"), word(one, "what") + " -> " + &word(one, "remedy")));
        assert_eq!(told["live"], output.status.code() == Some(0));
        Self { code: output.status.code(), checks: checks.collect() }
    }

    /// The verdict of a check whose text contains something.
    fn has(&self, name: &str, verdict: &str, part: &str) -> bool {
        self.checks.iter().any(|(is, how, what)| is == name && how == verdict && what.contains(part))
    }

    #[track_caller]
    fn fails(&self, name: &str, part: &str) {
        assert!(self.code == Some(1) && self.has(name, "fail", part), "{name} {part}: {:#?}", self.checks);
    }

    #[track_caller]
    fn is_live(&self) {
        assert_eq!(self.code, Some(0), "{:#?}", self.checks);
        assert!(!self.checks.iter().any(|(_, verdict, _)| verdict == "fail"), "{:#?}", self.checks);
    }
}

#[test]
fn a_new_project_is_live_and_nobodys_counters_move() {
    let machine = Machine::ready();
    let report = Report::of(&machine);
    report.is_live();
    assert!(report.has("live", "ok", "rules with a test of a block were tried and block"), "{:#?}", report.checks);
    assert!(!machine.path(".forge/runtime/state.json").exists());
    let human = machine.forge(&["doctor"]);
    assert!(text(&human.stdout).ends_with("forge is live here: a block blocks\n"));
    assert_eq!(std::fs::read_dir(machine.temporary()).unwrap().count(), 0, "the copy is gone");
}

#[test]
fn where_nothing_can_be_blocked_nobody_is_told_that_a_block_blocks() {
    let machine = Machine::new();
    machine.write("behaviors/index.yaml", "schema_version: \"1\"\nbehaviors: []\n");
    assert!(machine.forge(&["init", "--yes"]).status.success());
    let human = text(&machine.forge(&["doctor"]).stdout);
    assert!(human.ends_with("nothing was tried: no behavior here blocks a call\n"), "{human}");
    let json: serde_json::Value =
        serde_json::from_slice(&machine.forge(&["doctor", "--json"]).stdout).expect("one JSON object");
    assert_eq!(json["blocked"], false);
}

#[test]
fn what_the_hook_complains_of_is_told_once_and_in_words() {
    let machine = Machine::ready();
    let index = machine.read("behaviors/index.yaml").replacen("enabled: true", "enabled: false", 1);
    machine.write("behaviors/index.yaml", &index);
    let human = text(&machine.forge(&["doctor"]).stdout);
    let complaint = human.lines().find(|line| line.contains("the hook complains")).expect(&human);
    assert_eq!(complaint.matches("forge compile").count(), 1, "{complaint}");
    assert!(!complaint.contains('{'), "{complaint}");
}

#[test]
fn every_harness_it_is_installed_into_is_live() {
    let machine = Machine::ready();
    for dialect in forge::registration::Dialect::ALL {
        let scope = if dialect.harness == "grok" { "user" } else { "project" };
        let install = machine.forge(&["install", "--harness", dialect.harness, "--scope", scope, "--write"]);
        assert!(install.status.success(), "{}", text(&install.stderr));
    }
    let report = Report::of(&machine);
    report.is_live();
    let live = report.checks.iter().filter(|(name, verdict, _)| name == "live" && verdict == "ok").count();
    assert_eq!(live, forge::registration::Dialect::ALL.len(), "{:#?}", report.checks);
    assert!(report.has("trust", "note", "/hooks"));
}

#[test]
fn a_guard_that_has_fallen_off_is_noticed() {
    let machine = Machine::new();
    machine.write("behaviors/index.yaml", "schema_version: \"1\"\nbehaviors: []\n");
    let report = Report::of(&machine);
    report.fails("program", "nothing is enforced");
    report.fails("entries", "no settings of any agent call forge");

    let machine = Machine::ready();
    let settings = machine.read(".claude/settings.json");
    let break_settings = |from: &str, to: &str| {
        assert!(settings.contains(from), "{from}");
        machine.write(".claude/settings.json", &settings.replace(from, to));
        Report::of(&machine)
    };
    break_settings("\"PreToolUse\"", "\"PreTooluse\"").fails("live", "nothing is registered for PreToolUse");
    // Whatever the starter catalogue watches, it is more than one tool nobody has.
    break_settings("\"matcher\": \"", "\"matcher\": \"NoSuchTool\", \"was\": \"").fails("entries", "not the entries");
    break_settings("\"--event\"", "\"--evnt\"").fails("entries", "not the entries");
    break_settings("\"claude-code\"", "\"cursor\"").fails("live", "was let through");
    break_settings("{\n  \"hooks\"", "{\n  \"disableAllHooks\": true,\n  \"hooks\"")
        .fails("switches", "disableAllHooks");
    let hook = env!("CARGO_BIN_EXE_forge-hook").replace('\\', "\\\\");
    let gone = break_settings(&hook, "/nowhere/forge-hook");
    gone.fails("hook", "not there");
    gone.fails("live", "/nowhere/forge-hook");
    machine.write(".claude/settings.json", &settings);

    let index = machine.read("behaviors/index.yaml");
    machine.write("behaviors/index.yaml", &(index.clone() + "# changed\n"));
    Report::of(&machine).fails("program", "the sources have changed");
    machine.write("behaviors/index.yaml", &index);

    let program = std::fs::read(machine.path(".forge/compiled/program.fbc")).unwrap();
    std::fs::write(machine.path(".forge/compiled/program.fbc"), &program[..program.len() / 2]).unwrap();
    let damaged = Report::of(&machine);
    damaged.fails("program", "program.fbc");
    damaged.fails("live", "hook complains");
    std::fs::write(machine.path(".forge/compiled/program.fbc"), &program).unwrap();
    Report::of(&machine).is_live();
}

#[test]
fn what_is_odd_but_blocks_is_a_warning_or_a_note() {
    let machine = Machine::ready();
    let settings = machine.read(".claude/settings.json");
    let group = |line: &str| {
        format!("\"PreToolUse\": [\n      {{\"hooks\": [{{\"type\": \"command\", \"command\": \"{line}\"}}]}},")
    };
    machine.write(".claude/settings.json", &settings.replace("\"PreToolUse\": [", &group("/usr/bin/true")));
    let report = Report::of(&machine);
    report.is_live();
    assert!(report.has("others", "note", "/usr/bin/true"), "{:#?}", report.checks);
    machine.write(".claude/settings.json", &settings.replace("\"PreToolUse\": [", &group("forge-hook")));
    let report = Report::of(&machine);
    report.is_live();
    assert!(report.has("others", "warn", "counts twice"), "{:#?}", report.checks);
}

#[test]
fn two_files_that_call_different_programs_are_one_too_many() {
    let machine = Machine::ready();
    let user = ["install", "--harness", "claude-code", "--scope", "user", "--write"];
    assert!(machine.forge(&user).status.success());
    let report = Report::of(&machine);
    report.is_live();
    assert!(!report.has("others", "warn", ""), "the same command runs once: {:#?}", report.checks);
    let link = machine.elsewhere().join("forge-hook");
    std::fs::copy(env!("CARGO_BIN_EXE_forge-hook"), &link).unwrap();
    assert!(machine.forge(&[&user[..], &["--hook", link.to_str().unwrap()]].concat()).status.success());
    let report = Report::of(&machine);
    report.is_live();
    assert!(report.has("others", "warn", "counts twice"), "{:#?}", report.checks);
}

#[test]
fn without_a_test_of_a_block_a_known_rule_is_tried() {
    let machine = Machine::ready();
    machine.write("behaviors/index.yaml", "schema_version: \"1\"\nbehaviors: []\n");
    assert!(machine.forge(&["compile"]).status.success());
    assert!(machine.forge(&["install", "--harness", "codex", "--scope", "user", "--write"]).status.success());
    let report = Report::of(&machine);
    assert!(report.has("live", "note", "forge's own rule"), "{:#?}", report.checks);
    assert!(report.has("program", "warn", "no behavior is enabled"), "{:#?}", report.checks);
}

/// A behavior about one event and tool, with a test that it blocks.
fn only(machine: &Machine, event: &str, matcher: &str, step: &str) {
    machine.write("behaviors/index.yaml", "schema_version: \"1\"\nbehaviors: [{id: only}]\n");
    let behavior = format!(
        "schema_version: \"1\"\nid: only\nname: Only\ndescription: A test.\ncategory: core\nscope: session\npolicy:\n  \
         triggers: [{{event: {event}{matcher}}}]\n  enforcement: {{default_level: hard_block}}\n  recovery: {{hint: No.}}\n"
    );
    machine.write("behaviors/only/behavior.yaml", &behavior);
    let scenario = format!("schema_version: \"1\"\nscenarios:\n  - name: it blocks\n    steps: [{step}]\n");
    machine.write("behaviors/only/tests/blocks.yaml", &scenario);
}

/// Rules on loops bring no test; the doctor makes one where the shell is what they are about, and none where not.
#[test]
fn a_rule_about_a_loop_is_tried_where_it_can_be() {
    let machine = Machine::ready();
    for (matcher, when, said) in [
        ("Bash", "repeats >= 4", "1 of 1 rules"),
        ("\"*\"", "alternations >= 3", "1 of 1 rules"),
        ("\"*\"", "repeats >= 2 and command contains \"tru\"", "1 of 1 rules"),
        ("Edit", "repeats >= 3", "forge's own rule"),
        ("\"*\"", "repeats >= 3 and alternations >= 3", "forge's own rule"),
        ("\"*\"", "failure_streak >= 3", "forge's own rule"),
    ] {
        machine.write("behaviors/index.yaml", "schema_version: \"1\"\nbehaviors: [{id: loops}]\n");
        let behavior = format!(
            "schema_version: \"2\"\nid: loops\nname: Loops\ndescription: A test.\ncategory: core\nscope: session\npolicy:\n  \
             triggers:\n    - event: PreToolUse\n      matcher: {matcher}\n      when: {when}\n  enforcement: {{default_level: \
             hard_block}}\n  recovery: {{hint: No.}}\n"
        );
        machine.write("behaviors/loops/behavior.yaml", &behavior);
        assert!(machine.forge(&["compile"]).status.success(), "{behavior}");
        let report = Report::of(&machine);
        let found = report.has("live", "ok", said) || report.has("live", "note", said);
        assert!(found && !report.has("live", "fail", ""), "{matcher} {when}: {:#?}", report.checks);
    }
}

#[test]
fn what_an_agent_has_no_words_for_is_not_called_tried() {
    let machine = Machine::ready();
    only(
        &machine,
        "PreToolUse",
        ", matcher: Write",
        "{ tool: Write, file_path: a.rs, content: x, expect: hard_block }",
    );
    assert!(machine.forge(&["compile"]).status.success());
    assert!(machine.forge(&["install", "--harness", "windsurf", "--write"]).status.success());
    let report = Report::of(&machine);
    report.is_live();
    assert!(report.has("live", "ok", "1 of 1 rules"), "Claude Code: {:#?}", report.checks);
    assert!(report.has("live", "note", "forge's own rule"), "Windsurf: {:#?}", report.checks);
}

#[test]
fn a_project_that_refuses_no_tool_is_not_called_broken() {
    let machine = Machine::ready();
    only(&machine, "UserPromptSubmit", "", "{ prompt: hello, expect: hard_block }");
    assert!(machine.forge(&["compile"]).status.success());
    let report = Report::of(&machine);
    report.is_live();
    assert!(report.has("live", "note", "no block was tried"), "{:#?}", report.checks);
}

#[cfg(unix)]
#[test]
fn rules_that_everybody_can_change_and_another_version_are_warned_of() {
    use std::os::unix::fs::PermissionsExt;
    let machine = Machine::ready();
    let open = [
        ".claude",
        ".claude/settings.json",
        ".forge",
        ".forge/audit",
        ".forge/compiled",
        ".forge/compiled/on_error",
        ".forge/compiled/program.fbc",
        ".forge/config.yaml",
        ".forge/runtime",
        ".forge/runtime/state.json",
        "behaviors",
        "behaviors/index.yaml",
        "behaviors/no-destructive-git",
        "behaviors/no-destructive-git/behavior.yaml",
    ];
    machine.write(".forge/runtime/state.json", "{}");
    std::fs::create_dir_all(machine.path(".forge/audit")).unwrap();
    for name in open {
        let mode = std::fs::metadata(machine.path(name)).unwrap().permissions().mode();
        std::fs::set_permissions(machine.path(name), PermissionsExt::from_mode(mode | 0o002)).unwrap();
    }
    let old = machine.elsewhere().join("forge-hook");
    let script = format!(
        "#!/bin/sh\n[ \"$1\" = --version ] && echo forge-hook 0.0.9 && exit\nexec '{}' \"$@\"\n",
        env!("CARGO_BIN_EXE_forge-hook")
    );
    std::fs::write(&old, script).unwrap();
    std::fs::set_permissions(&old, PermissionsExt::from_mode(0o755)).unwrap();
    let install = machine.forge(&["install", "--harness", "claude-code", "--hook", old.to_str().unwrap(), "--write"]);
    assert!(install.status.success(), "{}", text(&install.stderr));
    let report = Report::of(&machine);
    report.is_live();
    let told = report.checks.iter().find(|(name, verdict, _)| name == "permissions" && verdict == "warn");
    let told = &told.expect("a warning").2;
    let told = told.split_once("can change ").unwrap().1.split_once(" -> ").unwrap().0;
    let told: Vec<&str> = told.split(", ").collect();
    let expected = open.map(|name| machine.path(name).display().to_string());
    assert_eq!(told, expected);
    assert!(report.has("hook", "warn", "forge-hook 0.0.9"), "{:#?}", report.checks);
}
