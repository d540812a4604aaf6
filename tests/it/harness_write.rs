//! Answers: the exact form for every harness, event and level, and that no text can make one of them unacceptable.

use forge::harness::{Answer, Decision, Harness, Reply, Sender, can_ask, notice, write};
use forge::model::Event;
use proptest::prelude::*;
use std::borrow::Cow;

use crate::harness_read::golden;
use crate::harness_schema::{accepts, asks, events, refuses};

fn sender(harness: Harness, event: &str, mode: Option<&str>) -> Sender<'static> {
    Sender {
        harness,
        event: Cow::Owned(event.to_owned()),
        permission_mode: mode.map(|mode| Cow::Owned(mode.to_owned())),
    }
}

const HARD: Decision = Decision::Deny { is_final: true };
const SOFT: Decision = Decision::Deny { is_final: false };

fn reply(event: Event, decision: Decision, user: &str, agent: &str) -> Reply {
    Reply { event, decision, user: user.to_owned(), agent: agent.to_owned(), ends_turn: false }
}

fn shown(answer: &Answer) -> String {
    let mut out = String::new();
    if !answer.stdout.is_empty() {
        out += &format!("stdout {}\n", answer.stdout);
    }
    if !answer.stderr.is_empty() {
        out += &format!("stderr {}\n", answer.stderr);
    }
    if answer.exit != 0 {
        out += &format!("exit {}\n", answer.exit);
    }
    if out.is_empty() { "nothing\n".to_owned() } else { out }
}

#[test]
fn every_harness_event_and_level_has_its_golden_answer() {
    for &harness in Harness::ALL {
        let mut found = String::new();
        for &(native, event) in events(harness) {
            found += &format!("## {native} ({event})\n");
            let to = sender(harness, native, None);
            for (name, decision, user, agent) in [
                ("silent", Decision::Pass, "", ""),
                (
                    "nudge",
                    Decision::Pass,
                    "Search first: use Grep (violation 1/3)",
                    "Search first: use Grep (violation 1/3)",
                ),
                ("warning", Decision::Pass, "Search first.\nExpected: Grep.", "Search first.\nExpected: Grep."),
                ("soft block, ask", Decision::Ask, "Allow \"git push\"?", "**[no-push] BLOCKED:** ask first"),
                ("soft block, deny", SOFT, "[no-push] blocked", "**[no-push] BLOCKED:** `forge allow K7`"),
                ("hard block", HARD, "[no-push] blocked", "**[no-push] BLOCKED:** never"),
                ("error, deny", SOFT, "[forge] no program; run `forge compile`", "forge has no program"),
            ] {
                let answer = write(&to, &reply(event, decision, user, agent));
                accepts(&to, &answer).unwrap_or_else(|problem| panic!("{harness} {native} {name}: {problem}"));
                found += &format!("{name}\n{}", shown(&answer));
            }
            if event.has_tool() {
                let ends = Reply { ends_turn: true, ..reply(event, HARD, "[cap] blocked", "**[cap] BLOCKED:** stop") };
                let answer = write(&to, &ends);
                accepts(&to, &answer).unwrap_or_else(|problem| panic!("{harness} {native}: {problem}"));
                found += &format!("hard block, ends the turn\n{}", shown(&answer));
            }
            let answer = notice(&to, "[forge] no program; run `forge compile`");
            accepts(&to, &answer).unwrap_or_else(|problem| panic!("{harness} {native} notice: {problem}"));
            found += &format!("error, allow\n{}\n", shown(&answer));
        }
        golden(&format!("harness/answers/{harness}.txt"), &found);
    }
}

/// Where a refusal has no way to be said; docs/harnesses.md tells the same.
const CANNOT_REFUSE: &[(Harness, &str)] = &[
    (Harness::Cursor, "postToolUse"),
    (Harness::Cursor, "afterFileEdit"),
    (Harness::Copilot, "postToolUse"),
    (Harness::Copilot, "userPromptSubmitted"),
    (Harness::Grok, "post_tool_use"),
    (Harness::Grok, "user_prompt_submit"),
    (Harness::Grok, "stop"),
    (Harness::Kiro, "postToolUse"),
    (Harness::Kiro, "userPromptSubmit"),
    (Harness::Kiro, "stop"),
    (Harness::Windsurf, "post_run_command"),
    (Harness::Windsurf, "post_cascade_response"),
    (Harness::Antigravity, "PostToolUse"),
    (Harness::Antigravity, "Stop"),
];

