//! The real machine. The only file of the crate that names `std::fs`, `std::env` and the clocks.
//! Never follows a link at a name it writes to.
#![allow(clippy::disallowed_methods, reason = "this is the one place they are meant for")]

use super::{Entry, Held, Host, OpenFile};
use crate::model::Timestamp;
use std::ffi::OsString;
use std::fs::{File, OpenOptions, TryLockError};
use std::io::{self, BufRead, Read, Seek, Write};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant, SystemTime};

/// The operating system.
#[derive(Clone, Copy, Debug)]
pub struct OsHost {
    start: Instant,
}

impl OsHost {
    /// The machine this process runs on.
    #[must_use]
    pub fn new() -> Self {
        Self { start: Instant::now() }
    }
}

impl Default for OsHost {
    fn default() -> Self {
        Self::new()
    }
}

impl Host for OsHost {
    fn now(&self) -> Timestamp {
        timestamp(SystemTime::now())
    }

    fn uptime(&self) -> Duration {
        self.start.elapsed()
    }

    fn sleep(&self, time: Duration) {
        std::thread::sleep(time);
    }

    fn env(&self, name: &str) -> Option<String> {
        std::env::var(name).ok().filter(|value| !value.is_empty())
    }

    fn env_names(&self, prefix: &str) -> Vec<String> {
        let set = std::env::vars_os().filter(|(_, value)| !value.is_empty());
        set.filter_map(|(name, _)| name.into_string().ok()).filter(|name| name.starts_with(prefix)).collect()
    }

    fn ancestors_env_names(&self) -> Vec<String> {
        platform::ancestors_env_names()
    }

    fn current_dir(&self) -> io::Result<PathBuf> {
        std::env::current_dir()
    }

    fn parent_pid(&self) -> u32 {
        platform::parent_pid()
    }

    fn is_running(&self, pid: u32) -> bool {
        platform::is_running(pid)
    }

    fn read(&self, path: &Path, limit: usize) -> io::Result<Vec<u8>> {
        let file = open_without_waiting(path)?;
        let length = file.metadata()?.len();
        if length > u64::try_from(limit).unwrap_or(u64::MAX) {
            return Err(io::ErrorKind::FileTooLarge.into());
        }
        let mut bytes = Vec::with_capacity(usize::try_from(length).unwrap_or(0));
        file.take(length).read_to_end(&mut bytes)?;
        Ok(bytes)
    }

    fn open(&self, path: &Path) -> io::Result<Box<dyn OpenFile>> {
        let file = open_without_waiting(path)?;
        let about = file.metadata()?;
        if !about.is_file() {
            return Err(not_ours("not a plain file"));
        }
        let length = about.len();
        Ok(Box::new(Opened { file, length }))
    }

    fn read_at(&self, path: &Path, offset: u64, limit: usize) -> io::Result<Vec<u8>> {
        let mut file = open_without_waiting(path)?;
        let left = file.metadata()?.len().saturating_sub(offset);
        file.seek(io::SeekFrom::Start(offset))?;
        let mut bytes = Vec::new();
        file.take(left.min(u64::try_from(limit).unwrap_or(u64::MAX))).read_to_end(&mut bytes)?;
        Ok(bytes)
    }

    fn length(&self, path: &Path) -> io::Result<u64> {
        Ok(path.metadata()?.len())
    }

    fn entry(&self, path: &Path) -> Entry {
        match path.symlink_metadata() {
            Err(error) if is_absence(&error) => Entry::Nothing,
            Err(_) => Entry::Unseen,
            Ok(about) if about.is_symlink() => Entry::Link,
            Ok(about) if about.is_dir() => Entry::Folder,
            Ok(about) if about.is_file() => Entry::File,
            Ok(_) => Entry::Other,
        }
    }

    fn modified(&self, path: &Path) -> io::Result<Timestamp> {
        Ok(timestamp(path.symlink_metadata()?.modified()?))
    }

    fn list(&self, folder: &Path) -> io::Result<Vec<String>> {
        let mut names = Vec::new();
        for entry in std::fs::read_dir(folder)? {
            names.extend(entry?.file_name().into_string().ok());
        }
        Ok(names)
    }

    fn write_atomic(&self, path: &Path, bytes: &[u8]) -> io::Result<()> {
        let temporary = beside(path, ".tmp");
        let written = create_fresh(&temporary)
            .and_then(|mut file| file.write_all(bytes))
            .and_then(|()| std::fs::rename(&temporary, path));
        if written.is_err() {
            // Best effort: the error that is reported is the one that came first.
            let _ = std::fs::remove_file(&temporary);
        }
        written
    }

    #[cfg(target_os = "linux")]
    fn write_over(&self, path: &Path, pieces: &[&[u8]]) -> io::Result<()> {
        super::exchange::write_over(path, pieces)
    }

