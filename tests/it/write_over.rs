//! Writing a file over and over, and reading it meanwhile without its lock.

use forge::host::{Host, OsHost};
use forge::store::{self, Paths};
use proptest::prelude::*;
use std::collections::BTreeSet;
use std::fs;
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

/// The names in a folder.
fn names(folder: &Path) -> BTreeSet<String> {
    fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect()
}

proptest! {
    /// Longer, shorter and empty: the name holds the last bytes, the other name those before, and there is no third.
    #[test]
    fn the_last_bytes_stand_there(texts in prop::collection::vec(prop::collection::vec(any::<u8>(), 0..9_000), 1..6)) {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("file");
        for (number, text) in texts.iter().enumerate() {
            OsHost::new().write_over(&file, &[text, b"", text]).unwrap();
            prop_assert_eq!(fs::read(&file).unwrap(), text.repeat(2));
            let before = fs::read(folder.path().join("file.previous")).ok();
            let expected = number.checked_sub(1).filter(|_| cfg!(target_os = "linux")).map(|number| texts[number].repeat(2));
            prop_assert_eq!(names(folder.path()).len(), 1 + usize::from(expected.is_some()));
            prop_assert_eq!(before, expected);
        }
    }
}

#[cfg(unix)]
#[test]
fn whatever_stands_at_the_other_name_is_replaced_and_never_written() {
    for made in
        ["ln -s ../mine $0", "ln ../mine $0", "ln -s nowhere $0", "mkfifo $0", "mkdir -p $0/a/b", "ln -s /dev/full $0"]
    {
        let outside = tempfile::tempdir().unwrap();
        let folder = outside.path().join("folder");
        fs::create_dir(&folder).unwrap();
        fs::write(outside.path().join("mine"), "mine, and long enough").unwrap();
        let file = folder.join("file");
        let script = format!("cd '{}' && {made}", folder.display());
        assert!(std::process::Command::new("sh").args(["-c", &script, "file.previous"]).status().unwrap().success());
        for text in ["one", "two", "three"] {
            OsHost::new().write_over(&file, &[text.as_bytes()]).unwrap();
            assert_eq!(fs::read_to_string(&file).unwrap(), text, "{made}");
            assert!(file.symlink_metadata().unwrap().is_file(), "{made}");
        }
        assert_eq!(fs::read_to_string(outside.path().join("mine")).unwrap(), "mine, and long enough", "{made}");
    }
}

#[test]
fn who_looks_without_the_lock_sees_one_moment() {
    const LOOKS: usize = 200;
    const SESSIONS: usize = 2_000;
    let folder = tempfile::tempdir().unwrap();
    let (paths, host) = (Paths::new(folder.path()), OsHost::new());
    fs::create_dir_all(paths.runtime()).unwrap();
    // Of different lengths: parts of two are no state.
    let state = |word: &str| {
        let entry = |number| format!("\"{number}\":{{\"created_at\":\"2026-04-13T10:00:00Z\",\"mark\":\"{word}\"}}");
        let entries: Vec<_> = (0..SESSIONS).map(entry).collect();
        format!("{{\"schema_version\":\"1\",\"sessions\":{{{}}}}}", entries.join(","))
    };
    let states = [state("one"), state("three"), state("a word of another length")];
    host.write_over(&paths.state(), &[states[0].as_bytes()]).unwrap();
    let done = AtomicBool::new(false);
    std::thread::scope(|scope| {
        scope.spawn(|| {
            while !done.load(Ordering::Relaxed) {
                for text in &states {
                    OsHost::new().write_over(&paths.state(), &[text.as_bytes()]).unwrap();
                }
                // Who reads twice alike needs a pause, as there is between events.
                std::thread::sleep(Duration::from_millis(1));
            }
        });
        let snapshots: Vec<_> = (0..LOOKS).filter_map(|_| store::snapshot(&host, &paths).ok()).collect();
        done.store(true, Ordering::Relaxed);
        assert!(!snapshots.is_empty(), "never a moment");
        for snapshot in snapshots {
            assert_eq!((snapshot.faults, snapshot.sessions.len()), (Vec::new(), SESSIONS));
        }
    });
}
