//! Reading a payload and hashing its input: a number of bytes for each of its own, however they are arranged.

use crate::Meter;
use forge::harness::{Harness, News, read};
use forge::store;

/// The dearest is a word of an argument vector (`0,`): a place and length, a text, and for the hash a node, each in a list
/// that has up to three times its size while it grows.
const FACTOR: usize = 128;
const BESIDES: usize = 1 << 20;
const SIZE: usize = 1 << 20;

fn with_input(tool: &str, input: &str) -> String {
    format!(
        "{{\"hook_event_name\":\"PreToolUse\",\"session_id\":\"s\",\"tool_name\":\"{tool}\",\"tool_input\":{input}}}"
    )
}

/// `open`, as many `unit`s as fill the size, `close`.
fn filled(open: &str, unit: &str, close: &str) -> String {
    format!("{open}{}{close}", unit.repeat(SIZE / unit.len()))
}

#[test]
fn a_payload_costs_a_number_of_bytes_for_each_of_its_own() {
    let meter = Meter::take();
    let deep = |open: &str, close: &str| {
        let levels = SIZE / (open.len() + close.len());
        format!("{{\"command\":\"ls\",\"x\":{}0{}}}", open.repeat(levels), close.repeat(levels))
    };
    let payloads = [
        ("deep arrays", with_input("Bash", &deep("[", "]"))),
        ("deep objects", with_input("Bash", &deep("{\"\":", "}"))),
        ("many keys", with_input("Bash", &filled("{\"command\":\"ls\"", ",\"\":0", "}"))),
        (
            "many keys beside the input",
            filled(
                "{\"hook_event_name\":\"PreToolUse\",\"tool_name\":\"Bash\",\"tool_input\":{\"command\":\"ls\"}",
                ",\"\":0",
                "}",
            ),
        ),
        ("an argument vector", with_input("Bash", &filled("{\"command\":[0", ",0", "]}"))),
        ("an argument vector of quotes", with_input("Bash", &filled("{\"command\":[0", ",\"'\"", "]}"))),
        ("a huge text", with_input("Bash", &filled("{\"command\":\"", "a", "\"}"))),
        ("escapes", with_input("Bash", &filled("{\"command\":\"", "\\n", "\"}"))),
        ("an input in a text", with_input("Bash", &filled("\"{\\\"command\\\":[0", ",0", "]}\""))),
        ("many files", with_input("Edit", &filled("{\"files\":[\"a\"", ",\"\"", "]}"))),
        ("many edits", with_input("Edit", &filled("{\"edits\":[{}", ",{\"new_string\":\"a\"}", "]}"))),
        (
            "a patch of many files",
            with_input("apply_patch", &filled("{\"command\":\"", "*** Add File: a\\n+\\n", "\"}")),
        ),
        (
            "a session's name",
            filled(
                "{\"hook_event_name\":\"PreToolUse\",\"tool_name\":\"Bash\",\"tool_input\":{},\"session_id\":\"",
                "s",
                "\"}",
            ),
        ),
        ("no JSON", filled("{\"hook_event_name\":\"PreToolUse\",", "\"a\":[", "")),
    ];
    for (about, payload) in payloads {
        meter.is_bounded(about, payload.len(), (FACTOR, BESIDES), || {
            let Ok(incoming) = read(Some(Harness::ClaudeCode), None, payload.as_bytes(), store::input_hash) else {
                return;
            };
            let News::Judge(judged) = incoming.news else { return };
            let _ = judged.call.input_hash();
        });
    }
}