    fn append(&self, path: &Path, bytes: &[u8]) -> io::Result<()> {
        let mut options = OpenOptions::new();
        options.append(true);
        let (mut file, is_new) = open_or_create(path, &options)?;
        if is_new {
            platform::readable_by_all(&file)?;
        } else if platform::has_other_names(&file.metadata()?) {
            return Err(not_ours("the file has other names too (hard links), and what they are for is not known"));
        }
        // `write_all` would be several writes when the first one is short; a short write is an error here, for a line
        // in two pieces could have another process's line between them.
        let written = file.write(bytes)?;
        if written != bytes.len() {
            return Err(io::ErrorKind::StorageFull.into());
        }
        file.sync_data()
    }

    fn create_dir_all(&self, folder: &Path) -> io::Result<()> {
        std::fs::create_dir_all(folder)
    }

    fn rename(&self, from: &Path, to: &Path) -> io::Result<()> {
        std::fs::rename(from, to)
    }

    fn remove(&self, path: &Path) -> io::Result<()> {
        if self.entry(path) == Entry::Folder { std::fs::remove_dir_all(path) } else { std::fs::remove_file(path) }
    }

    fn try_lock(&self, path: &Path) -> io::Result<Option<Held>> {
        let mut options = OpenOptions::new();
        options.read(true).write(true);
        let file = match open_or_create(path, &options) {
            Ok((file, _)) => file,
            // A lock file of someone else, or on a read-only disk, can still be locked; reading it is enough.
            Err(error) if error.kind() == io::ErrorKind::PermissionDenied => same_file(path, File::open(path)?)?,
            Err(error) => return Err(error),
        };
        match file.try_lock() {
            Ok(()) => Ok(Some(Held::new(file))),
            Err(TryLockError::WouldBlock) => Ok(None),
            Err(TryLockError::Error(error)) => Err(error),
        }
    }

    fn ask(&self, question: &str) -> io::Result<String> {
        let (input, mut output) = platform::terminal()?;
        output.write_all(question.as_bytes())?;
        output.flush()?;
        let mut line = String::new();
        io::BufReader::new(input).read_line(&mut line)?;
        Ok(line)
    }
}

/// A file of the system, read where it is asked for.
struct Opened {
    file: File,
    length: u64,
}

impl OpenFile for Opened {
    fn length(&self) -> u64 {
        self.length
    }

    fn bytes(&self, offset: u64, length: usize) -> io::Result<Vec<u8>> {
        // Through the file's cursor, which nobody else uses: that reads into memory nobody had to clear before.
        (&self.file).seek(io::SeekFrom::Start(offset))?;
        let mut bytes = Vec::with_capacity(length);
        (&self.file).take(length as u64).read_to_end(&mut bytes)?;
        if bytes.len() == length { Ok(bytes) } else { Err(io::ErrorKind::UnexpectedEof.into()) }
    }
}

/// Opens a file to read it. To open a pipe waits for its other end, and a terminal never ends: whoever put one at a name
/// of ours would hold every hook up, so that only plain files are opened, at the end of a link as well. Of those no more is
/// to be read than the length they had: some that the kernel makes up, such as `/proc/kmsg`, are plain files without a
/// length whose reader waits for news.
fn open_without_waiting(path: &Path) -> io::Result<File> {
    let about = path.metadata()?;
    if !about.is_file() && !about.is_dir() {
        return Err(not_ours("not a plain file"));
    }
    File::open(path)
}

/// Whether an error says that nothing is there, or that nothing can be, as opposed to what may not be seen.
fn is_absence(error: &io::Error) -> bool {
    use io::ErrorKind as Kind;
    matches!(error.kind(), Kind::NotFound | Kind::NotADirectory | Kind::InvalidInput | Kind::InvalidFilename)
}

pub(super) fn not_ours(what: &str) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidInput, what)
}

fn timestamp(time: SystemTime) -> Timestamp {
    let seconds = |time: Duration| i64::try_from(time.as_secs()).unwrap_or(i64::MAX);
    Timestamp(match time.duration_since(SystemTime::UNIX_EPOCH) {
        Ok(since) => seconds(since),
        Err(before) => seconds(before.duration()).saturating_neg(),
    })
}

/// The name of a file with an ending more: one per file, so that killed writers leave at most one behind.
pub(super) fn beside(path: &Path, ending: &str) -> PathBuf {
    let mut name = path.file_name().map_or_else(OsString::new, OsString::from);
    name.push(ending);
    path.with_file_name(name)
}

/// Creates a file that was not there; `create_new` never follows a link. A leftover is removed first.
pub(super) fn create_fresh(path: &Path) -> io::Result<File> {
    let create = || OpenOptions::new().write(true).create_new(true).open(path);
    match create() {
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {
            std::fs::remove_file(path)?;
            create()
        }
        made => made,
    }
}

