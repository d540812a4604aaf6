//! Projects to measure in: the package's own catalogue, made longer, compiled by `forge`; states with many sessions.

use crate::workshop;
use std::fmt::Write;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{SystemTime, UNIX_EPOCH};

/// The behaviors of the package that are measured: six.
const OURS: &[&str] = &[
    "protect-governance",
    "no-destructive-git",
    "search-first",
    "verify-before-done",
    "respect-todo-state",
    "plan-before-code",
];

/// Which behaviors a project has besides the six.
#[derive(Clone, Copy, Default)]
pub(crate) struct Extra {
    /// So many about tools of their own, ten to a tool, five conditions each.
    pub(crate) elsewhere: usize,
    /// So many about `Bash`, five conditions each, none of which ever holds.
    pub(crate) bash: usize,
    /// One that nudges at the word `violation` in a command, and ten with word edges that look for other words.
    pub(crate) watchful: bool,
    /// One whose pattern is too large for an automaton and has no literal.
    pub(crate) fallback: bool,
    /// The catalogue's rules on signals, or the same without a question about signals.
    pub(crate) wires: Option<Wires>,
}

/// The rules of the catalogue that watch a session.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Wires {
    Watching,
    /// They ask for a count that is never reached instead, so that everything but the signals costs the same.
    Blind,
}

const RUNAWAY: &[&str] = &["runaway-spend", "runaway-spend-warning", "runaway-loop", "runaway-failures"];

/// A fresh project under this name.
pub(crate) fn make(name: &str, extra: Extra) -> PathBuf {
    let root = workshop().join("projects").join(name);
    // A first run has nothing to remove.
    let _ = fs::remove_dir_all(&root);
    write(&root, extra);
    compile(&root, &["--force"]);
    root
}

/// The sources alone.
pub(crate) fn write(root: &Path, extra: Extra) {
    let ours = Path::new(env!("CARGO_MANIFEST_DIR")).join("behaviors");
    let mut ids = Vec::new();
    let mut add = |id: &str, text: &str| {
        let folder = root.join("behaviors").join(id);
        fs::create_dir_all(&folder).unwrap();
        fs::write(folder.join("behavior.yaml"), text).unwrap();
        ids.push(id.to_owned());
    };
    for id in OURS {
        add(id, &fs::read_to_string(ours.join(id).join("behavior.yaml")).unwrap());
    }
    for number in 0..extra.elsewhere {
        let id = format!("made-{number:05}");
        add(&id, &behavior(&id, &format!("mcp__made_{}__run", number / 10), &five_conditions(number)));
    }
    for number in 0..extra.bash {
        let id = format!("bash-{number:05}");
        add(&id, &behavior(&id, "Bash", &five_conditions(number)));
    }
    if extra.watchful {
        add("nudge-me", &behavior("nudge-me", "Bash", "[{field: command, operator: contains, value: violation}]"));
        for number in 0..10 {
            let id = format!("edge-{number}");
            let pattern = format!(r"[{{field: command, operator: regex_match, value: '\b(?:été|word) {number}\b'}}]");
            add(&id, &behavior(&id, "Bash", &pattern));
        }
    }
    if let Some(wires) = extra.wires {
        for id in RUNAWAY {
            let text = fs::read_to_string(ours.join(id).join("behavior.yaml")).unwrap();
            add(id, &if wires == Wires::Blind { blind(&text) } else { text });
        }
        fs::create_dir_all(root.join(".forge")).unwrap();
        let config = "schema_version: \"1\"\nlimits: {spend_cap_usd: 1000000}\n";
        fs::write(root.join(".forge/config.yaml"), config).unwrap();
    }
    if extra.fallback {
        let pattern = r"[{field: command, operator: regex_match, value: '[a-z ]*[aeiou][a-z ]{20}[0-9]{7}é'}]";
        add("too-large", &behavior("too-large", "Bash", pattern));
    }
    let mut index = "schema_version: \"1\"\nbehaviors:\n".to_owned();
    for id in &ids {
        writeln!(index, "  - {{id: {id}, enabled: true}}").unwrap();
    }
    fs::write(root.join("behaviors/index.yaml"), index).unwrap();
}

