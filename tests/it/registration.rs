//! Entries in settings files: whatever the file looks like, everything else in it stays byte for byte, twice is once,
//! and uninstalling gives the very bytes back.

use forge::model::Event;
use forge::registration::command::HookCommand;
use forge::registration::settings::{Entry, Shape, registered, uninstall};
use forge::registration::{Dialect, Needs, Tools};
use forge::shell::Shell;
use jsonc_parser::{JsonValue, ParseOptions, parse_to_value};
use proptest::prelude::*;
use serde_json::{Value, json};
use std::collections::BTreeSet;

const HOOK: &str = "/opt/my tools/forge-hook";

/// Installing at least one entry leaves a file.
fn install(text: Option<&str>, shape: &Shape, entries: &[Entry]) -> Result<String, String> {
    forge::registration::settings::install(text, shape, entries).map(Option::unwrap)
}

fn claude() -> &'static Dialect {
    Dialect::named("claude-code").unwrap()
}

fn named(names: &[&str]) -> Tools {
    Tools::Named(names.iter().map(|name| (*name).to_owned()).collect())
}

/// Some programs' needs, from a number.
fn needs(number: u8) -> Needs {
    let tools = match number % 3 {
        0 => named(&["Bash"]),
        1 => named(&["Edit", "Write"]),
        _ => Tools::All,
    };
    let mut events = vec![(Event::PreToolUse, tools.clone())];
    if number & 4 != 0 {
        events.push((Event::PostToolUse, tools));
    }
    if number & 8 != 0 {
        events.push((Event::Stop, Tools::All));
    }
    if number & 16 != 0 {
        events.remove(0);
    }
    Needs::new(events, number & 32 != 0, number & 64 != 0)
}

/// A file's text from a value, with any space and comments between the tokens.
struct Writer<'n> {
    noise: std::iter::Cycle<std::slice::Iter<'n, u8>>,
    newline: &'static str,
    comments: bool,
    text: String,
}

impl Writer<'_> {
    fn gap(&mut self) {
        let newline = self.newline;
        let gap = match *self.noise.next().unwrap() {
            0..60 => String::new(),
            60..90 => " ".to_owned(),
            90..140 => format!("{newline}    "),
            140..160 => format!("{newline}\t"),
            160..170 => format!("  {newline}{newline}"),
            170..190 if self.comments => "/* a, \"b\" ] } // */".to_owned(),
            190..200 if self.comments => format!("/* two{newline} lines */ "),
            200..230 if self.comments => format!(" // ü, ] }} \"{newline}"),
            230..240 if self.comments => format!("{newline}// all of it{newline}  "),
            _ => format!("{newline}  "),
        };
        self.text.push_str(&gap);
    }

    fn put(&mut self, token: &str) {
        self.gap();
        self.text.push_str(token);
    }

    fn list(&mut self, open: &str, close: &str, length: usize, mut child: impl FnMut(&mut Self, usize)) {
        self.put(open);
        for number in 0..length {
            child(self, number);
            let trailing = self.comments && self.noise.next().unwrap().is_multiple_of(3);
            if number + 1 < length || trailing {
                self.put(",");
            }
        }
        self.put(close);
    }

    fn value(&mut self, value: &Value) {
        match value {
            Value::Array(list) => self.list("[", "]", list.len(), |this, number| this.value(&list[number])),
            Value::Object(members) => {
                let members: Vec<_> = members.iter().collect();
                self.list("{", "}", members.len(), |this, number| {
                    this.put(&Value::from(members[number].0.as_str()).to_string());
                    this.put(":");
                    this.value(members[number].1);
                });
            }
            scalar => self.put(&scalar.to_string()),
        }
    }
}

fn pretty(value: &Value, indent: &[u8], newline: &str) -> String {
    let mut bytes = Vec::new();
    let formatter = serde_json::ser::PrettyFormatter::with_indent(indent);
    let mut writer = serde_json::Serializer::with_formatter(&mut bytes, formatter);
    serde::Serialize::serialize(value, &mut writer).unwrap();
    String::from_utf8(bytes).unwrap().replace('\n', newline) + newline
}