#[test]
fn a_refusal_refuses_wherever_that_can_be_said_and_nothing_else_does() {
    for &harness in Harness::ALL {
        for &(native, event) in events(harness) {
            let to = sender(harness, native, None);
            let can = !CANNOT_REFUSE.contains(&(harness, native));
            for (user, agent) in [("u", "a"), ("", "a"), ("u", ""), ("", ""), (" ", "\n")] {
                for decision in [SOFT, HARD] {
                    let answer = write(&to, &reply(event, decision, user, agent));
                    assert_eq!(refuses(&answer), can, "{harness} {native} {decision:?} {answer:?}");
                    assert!(!asks(&answer), "{harness} {native} {answer:?}");
                }
                let passed = write(&to, &reply(event, Decision::Pass, user, agent));
                assert!(!refuses(&passed) && !asks(&passed), "{harness} {native} {passed:?}");
                assert!(!refuses(&notice(&to, user)), "{harness} {native}");
                let asked = write(&to, &reply(event, Decision::Ask, user, agent));
                assert_eq!((asks(&asked), refuses(&asked)), (can_ask(&to), can && !can_ask(&to)), "{asked:?}");
            }
        }
        // Every harness can refuse a tool before it runs.
        assert!(!CANNOT_REFUSE.contains(&(harness, events(harness)[0].0)));
    }
}

/// Where the harness can be told to end the turn; docs/harnesses.md tells the same. Not Codex before a tool: it takes the
/// whole answer for broken then, and the tool runs.
const ENDS_TURNS: &[(Harness, &str)] = &[
    (Harness::ClaudeCode, "PreToolUse"),
    (Harness::ClaudeCode, "PostToolUse"),
    (Harness::Codex, "PostToolUse"),
    (Harness::Gemini, "BeforeTool"),
    (Harness::Gemini, "AfterTool"),
];

#[test]
fn a_refusal_ends_the_turn_where_that_can_be_said_and_only_when_told_to() {
    for &harness in Harness::ALL {
        for &(native, event) in events(harness) {
            let to = sender(harness, native, None);
            for (ends_turn, decision) in [(true, HARD), (true, Decision::Ask), (true, Decision::Pass), (false, HARD)] {
                let answer = write(&to, &Reply { ends_turn, ..reply(event, decision, "for you", "for it") });
                accepts(&to, &answer).unwrap_or_else(|problem| panic!("{harness} {native}: {problem}"));
                let value: serde_json::Value = serde_json::from_str(&answer.stdout).unwrap_or_default();
                let is_denied = decision == HARD || (decision == Decision::Ask && !can_ask(&to));
                if event.has_tool() {
                    let ends = ends_turn && is_denied && ENDS_TURNS.contains(&(harness, native));
                    let said = (value["continue"] == false, value["stopReason"].as_str());
                    assert_eq!(said, (ends, ends.then_some("for you")), "{harness} {native} {decision:?}");
                }
                assert_eq!(refuses(&answer), is_denied && !CANNOT_REFUSE.contains(&(harness, native)));
            }
        }
    }
}

#[test]
fn a_question_is_asked_only_where_somebody_is_asked() {
    for (harness, event, mode, asked) in [
        (Harness::ClaudeCode, "PreToolUse", None, true),
        (Harness::ClaudeCode, "PreToolUse", Some("default"), true),
        (Harness::ClaudeCode, "PreToolUse", Some("acceptEdits"), true),
        (Harness::ClaudeCode, "PreToolUse", Some("auto"), true),
        (Harness::ClaudeCode, "PreToolUse", Some("bypassPermissions"), false),
        (Harness::ClaudeCode, "PreToolUse", Some("dontAsk"), false),
        (Harness::ClaudeCode, "PostToolUse", None, false),
        (Harness::ClaudeCode, "UserPromptSubmit", None, false),
        (Harness::ClaudeCode, "Stop", None, false),
        (Harness::Codex, "PreToolUse", Some("default"), false),
        (Harness::Gemini, "BeforeTool", None, false),
        (Harness::Cursor, "preToolUse", None, false),
        (Harness::Cursor, "beforeShellExecution", None, true),
        (Harness::Cursor, "beforeReadFile", None, false),
        (Harness::Copilot, "preToolUse", None, true),
        (Harness::VsCode, "PreToolUse", None, true),
        (Harness::Droid, "PreToolUse", Some("off"), true),
        (Harness::Droid, "PreToolUse", Some("auto-high"), false),
        (Harness::Qwen, "PreToolUse", Some("yolo"), false),
        (Harness::Qwen, "PreToolUse", Some("default"), true),
        (Harness::Grok, "pre_tool_use", None, false),
        (Harness::Kiro, "preToolUse", None, false),
        (Harness::Windsurf, "pre_run_command", None, false),
        (Harness::Antigravity, "PreToolUse", None, true),
        (Harness::OpenCode, "tool.execute.before", None, false),
    ] {
        assert_eq!(can_ask(&sender(harness, event, mode)), asked, "{harness} {event} {mode:?}");
    }
}

