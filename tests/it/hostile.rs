//! A program, and files in `.forge/`, made by an adversary: what `docs/security.md` says they cannot do.

use crate::cli::Project;
use crate::process::{Answer, bash, hook, project};
use forge::bytecode::assemble::assemble;
use forge::bytecode::program::Program;
use forge::bytecode::{Work, container, verify};
use forge::limits;
use forge::model::{Call, Event, Field, Input, OverridePolicy, Profile, Signals, Timestamp};
use forge::{store, vm};
use std::fs;

/// One block for Bash with these patterns, tried one after another on the command as often as `times` says.
fn trying(pattern: &str, times: usize) -> Program<'static> {
    let tests = "    matches command p0\n".repeat(times);
    let text = format!(
        "block 0 \"a\" \"A\" hard_block\n  hint \"h\"\n  {pattern}\n  routine PreToolUse\n{tests}    end\n\
         dispatch PreToolUse\n  tool \"Bash\" 0\n"
    );
    assemble(&text, &mut |_| Vec::new()).unwrap()
}

/// Whether the machine gives up on a command when it has this share of the work it may do; a sixteenth shows as much.
fn is_too_much(program: &Program<'_>, command: &str, share: u64) -> bool {
    let bytes = container::write(program).unwrap();
    let mut call = Call::new(Event::PreToolUse, "Bash", "{}", store::input_hash);
    call.fields.set(Field::Command, command);
    let work = Work::of(limits::WORK_PER_EVENT / share);
    let part = verify(container::select_within(&bytes[..], &call, &work).unwrap()).unwrap();
    let (signals, profile) = (Signals::default(), Profile::Standard);
    let overrides = OverridePolicy::Ask;
    let input = Input { call: &call, session: None, signals, now: Timestamp(0), profile, overrides };
    drop(vm::run_within(&part, input, &work));
    work.is_spent()
}

/// A project whose program looks for a very long text, and a call in which that is slow.
pub(crate) fn costly_event(project: &Project) -> Vec<u8> {
    let literal = "z".repeat(30_000);
    let program = trying(&format!("pattern \"z\" \"z\" \"{literal}\" folded"), 8);
    fs::write(project.path(".forge/compiled/program.fbc"), container::write(&program).unwrap()).unwrap();
    bash(&"a".repeat(1 << 18)).to_string().into_bytes()
}

#[test]
fn patterns_that_are_compiled_again_and_again_are_stopped() {
    // 200,000 tests fit into the code of one routine. One pattern takes all the memory it may, one more than that, and
    // one is large before it is anything else.
    for pattern in [r"[\\pL\\pN]{20}".to_owned(), r"[\\pL\\pN]{800}".to_owned(), r"(?i:\\pL)?".repeat(1_000)] {
        assert!(is_too_much(&trying(&format!("pattern \"x\" \"{pattern}\""), 200_000), "git push", 16));
    }
}

/// A text of two letters in no order.
fn noise(length: u32) -> String {
    (0..length).map(|i| if i.wrapping_mul(2_654_435_761) >> 31 == 0 { 'a' } else { 'b' }).collect()
}

#[test]
fn a_search_that_makes_a_large_state_for_each_byte_is_stopped() {
    assert!(is_too_much(&trying("pattern \"x\" \"[ab]*a[ab]{4000}c\"", 2), &noise(1_000_000), 16));
}

#[test]
fn a_search_by_the_slowest_engine_is_stopped() {
    // Word edges in Unicode, which no compiler of ours writes.
    assert!(is_too_much(&trying("pattern \"x\" \"\\\\b(?:[ab]{0,900}){3}c\"", 50), &noise(1_000_000), 16));
}

#[test]
fn what_honest_rules_cost_is_far_below() {
    let honest = trying("pattern \"x\" \"[a-z ]*push\" \"push\"", 1_000);
    assert!(!is_too_much(&honest, &"git push ".repeat(2_000), 1));
}

