//! The audit log: what a line says and hides, and that a changed log is found out.

use crate::fake_host::START;
use crate::state::{Project, call};
use forge::model::{Event, Field, InputHash, PendingBlock, Timestamp};
use forge::store::{self, Finding, Override};
use proptest::prelude::*;
use std::io::ErrorKind;

fn log(project: &Project) -> String {
    std::fs::read_to_string(project.paths.overrides_log()).unwrap()
}

/// Records an override of a call with this command.
fn record(project: &Project, command: &str) -> Vec<String> {
    let mut call = call(Event::PreToolUse, "Bash", "{}");
    call.fields.set(Field::Command, command);
    project.call("0123456789abcdef", &call, &[Override { behavior: "search-first", counter: 5 }], |session| {
        session.behaviors.entry(String::from("search-first")).or_default().counter = 5;
    })
}

/// What a command is summed up as, where a blocked call is remembered; without the log, which waits for the disk.
pub(crate) fn summary(command: &str) -> String {
    let project = Project::new();
    let mut call = call(Event::PreToolUse, "Bash", "{}");
    call.fields.set(Field::Command, command);
    project.call("s1", &call, &[], |session| {
        let input = InputHash(String::from("hash"));
        let pending = PendingBlock { input, blocked_at: Timestamp(START), tool_use_id: None, granted_at: None };
        session.behaviors.entry(String::from("x")).or_default().pending = Some(pending);
    });
    let state = project.state();
    state["sessions"]["s1"]["behaviors"]["x"]["pending_block"]["tool_input_summary"].as_str().unwrap().to_owned()
}

fn findings(project: &Project) -> Vec<Finding> {
    store::verify(&project.host, &project.paths).unwrap().findings
}

#[test]
fn a_line_says_who_what_when() {
    let project = Project::new();
    assert!(record(&project, "echo 'a|b'\nls \\ \u{7}").is_empty());
    let line = "2026-04-13T10:00:00Z|01234567|search-first|Bash|command=echo 'a\\|b'\\nls \\\\ |5|\n";
    assert_eq!(log(&project), line);
    let record = &project.state()["sessions"]["0123456789abcdef"]["behaviors"]["search-first"]["overrides"][0];
    let expected = serde_json::json!({"timestamp": "2026-04-13T10:00:00Z", "tool_name": "Bash",
        "tool_input_summary": "command=echo 'a|b'\nls \\ ", "counter_at_override": 5, "reason": ""});
    assert_eq!(*record, expected);
    assert_eq!(findings(&project), []);
}

#[cfg(unix)]
#[test]
fn the_log_is_readable_by_all_and_no_link_is_followed() {
    use std::os::unix::fs::{PermissionsExt, symlink};
    let project = Project::new();
    record(&project, "ls");
    let mode = |path: &std::path::Path| path.metadata().unwrap().permissions().mode() & 0o777;
    assert_eq!(mode(&project.paths.overrides_log()), 0o644);
    for link in ["overrides.log", "overrides.chain", ""] {
        let project = Project::new();
        let outside = tempfile::tempdir().unwrap();
        let target = outside.path().join("target");
        if link.is_empty() {
            symlink(outside.path(), project.paths.audit()).unwrap();
        } else {
            std::fs::create_dir_all(project.paths.audit()).unwrap();
            std::fs::write(&target, "").unwrap();
            symlink(&target, project.paths.audit().join(link)).unwrap();
        }
        assert!(record(&project, "ls")[0].starts_with("override not logged"), "{link}");
        let found = std::fs::read_dir(outside.path()).unwrap().map(|entry| entry.unwrap().metadata().unwrap().len());
        assert_eq!(found.sum::<u64>(), 0, "{link}");
    }
}

