//! Overrides: the hash that ties one to its input, the records it leaves, and `forge allow`.

use crate::fake_host::{FakeHost, START};
use crate::lock;
use crate::state::{Project, call};
use forge::host::{Host, OsHost};
use forge::model::{Event, Field, InputHash, PendingBlock, Timestamp};
use forge::store;
use proptest::prelude::*;
use sha2::{Digest, Sha256};
use std::collections::BTreeSet;
use std::io::Write;
use std::process::{Command, Stdio};

/// What the real jq makes of these texts, one line each; `None` where it is not installed or is not 1.6, whose numbers
/// are ours.
fn jq(inputs: &[String]) -> Option<Vec<String>> {
    let version = Command::new("jq").arg("--version").output().ok()?;
    if version.stdout.trim_ascii() != b"jq-1.6" {
        println!("skipped: no jq 1.6 here");
        return None;
    }
    let mut jq =
        Command::new("jq").args(["-S", "-c", "."]).stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
    let mut stdin = jq.stdin.take().unwrap();
    let text = inputs.join("\n");
    let writer = std::thread::spawn(move || stdin.write_all(text.as_bytes()).unwrap());
    let output = jq.wait_with_output().unwrap();
    writer.join().unwrap();
    let lines: Vec<String> = String::from_utf8(output.stdout).unwrap().lines().map(str::to_owned).collect();
    assert_eq!(lines.len(), inputs.len(), "jq refused an input");
    Some(lines)
}

/// `sha256sum | cut -c1-40` of a line.
fn sha(line: &str) -> InputHash {
    let digest: String = Sha256::digest(format!("{line}\n")).iter().map(|byte| format!("{byte:02x}")).collect();
    InputHash(digest[..40].to_owned())
}

fn check(inputs: &[String]) {
    for (input, line) in inputs.iter().zip(jq(inputs).unwrap_or_default()) {
        assert_eq!(store::input_hash(input), sha(&line), "{input} is {line} to jq");
    }
}

/// An input is in its canonical form before it is hashed when it is JSON, and only then: white space tells.
#[test]
fn what_is_json_and_what_is_not() {
    let is_json = |value: &str| {
        let [one, other] = ["[ X ]", "[X]"].map(|form| store::input_hash(&form.replace('X', value)));
        one == other
    };
    let json =
        "0|-0|10|1.5|0.0|1e5|1E+05|1e-5|0e0|-1.20e+30|true|false|null|[1]|{}|{\"a\":1,\"b\":[]}|\"\"|\"\\u00e9\\n\"";
    for value in json.split('|') {
        assert!(is_json(value), "{value}");
    }
    let other = "-|01|-01|00|1.|.5|1.e5|1e|1e+|e5|1e5.5|1e5e5|1.5.5|+1|--1|1-|1a|0x1|tru|truefalse|NULL|1 2|1,|,1|[|[1}\
                 |{|{1:1}|{\"a\"}|{\"a\",1}|{\"a\":1,}|{\"a\":1 \"b\":2}|\"|\"\\x\"|\"\\u12\"|\"\\u12g4\"|\"\u{1}\"";
    for value in other.split('|') {
        assert!(!is_json(value), "{value}");
    }
    for (one, other) in [("[1]  ", "[1]"), ("\t\r\n1", "1")] {
        assert_eq!(store::input_hash(one), store::input_hash(other), "white space around a value is none of it");
    }
    for (one, other) in [("[1]  2", "[1] 2"), ("  ", " "), ("[1]] ", "[1]]"), ("[1]\0 ", "[1]\0")] {
        assert_ne!(store::input_hash(one), store::input_hash(other), "{one:?} is no value");
    }
}