#[test]
fn each_byte_that_is_looked_at_costs() {
    let cost = |per: &str| {
        let text = format!(
            "block 0 \"a\" \"A\" nudge\n  hint \"h\"\n  {per}\n  text \"abc\"\n  routine PreToolUse\n    \
             contains command t0\n    at 0 0:1:1\n    violate 0\ndispatch PreToolUse\n  tool \"Bash\" 0\nfile \"f\"\n"
        );
        let program = verify(assemble(&text, &mut |_| Vec::new()).unwrap()).unwrap();
        let mut call = Call::new(Event::PreToolUse, "Bash", "{}", store::input_hash);
        call.fields.set(Field::Command, "0123456789");
        let (signals, profile, overrides) = (Signals::default(), Profile::Standard, OverridePolicy::Ask);
        let spends = |bytes: u64| {
            let work = Work::of(bytes);
            let input = Input { call: &call, session: None, signals, now: Timestamp(0), profile, overrides };
            drop(vm::run_within(&program, input, &work));
            work.is_spent()
        };
        (0..).take_while(|bytes| spends(*bytes)).last().unwrap()
    };
    // Both texts and the instruction; and four times what is hashed.
    assert_eq!(cost(""), 10 + 3 + 1);
    assert_eq!(cost("once-per command"), 10 + 3 + 1 + 4 * 10);
}

#[test]
fn a_template_of_names_of_names_fills_no_memory() {
    let name = "n".repeat(100_000);
    let pieces = "{behavior_name} ".repeat(20_000);
    let text = format!(
        "block 0 \"a\" \"{name}\" nudge\n  hint \"h\"\n  nudge {pieces}\n  routine PreToolUse\n    at 0 0:1:1\n    \
         violate 0\ndispatch PreToolUse\n  tool \"Bash\" 0\nfile \"f\"\n"
    );
    let program = assemble(&text, &mut |_| Vec::new()).unwrap();
    let project = project("nudge", "");
    fs::write(project.path(".forge/compiled/program.fbc"), container::write(&program).unwrap()).unwrap();
    let Answer { stdout, .. } = hook(&project, bash("x").to_string().as_bytes());
    assert!(!stdout.is_empty());
    assert!(stdout.len() < 4 * limits::SPEECH_BYTES, "{} bytes", stdout.len());
}

/// Names below `.forge/` that forge reads or writes, with the session and the input of [`bash`].
const NAMES: &[&str] = &[
    "runtime/state.json",
    "runtime/state.json.tmp",
    "runtime/state.json.previous",
    "runtime/lock",
    "runtime/state.lock/pid",
    "compiled/program.fbc",
    "compiled/on_error",
    "compiled/prices",
    "audit/overrides.log",
    "audit/overrides.chain",
    "config.yaml",
    ".gitignore",
];

/// A project whose first block of a call is overridden by the next, so that every file is written.
#[cfg(unix)]
fn overridden_project() -> Project {
    let project = project("soft_block", "override: retry");
    fs::create_dir_all(project.path(".forge/runtime")).unwrap();
    fs::create_dir_all(project.path(".forge/audit")).unwrap();
    project
}

#[cfg(unix)]
fn replace(project: &Project, name: &str) -> std::path::PathBuf {
    let path = project.path(".forge").join(name);
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    let _ = fs::remove_file(&path);
    path
}

#[cfg(unix)]
#[test]
fn a_pipe_or_a_device_at_a_name_of_ours_holds_nobody_up() {
    for name in NAMES {
        for make in MAKES {
            let project = overridden_project();
            make_at(&replace(&project, name), make);
            for _ in 0..2 {
                let answer = within_seconds(20, &project);
                assert!(answer.is_some(), "{make} at {name}: the hook does not end");
            }
        }
    }
}

/// What may hold a reader up: the last is a plain file to the system, and root waits for the kernel to say something.
#[cfg(unix)]
const MAKES: &[&str] =
    &["mkfifo \"$0\"", "ln -s /dev/zero \"$0\"", "ln -s /dev/tty \"$0\"", "ln -s . \"$0\"", "ln -s /proc/kmsg \"$0\""];

#[cfg(unix)]
fn make_at(path: &std::path::Path, make: &str) {
    assert!(std::process::Command::new("sh").args(["-c", make]).arg(path).status().unwrap().success());
}