proptest! {
    #[test]
    fn escaping_loses_only_controls(text in "[ -~|\\\\\n\u{1}é|]{0,20}") {
        let escaped = store::escape(&text);
        prop_assert!(!escaped.contains('\n') && !escaped.replace("\\\\", "").replace("\\|", "").contains('|'));
        let kept: String = text.chars().filter(|c| *c == '\n' || !c.is_control()).collect();
        prop_assert_eq!(store::unescape(&escaped), kept);
    }

    #[test]
    fn a_summary_is_one_short_field(command in "\\PC{0,60}[|\\\\\n]{0,40}\\PC{0,60}") {
        let summary = store::escape(&summary(&command));
        prop_assert!(!summary.contains('\n'));
        prop_assert!(summary.chars().count() <= 100, "{}", summary);
    }
}

#[test]
fn a_long_summary_is_cut_where_it_is_full() {
    let kept = |letter: &str, count: usize| format!("command={}", letter.repeat(count));
    // Of the 100 characters `command=` takes eight, and an escaped one two.
    for (letter, most, left) in [("x", 92, 91), ("|", 46, 45)] {
        assert_eq!(summary(&letter.repeat(most)), kept(letter, most));
        assert_eq!(summary(&letter.repeat(most + 1)), format!("{}…", kept(letter, left)));
    }
}

/// A secret of each kind, with the part that must never be seen.
fn secrets() -> impl Strategy<Value = (String, String)> {
    let long = |class: &str, count: usize| format!("{class}{{{count},{}}}", count + 20);
    fn of(pattern: String) -> impl Strategy<Value = String> {
        proptest::string::string_regex(&pattern).unwrap()
    }
    let tokens: [(&str, &str, usize); 24] = [
        ("sk-ant-", "[A-Za-z0-9_-]", 16),
        ("sk-", "[A-Za-z0-9_-]", 20),
        ("ghp_", "[A-Za-z0-9]", 20),
        ("gho_", "[A-Za-z0-9]", 20),
        ("ghu_", "[A-Za-z0-9]", 20),
        ("ghs_", "[A-Za-z0-9]", 20),
        ("ghr_", "[A-Za-z0-9]", 20),
        ("github_pat_", "[A-Za-z0-9_]", 20),
        ("glpat-", "[A-Za-z0-9_-]", 20),
        ("xoxb-", "[A-Za-z0-9-]", 10),
        ("xoxp-", "[A-Za-z0-9-]", 10),
        ("AIza", "[0-9A-Za-z_-]", 30),
        ("sk_live_", "[0-9A-Za-z]", 16),
        ("rk_test_", "[0-9A-Za-z]", 16),
        ("npm_", "[A-Za-z0-9]", 30),
        ("hf_", "[A-Za-z0-9]", 30),
        ("eyJhbGciOiJ9.eyJzdWIiOiJ9.", "[A-Za-z0-9_-]", 8),
        ("Bearer ", "[A-Za-z0-9._~+/-]", 16),
        ("basic ", "[A-Za-z0-9]", 16),
        ("sshpass -p ", "[!#-&(-~]", 6),
        ("mysql -u root -p", "[a-z0-9]", 6),
        ("curl -u me:", "[a-z0-9!]", 6),
        ("login --password ", "[a-z0-9!]", 6),
        ("export DB_PASSWORD=", "[a-z0-9!]", 6),
    ];
    let kinds = tokens.map(|(prefix, class, least)| {
        of(long(class, least)).prop_map(move |tail| (format!("{prefix}{tail}"), tail)).boxed()
    });
    let wrapped = [
        ("AKIA", "[0-9A-Z]{16}", " x"),
        ("postgres://me:", "[a-z0-9!]{6,20}", "@host/db"),
        ("{\"api_key\": \"", "[a-z0-9 !]{6,20}", "\"}"),
        ("{\\\"client-secret\\\": \\\"", "[a-z0-9!]{6,20}", "\\\"}"),
        ("auth.token: '", "[a-z0-9 !]{6,20}", "'"),
        ("curl -u 'me:", "[a-z0-9 !]{6,20}", "'"),
        ("ｐａｓｓｗｏｒｄ=", "[a-z0-9!]{6,20}", ""),
        ("pass\u{200b}word=", "[a-z0-9!]{6,20}", ""),
        ("-----BEGIN RSA PRIVATE KEY-----\n", "[A-Za-z0-9+/]{10,20}", "\n-----END RSA PRIVATE KEY-----"),
        ("-----BEGIN PRIVATE KEY-----\n", "[A-Za-z0-9+/]{10,20}", ""),
        ("x ", "[a-z]{20}[0-9]{20}[A-Z]{0,20}", " y"),
    ]
    .map(|(before, class, after)| {
        of(class.to_owned()).prop_map(move |secret| (format!("{before}{secret}{after}"), secret)).boxed()
    });
    proptest::strategy::Union::new(kinds.into_iter().chain(wrapped))
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    #[test]
    fn no_secret_reaches_a_summary((text, secret) in secrets(), before in "(|ls |é|echo x; )") {
        let seen = summary(&format!("{before}{text}"));
        prop_assert!(seen.contains("[REDACTED]"), "{}", seen);
        prop_assert!(!seen.contains(&secret), "{}", seen);
        prop_assert!(!seen.contains(secret.get(..6).unwrap()), "{}", seen);
    }
}

