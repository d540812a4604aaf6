//! What only the author's tool asks of the machine: files of other programs, its own place, permissions.
//! Beside [`Host`](super::Host), not in it: the hook needs none of this, and nothing here decides anything.
#![allow(clippy::disallowed_methods, reason = "this is a place they are meant for")]

use std::ffi::OsString;
use std::fs::{self, File};
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};

/// Whether anything stands at a path, links followed.
#[must_use]
pub fn exists(path: &Path) -> bool {
    path.exists()
}

/// Replaces the text of a file that belongs to someone else: at the end of a link instead of the link, with the mode
/// (and, where that is allowed, the owner) it had. At every instant the file holds the old bytes or the new ones.
///
/// # Errors
/// As the system says; then the old file is untouched and no temporary file is left.
pub fn rewrite(path: &Path, bytes: &[u8]) -> io::Result<()> {
    let place = if path.is_symlink() { fs::canonicalize(path)? } else { path.to_path_buf() };
    let mut name = place.file_name().map_or_else(OsString::new, OsString::from);
    name.push(format!(".forge-{}", std::process::id()));
    let temporary = place.with_file_name(name);
    let written = File::create_new(&temporary).and_then(|mut file| {
        if let Ok(about) = fs::metadata(&place) {
            file.set_permissions(about.permissions())?;
            platform::keep_owner(&temporary, &about);
        }
        file.write_all(bytes)?;
        file.sync_all()?;
        fs::rename(&temporary, &place)
    });
    if written.is_err() {
        // Best effort: the error that is reported is the one that came first.
        let _ = fs::remove_file(&temporary);
    }
    written
}

/// Reads a file that a person names: a pipe as well, such as the shell makes of `<(…)`. Not more than `limit` bytes.
///
/// # Errors
/// As the system says, and when there is more.
pub fn read_stream(path: &Path, limit: usize) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    File::open(path)?.take(limit as u64 + 1).read_to_end(&mut bytes)?;
    if bytes.len() > limit { Err(io::ErrorKind::FileTooLarge.into()) } else { Ok(bytes) }
}

/// What the names of programs end with here: `.exe` on Windows, nothing elsewhere.
pub const EXE_SUFFIX: &str = std::env::consts::EXE_SUFFIX;

/// The program that runs now.
///
/// # Errors
/// When the system does not tell.
pub fn this_program() -> io::Result<PathBuf> {
    std::env::current_exe()
}

/// Another program of this package: the file of that name beside the one that runs now, whether it is there or not.
///
/// # Errors
/// When the system does not tell where this one is.
pub fn sibling(name: &str) -> io::Result<PathBuf> {
    Ok(this_program()?.with_file_name(format!("{name}{}", std::env::consts::EXE_SUFFIX)))
}

/// The folder for things that may vanish.
#[must_use]
pub fn temporary_folder() -> PathBuf {
    std::env::temp_dir()
}

/// Who may do what with a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Access {
    /// Whether everybody on the machine may change it. Never known on Windows, whose rights are lists.
    pub everyone_writes: bool,
    /// Whether it can be started.
    pub can_run: bool,
}

/// Who may do what with the file at a path.
///
/// # Errors
/// As the system says.
pub fn access(path: &Path) -> io::Result<Access> {
    Ok(platform::access(&fs::metadata(path)?))
}

/// The absolute form of a path, links resolved.
///
/// # Errors
/// When nothing is there.
pub fn resolved(path: &Path) -> io::Result<PathBuf> {
    fs::canonicalize(path)
}

#[cfg(unix)]
mod platform {
    use super::Access;
    use std::fs::Metadata;
    use std::os::unix::fs::{MetadataExt, PermissionsExt, chown};
    use std::path::Path;

    pub(super) fn keep_owner(path: &Path, about: &Metadata) {
        // Only root may give files away; everybody else owns what they may replace, or is content to own it now.
        let _ = chown(path, Some(about.uid()), Some(about.gid()));
    }

    pub(super) fn access(about: &Metadata) -> Access {
        let mode = about.permissions().mode();
        Access { everyone_writes: mode & 0o002 != 0, can_run: about.is_file() && mode & 0o111 != 0 }
    }
}

#[cfg(not(unix))]
mod platform {
    use super::Access;
    use std::fs::Metadata;
    use std::path::Path;

    pub(super) fn keep_owner(_path: &Path, _about: &Metadata) {}

    pub(super) fn access(about: &Metadata) -> Access {
        Access { everyone_writes: false, can_run: about.is_file() }
    }
}
