//! What the transcripts say, against transcripts written for it and a full read that shares nothing with the product.

use crate::transcripts::{self, Dice, SECRET};
use forge::host::{Host, OsHost};
use forge::signals::{Attempt, Effects, Nanos, Prices, Readings, Reset, Source, Subject, open};
use proptest::prelude::*;
use serde_json::{Value, json};
use std::io::Write as _;
use std::path::{Path, PathBuf};

/// One session on a disk of its own.
pub(crate) struct Session {
    pub(crate) folder: tempfile::TempDir,
    pub(crate) source: Source,
    pub(crate) id: String,
    pub(crate) transcript: PathBuf,
    pub(crate) prompt: Option<String>,
    pub(crate) agent: Option<String>,
    pub(crate) cap: Option<Nanos>,
    pub(crate) calls: u32,
}

impl Session {
    pub(crate) fn new(source: Source) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let transcript = folder.path().join("s1.jsonl");
        Self { folder, source, id: "s1".into(), transcript, prompt: None, agent: None, cap: None, calls: 0 }
    }

    pub(crate) fn signals(&self) -> PathBuf {
        self.folder.path().join("signals")
    }

    /// One event before a tool.
    pub(crate) fn call(&mut self, tool: &str, input: &Value) -> Readings {
        self.calls += 1;
        let id = format!("hook-{}", self.calls);
        self.attempt(Some((tool, input, &id)), Effects::default())
    }

    pub(crate) fn bash(&mut self, command: &str) -> Readings {
        self.call("Bash", &json!({"command": command}))
    }

    /// One event that is no call.
    pub(crate) fn look(&self) -> Readings {
        self.attempt(None, Effects::default())
    }

    pub(crate) fn attempt(&self, attempt: Option<(&str, &Value, &str)>, effects: Effects) -> Readings {
        self.attempt_on(&OsHost::new(), attempt, effects)
    }

    pub(crate) fn attempt_on(
        &self,
        host: &dyn Host,
        attempt: Option<(&str, &Value, &str)>,
        effects: Effects,
    ) -> Readings {
        let input = attempt.map(|(_, input, _)| input.to_string()).unwrap_or_default();
        let subject = Subject {
            source: self.source,
            session: &self.id,
            transcript: self.transcript.to_str(),
            agent: self.agent.as_deref(),
            prompt: self.prompt.as_deref(),
            model: None,
            attempt: attempt.map(|(tool, _, id)| Attempt { tool, own: tool, input: &input, id: Some(id) }),
        };
        let watch = open(host, &self.signals(), &subject, (&Prices::default(), self.cap)).unwrap();
        let readings = watch.readings().clone();
        watch.close(effects).unwrap();
        readings
    }

    pub(crate) fn write(&self, text: &str) {
        std::fs::write(&self.transcript, text).unwrap();
    }

    pub(crate) fn append(&self, text: &str) {
        let mut file = std::fs::OpenOptions::new().create(true).append(true).open(&self.transcript).unwrap();
        file.write_all(text.as_bytes()).unwrap();
    }
}

/// A Claude Code record, as a line.
pub(crate) fn line(record: Value) -> String {
    format!("{record}\n")
}

pub(crate) fn response(id: &str, output: u64) -> String {
    line(json!({"type": "assistant", "requestId": format!("r{id}"), "message": {"id": id, "model": "claude-opus-5",
        "content": [], "usage": {"input_tokens": 1_000, "output_tokens": output}}}))
}

pub(crate) fn asked(response: &str, call: &str) -> String {
    line(json!({"type": "assistant", "message": {"id": response, "model": "claude-opus-5",
        "content": [{"type": "tool_use", "id": call, "name": "Bash", "input": {}}]}}))
}

pub(crate) fn result(call: &str, is_error: bool, text: &str) -> String {
    line(json!({"type": "user", "message": {"role": "user", "content":
        [{"type": "tool_result", "tool_use_id": call, "is_error": is_error, "content": text}]}}))
}

pub(crate) fn said(text: &str) -> String {
    line(json!({"type": "user", "message": {"role": "user", "content": text}}))
}