#[test]
fn the_hash_is_that_of_jq_for_every_kind_of_value() {
    let values = [
        "0",
        "-0",
        "-0.0",
        "1.0",
        "1e3",
        "1E+2",
        "1e-0",
        "0.1",
        "0.0001",
        "0.00001",
        "1.5e-7",
        "1e15",
        "1e16",
        "1e17",
        "1e22",
        "1e23",
        "123456789012345678901234567890",
        "9007199254740993",
        "3.141592653589793238",
        "5e-324",
        "1e-400",
        "1.7976931348623157e308",
        "1e1000",
        "-1e1000",
        "123456.789e3",
        "-763344993365969.2179331415425745",
        "99999999999999999999999e-10",
        "[]",
        "{}",
        "[[],{}]",
        " [ 1 , 2 ] ",
        "null",
        "true",
        "false",
        "\"\"",
        r#""\u007f\u0001\u001fx\/\u00e9\"\\\b\f\n\r\t\u2028""#,
        r#""\ud83d\ude00""#,
        r#""\udc00""#,
        r#""\u0000""#,
        r#"{"b":1,"a":2,"b":3}"#,
        r#"{"b":{"b":1},"a":[{"z":1,"y":2}],"b":{"c":1}}"#,
        r#"{"é":1,"z":2,"𐀀":3,"\uffee":4,"A":5,"":6,"\u0061":7,"\n":8}"#,
        r#"{"command":"git push --force","description":"it's \"<&>\""}"#,
    ];
    check(&values.map(String::from));
    let deep = format!("{}{{\"b\":1,\"a\":2}}{}", "[".repeat(250), "]".repeat(250));
    check(&[deep]);
}

#[test]
fn the_hash_is_what_it_is() {
    // So that it holds where there is no jq: printf '%s' '…' | jq -S -c . | sha256sum | cut -c1-40
    let input = r#"{"file_path": "/src/a.ts", "content": "x\u00e9", "n": [1.0, 1e3, -0]}"#;
    let canonical = r#"{"content":"xé","file_path":"/src/a.ts","n":[1,1000,-0]}"#;
    assert_eq!(store::input_hash(input), sha(canonical));
    assert_eq!(store::input_hash(input), InputHash(String::from("2686584f219773f5eca4e078f23fa8a41009e961")));
}

