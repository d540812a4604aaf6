//! The real `forge` on real folders.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// A project in a folder of its own, removed at the end.
pub(crate) struct Project {
    folder: tempfile::TempDir,
}

impl Project {
    pub(crate) fn new() -> Self {
        Self { folder: tempfile::tempdir().unwrap() }
    }

    /// In a folder whose name begins so.
    pub(crate) fn named(start: &str) -> Self {
        Self { folder: tempfile::Builder::new().prefix(start).tempdir().unwrap() }
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    pub(crate) fn write(&self, name: &str, text: impl AsRef<[u8]>) {
        let path = self.path(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }

    pub(crate) fn copy(&self, from: &Path) {
        self.copy_into(from, "");
    }

    /// Copies what is in a folder into one of the project's.
    pub(crate) fn copy_into(&self, from: &Path, into: &str) {
        let mut folders = vec![from.to_path_buf()];
        while let Some(folder) = folders.pop() {
            for entry in fs::read_dir(folder).unwrap() {
                let path = entry.unwrap().path();
                if path.is_dir() {
                    folders.push(path);
                } else {
                    let name = Path::new(into).join(path.strip_prefix(from).unwrap());
                    self.write(name.to_str().unwrap(), fs::read(&path).unwrap());
                }
            }
        }
    }

    /// Two behaviors that make sense.
    fn good() -> Self {
        let project = Self::new();
        project.write(
            "behaviors/index.yaml",
            "schema_version: \"1\"\nbehaviors: [{id: one}, {id: two, enabled: false}]\n",
        );
        for id in ["one", "two"] {
            let text = crate::yaml::behavior(id, "1", "    - {event: PreToolUse, matcher: Bash}\n    - event: Stop\n");
            project.write(&format!("behaviors/{id}/behavior.yaml"), text);
        }
        project
    }

    fn program(&self) -> Option<Vec<u8>> {
        fs::read(self.path(".forge/compiled/program.fbc")).ok()
    }
}

/// What a run of `forge` came to.
pub(crate) struct Ran {
    pub(crate) code: i32,
    pub(crate) stdout: String,
    pub(crate) stderr: String,
}

impl Ran {
    pub(crate) fn of(command: &mut Command) -> Self {
        let out = command.output().unwrap();
        Self {
            code: out.status.code().unwrap(),
            stdout: String::from_utf8(out.stdout).unwrap(),
            stderr: String::from_utf8(out.stderr).unwrap(),
        }
    }
}

/// Runs `forge` in the project's folder.
pub(crate) fn forge(project: &Project, arguments: &[&str]) -> Ran {
    Ran::of(
        Command::new(env!("CARGO_BIN_EXE_forge"))
            .args(arguments)
            .current_dir(project.folder.path())
            .env_remove("CLICOLOR_FORCE")
            // The person who runs the tests may have rules of their own.
            .env("XDG_CONFIG_HOME", "/nowhere"),
    )
}

#[test]
fn a_good_project_compiles_once() {
    let project = Project::good();
    let ran = forge(&project, &["compile", "--no-settings"]);
    assert_eq!((ran.code, ran.stderr.as_str()), (0, ""), "{}", ran.stdout);
    assert!(ran.stdout.starts_with("compiled 1 behavior for PreToolUse, Stop to "), "{}", ran.stdout);
    let first = project.program().unwrap();
    let written = fs::metadata(project.path(".forge/compiled/program.fbc")).unwrap().modified().unwrap();

    let ran = forge(&project, &["compile"]);
    assert!(ran.code == 0 && ran.stdout.starts_with("up to date"), "{}", ran.stdout);
    assert_eq!(fs::metadata(project.path(".forge/compiled/program.fbc")).unwrap().modified().unwrap(), written);

    let ran = forge(&project, &["compile", "--force"]);
    assert!(ran.stdout.starts_with("compiled"), "{}", ran.stdout);
    assert_eq!(project.program().unwrap(), first, "the same sources give the same bytes");
    let mut left: Vec<_> =
        fs::read_dir(project.path(".forge/compiled")).unwrap().map(|entry| entry.unwrap().file_name()).collect();
    left.sort();
    assert_eq!(left, ["on_error", "program.fbc", "program.lock", "told"], "no temporary file stays");
}

#[test]
fn a_changed_source_or_setting_or_a_damaged_program_is_compiled_again() {
    let project = Project::good();
    forge(&project, &["compile"]);
    let first = project.program().unwrap();
    project.write(".forge/config.yaml", "schema_version: \"1\"\noverride: ask\n");
    assert!(forge(&project, &["compile"]).stdout.starts_with("compiled"));
    assert_ne!(project.program().unwrap(), first);
    fs::remove_file(project.path(".forge/config.yaml")).unwrap();
    assert!(forge(&project, &["compile"]).stdout.starts_with("compiled"));
    assert_eq!(project.program().unwrap(), first);
    fs::remove_file(project.path(".forge/compiled/on_error")).unwrap();
    assert!(forge(&project, &["compile"]).stdout.starts_with("compiled"));
    assert_eq!(fs::read_to_string(project.path(".forge/compiled/on_error")).unwrap(), "allow\n");
    let mut damaged = first.clone();
    *damaged.last_mut().unwrap() ^= 1;
    project.write(".forge/compiled/program.fbc", &damaged);
    assert!(forge(&project, &["compile"]).stdout.starts_with("compiled"));
    assert_eq!(project.program().unwrap(), first);
}

#[test]
fn errors_of_all_files_come_in_one_run_and_nothing_is_written() {
    let project = Project::good();
    forge(&project, &["compile"]);
    let before = project.program();
    project.write(".forge/config.yaml", "schema_version: \"1\"\noverride: never\n");
    project.write("behaviors/index.yaml", "schema_version: \"1\"\nbehaviors: [{id: one, enable: true}, {id: two}]\n");
    let text = crate::yaml::behavior("one", "1", "    - event: PreTool\n");
    project.write("behaviors/one/behavior.yaml", text);
    let ran = forge(&project, &["compile", "--force"]);
    assert_eq!((ran.code, ran.stderr.as_str()), (1, ""));
    for told in [".forge/config.yaml:2:11", "behaviors/index.yaml:2:23", "behaviors/one/behavior.yaml:9:14"] {
        assert!(ran.stdout.contains(told), "{told} is missing in\n{}", ran.stdout);
    }
    assert!(ran.stdout.ends_with("nothing written: 3 errors\n"), "{}", ran.stdout);
    assert_eq!(project.program(), before);
    let report: serde_json::Value = serde_json::from_str(&forge(&project, &["compile", "--json"]).stdout).unwrap();
    assert_eq!(report["errors"], 3);
    assert_eq!(report["outcome"], "failed");
}

#[test]
fn dry_run_and_validate_write_nothing() {
    for (argument, said) in [("--dry-run", "would compile 1 behavior"), ("--validate", "checked 1 behavior")] {
        let project = Project::good();
        let ran = forge(&project, &["compile", argument]);
        assert_eq!(ran.code, 0);
        assert!(ran.stdout.starts_with(said), "{}", ran.stdout);
        assert!(!project.path(".forge").exists());
    }
}

#[test]
fn the_project_is_found_upward_or_named() {
    let project = Project::good();
    fs::create_dir_all(project.path("deep/er")).unwrap();
    let elsewhere = Project::new();
    let root = project.folder.path().to_str().unwrap();
    assert_eq!(forge(&elsewhere, &["compile", "--root", root]).code, 0);
    let out = Command::new(env!("CARGO_BIN_EXE_forge")).arg("compile").current_dir(project.path("deep/er")).output();
    assert!(String::from_utf8(out.unwrap().stdout).unwrap().starts_with("up to date"));
    let ran = forge(&elsewhere, &["compile", "--root", "nowhere"]);
    assert_eq!(ran.code, 2);
    assert!(ran.stderr.starts_with("forge: nowhere: cannot open the project"), "{}", ran.stderr);
}

#[test]
fn compilers_at_once_take_turns() {
    let project = Project::good();
    std::thread::scope(|scope| {
        for _ in 0..8 {
            scope.spawn(|| {
                let ran = forge(&project, &["compile", "--force"]);
                assert_eq!((ran.code, ran.stderr.as_str()), (0, ""), "{}", ran.stdout);
            });
        }
    });
    assert!(forge(&project, &["compile"]).stdout.starts_with("up to date"));
}

#[test]
fn sync_compiles_where_there_is_something_to_compile() {
    let project = Project::good();
    assert!(forge(&project, &["sync"]).stdout.starts_with("compiled"));
    let empty = Project::new();
    fs::create_dir(empty.path(".forge")).unwrap();
    let ran = forge(&empty, &["sync"]);
    assert_eq!((ran.code, ran.stdout.as_str()), (0, "nothing to compile: no `behaviors/`\n"));
    assert_eq!(forge(&empty, &["compile"]).code, 1, "but compile needs an index");
}

#[test]
fn the_same_sources_give_the_same_bytes_wherever_they_stand() {
    // Two processes, so that nothing that is seeded per process can decide the order of anything.
    let compiled = || {
        let project = Project::new();
        project.copy_into(&Path::new(env!("CARGO_MANIFEST_DIR")).join("behaviors"), "behaviors");
        let ran = forge(&project, &["compile", "--no-settings"]);
        assert_eq!(ran.code, 0, "{}", ran.stdout);
        project.program().unwrap()
    };
    assert!(compiled() == compiled());
}

/// More than one thread has a share of, so that several read them.
#[test]
fn many_behaviors_stand_in_the_order_of_the_index() {
    let project = Project::new();
    let ids: Vec<String> = (0..60).map(|number| format!("rule-{}", number * 37 % 60)).collect();
    let list: String = ids.iter().map(|id| format!("  - id: {id}\n")).collect();
    project.write("behaviors/index.yaml", format!("schema_version: \"1\"\nbehaviors:\n{list}"));
    for id in &ids {
        let text = crate::yaml::behavior(id, "1", "    - {event: PreToolUse, matcher: Bash}\n");
        project.write(&format!("behaviors/{id}/behavior.yaml"), text);
    }
    let ran = forge(&project, &["compile", "--no-settings", "--json"]);
    let report: serde_json::Value = serde_json::from_str(&ran.stdout).unwrap();
    assert_eq!(report["behaviors"], serde_json::json!(ids));
}
