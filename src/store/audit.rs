//! The log of overridden blocks: append-only, kept in git, one line each.
//! Uses the host; called with the state's lock held, so that lines come in the order of their events.

use super::paths::Paths;
use crate::host::Host;
use std::io;

/// Adds one line, newline included, and has it reach the disk.
pub(super) fn append(host: &dyn Host, paths: &Paths, line: &str) -> io::Result<()> {
    host.create_dir_all(&paths.audit())?;
    host.append(&paths.overrides_log(), line.as_bytes())
}
