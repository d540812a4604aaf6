//! The world behind one trait: clock, environment, files, lock. The engine never sees it; `hook`, `store` and `cli` do.
//! `os.rs` is the only file of the crate that names `std::fs`, `std::env` and the clock; tests bring a host of their own.

#[cfg(target_os = "linux")]
mod exchange;
pub mod machine;
mod os;

pub use os::OsHost;

use crate::model::Timestamp;
use std::io;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// What forge needs of the machine it runs on. Every file it touches goes through here, so that a test can fill the
/// disk, turn back the clock or break the lock.
pub trait Host {
    /// The wall clock.
    fn now(&self) -> Timestamp;

    /// A clock that never jumps, for waiting; its zero means nothing.
    fn uptime(&self) -> Duration;

    /// Waits.
    fn sleep(&self, time: Duration);

    /// A variable of the environment; `None` when unset, empty or not Unicode.
    fn env(&self, name: &str) -> Option<String>;

    /// The names of all variables that begin with `prefix` and are not empty.
    fn env_names(&self, prefix: &str) -> Vec<String>;

    /// The names of the variables that the processes above this one were started with, as far as the system tells.
    fn ancestors_env_names(&self) -> Vec<String> {
        Vec::new()
    }

    /// The process's folder.
    ///
    /// # Errors
    /// When it was removed or cannot be named.
    fn current_dir(&self) -> io::Result<PathBuf>;

    /// The process that started this one; 0 where the system does not tell.
    fn parent_pid(&self) -> u32;

    /// Whether a process lives. True when it cannot be told: whoever asks then waits instead of pushing in.
    fn is_running(&self, pid: u32) -> bool;

    /// A whole file.
    ///
    /// # Errors
    /// As the system says; [`io::ErrorKind::FileTooLarge`] when it has more than `limit` bytes.
    fn read(&self, path: &Path, limit: usize) -> io::Result<Vec<u8>>;

    /// A whole file that others [write over and over](Self::write_over), as it was at one moment: what is read slowly can
    /// be parts of two writes, but not twice alike.
    ///
    /// # Errors
    /// As [`read`](Self::read) says, and [`io::ErrorKind::ResourceBusy`] when they write without a pause.
    fn read_settled(&self, path: &Path, limit: usize) -> io::Result<Vec<u8>> {
        const TRIES: usize = 50;
        let mut bytes = self.read(path, limit)?;
        for _ in 0..TRIES {
            let again = self.read(path, limit)?;
            if again == bytes {
                return Ok(bytes);
            }
            bytes = again;
        }
        Err(io::Error::new(io::ErrorKind::ResourceBusy, "it changes all the time"))
    }

    /// A file to be read piecewise. It stays the file that was opened when another takes its name.
    ///
    /// # Errors
    /// As the system says; refused when it is no plain file, which could make its reader wait for ever.
    fn open(&self, path: &Path) -> io::Result<Box<dyn OpenFile>> {
        Ok(Box::new(self.read(path, usize::MAX)?))
    }

    /// Up to `limit` bytes of a file from byte `offset` on; fewer only at its end.
    ///
    /// # Errors
    /// As the system says.
    fn read_at(&self, path: &Path, offset: u64, limit: usize) -> io::Result<Vec<u8>> {
        let bytes = self.read(path, usize::MAX)?;
        let offset = usize::try_from(offset).unwrap_or(usize::MAX).min(bytes.len());
        Ok(bytes.into_iter().skip(offset).take(limit).collect())
    }

    /// How many bytes a file has.
    ///
    /// # Errors
    /// As the system says.
    fn length(&self, path: &Path) -> io::Result<u64> {
        self.read(path, usize::MAX).map(|bytes| u64::try_from(bytes.len()).unwrap_or(u64::MAX))
    }

    /// What stands at a path, following no link.
    fn entry(&self, path: &Path) -> Entry;

    /// When the thing at a path was last modified, by the wall clock.
    ///
    /// # Errors
    /// As the system says.
    fn modified(&self, path: &Path) -> io::Result<Timestamp>;

    /// The names in a folder, in no order; names that are not Unicode are left out.
    ///
    /// # Errors
    /// As the system says.
    fn list(&self, folder: &Path) -> io::Result<Vec<String>>;

