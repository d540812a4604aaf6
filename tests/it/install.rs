//! `forge init`, `install`, `uninstall` with the real programs, in folders of their own and with a home of their own.

use serde_json::Value;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use tempfile::TempDir;

/// A machine with one project on it, and nothing of the real one's.
pub(crate) struct Machine {
    folder: TempDir,
}

impl Machine {
    pub(crate) fn new() -> Self {
        let machine = Self { folder: tempfile::tempdir().unwrap() };
        std::fs::create_dir_all(machine.home()).unwrap();
        std::fs::create_dir_all(machine.root()).unwrap();
        std::fs::create_dir_all(machine.elsewhere()).unwrap();
        std::fs::create_dir_all(machine.temporary()).unwrap();
        machine
    }

    /// One with a project as `forge init` leaves it.
    pub(crate) fn ready() -> Self {
        let machine = Self::new();
        let init = machine.forge(&["init", "--yes"]);
        assert!(init.status.success(), "{}", text(&init.stderr));
        machine
    }

    pub(crate) fn home(&self) -> PathBuf {
        self.folder.path().join("home")
    }

    pub(crate) fn root(&self) -> PathBuf {
        self.folder.path().join("a project")
    }

    pub(crate) fn elsewhere(&self) -> PathBuf {
        self.folder.path().join("elsewhere")
    }

    pub(crate) fn temporary(&self) -> PathBuf {
        self.folder.path().join("temporary")
    }

    pub(crate) fn command(&self, program: &Path) -> Command {
        let mut command = Command::new(program);
        command.env("HOME", self.home()).env("USERPROFILE", self.home());
        for name in ["TMPDIR", "TMP", "TEMP"] {
            command.env(name, self.temporary());
        }
        for name in ["CLAUDE_CONFIG_DIR", "CODEX_HOME", "COPILOT_HOME", "XDG_CONFIG_HOME", "CLAUDE_PROJECT_DIR"] {
            command.env_remove(name);
        }
        command
    }

    pub(crate) fn forge(&self, arguments: &[&str]) -> Output {
        let mut command = self.command(Path::new(env!("CARGO_BIN_EXE_forge")));
        command.args(arguments).current_dir(self.root()).stdin(Stdio::null()).output().unwrap()
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.root().join(name)
    }

    pub(crate) fn read(&self, name: &str) -> String {
        std::fs::read_to_string(self.path(name)).unwrap()
    }

    pub(crate) fn write(&self, name: &str, text: &str) {
        let path = self.path(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, text).unwrap();
    }

    /// What the registered command answers in a folder that is not the project's.
    pub(crate) fn ask(&self, arguments: &[String], payload: &Value) -> Output {
        let (program, arguments) = arguments.split_first().unwrap();
        let mut command = self.command(Path::new(program));
        command.args(arguments).current_dir(self.elsewhere()).stdin(Stdio::piped()).stdout(Stdio::piped());
        let mut child = command.stderr(Stdio::piped()).spawn().unwrap();
        child.stdin.take().unwrap().write_all(payload.to_string().as_bytes()).unwrap();
        child.wait_with_output().unwrap()
    }
}

pub(crate) fn text(bytes: &[u8]) -> String {
    String::from_utf8(bytes.to_vec()).unwrap()
}

fn forced_push(machine: &Machine) -> Value {
    serde_json::json!({
        "session_id": "s", "cwd": machine.root(), "hook_event_name": "PreToolUse", "tool_name": "Bash",
        "tool_use_id": "t", "tool_input": { "command": "git push --force" },
    })
}

