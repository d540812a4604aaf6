//! What an agent does, as signals: failures in a row, repeats, cycles, and everything that is none of them.

use crate::signals::{Session, asked, failure, line, result, said};
use forge::signals::{Readings, Source};
use serde_json::{Value, json};

#[test]
fn failures_in_a_row_are_the_calls_own() {
    let denied = |call: &str, kind: &str| {
        let mut record: Value = serde_json::from_str(&failure(call)).unwrap();
        record["toolDenialKind"] = json!(kind);
        line(record)
    };
    let by_hook = |call: &str| {
        line(json!({"type": "attachment", "attachment":
            {"type": "hook_blocking_error", "hookEvent": "PreToolUse", "toolUseID": call}}))
    };
    let interrupted = {
        let mut record: Value = serde_json::from_str(&result("c9", false, "")).unwrap();
        record["toolUseResult"] = json!({"interrupted": true});
        line(record)
    };
    let two = failure("c1") + &failure("c2");
    let meta = line(json!({"type": "user", "isMeta": true, "message": {"content": "injected"}}));
    for (then, streak) in [
        (String::new(), 2),
        (failure("c3"), 3),
        (result("c3", false, "fine"), 0),
        (denied("c3", "permission-rule"), 2),
        (denied("c3", "automode-blocked"), 2),
        (denied("c3", "user-rejected"), 0),
        (result("c3", true, "The user doesn't want to proceed with this tool use."), 0),
        (result("c3", true, "Permission to use Bash with command x has been denied."), 2),
        (failure("c3") + &by_hook("c3"), 2),
        (by_hook("c3") + &failure("c3"), 2),
        (interrupted, 0),
        (said("[Request interrupted by user]"), 0),
        (said("go on"), 0),
        (said("<system-reminder>x</system-reminder>"), 2),
        (meta, 2),
    ] {
        let session = Session::new(Source::ClaudeCode);
        session.write(&format!("{two}{then}"));
        assert_eq!(session.look().failure_streak, streak, "{then}");
    }
}

