//! Mutual exclusion, with real processes: exact counts whoever runs at once and whoever is killed when.

use crate::fake_host::{FakeHost, START};
use crate::state::{Project, call, count};
use forge::host::{Host, OsHost};
use forge::model::{Event, Session};
use forge::store::{self, Paths, Unavailable};
use std::collections::BTreeMap;
use std::io::{BufRead, BufReader, ErrorKind, Lines, Write};
use std::path::Path;
use std::process::{Child, ChildStdout, Command, Stdio};
use std::time::{Duration, Instant};

/// Names what a worker process does: `PROJECT SESSION COUNTS`, without end when `COUNTS` is 0.
const WORK: &str = "FORGE_TEST_WORK";

/// This very test binary as a worker that counts violations in a session, as a hook does, and prints each count once it
/// is safe.
struct Worker {
    process: Child,
    lines: Lines<BufReader<ChildStdout>>,
}

impl Worker {
    fn start(project: &Path, session: &str, counts: u32) -> Self {
        let mut command = Command::new(std::env::current_exe().unwrap());
        command.args(["--exact", "lock::work", "--nocapture", "--quiet"]);
        command.env(WORK, format!("{}\n{session}\n{counts}", project.display()));
        let mut process = command.stdout(Stdio::piped()).stderr(Stdio::null()).spawn().unwrap();
        let lines = BufReader::new(process.stdout.take().unwrap()).lines();
        Self { process, lines }
    }

    /// The next count it said.
    fn count(&mut self) -> Option<u64> {
        // A killed worker may leave half a line; a number that ends with its point is whole.
        self.lines.by_ref().find_map(|line| line.unwrap().strip_prefix("count ")?.strip_suffix('.')?.parse().ok())
    }

    /// All counts it says, to its end.
    fn counts(mut self) -> Vec<u64> {
        let counts = std::iter::from_fn(|| self.count()).collect();
        self.process.wait().unwrap();
        counts
    }
}

/// Nothing unless started by [`Worker`].
#[test]
fn work() {
    let Ok(work) = std::env::var(WORK) else { return };
    let mut parts = work.split('\n');
    let mut part = || parts.next().unwrap();
    let (paths, session, counts) = (Paths::new(Path::new(part())), part(), part().parse::<u32>().unwrap());
    let host = OsHost::new();
    let mut done = 0;
    while counts == 0 || done < counts {
        let counter = event(&host, &paths, session, |session| count(session, "x"));
        let mut out = std::io::stdout();
        out.write_all(format!("count {counter}.\n").as_bytes()).unwrap();
        out.flush().unwrap();
        done += 1;
        // As far apart as the events of a quick agent, or nobody else would get the lock.
        std::thread::sleep(Duration::from_micros(500));
    }
}

/// One event, with what comes of it.
fn event<T>(host: &dyn Host, paths: &Paths, id: &str, change: impl FnOnce(&mut Session) -> T) -> T {
    let locked = store::open(host, paths).unwrap();
    let mut memory = locked.read();
    let mut session = memory.session(id);
    let result = change(&mut session);
    memory.commit(id, &session, &call(Event::PreToolUse, "Write", "{}"), &[]);
    assert!(memory.notes().is_empty(), "{:?}", memory.notes());
    result
}

fn counter(project: &Project, session: &str) -> u64 {
    project.session(session).behaviors.get("x").map_or(0, |state| state.counter)
}

#[test]
fn sixty_four_processes_at_once_are_sixty_four_counts() {
    let project = Project::new();
    let root = project.folder.path();
    let workers: Vec<Worker> = (0..64).map(|n| Worker::start(root, if n % 8 == 7 { "s2" } else { "s1" }, 1)).collect();
    // Meanwhile a person switches a behavior off and on in the same session.
    for turn in 0..50 {
        event(&OsHost::new(), &project.paths, "s1", |session| match turn % 2 {
            0 => session.disabled.insert(String::from("quiet")),
            _ => session.disabled.remove("quiet"),
        });
    }
    let mut seen: Vec<u64> = workers.into_iter().flat_map(Worker::counts).collect();
    seen.sort_unstable();
    // Each number exactly once: whichever call is the fifth, exactly one is.
    let mut expected: Vec<u64> = (1..=56).chain(1..=8).collect();
    expected.sort_unstable();
    assert_eq!(seen, expected);
    project.host.now.set(OsHost::new().now().0);
    assert_eq!((counter(&project, "s1"), counter(&project, "s2")), (56, 8));
    assert_eq!(project.runtime(), ["lock", "state.json"]);
}

/// What a storm of killed workers did.
struct Storm {
    kills: u32,
    acknowledged: BTreeMap<String, u64>,
}