pub(crate) fn failure(call: &str) -> String {
    result(call, true, "Exit code 1\nno")
}

#[test]
fn totals_equal_a_full_read_at_every_size() {
    for lines in [10, 5_000, 100_000] {
        let mut session = Session::new(Source::ClaudeCode);
        session.transcript = transcripts::claude(session.folder.path(), "s1", lines);
        let files = transcripts::all_files(session.folder.path(), ".jsonl");
        assert_eq!(files.len(), if lines < 100 { 1 } else { 4 });
        let text = |path: &PathBuf| std::fs::read_to_string(path).unwrap();
        let truth: u64 = files.iter().map(|file| transcripts::claude_cost(&text(file))).sum();
        let mut looks = 1;
        while session.look().is_behind {
            looks += 1;
        }
        assert_eq!(session.look().spent.0, truth, "{lines} lines");
        assert!(truth > 0 && (lines < 100_000 || looks > 1), "the longest is caught up with over several events");
    }
}

#[test]
fn a_codex_session_with_36_subagents_equals_a_full_read() {
    let mut session = Session::new(Source::Codex);
    session.transcript = transcripts::codex(session.folder.path(), "s1", 3_000, 36);
    let files = transcripts::all_files(session.folder.path(), ".jsonl");
    let ours = files.iter().filter(|path| !path.to_string_lossy().contains("other"));
    let truth: u64 = ours.map(|path| transcripts::codex_cost(&std::fs::read_to_string(path).unwrap())).sum();
    assert_eq!(files.len(), 39);
    assert_eq!(session.look().spent.0, truth);
    assert_eq!(session.look().spent.0, truth, "a second look adds nothing");
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 24, failure_persistence: None, ..ProptestConfig::default() })]

    /// Wherever the file is cut, in the middle of a line, of a number, of a response: read piece by piece it says what it
    /// says as a whole.
    #[test]
    fn reading_in_pieces_says_the_same(seed in 0u64..1_000, cuts in prop::collection::vec(0.0f64..1.0, 0..8), codex: bool) {
        let source = if codex { Source::Codex } else { Source::ClaudeCode };
        let (session, whole) = (Session::new(source), Session::new(source));
        let text = if codex {
            transcripts::codex_lines(&mut Dice(seed), "s1", "s1", 120)
        } else {
            transcripts::claude_lines(&mut Dice(seed), "main", 120)
        };
        let mut ends: Vec<usize> = cuts.iter().map(|cut| (cut * text.len() as f64) as usize).collect();
        ends.push(text.len());
        ends.sort_unstable();
        let mut start = 0;
        for end in ends {
            session.append(&text[start..end]);
            session.look();
            start = end;
        }
        whole.write(&text);
        let truth = if codex { transcripts::codex_cost(&text) } else { transcripts::claude_cost(&text) };
        let (pieces, once) = (session.look(), whole.look());
        prop_assert_eq!(pieces.spent.0, truth);
        prop_assert_eq!(pieces, once);
    }
}

#[test]
fn a_response_counts_once_with_its_final_numbers() {
    let session = Session::new(Source::ClaudeCode);
    session.append(&response("m1", 1));
    assert_eq!(session.look().spent.0, 5_000_000 + 25_000);
    session.append(&response("m1", 100));
    assert_eq!(session.look().spent.0, 5_000_000 + 2_500_000, "the same response, now complete");
    session.append(&(response("m2", 0) + &response("m1", 100)));
    assert_eq!(session.look().spent.0, 12_500_000, "an older response told again adds nothing");
}