#[test]
fn codex_failures_are_read_from_the_output() {
    let item = |payload: Value| line(json!({"type": "response_item", "payload": payload}));
    let event = |payload: Value| line(json!({"type": "event_msg", "payload": payload}));
    let run = |id: &str, name: &str, output: &str| {
        item(json!({"type": "function_call", "name": name, "call_id": id, "arguments": "{}"}))
            + &item(json!({"type": "function_call_output", "call_id": id, "output": output}))
    };
    let failed = run("c1", "exec_command", "Chunk ID: 1\nProcess exited with code 1\nOutput:\n");
    let script = item(json!({"type": "custom_tool_call", "name": "exec", "call_id": "s", "input": "x"}));
    let operation = |id: &str, code: i64| {
        event(json!({"type": "item_completed", "item":
            {"type": "CommandExecution", "id": id, "status": "completed", "exit_code": code}}))
    };
    let script_end = item(json!({"type": "custom_tool_call_output", "call_id": "s", "output": "Script failed"}));
    for (then, streak) in [
        (run("c2", "exec_command", "Process exited with code 2\n"), 2),
        (run("c2", "apply_patch", "Exit code: 1\nOutput:"), 2),
        (run("c2", "shell", r#"{"output":"","metadata":{"exit_code":3}}"#), 2),
        (run("c2", "exec_command", "Process exited with code 0\nExit code: 1"), 0),
        (run("c2", "update_plan", "Exit code: 1"), 0),
        (run("c2", "exec_command", "exec command rejected by user"), 0),
        (run("c2", "exec_command", "rejected by configuration"), 1),
        (run("c2", "exec_command", "aborted by user after 3s"), 0),
        (event(json!({"type": "turn_aborted", "reason": "interrupted"})), 0),
        (event(json!({"type": "user_message", "message": "go on"})), 0),
        (
            item(
                json!({"type": "message", "role": "user", "content": [{"text": "<environment_context>x</environment_context>"}]}),
            ),
            1,
        ),
        (item(json!({"type": "message", "role": "user", "content": [{"text": "go on"}]})), 0),
        (format!("{script}{}{}{script_end}", operation("o1", 1), operation("o2", 1)), 3),
        (format!("{script}{script_end}"), 2),
    ] {
        let mut session = Session::new(Source::Codex);
        session.agent = Some("main".into());
        session.transcript = session.folder.path().join("rollout-x.jsonl");
        session.write(&format!("{failed}{then}"));
        session.agent = None;
        assert_eq!(session.look().failure_streak, streak, "{then}");
    }
}

#[test]
fn a_repeat_is_the_same_call_with_nothing_changed() {
    let mut session = Session::new(Source::ClaudeCode);
    session.prompt = Some("p1".into());
    let repeats: Vec<u64> = (0..3).map(|_| session.bash("npm test").repeats).collect();
    assert_eq!(repeats, [1, 2, 3]);
    let labelled = json!({"description": "again", "command": "npm   test "});
    assert_eq!(session.call("Bash", &labelled).repeats, 4, "labels and spaces are not the call");
    assert_eq!(session.call("Read", &json!({"file_path": "a"})).repeats, 1);
    assert_eq!(session.bash("npm test").repeats, 5, "reading changes nothing");
    assert_eq!(session.call("Edit", &json!({"file_path": "a"})).repeats, 1);
    assert_eq!(session.bash("npm test").repeats, 1, "an edit does");
    session.agent = Some("a7".into());
    assert_eq!(session.bash("npm test").repeats, 1, "every agent counts for itself");
    session.agent = None;
    assert_eq!(session.bash("npm test").repeats, 2);
    session.prompt = Some("p2".into());
    assert_eq!(session.bash("npm test").repeats, 1, "so does a new prompt");
    assert_eq!(session.call("Grep", &json!({"b": 1, "a": 2})).repeats, 1);
    assert_eq!(session.call("Grep", &json!({"a": 2, "b": 1})).repeats, 2, "the order of keys does not");
}

#[test]
fn calls_that_repeat_on_purpose_never_count_and_end_a_run() {
    for (tool, input) in [
        ("Agent", json!({"prompt": "x"})),
        ("TaskOutput", json!({})),
        ("mcp__agents__wait_agent", json!({})),
        ("AskUserQuestion", json!({})),
        ("Bash", json!({"command": "sleep 5; curl localhost"})),
        ("Bash", json!({"command": ["bash", "-lc", "wait"]})),
        ("mcp__browser__computer", json!({"action": "scroll"})),
        ("mcp__browser__browser_press_key", json!({"key": "a"})),
    ] {
        let mut session = Session::new(Source::ClaudeCode);
        session.bash("make");
        for _ in 0..4 {
            let readings = session.call(tool, &input);
            assert_eq!((readings.repeats, readings.alternations), (0, 0), "{tool} {input}");
        }
        assert_eq!(session.bash("make").repeats, 1, "{tool} {input}");
    }
    let mut session = Session::new(Source::ClaudeCode);
    session.bash("cat sleepy.txt await");
    assert_eq!(session.bash("cat sleepy.txt await").repeats, 2, "only the words themselves wait");
}

#[test]
fn a_cycle_of_two_or_three_calls_is_seen() {
    let play = |calls: &str| {
        let mut session = Session::new(Source::ClaudeCode);
        let mut last = Readings::default();
        for call in calls.chars() {
            last = match call {
                'r' | 's' => session.call("Read", &json!({"file_path": call.to_string()})),
                'w' => session.bash("sleep 1"),
                _ => session.bash(&call.to_string()),
            };
        }
        last.alternations
    };
    for (calls, rounds) in [
        ("a", 0),
        ("ab", 0),
        ("aba", 0),
        ("abab", 2),
        ("ababa", 2),
        ("ababab", 3),
        ("abcabcabc", 3),
        ("abcabcab", 2),
        ("aaaa", 0),
        ("abaaba", 0),
        ("abxab", 0),
        ("abwab", 0),
        ("rsrsrs", 0),
        ("rararar", 3),
        ("arbrasb", 2),
    ] {
        assert_eq!(play(calls), rounds, "{calls}");
    }
}

/// A provider that counts no tokens still has a loop seen and a batch told from it.
#[test]
fn in_codex_an_answer_ends_a_response() {
    let item = |kind: &str, id: &str| {
        let payload = json!({"type": kind, "name": "exec_command", "call_id": id, "arguments": "{}", "output": "fine"});
        line(json!({"type": "response_item", "payload": payload}))
            + &line(json!({"type": "event_msg", "payload": {"type": "token_count", "info": null}}))
    };
    for size in [1, 3] {
        let mut session = Session::new(Source::Codex);
        for turn in 1..=3 {
            let ids: Vec<String> = (1..=size).map(|at| format!("hook-{}", session.calls + at)).collect();
            for id in &ids {
                session.append(&item("function_call", id));
                assert_eq!(session.bash("make").repeats, turn, "batches of {size}");
            }
            session.append(&ids.iter().map(|id| item("function_call_output", id)).collect::<String>());
        }
    }
}

#[test]
fn identical_calls_of_one_turn_are_one() {
    let mut session = Session::new(Source::ClaudeCode);
    let ids = |session: &mut Session| format!("hook-{}", session.calls + 1);
    for turn in 1..=2 {
        let response = format!("m{turn}");
        for _ in 0..4 {
            let id = ids(&mut session);
            session.append(&asked(&response, &id));
            assert_eq!(session.bash("npm test").repeats, turn, "each of the batch, run one by one");
            session.append(&result(&id, false, ""));
        }
    }
    let mut parallel = Session::new(Source::ClaudeCode);
    for (at, expected) in [(1, 1), (2, 1), (3, 1)] {
        parallel.append(&asked("m1", &format!("hook-{at}")));
        assert_eq!(parallel.bash("npm test").repeats, expected, "each of the batch, run at once");
    }
    parallel.append(&(1..=3).map(|at| result(&format!("hook-{at}"), false, "")).collect::<String>());
    assert_eq!(parallel.bash("npm test").repeats, 2, "the next turn repeats it once");
}
