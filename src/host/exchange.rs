//! Writing a file over and over: into the file that stood there before, whose name is then exchanged with its own.
//! Uses `rustix` for the exchange; the other systems replace the file instead.
//!
//! To rename a new file over an old one makes ext4 find blocks for it at once and give the old ones back: a hundred
//! microseconds, at every event. Two files that take turns keep their blocks.
#![allow(clippy::disallowed_methods, reason = "a part of the one place they are meant for")]

use super::os::{beside, create_fresh, not_ours};
use rustix::fs::{CWD, OFlags, RenameFlags, renameat_with};
use std::borrow::Cow;
use std::fs::{File, OpenOptions};
use std::io::{self, Write};
use std::os::unix::fs::{MetadataExt, OpenOptionsExt};
use std::path::Path;

/// As [`write_over`](super::Host::write_over) says.
pub(super) fn write_over(path: &Path, pieces: &[&[u8]]) -> io::Result<()> {
    let previous = beside(path, ".previous");
    let written = fill(&previous, pieces).and_then(|()| {
        // Fails where there is no file yet, and on file systems that cannot do it.
        let exchanged = renameat_with(CWD, &previous, CWD, path, RenameFlags::EXCHANGE);
        exchanged.or_else(|_| std::fs::rename(&previous, path))
    });
    if written.is_err() {
        // Best effort: the error that is reported is the one that came first.
        let _ = std::fs::remove_file(&previous);
    }
    written
}

/// Gives a file these contents, keeping the blocks it has. What is no file of ours is removed first.
fn fill(path: &Path, pieces: &[&[u8]]) -> io::Result<()> {
    let (mut file, length) = match ours(path) {
        Ok(found) => found,
        Err(error) if error.kind() == io::ErrorKind::NotFound => (create_fresh(path)?, 0),
        Err(_) => {
            let is_folder = path.symlink_metadata().is_ok_and(|about| about.is_dir());
            if is_folder {
                std::fs::remove_dir_all(path)?
            } else {
                std::fs::remove_file(path)?
            }
            (create_fresh(path)?, 0)
        }
    };
    let mut written = 0;
    for piece in gathered(pieces) {
        file.write_all(&piece)?;
        written += piece.len() as u64;
    }
    // Cut afterwards: to empty it first would give its blocks away.
    if written < length { file.set_len(written) } else { Ok(()) }
}

/// The plain file of this one name, open for writing, and its length. Opened without following a link or waiting for
/// the other end of a pipe, and judged by what was opened.
fn ours(path: &Path) -> io::Result<(File, u64)> {
    let flags = OFlags::NOFOLLOW | OFlags::NONBLOCK;
    let file = OpenOptions::new().write(true).custom_flags(flags.bits().cast_signed()).open(path)?;
    let about = file.metadata()?;
    if about.is_file() && about.nlink() == 1 { Ok((file, about.len())) } else { Err(not_ours("not a file of ours")) }
}

/// The pieces, small neighbours together: a call of the system costs as much as to copy a few kilobytes.
fn gathered<'p>(pieces: &'p [&'p [u8]]) -> impl Iterator<Item = Cow<'p, [u8]>> {
    const SMALL: usize = 8 << 10;
    let is_small = |piece: &&[u8]| piece.len() <= SMALL;
    pieces.chunk_by(move |one, next| is_small(one) && is_small(next)).map(|run| match run {
        [piece] => Cow::Borrowed(*piece),
        run => Cow::Owned(run.concat()),
    })
}
