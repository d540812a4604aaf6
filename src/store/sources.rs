//! The digest of a project's sources: decides whether a compiled program is still what they say.
//! Reads the files' bytes and never parses them, so that the hook can do it too.

use super::digest;
use crate::host::{Entry, Host};
use crate::limits;
use std::io;
use std::path::Path;

/// SHA-256 over the name, length and bytes of every source, sorted by name: `behaviors/index.yaml`, each
/// `behaviors/<id>/behavior.yaml`, `.forge/config.yaml`. A missing file is left out.
///
/// # Errors
/// When a file that is there cannot be read.
pub fn sources_digest(host: &dyn Host, root: &Path) -> io::Result<[u8; 32]> {
    let mut folders = match host.list(&root.join("behaviors")) {
        Ok(names) => names,
        Err(error) if error.kind() == io::ErrorKind::NotFound => Vec::new(),
        Err(error) => return Err(error),
    };
    folders.sort();
    let behaviors = folders.iter().map(|folder| format!("behaviors/{folder}/behavior.yaml"));
    let names = [".forge/config.yaml".to_owned(), "behaviors/index.yaml".to_owned()].into_iter().chain(behaviors);
    // Another version of forge may make another program of the same sources.
    let mut described = env!("CARGO_PKG_VERSION").as_bytes().to_vec();
    for name in names {
        let path = root.join(&name);
        if host.entry(&path) == Entry::Nothing {
            continue;
        }
        let bytes = host.read(&path, limits::YAML_BYTES)?;
        for part in [name.as_bytes(), bytes.as_slice()] {
            described.extend_from_slice(&(part.len() as u64).to_le_bytes());
            described.extend_from_slice(part);
        }
    }
    Ok(digest::sha256(&described))
}
