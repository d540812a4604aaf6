//! Transcripts as Claude Code and Codex write them, of any length, and what they cost by a full read that shares nothing
//! with the product: whole files, a tree per line, prices of its own.

use serde_json::{Value, json};
use std::collections::HashMap;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};

/// Numbers that look random and are the same every time.
pub(crate) struct Dice(pub(crate) u64);

impl Dice {
    pub(crate) fn roll(&mut self, below: u64) -> u64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % below
    }
}

pub(crate) const SECRET: &str = "hunter2-never-store-me";

/// A Claude Code session of about so many lines: the main file and, from 100 lines on, three subagents, one of them a
/// workflow's. The main file's path.
pub(crate) fn claude(folder: &Path, session: &str, lines: usize) -> PathBuf {
    let main = folder.join(format!("{session}.jsonl"));
    let mut dice = Dice(lines as u64);
    let subagents = folder.join(session).join("subagents");
    if lines >= 100 {
        std::fs::create_dir_all(subagents.join("workflows/w1")).unwrap();
        for (at, path) in ["agent-a1.jsonl", "agent-a2.jsonl", "workflows/w1/agent-a3.jsonl"].iter().enumerate() {
            std::fs::write(subagents.join(path), claude_lines(&mut dice, &format!("sub{at}"), lines / 10)).unwrap();
        }
    }
    std::fs::write(&main, claude_lines(&mut dice, "main", lines)).unwrap();
    main
}

/// Lines of one file; `who` keeps its ids apart from other files'.
pub(crate) fn claude_lines(dice: &mut Dice, who: &str, lines: usize) -> String {
    const MODELS: &[&str] = &["claude-opus-5", "claude-sonnet-4-5-20250929", "us.anthropic.claude-haiku-4-5-v1:0"];
    let mut out = String::new();
    let mut count = 0;
    let mut turn = 0;
    let mut put = |record: Value| {
        writeln!(out, "{record}").unwrap();
        count += 1;
        count < lines
    };
    loop {
        turn += 1;
        let envelope = json!({"isSidechain": who != "main", "userType": "external", "cwd": "/w", "sessionId": "s",
            "version": "2.1.240", "uuid": format!("u-{who}-{turn}"), "timestamp": "2026-08-23T13:06:47.557Z"});
        let with = |more: Value| {
            let mut record = envelope.clone();
            record.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
            record
        };
        if turn % 20 == 1 && !put(with(json!({"type": "user", "message": {"role": "user", "content": SECRET}}))) {
            return out;
        }
        if turn % 50 == 7
            && !put(with(json!({"type": "assistant", "message": {"model": "<synthetic>", "id": format!("x{turn}"),
                "content": [], "usage": {"input_tokens": 999_999, "output_tokens": 999_999}}})))
        {
            return out;
        }
        let model = MODELS[dice.roll(3) as usize];
        let (hour, five) = (dice.roll(2) * dice.roll(5_000), dice.roll(5_000));
        let usage = |output: u64| {
            json!({"input_tokens": 2 + turn % 9, "output_tokens": output, "cache_read_input_tokens": 46_025,
                "cache_creation_input_tokens": hour + five,
                "cache_creation": {"ephemeral_5m_input_tokens": five, "ephemeral_1h_input_tokens": hour}})
        };
        let message = |output: u64, block: Value| {
            with(json!({"type": "assistant", "requestId": format!("req-{who}-{turn}"), "message":
                {"model": model, "id": format!("msg-{who}-{turn}"), "role": "assistant", "content": [block],
                 "usage": usage(output)}}))
        };
        let final_output = 50 + dice.roll(2_000);
        let call = format!("toolu-{who}-{turn}");
        let command = format!("echo {SECRET} {turn}");
        let asked = json!({"type": "tool_use", "id": call, "name": "Bash", "input": {"command": command}});
        let failed = dice.roll(9) == 0;
        let result = with(
            json!({"type": "user", "toolUseResult": if failed { json!("Error: Exit code 1") } else { json!({"stdout": ""}) },
            "message": {"role": "user", "content": [{"type": "tool_result", "tool_use_id": call, "is_error": failed,
                "content": "Exit code 1\nno"}]}}),
        );
        if !put(message(6, json!({"type": "text", "text": SECRET})))
            || !put(message(final_output, asked))
            || !put(result)
        {
            return out;
        }
    }
}

/// What one Claude Code file costs, each response once, by its last record; billionths of a dollar.
pub(crate) fn claude_cost(text: &str) -> u64 {
    let mut responses: HashMap<String, u64> = HashMap::new();
    for line in text.lines() {
        let record: Value = serde_json::from_str(line).unwrap();
        let message = &record["message"];
        if record["type"] != "assistant" || message["model"] == "<synthetic>" {
            continue;
        }
        let model = message["model"].as_str().unwrap();
        let (input, output) = match () {
            () if model.contains("opus-5") => (5.0, 25.0),
            () if model.contains("sonnet-4-5") => (3.0, 15.0),
            () if model.contains("haiku-4-5") => (1.0, 5.0),
            () => panic!("{model}"),
        };
        let tokens = |usage: &Value, key: &str| usage[key].as_f64().unwrap_or(0.0);
        let usage = &message["usage"];
        let per_million = tokens(usage, "input_tokens") * input
            + tokens(usage, "cache_read_input_tokens") * input / 10.0
            + tokens(&usage["cache_creation"], "ephemeral_5m_input_tokens") * input * 1.25
            + tokens(&usage["cache_creation"], "ephemeral_1h_input_tokens") * input * 2.0
            + tokens(usage, "output_tokens") * output;
        responses.insert(message["id"].as_str().unwrap().to_owned(), (per_million * 1_000.0).round() as u64);
    }
    responses.values().sum()
}