/// Lets workers count in three sessions and kills each at some instant, until `kills` have been killed.
fn storm(root: &Path, kills: u32, seed: u32) -> Storm {
    let mut storm = Storm { kills: 0, acknowledged: BTreeMap::new() };
    let mut random = seed;
    while storm.kills < kills {
        let sessions = (0..8).map(|n| format!("s{}", n % 3));
        let alive: Vec<(String, Worker)> = sessions.map(|id| (id.clone(), Worker::start(root, &id, 0))).collect();
        for (session, mut worker) in alive {
            // Once it is at work, at any instant.
            let first = worker.count().map_or(0, |_| 1);
            random = random.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            std::thread::sleep(Duration::from_micros(u64::from(random >> 20)));
            worker.process.kill().unwrap();
            storm.kills += 1;
            *storm.acknowledged.entry(session).or_default() += first + u64::try_from(worker.counts().len()).unwrap();
        }
    }
    storm
}

/// Looks at what a storm left; returns how many counts were lost and how many locks were stuck.
fn aftermath(project: &Project, storm: &Storm) -> (u64, u32) {
    project.host.now.set(OsHost::new().now().0);
    let start = Instant::now();
    let lost = storm.acknowledged.iter().map(|(id, said)| said.saturating_sub(counter(project, id))).sum();
    let stuck = u32::from(start.elapsed() > Duration::from_secs(1));
    for (id, said) in &storm.acknowledged {
        // A killed worker may have counted once more than it could say.
        assert!(counter(project, id) <= said + u64::from(storm.kills), "{id}");
    }
    assert!(project.event("s0", |_| {}).is_empty());
    assert_eq!(project.runtime(), ["lock", "state.json"]);
    project.state();
    (lost, stuck)
}

#[test]
fn no_kill_loses_an_acknowledged_count() {
    let project = Project::new();
    let storm = storm(project.folder.path(), 500, 1);
    assert!(storm.acknowledged.values().sum::<u64>() > 100, "{:?}", storm.acknowledged);
    assert_eq!(aftermath(&project, &storm), (0, 0));
}

/// `cargo test --release -- --ignored soak`; `FORGE_SOAK_SECONDS` says for how long.
#[test]
#[ignore = "runs for a minute; prints what it did"]
fn soak() {
    let seconds = std::env::var("FORGE_SOAK_SECONDS").ok().and_then(|text| text.parse().ok()).unwrap_or(60);
    let end = Instant::now() + Duration::from_secs(seconds);
    let (mut calls, mut kills, mut lost, mut stuck) = (0, 0, 0, 0);
    for seed in 0.. {
        let project = Project::new();
        let storm = storm(project.folder.path(), 200, seed);
        let (new_lost, new_stuck) = aftermath(&project, &storm);
        calls += storm.acknowledged.values().sum::<u64>();
        kills += storm.kills;
        lost += new_lost;
        stuck += new_stuck;
        if Instant::now() > end {
            break;
        }
    }
    println!("calls {calls}, kills {kills}, lost counts {lost}, stuck locks {stuck}");
    assert_eq!((lost, stuck), (0, 0));
}

/// A project with the lock folder of an older tool.
fn with_legacy(pid: Option<&str>) -> Project {
    let project = Project::new();
    std::fs::create_dir_all(project.paths.legacy_lock()).unwrap();
    if let Some(pid) = pid {
        std::fs::write(project.paths.legacy_lock().join("pid"), pid).unwrap();
    }
    *project.host.live.borrow_mut() = Some(vec![77]);
    project.host.now.set(OsHost::new().now().0);
    project
}

#[test]
fn an_older_lock_is_held_while_its_process_lives() {
    let project = with_legacy(Some("77\n"));
    assert!(matches!(store::open(&project.host, &project.paths), Err(Unavailable::Timeout)));
    assert_eq!(project.host.slept.get(), Duration::from_secs(2));
    assert!(project.host.longest_pause.get() < Duration::from_millis(100));
    assert!(project.paths.legacy_lock().exists());
    *project.host.live.borrow_mut() = Some(vec![]);
    assert!(project.event("s1", |_| {}).is_empty());
    assert!(!project.paths.legacy_lock().exists());
    assert_eq!(project.host.slept.get(), Duration::from_secs(2), "a dead process is not waited for");
}