#[test]
fn a_new_project_refuses_a_forced_push_from_any_folder() {
    let machine = Machine::ready();
    let settings: Value = serde_json::from_str(&machine.read(".claude/settings.json")).unwrap();
    let handler = &settings["hooks"]["PreToolUse"][0]["hooks"][0];
    let mut line = vec![handler["command"].as_str().unwrap().to_owned()];
    line.extend(handler["args"].as_array().unwrap().iter().map(|word| word.as_str().unwrap().to_owned()));
    assert!(Path::new(&line[0]).is_absolute());
    let answer = machine.ask(&line, &forced_push(&machine));
    assert!(answer.status.success());
    let answer: Value = serde_json::from_slice(&answer.stdout).unwrap();
    let specific = &answer["hookSpecificOutput"];
    assert_eq!(specific["permissionDecision"], "deny");
    assert!(specific["permissionDecisionReason"].as_str().unwrap().contains("[no-destructive-git] BLOCKED"));
}

#[test]
fn codex_gets_exactly_three_keys() {
    let machine = Machine::ready();
    assert!(machine.forge(&["install", "--harness", "codex", "--write"]).status.success());
    let settings: Value = serde_json::from_str(&machine.read(".codex/hooks.json")).unwrap();
    let line = settings["hooks"]["PreToolUse"][0]["hooks"][0]["command"].as_str().unwrap().to_owned();
    let shell = if cfg!(windows) { ["cmd", "/c"] } else { ["sh", "-c"] };
    let line: Vec<String> = shell.into_iter().map(str::to_owned).chain([line]).collect();
    let answer = machine.ask(&line, &forced_push(&machine));
    let answer: Value = serde_json::from_slice(&answer.stdout).unwrap();
    let keys: Vec<_> = answer["hookSpecificOutput"].as_object().unwrap().keys().collect();
    assert_eq!(keys, ["hookEventName", "permissionDecision", "permissionDecisionReason"]);
}

#[test]
fn init_asks_first_and_writes_nothing_unasked() {
    let machine = Machine::new();
    let mut command = machine.command(Path::new(env!("CARGO_BIN_EXE_forge")));
    command.arg("init").current_dir(machine.root()).stdin(Stdio::null());
    // A session of its own has no terminal to ask at.
    #[cfg(unix)]
    let command = {
        let mut alone = machine.command(Path::new("setsid"));
        alone.args(["-w", env!("CARGO_BIN_EXE_forge"), "init"]).current_dir(machine.root()).stdin(Stdio::null());
        if alone.output().is_err() {
            eprintln!("skipped: setsid is not here");
            return;
        }
        command = alone;
        &mut command
    };
    #[cfg(not(unix))]
    let command = &mut command;
    let init = command.output().unwrap();
    assert_eq!(init.status.code(), Some(2));
    assert!(text(&init.stderr).contains("--yes"));
    assert!(text(&init.stdout).contains(".claude/settings.json"));
    assert_eq!(std::fs::read_dir(machine.root()).unwrap().count(), 0);
}

#[test]
fn init_keeps_what_is_there() {
    let machine = Machine::new();
    machine.write(".forge/config.yaml", "schema_version: \"1\"\noverride: deny\n");
    machine.write("behaviors/index.yaml", "schema_version: \"1\"\nbehaviors: []\n");
    machine.write(".claude/settings.json", "{\n  \"model\": \"opus\", // mine\n}\n");
    let init = machine.forge(&["init", "--yes"]);
    assert!(init.status.success(), "{}", text(&init.stderr));
    assert_eq!(machine.read(".forge/config.yaml"), "schema_version: \"1\"\noverride: deny\n");
    assert_eq!(machine.read("behaviors/index.yaml"), "schema_version: \"1\"\nbehaviors: []\n");
    assert!(!machine.path("behaviors/search-first").exists(), "a catalogue of one's own stays one's own");
    assert!(machine.read(".claude/settings.json").starts_with("{\n  \"model\": \"opus\", // mine\n  \"hooks\": {"));
    let said = text(&init.stdout);
    for kept in [".forge/config.yaml", "behaviors/index.yaml"] {
        assert!(said.lines().any(|line| line.contains("keep") && line.contains(kept)), "{said}");
    }
    assert!(said.lines().all(|line| line == line.trim_end()), "{said}");
    assert!(!said.contains("git push"), "nothing here refuses it, so nobody should be told to try it: {said}");
    let files =
        || ["config.yaml", ".gitignore"].map(|name| std::fs::read(machine.path(".forge").join(name)).unwrap()).concat();
    let before = (files(), machine.read(".claude/settings.json"));
    assert!(machine.forge(&["init", "--yes"]).status.success());
    assert_eq!((files(), machine.read(".claude/settings.json")), before, "a second time changes nothing");
}

