//! The sources of a project as bytes: which files they are, and the digest that tells whether a compiled program is
//! still what they say. Understands nothing of what it reads, so that the hook can ask too.

use crate::error::{Error, Result};
use crate::host::{Entry, Host};
use crate::limits;
use sha2::{Digest, Sha256};
use std::io;
use std::path::Path;

/// One source.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SourceFile {
    /// Relative to the project, with `/`.
    pub name: String,
    /// `None` when it is larger than any source may be.
    pub bytes: Option<Vec<u8>>,
}

/// All sources that are there, by name: the config file, the price list, the index, every `behaviors/*/behavior.yaml`.
///
/// # Errors
/// When one of them is there and cannot be read.
pub fn source_files(host: &dyn Host, root: &Path) -> Result<Vec<SourceFile>> {
    let folder = root.join("behaviors");
    let mut names = match host.list(&folder) {
        Err(error) if is_absent(&error) => Vec::new(),
        listed => listed.map_err(|error| Error::io("list the behaviors", &folder, error))?,
    };
    names.retain(|name| host.entry(&folder.join(name)) != Entry::File);
    let behaviors = names.iter().map(|name| format!("behaviors/{name}/behavior.yaml"));
    let names = [".forge/config.yaml", ".forge/prices.yaml", "behaviors/index.yaml"].map(str::to_owned);
    let names = names.into_iter().chain(behaviors);
    let mut files = Vec::new();
    for name in names {
        let path = root.join(&name);
        match host.read(&path, limits::YAML_BYTES) {
            Ok(bytes) => files.push(SourceFile { name, bytes: Some(bytes) }),
            Err(error) if error.kind() == io::ErrorKind::FileTooLarge => files.push(SourceFile { name, bytes: None }),
            Err(error) if is_absent(&error) => {}
            Err(error) => return Err(Error::io("read", &path, error)),
        }
    }
    files.sort_by(|one, other| one.name.cmp(&other.name));
    Ok(files)
}

fn is_absent(error: &io::Error) -> bool {
    matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory)
}

impl SourceFile {
    /// What the digest sees of it.
    #[must_use]
    pub fn digested(&self) -> (&str, &[u8]) {
        (&self.name, self.bytes.as_deref().unwrap_or_default())
    }
}

/// SHA-256 over forge's version and the name, length and bytes of each source: it changes whenever the program could.
#[must_use]
pub fn sources_digest<'a>(files: impl Iterator<Item = (&'a str, &'a [u8])>) -> [u8; 32] {
    let mut hash = Sha256::new();
    hash.update(env!("CARGO_PKG_VERSION"));
    for (name, bytes) in files {
        for part in [name.as_bytes(), bytes] {
            hash.update((part.len() as u64).to_le_bytes());
            hash.update(part);
        }
    }
    hash.finalize().into()
}