#[test]
fn an_older_lock_without_a_process_is_removed_once_it_is_two_seconds_old() {
    for (pid, ages) in [(None, [0, 1, 2, 86_400, -86_400]), (Some("x"), [0, 1, 2, 86_400, -86_400])] {
        for (age, is_held) in ages.into_iter().zip([true, true, false, false, false]) {
            let project = with_legacy(pid);
            let made = project.host.modified(&project.paths.legacy_lock()).unwrap().0;
            project.host.now.set(made + age);
            assert_eq!(store::open(&project.host, &project.paths).is_err(), is_held, "{pid:?} {age}");
            assert_eq!(project.paths.legacy_lock().exists(), is_held);
        }
    }
}

#[test]
fn the_system_knows_who_lives() {
    let host = OsHost::new();
    assert!(host.is_running(std::process::id()));
    let mut child = Command::new(std::env::current_exe().unwrap()).arg("--list").stdout(Stdio::null()).spawn().unwrap();
    child.wait().unwrap();
    assert!(!host.is_running(child.id()));
}

#[test]
fn a_lock_held_by_others_is_waited_for_two_seconds() {
    let project = Project::new();
    project.host.busy_tries.set(20);
    assert!(project.event("s1", |_| {}).is_empty());
    // 0.2 ms, and each half as long again, up to 4 ms.
    assert!(project.host.slept.get() < Duration::from_millis(60), "{:?}", project.host.slept.get());
    project.host.busy_tries.set(u32::MAX);
    project.host.slept.set(Duration::ZERO);
    let Err(unavailable) = store::open(&project.host, &project.paths) else { panic!("the lock is held") };
    assert_eq!(unavailable.to_string(), "state lock timeout — using default levels");
    assert_eq!(project.host.slept.get(), Duration::from_secs(2));
    assert!(project.host.longest_pause.get() < Duration::from_millis(100));
}

#[test]
fn a_lock_that_is_refused_is_said() {
    for kind in [ErrorKind::Unsupported, ErrorKind::Other, ErrorKind::ResourceBusy] {
        let project = Project::new();
        project.host.lock_error.set(Some(kind));
        let Err(unavailable) = store::open(&project.host, &project.paths) else { panic!("no lock") };
        assert!(unavailable.to_string().starts_with("state cannot be locked or read"), "{unavailable}");
        assert!(!project.paths.state().exists());
    }
}

#[test]
fn a_folder_that_cannot_be_written_is_read() {
    for kind in [ErrorKind::PermissionDenied, ErrorKind::ReadOnlyFilesystem, ErrorKind::StorageFull] {
        let project = Project::new();
        project.event("s1", |session| assert!(session.disabled.insert(String::from("quiet"))));
        let before = std::fs::read(project.paths.state()).unwrap();
        project.host.lock_error.set(Some(kind));
        let notes = project.event("s1", |session| assert!(session.disabled.contains("quiet")));
        assert!(notes.len() == 1 && notes[0].contains("cannot be written"), "{notes:?}");
        assert_eq!(std::fs::read(project.paths.state()).unwrap(), before);
    }
}

#[test]
fn a_clock_that_jumps_loses_nothing() {
    let project = Project::new();
    for (step, at) in [0, -86_400, 0, 3600, 86_399 + 3600].into_iter().enumerate() {
        project.host.now.set(START + at);
        project.event("s1", |session| assert_eq!(count(session, "x"), u64::try_from(step).unwrap() + 1));
    }
    // A day and more forward is what a day of silence looks like: the session starts afresh.
    project.host.now.set(START + 10 * 86_400);
    project.event("s1", |session| assert_eq!(count(session, "x"), 1));
}

#[cfg(unix)]
#[test]
fn no_link_at_a_name_of_ours_is_written_through() {
    use std::os::unix::fs::symlink;
    for (link, is_usable) in [
        ("state.json", true),
        ("state.json.tmp", true),
        ("state.json.previous", true),
        ("lock", false),
        (".gitignore", true),
    ] {
        for exists in [true, false] {
            let project = Project::new();
            let outside = tempfile::tempdir().unwrap();
            let target = outside.path().join("target");
            if exists {
                std::fs::write(&target, "{\"mine\":1}").unwrap();
            }
            std::fs::create_dir_all(project.paths.runtime()).unwrap();
            let folder = if link == ".gitignore" { project.paths.forge().to_owned() } else { project.paths.runtime() };
            symlink(&target, folder.join(link)).unwrap();
            let usable = store::open(&project.host, &project.paths).is_ok();
            assert_eq!(usable, is_usable, "{link}");
            if usable {
                project.event("s1", |_| {});
            }
            let found = std::fs::read_to_string(&target).ok();
            assert_eq!(found.as_deref(), exists.then_some("{\"mine\":1}"), "{link}");
        }
    }
    for folder in [Paths::runtime, |paths: &Paths| paths.forge().to_owned()] {
        let (project, outside) = (Project::new(), tempfile::tempdir().unwrap());
        let _ = std::fs::remove_dir(folder(&project.paths));
        symlink(outside.path(), folder(&project.paths)).unwrap();
        assert!(matches!(store::open(&project.host, &project.paths), Err(Unavailable::Refused(_))));
        assert_eq!(std::fs::read_dir(outside.path()).unwrap().count(), 0);
    }
}