#[test]
fn a_file_that_is_replaced_or_shrinks_adds_nothing_twice() {
    let session = Session::new(Source::ClaudeCode);
    let (one, two, three) = (response("m1", 0), response("m2", 0), response("m3", 0));
    session.write(&format!("{one}{two}{}", failure("c1")));
    assert_eq!((session.look().spent.0, session.look().failure_streak), (10_000_000, 1));
    session.write(&(one.clone() + &failure("c1")));
    assert_eq!((session.look().spent.0, session.look().failure_streak), (10_000_000, 1), "shorter");
    session.write(&format!("{}{one}{two}{three}", said("another file of the same name, and longer")));
    assert_eq!((session.look().spent.0, session.look().failure_streak), (15_000_000, 0), "longer, but another");
    let codex = Session::new(Source::Codex);
    let text = transcripts::codex_lines(&mut Dice(3), "s1", "s1", 60);
    codex.write(&text);
    let before = codex.look().spent;
    let half = text.lines().take(30).map(|line| format!("{line}\n")).collect::<String>();
    codex.write(&half);
    assert_eq!(codex.look().spent, before, "running totals have no names, and still add nothing twice");
    codex.write(&text);
    assert_eq!(codex.look().spent, before);
}

#[test]
fn a_resumed_session_skips_what_the_earlier_one_counted() {
    let mut session = Session::new(Source::ClaudeCode);
    let copy = response("m1", 0) + &response("m2", 0);
    session.write(&copy);
    assert_eq!(session.look().spent.0, 10_000_000);
    session.id = "s2".into();
    session.transcript = session.folder.path().join("s2.jsonl");
    session.write(&(copy + &response("m2", 9) + &response("m3", 0)));
    assert_eq!(session.look().spent.0, 5_000_000, "only what is new, whatever the copy's numbers grew to");
}

#[test]
fn a_line_too_long_to_understand_is_passed_over() {
    let session = Session::new(Source::ClaudeCode);
    let long = line(json!({"type": "user", "message": {"content": "x".repeat(40 << 20)}}));
    session.write(&format!("{}{long}{}", response("m1", 0), response("m2", 0)));
    let mut looks = 0;
    while session.look().is_behind {
        looks += 1;
    }
    assert!((1..10).contains(&looks));
    assert_eq!(session.look().spent.0, 10_000_000);
}

#[test]
fn what_is_no_record_is_passed_over() {
    let session = Session::new(Source::ClaudeCode);
    let deep = format!("{{\"type\":\"user\",\"message\":{}{}}}\n", "[".repeat(100_000), "]".repeat(100_000));
    let odd = "\n{}\nnull\n[1]\n{\"type\":3}\n{\"type\":\"assistant\",\"message\":7}\nnot json\n\u{0}\n";
    session.write(&format!("{odd}{deep}{}", response("m1", 0)));
    session.append("{\"type\":\"assistant\",\"message\":{\"usage\":{\"input_tokens\":-5,\"output_tokens\":\"x\"}}}\n");
    assert_eq!(session.look().spent.0, 5_000_000);
}

#[test]
fn records_of_responses_win_over_running_totals() {
    let session = Session::new(Source::Codex);
    let usage = json!({"input_tokens": 1_000, "cached_input_tokens": 0, "output_tokens": 0, "total_tokens": 1_000});
    let context = line(json!({"type": "turn_context", "payload": {"model": "gpt-5.5"}}));
    let count = line(json!({"type": "event_msg", "payload": {"type": "token_count",
        "info": {"total_token_usage": usage, "last_token_usage": usage}}}));
    let record = line(json!({"type": "token_usage_record", "payload": {"response_id": "r1", "usage": usage}}));
    session.write(&format!("{context}{count}"));
    assert_eq!(session.look().spent.0, 5_000_000);
    session.append(&format!("{record}{record}{count}"));
    assert_eq!(session.look().spent.0, 5_000_000, "told three ways, counted once");
}

#[test]
fn a_session_over_its_cap_at_the_first_look_counts_from_there() {
    let mut session = Session::new(Source::ClaudeCode);
    session.cap = Nanos::parse("0.01");
    session.write(&(response("m1", 0) + &response("m2", 0)));
    let first = session.look();
    assert_eq!((first.left_out, first.spent, first.share), (Some(Nanos(10_000_000)), Nanos(0), 0));
    session.append(&response("m3", 0));
    let second = session.look();
    assert_eq!((second.left_out, second.spent.0, second.share), (None, 5_000_000, 500_000_000));
    session.append(&response("m4", 0));
    assert_eq!(session.look().share, 1_000_000_000, "one already counted is stopped at its cap");
}