#[test]
fn what_is_no_secret_stays() {
    for text in [
        "max_tokens: 1000",
        "git commit -m 'fix the token parser'",
        "cargo test --test it state::",
        "sk-short",
        "https://example.org/a:b@c",
        "the keyboard = new",
        "1234567890123456789012345678901234567890123",
        "docs/a-very-long-file-name-without-any-digits-in-it-at-all.md",
        "-u root",
        "eyJ.short.x",
    ] {
        assert_eq!(summary(text), format!("command={text}"));
    }
}

/// A log of six lines, chained.
fn six() -> Project {
    let project = Project::new();
    for n in 1..=6 {
        assert!(record(&project, &format!("call {n}")).is_empty());
    }
    assert_eq!(findings(&project), []);
    project
}

fn rewrite(project: &Project, change: impl FnOnce(&mut Vec<String>)) {
    let mut lines: Vec<String> = log(project).lines().map(str::to_owned).collect();
    change(&mut lines);
    let text: String = lines.iter().map(|line| format!("{line}\n")).collect();
    std::fs::write(project.paths.overrides_log(), text).unwrap();
}

#[test]
fn every_change_of_the_log_is_named() {
    type Change = fn(&mut Vec<String>);
    let changes: [(Change, &[Finding]); 11] = [
        (|lines| lines[2].push('x'), &[Finding::Edited { line: 3 }]),
        (|lines| lines[5].push('\r'), &[Finding::Edited { line: 6 }]),
        (
            |lines| lines[2..4].iter_mut().for_each(|line| line.push('x')),
            &[Finding::Edited { line: 3 }, Finding::Edited { line: 4 }],
        ),
        (|lines| drop(lines.remove(0)), &[Finding::Removed { line: 1 }]),
        (|lines| drop(lines.remove(3)), &[Finding::Removed { line: 4 }]),
        (|lines| lines.truncate(4), &[Finding::Removed { line: 5 }, Finding::Removed { line: 6 }]),
        (|lines| lines.clear(), &[1, 2, 3, 4, 5, 6].map(|line| Finding::Removed { line })),
        (|lines| lines.swap(1, 2), &[Finding::Moved { line: 3, from: 2 }]),
        (|lines| lines.insert(2, String::from("forged")), &[Finding::Added { line: 3 }]),
        (
            |lines| lines.extend(["one", "two"].map(String::from)),
            &[Finding::Added { line: 7 }, Finding::Added { line: 8 }],
        ),
        (
            |lines| {
                lines.remove(0);
                lines[3].push('x');
            },
            &[Finding::Edited { line: 4 }, Finding::Removed { line: 1 }],
        ),
    ];
    for (change, expected) in changes {
        let project = six();
        rewrite(&project, change);
        assert_eq!(findings(&project), expected);
        assert!(expected.iter().all(|finding| finding.is_problem()));
        // More overrides change nothing about what is known.
        record(&project, "later");
        assert!(expected.iter().any(|finding| findings(&project).contains(finding)), "{:?}", findings(&project));
    }
}

