//! What reading transcripts costs one call: a bounded piece of a huge one, and next to nothing when nothing is new.

use crate::counting_host::CountingHost;
use crate::signals::{Session, response};
use crate::transcripts;
use forge::limits;
use forge::signals::{Effects, Source};
use serde_json::json;
use std::io::Write as _;
use std::path::Path;

/// A transcript of at least so many bytes, and what it costs: a response, then a long thing that was said, in turn.
fn huge(session: &Session, bytes: u64) -> u64 {
    let mut file = std::io::BufWriter::new(std::fs::File::create(&session.transcript).unwrap());
    let said = json!({"type": "user", "isMeta": true, "message": {"content": "so much ".repeat(20_000)}});
    let said = format!("{said}\n");
    let (mut written, mut responses) = (0, 0);
    while written < bytes {
        responses += 1;
        let line = response(&format!("m{responses}"), 0);
        file.write_all(line.as_bytes()).unwrap();
        file.write_all(said.as_bytes()).unwrap();
        written += (line.len() + said.len()) as u64;
    }
    file.flush().unwrap();
    responses * 5_000_000
}

/// Calls until everything was read, none of which may take more than its share.
fn catch_up(bytes: u64) -> u32 {
    let session = Session::new(Source::ClaudeCode);
    let truth = huge(&session, bytes);
    let host = CountingHost::default();
    let mut call = 0;
    loop {
        call += 1;
        let start = std::time::Instant::now();
        let readings = session.attempt_on(&host, Some(("Bash", &json!({"command": call}), "id")), Effects::default());
        let asked = host.taken();
        println!("call {call}: {} bytes in {:.2} s", asked.read, start.elapsed().as_secs_f64());
        let most = limits::TRANSCRIPT_BYTES_PER_EVENT + 2 * limits::TRANSCRIPT_CHUNK;
        assert!(asked.read <= most, "call {call} read {} bytes", asked.read);
        assert!(asked.largest_read <= limits::TRANSCRIPT_CHUNK + 64, "{asked:?}");
        if !readings.is_behind {
            assert_eq!(readings.spent.0, truth);
            return call;
        }
        assert_eq!(readings.spent.0, 0, "a part of a session is not what it spent");
    }
}

#[test]
fn a_long_backlog_is_caught_up_in_bounded_steps() {
    let calls = catch_up(70 << 20);
    assert_eq!(calls, 3, "as many as its length asks for, and no more");
}

#[test]
#[ignore = "writes a gigabyte"]
fn a_gigabyte_is_caught_up_in_bounded_steps() {
    let calls = catch_up(1 << 30);
    assert!((32..=40).contains(&calls), "{calls}");
}

/// Folders and files as they are some time after they were last touched.
#[cfg(unix)]
fn age(path: &Path, seconds: u64) {
    let moment = std::time::SystemTime::now() - std::time::Duration::from_secs(seconds);
    std::fs::File::open(path).unwrap().set_modified(moment).unwrap();
}

#[cfg(unix)]
#[test]
fn a_call_that_brings_nothing_new_lists_no_folder_and_writes_little() {
    for source in [Source::ClaudeCode, Source::Codex] {
        let mut session = Session::new(source);
        let folders: &[&str] = if source == Source::ClaudeCode {
            session.transcript = transcripts::claude(session.folder.path(), "s1", 5_000);
            &["s1/subagents", "s1/subagents/workflows", "s1/subagents/workflows/w1"]
        } else {
            session.transcript = transcripts::codex(session.folder.path(), "s1", 5_000, 36);
            &["sessions/2026/07/03"]
        };
        folders.iter().for_each(|folder| age(&session.folder.path().join(folder), 60));
        let host = CountingHost::default();
        let call = |at: u32| {
            let input = json!({"command": format!("call {at}")});
            session.attempt_on(&host, Some(("Bash", &input, &format!("id {at}"))), Effects::default());
            host.taken()
        };
        assert!(call(0).lists > 0);
        for at in 1..100 {
            call(at);
        }
        let asked = call(100);
        // Codex: 37 rollouts are each remembered with what their next line needs.
        let most = if source == Source::ClaudeCode { 8_000 } else { 30_000 };
        assert_eq!((asked.lists, asked.writes), (0, 1), "{source:?}");
        assert!(asked.read <= most && asked.written <= most, "{source:?}: {asked:?}");
    }
}

/// However soon after a look it starts, and however deep: what it spends is counted.
#[cfg(unix)]
#[test]
fn a_subagent_that_starts_later_is_seen() {
    let session = Session::new(Source::ClaudeCode);
    session.write("");
    let root = session.folder.path().join("s1/subagents");
    let mut spent = 0;
    for (at, place) in ["", "", "workflows/w1", "workflows/w1", "workflows/w2", ""].iter().enumerate() {
        assert_eq!(session.look().spent.0, spent);
        let folder = root.join(place);
        std::fs::create_dir_all(&folder).unwrap();
        std::fs::write(folder.join(format!("agent-a{at}.jsonl")), response(&format!("m{at}"), 0)).unwrap();
        spent += 5_000_000;
        assert_eq!(session.look().spent.0, spent, "{place}");
        for place in ["", "workflows", "workflows/w1", "workflows/w2"].map(|place| root.join(place)) {
            if place.exists() && at % 2 == 1 {
                age(&place, 60);
            }
        }
    }
    let mut codex = Session::new(Source::Codex);
    codex.transcript = transcripts::codex(codex.folder.path(), "s1", 20, 1);
    let day = codex.transcript.parent().unwrap();
    age(day, 60);
    let before = codex.look().spent.0;
    let late = day.join("rollout-late.jsonl");
    let text = transcripts::codex_lines(&mut transcripts::Dice(5), "late", "s1", 40);
    std::fs::write(&late, &text[..20]).unwrap();
    age(day, 30);
    assert_eq!(codex.look().spent.0, before, "its first line is not there yet");
    std::fs::write(&late, &text).unwrap();
    assert_eq!(codex.look().spent.0, before + transcripts::codex_cost(&text));
}
