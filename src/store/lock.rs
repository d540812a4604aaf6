//! Mutual exclusion among hooks: the kernel's lock on one file, with a word for the lock folder of older tools.
//! Uses the host alone. Never removes the lock file, and never judges an older lock without holding the kernel's.

use super::links::refuse_links;
use super::paths::Paths;
use crate::host::{Entry, Held, Host};
use crate::limits;
use std::fmt;
use std::io;
use std::path::Path;
use std::time::Duration;

/// Why the memory cannot be had for this event. Its text is what standard error is told.
#[derive(Debug)]
pub enum Unavailable {
    /// Others had it all the time.
    Timeout,
    /// It cannot be locked or read here.
    Refused(io::Error),
}

impl fmt::Display for Unavailable {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Timeout => f.write_str("state lock timeout — using default levels"),
            Self::Refused(error) => write!(
                f,
                "state cannot be locked or read ({error}) — using default levels; put the project on a file system with \
                 locks, or make `.forge/runtime` a plain folder of yours"
            ),
        }
    }
}

/// Takes the lock, waiting at most [`limits::LOCK_WAIT_MILLIS`]. `None` when the folder cannot be written, so that
/// nobody else writes there either: what stands there may be read, but nothing may be changed.
///
/// # Errors
/// When it cannot be had.
pub(super) fn take(host: &dyn Host, paths: &Paths) -> Result<Option<Held>, Unavailable> {
    let runtime = paths.runtime();
    refuse_links(host, &runtime).map_err(Unavailable::Refused)?;
    let mut wait = Wait::new(host);
    let lock = paths.lock();
    let held = loop {
        let tried = match host.try_lock(&lock) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                host.create_dir_all(&runtime).and_then(|()| host.try_lock(&lock))
            }
            tried => tried,
        };
        match tried {
            Ok(Some(held)) => break held,
            Ok(None) => wait.a_little()?,
            Err(error) if is_unwritable(&error) => return Ok(None),
            Err(error) => return Err(Unavailable::Refused(error)),
        }
    };
    // From here on nobody of us but this process judges the older lock, so nobody can remove one that was just made.
    let legacy = paths.legacy_lock();
    while is_held(host, &legacy) {
        wait.a_little()?;
    }
    Ok(Some(held))
}

fn is_unwritable(error: &io::Error) -> bool {
    matches!(
        error.kind(),
        io::ErrorKind::PermissionDenied
            | io::ErrorKind::ReadOnlyFilesystem
            | io::ErrorKind::StorageFull
            | io::ErrorKind::QuotaExceeded
    )
}

/// Whether an older tool holds its lock. One it left behind is removed.
fn is_held(host: &dyn Host, folder: &Path) -> bool {
    match host.entry(folder) {
        Entry::Folder => {}
        // Only a folder is such a lock.
        Entry::Nothing | Entry::Unseen | Entry::File | Entry::Link | Entry::Other => return false,
    }
    let pid = host.read(&folder.join("pid"), 64).ok();
    let pid = pid.and_then(|text| String::from_utf8(text).ok()?.trim().parse::<u32>().ok());
    let is_live = match pid {
        Some(pid) => host.is_running(pid),
        // Between making the folder and writing the number an older tool needs far less than this. A moment in the
        // future says that the clock was turned back, not that the lock is new.
        None => host.modified(folder).is_ok_and(|made| host.now().0.abs_diff(made.0) < 2),
    };
    if is_live {
        return true;
    }
    // What cannot be removed is not waited for: its owner is dead.
    let _ = host.remove(folder);
    false
}

/// Short, growing pauses, up to a bound in all.
struct Wait<'h> {
    host: &'h dyn Host,
    start: Duration,
    pause: Duration,
}

impl<'h> Wait<'h> {
    const FIRST: Duration = Duration::from_micros(200);
    const LONGEST: Duration = Duration::from_millis(4);

    fn new(host: &'h dyn Host) -> Self {
        Self { host, start: host.uptime(), pause: Self::FIRST }
    }

    fn a_little(&mut self) -> Result<(), Unavailable> {
        let waited = self.host.uptime().saturating_sub(self.start);
        let left = Duration::from_millis(limits::LOCK_WAIT_MILLIS).saturating_sub(waited);
        if left.is_zero() {
            return Err(Unavailable::Timeout);
        }
        self.host.sleep(self.pause.min(left));
        self.pause = (self.pause * 3 / 2).min(Self::LONGEST);
        Ok(())
    }
}
