//! Where a project keeps what forge remembers. The only place that spells these names.

use std::path::{Path, PathBuf};

/// The files of one project.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Paths {
    forge: PathBuf,
}

impl Paths {
    /// The files of the project whose root this is: the folder that holds `.forge/`.
    #[must_use]
    pub fn new(root: &Path) -> Self {
        Self { forge: root.join(".forge") }
    }

    /// `.forge/`.
    #[must_use]
    pub fn forge(&self) -> &Path {
        &self.forge
    }

    /// The compiled program.
    #[must_use]
    pub fn program(&self) -> PathBuf {
        self.forge.join("compiled/program.fbc")
    }

    /// The project's word on events that cannot be judged, beside the program that may be what is broken.
    #[must_use]
    pub fn on_error(&self) -> PathBuf {
        self.forge.join("compiled/on_error")
    }

    /// Prices the project added, as the hook reads them, beside the program.
    #[must_use]
    pub fn prices(&self) -> PathBuf {
        self.forge.join("compiled/prices")
    }

    /// What the last compile told, beside the program.
    #[must_use]
    pub fn told(&self) -> PathBuf {
        self.forge.join("compiled/told")
    }

    /// The folder of what is known of watched sessions.
    #[must_use]
    pub fn signals(&self) -> PathBuf {
        self.runtime().join("signals")
    }

    /// The folder of what changes with every event; not in git.
    #[must_use]
    pub fn runtime(&self) -> PathBuf {
        self.forge.join("runtime")
    }

    /// The sessions.
    #[must_use]
    pub fn state(&self) -> PathBuf {
        self.forge.join("runtime/state.json")
    }

    /// The file whose lock guards the sessions and the audit log. Empty, and never removed.
    #[must_use]
    pub fn lock(&self) -> PathBuf {
        self.forge.join("runtime/lock")
    }

    /// The lock of older tools: a folder with a `pid` file.
    #[must_use]
    pub fn legacy_lock(&self) -> PathBuf {
        self.forge.join("runtime/state.lock")
    }

    /// The folder of what is kept for good; in git.
    #[must_use]
    pub fn audit(&self) -> PathBuf {
        self.forge.join("audit")
    }

    /// The overridden blocks, one a line.
    #[must_use]
    pub fn overrides_log(&self) -> PathBuf {
        self.forge.join("audit/overrides.log")
    }

    /// The digests of that log's lines.
    #[must_use]
    pub fn overrides_chain(&self) -> PathBuf {
        self.forge.join("audit/overrides.chain")
    }

    /// What git is told about all this.
    #[must_use]
    pub fn gitignore(&self) -> PathBuf {
        self.forge.join(".gitignore")
    }
}
