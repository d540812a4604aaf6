//! The project's behaviors as its files say them: what is listed, what the files mean as far as they can be read, and
//! the name a mistyped one was probably meant for.

use crate::cli::project;
use crate::diagnostic::{self, Diagnostic, Sources, nearest};
use crate::error::{Error, ErrorKind, Result};
use crate::host::Host;
use crate::model::{Behavior, Catalogue};
use crate::yaml;
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

/// A project's files, read once.
pub(in crate::cli) struct Files {
    /// The project's folder.
    pub(in crate::cli) root: PathBuf,
    /// Their bytes.
    pub(in crate::cli) sources: Sources,
    /// What they mean. Behaviors that cannot be read are missing.
    pub(in crate::cli) catalogue: Catalogue,
    /// What is wrong with them.
    pub(in crate::cli) problems: Vec<Diagnostic>,
}

impl Files {
    /// Reads a project: the one given, or the nearest upward.
    ///
    /// # Errors
    /// When there is none, or a file cannot be read.
    pub(in crate::cli) fn read(host: &dyn Host, root: Option<&Path>) -> Result<Self> {
        let root = project::root(host, root)?;
        let sources = project::sources(host, &root)?;
        let (catalogue, problems) = yaml::load(&sources);
        Ok(Self { root, sources, catalogue, problems })
    }

    /// The behavior of this name, when its file could be read.
    pub(in crate::cli) fn behavior(&self, id: &str) -> Option<&Behavior> {
        self.catalogue.behaviors.iter().find(|behavior| behavior.id.value == id)
    }

    /// The names of all behaviors that can be read or have a file.
    fn names(&self) -> BTreeSet<&str> {
        let folders = self.sources.iter().filter_map(|(_, source)| {
            source.name.strip_prefix("behaviors/").and_then(|name| name.strip_suffix("/behavior.yaml"))
        });
        folders.chain(self.catalogue.behaviors.iter().map(|behavior| behavior.id.value.as_str())).collect()
    }

    /// Fine when there is a behavior of this name.
    ///
    /// # Errors
    /// When there is none; names the nearest.
    pub(in crate::cli) fn need(&self, id: &str) -> Result<()> {
        let names = self.names();
        if names.contains(id) {
            return Ok(());
        }
        let remedy = match (nearest(id, names.iter().copied()), names.is_empty()) {
            (Some(near), _) => format!("did you mean `{near}`?"),
            (None, false) => String::from("`forge behavior list` names them all"),
            (None, true) => format!("there are none yet; `forge new {id}` makes it"),
        };
        Err(Error::new(ErrorKind::Usage, format!("there is no behavior `{id}`; {remedy}")))
    }

    /// What keeps one file from being read, told as `forge compile` tells it.
    pub(in crate::cli) fn told(&self, file: &str, colour: bool) -> String {
        let Some((id, _)) = self.sources.find(file) else { return String::new() };
        let is_about =
            |problem: &&Diagnostic| problem.is_error() && problem.place.is_some_and(|place| place.file == id);
        let problems: Vec<Diagnostic> = self.problems.iter().filter(is_about).cloned().collect();
        diagnostic::human(&problems, &self.sources, colour)
    }
}