#[test]
fn nothing_to_say_is_nothing_said() {
    for &harness in Harness::ALL {
        for &(native, event) in events(harness) {
            let answer = write(&sender(harness, native, None), &Reply::silent(event));
            // Antigravity takes silence for a broken hook.
            let expected = if (harness, native) == (Harness::Antigravity, "PreToolUse") {
                Answer { stdout: r#"{"decision":"allow"}"#.to_owned(), ..Answer::default() }
            } else {
                Answer::default()
            };
            assert_eq!(answer, expected, "{harness} {native}");
        }
    }
}

#[test]
fn a_text_is_cut_at_the_cap_and_never_inside_a_character() {
    let to = sender(Harness::ClaudeCode, "PreToolUse", None);
    for (text, kept) in [
        ("x".repeat(10_000), 10_000),
        ("x".repeat(10_001), 10_000),
        ("\u{1F600}".repeat(5_000), 5_000),
        (format!("x{}", "\u{1F600}".repeat(5_000)), 5_000),
        ("\u{e9}".repeat(20_000), 10_000),
    ] {
        let answer = write(&to, &reply(Event::PreToolUse, HARD, "", &text));
        let value: serde_json::Value = serde_json::from_str(&answer.stdout).unwrap();
        let reason = value["hookSpecificOutput"]["permissionDecisionReason"].as_str().unwrap();
        assert_eq!(reason, text.chars().take(kept).collect::<String>());
    }
}

#[test]
fn a_session_that_starts_can_be_told() {
    for (harness, event) in
        [(Harness::ClaudeCode, "SessionStart"), (Harness::Codex, "SessionStart"), (Harness::Gemini, "SessionStart")]
    {
        let to = sender(harness, event, None);
        let answer = notice(&to, "[forge] stale program");
        assert_eq!(answer.stdout, r#"{"systemMessage":"[forge] stale program"}"#);
        accepts(&to, &answer).unwrap();
    }
    assert_eq!(notice(&sender(Harness::Codex, "SomethingNew", None), "x").stdout, "");
}

#[test]
fn a_reply_to_another_event_is_told_to_the_user_and_refuses_nothing() {
    let to = sender(Harness::ClaudeCode, "SessionStart", None);
    let answer = write(&to, &reply(Event::PreToolUse, HARD, "no program", "no program"));
    assert_eq!(answer.stdout, r#"{"systemMessage":"no program"}"#);
}

#[test]
fn the_page_about_harnesses_names_them_all_and_what_they_cannot_refuse() {
    let path = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/harnesses.md");
    let page = std::fs::read_to_string(path).unwrap();
    for &harness in Harness::ALL {
        assert!(page.contains(&format!("| `{harness}` |")), "{harness} is not in the tables");
    }
    let (_, list) = page.split_once("## Where a block cannot block").unwrap();
    let list = list.split("\n## ").next().unwrap();
    let told: Vec<(&str, &str)> = list
        .lines()
        .filter_map(|line| line.strip_prefix("- `")?.split_once("`: `"))
        .flat_map(|(harness, events)| events.trim_end_matches('`').split("`, `").map(move |event| (harness, event)))
        .collect();
    let known: Vec<_> = CANNOT_REFUSE.iter().map(|(harness, event)| (harness.name(), *event)).collect();
    assert_eq!(told, known);
}

fn texts() -> impl Strategy<Value = String> {
    prop_oneof![
        any::<String>(),
        "[\"\\\\\n\r\t{}\u{0}\u{1b}\u{7f}\u{2028}\u{1F600}\u{e9}a ]{0,40}",
        ("[\"\\\\\n\u{0}\u{1F600}\u{e9}a]{1,4}", 0usize..30_000).prop_map(|(text, times)| text.repeat(times)),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 24, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn no_text_makes_an_answer_unacceptable(user in texts(), agent in texts(), mode in prop::option::of(".{0,8}")) {
        for &harness in Harness::ALL {
            for &(native, event) in events(harness) {
                let to = sender(harness, native, mode.as_deref());
                for decision in [Decision::Pass, Decision::Ask, SOFT, HARD] {
                    let answer = write(&to, &reply(event, decision, &user, &agent));
                    prop_assert_eq!(accepts(&to, &answer), Ok(()), "{} {} {:?}", harness, native, decision);
                }
                prop_assert_eq!(accepts(&to, &notice(&to, &user)), Ok(()), "{} {}", harness, native);
            }
        }
    }
}