#[test]
fn init_writes_nothing_beside_settings_it_does_not_understand() {
    let machine = Machine::new();
    machine.write(".claude/settings.json", "{ \"hooks\": ");
    let init = machine.forge(&["init", "--yes"]);
    assert_eq!(init.status.code(), Some(2));
    assert!(text(&init.stderr).contains("not valid JSON"), "{}", text(&init.stderr));
    assert_eq!(machine.read(".claude/settings.json"), "{ \"hooks\": ");
    assert!(!machine.path(".forge").exists() && !machine.path("behaviors").exists());
}

#[test]
fn nothing_is_written_without_being_asked_for() {
    let machine = Machine::ready();
    for harness in forge::registration::Dialect::ALL.iter().map(|dialect| dialect.harness) {
        let scope = if harness == "grok" { "user" } else { "project" };
        let arguments = ["install", "--harness", harness, "--scope", scope];
        let dry = machine.forge(&arguments);
        assert!(dry.status.success(), "{harness}: {}", text(&dry.stderr));
        let told: Value =
            serde_json::from_slice(&machine.forge(&[&arguments[..], &["--json"]].concat()).stdout).unwrap();
        assert_eq!(told["written"], false);
        let path = PathBuf::from(told["path"].as_str().unwrap());
        if harness == "claude-code" {
            assert!(text(&dry.stdout).contains("nothing to change"));
            continue;
        }
        assert!(text(&dry.stdout).contains("+++ ") && text(&dry.stdout).contains("--write"), "{harness}");
        assert!(!path.exists(), "{harness}");
        let wet = machine.forge(&[&arguments[..], &["--write"]].concat());
        assert!(wet.status.success() && path.exists(), "{harness}");
        assert!(text(&wet.stdout).contains("next: "), "{harness}");
        let gone = machine.forge(&["uninstall", "--harness", harness, "--scope", scope, "--write"]);
        assert!(gone.status.success() && !path.exists(), "{harness}: {}", text(&gone.stderr));
    }
}

#[test]
fn a_users_settings_are_found_where_the_user_has_moved_them() {
    let machine = Machine::ready();
    let mut command = machine.command(Path::new(env!("CARGO_BIN_EXE_forge")));
    command.args(["install", "--harness", "claude-code", "--scope", "user", "--write"]);
    let moved = machine.elsewhere().join("claude");
    assert!(command.current_dir(machine.elsewhere()).env("CLAUDE_CONFIG_DIR", &moved).status().unwrap().success());
    let settings = std::fs::read_to_string(moved.join("settings.json")).unwrap();
    for event in ["SessionStart", "UserPromptSubmit", "PreToolUse", "PostToolUse", "PostToolUseFailure", "Stop"] {
        assert!(settings.contains(&format!("\"{event}\": [")), "{settings}");
    }
    assert!(!machine.home().join(".claude").exists());
}

