//! A project as the author's commands see it: where it is and what its sources are.
//! Reads through `Host`; understands nothing of what it reads.

use crate::diagnostic::{Source, Sources};
use crate::error::{Error, ErrorKind, Result};
use crate::host::Host;
use crate::shell::Shell;
use crate::store::{self, SourceFile};
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
            let what = "no `behaviors/` here or in a folder above; set a project up with `forge init`, or name one with `--root`";
            Error::new(ErrorKind::Usage, what).at(&here)
        })
}

/// All sources of a project that are there.
///
/// # Errors
/// When one of them is there and cannot be read.
pub(super) fn sources(host: &dyn Host, root: &Path) -> Result<Sources> {
    let source = |file: SourceFile| match file.bytes {
        Some(bytes) => Source::new(file.name, bytes),
        None => Source::too_large(file.name),
    };
    Ok(Sources::new(store::source_files(host, root)?.into_iter().map(source).collect()))
}

/// The digest of the sources, as the hook makes it too.
pub(super) fn digest(sources: &Sources) -> [u8; 32] {
    store::sources_digest(sources.iter().map(|(_, source)| (source.name.as_str(), source.bytes.as_slice())))
}

/// What to type to compile the rules of a folder, wherever one stands.
pub(super) fn compile_command(root: &Path) -> String {
    format!("forge compile --root {}", Shell::NATIVE.word(&root.to_string_lossy()))
}

/// A path as people name it: relative to the project where it is in there.
pub(super) fn shown(path: &Path, root: &Path) -> String {
    path.strip_prefix(root).unwrap_or(path).display().to_string()
}
