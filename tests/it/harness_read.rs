//! Payloads: what is read from them, and that nothing in them can hide a call from a rule.

use std::fs;
use std::path::Path;

use forge::harness::{Harness, Incoming, News, Problem, read};
use forge::model::{Call, Event, Field, InputHash};
use proptest::prelude::*;

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

/// What a payload was understood as, for the golden of all readings.
fn reading(payload: &str) -> String {
    let incoming = match reads(None, payload.as_bytes()) {
        Ok(incoming) => incoming,
        Err(problem) => return format!("  problem: {}\n", problem.what),
    };
    let mut out = format!("  {} {}", incoming.sender.harness, incoming.sender.event);
    let context = [
        ("mode", &incoming.sender.permission_mode),
        ("session", &incoming.session_id),
        ("cwd", &incoming.cwd),
        ("transcript", &incoming.transcript_path),
        ("settles", &incoming.settled),
    ];
    for (name, value) in context {
        out += &value.as_ref().map_or(String::new(), |value| format!(" {name}={value}"));
    }
    out.push('\n');
    match &incoming.news {
        News::Judge(judged) => {
            out += &call_line(&judged.call);
            for file in &judged.files {
                out += &format!("  file:{}", call_line(file));
            }
        }
        News::Failed(call) => out += &format!("  failed:{}", call_line(call)),
        News::SessionStart => out += "  session start\n",
        News::Other => out += "  nothing to judge\n",
    }
    out
}

fn call_line(call: &Call<'_>) -> String {
    let mut out = format!("  {} tool={} agent={}", call.event, call.tool, call.agent);
    out += &call.tool_use_id.as_ref().map_or(String::new(), |id| format!(" id={id}"));
    out += if call.continuing { " continuing" } else { "" };
    for &field in Field::ALL {
        let text = call.fields.get(field);
        out += &if text.is_empty() { String::new() } else { format!(" {field}={text:?}") };
    }
    format!("{out} raw={:?}\n", call.raw_input.split_whitespace().collect::<Vec<_>>().join(" "))
}

#[test]
fn every_documented_payload_is_understood() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/harness/payloads");
    let mut paths: Vec<_> = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    paths.sort();
    let mut found = String::new();
    for path in paths {
        let payload = fs::read_to_string(&path).unwrap();
        let name = path.file_stem().unwrap().to_str().unwrap();
        found += &format!("{name}\n{}\n", reading(&payload));
        let said = Harness::ALL.iter().copied().find(|harness| name.starts_with(harness.name())).unwrap();
        let told = reads(Some(said), payload.as_bytes()).unwrap();
        assert_eq!(told.sender.harness, said, "{name}");
        let guessed = reads(None, payload.as_bytes()).unwrap();
        assert_eq!(format!("{told:?}"), format!("{guessed:?}"), "{name}: recognised as told");
    }
    golden("harness/readings.txt", &found);
}

/// Compares with a file under `tests/data`; `BLESS=1` rewrites it.
pub(crate) fn golden(name: &str, found: &str) {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data").join(name);
    if std::env::var_os("BLESS").is_some() {
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(&path, found).unwrap();
    }
    let expected = fs::read_to_string(&path).unwrap_or_default();
    assert!(expected == found, "{name} differs (BLESS=1 rewrites it); found:\n{found}");
}

#[test]
fn collected_payloads_of_real_harnesses_yield_their_shell_commands() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../shared/payloads");
    let Ok(entries) = fs::read_dir(&folder) else {
        println!("skipped: no folder `../shared/payloads` beside the checkout");
        return;
    };
    let mut commands = 0;
    for path in entries.map(|entry| entry.unwrap().path()) {
        let name = path.file_name().unwrap().to_str().unwrap().to_owned();
        if path.extension().is_none_or(|ext| ext != "json") || name == "INDEX.json" {
            continue;
        }
        let payload = fs::read_to_string(&path).unwrap();
        let incoming = reads(None, payload.as_bytes()).unwrap_or_else(|problem| panic!("{name}: {}", problem.what));
        let expected = name.split('_').next().unwrap().replace("claude", "claude-code");
        if Harness::from_name(&expected).is_some() {
            assert_eq!(incoming.sender.harness.name(), expected, "{name}");
        }
        let value: serde_json::Value = serde_json::from_str(&payload).unwrap();
        if let (Some(command), News::Judge(judged)) = (shell_command(&value), &incoming.news) {
            assert_eq!((&*judged.call.tool, judged.call.fields.get(Field::Command)), ("Bash", &*command), "{name}");
            commands += 1;
        }
    }
    assert!(commands >= 15, "only {commands} payloads with a shell command");
}

/// The shell command in a payload, found without knowing its dialect.
fn shell_command(value: &serde_json::Value) -> Option<String> {
    let inputs = ["tool_input", "toolInput", "toolArgs", "args", "input", "tool_info"];
    let input = inputs.iter().find_map(|key| value.get(key)).or_else(|| value.get("toolCall")?.get("args"));
    let input = input.unwrap_or(value);
    let command = ["command", "command_line", "CommandLine"].iter().find_map(|key| input.get(key)?.as_str())?;
    (!command.starts_with("*** Begin Patch")).then(|| command.to_owned())
}

