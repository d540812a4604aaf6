//! What a hook does inside its process, piece by piece: where the microseconds go.

use crate::project::{self, Extra};
use forge::bytecode::{container, verify};
use forge::harness::{Harness, Incoming, News};
use forge::hook::{self, Arguments};
use forge::host::OsHost;
use forge::model::{Field, Input, OverridePolicy, Profile, Session, Timestamp};
use forge::store::{self, Paths};
use forge::{harness, vm};
use std::fs;
use std::hint::black_box;
use std::time::{Duration, Instant};

/// One piece and the median time of one run of it.
pub(crate) struct Piece {
    pub(crate) name: &'static str,
    pub(crate) time: Duration,
}

/// Repetitions per sample: enough that reading the clock does not count.
const BATCH: u32 = 20;
const SAMPLES: usize = 101;

fn median(mut work: impl FnMut()) -> Duration {
    let mut samples: Vec<Duration> = (0..SAMPLES)
        .map(|_| {
            let start = Instant::now();
            (0..BATCH).for_each(|_| work());
            start.elapsed() / BATCH
        })
        .collect();
    samples.sort_unstable();
    samples[SAMPLES / 2]
}

/// All of them, unless only some cases are wanted.
pub(crate) fn all(only: &str) -> Vec<Piece> {
    if !only.is_empty() {
        return Vec::new();
    }
    let root = project::make("inside", Extra { watchful: true, ..Extra::default() });
    let (host, paths) = (OsHost::new(), Paths::new(&root));
    let program = fs::read(paths.program()).unwrap();
    let payload = payload(&root, "git push origin main");
    let incoming = read(&payload);
    let News::Judge(judged) = &incoming.news else { panic!("not judged") };
    let call = &judged.call;
    let part = container::select_for(program.as_slice(), call).unwrap();
    let verified = verify(part.clone()).unwrap();
    let input = Input {
        call,
        session: Some(Session::default()),
        now: Timestamp(1_800_000_000),
        profile: Profile::Standard,
        signals: forge::model::Signals::default(),
        overrides: OverridePolicy::Retry { window: 60 },
    };
    let command = call.fields.get(Field::Command);
    let patterns: Vec<_> = part.blocks.iter().flat_map(|block| &block.patterns).collect();
    let with_automaton = patterns.iter().copied().filter(|pattern| !pattern.automaton.is_empty());
    let largest = with_automaton.max_by_key(|pattern| pattern.automaton.len()).expect("a pattern that may match");

    let mut pieces = Vec::new();
    let mut add = |name, time| pieces.push(Piece { name, time });
    add("read the payload, 2 KB", median(|| drop(black_box(read(&payload)))));
    add("decode what concerns the call", median(|| drop(black_box(container::select_for(program.as_slice(), call)))));
    add("decode the whole program", median(|| drop(black_box(container::read(&program)))));
    add("verify what concerns the call", median(|| drop(black_box(verify(part.clone())))));
    add(
        "literals of all its patterns",
        median(|| {
            black_box(patterns.iter().filter(|pattern| pattern.may_be_in(command)).count());
        }),
    );
    add(
        "load and search its largest automaton",
        median(|| {
            black_box(largest.by_automaton(command));
        }),
    );
    add("run its code", median(|| drop(black_box(vm::run(&verified, input.clone())))));
    for (name, sessions) in [("state: read, write, 1 session", 1), ("state: read, write, 1,000 sessions", 1_000)] {
        project::remember(&root, sessions);
        add(
            name,
            median(|| {
                let locked = store::open(&host, &paths).unwrap();
                let mut memory = locked.read();
                let session = memory.session(&project::session(0));
                memory.commit(&project::session(0), &session, call, &[]);
            }),
        );
    }
    project::remember(&root, 1);
    let arguments = Arguments { harness: Some(Harness::ClaudeCode), root: Some(root.clone()), event: None };
    let payload = self::payload(&root, "git status");
    add(
        "a whole event, nothing matches",
        median(|| drop(black_box(hook::run(&host, &arguments, Ok(payload.clone()))))),
    );
    pieces
}

fn read(payload: &[u8]) -> Incoming<'_> {
    harness::read(Some(Harness::ClaudeCode), None, payload, store::input_hash).expect("a payload")
}

fn payload(root: &std::path::Path, command: &str) -> Vec<u8> {
    let description = "Runs a command, and says in so many words what it is there for. ".repeat(25);
    serde_json::json!({
        "session_id": project::session(0), "cwd": root, "permission_mode": "default", "hook_event_name": "PreToolUse",
        "tool_name": "Bash", "tool_input": {"command": command, "description": description},
    })
    .to_string()
    .into_bytes()
}