#[cfg(unix)]
#[test]
fn a_link_is_followed_and_the_mode_kept() {
    use std::os::unix::fs::PermissionsExt;
    let machine = Machine::new();
    machine.write("behaviors/index.yaml", "schema_version: \"1\"\nbehaviors: []\n");
    machine.write("dotfiles/settings.json", "{\"a\": 1}\n");
    std::fs::create_dir_all(machine.path(".claude")).unwrap();
    std::fs::set_permissions(machine.path("dotfiles/settings.json"), PermissionsExt::from_mode(0o600)).unwrap();
    std::os::unix::fs::symlink("../dotfiles/settings.json", machine.path(".claude/settings.json")).unwrap();
    assert!(machine.forge(&["install", "--harness", "claude-code", "--write"]).status.success());
    assert!(machine.path(".claude/settings.json").is_symlink());
    assert!(machine.read("dotfiles/settings.json").contains("forge-hook"));
    let mode = std::fs::metadata(machine.path("dotfiles/settings.json")).unwrap().permissions().mode();
    assert_eq!(mode & 0o777, 0o600);
    assert!(machine.forge(&["uninstall", "--harness", "claude-code", "--write"]).status.success());
    assert_eq!(machine.read("dotfiles/settings.json"), "{\"a\": 1}\n");
    assert_eq!(std::fs::read_dir(machine.path("dotfiles")).unwrap().count(), 1, "no temporary file stays");
}

#[test]
fn what_cannot_be_done_is_said_with_a_way_out() {
    let machine = Machine::ready();
    machine.write("mine.js", "export const Mine = 1;\n");
    let cases: &[(&[&str], &str)] = &[
        (&["install", "--harness", "emacs"], "unknown harness `emacs`; known are claude-code, codex"),
        (&["install", "--harness", "claude"], "unknown harness `claude`; did you mean `claude-code`?"),
        (&["install", "--harness", "vscode"], "install into one of them"),
        (&["install", "--harness", "grok"], "no settings of scope `project`; use `user`"),
        (&["install", "--harness", "codex", "--hook", "./nowhere"], "there is no `forge-hook` here"),
        (&["install", "--harness", "opencode", "--file", "mine.js"], "not a plugin that forge wrote"),
    ];
    for (arguments, why) in cases {
        let refused = machine.forge(arguments);
        assert_eq!(refused.status.code(), Some(2));
        assert!(text(&refused.stderr).contains(why), "{arguments:?}: {}", text(&refused.stderr));
    }
    assert_eq!(machine.read("mine.js"), "export const Mine = 1;\n");
}

#[test]
fn compile_keeps_the_registration_up_to_the_program() {
    let machine = Machine::new();
    machine.write("behaviors/index.yaml", "schema_version: \"1\"\nbehaviors: []\n");
    let first = machine.forge(&["compile"]);
    assert!(first.status.success(), "{}", text(&first.stderr));
    assert!(text(&first.stdout).contains("registered in .claude/settings.json"));
    assert!(!machine.read(".claude/settings.json").contains("PreToolUse"), "no behavior, no event");
    let again = machine.forge(&["compile"]);
    assert!(!text(&again.stdout).contains("registered"), "{}", text(&again.stdout));

    // Where forge was put by hand, it stays, and so does the path it was given.
    assert!(machine.forge(&["uninstall", "--harness", "claude-code", "--write"]).status.success());
    let install = ["install", "--harness", "claude-code", "--scope", "local", "--hook", "forge-hook", "--write"];
    assert!(machine.forge(&install).status.success());
    let rule = include_str!("../../behaviors/no-destructive-git/behavior.yaml");
    machine.write("behaviors/no-destructive-git/behavior.yaml", rule);
    let index = "schema_version: \"1\"\nbehaviors:\n  - id: no-destructive-git\n    enabled: true\n";
    machine.write("behaviors/index.yaml", index);
    let second = machine.forge(&["compile"]);
    assert!(text(&second.stdout).contains("registered in .claude/settings.local.json"), "{}", text(&second.stdout));
    assert!(!machine.path(".claude/settings.json").exists());
    let local: Value = serde_json::from_str(&machine.read(".claude/settings.local.json")).unwrap();
    assert_eq!(local["hooks"]["PreToolUse"][0]["matcher"], "Bash|Monitor|PowerShell");
    assert_eq!(local["hooks"]["PreToolUse"][0]["hooks"][0]["command"], "forge-hook");

    // Settings that are not understood are left alone, and the program is there all the same.
    machine.write(".claude/settings.local.json", "{}");
    machine.write(".claude/settings.json", "{ \"hooks\": ");
    let refused = machine.forge(&["compile", "--force"]);
    assert_eq!(refused.status.code(), Some(2));
    assert!(text(&refused.stderr).contains("not valid JSON"));
    assert_eq!(machine.read(".claude/settings.json"), "{ \"hooks\": ");
    assert!(machine.path(".forge/compiled/program.fbc").exists());
    assert!(machine.forge(&["compile", "--no-settings"]).status.success());
}