/// Opens a file that is there or creates it, through no link; the flag says that it is new.
fn open_or_create(path: &Path, options: &OpenOptions) -> io::Result<(File, bool)> {
    if path.symlink_metadata().is_ok_and(|about| !about.is_file()) {
        return Err(not_ours(NOT_PLAIN));
    }
    match options.open(path) {
        Ok(file) => return Ok((same_file(path, file)?, false)),
        Err(error) if error.kind() == io::ErrorKind::NotFound => {}
        Err(error) => return Err(error),
    }
    match options.clone().create_new(true).open(path) {
        // Another process was faster; or a link leads nowhere, which opening it refuses again.
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {
            Ok((same_file(path, options.open(path)?)?, false))
        }
        made => Ok((made?, true)),
    }
}

/// Gives the file back when it is the plain file that stands at `path` itself, not the end of a link: the file behind
/// a link has another identity than the link. Checked after opening, so that nothing can be swapped in between.
fn same_file(path: &Path, file: File) -> io::Result<File> {
    let named = path.symlink_metadata()?;
    if named.is_file() && platform::is_same(&named, &file.metadata()?) {
        return Ok(file);
    }
    Err(not_ours(NOT_PLAIN))
}

const NOT_PLAIN: &str = "not a plain file; a link or device here is not written through";

#[cfg(unix)]
mod platform {
    use std::fs::{File, Metadata, OpenOptions, Permissions};
    use std::io;
    use std::os::unix::fs::{MetadataExt, PermissionsExt};
    use std::path::Path;
    use std::process::{Command, Stdio};

    pub(super) fn parent_pid() -> u32 {
        std::os::unix::process::parent_id()
    }

    pub(super) fn is_running(pid: u32) -> bool {
        if Path::new("/proc/self").exists() {
            return Path::new("/proc").join(pid.to_string()).exists();
        }
        // Systems without /proc (macOS): asked only when an older tool's lock folder is found, so a process is cheap.
        let mut ps = Command::new("/bin/ps");
        ps.args(["-p", &pid.to_string()]).stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
        ps.status().map_or(true, |status| status.success())
    }

    /// From /proc, which other users' processes and other systems than Linux leave empty.
    pub(super) fn ancestors_env_names() -> Vec<String> {
        let mut names = Vec::new();
        let mut pid = Some(parent_pid());
        // More generations than any shell has; a bound in case numbers are reused while we look.
        for _ in 0..64 {
            let Some(folder) = pid.filter(|pid| *pid > 1).map(|pid| Path::new("/proc").join(pid.to_string())) else {
                break;
            };
            let environment = std::fs::read(folder.join("environ")).unwrap_or_default();
            let variables = environment.split(|byte| *byte == 0).map(String::from_utf8_lossy);
            names.extend(variables.filter_map(|variable| Some(variable.split_once('=')?.0.to_owned())));
            let status = std::fs::read_to_string(folder.join("status")).unwrap_or_default();
            pid = status.lines().find_map(|line| line.strip_prefix("PPid:")?.trim().parse().ok());
        }
        names
    }

    pub(super) fn readable_by_all(file: &File) -> io::Result<()> {
        file.set_permissions(Permissions::from_mode(0o644))
    }

    pub(super) fn is_same(one: &Metadata, other: &Metadata) -> bool {
        (one.dev(), one.ino()) == (other.dev(), other.ino())
    }

    pub(super) fn has_other_names(about: &Metadata) -> bool {
        about.nlink() > 1
    }

    pub(super) fn terminal() -> io::Result<(File, File)> {
        let terminal = OpenOptions::new().read(true).write(true).open("/dev/tty")?;
        Ok((terminal.try_clone()?, terminal))
    }
}

#[cfg(windows)]
mod platform {
    use std::fs::{File, Metadata, OpenOptions};
    use std::io;
    use std::os::windows::fs::MetadataExt;
    use std::process::Command;

    /// Windows tells a process's parent only through calls that need `unsafe`.
    pub(super) fn parent_pid() -> u32 {
        0
    }

    pub(super) fn is_running(pid: u32) -> bool {
        let listed = Command::new("tasklist").args(["/NH", "/FO", "CSV", "/FI", &format!("PID eq {pid}")]).output();
        listed.map_or(true, |listed| String::from_utf8_lossy(&listed.stdout).contains(&format!("\"{pid}\"")))
    }

    pub(super) fn ancestors_env_names() -> Vec<String> {
        Vec::new()
    }

    pub(super) fn readable_by_all(_file: &File) -> io::Result<()> {
        Ok(())
    }

    /// The stable part of a file's identity that needs no `unsafe`: a link to another file differs in at least one.
    pub(super) fn is_same(one: &Metadata, other: &Metadata) -> bool {
        let identity = |about: &Metadata| (about.creation_time(), about.file_attributes());
        identity(one) == identity(other)
    }

    /// Only calls that need `unsafe` tell.
    pub(super) fn has_other_names(_about: &Metadata) -> bool {
        false
    }

    pub(super) fn terminal() -> io::Result<(File, File)> {
        let input = OpenOptions::new().read(true).write(true).open("CONIN$")?;
        Ok((input, OpenOptions::new().read(true).write(true).open("CONOUT$")?))
    }
}
