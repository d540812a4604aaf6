//! Payloads: what is read from them, and that nothing in them can hide a call from a rule.

use forge::harness::{Harness, Incoming, News, Problem, read};
use forge::model::{Call, Event, Field, InputHash};

fn hasher(text: &str) -> InputHash {
    InputHash(text.to_owned())
}

pub(crate) fn reads(harness: Option<Harness>, payload: &[u8]) -> Result<Incoming<'_>, Problem> {
    read(harness, None, payload, hasher)
}

/// The call of a payload that behaviors judge.
pub(crate) fn call(harness: Option<Harness>, payload: &str) -> Call<'_> {
    match reads(harness, payload.as_bytes()).unwrap_or_else(|problem| panic!("{payload}: {}", problem.what)).news {
        News::Judge(judged) => judged.call,
        news => panic!("{payload}: {news:?}"),
    }
}

fn bash(input: &str) -> String {
    format!(r#"{{"hook_event_name":"PreToolUse","session_id":"s","tool_name":"Bash","tool_input":{input}}}"#)
}

#[test]
fn a_command_is_read_however_it_is_given() {
    for (input, command) in [
        (r#"{"command":"ls -la"}"#, "ls -la"),
        (r#"{"command":["git","push","a b"]}"#, "git push 'a b'"),
        (r#"{"command":["it's",""]}"#, r"'it'\''s' ''"),
        (r#"{"command":7}"#, "7"),
        (r#"{"command":true}"#, "true"),
        (r#"{"command":null}"#, ""),
        (r#"{}"#, ""),
        ("null", ""),
        ("3", "3"),
        (r#""ls""#, "ls"),
        (r#""{\"command\":\"l\\u0073\"}""#, "ls"),
        (r#"{"command":"ls","command":"rm -rf /"}"#, "rm -rf /"),
        (r#"{"command":"ls","cmd":"rm -rf /"}"#, "ls\nrm -rf /"),
        (r#"{"command":"rm \ud800 -rf \udc00\ud83d\ude00 /"}"#, "rm \u{FFFD} -rf \u{FFFD}\u{1F600} /"),
        (r#"{"command":"\ud800\u0041\ud83d"}"#, "\u{FFFD}A\u{FFFD}"),
        (r#"{"\ud800":1,"command":"\u0072m\u0000"}"#, "rm\0"),
    ] {
        let payload = bash(input);
        let call = call(Some(Harness::ClaudeCode), &payload);
        assert_eq!((call.event, &*call.tool), (Event::PreToolUse, "Bash"), "{input}");
        assert_eq!(call.fields.get(Field::Command), command, "{input}");
    }
}