fn foreign_value() -> impl Strategy<Value = Value> {
    prop_oneof![
        Just(json!(null)),
        Just(json!(1.5)),
        Just(json!("a \"b\" // c, /* ü */ }")),
        Just(json!({})),
        Just(json!([])),
        Just(json!([1, [2], {"x": "y"}])),
        Just(json!({"hooks": {"PreToolUse": []}})),
    ]
}

fn foreign_group() -> impl Strategy<Value = Value> {
    prop_oneof![
        Just(json!({"matcher": "Bash", "hooks": [{"type": "command", "command": "/usr/bin/other --harness x"}]})),
        Just(json!({"hooks": [{"type": "command", "command": "forge-hook"}]})),
        Just(json!({"hooks": []})),
        Just(json!("not a group")),
    ]
}

fn settings_value() -> impl Strategy<Value = Value> {
    let events = prop::sample::select(vec!["PreToolUse", "PostToolUse", "Stop", "SessionStart", "Elsewhere"]);
    let hooks = prop::collection::btree_map(events, prop::collection::vec(foreign_group(), 0..3), 0..4);
    let besides = prop::collection::btree_map("[a-z]{1,4}|zz", foreign_value(), 0..4);
    (besides, prop::option::of(hooks)).prop_map(|(besides, hooks)| {
        let mut root = serde_json::Map::new();
        root.extend(besides);
        root.extend(hooks.map(|hooks| ("hooks".to_owned(), json!(hooks))));
        Value::Object(root)
    })
}

prop_compose! {
    fn settings_text()(
        value in settings_value(),
        noise in prop::collection::vec(any::<u8>(), 1..80),
        style in 0_u8..6,
        crlf in any::<bool>(),
        mark in prop::bool::weighted(0.1),
    ) -> String {
        let newline = if crlf { "\r\n" } else { "\n" };
        let text = match style {
            0 => pretty(&value, b"  ", newline),
            1 => pretty(&value, b"\t", newline),
            2 => value.to_string(),
            _ => {
                let mut writer = Writer { noise: noise.iter().cycle(), newline, comments: style > 3, text: String::new() };
                writer.value(&value);
                writer.gap();
                writer.text
            }
        };
        if mark { format!("\u{feff}{text}") } else { text }
    }
}

fn meaning(text: &str) -> Value {
    fn plain(value: JsonValue<'_>) -> Value {
        match value {
            JsonValue::Null => Value::Null,
            JsonValue::Boolean(truth) => truth.into(),
            JsonValue::Number(number) => serde_json::from_str(number).unwrap(),
            JsonValue::String(text) => text.into_owned().into(),
            JsonValue::Array(list) => list.into_iter().map(plain).collect::<Vec<_>>().into(),
            JsonValue::Object(members) => {
                Value::Object(members.into_iter().map(|(name, value)| (name.to_string(), plain(value))).collect())
            }
        }
    }
    let text = text.trim_start_matches('\u{feff}');
    plain(parse_to_value(text, &ParseOptions::default()).unwrap().unwrap())
}

fn check(text: &str, first: &Needs, second: &Needs) -> Result<(), TestCaseError> {
    let dialect = claude();
    let shape = dialect.shape("settings.json");
    let entries = dialect.entries(first, HOOK);
    let installed = install(Some(text), &shape, &entries).unwrap();

    let mut expected = meaning(text);
    let hooks = expected.as_object_mut().unwrap().entry("hooks").or_insert_with(|| json!({}));
    for entry in &entries {
        let list = hooks.as_object_mut().unwrap().entry(&entry.event).or_insert_with(|| json!([]));
        let (before, after) = (meaning(&installed)["hooks"][&entry.event].clone(), list.as_array_mut().unwrap());
        let ours = before.as_array().unwrap().last().unwrap().clone();
        prop_assert_eq!(&ours["hooks"][0]["args"][3], &json!(entry.event));
        after.push(ours);
    }
    prop_assert_eq!(meaning(&installed), expected, "foreign entries first and untouched, ours last:\n{}", installed);

    prop_assert_eq!(&install(Some(&installed), &shape, &entries).unwrap(), &installed, "twice is once");
    let back = uninstall(&installed, &shape).unwrap();
    prop_assert_eq!(back.as_deref(), Some(text), "and back:\n{}", installed);

    let changed = install(Some(&installed), &shape, &dialect.entries(second, "/elsewhere/forge-hook")).unwrap();
    let back = uninstall(&changed, &shape).unwrap();
    prop_assert_eq!(back.as_deref(), Some(text), "and back from:\n{}", changed);
    let twice = install(Some(&changed), &shape, &dialect.entries(second, "/elsewhere/forge-hook")).unwrap();
    prop_assert_eq!(twice, changed);
    Ok(())
}

