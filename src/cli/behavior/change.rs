//! Changes of a project's YAML: collected first, written when all of them can be made, and reported with what is to be
//! done next.

use super::files::Files;
use crate::cli::output::{say, stdout_is_terminal};
use crate::cli::{Exit, compile};
use crate::edit::{Edit, edited};
use crate::error::{Error, ErrorKind, Result};
use crate::host::{Host, machine};
use crate::limits;
use serde_json::json;
use std::collections::BTreeMap;
use std::fmt::Write;
use std::path::PathBuf;

/// Arguments of every command that edits the YAML.
#[derive(clap::Args)]
pub(super) struct Writing {
    /// The project's folder; without it, the nearest one upward that has `behaviors/` or `.forge/`
    #[arg(long, value_name = "DIR")]
    pub(super) root: Option<PathBuf>,
    /// Compile afterwards, so that it acts at once
    #[arg(long)]
    compile: bool,
    /// Print one JSON object
    #[arg(long, conflicts_with = "compile")]
    pub(super) json: bool,
}

/// One line of the report.
pub(super) struct Change {
    /// Which behavior.
    pub(super) behavior: String,
    /// What was so before; as `after` when nothing was to be changed.
    pub(super) before: String,
    /// What is so now.
    pub(super) after: String,
}

/// The new texts of files, not yet written.
pub(super) struct Plan<'f> {
    files: &'f Files,
    texts: BTreeMap<String, String>,
    changes: Vec<Change>,
}

impl<'f> Plan<'f> {
    pub(super) fn new(files: &'f Files) -> Self {
        Self { files, texts: BTreeMap::new(), changes: Vec::new() }
    }

    /// The text of a file as planned so far.
    ///
    /// # Errors
    /// When it is not there, or is no text.
    pub(super) fn text(&self, name: &str) -> Result<&str> {
        if let Some(text) = self.texts.get(name) {
            return Ok(text);
        }
        let source = self.files.sources.find(name).map(|(_, source)| source);
        let text = source.and_then(|source| std::str::from_utf8(&source.bytes).ok()).filter(|text| !text.is_empty());
        text.ok_or_else(|| {
            let what = "cannot be edited: it is missing, empty or not UTF-8; see `forge compile`";
            Error::new(ErrorKind::Usage, what).at(&self.files.root.join(name))
        })
    }

    /// Plans edits of a file.
    ///
    /// # Errors
    /// When one of them cannot be made without changing anything else.
    pub(super) fn edit(&mut self, name: &str, edits: &[Edit<'_>]) -> Result<()> {
        let text = edited(self.text(name)?, edits).map_err(|refused| {
            let place = refused.place();
            let what = format!("nothing was changed: {name}:{}:{}: {refused}", place.line.max(1), place.column.max(1));
            Error::new(ErrorKind::Content, what)
        })?;
        self.texts.insert(name.to_owned(), text);
        Ok(())
    }

    /// Adds a line to the report.
    pub(super) fn note(&mut self, change: Change) {
        self.changes.push(change);
    }

    /// Writes what was planned, compiles when asked to, and says all of it.
    ///
    /// # Errors
    /// When a file changed in the meantime or cannot be written.
    pub(super) fn finish(self, host: &dyn Host, arguments: &Writing) -> Result<Exit> {
        let written = self.write(host)?;
        if arguments.json {
            let changes: Vec<_> = self
                .changes
                .iter()
                .map(|it| json!({"behavior": it.behavior, "before": it.before, "after": it.after}))
                .collect();
            let report = json!({"changes": changes, "files": written, "compiled": false});
            return say(&format!("{report}\n")).map(|()| Exit::Fine);
        }
        let mut text = String::new();
        for change in &self.changes {
            // Writing to a String cannot fail.
            let _ = match change.before == change.after {
                true => writeln!(text, "{}: {} already", change.behavior, change.after),
                false => writeln!(text, "{}: {} -> {}", change.behavior, change.before, change.after),
            };
        }
        for name in &written {
            let _ = writeln!(text, "edited {name}");
        }
        if !written.is_empty() && !arguments.compile {
            text.push_str("next: `forge compile`, which makes it act\n");
        }
        say(&text)?;
        match arguments.compile {
            true => compile::run(&compile::Arguments::plain(self.files.root.clone())),
            false => Ok(Exit::Fine),
        }
    }

    /// Writes the files that differ, if they are still as they were read.
    fn write(&self, host: &dyn Host) -> Result<Vec<&str>> {
        let mut written = Vec::new();
        for (name, text) in &self.texts {
            let path = self.files.root.join(name);
            let before = self.files.sources.find(name).map_or(&[][..], |(_, source)| &source.bytes);
            if before == text.as_bytes() {
                continue;
            }
            let now = host.read(&path, limits::YAML_BYTES).map_err(|error| Error::io("read", &path, error))?;
            if now != before {
                return Err(Error::new(ErrorKind::Io, "changed while it was being edited; try again").at(&path));
            }
            machine::rewrite(&path, text.as_bytes()).map_err(|error| Error::io("write", &path, error))?;
            written.push(name.as_str());
        }
        Ok(written)
    }
}

/// Says why a behavior's file cannot be used, as `forge compile` would.
///
/// # Errors
/// When standard output cannot be written.
pub(super) fn unreadable(files: &Files, name: &str) -> Result<Exit> {
    say(&format!("{}nothing was changed: `{name}` has errors\n", files.told(name, stdout_is_terminal())))?;
    Ok(Exit::Content)
}