#[cfg(unix)]
#[test]
fn a_pipe_or_a_device_holds_no_command_up() {
    // Everything a repository can bring, and the commands that read it.
    let all: &[(&str, &[&str])] = &[
        ("behaviors/index.yaml", &["compile", "status", "doctor"]),
        ("behaviors/guard/behavior.yaml", &["compile", "check", "behavior list"]),
        ("behaviors/guard/tests/one.yaml", &["test", "doctor"]),
        (".forge/config.yaml", &["compile", "audit"]),
        (".forge/prices.yaml", &["compile"]),
        (".forge/compiled/program.fbc", &["compile", "disasm", "status"]),
        (".forge/compiled/program.lock", &["compile --force"]),
        (".forge/runtime/state.json", &["status", "audit --no-registry"]),
        (".forge/audit/overrides.log", &["status", "audit verify"]),
        (".forge/audit/overrides.chain", &["audit verify"]),
        (".claude/settings.json", &["compile", "install --harness claude-code", "doctor"]),
        ("registry/projects.yml", &["audit"]),
    ];
    for (name, commands) in all {
        for make in ["mkfifo \"$0\"", "ln -s /dev/zero \"$0\"", "ln -s /proc/kmsg \"$0\""] {
            let project = overridden_project();
            let path = project.path(name);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            let _ = fs::remove_file(&path);
            make_at(&path, make);
            for command in *commands {
                let mut timeout = std::process::Command::new("timeout");
                timeout.args(["60", env!("CARGO_BIN_EXE_forge")]).args(command.split(' '));
                timeout.current_dir(project.path("")).stdin(std::process::Stdio::null());
                let output = timeout.env("XDG_CONFIG_HOME", "/nowhere").output().unwrap();
                let is_answer = matches!(output.status.code(), Some(0..=2));
                assert!(is_answer, "{command} with {make} at {name}: {output:?}");
            }
        }
    }
}

#[cfg(unix)]
#[test]
fn a_pipe_in_place_of_a_transcript_holds_nobody_up() {
    let project = overridden_project();
    watching(&project);
    for make in MAKES {
        let path = project.path("transcript.jsonl");
        let _ = fs::remove_file(&path);
        make_at(&path, make);
        let mut payload = bash("forbidden");
        payload["transcript_path"] = path.to_str().unwrap().into();
        assert!(answer_within_seconds(20, &project, &payload).is_some(), "{make}");
    }
}

/// A state in which one session has very many things costs what its bytes cost, not their square: the file is read and
/// written whole, and with the square no hook would end before its harness lets the call through.
#[cfg(unix)]
#[test]
fn very_many_flags_or_behaviors_hold_nobody_up() {
    for (key, value) in [("flags", "{}"), ("behaviors", "{}"), ("behavior_overrides", "{}"), ("others", "0")] {
        let project = overridden_project();
        let members: Vec<String> = (0..100_000).map(|at| format!("\"{at}\":{value}")).collect();
        let session = bash("")["session_id"].clone();
        let state =
            format!("{{\"schema_version\":\"1\",\"sessions\":{{{session}:{{\"{key}\":{{{}}}}}}}}}", members.join(","));
        project.write(".forge/runtime/state.json", &state);
        assert!(within_seconds(60, &project).is_some(), "{key}");
        let text = fs::read_to_string(project.path(".forge/runtime/state.json")).unwrap();
        assert!(text.contains("\"99999\""), "{key} are kept");
    }
}

/// The hook's answer, if it comes in time.
#[cfg(unix)]
fn within_seconds(most: u64, project: &Project) -> Option<String> {
    answer_within_seconds(most, project, &bash("forbidden"))
}

#[cfg(unix)]
fn answer_within_seconds(most: u64, project: &Project, payload: &serde_json::Value) -> Option<String> {
    let mut command = std::process::Command::new("timeout");
    command.arg(most.to_string()).arg(env!("CARGO_BIN_EXE_forge-hook")).args(["--harness", "claude-code"]);
    command.arg("--root").arg(project.path("")).stdin(std::process::Stdio::piped());
    let child = command.stdout(std::process::Stdio::piped()).stderr(std::process::Stdio::null()).spawn();
    let mut child = child.unwrap();
    std::io::Write::write_all(&mut child.stdin.take().unwrap(), payload.to_string().as_bytes()).unwrap();
    let output = child.wait_with_output().unwrap();
    output.status.success().then(|| String::from_utf8(output.stdout).unwrap())
}