/// A word is what was meant, in the shell itself.
#[cfg(unix)]
#[test]
fn a_word_comes_out_of_a_shell_as_it_went_in() {
    for text in
        ["", "plain/path", "two words", "it's", "$HOME", "`id`", "a\"b", "a\\b", "a\nb", "a;b&c|d", "*", "~", "#", "é"]
    {
        let line = format!("printf %s {}", Shell::Posix.word(text));
        let out = std::process::Command::new("sh").args(["-c", &line]).output().unwrap();
        assert_eq!(String::from_utf8_lossy(&out.stdout), text, "{line}");
    }
    assert_eq!(Shell::PowerShell.word("it's $x"), "'it''s $x'");
    assert_eq!(Shell::Cmd.word(r"C:\some folder"), r#""C:\some folder""#);
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(400) })]

    #[test]
    fn any_file_is_kept_and_given_back(text in settings_text(), first in any::<u8>(), second in any::<u8>()) {
        check(&text, &needs(first), &needs(second))?;
    }

    #[test]
    fn every_harness_gives_its_file_back(text in settings_text(), first in any::<u8>(), second in any::<u8>()) {
        for dialect in Dialect::ALL.iter().filter(|dialect| !dialect.is_plugin()) {
            let shape = dialect.shape("hooks.json");
            let (first, second) = (dialect.entries(&needs(first), HOOK), dialect.entries(&needs(second), "/a/forge-hook"));
            let Ok(installed) = forge::registration::settings::install(Some(&text), &shape, &first) else { continue };
            let installed = installed.unwrap();
            prop_assert_eq!(&install(Some(&installed), &shape, &first).unwrap(), &installed, "{}", dialect.harness);
            let changed = install(Some(&installed), &shape, &second).unwrap();
            let back = uninstall(&changed, &shape).unwrap();
            prop_assert_eq!(back.as_ref(), Some(&text), "{}:\n{}", dialect.harness, changed);
        }
    }

    #[test]
    fn any_text_is_edited_or_refused(text in "[\\[\\]{},:\" a/*\n]{0,40}", first in any::<u8>()) {
        let shape = claude().shape("settings.json");
        if let Ok(installed) = install(Some(&text), &shape, &claude().entries(&needs(first), HOOK)) {
            prop_assert_eq!(uninstall(&installed, &shape).unwrap(), Some(text));
        }
    }

    #[test]
    fn a_command_line_is_recognised_in_every_shell(
        folder in "[a-zA-Z0-9 '$&()._-]{0,12}",
        shell in prop::sample::select(vec![Shell::Posix, Shell::PowerShell]),
    ) {
        let command = HookCommand::new(&format!("/opt/{folder}/forge-hook"), "codex", "PreToolUse");
        // PowerShell doubles a quote inside quotes, which reads as two quoted pieces: recognised, but not the same path.
        let read = HookCommand::parse(&command.line(shell)).unwrap();
        prop_assert!(read.is_ours());
        if shell == Shell::Posix {
            prop_assert_eq!(read, command);
        }
    }
}

#[test]
fn awkward_files_are_kept_and_given_back() {
    let texts = [
        "{}",
        "{}\n",
        "{\n}\n",
        " { } ",
        "{\"hooks\":{}}",
        "{\"hooks\": {\"PreToolUse\": []}}",
        "{\n  \"hooks\": {\n    \"PreToolUse\": [\n    ]\n  }\n}\n",
        "{\n  \"hooks\": {\n  },\n  \"model\": \"x\" // mine\n}\n",
        "// first\n{\n  \"a\": 1, // why\n  /* and */\n}\n// last",
        "{\r\n\t\"a\": [1, 2, ], // x\r\n}\r\n",
        "{\"a\": 1 /* b */}",
        "{\"hooks\": {/* c */}}",
        "{\"hooks\": { // c\n}, \"a\": 1}",
        "{\"hooks\": {\"PreToolUse\": [ // c\n  ]}}",
        "{\"a\": 1 // b\n}",
        "{\"a\": {\n  \"b\": 1\n}}",
    ];
    for text in texts {
        for number in 0..=u8::MAX {
            check(text, &needs(number), &needs(number.reverse_bits())).unwrap();
        }
    }
}