#[test]
fn no_input_is_too_deep_or_too_odd_to_be_hashed() {
    let deep = |inner: &str| format!("{}{inner}{}", r#"{"b":0,"a":["#.repeat(10_000), "]}".repeat(10_000));
    assert_eq!(store::input_hash(&deep("1.0")), store::input_hash(&deep(" 1 ")));
    assert_ne!(store::input_hash(&deep("1")), store::input_hash(&deep("2")));
    // What is not JSON is hashed as it stands.
    for odd in ["", "{", "nul", "1 2", "[1,]", "{\"a\":1,}", "\u{feff}1", "01", "\"\n\""] {
        assert_eq!(store::input_hash(odd), sha(odd), "{odd}");
    }
    // A lone surrogate is one character nobody can read, as jq 1.7 has it.
    assert_eq!(store::input_hash(r#""a\ud83dx""#), sha("\"a\u{fffd}x\""));
    assert_eq!(store::input_hash(r#""\ud83d\ud83d\ude00""#), sha("\"\u{fffd}😀\""));
}

/// JSON as other programs write it: any spacing, any escapes.
fn json() -> impl Strategy<Value = String> {
    let digits = "-?(0|[1-9][0-9]{0,19})(\\.[0-9]{1,18})?([eE][+-]?[0-9]{1,3})?";
    let double = any::<f64>().prop_filter("JSON has no other", |number| number.is_finite());
    let string =
        "\"([ !#-\\[\\]-~é€𐀀]|\\\\[\"\\\\/bfnrt]|\\\\u[0-9a-c][0-9a-fA-F]{3}|\\\\ud83d\\\\ude[0-9a-f]{2}){0,6}\"";
    let leaf = prop_oneof![
        4 => digits,
        2 => double.prop_map(|number| format!("{number:e}")),
        1 => any::<i64>().prop_map(|number| number.to_string()),
        4 => string,
        1 => "true|false|null",
    ];
    leaf.prop_recursive(4, 24, 5, move |inner| {
        let member =
            (string, inner.clone(), "[ \t]?").prop_map(|(key, value, space)| format!("{key}{space}:{space}{value}"));
        prop_oneof![
            proptest::collection::vec(inner, 0..5).prop_map(|items| format!("[{}]", items.join(" , "))),
            proptest::collection::vec(member, 0..5).prop_map(|members| format!("{{{}}}", members.join(","))),
        ]
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(16))]

    #[test]
    fn the_hash_is_that_of_jq_for_anything(inputs in proptest::collection::vec(json(), 100)) {
        check(&inputs);
    }
}

/// A project in whose session `s1` the behavior `search-first` has just blocked a call; with the block's code.
fn blocked() -> (Project, String) {
    blocked_at(START)
}

fn blocked_at(now: i64) -> (Project, String) {
    let project = Project::new();
    project.host.now.set(now);
    let mut call = call(Event::PreToolUse, "Write", r#"{"file_path":"/a"}"#);
    call.fields.set(Field::FilePath, "/a\u{1b}[31m");
    let input = call.input_hash().clone();
    let pending = PendingBlock { input, blocked_at: Timestamp(now), tool_use_id: None, granted_at: None };
    let code = store::code("s1", "search-first", 5, &pending);
    project.call("s1", &call, &[], |session| {
        let state = session.behaviors.entry(String::from("search-first")).or_default();
        (state.counter, state.pending) = (5, Some(pending));
    });
    *project.host.answer.borrow_mut() = Some(String::from("yes\n"));
    (project, code)
}

fn granted(project: &Project) -> Option<Timestamp> {
    project.session("s1").behaviors["search-first"].pending.as_ref()?.granted_at
}

fn refusal(project: &Project, code: &str) -> String {
    store::allow(&project.host, &project.paths, code).unwrap_err().to_string()
}

#[test]
fn a_person_allows_a_block_once() {
    let (project, code) = blocked();
    project.host.now.set(START + 20);
    let allowed = store::allow(&project.host, &project.paths, &code.to_lowercase().replace('-', " ")).unwrap().unwrap();
    assert_eq!((allowed.behavior.as_str(), allowed.tool.as_str(), allowed.age), ("search-first", "Write", 20));
    assert_eq!(allowed.summary, "file_path=/a[31m");
    assert_eq!(granted(&project), Some(Timestamp(START + 20)));
    let question = "blocked by  search-first\ntool        Write\ninput       file_path=/a[31m\n\
        session     s1, 20 s ago\nAllow this call once? [y/N] ";
    assert_eq!(*project.host.asked.borrow(), question);
    assert!(refusal(&project, &code).contains("was used already"));
    assert_eq!(granted(&project), Some(Timestamp(START + 20)));
    // The block's own tool and input are still there for whoever asks.
    let block = &project.state()["sessions"]["s1"]["behaviors"]["search-first"]["pending_block"];
    assert_eq!((&block["tool_name"], &block["granted_at"]), (&"Write".into(), &"2026-04-13T10:00:20Z".into()));
}

#[test]
fn nobody_but_a_person_with_the_right_code_allows_anything() {
    let (project, code) = blocked();
    *project.host.answer.borrow_mut() = None;
    assert!(refusal(&project, &code).contains("no terminal"));
    for answer in ["", "n", "no", "allow", "yes please"] {
        *project.host.answer.borrow_mut() = Some(answer.to_owned());
        assert_eq!(store::allow(&project.host, &project.paths, &code).unwrap(), None, "{answer}");
    }
    *project.host.answer.borrow_mut() = Some(String::from("y"));
    for forged in ["", "0000-0000", &code[1..], &format!("{code}0"), "é"] {
        assert!(refusal(&project, forged).contains("no block waits"), "{forged}");
    }
    for agent in ["CLAUDECODE", "CLAUDE_CODE_ENTRYPOINT", "CODEX_SANDBOX", "CURSOR_TRACE_ID", "GEMINI_CLI", "OPENCODE"]
    {
        project.host.set_env(agent, "1");
        assert!(refusal(&project, &code).contains(&format!("`{agent}` is set")), "{agent}");
        project.host.env.borrow_mut().clear();
        *project.host.ancestors.borrow_mut() = vec![String::from("PATH"), agent.to_owned()];
        assert!(refusal(&project, &code).contains(&format!("`{agent}` is set")), "{agent}");
        project.host.ancestors.borrow_mut().clear();
    }
    assert_eq!(granted(&project), None);
    for person in ["CLAUDE_CODE_USE_BEDROCK", "CODEX_HOME", "TERM"] {
        project.host.set_env(person, "1");
    }
    assert!(store::allow(&project.host, &project.paths, &code).unwrap().is_some());
}

#[test]
fn a_code_expires_and_belongs_to_one_block() {
    for (age, is_allowed) in [(0, true), (599, true), (600, false), (-1, false)] {
        let (project, code) = blocked();
        project.host.now.set(START + age);
        assert_eq!(store::allow(&project.host, &project.paths, &code).is_ok(), is_allowed, "{age}");
    }
    let (project, code) = blocked();
    let block = project.session("s1").behaviors["search-first"].pending.clone().unwrap();
    let later = PendingBlock { blocked_at: Timestamp(START + 1), ..block.clone() };
    let other = PendingBlock { input: InputHash(String::from("other")), ..block.clone() };
    let mut codes = vec![
        code,
        store::code("s2", "search-first", 5, &block),
        store::code("s1", "search-last", 5, &block),
        store::code("s1", "search-first", 6, &block),
        store::code("s1", "search-first", 5, &later),
        store::code("s1", "search-first", 5, &other),
    ];
    codes.sort();
    codes.dedup();
    assert_eq!(codes.len(), 6);
    assert!(codes.iter().all(|code| code.len() == 9 && !code.contains(['I', 'L', 'O', 'U'])));
    let many = (0..200).map(|count| store::code("s1", "search-first", count, &block)).collect::<String>();
    let letters: BTreeSet<char> = many.chars().filter(|letter| *letter != '-').collect();
    assert_eq!(letters.len(), 32, "all letters there are");
    // The block is answered while the person thinks.
    let (project, code) = blocked();
    project.event("s1", |session| session.behaviors.get_mut("search-first").unwrap().pending = None);
    assert!(refusal(&project, &code).contains("no block waits"));
}

#[test]
fn a_code_used_twice_at_once_allows_once() {
    let (project, code) = blocked();
    let paths = &project.paths;
    let allow = || {
        let host = FakeHost::new();
        *host.answer.borrow_mut() = Some(String::from("y"));
        store::allow(&host, paths, &code).is_ok()
    };
    let allowed = std::thread::scope(|scope| {
        let people: Vec<_> = (0..8).map(|_| scope.spawn(allow)).collect();
        people.into_iter().map(|person| person.join().unwrap()).filter(|is_allowed| *is_allowed).count()
    });
    assert_eq!(allowed, 1);
    assert!(granted(&project).is_some());
}

#[test]
fn a_full_disk_grants_nothing() {
    let (project, code) = blocked();
    project.host.failing_writes.set(Some((0, std::io::ErrorKind::StorageFull)));
    assert!(refusal(&project, &code).contains("nothing is allowed"));
    assert_eq!(granted(&project), None);
}

#[test]
fn the_call_that_was_asked_about_settles_its_block_once() {
    let (project, _) = blocked();
    project.event("s1", |session| {
        let pending = session.behaviors.get_mut("search-first").unwrap().pending.as_mut().unwrap();
        pending.tool_use_id = Some(String::from("toolu_1"));
        let other = session.behaviors.entry(String::from("other")).or_default();
        other.pending = Some(PendingBlock { tool_use_id: Some(String::from("toolu_2")), ..pending_of("x") });
    });
    let may_settle = |id| store::may_settle(&project.host, &project.paths, id);
    assert!(may_settle("toolu_1") && may_settle("toolu_2") && !may_settle("toolu_3") && !may_settle("toolu"));
    project.event("s1", |session| {
        assert_eq!(store::settle(session, "toolu_3"), []);
        assert_eq!(store::settle(session, "toolu_1"), [(String::from("search-first"), 5)]);
        assert_eq!(store::settle(session, "toolu_1"), []);
        assert!(session.behaviors["other"].pending.is_some());
    });
    assert!(!may_settle("toolu_1"));
    assert_eq!(granted(&project), None);
}

fn pending_of(input: &str) -> PendingBlock {
    let input = InputHash(input.to_owned());
    PendingBlock { input, blocked_at: Timestamp(START), tool_use_id: None, granted_at: None }
}

#[test]
fn the_window_comes_from_the_environment() {
    let host = FakeHost::new();
    for (word, window) in [(None, 60), (Some("5"), 5), (Some("0"), 0), (Some("-5"), 60), (Some("x"), 60)] {
        word.iter().for_each(|word| host.set_env("FORGE_OVERRIDE_WINDOW_SECONDS", word));
        assert_eq!(store::window(&host), window, "{word:?}");
    }
}

#[cfg(target_os = "linux")]
/// `forge allow` in a process of its own, without the variables of the agent this test may run under.
fn forge_allow(project: &Project, code: &str, terminal: bool) -> Command {
    let forge = env!("CARGO_BIN_EXE_forge");
    let root = project.folder.path().display();
    let mut command = Command::new(if terminal { "script" } else { "setsid" });
    match terminal {
        true => command.args(["-qec", &format!("{forge} allow {code} --root {root}"), "/dev/null"]),
        false => command.args(["--wait", forge, "allow", code, "--root", &root.to_string()]),
    };
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    command
}

#[cfg(target_os = "linux")]
#[test]
fn the_command_asks_at_the_terminal_or_not_at_all() {
    let is_there = |tool: &str| Command::new(tool).arg("--version").output().is_ok();
    if !(is_there("script") && is_there("setsid")) {
        println!("skipped: no `script` or `setsid` here");
        return;
    }
    let agents =
        ["CLAUDECODE", "CLAUDE_CODE_", "CODEX_", "CURSOR_", "GEMINI_CLI", "COPILOT_", "OPENCODE", "ANTIGRAVITY_"];
    if agents.iter().any(|agent| !OsHost::new().env_names(agent).is_empty()) {
        println!("skipped: an agent runs this test");
        return;
    }
    let (project, code) = blocked_at(OsHost::new().now().0);
    let run = |mut command: Command, answer: &str| {
        let mut child = command.spawn().unwrap();
        // Stays open: at the end of its input `script` waits a second for more.
        let mut stdin = child.stdin.take().unwrap();
        // A command that asks nothing may be gone already.
        let _ = stdin.write_all(answer.as_bytes());
        let output = child.wait_with_output().unwrap();
        (output.status.code(), [output.stdout, output.stderr].concat().escape_ascii().to_string())
    };
    let (exit, said) = run(forge_allow(&project, &code, false), "y\n");
    assert!(exit == Some(2) && said.contains("no terminal to ask at"), "{exit:?} {said}");
    let mut agent = forge_allow(&project, &code, true);
    agent.env("CLAUDECODE", "1");
    let (exit, said) = run(agent, "y\n");
    assert!(exit == Some(2) && said.contains("`CLAUDECODE` is set"), "{exit:?} {said}");
    // A process above is an agent, and this one was cleaned of it.
    let inner = format!(
        "env -u CLAUDECODE {} allow {code} --root {}",
        env!("CARGO_BIN_EXE_forge"),
        project.folder.path().display()
    );
    let mut cleaned = Command::new("sh");
    cleaned.args(["-c", &format!("script -qec '{inner}' /dev/null; exit $?")]).env("CLAUDECODE", "1");
    cleaned.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let (exit, said) = run(cleaned, "y\n");
    assert!(exit == Some(2) && said.contains("`CLAUDECODE` is set"), "{exit:?} {said}");
    assert_eq!(granted(&project), None);
    let (exit, said) = run(forge_allow(&project, &code, true), "y\n");
    assert!(exit == Some(0) && said.contains("allowed once"), "{exit:?} {said}");
    assert!(granted(&project).is_some());
}

#[test]
fn a_retry_made_twice_at_once_is_one_override() {
    let (project, _) = fifth_blocked("retry");
    // The first of the two is the override; to the second nothing is pending any more, so it is a violation.
    assert_eq!(lock::hooks(&project, [5, 5].into_iter()).iter().flatten().count(), 1);
    let log = std::fs::read_to_string(project.paths.overrides_log()).unwrap();
    assert_eq!(log.lines().count(), 1, "{log}");
    assert!(log.ends_with("|s1|search-first|Write|file_path=/5|5|\n"), "{log}");
    let behavior = &project.state()["sessions"]["s1"]["behaviors"]["search-first"];
    assert_eq!((behavior["overrides"].as_array().unwrap().len(), &behavior["counter"]), (1, &6.into()));
    assert_eq!(store::verify(&project.host, &project.paths).unwrap().findings, []);
}

/// A project whose fifth call has just been blocked by the real hook; with the block's text.
fn fifth_blocked(overrides: &str) -> (Project, String) {
    let project = lock::compiled(overrides);
    let answers: Vec<_> = (1..=5).flat_map(|n| lock::hooks(&project, std::iter::once(n))).collect();
    // Afterwards: a block of a later second than now is one of a clock that was turned back.
    project.host.now.set(OsHost::new().now().0);
    let [None, None, None, None, Some(text)] = &answers[..] else { panic!("{answers:?}") };
    (project, text.clone())
}

#[test]
fn what_a_person_allows_passes_the_hook_once() {
    let (project, text) = fifth_blocked("deny");
    let code = |text: &str| text.split_once("forge allow ").unwrap().1[..9].to_owned();
    let retried = lock::hooks(&project, [5].into_iter())[0].clone().unwrap();
    assert_ne!(code(&text), code(&retried), "a retry is a violation, and its block another one");
    *project.host.answer.borrow_mut() = Some(String::from("y"));
    project.host.now.set(OsHost::new().now().0);
    assert!(refusal(&project, &code(&text)).contains("no block waits"));
    assert!(store::allow(&project.host, &project.paths, &code(&retried)).unwrap().is_some());
    let others = lock::hooks(&project, [5].into_iter());
    assert_eq!(others, [None], "the same input passes");
    assert!(lock::hooks(&project, [5].into_iter())[0].is_some(), "but once");
    let log = std::fs::read_to_string(project.paths.overrides_log()).unwrap();
    assert!(log.lines().count() == 1 && log.ends_with("|search-first|Write|file_path=/5|6|\n"), "{log}");
}

#[test]
fn what_a_person_allows_is_that_input_alone() {
    let (project, text) = fifth_blocked("deny");
    *project.host.answer.borrow_mut() = Some(String::from("y"));
    let code = &text.split_once("forge allow ").unwrap().1[..9];
    assert!(store::allow(&project.host, &project.paths, code).unwrap().is_some());
    assert!(lock::hooks(&project, [6].into_iter())[0].is_some());
    assert!(!project.paths.overrides_log().exists());
}