#[test]
fn a_change_of_the_chain_is_named() {
    for (line, change) in [(0, "remove"), (2, "remove"), (2, "edit"), (3, "swap")] {
        let project = six();
        let chain = std::fs::read_to_string(project.paths.overrides_chain()).unwrap();
        let mut lines: Vec<String> = chain.lines().map(str::to_owned).collect();
        match change {
            "remove" => drop(lines.remove(line)),
            "edit" => lines[line].replace_range(0..1, "x"),
            _ => lines.swap(line, line + 1),
        }
        std::fs::write(project.paths.overrides_chain(), lines.join("\n") + "\n").unwrap();
        assert!(
            findings(&project).contains(&Finding::Unlinked { line: line + 1 }),
            "{change} {:?}",
            findings(&project)
        );
    }
}

#[test]
fn a_line_removed_from_both_files_breaks_the_chain() {
    let project = six();
    rewrite(&project, |lines| drop(lines.remove(2)));
    let chain = std::fs::read_to_string(project.paths.overrides_chain()).unwrap();
    let kept: String =
        chain.lines().enumerate().filter(|(n, _)| *n != 2).map(|(_, line)| format!("{line}\n")).collect();
    std::fs::write(project.paths.overrides_chain(), kept).unwrap();
    assert_eq!(findings(&project), [Finding::Unlinked { line: 3 }]);
}

#[test]
fn a_log_older_than_the_chain_is_accepted_as_it_is_found() {
    let project = Project::new();
    std::fs::create_dir_all(project.paths.audit()).unwrap();
    std::fs::write(project.paths.overrides_log(), "old one\nold two\n").unwrap();
    let before = store::verify(&project.host, &project.paths).unwrap();
    assert_eq!((before.lines, before.is_chained, before.findings.len()), (2, false, 0));
    record(&project, "new");
    assert_eq!(findings(&project), []);
    assert!(log(&project).starts_with("old one\nold two\n2026-"));
    rewrite(&project, |lines| lines[1].push('!'));
    assert_eq!(findings(&project), [Finding::Edited { line: 2 }]);
}

#[test]
fn a_crash_between_the_two_writes_is_no_tampering() {
    let project = six();
    // The log's line was written, its digest not; the writes are: (state's folder is there) log, chain, state.
    project.host.failing_writes.set(Some((2, ErrorKind::Other)));
    record(&project, "crashed");
    project.host.failing_writes.set(None);
    assert_eq!(log(&project).lines().count(), 7);
    assert_eq!(findings(&project), [Finding::Late { line: 7 }]);
    record(&project, "next");
    assert_eq!(findings(&project), [Finding::Late { line: 7 }]);
    assert!(!Finding::Late { line: 7 }.is_problem());
}

#[test]
fn lines_cut_short_by_a_crash_cost_no_other_line() {
    let project = six();
    let (log_path, chain_path) = (project.paths.overrides_log(), project.paths.overrides_chain());
    let chain = std::fs::read_to_string(&chain_path).unwrap();
    std::fs::write(&chain_path, &chain[..chain.len() - 30]).unwrap();
    assert_eq!(findings(&project), [Finding::Late { line: 6 }]);
    record(&project, "next");
    std::fs::write(&log_path, format!("{}2026-04-13T10:0", log(&project))).unwrap();
    record(&project, "last");
    assert_eq!(findings(&project), [Finding::Late { line: 6 }, Finding::Late { line: 8 }]);
    assert_eq!(log(&project).lines().count(), 9);
    assert!(log(&project).lines().nth(8).unwrap().contains("command=last"));
}

#[test]
fn a_log_that_cannot_be_written_is_said_and_costs_nothing_else() {
    let project = Project::new();
    std::fs::create_dir_all(project.paths.overrides_log()).unwrap();
    let notes = record(&project, "ls");
    assert!(notes.len() == 1 && notes[0].starts_with("override not logged"), "{notes:?}");
    assert_eq!(project.session("0123456789abcdef").behaviors["search-first"].counter, 5);
    assert!(store::verify(&project.host, &project.paths).is_err(), "it is no empty log");
    assert!(store::snapshot(&project.host, &project.paths).is_err());
}