#[test]
fn a_patch_is_seen_whole_and_file_by_file() {
    let payload = fs::read_to_string(
        Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/harness/payloads/codex-pretooluse-applypatch.json"),
    );
    let payload = payload.unwrap();
    let News::Judge(judged) = reads(None, payload.as_bytes()).unwrap().news else { panic!("not judged") };
    assert_eq!(judged.call.tool, "Edit");
    assert_eq!(judged.call.fields.get(Field::FilePath), "shop/cart.py\nshop/.env\nold.txt");
    assert_eq!(judged.call.fields.get(Field::Content), "total = Decimal(0)\nKEY=1");
    assert_eq!(judged.call.fields.get(Field::Command), "");
    let files: Vec<_> = judged.files.iter().map(|call| (&*call.tool, call.fields.get(Field::FilePath))).collect();
    assert_eq!(files, [("Edit", "shop/cart.py"), ("Write", "shop/.env"), ("Edit", "old.txt")]);
    assert!(judged.files.iter().all(|call| call.raw_input == judged.call.raw_input));
}

#[test]
fn many_files_and_edits_cost_no_more_than_their_bytes() {
    let names: Vec<String> = (0..100_000).map(|at| format!("\"a/{at}.rs\"")).collect();
    let content = "line\\n".repeat(200_000);
    let listed = format!(r#"{{"files":[{}],"content":"{content}"}}"#, names.join(","));
    let edits = vec![r#"{"old_string":"a","new_string":"b\n"}"#; 100_000].join(",");
    let edited = format!(r#"{{"file_path":"x","edits":[{edits}]}}"#);
    let patch: String = (0..100_000).map(|at| format!("*** Add File: a/{at}.rs\\n+x\\n")).collect();
    let patched = format!(r#"{{"command":"{patch}"}}"#);
    for (tool, input, last) in
        [("editFiles", &listed, "a/99999.rs"), ("Edit", &edited, "x"), ("apply_patch", &patched, "a/99999.rs")]
    {
        let payload = format!(r#"{{"hook_event_name":"PreToolUse","tool_name":"{tool}","tool_input":{input}}}"#);
        let News::Judge(judged) = reads(None, payload.as_bytes()).unwrap().news else { panic!("not judged") };
        assert!(judged.call.fields.get(Field::FilePath).ends_with(last), "{tool}");
        assert!(judged.files.len() <= 1_000, "{tool}: {}", judged.files.len());
        assert!(judged.files.last().is_none_or(|file| file.fields.get(Field::FilePath).ends_with(last)), "{tool}");
    }
}

#[test]
fn the_language_of_a_payload_counts_more_than_the_file_its_hook_was_found_in() {
    for (payload, harness) in [
        (r#"{"hookEventName":"pre_tool_use","sessionId":"s","toolInput":{"command":"ls"}}"#, Harness::Grok),
        (r#"{"hook_event_name":"preToolUse","cursor_version":"1","tool_name":"Shell"}"#, Harness::Cursor),
        (r#"{"hook_event_name":"PreToolUse","timestamp":"t","tool_name":"Bash"}"#, Harness::Copilot),
        (r#"{"hook_event_name":"PreToolUse","tool_name":"Bash"}"#, Harness::ClaudeCode),
    ] {
        let incoming = reads(Some(Harness::ClaudeCode), payload.as_bytes()).unwrap();
        assert_eq!(incoming.sender.harness, harness, "{payload}");
    }
}

#[test]
fn what_cannot_be_read_says_what_is_wrong_and_whose_it_was() {
    let deep = format!("{{\"a\":{}1{}}}", "[".repeat(10), "]".repeat(9));
    for (payload, what) in [
        (&b""[..], "payload is empty"),
        (b" \n", "payload is empty"),
        (b"null", "payload is not valid JSON: invalid type"),
        (b"[]", "payload is not valid JSON: invalid type"),
        (b"{", "payload is not valid JSON: EOF"),
        (b"{} {}", "payload is not valid JSON: trailing characters"),
        (b"{}\0", "payload is not valid JSON: trailing characters"),
        (b"{\"a\":\"\xFF\"}", "payload is not UTF-8 at byte 6"),
        (b"{\"a\":\"\n\"}", "payload is not valid JSON: control character"),
        (deep.as_bytes(), "payload is not valid JSON: expected `,` or `]`"),
        (b"{}", "payload of claude-code without an event"),
    ] {
        let problem = reads(Some(Harness::ClaudeCode), payload).unwrap_err();
        assert!(problem.what.starts_with(what), "{what}: {}", problem.what);
        assert!(problem.what.contains("; ") && !problem.what.contains('\n'), "{}", problem.what);
        assert_eq!(problem.sender.unwrap().harness, Harness::ClaudeCode);
    }
    let unknown = reads(None, br#"{"who":"knows"}"#).unwrap_err();
    assert_eq!((unknown.sender, unknown.event), (None, None));
    assert!(unknown.what.contains("--harness"), "{}", unknown.what);
}

#[test]
fn a_broken_payload_keeps_the_event_it_was_about() {
    let told = read(Some(Harness::Gemini), Some("BeforeTool"), b"{", hasher).unwrap_err();
    assert_eq!(told.event, Some(Event::PreToolUse));
    let cut = br#"{"hook_event_name":"PreToolUse","tool_name":"Bash","tool_input":{"command":"rm"#;
    let glimpsed = read(None, None, cut, hasher).unwrap_err();
    assert_eq!(glimpsed.event, Some(Event::PreToolUse));
    assert_eq!(glimpsed.sender.unwrap().harness, Harness::ClaudeCode);
}

#[test]
fn size_depth_and_odd_bytes_change_nothing() {
    let deep = format!("{}1{}", "[".repeat(10_000), "]".repeat(10_000));
    let objects = format!("{}1{}", "{\"a\":".repeat(10_000), "}".repeat(10_000));
    let long = "x".repeat(10 << 20);
    for odd in [
        format!(r#""later":{deep},"tool_input":{{"command":"ls"}}"#),
        format!(r#""later":{objects},"tool_input":{{"command":"ls"}}"#),
        format!(r#""tool_input":{{"a":{deep},"b":{objects},"command":"ls","edits":[{deep}],"url":{deep}}}"#),
        format!(r#""tool_input":{{"a":"{long}","command":"ls"}}"#),
        r#""tool_name":"Bash","tool_input":{"command":"ls"},"tool_response":null,"effort":{"level":"odd"}"#.to_owned(),
    ] {
        let payload = format!("\u{FEFF}{{\"hook_event_name\":\"PreToolUse\",\"tool_name\":\"Bash\",{odd}}}");
        assert_eq!(call(None, &payload).fields.get(Field::Command), "ls");
        assert_eq!(call(Some(Harness::ClaudeCode), &payload).fields.get(Field::Command), "ls");
    }
    let payload = bash(&format!(r#"{{"command":"{long}; rm -rf /"}}"#));
    assert!(call(None, &payload).fields.get(Field::Command).ends_with("; rm -rf /"));
    let nested = bash(&deep);
    assert_eq!(call(None, &nested).tool, "Bash");
}

#[test]
fn every_field_but_the_event_may_be_missing_or_of_another_type() {
    for &harness in Harness::ALL {
        for event in ["PreToolUse", "preToolUse", "BeforeTool", "Stop", "UserPromptSubmit", "pre_run_command", "x"] {
            for rest in [
                "",
                r#","tool_name":1,"tool_input":[1,{}],"cwd":{},"session_id":null,"prompt":[1]"#,
                r#","toolCall":3,"tool_info":"x","toolArgs":true,"workspace_roots":{},"args":"{\"a\":""#,
            ] {
                let payload = format!("{{\"hook_event_name\":\"{event}\"{rest}}}");
                assert!(reads(Some(harness), payload.as_bytes()).is_ok(), "{harness} {payload}");
            }
        }
    }
}

#[test]
fn prompts_and_stops_have_inputs_too() {
    let prompt = call(None, r#"{"hook_event_name":"UserPromptSubmit","prompt":"a \u0062"}"#);
    assert_eq!((&*prompt.raw_input, prompt.fields.get(Field::Prompt)), (r#"{"prompt":"a \u0062"}"#, "a b"));
    let stop = call(None, r#"{"hook_event_name":"Stop","stop_hook_active":true}"#);
    assert_eq!((&*stop.raw_input, stop.continuing), ("{}", true));
}

/// The same text with every character as escapes.
fn escaped(text: &str) -> String {
    text.encode_utf16().map(|unit| format!("\\u{unit:04X}")).collect()
}

proptest! {
    #[test]
    fn any_text_is_decoded_as_json_parsers_decode_it(text in any::<String>(), mixed in any::<String>()) {
        let json = serde_json::to_string(&text).unwrap();
        let payload = bash(&format!(r#"{{"command":{json},"url":"{}{}"}}"#, escaped(&mixed), escaped(&text)));
        let call = call(None, &payload);
        prop_assert_eq!(call.fields.get(Field::Command), &text);
        prop_assert_eq!(call.fields.get(Field::Url), mixed + &text);
    }

    #[test]
    fn any_bytes_are_read_or_refused(bytes in prop::collection::vec(any::<u8>(), 0..200), at in 0usize..13) {
        let said = Harness::ALL.get(at).copied();
        let _ = reads(said, &bytes);
        let mut whole = br#"{"hook_event_name":"PreToolUse","tool_name":"Bash","tool_input":{"command":""#.to_vec();
        whole.extend(&bytes);
        whole.extend(b"\"}}");
        let _ = reads(said, &whole);
    }

    #[test]
    fn any_escapes_are_tolerated(units in prop::collection::vec(any::<u16>(), 0..20)) {
        let text: String = units.iter().map(|unit| format!("\\u{unit:04x}")).collect();
        let payload = bash(&format!(r#"{{"{text}":1,"command":"{text}"}}"#));
        let call = call(None, &payload);
        prop_assert_eq!(call.fields.get(Field::Command), String::from_utf16_lossy(&units));
    }
}
