//! The state file: its shape, what is kept of what others wrote, what happens when it makes no sense.

use crate::fake_host::{FakeHost, START};
use forge::host::Host;
use forge::model::{BehaviorState, Call, Event, Field, InputHash, Level, PendingBlock, Session, Timestamp, Violation};
use forge::store::{self, Override, Paths};
use proptest::prelude::*;
use serde_json::{Value, json};
use std::io::ErrorKind;
use std::path::PathBuf;

/// A project in a folder that goes away with it.
pub(crate) struct Project {
    pub(crate) host: FakeHost,
    pub(crate) paths: Paths,
    pub(crate) folder: tempfile::TempDir,
}

impl Project {
    pub(crate) fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        std::fs::create_dir(folder.path().join(".forge")).unwrap();
        Self { host: FakeHost::new(), paths: Paths::new(folder.path()), folder }
    }

    /// Writes the state file as it stands.
    pub(crate) fn with_state(self, text: impl AsRef<[u8]>) -> Self {
        std::fs::create_dir_all(self.paths.runtime()).unwrap();
        std::fs::write(self.paths.state(), text).unwrap();
        self
    }

    /// Reads the session, lets `change` at it and writes it back; returns the notes.
    pub(crate) fn event(&self, id: &str, change: impl FnOnce(&mut Session)) -> Vec<String> {
        self.call(id, &call(Event::PreToolUse, "Write", "{}"), &[], change)
    }

    pub(crate) fn call(
        &self,
        id: &str,
        call: &Call<'_>,
        overridden: &[Override<'_>],
        change: impl FnOnce(&mut Session),
    ) -> Vec<String> {
        let locked = store::open(&self.host, &self.paths).unwrap();
        let mut memory = locked.read();
        let mut session = memory.session(id);
        change(&mut session);
        memory.commit(id, &session, call, overridden);
        memory.notes().to_vec()
    }

    pub(crate) fn session(&self, id: &str) -> Session {
        store::open(&self.host, &self.paths).unwrap().read().session(id)
    }

    pub(crate) fn state(&self) -> Value {
        serde_json::from_slice(&std::fs::read(self.paths.state()).unwrap()).unwrap()
    }

    /// What stands in the runtime folder, sorted, but for the file that takes turns with the state on some systems.
    pub(crate) fn runtime(&self) -> Vec<String> {
        let mut names = self.host.list(&self.paths.runtime()).unwrap();
        names.retain(|name| name != "state.json.previous");
        names.sort();
        names
    }

    pub(crate) fn quarantined(&self) -> Vec<PathBuf> {
        let names = self.runtime().into_iter().filter(|name| name.contains(".corrupt-"));
        names.map(|name| self.paths.runtime().join(name)).collect()
    }
}

pub(crate) fn call<'a>(event: Event, tool: &'a str, input: &'a str) -> Call<'a> {
    Call::new(event, tool, input, store::input_hash)
}

/// One more violation of a behavior.
pub(crate) fn count(session: &mut Session, id: &str) -> u64 {
    let state = session.behaviors.entry(id.to_owned()).or_default();
    state.counter += 1;
    state.counter
}

const EMPTY: &str = r#"{"schema_version":"1","sessions":{}}"#;

