//! Files that hold what a stage is expected to give. `BLESS=1 cargo test` writes them anew.

use std::path::{Path, PathBuf};

/// A path below the repository.
pub(crate) fn path(relative: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join(relative)
}

/// That a file of the repository is what `actual` says it should be.
pub(crate) fn check(file: &Path, actual: &str) {
    if std::env::var_os("BLESS").is_some() {
        std::fs::write(file, actual).unwrap();
        return;
    }
    let expected = std::fs::read_to_string(file).unwrap_or_default().replace("\r\n", "\n");
    assert!(expected == actual, "{} should be (BLESS=1 rewrites it):\n{actual}", file.display());
}