/// A Codex session: the main rollout, so many subagents' rollouts beside it, and two rollouts of other sessions.
pub(crate) fn codex(home: &Path, session: &str, lines: usize, subagents: usize) -> PathBuf {
    let day = home.join("sessions/2026/07/03");
    std::fs::create_dir_all(&day).unwrap();
    let mut dice = Dice(lines as u64 + 7);
    let path = |name: &str| day.join(format!("rollout-2026-07-03T18-15-07-{name}.jsonl"));
    let main = path(session);
    std::fs::write(&main, codex_lines(&mut dice, session, session, lines)).unwrap();
    for at in 0..subagents {
        let id = format!("child-{at}");
        std::fs::write(path(&id), codex_lines(&mut dice, &id, session, lines / 10 + 3)).unwrap();
    }
    for other in ["other-1", "other-2"] {
        std::fs::write(path(other), codex_lines(&mut dice, other, other, 40)).unwrap();
    }
    main
}

/// Lines of one rollout: running totals, repeated, sometimes without numbers, and models that change on the way.
pub(crate) fn codex_lines(dice: &mut Dice, id: &str, session: &str, lines: usize) -> String {
    let mut out = String::new();
    let mut put = |kind: &str, payload: Value| {
        writeln!(out, "{}", json!({"timestamp": "2026-07-03T18:15:07.497Z", "type": kind, "payload": payload}))
            .unwrap();
    };
    put("session_meta", json!({"session_id": session, "id": id, "cwd": "/repo", "cli_version": "0.142.5"}));
    let mut totals = [0u64; 3];
    let mut count = 1;
    let mut turn = 0;
    while count < lines {
        if turn % 10 == 0 {
            let model = if dice.roll(2) == 0 { "gpt-5.5" } else { "gpt-5.3-codex" };
            put("turn_context", json!({"turn_id": format!("t{turn}"), "model": model}));
            put("event_msg", json!({"type": "user_message", "message": SECRET}));
            count += 2;
        }
        turn += 1;
        let call = format!("call-{id}-{turn}");
        let arguments = json!({"cmd": format!("echo {SECRET}")}).to_string();
        put(
            "response_item",
            json!({"type": "function_call", "name": "exec_command", "arguments": arguments, "call_id": call}),
        );
        let code = u64::from(dice.roll(9) == 0);
        let output = format!("Chunk ID: 1\nProcess exited with code {code}\nOutput:\n{SECRET}");
        put("response_item", json!({"type": "function_call_output", "call_id": call, "output": output}));
        let last = [1_000 + dice.roll(9_000), dice.roll(1_000), dice.roll(500)];
        totals = [totals[0] + last[0], totals[1] + last[1], totals[2] + last[2]];
        let tokens = |it: [u64; 3]| json!({"input_tokens": it[0], "cached_input_tokens": it[1], "output_tokens": it[2], "total_tokens": it[0] + it[2]});
        let info = json!({"total_token_usage": tokens(totals), "last_token_usage": tokens(last)});
        let event = json!({"type": "token_count", "info": info});
        put("event_msg", event.clone());
        put("event_msg", event);
        put("event_msg", json!({"type": "token_count", "info": null}));
        count += 5;
    }
    out
}

/// What one rollout costs by its totals: what they grow by, at the price of the model of that time.
pub(crate) fn codex_cost(text: &str) -> u64 {
    let (mut model, mut before, mut sum) = (String::new(), [0.0; 3], 0.0);
    for line in text.lines() {
        let record: Value = serde_json::from_str(line).unwrap();
        let payload = &record["payload"];
        if record["type"] == "turn_context" {
            model = payload["model"].as_str().unwrap().to_owned();
        }
        let total = &payload["info"]["total_token_usage"];
        if payload["type"] == "token_count" && total.is_object() {
            let now = ["input_tokens", "cached_input_tokens", "output_tokens"].map(|key| total[key].as_f64().unwrap());
            let (input, cached, output) = if model == "gpt-5.5" { (5.0, 0.5, 30.0) } else { (1.75, 0.175, 14.0) };
            let grown = [now[0] - before[0], now[1] - before[1], now[2] - before[2]];
            sum += (grown[0] - grown[1]) * input + grown[1] * cached + grown[2] * output;
            before = now;
        }
    }
    (sum * 1_000.0).round() as u64
}

/// All files below a folder with this ending.
pub(crate) fn all_files(folder: &Path, ending: &str) -> Vec<PathBuf> {
    let mut files = Vec::new();
    for entry in std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()) {
        if entry.is_dir() {
            files.extend(all_files(&entry, ending));
        } else if entry.to_string_lossy().ends_with(ending) {
            files.push(entry);
        }
    }
    files.sort();
    files
}