#[test]
fn a_session_is_written_in_the_shape_others_read() {
    let project = Project::new();
    let mut blocked = call(Event::PreToolUse, "Write", r#"{"file_path":"/a|b"}"#);
    blocked.fields.set(Field::FilePath, "/a|b");
    let hash = blocked.input_hash().clone();
    project.call("s1", &blocked, &[], |session| {
        session.flags.insert(String::from("looked"), Timestamp(START - 5));
        let state = BehaviorState {
            counter: 5,
            level: Level::SoftBlock,
            last_violation: Some(Violation { at: Timestamp(START), tool: String::from("Write") }),
            told_for: None,
            pending: Some(PendingBlock {
                input: hash.clone(),
                blocked_at: Timestamp(START),
                tool_use_id: None,
                granted_at: None,
            }),
        };
        session.behaviors.insert(String::from("search-first"), state);
    });
    let expected = json!({"schema_version": "1", "sessions": {"s1": {
        "created_at": "2026-04-13T10:00:00Z",
        "last_accessed_at": "2026-04-13T10:00:00Z",
        "flags": {"looked": {"set_at": "2026-04-13T09:59:55Z"}},
        "behavior_overrides": {},
        "behaviors": {"search-first": {
            "counter": 5,
            "effective_level": "soft_block",
            "last_violation_at": "2026-04-13T10:00:00Z",
            "last_violation_tool": "Write",
            "pending_block": {"tool_input_hash": hash.0, "blocked_at": "2026-04-13T10:00:00Z",
                "tool_name": "Write", "tool_input_summary": "file_path=/a|b"},
            "overrides": [],
        }},
    }}});
    assert_eq!(project.state(), expected);
    assert_eq!(project.runtime(), ["lock", "state.json"]);
    assert_eq!(std::fs::read_to_string(project.paths.gitignore()).unwrap(), "runtime/\n!audit/\n");
}

#[test]
fn keys_of_others_are_kept_at_every_depth() {
    let text = json!({"schema_version": "1", "tool": [1.50, "x"], "sessions": {
        "other": {"last_accessed_at": "2026-04-13T09:00:00Z", "note": {"a": 1e3}, "behaviors": 7},
        "s1": {"last_accessed_at": "2026-04-13T09:00:00Z", "created_at": "2026-04-13T08:00:00Z", "mood": "good",
            "flags": {"looked": {"set_at": "2026-04-13T09:00:00Z", "set_by_tool": "Read"}},
            "behavior_overrides": {"quiet": {"enabled": false, "by": "me"}},
            "behaviors": {"search-first": {"counter": 2, "effective_level": "warning", "extra": [],
                "overrides": [{"reason": "old"}]}}},
    }});
    let project = Project::new().with_state(text.to_string());
    project.event("s1", |session| {
        assert!(session.disabled.contains("quiet"));
        assert_eq!(count(session, "search-first"), 3);
    });
    let mut expected = text;
    let session = &mut expected["sessions"]["s1"];
    session["last_accessed_at"] = json!("2026-04-13T10:00:00Z");
    let behavior = &mut session["behaviors"]["search-first"];
    behavior["counter"] = json!(3);
    for absent in ["last_violation_at", "last_violation_tool", "pending_block"] {
        behavior[absent] = Value::Null;
    }
    assert_eq!(project.state(), expected);
}

fn sessions() -> impl Strategy<Value = Session> {
    let name = || prop_oneof![Just(String::from("search-first")), "[a-z]{1,3}", "\\PC{0,4}"];
    let moment = || (0_i64..4_000_000_000).prop_map(Timestamp);
    let pending = (name(), moment(), proptest::option::of(name()), proptest::option::of(moment()));
    let pending = pending.prop_map(|(input, blocked_at, tool_use_id, granted_at)| PendingBlock {
        input: InputHash(input),
        blocked_at,
        tool_use_id,
        granted_at,
    });
    let violation = (moment(), name()).prop_map(|(at, tool)| Violation { at, tool });
    let level = proptest::sample::select(Level::ALL);
    let optional = (proptest::option::of(violation), proptest::option::of(name()), proptest::option::of(pending));
    let behavior = (any::<u64>(), level, optional).prop_map(|(counter, level, (last_violation, told_for, pending))| {
        BehaviorState { counter, level, last_violation, told_for, pending }
    });
    let maps = (
        proptest::collection::btree_map(name(), moment(), 0..3),
        proptest::collection::btree_set(name(), 0..3),
        proptest::collection::btree_map(name(), behavior, 0..3),
    );
    maps.prop_map(|(flags, disabled, behaviors)| Session { flags, disabled, behaviors })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn what_is_written_is_read_again(first in sessions(), second in sessions(), id in "\\PC{0,6}") {
        let project = Project::new();
        for session in [first, second] {
            // Sessions replace each other completely, but behaviors once there stay.
            let stays = project.session(&id).behaviors;
            let mut expected = session;
            for (id, state) in stays {
                expected.behaviors.entry(id).or_insert(state);
            }
            project.event(&id, |session| *session = expected.clone());
            prop_assert_eq!(project.session(&id), expected);
            prop_assert_eq!(project.session("another"), Session::default());
        }
    }
}

#[test]
fn what_is_no_state_is_kept_aside_and_counting_starts_afresh() {
    let nested = format!("{{\"sessions\":{}1{}}}", "[".repeat(100_000), "]".repeat(100_000));
    let broken: [&[u8]; 14] = [
        b"",
        b"{",
        b"not json",
        b"{\"schema_version\":\"1\",\"sessions\":{}} x",
        b"[]",
        b"null",
        b"{\"sessions\":[]}",
        b"{\"sessions\":{\"s1\":7}}",
        b"{\"sessions\":{\"other\":{\"a\":tru}}}",
        b"{\"sessions\":{\"other\":{\"a\":1,}}}",
        b"{\"schema_version\":\"2\",\"sessions\":{}}",
        b"{\"schema_version\":\"1\",\"sessions\":{\"s\xff\":{}}}",
        b"{\"sessions\":{}}\0",
        nested.as_bytes(),
    ];
    for text in broken {
        let project = Project::new().with_state(text);
        let notes = project.event("s1", |session| assert_eq!(count(session, "x"), 1));
        assert_eq!(notes.len(), 1, "{notes:?}");
        assert!(notes[0].contains("all counts start at zero"), "{notes:?}");
        assert_eq!(project.state()["sessions"]["s1"]["behaviors"]["x"]["counter"], 1);
        assert_eq!(std::fs::read(&project.quarantined()[0]).unwrap(), text);
        assert!(project.event("s1", |session| assert_eq!(count(session, "x"), 2)).is_empty());
    }
}

#[test]
fn a_folder_in_place_of_the_state_is_set_aside() {
    let project = Project::new();
    std::fs::create_dir_all(project.paths.state()).unwrap();
    assert_eq!(project.event("s1", |session| assert_eq!(count(session, "x"), 1)).len(), 1);
    assert_eq!(project.event("s1", |session| assert_eq!(count(session, "x"), 2)).len(), 0);
    assert_eq!(project.quarantined().len(), 1);
}

#[test]
fn a_broken_session_costs_no_other_its_counts() {
    for broken in [
        r#"{"behaviors":7}"#,
        r#"{"behaviors":{"x":{"counter":"many"}}}"#,
        r#"{"behaviors":{"x":{"effective_level":"extreme"}}}"#,
        r#"{"behaviors":{"x":{"overrides":{}}}}"#,
        r#"{"behaviors":{"x":{"pending_block":[]}}}"#,
        r#"{"behavior_overrides":{"x":{"enabled":"no"}}}"#,
        r#"{"flags":[]}"#,
    ] {
        let project = Project::new();
        project.event("other", |session| assert_eq!(count(session, "x"), 1));
        let text = std::fs::read_to_string(project.paths.state()).unwrap();
        let project = project.with_state(text.replace("}}\n", &format!(",\"s1\":{broken}}}}}\n")));
        assert_eq!(project.event("s1", |session| assert_eq!(count(session, "x"), 1)).len(), 1, "{broken}");
        assert_eq!(project.event("other", |session| assert_eq!(count(session, "x"), 2)).len(), 0);
        assert_eq!(project.event("s1", |session| assert_eq!(count(session, "x"), 2)).len(), 0);
        assert_eq!(project.quarantined().len(), 1);
    }
}

#[test]
fn only_the_newest_five_broken_states_are_kept() {
    let project = Project::new();
    for second in 0..9 {
        project.host.now.set(START + second / 2);
        std::fs::create_dir_all(project.paths.runtime()).unwrap();
        std::fs::write(project.paths.state(), format!("broken {second}")).unwrap();
        project.event("s1", |_| {});
    }
    let mut kept: Vec<_> = project.quarantined().iter().map(|path| std::fs::read_to_string(path).unwrap()).collect();
    kept.sort();
    assert_eq!(kept, ["broken 4", "broken 5", "broken 6", "broken 7", "broken 8"]);
}

#[test]
fn missing_and_odd_values_have_a_meaning() {
    let text = r#"{"sessions":{"s1":{"behaviors":{
        "none":{}, "null":null, "minus":{"counter":-3}, "float":{"counter":3.9}, "huge":{"counter":1e40},
        "long":{"counter":99999999999999999999}, "twice":{"counter":1,"counter":2},
        "block":{"pending_block":{"blocked_at":"yesterday","granted_at":"yesterday"},"last_violation_at":"soon"}},
        "flags":{"looked":{"set_at":17}}, "flags":{"seen":{}}}}}"#;
    let session = Project::new().with_state(format!("\u{feff}{text}")).session("s1");
    let counter = |id: &str| session.behaviors[id].counter;
    assert_eq!(session.behaviors["none"], BehaviorState::default());
    assert!(!session.behaviors.contains_key("null"));
    assert_eq!([counter("minus"), counter("float"), counter("twice")], [0, 3, 2]);
    assert_eq!([counter("huge"), counter("long")], [u64::MAX; 2]);
    let pending = session.behaviors["block"].pending.clone().unwrap();
    assert_eq!((pending.blocked_at, pending.granted_at), (Timestamp(START), None));
    assert_eq!(session.behaviors["block"].last_violation.clone().unwrap().at, Timestamp(START));
    assert_eq!(session.flags.keys().collect::<Vec<_>>(), ["seen"]);
}