/// The same rule about a count of its own.
fn blind(behavior: &str) -> String {
    let kept = behavior.lines().filter(|line| !["resets:", "once_per:"].iter().any(|key| line.trim().starts_with(key)));
    kept.map(|line| match line.split_once("when: ") {
        Some((before, _)) => format!("{before}when: session_state.counter >= 1000000\n"),
        None => format!("{line}\n"),
    })
    .collect()
}

fn behavior(id: &str, matcher: &str, conditions: &str) -> String {
    format!(
        "schema_version: \"1\"\nid: {id}\nname: {id}\ndescription: Made by the bench.\ncategory: core\nscope: session\n\
         policy:\n  triggers:\n    - event: PreToolUse\n      matcher: {matcher}\n      conditions: {conditions}\n  \
         enforcement: {{default_level: nudge}}\n  recovery: {{hint: Do otherwise.}}\n"
    )
}

fn five_conditions(number: usize) -> String {
    let word = number % 1_000;
    format!(
        "[{{field: command, operator: regex_match, value: '(?i)tool-{word}\\s+(?:push|drop)\\b.*--all'}}, \
         {{field: command, operator: contains, value: danger-{word}}}, \
         {{field: command, operator: not_contains, value: dry-{word}}}, \
         {{field: command, operator: starts_with, value: run-{word}}}, {{field: file_path, operator: not_exists}}]"
    )
}

/// `forge compile` in a project.
pub(crate) fn compile(root: &Path, options: &[&str]) {
    let mut forge = Command::new(env!("CARGO_BIN_EXE_forge"));
    forge.args(["compile", "--no-settings", "--root"]).arg(root).args(options).stdout(Stdio::piped());
    let output = forge.output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stdout));
}

/// A state file with so many sessions, all of today; the measured one is the first.
pub(crate) fn remember(root: &Path, sessions: usize) {
    let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap().as_secs();
    let (hour, minute) = (now / 3_600 % 24, now / 60 % 60);
    let day = date(now / 86_400);
    let moment = format!("{day}T{hour:02}:{minute:02}:00Z");
    let mut text = "{\"schema_version\":\"1\",\"sessions\":{\n".to_owned();
    for number in 0..sessions {
        let behaviors = ["nudge-me", "search-first", "verify-before-done"].map(|id| {
            format!(
                "\"{id}\":{{\"counter\":{},\"effective_level\":\"nudge\",\"last_violation_at\":\"{moment}\",\
                 \"last_violation_tool\":\"Bash\",\"pending_block\":null,\"overrides\":[]}}",
                number % 7
            )
        });
        let comma = if number + 1 < sessions { "," } else { "" };
        writeln!(
            text,
            "\"{}\":{{\"created_at\":\"{moment}\",\"last_accessed_at\":\"{moment}\",\"flags\":{{}},\
             \"behavior_overrides\":{{}},\"behaviors\":{{{}}}}}{comma}",
            session(number),
            behaviors.join(",")
        )
        .unwrap();
    }
    text.push_str("}}\n");
    fs::create_dir_all(root.join(".forge/runtime")).unwrap();
    fs::write(root.join(".forge/runtime/state.json"), text).unwrap();
}

/// The id of a session by number.
pub(crate) fn session(number: usize) -> String {
    format!("5e551011-0000-4000-8000-{number:012}")
}

/// A day since 1970 as a date (the civil calendar, by eras of 400 years).
fn date(days: u64) -> String {
    let shifted = days + 719_468;
    let (era, of_era) = (shifted / 146_097, shifted % 146_097);
    let year_of_era = (of_era - of_era / 1_460 + of_era / 36_524 - of_era / 146_096) / 365;
    let of_year = of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let shifted_month = (5 * of_year + 2) / 153;
    let day = of_year - (153 * shifted_month + 2) / 5 + 1;
    let month = if shifted_month < 10 { shifted_month + 3 } else { shifted_month - 9 };
    let year = era * 400 + year_of_era + u64::from(month <= 2);
    format!("{year:04}-{month:02}-{day:02}")
}
