//! A project as the author's commands see it: where it is, what its sources are, and the digest that tells whether they
//! changed. Reads through `Host`; understands nothing of what it reads.

use crate::bytecode::container;
use crate::diagnostic::{Source, Sources};
use crate::error::{Error, ErrorKind, Result};
use crate::host::{Entry, Host};
use crate::{limits, yaml};
use sha2::{Digest, Sha256};
use std::io;
use std::path::{Path, PathBuf};

/// The project's folder: the one given, or the nearest from here upward that has `behaviors/` or `.forge/` in it.
///
/// # Errors
/// When there is none.
pub(super) fn root(host: &dyn Host, given: Option<&Path>) -> Result<PathBuf> {
    if let Some(given) = given {
        return match host.list(given) {
            Ok(_) => Ok(given.to_path_buf()),
            Err(error) => Err(Error::io("open the project", given, error)),
        };
    }
    let here = host.current_dir().map_err(|error| Error::io("name the current folder", Path::new("."), error))?;
    let is_folder = |path: &Path| host.list(path).is_ok();
    here.ancestors()
        .find(|folder| is_folder(&folder.join("behaviors")) || is_folder(&folder.join(".forge")))
        .map(Path::to_path_buf)
        .ok_or_else(|| {
            let what = "no `behaviors/` here or in a folder above; change into the project or name it with `--root`";
            Error::new(ErrorKind::Usage, what).at(&here)
        })
}

/// All sources of a project that are there: the index, every `behaviors/*/behavior.yaml`, the config file.
///
/// # Errors
/// When one of them is there and cannot be read.
pub(super) fn sources(host: &dyn Host, root: &Path) -> Result<Sources> {
    let mut files = Vec::new();
    files.extend(source(host, root, yaml::CONFIG.to_owned())?);
    files.extend(source(host, root, yaml::INDEX.to_owned())?);
    let folder = root.join("behaviors");
    let names = match host.list(&folder) {
        Err(error) if is_absent(&error) => Vec::new(),
        listed => listed.map_err(|error| Error::io("list the behaviors", &folder, error))?,
    };
    for name in names {
        if host.entry(&folder.join(&name)) != Entry::File {
            files.extend(source(host, root, yaml::behavior_file(&name))?);
        }
    }
    Ok(Sources::new(files))
}

fn source(host: &dyn Host, root: &Path, name: String) -> Result<Option<Source>> {
    let path = root.join(&name);
    match host.read(&path, limits::YAML_BYTES) {
        Ok(bytes) => Ok(Some(Source::new(name, bytes))),
        Err(error) if error.kind() == io::ErrorKind::FileTooLarge => Ok(Some(Source::too_large(name))),
        Err(error) if is_absent(&error) => Ok(None),
        Err(error) => Err(Error::io("read", &path, error)),
    }
}

fn is_absent(error: &io::Error) -> bool {
    matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory)
}

/// SHA-256 over the names, lengths and bytes of all sources in order of their names, and the version of the format they
/// are compiled to: it changes exactly when the program could.
pub(super) fn digest(sources: &Sources) -> [u8; 32] {
    let mut hash = Sha256::new();
    hash.update(container::FORMAT.to_le_bytes());
    for (_, source) in sources.iter() {
        for part in [source.name.as_bytes(), &source.bytes] {
            hash.update((part.len() as u64).to_le_bytes());
            hash.update(part);
        }
    }
    hash.finalize().into()
}
