//! The log of overridden blocks: append-only, kept in git, one line each, with the chain that shows changes beside it.
//! Uses the host; writes with the state's lock held, so that lines come in the order of their events.

use super::chain::{self, Finding};
use super::links::refuse_links;
use super::paths::Paths;
use crate::error::{Error, Result};
use crate::host::Host;
use crate::limits;
use std::io;
use std::path::Path;

/// What can be said of the log.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Verification {
    /// How many lines it has.
    pub lines: usize,
    /// Whether there is a chain to compare it with; there is none before the first override that this forge recorded.
    pub is_chained: bool,
    /// What differs, by kind and line.
    pub findings: Vec<Finding>,
}

/// Compares the log with its chain.
///
/// # Errors
/// When one of the two is there and cannot be read.
pub fn verify(host: &dyn Host, paths: &Paths) -> Result<Verification> {
    let log = log(host, paths)?;
    let chain = read(host, &paths.overrides_chain())?;
    let findings = chain::compare(&chain, &log);
    Ok(Verification {
        lines: log.split_terminator('\n').count(),
        is_chained: !chain::whole(&chain).is_empty(),
        findings,
    })
}

/// The log's text, nothing when there is none.
///
/// # Errors
/// When it is there and cannot be read.
pub(super) fn log(host: &dyn Host, paths: &Paths) -> Result<String> {
    read(host, &paths.overrides_log())
}

fn read(host: &dyn Host, path: &Path) -> Result<String> {
    text(host, path).map_err(|error| Error::io("read the audit log", path, error))
}

/// Adds a line, given without its newline, and has it reach the disk; then its digest. A crash between the two leaves
/// a line that [`verify`] names but does not call a change.
///
/// # Errors
/// When the line, or its digest, could not be written.
pub(super) fn append(host: &dyn Host, paths: &Paths, line: &str) -> io::Result<()> {
    refuse_links(host, &paths.audit())?;
    host.create_dir_all(&paths.audit())?;
    let (log_path, chain_path) = (paths.overrides_log(), paths.overrides_chain());
    let log = text(host, &log_path)?;
    let torn = text(host, &chain_path)?;
    let mut chain = chain::whole(&torn).to_owned();
    if chain != torn {
        host.write_atomic(&chain_path, chain.as_bytes())?;
    }
    let missing = chain::missing(&chain, &log);
    if !missing.is_empty() {
        host.append(&chain_path, missing.as_bytes())?;
        chain.push_str(&missing);
    }
    // A line that a full disk cut short stays a line of its own.
    let newline = if log.is_empty() || log.ends_with('\n') { "" } else { "\n" };
    host.append(&log_path, format!("{newline}{line}\n").as_bytes())?;
    host.append(&chain_path, chain::extension(&chain, &[line], "").as_bytes())
}

/// A file's text, nothing when it is missing. Bytes that are no text cannot come from us; their line will not fit.
fn text(host: &dyn Host, path: &Path) -> io::Result<String> {
    match host.read(path, limits::AUDIT_BYTES) {
        Ok(bytes) => Ok(String::from_utf8_lossy(&bytes).into_owned()),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(String::new()),
        Err(error) => Err(error),
    }
}