#[test]
fn a_file_that_was_not_there_is_gone_again() {
    for dialect in Dialect::ALL.iter().filter(|dialect| !dialect.is_plugin()) {
        for number in 0..=u8::MAX {
            let shape = dialect.shape("forge.json");
            let entries = dialect.entries(&needs(number), HOOK);
            if entries.is_empty() {
                continue;
            }
            let text = install(None, &shape, &entries).unwrap();
            assert_eq!(registered(&text, &shape).unwrap().len(), entries.len());
            assert!(registered(&text, &shape).unwrap().iter().all(|one| one.is_ours), "{text}");
            assert_eq!(install(Some(&text), &shape, &entries).unwrap(), text);
            assert_eq!(uninstall(&text, &shape).unwrap(), None, "{text}");
            let others = dialect.entries(&needs(number.reverse_bits()), HOOK);
            if others.is_empty() {
                continue;
            }
            let other = install(Some(&text), &shape, &others).unwrap();
            assert_eq!(uninstall(&other, &shape).unwrap(), None, "{text}\n{other}");
        }
    }
}

#[test]
fn a_new_file_reads_as_a_person_would_write_it() {
    let needs = Needs::new([(Event::PreToolUse, named(&["Bash", "Write"]))], false, true);
    let text = install(None, &claude().shape("settings.json"), &claude().entries(&needs, "/opt/forge-hook")).unwrap();
    let expected = r#"{
  "hooks": {
    "SessionStart": [
      {
        "hooks": [
          {
            "type": "command",
            "command": "/opt/forge-hook",
            "args": ["--harness", "claude-code", "--event", "SessionStart"],
            "timeout": 30
          }
        ]
      }
    ],
    "PreToolUse": [
      {
        "matcher": "Bash|Monitor|PowerShell|Write",
        "hooks": [
          {
            "type": "command",
            "command": "/opt/forge-hook",
            "args": ["--harness", "claude-code", "--event", "PreToolUse"],
            "timeout": 30,
            "onFailure": "block"
          }
        ]
      }
    ]
  }
}
"#;
    assert_eq!(text, expected);
}

#[test]
fn an_entry_is_added_in_the_style_of_the_file() {
    let before = "{\n    \"hooks\": {\n        \"Stop\": [\n            {\n                \"hooks\": []\n            } // mine\n        ]\n    },\n    // models\n    \"model\": \"x\"\n}\n";
    let shape = Dialect::named("codex").unwrap().shape("hooks.json");
    let needs = Needs::new([(Event::Stop, Tools::All)], false, false);
    let entries = Dialect::named("codex").unwrap().entries(&needs, "/opt/forge-hook");
    let after = install(Some(before), &shape, &entries[1..]).unwrap();
    let added = "            }, // mine\n            {\n                \"hooks\": [\n                    {\n                        \"type\": \"command\",\n                        \"command\": \"/opt/forge-hook --harness codex --event Stop\",\n                        \"timeout\": 30\n                    }\n                ]\n            }\n        ]\n";
    assert_eq!(after, before.replace("            } // mine\n        ]\n", added));
}

