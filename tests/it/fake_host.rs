//! A host whose clock, environment and misfortunes a test decides; files are real, in a folder of the test's own.

use forge::host::{Entry, Held, Host, OsHost};
use forge::model::Timestamp;
use std::cell::{Cell, RefCell};
use std::collections::BTreeMap;
use std::io;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// The moment every test starts at: 2026-04-13T10:00:00Z.
pub(crate) const START: i64 = 1_776_074_400;

/// The host.
pub(crate) struct FakeHost {
    os: OsHost,
    pub(crate) now: Cell<i64>,
    pub(crate) env: RefCell<BTreeMap<String, String>>,
    /// Names of variables in the processes above.
    pub(crate) ancestors: RefCell<Vec<String>>,
    /// The lock is refused like this.
    pub(crate) lock_error: Cell<Option<io::ErrorKind>>,
    /// How many tries at the lock find it taken.
    pub(crate) busy_tries: Cell<u32>,
    /// Files cannot be read like this.
    pub(crate) read_error: Cell<Option<io::ErrorKind>>,
    /// The n-th write from now on (0: the next) and all later ones fail like this.
    pub(crate) failing_writes: Cell<Option<(u32, io::ErrorKind)>>,
    /// A path whose thing cannot be seen, as below a folder that may not be looked into.
    pub(crate) unseen: RefCell<Option<PathBuf>>,
    /// Processes that live; `None` asks the system.
    pub(crate) live: RefCell<Option<Vec<u32>>>,
    /// What the person at the terminal answers; `None` when there is no terminal.
    pub(crate) answer: RefCell<Option<String>>,
    /// What the person was asked.
    pub(crate) asked: RefCell<String>,
    /// How long was slept.
    pub(crate) slept: Cell<Duration>,
    /// The longest single pause.
    pub(crate) longest_pause: Cell<Duration>,
}

impl FakeHost {
    pub(crate) fn new() -> Self {
        Self {
            os: OsHost::new(),
            now: Cell::new(START),
            env: RefCell::default(),
            ancestors: RefCell::default(),
            lock_error: Cell::new(None),
            busy_tries: Cell::new(0),
            read_error: Cell::new(None),
            failing_writes: Cell::new(None),
            unseen: RefCell::new(None),
            live: RefCell::new(None),
            answer: RefCell::new(None),
            asked: RefCell::default(),
            slept: Cell::default(),
            longest_pause: Cell::default(),
        }
    }

    pub(crate) fn set_env(&self, name: &str, value: &str) {
        self.env.borrow_mut().insert(name.to_owned(), value.to_owned());
    }

    fn writes(&self) -> io::Result<()> {
        match self.failing_writes.get() {
            Some((0, kind)) => Err(kind.into()),
            Some((left, kind)) => {
                self.failing_writes.set(Some((left - 1, kind)));
                Ok(())
            }
            None => Ok(()),
        }
    }
}

impl Host for FakeHost {
    fn now(&self) -> Timestamp {
        Timestamp(self.now.get())
    }

    /// Only what was slept counts.
    fn uptime(&self) -> Duration {
        self.slept.get()
    }

    /// Hardly takes time, whatever it is said to take: enough for other threads to go on.
    fn sleep(&self, time: Duration) {
        std::thread::sleep(time.min(Duration::from_micros(50)));
        self.slept.set(self.slept.get() + time);
        self.longest_pause.set(self.longest_pause.get().max(time));
    }

    fn env(&self, name: &str) -> Option<String> {
        self.env.borrow().get(name).cloned().filter(|value| !value.is_empty())
    }

    fn env_names(&self, prefix: &str) -> Vec<String> {
        self.env.borrow().keys().filter(|name| name.starts_with(prefix)).cloned().collect()
    }

    fn ancestors_env_names(&self) -> Vec<String> {
        self.ancestors.borrow().clone()
    }

    fn current_dir(&self) -> io::Result<PathBuf> {
        self.os.current_dir()
    }

    fn parent_pid(&self) -> u32 {
        4711
    }

    fn is_running(&self, pid: u32) -> bool {
        self.live.borrow().as_ref().map_or_else(|| self.os.is_running(pid), |live| live.contains(&pid))
    }

    fn read(&self, path: &Path, limit: usize) -> io::Result<Vec<u8>> {
        self.read_error.get().map_or_else(|| self.os.read(path, limit), |kind| Err(kind.into()))
    }

    fn entry(&self, path: &Path) -> Entry {
        if self.unseen.borrow().as_deref() == Some(path) { Entry::Unseen } else { self.os.entry(path) }
    }

    fn modified(&self, path: &Path) -> io::Result<Timestamp> {
        self.os.modified(path)
    }

    fn list(&self, folder: &Path) -> io::Result<Vec<String>> {
        self.os.list(folder)
    }

    fn write_atomic(&self, path: &Path, bytes: &[u8]) -> io::Result<()> {
        self.writes()?;
        self.os.write_atomic(path, bytes)
    }

    fn write_over(&self, path: &Path, pieces: &[&[u8]]) -> io::Result<()> {
        self.writes()?;
        self.os.write_over(path, pieces)
    }

    fn append(&self, path: &Path, bytes: &[u8]) -> io::Result<()> {
        self.writes()?;
        self.os.append(path, bytes)
    }

    fn create_dir_all(&self, folder: &Path) -> io::Result<()> {
        self.writes()?;
        self.os.create_dir_all(folder)
    }

    fn rename(&self, from: &Path, to: &Path) -> io::Result<()> {
        self.writes()?;
        self.os.rename(from, to)
    }

    fn remove(&self, path: &Path) -> io::Result<()> {
        self.writes()?;
        self.os.remove(path)
    }

    fn try_lock(&self, path: &Path) -> io::Result<Option<Held>> {
        if let Some(kind) = self.lock_error.get() {
            return Err(kind.into());
        }
        if self.busy_tries.get() > 0 {
            self.busy_tries.set(self.busy_tries.get() - 1);
            return Ok(None);
        }
        self.os.try_lock(path)
    }

    fn ask(&self, question: &str) -> io::Result<String> {
        self.asked.borrow_mut().push_str(question);
        self.answer.borrow().clone().ok_or_else(|| io::ErrorKind::NotFound.into())
    }
}