#[test]
fn the_page_on_installing_names_every_file() {
    let page = include_str!("../../docs/installing.md");
    for dialect in forge::registration::Dialect::ALL {
        let row = page.lines().find(|line| line.starts_with(&format!("| `{}` |", dialect.harness)));
        let row = row.unwrap_or_else(|| panic!("no row for {}", dialect.harness));
        let machine = Machine::new();
        machine.write("behaviors/index.yaml", "");
        for (scope, cell) in ["user", "project", "local"].into_iter().zip(row.split('|').skip(2)) {
            let arguments = ["install", "--harness", dialect.harness, "--scope", scope, "--json"];
            let told = machine.forge(&arguments);
            assert_eq!(told.status.success(), cell.trim() != "–", "{} {scope}", dialect.harness);
            let Ok(told) = serde_json::from_slice::<Value>(&told.stdout) else { continue };
            let path = PathBuf::from(told["path"].as_str().unwrap());
            let name = path.file_name().unwrap().to_str().unwrap();
            assert!(cell.contains(name) || cell.contains("the same"), "{}: {cell} has no {name}", dialect.harness);
        }
    }
}

#[test]
fn a_file_that_changed_meanwhile_is_not_overwritten() {
    let (machine, host) = (Machine::new(), forge::host::OsHost::new());
    machine.write(".claude/settings.json", "{\"a\": 1}\n");
    let dialect = forge::registration::Dialect::named("claude-code").unwrap();
    let scope = forge::registration::Scope::Project;
    let target = forge::registration::Target::new(&host, dialect, scope, &machine.root()).unwrap();
    let needs = forge::registration::Needs::new([], false, false);
    let plan = target.install(&host, &needs, "forge-hook").unwrap();
    machine.write(".claude/settings.json", "{\"a\": 2}\n");
    let refused = plan.write(&host).unwrap_err().to_string();
    assert!(refused.contains("changed by someone else meanwhile"), "{refused}");
    assert_eq!(machine.read(".claude/settings.json"), "{\"a\": 2}\n");
}

#[test]
fn the_plugin_for_opencode_throws_what_is_refused_and_lets_the_rest_run() {
    let machine = Machine::ready();
    assert!(machine.forge(&["install", "--harness", "opencode", "--write"]).status.success());
    let script = r#"
        import { Forge } from "./plugin.mjs";
        const plugin = await Forge({ directory: process.argv[2] });
        for (const command of ["git push --force", "git status"]) {
            try {
                await plugin["tool.execute.before"]({ tool: "bash", sessionID: "s", callID: "c" }, { args: { command } });
                console.log("ran");
            } catch (error) {
                console.log(error.message.split("\n")[0]);
            }
        }
    "#;
    std::fs::write(machine.elsewhere().join("plugin.mjs"), machine.read(".opencode/plugins/forge.js")).unwrap();
    std::fs::write(machine.elsewhere().join("script.mjs"), script).unwrap();
    let mut node = machine.command(Path::new("node"));
    let Ok(ran) = node.arg("script.mjs").arg(machine.root()).current_dir(machine.elsewhere()).output() else {
        eprintln!("skipped: node is not here");
        return;
    };
    let said = text(&ran.stdout);
    assert!(said.starts_with("**[no-destructive-git] BLOCKED:**"), "{said}{}", text(&ran.stderr));
    assert!(said.ends_with("\nran\n"), "{said}");
}
