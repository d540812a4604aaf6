//! Catching up with a transcript: a constant, however long its lines or the file.

use crate::Meter;
use forge::host::OsHost;
use forge::limits;
use forge::signals::{Nanos, Prices, Source, Subject, open};
use std::io::Write;

/// A line of the longest that is understood, read into a list that doubled, and as text.
const MOST: usize = 16 * limits::TRANSCRIPT_LINE;

#[test]
fn a_transcript_costs_a_constant() {
    let meter = Meter::take();
    let quoted = |text: &str| format!("{{\"type\":\"user\",\"message\":{{\"content\":\"{text}\"}}}}\n");
    let long = 40 << 20;
    let transcripts = [
        ("a line of 40 MB", quoted(&"x".repeat(long))),
        ("a line without an end", "x".repeat(long)),
        ("a line of the longest understood", quoted(&"x".repeat(limits::TRANSCRIPT_LINE - 100))),
        ("the same, of escapes", quoted(&"\\n".repeat(limits::TRANSCRIPT_LINE / 2 - 100))),
        (
            "the same, of half characters",
            quoted(&"x".repeat(100)).replace('x', &"\u{e9}".repeat(limits::TRANSCRIPT_LINE / 300)),
        ),
        ("deep", format!("{}\n", "[".repeat(limits::TRANSCRIPT_LINE - 100))),
        (
            "many items",
            format!(
                "{{\"type\":\"assistant\",\"message\":{{\"id\":\"a\",\"content\":[{}{{}}]}}}}\n",
                "{},".repeat(limits::TRANSCRIPT_LINE / 3 - 100)
            ),
        ),
        ("many empty lines", "\n".repeat(long / 16)),
        (
            "many short records",
            "{\"type\":\"assistant\",\"message\":{\"id\":\"a\",\"content\":[{\"type\":\"tool_use\",\"id\":\"b\"}]}}\n"
                .repeat(long / 1_440),
        ),
    ];
    for source in [Source::ClaudeCode, Source::Codex] {
        for (about, text) in &transcripts {
            let folder = tempfile::tempdir().unwrap();
            let path = folder.path().join("s.jsonl");
            std::fs::File::create(&path).unwrap().write_all(text.as_bytes()).unwrap();
            let transcript = path.to_str();
            let subject =
                Subject { source, session: "s", transcript, agent: None, prompt: None, model: None, attempt: None };
            for _ in 0..2 {
                meter.is_bounded(about, text.len(), (0, MOST), || {
                    let host = OsHost::new();
                    let rules = (&Prices::default(), None::<Nanos>);
                    drop(open(&host, &folder.path().join("signals"), &subject, rules).unwrap());
                });
            }
        }
    }
}

/// What an event remembers is read whole, so that it has a bound of its own.
#[test]
fn a_file_of_signals_costs_a_number_of_bytes_for_each_of_its_own() {
    const FACTOR: usize = 144;
    let meter = Meter::take();
    for (about, key, unit) in [
        ("many agents", "agents", "{}"),
        ("many events", "events", "{\"at\":0,\"wire\":\"\",\"tool\":\"\",\"detail\":\"\"}"),
        ("many numbers", "refused", "0"),
    ] {
        let items = vec![unit; (1 << 20) / (unit.len() + 1)].join(",");
        let text = format!("{{\"version\":1,\"session\":\"s\",\"{key}\":[{items}]}}");
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(folder.path().join("s.json"), &text).unwrap();
        let subject = Subject {
            source: Source::ClaudeCode,
            session: "s",
            transcript: None,
            agent: None,
            prompt: None,
            model: None,
            attempt: None,
        };
        meter.is_bounded(about, text.len(), (FACTOR, 1 << 20), || {
            let host = OsHost::new();
            drop(open(&host, folder.path(), &subject, (&Prices::default(), None)).unwrap());
        });
    }
}
