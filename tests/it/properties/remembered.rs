//! Bytes as what is remembered: the state file, and the texts that are escaped into audit log and command lines.

use crate::fake_host::FakeHost;
use forge::model::{Call, Event, Session};
use forge::registration::command::HookCommand;
use forge::shell::Shell;
use forge::store::{self, Paths};
use serde_json::Value;
use std::fs;

/// As `state.json`: read, counted in and written, the file is whole again, and no other session lost anything.
pub(crate) fn state(bytes: &[u8]) {
    let folder = tempfile::tempdir().expect("there is room");
    let paths = Paths::new(folder.path());
    fs::create_dir_all(paths.runtime()).expect("there is room");
    fs::write(paths.state(), bytes).expect("there is room");
    let before: Option<Value> = serde_json::from_slice(bytes).ok();
    let host = FakeHost::new();
    let counted = count(&host, &paths);
    let text = fs::read(paths.state()).expect("the state was written");
    let after: Option<Value> = serde_json::from_slice(&text).ok();
    let quarantined = fs::read_dir(paths.runtime()).expect("it is there").count() > 2;
    if before.is_some() || quarantined {
        // What nobody can read as JSON (a number beyond all floats) is passed through all the same.
        assert!(after.is_some() || before.is_none(), "the state is no JSON any more");
    }
    if let (Some(Value::Object(before)), Some(after), false) = (&before, &after, quarantined) {
        for (key, value) in before.iter().filter(|(key, _)| !["sessions", "schema_version"].contains(&key.as_str())) {
            assert_eq!(after.get(key), Some(value), "a key of others changed");
        }
        let kept = after["sessions"].as_object().expect("there are sessions");
        let sessions = before.get("sessions").and_then(Value::as_object);
        for (id, session) in kept.iter().filter(|(id, _)| *id != "s") {
            assert_eq!(sessions.and_then(|sessions| sessions.get(id)), Some(session), "another session changed");
        }
    }
    let again = store::open(&host, &paths).expect("nobody else has it").read().session("s");
    assert_eq!(again.behaviors.get("b").map(|state| state.counter), Some(counted), "the count is not what was written");
}

/// One more violation of `b` in session `s`; the count afterwards.
fn count(host: &FakeHost, paths: &Paths) -> u64 {
    let locked = store::open(host, paths).expect("nobody else has it");
    let mut memory = locked.read();
    let mut session: Session = memory.session("s");
    let state = session.behaviors.entry("b".to_owned()).or_default();
    state.counter = state.counter.saturating_add(1);
    let counted = state.counter;
    memory.commit("s", &session, &Call::new(Event::PreToolUse, "Bash", "{}", store::input_hash), &[]);
    counted
}

/// As texts: escaped for the audit log and quoted for a shell, they come back, and stay in their line and field.
pub(crate) fn escapes(bytes: &[u8]) {
    let text = String::from_utf8_lossy(bytes);
    let escaped = store::escape(&text);
    assert!(!escaped.contains(|letter: char| letter.is_control()), "a control is left");
    assert_eq!(fields(&format!("{escaped}|end")), 2, "a text became two fields");
    let plain: String = text.chars().filter(|letter| *letter == '\n' || !letter.is_control()).collect();
    assert_eq!(store::unescape(&escaped), plain);

    let words: Vec<String> = text.split('\0').map(str::to_owned).collect();
    let (program, arguments) = words.split_first().expect("a text has at least one part");
    if program != "&" {
        let command = HookCommand { program: program.clone(), arguments: arguments.to_vec() };
        assert_eq!(HookCommand::parse(&command.line(Shell::Posix)), Some(command));
    }
    let argv = serde_json::json!({"hook_event_name": "PreToolUse", "tool_name": "Bash", "session_id": "s",
        "tool_input": {"command": words}});
    let argv = argv.to_string();
    let incoming = forge::harness::read(None, None, argv.as_bytes(), store::input_hash);
    if let Ok(forge::harness::Incoming { news: forge::harness::News::Judge(judged), .. }) = incoming {
        let line = judged.call.fields.get(forge::model::Field::Command);
        let parsed = HookCommand::parse(line).map(|command| [vec![command.program], command.arguments].concat());
        assert!(program == "&" || parsed.as_ref() == Some(&words), "{words:?} became {line:?}");
    }
}

/// How many fields a line of the log has: a `|` after an even number of backslashes ends one.
fn fields(line: &str) -> usize {
    let mut is_escaped = false;
    let ends = line.chars().filter(|letter| {
        let is_end = *letter == '|' && !is_escaped;
        is_escaped = *letter == '\\' && !is_escaped;
        is_end
    });
    ends.count() + 1
}
