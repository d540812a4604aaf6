//! The rules one event is judged by: the compiled program while it is what the sources say, else the sources, compiled in
//! memory; which of them is told.

use super::super::{compile, project};
use super::EventArguments;
use crate::bytecode::{Verified, container, verify};
use crate::error::{Error, ErrorKind, Result};
use crate::hook;
use crate::host::Host;
use crate::limits;
use crate::lower::lower;
use crate::store::Paths;
use std::io;
use std::path::PathBuf;

/// The rules.
pub(super) struct Loaded {
    pub(super) rules: Verified<'static>,
    pub(super) paths: Paths,
    /// The project's folder.
    pub(super) root: PathBuf,
    /// What the reader must know about them.
    pub(super) notes: Vec<String>,
}

/// Loads the rules of the project that an event from `cwd` belongs to.
///
/// # Errors
/// When there is neither a usable program nor sources that compile.
pub(super) fn load(host: &dyn Host, arguments: &EventArguments, cwd: Option<&str>) -> Result<Loaded> {
    let root = match arguments.root() {
        Some(root) => project::root(host, Some(root))?,
        None => hook::find_root(host, cwd).map_or_else(|| project::root(host, None), Ok::<PathBuf, Error>)?,
    };
    let paths = Paths::new(&root);
    let path = paths.program();
    let bytes = match host.read(&path, limits::PROGRAM_BYTES) {
        // One event is judged, then the process ends: the rules may borrow from bytes that are never freed.
        Ok(bytes) => Some(&*bytes.leak()),
        Err(error) if error.kind() == io::ErrorKind::NotFound => None,
        Err(error) => return Err(Error::io("read the compiled program", &path, error)),
    };
    let sources = project::sources(host, &root)?;
    let digest = project::digest(&sources);
    let has_sources = sources.iter().next().is_some();
    let compiled = bytes.map(|bytes: &'static [u8]| container::sources(bytes));
    let is_fresh = matches!(&compiled, Some(Ok(compiled)) if *compiled == digest);
    if let Some(bytes) = bytes.filter(|_| is_fresh || arguments.is_compiled() || !has_sources) {
        let rules = container::read(bytes).map_err(|error| error.at(&path))?;
        let rules = verify(rules).map_err(Error::from).map_err(|error| error.at(&path))?;
        let mut notes = Vec::new();
        if !is_fresh && has_sources {
            notes.push("the sources have changed since they were compiled; this is the compiled program".to_owned());
        }
        return Ok(Loaded { rules, paths, root, notes });
    }
    if arguments.is_compiled() {
        return Err(Error::new(ErrorKind::NoProgram, "there is no compiled program; run `forge compile`").at(&path));
    }
    let note = match compiled {
        None => "there is no compiled program, so nothing is enforced; judged by the sources",
        Some(Ok(_)) => {
            "the sources have changed since they were compiled; judged by the sources, while the hook still enforces \
             the compiled program (--compiled shows it)"
        }
        Some(Err(_)) => "the compiled program cannot be used, so nothing is enforced; judged by the sources",
    };
    let (checked, _) = compile::check(&sources).map_err(|problems| {
        let errors = problems.iter().filter(|problem| problem.is_error()).count();
        let what = format!("the behaviors do not compile ({errors} errors); `forge compile --validate` lists them");
        Error::new(ErrorKind::Usage, what)
    })?;
    let lowered = lower(&checked, digest).map_err(|excess| Error::new(ErrorKind::Usage, excess.to_string()))?;
    let rules = verify(lowered.program)?;
    Ok(Loaded { rules, paths, root, notes: vec![note.to_owned()] })
}