#[test]
fn sessions_are_purged_a_day_after_their_last_access() {
    let text = |age: i64| format!(r#"{{"sessions":{{"old":{{"last_accessed_at":"{}","x":1}}}}}}"#, ago(age));
    for (age, ttl, stays) in [
        (86_400, None, true),
        (86_401, None, false),
        (-86_400, None, true),
        (10, Some("9"), false),
        (10, Some("10"), true),
        (86_401, Some("-1"), false),
        (86_401, Some("soon"), false),
        (9_999_999, Some("99999999999"), true),
        (0, Some("0"), true),
    ] {
        let project = Project::new().with_state(text(age));
        if let Some(ttl) = ttl {
            project.host.set_env("FORGE_SESSION_TTL_SECONDS", ttl);
        }
        project.event("s1", |_| {});
        assert_eq!(project.state()["sessions"].get("old").is_some(), stays, "{age} {ttl:?}");
    }
    for unreadable in ["17", "\"never\"", "null", "{}"] {
        let text = format!(r#"{{"sessions":{{"old":{{"last_accessed_at":{unreadable}}}}}}}"#);
        let project = Project::new().with_state(text);
        project.event("s1", |_| {});
        assert!(project.state()["sessions"].get("old").is_some(), "{unreadable}");
    }
}

fn ago(seconds: i64) -> String {
    jiff::Timestamp::from_second(START - seconds).unwrap().to_string()
}

#[test]
fn behaviors_are_switched_off_and_on_for_a_session() {
    let project = Project::new();
    project.event("s1", |session| assert!(session.disabled.insert(String::from("quiet"))));
    assert_eq!(project.state()["sessions"]["s1"]["behavior_overrides"], json!({"quiet": {"enabled": false}}));
    project.event("s1", |session| assert!(session.disabled.remove("quiet")));
    assert_eq!(project.state()["sessions"]["s1"]["behavior_overrides"], json!({"quiet": {"enabled": true}}));
}

#[test]
fn a_full_disk_costs_the_count_and_nothing_else() {
    let project = Project::new().with_state(EMPTY);
    project.event("s1", |session| assert_eq!(count(session, "x"), 1));
    let before = std::fs::read(project.paths.state()).unwrap();
    project.host.failing_writes.set(Some((0, std::io::ErrorKind::StorageFull)));
    let notes = project.event("s1", |session| assert_eq!(count(session, "x"), 2));
    assert!(notes[0].contains("state not saved"), "{notes:?}");
    assert_eq!(std::fs::read(project.paths.state()).unwrap(), before);
    assert_eq!(project.runtime(), ["lock", "state.json"]);
}

#[test]
fn a_choice_that_cannot_be_kept_is_an_error() {
    let project = Project::new();
    let choose = |enabled| store::choose(&project.host, &project.paths, "s1", "search-first", enabled);
    assert!(choose(false).unwrap().is_new);
    project.host.failing_writes.set(Some((0, std::io::ErrorKind::StorageFull)));
    assert!(choose(true).unwrap_err().to_string().contains("cannot write the state"));
    assert!(!choose(false).unwrap().is_new, "what holds already needs no writing");
    project.host.failing_writes.set(None);
    assert!(project.session("s1").disabled.contains("search-first"));
}

#[test]
fn of_equal_keys_the_last_counts_and_one_is_written() {
    let twice = r#"{"schema_version":"1","sessions":{"s1":{"behaviors":{"x":{"counter":1,"counter":2,"counter":3}}}}}"#;
    let project = Project::new().with_state(twice);
    project.event("s1", |session| session.behaviors.get_mut("x").unwrap().counter += 1);
    let text = std::fs::read_to_string(project.paths.state()).unwrap();
    assert_eq!((text.matches("\"counter\"").count(), project.session("s1").behaviors["x"].counter), (1, 4), "{text}");
}

#[test]
fn a_state_that_cannot_be_read_is_no_empty_one() {
    let project = Project::new();
    std::fs::create_dir_all(project.paths.state()).unwrap();
    assert!(store::snapshot(&project.host, &project.paths).is_err());
}

#[test]
fn a_look_lists_the_overrides_of_those_that_have_some() {
    let project = Project::new();
    project.event("s1", |session| assert_eq!(count(session, "x"), 1));
    let snapshot = store::snapshot(&project.host, &project.paths).unwrap();
    let [session] = &*snapshot.sessions else { panic!("{:?}", snapshot.sessions) };
    assert_eq!((session.session.behaviors["x"].counter, &*session.overrides), (1, &[][..]));
}

#[test]
fn a_source_that_cannot_be_read_is_none_that_is_absent() {
    let sources = |project: &Project| store::source_files(&project.host, project.folder.path());
    let project = Project::new();
    assert_eq!(sources(&project).unwrap().len(), 0);
    std::fs::write(project.folder.path().join("behaviors"), "").unwrap();
    assert_eq!(sources(&project).unwrap().len(), 0, "what is no folder lists nothing");
    let project = Project::new();
    std::fs::create_dir_all(project.folder.path().join("behaviors/x/behavior.yaml")).unwrap();
    assert!(sources(&project).is_err());
    #[cfg(unix)]
    {
        let project = Project::new();
        std::os::unix::fs::symlink("behaviors", project.folder.path().join("behaviors")).unwrap();
        assert!(sources(&project).is_err(), "a link that leads to itself");
    }
}

#[test]
fn why_a_state_is_set_aside_is_said() {
    let said = |project: &Project| match store::open(&project.host, &project.paths) {
        Ok(locked) => locked.read().notes().join("\n"),
        Err(unavailable) => unavailable.to_string(),
    };
    assert!(said(&Project::new().with_state([0xff])).contains("state.json is not UTF-8; kept as"));
    let project = Project::new();
    std::fs::create_dir_all(project.paths.state()).unwrap();
    assert!(said(&project).contains("state.json is a folder; kept as"));
    for (kind, why) in [
        (ErrorKind::FileTooLarge, "state.json is too large; kept as"),
        (ErrorKind::PermissionDenied, "state cannot be locked or read"),
        (ErrorKind::Other, "state cannot be locked or read"),
    ] {
        let project = Project::new().with_state("{}");
        project.host.read_error.set(Some(kind));
        let said = said(&project);
        assert!(said.contains(why), "{kind}: {said}");
    }
}