#[test]
fn an_entry_in_someone_elses_group_or_before_someone_elses_moves_to_its_own_place() {
    let shape = claude().shape("settings.json");
    let entries = claude().entries(&needs(0), HOOK);
    let ours = r#"{"type": "command", "command": "/old/forge-hook --harness claude-code --event PreToolUse"}"#;
    let theirs = r#"{"type": "command", "command": "/usr/bin/theirs"}"#;
    let text = format!(
        r#"{{"hooks": {{"PreToolUse": [{{"hooks": [{ours}, {theirs}, {ours}]}}, {{"hooks": [{ours}]}}, {{"hooks": [{theirs}]}}]}}}}"#
    );
    let installed = install(Some(&text), &shape, &entries).unwrap();
    let all = registered(&installed, &shape).unwrap();
    let lines: Vec<_> = all.iter().filter(|one| one.event == "PreToolUse").map(|one| one.line.as_str()).collect();
    assert_eq!(lines, ["/usr/bin/theirs", "/usr/bin/theirs", HOOK]);
    let plain = format!(r#"{{"hooks": {{"PreToolUse": [{{"hooks": [{theirs}]}}, {{"hooks": [{theirs}]}}]}}}}"#);
    assert_eq!(uninstall(&text, &shape).unwrap(), Some(plain));
}

#[test]
fn a_file_that_is_not_understood_is_refused_with_the_reason() {
    let cases = [
        ("", "empty"),
        ("// nothing\n", "empty"),
        ("[]", "not a JSON object"),
        ("{\"hooks\": {}", "not valid JSON: unterminated object on line 1 column 1"),
        ("{\"a\": 1 \"b\": 2}", "not valid JSON"),
        ("{'a': 1}", "not valid JSON"),
        ("{\"hooks\": []}", "`hooks` is not an object"),
        ("{\"hooks\": {\"SessionStart\": {}}}", "`SessionStart` is not a list"),
        ("{\"hooks\": {}, \"hooks\": {}}", "`hooks` stands there twice"),
        ("{\"hooks\": {\"SessionStart\": [], \"SessionStart\": []}}", "`SessionStart` stands there twice"),
    ];
    for (text, why) in cases {
        let refused = install(Some(text), &claude().shape("settings.json"), &claude().entries(&needs(0), HOOK));
        assert!(refused.as_ref().is_err_and(|what| what.contains(why)), "{text}: {refused:?}");
    }
    let deep = format!("{{\"a\": {}{}}}", "[".repeat(100_000), "]".repeat(100_000));
    assert!(uninstall(&deep, &claude().shape("settings.json")).is_err());
}

#[test]
fn the_union_of_tools_is_never_too_small() {
    let union = |events: Vec<(Event, Tools)>, asks| Needs::new(events, asks, false).calls;
    let moments = |calls: Vec<forge::registration::Need>| {
        calls.into_iter().map(|need| (format!("{:?}", need.moment), need.tools)).collect::<Vec<_>>()
    };
    let pre = (Event::PreToolUse, named(&["Bash"]));
    let post = (Event::PostToolUse, named(&["Edit"]));
    let expected = [
        ("SessionStart", Tools::All),
        ("PreToolUse", named(&["Bash"])),
        ("PostToolUse", named(&["Bash", "Edit"])),
        ("PostToolUseFailure", named(&["Bash"])),
    ];
    let expected: Vec<_> = expected.into_iter().map(|(moment, tools)| (moment.to_owned(), tools)).collect();
    assert_eq!(moments(union(vec![pre.clone(), post.clone()], true)), expected);
    assert_eq!(moments(union(vec![post, pre.clone()], true)), expected);
    assert_eq!(moments(union(vec![pre], false)).len(), 2);
}

#[test]
fn every_registered_event_is_one_the_hook_understands() {
    let mut seen = BTreeSet::new();
    for dialect in Dialect::ALL {
        let harness = forge::harness::Harness::from_name(dialect.harness).expect(dialect.harness);
        let events = [Event::PreToolUse, Event::PostToolUse, Event::UserPromptSubmit, Event::Stop];
        for event in events {
            let needs = Needs::new([(event, Tools::All)], false, false);
            for entry in dialect.entries(&needs, HOOK) {
                let payload: &[u8] = match dialect.harness {
                    "antigravity" => br#"{"toolCall": {"name": "x"}}"#,
                    "windsurf" => br#"{"tool_info": {}}"#,
                    _ => br#"{"tool_name": "x", "toolName": "x"}"#,
                };
                let hash = |_: &str| forge::model::InputHash(String::new());
                let read = forge::harness::read(Some(harness), Some(&entry.event), payload, hash);
                let news = read.unwrap_or_else(|problem| panic!("{}: {problem:?}", dialect.harness)).news;
                assert!(!matches!(news, forge::harness::News::Other), "{} {}", dialect.harness, entry.event);
                seen.insert((dialect.harness, entry.event));
            }
        }
    }
    assert!(seen.len() > 40);
}