    /// Replaces a file as a whole: at every instant its path holds the old bytes or the new ones. The temporary file
    /// stands beside it under one fixed name (`<name>.tmp`), so the caller must be the only writer of this path; a
    /// leftover of a killed writer is overwritten. A link at `path` is replaced, never followed.
    ///
    /// # Errors
    /// As the system says; then the old file is untouched and no temporary file is left.
    fn write_atomic(&self, path: &Path, bytes: &[u8]) -> io::Result<()>;

    /// [`write_atomic`](Self::write_atomic), from pieces, for a file that is written at every event. Where the system can exchange two
    /// names, the file that stood there stays beside it as `<name>.previous` and takes the bytes of the next time; so
    /// that who keeps it open over two writes may see parts of both. Read it under the lock of its writers, or with
    /// [`read_settled`](Self::read_settled). After a power cut it may be older than the file it replaced, or cut short.
    ///
    /// # Errors
    /// As the system says; then the old file is untouched and no other is left.
    fn write_over(&self, path: &Path, pieces: &[&[u8]]) -> io::Result<()> {
        self.write_atomic(path, &pieces.concat())
    }

    /// Adds bytes to the end of a file with one write, and has them reach the disk. A new file is readable by all.
    ///
    /// # Errors
    /// As the system says; refused when `path` is a link or no plain file.
    fn append(&self, path: &Path, bytes: &[u8]) -> io::Result<()>;

    /// Makes a folder and those above it; fine when it is there.
    ///
    /// # Errors
    /// As the system says.
    fn create_dir_all(&self, folder: &Path) -> io::Result<()>;

    /// Gives a file or folder another name, replacing a file that has it.
    ///
    /// # Errors
    /// As the system says.
    fn rename(&self, from: &Path, to: &Path) -> io::Result<()>;

    /// Removes a file, a link, or a folder with all that is in it.
    ///
    /// # Errors
    /// As the system says.
    fn remove(&self, path: &Path) -> io::Result<()>;

    /// Takes the kernel's lock on a file if nobody has it; the file is made when missing and never removed, for a lock
    /// belongs to the file and not to its name. `None` when another process has it.
    ///
    /// # Errors
    /// When the file cannot be opened or the file system knows no locks.
    fn try_lock(&self, path: &Path) -> io::Result<Option<Held>>;

    /// Writes a question to the person at the terminal and reads one line, past any redirection of the standard
    /// streams.
    ///
    /// # Errors
    /// When the process has no terminal.
    fn ask(&self, question: &str) -> io::Result<String>;
}

/// A file that was opened for reading piecewise.
pub trait OpenFile {
    /// How many bytes it had when it was opened.
    fn length(&self) -> u64;

    /// `length` bytes from byte `offset` on.
    ///
    /// # Errors
    /// As the system says; [`io::ErrorKind::UnexpectedEof`] when there are not so many.
    fn bytes(&self, offset: u64, length: usize) -> io::Result<Vec<u8>>;
}

/// Memory as a file.
impl OpenFile for Vec<u8> {
    fn length(&self) -> u64 {
        self.len() as u64
    }

    fn bytes(&self, offset: u64, length: usize) -> io::Result<Vec<u8>> {
        let start = usize::try_from(offset).ok();
        let piece = start.and_then(|start| self.get(start..start.checked_add(length)?));
        piece.map(<[u8]>::to_vec).ok_or_else(|| io::ErrorKind::UnexpectedEof.into())
    }
}

/// What stands at a path.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Entry {
    /// Nothing.
    Nothing,
    /// Nobody knows: the system does not let it be seen.
    Unseen,
    /// A plain file.
    File,
    /// A folder.
    Folder,
    /// A symbolic link, wherever it leads.
    Link,
    /// A pipe, a device, a socket.
    Other,
}

/// A lock that is held; dropping it, or dying, releases it.
#[derive(Debug)]
pub struct Held {
    _guard: Box<dyn std::any::Any>,
}

impl Held {
    /// Wraps what releases the lock when dropped.
    #[must_use]
    pub fn new(guard: impl std::any::Any) -> Self {
        Self { _guard: Box::new(guard) }
    }
}