#[cfg(unix)]
#[test]
fn nothing_behind_a_link_is_written_or_copied() {
    const MINE: &str = "{\"schema_version\":\"1\",\"mine\":\"secret\",\"sessions\":{\"s\":{\"counter\":[]}}}";
    for name in NAMES {
        for kind in ["symbolic", "hard"] {
            let project = overridden_project();
            // Beside the project, so that a hard link is possible at all.
            let outside = tempfile::tempdir_in(project.path("").parent().unwrap()).unwrap();
            let target = outside.path().join("target");
            fs::write(&target, MINE).unwrap();
            let path = replace(&project, name);
            match kind {
                "hard" => fs::hard_link(&target, path).unwrap(),
                _ => std::os::unix::fs::symlink(&target, path).unwrap(),
            }
            hook(&project, bash("forbidden").to_string().as_bytes());
            hook(&project, bash("forbidden").to_string().as_bytes());
            crate::cli::forge(&project, &["compile", "--no-settings", "--force"]);
            assert_eq!(fs::read_to_string(&target).unwrap(), MINE, "{kind} link at {name}");
            assert_eq!(fs::read_dir(outside.path()).unwrap().count(), 1, "{kind} link at {name}");
            if kind == "symbolic" {
                for file in fs::read_dir(project.path(".forge/runtime")).unwrap() {
                    let path = file.unwrap().path();
                    let is_copy =
                        path.is_file() && !path.is_symlink() && fs::read_to_string(&path).unwrap().contains("secret");
                    assert!(!is_copy, "{name} was copied to {}", path.display());
                }
            }
        }
    }
}

/// Adds a rule that watches the session's transcripts.
#[cfg(unix)]
fn watching(project: &Project) {
    let text = fs::read_to_string("behaviors/runaway-loop/behavior.yaml").unwrap();
    project.write("behaviors/runaway-loop/behavior.yaml", text);
    project.write(
        "behaviors/index.yaml",
        "schema_version: \"1\"\nbehaviors: [{id: guard}, {id: runaway-loop, enabled: true}]\n",
    );
    crate::process::compile(project);
}

/// The plain files below a folder, with their bytes.
#[cfg(unix)]
fn files_below(folder: &std::path::Path) -> std::collections::BTreeMap<std::path::PathBuf, Vec<u8>> {
    let mut files = std::collections::BTreeMap::new();
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        match path.is_dir() {
            true => files.extend(files_below(&path)),
            false => drop(files.insert(path.clone(), fs::read(&path).unwrap())),
        }
    }
    files
}

/// Such a link could lead to the user's own rules: to compile in this repository would replace them.
#[cfg(unix)]
#[test]
fn a_project_folder_that_is_a_link_is_obeyed_and_not_written_into() {
    let project = overridden_project();
    watching(&project);
    let outside = tempfile::tempdir_in(project.path("").parent().unwrap()).unwrap();
    fs::rename(project.path(".forge"), outside.path().join(".forge")).unwrap();
    std::os::unix::fs::symlink(outside.path().join(".forge"), project.path(".forge")).unwrap();
    let before = files_below(outside.path());
    for _ in 0..2 {
        let answer = hook(&project, bash("forbidden").to_string().as_bytes());
        assert_eq!(answer.decision(), "deny", "{answer:?}");
        assert!(answer.stderr.contains(".forge is a link"), "{answer:?}");
    }
    for command in [&["compile", "--no-settings", "--force"][..], &["init", "--yes", "--harness", "claude-code"]] {
        assert_ne!(crate::cli::forge(&project, command).code, 0, "{command:?}");
    }
    let told = crate::cli::forge(&project, &["doctor"]);
    assert!(told.stdout.contains(".forge is a link"), "{}", told.stdout);
    assert_eq!(files_below(outside.path()), before);
}

#[cfg(unix)]
#[test]
fn no_folder_of_ours_that_is_a_link_is_written_into() {
    for folder in ["runtime", "runtime/signals", "audit", "compiled"] {
        let project = overridden_project();
        let outside = tempfile::tempdir().unwrap();
        let path = project.path(".forge").join(folder);
        let _ = fs::remove_dir_all(&path);
        if folder == "runtime/signals" {
            watching(&project);
        }
        std::os::unix::fs::symlink(outside.path(), &path).unwrap();
        hook(&project, bash("forbidden").to_string().as_bytes());
        let again = hook(&project, bash("forbidden").to_string().as_bytes());
        crate::cli::forge(&project, &["compile", "--no-settings", "--force"]);
        assert_eq!(fs::read_dir(outside.path()).unwrap().count(), 0, "{folder}: {again:?}");
        assert!(folder == "audit" || !again.stderr.is_empty(), "{folder}: nobody is told");
    }
}
