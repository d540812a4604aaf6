//! The real machine, with a tally of what is asked of it: bytes read and written, folders listed.

use forge::host::{Entry, Held, Host, OsHost};
use forge::model::Timestamp;
use std::cell::Cell;
use std::io;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// What was asked of the machine since the last [`CountingHost::taken`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Asked {
    pub(crate) read: usize,
    /// The most bytes read at once.
    pub(crate) largest_read: usize,
    pub(crate) written: usize,
    pub(crate) writes: usize,
    pub(crate) lists: usize,
}

/// The host.
#[derive(Default)]
pub(crate) struct CountingHost {
    os: OsHost,
    asked: Cell<Asked>,
}

impl CountingHost {
    /// The tally, which starts over.
    pub(crate) fn taken(&self) -> Asked {
        self.asked.take()
    }

    fn count(&self, add: impl FnOnce(&mut Asked)) {
        let mut asked = self.asked.get();
        add(&mut asked);
        self.asked.set(asked);
    }

    fn read_bytes(&self, bytes: io::Result<Vec<u8>>) -> io::Result<Vec<u8>> {
        let length = bytes.as_ref().map_or(0, Vec::len);
        self.count(|asked| {
            asked.read += length;
            asked.largest_read = asked.largest_read.max(length);
        });
        bytes
    }
}

impl Host for CountingHost {
    fn now(&self) -> Timestamp {
        self.os.now()
    }

    fn uptime(&self) -> Duration {
        self.os.uptime()
    }

    fn sleep(&self, time: Duration) {
        self.os.sleep(time);
    }

    fn env(&self, name: &str) -> Option<String> {
        self.os.env(name)
    }

    fn env_names(&self, prefix: &str) -> Vec<String> {
        self.os.env_names(prefix)
    }

    fn current_dir(&self) -> io::Result<PathBuf> {
        self.os.current_dir()
    }

    fn parent_pid(&self) -> u32 {
        self.os.parent_pid()
    }

    fn is_running(&self, pid: u32) -> bool {
        self.os.is_running(pid)
    }

    fn read(&self, path: &Path, limit: usize) -> io::Result<Vec<u8>> {
        self.read_bytes(self.os.read(path, limit))
    }

    fn read_at(&self, path: &Path, offset: u64, limit: usize) -> io::Result<Vec<u8>> {
        self.read_bytes(self.os.read_at(path, offset, limit))
    }

    fn length(&self, path: &Path) -> io::Result<u64> {
        self.os.length(path)
    }

    fn entry(&self, path: &Path) -> Entry {
        self.os.entry(path)
    }

    fn modified(&self, path: &Path) -> io::Result<Timestamp> {
        self.os.modified(path)
    }

    fn list(&self, folder: &Path) -> io::Result<Vec<String>> {
        self.count(|asked| asked.lists += 1);
        self.os.list(folder)
    }

    fn write_atomic(&self, path: &Path, bytes: &[u8]) -> io::Result<()> {
        self.count(|asked| {
            asked.written += bytes.len();
            asked.writes += 1;
        });
        self.os.write_atomic(path, bytes)
    }

    fn append(&self, path: &Path, bytes: &[u8]) -> io::Result<()> {
        self.os.append(path, bytes)
    }

    fn create_dir_all(&self, folder: &Path) -> io::Result<()> {
        self.os.create_dir_all(folder)
    }

    fn rename(&self, from: &Path, to: &Path) -> io::Result<()> {
        self.os.rename(from, to)
    }

    fn remove(&self, path: &Path) -> io::Result<()> {
        self.os.remove(path)
    }

    fn try_lock(&self, path: &Path) -> io::Result<Option<Held>> {
        self.os.try_lock(path)
    }

    fn ask(&self, question: &str) -> io::Result<String> {
        self.os.ask(question)
    }
}