#[test]
fn what_is_set_back_starts_over_and_what_forge_refused_is_no_failure() {
    let mut session = Session::new(Source::ClaudeCode);
    session.bash("make");
    session.write(&(response("m1", 0) + &failure("c1") + &failure("c2")));
    assert_eq!(session.look().failure_streak, 2);
    let all = vec![Reset::Failures, Reset::Rounds, Reset::Spending];
    session.attempt(None, Effects { resets: all, ..Effects::default() });
    assert_eq!((session.look().failure_streak, session.look().spent.0), (0, 0));
    let refused = Effects { is_refused: true, ..Effects::default() };
    let input = json!({"command": "make"});
    assert_eq!(session.attempt(Some(("Bash", &input, "refused")), refused).repeats, 1);
    session.append(&(failure("refused") + &failure("c3")));
    assert_eq!(session.look().failure_streak, 1);
}

#[test]
fn nothing_that_was_said_is_kept() {
    let mut session = Session::new(Source::ClaudeCode);
    session.transcript = transcripts::claude(session.folder.path(), "s1", 200);
    session.prompt = Some(SECRET.into());
    session.bash(&format!("echo {SECRET}"));
    let files = transcripts::all_files(&session.signals(), "");
    assert!(files.len() >= 3);
    for file in files {
        let bytes = std::fs::read(&file).unwrap();
        assert!(!String::from_utf8_lossy(&bytes).contains("hunter2"), "{}", file.display());
    }
}

#[test]
fn parallel_calls_are_each_counted() {
    let session = Session::new(Source::ClaudeCode);
    let count = 24;
    std::thread::scope(|scope| {
        for at in 0..count {
            let (session, id) = (&session, format!("call-{at}"));
            scope.spawn(move || session.attempt(Some(("Bash", &json!({"command": "x"}), &id)), Effects::default()));
        }
    });
    let readings = session.attempt(Some(("Bash", &json!({"command": "x"}), "last")), Effects::default());
    assert_eq!(readings.repeats, count + 1);
    let again = session.attempt(Some(("Bash", &json!({"command": "x"}), "last")), Effects::default());
    assert_eq!(again.repeats, count + 1, "the very same call, told by two registrations");
}

#[test]
fn files_of_sessions_long_gone_are_removed() {
    let mut session = Session::new(Source::ClaudeCode);
    session.write(&response("m1", 0));
    session.look();
    let old = session.signals();
    let age = |name: &str, days: u64| {
        let moment = std::time::SystemTime::now() - std::time::Duration::from_secs(days * 86_400);
        std::fs::File::options().write(true).open(old.join(name)).unwrap().set_modified(moment).unwrap();
    };
    let names = |folder: &Path| -> Vec<String> {
        let mut names: Vec<_> =
            std::fs::read_dir(folder).unwrap().map(|it| it.unwrap().file_name().into_string().unwrap()).collect();
        names.sort();
        names
    };
    age("s1.lock", 31);
    session.id = "s2".into();
    session.look();
    assert!(names(&old).contains(&"s1.lock".to_owned()), "a lock's own age says nothing");
    for name in ["s1.lock", "s1.json", "s1.counted"] {
        age(name, 31);
    }
    std::fs::write(old.join("notes.txt"), "").unwrap();
    age("notes.txt", 31);
    session.id = "s3".into();
    session.look();
    assert_eq!(names(&old), ["notes.txt", "s2.json", "s2.lock", "s3.counted", "s3.json", "s3.lock"]);
}

#[test]
fn a_damaged_memory_is_started_afresh() {
    let session = Session::new(Source::ClaudeCode);
    session.write(&response("m1", 0));
    session.look();
    for text in ["", "{", "[]", "{\"version\":99}", "\u{0}"] {
        std::fs::write(session.signals().join("s1.json"), text).unwrap();
        std::fs::remove_file(session.signals().join("s1.counted")).ok();
        assert_eq!(session.look().spent.0, 5_000_000, "{text}");
    }
}