#[test]
fn a_session_without_a_name_is_the_process_tree_of_the_day() {
    let host = FakeHost::new();
    let id = store::fallback_session(&host, Path::new("/work"));
    assert_eq!(id.len(), 36);
    host.now.set(START + 3600);
    assert_eq!(store::fallback_session(&host, Path::new("/work")), id);
    assert_ne!(store::fallback_session(&host, Path::new("/other")), id);
    host.now.set(START + 86_400);
    assert_ne!(store::fallback_session(&host, Path::new("/work")), id);
    // printf '/work:4711:20260413' | sha256sum | cut -c1-36
    assert_eq!(id, "9dbf097a53d72c9b6ce8a4a85ae8430870b8");
}

/// One behavior: nudge, from 3 warning, from 5 soft block.
const SEARCH_FIRST: &str = "schema_version: \"1\"\nid: search-first\nname: Search first\ndescription: d\ncategory: core\n\
    scope: session\npolicy:\n  triggers:\n    - event: PreToolUse\n      matcher: Write\n  enforcement:\n    \
    default_level: silent\n    escalation:\n      - {after: 1, level: nudge}\n      - {after: 3, level: warning}\n      \
    - {after: 5, level: soft_block}\n  recovery:\n    hint: search\n";

/// A project with that behavior and this way of overriding, compiled by the real command.
pub(crate) fn compiled(overrides: &str) -> Project {
    let project = Project::new();
    let root = project.folder.path();
    let config = format!("schema_version: \"1\"\noverride: {overrides}\n");
    std::fs::write(root.join(".forge/config.yaml"), config).unwrap();
    std::fs::create_dir_all(root.join("behaviors/search-first")).unwrap();
    std::fs::write(root.join("behaviors/search-first/behavior.yaml"), SEARCH_FIRST).unwrap();
    let index = "schema_version: \"1\"\nbehaviors:\n  - {id: search-first, enabled: true}\n";
    std::fs::write(root.join("behaviors/index.yaml"), index).unwrap();
    let mut compile = Command::new(env!("CARGO_BIN_EXE_forge"));
    let compiled = compile.args(["compile", "--no-settings", "--root"]).arg(root).output().unwrap();
    assert!(compiled.status.success(), "{}", String::from_utf8_lossy(&compiled.stdout));
    project
}

/// Runs one real hook per file that is written, all at once; returns for each the reason why it blocked, if it did.
pub(crate) fn hooks(project: &Project, files: impl Iterator<Item = usize>) -> Vec<Option<String>> {
    let root = project.folder.path();
    let start = |file: usize| {
        let mut hook = Command::new(env!("CARGO_BIN_EXE_forge-hook"));
        hook.args(["--harness", "claude-code", "--root"]).arg(root).current_dir(root);
        let mut hook = hook.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        let payload = serde_json::json!({"session_id": "s1", "hook_event_name": "PreToolUse", "tool_name": "Write",
            "tool_input": {"file_path": format!("/{file}")}});
        hook.stdin.take().unwrap().write_all(payload.to_string().as_bytes()).unwrap();
        hook
    };
    let started: Vec<Child> = files.map(start).collect();
    let answers = started.into_iter().map(|hook| {
        let output = hook.wait_with_output().unwrap();
        assert!(output.status.success() && output.stderr.is_empty(), "{}", String::from_utf8_lossy(&output.stderr));
        let answer: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap_or_default();
        let said = &answer["hookSpecificOutput"];
        let reason = said["permissionDecisionReason"].as_str().filter(|_| said["permissionDecision"] == "deny");
        reason.map(str::to_owned)
    });
    answers.collect()
}

#[test]
fn of_sixty_four_hooks_at_once_exactly_the_fifth_is_the_first_to_block() {
    let project = compiled("retry");
    let blocked = hooks(&project, 0..64).into_iter().flatten().count();
    assert_eq!(blocked, 60, "the first four pass");
    let behavior = &project.state()["sessions"]["s1"]["behaviors"]["search-first"];
    assert_eq!((&behavior["counter"], &behavior["effective_level"]), (&64.into(), &"soft_block".into()));
    assert_eq!(project.runtime(), ["lock", "state.json"]);
}
