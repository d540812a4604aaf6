//! The events that are measured, and what each must cost at most.

use crate::project::{self, Extra, Wires};
use crate::{process, transcripts};
use std::fs;
use std::path::{Path, PathBuf};

/// One event in one project, over and over.
pub(crate) struct Case {
    pub(crate) name: &'static str,
    pub(crate) root: PathBuf,
    pub(crate) payload: PathBuf,
    /// What standard output must contain; `""` for none at all.
    pub(crate) says: &'static str,
    /// How many processes at once.
    pub(crate) parallel: usize,
    /// The case it is compared with (`""` is the floor), and by how much it may be longer.
    pub(crate) target: Option<Target>,
}

/// How long a case may take.
#[derive(Clone, Copy)]
pub(crate) enum Target {
    Times(&'static str, f64),
    MicrosecondsOver(&'static str, f64),
}

/// Calls of the session before the measured one, as many as are remembered.
const CALLS_BEFORE: usize = 64;

/// A hundred times less often: these take a hundred times longer.
impl Case {
    pub(crate) fn is_heavy(&self) -> bool {
        self.parallel > 1 || self.name.starts_with("10,000 sessions") || self.name.starts_with("payload of 5 MB")
    }
}

/// All of them whose name contains `only`, their projects made.
pub(crate) fn all(only: &str) -> Vec<Case> {
    use Target::{MicrosecondsOver, Times};
    let watchful = Extra { watchful: true, ..Extra::default() };
    let status = ("Bash", bash("git status && ls -la src"));
    let mut cases = Cases { only: only.to_owned(), list: Vec::new() };
    cases.add("no candidate rule", "", Times("", 1.15), Extra::default(), ("BashOutput", bash("x")));
    cases.add("six behaviors, nothing matches", "", Times("", 1.4), Extra::default(), status.clone());
    cases.add("violation, state written", "nudge-me", Times("", 1.7), watchful, ("Bash", bash("echo violation")));
    cases.add("block", "BLOCKED", Times("", 2.0), Extra::default(), ("Bash", bash("git push --force origin main")));
    for (name, elsewhere, most) in
        [("50 behaviors", 44, 1.15), ("1,000 behaviors", 994, 1.15), ("10,000 behaviors", 9_994, 1.6)]
    {
        let extra = Extra { elsewhere, ..Extra::default() };
        cases.add(name, "", Times("six behaviors, nothing matches", most), extra, status.clone());
    }
    let extra = Extra { bash: 994, ..Extra::default() };
    cases.add_untargeted("1,000 behaviors, all about this tool", "", extra, status.clone());
    for (name, sessions, most) in [
        ("1 session in state", 1, 1.2),
        ("100 sessions in state", 100, 1.5),
        ("1,000 sessions in state", 1_000, 2.0),
        ("10,000 sessions in state", 10_000, 10.0),
    ] {
        let target =
            if sessions == 1 { Times("violation, state written", most) } else { Times("1 session in state", most) };
        cases.add(name, "nudge-me", target, watchful, ("Bash", bash("echo violation")));
        cases.with_last(|case| project::remember(&case.root, sessions));
    }
    for (name, bytes, most) in [
        ("payload of 2 KB", 2_000, 300.0),
        ("payload of 200 KB", 200_000, 2_000.0),
        ("payload of 5 MB", 5_000_000, 40_000.0),
    ] {
        let text = "let total = items.iter().map(|item| item.price).sum::<u64>();\n".repeat(bytes / 62);
        cases.add(
            name,
            "",
            MicrosecondsOver("six behaviors, nothing matches", most),
            watchful,
            ("Bash", script(&text)),
        );
    }
    let text = "Après l'été, le mot « word » compte.\n".repeat(2_000 / 40);
    cases.add(
        "non-ASCII text, rules with \\b",
        "",
        MicrosecondsOver("payload of 2 KB", 5_000.0),
        watchful,
        ("Bash", script(&text)),
    );
    let extra = Extra { fallback: true, ..watchful };
    let target = MicrosecondsOver("six behaviors, nothing matches", 5_000.0);
    cases.add("non-ASCII text, pattern without automaton", "", target, extra, ("Bash", bash("echo « été, après »")));
    let unwatched = "ten behaviors, none watches";
    let extra = Extra { wires: Some(Wires::Blind), ..Extra::default() };
    cases.add_untargeted(unwatched, "", extra, status.clone());
    cases.with_last(|case| process::repeat(case, CALLS_BEFORE));
    let extra = Extra { wires: Some(Wires::Watching), ..Extra::default() };
    let name = "repeat call, transcript of 5,000 lines";
    cases.add(name, "", Times(unwatched, 1.5), extra, status);
    cases.with_last(|case| {
        transcripts::claude(&case.root, "transcript", 5_000);
        process::repeat(case, CALLS_BEFORE);
    });
    cases.add_untargeted("64 processes at once", "nudge-me", watchful, ("Bash", bash("echo violation")));
    cases.with_last(|case| case.parallel = 64);
    cases.list
}

struct Cases {
    only: String,
    list: Vec<Case>,
}

impl Cases {
    fn add(
        &mut self,
        name: &'static str,
        says: &'static str,
        target: Target,
        extra: Extra,
        call: (&str, serde_json::Value),
    ) {
        self.add_untargeted(name, says, extra, call);
        self.with_last(|case| {
            if case.name == name {
                case.target = Some(target)
            }
        });
    }

    fn add_untargeted(
        &mut self,
        name: &'static str,
        says: &'static str,
        extra: Extra,
        (tool, input): (&str, serde_json::Value),
    ) {
        if !name.contains(&self.only) {
            return;
        }
        let folder: String =
            name.chars().map(|letter| if letter.is_ascii_alphanumeric() { letter } else { '-' }).collect();
        let root = project::make(&folder, extra);
        let payload = payload(&root, tool, &input);
        self.list.push(Case { name, root, payload, says, parallel: 1, target: None });
    }

    fn with_last(&mut self, change: impl FnOnce(&mut Case)) {
        if let Some(case) = self.list.last_mut() {
            change(case);
        }
    }
}

/// An event as Claude Code sends it, in a file.
fn payload(root: &Path, tool: &str, input: &serde_json::Value) -> PathBuf {
    let place = root.join("payload.json");
    let text = serde_json::json!({
        "session_id": project::session(0),
        "transcript_path": root.join("transcript.jsonl"),
        "cwd": root,
        "permission_mode": "default",
        "hook_event_name": "PreToolUse",
        "tool_name": tool,
        "tool_input": input,
        "tool_use_id": "toolu_01ABCDEFGHIJKLMNOPQRSTUV",
    });
    fs::write(&place, text.to_string()).unwrap();
    place
}

/// About 2 KB, as commands with a description and a here-document are.
fn bash(command: &str) -> serde_json::Value {
    let description = "Runs a command, and says in so many words what it is there for. ".repeat(25);
    serde_json::json!({"command": command, "description": description})
}

/// A command that writes a file, as agents do.
fn script(content: &str) -> serde_json::Value {
    serde_json::json!({"command": format!("cat > src/total.rs <<'END'\n{content}END\n")})
}
