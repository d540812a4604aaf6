//! `registry/projects.yml`: one entry a project with its metrics, which may list projects of other tools and carry their
//! keys. Edited by the byte; made when it is not there.

use crate::cli::metrics::{Metrics, OfBehavior, Tally};
use crate::edit::{Edit, New, edited};
use crate::error::{Error, ErrorKind, Result};
use crate::host::{Host, machine};
use crate::limits;
use crate::model::FileId;
use crate::yaml::{self, Document, Kind, Node, Step};
use std::io;
use std::path::{Path, PathBuf};

/// What is written of a project.
pub(super) struct Entry<'a> {
    pub(super) name: &'a str,
    pub(super) root: &'a Path,
    pub(super) updated: String,
    pub(super) metrics: &'a Metrics,
}

const HEAD: &str =
    "# Kept by `forge audit`: it rewrites the metrics of its projects and leaves everything else as it is.\n";

/// Brings the registry up to date.
///
/// # Errors
/// When it cannot be read or written, or is laid out so that it cannot be edited safely.
pub(super) fn keep(host: &dyn Host, path: &Path, entry: &Entry<'_>) -> Result<()> {
    let before = match host.read(path, limits::YAML_BYTES) {
        Ok(bytes) => Some(bytes),
        Err(error) if error.kind() == io::ErrorKind::NotFound => None,
        Err(error) => return Err(Error::io("read", path, error)),
    };
    let refused = |what: String| Error::new(ErrorKind::Content, what).at(path);
    let text = std::str::from_utf8(before.as_deref().unwrap_or_default())
        .map_err(|_| refused(String::from("the registry is not UTF-8; nothing was changed")))?;
    let after = updated(text, path, entry).map_err(|refusal| {
        let place = refusal.place();
        refused(format!("the registry was not changed: line {}: {refusal}", place.line.max(1)))
    })?;
    if before.is_some() && host.read(path, limits::YAML_BYTES).ok() != before {
        return Err(Error::new(ErrorKind::Io, "changed while it was being edited; try again").at(path));
    }
    super::write(host, path, &after)
}

fn updated(text: &str, path: &Path, entry: &Entry<'_>) -> std::result::Result<String, crate::edit::Refused> {
    let has_content = text.lines().any(|line| !line.trim().is_empty() && !line.trim_start().starts_with('#'));
    let text = if has_content { text.to_owned() } else { format!("{HEAD}{text}projects:\n") };
    let (document, _) = yaml::parse(FileId(0), &text);
    let projects = Step::Key("projects");
    let Some(list) = document.as_ref().and_then(|document| document.at(&[projects])) else {
        let last = document.as_ref().and_then(last_key).unwrap_or_default();
        let value = New::Word(String::new());
        // A key without a value, then the entry as its list's first.
        let text = edited(&text, &[Edit::Add { path: Vec::new(), after: &last, key: "projects", value }])?;
        return edited(&text, &[Edit::Append { path: vec![projects], item: entry.whole(path) }]);
    };
    let nodes = if let Kind::Sequence(nodes) = &list.kind { nodes.as_slice() } else { &[] };
    match nodes.iter().position(|node| entry.is(node, path)) {
        None => edited(&text, &[Edit::Append { path: vec![projects], item: entry.whole(path) }]),
        Some(index) => edited(&text, &entry.edits(nodes.get(index), &[projects, Step::Index(index)])),
    }
}

fn last_key(document: &Document) -> Option<String> {
    match &document.root.kind {
        Kind::Mapping(entries) => entries.last().map(|entry| entry.key.clone()),
        Kind::Scalar { .. } | Kind::Sequence(_) => None,
    }
}

impl<'e> Entry<'e> {
    /// How the registry names the project: `.` when it is the project's own registry.
    fn path(&self, registry: &Path) -> String {
        let root = resolved(self.root);
        if base(registry).is_some_and(|base| base == root) {
            return String::from(".");
        }
        root.to_string_lossy().into_owned()
    }

    /// Whether an entry is about this project: by its path, or by its name where it has none.
    fn is(&self, node: &Node, registry: &Path) -> bool {
        match (scalar(node, "path"), base(registry)) {
            (Some(path), Some(base)) => resolved(&base.join(path)) == resolved(self.root),
            (Some(path), None) => path == self.path(registry),
            (None, _) => scalar(node, "name") == Some(self.name),
        }
    }

    /// A new entry.
    fn whole(&self, registry: &Path) -> New {
        let known = self.metrics.behaviors.iter();
        let behaviors: Vec<_> = known.map(|behavior| (behavior.id.clone(), New::Mapping(numbers(behavior)))).collect();
        New::mapping([
            ("name", New::Text(self.name.to_owned())),
            ("path", New::Text(self.path(registry))),
            ("updated", New::Word(self.updated.clone())),
            ("override_rate", rate(self.metrics.total)),
            ("behaviors", New::Mapping(behaviors)),
        ])
    }

    /// The edits that bring an old entry up to date.
    fn edits(&self, old: Option<&Node>, path: &[Step<'e>]) -> Vec<Edit<'e>> {
        let mut edits = Vec::new();
        let mut put = |old: Option<&Node>, path: &[Step<'e>], after, (key, value): (&'e str, New)| {
            let inside = [path, &[Step::Key(key)]].concat();
            match (old.and_then(|old| old.child(Step::Key(key))), value) {
                (Some(_), New::Word(word)) => edits.push(Edit::Set { path: inside, word }),
                (_, value) => edits.push(Edit::Add { path: path.to_vec(), after, key, value }),
            }
        };
        put(old, path, "path", ("updated", New::Word(self.updated.clone())));
        put(old, path, "updated", ("override_rate", rate(self.metrics.total)));
        let list = old.and_then(|old| old.child(Step::Key("behaviors")));
        let inside = [path, &[Step::Key("behaviors")]].concat();
        let Some(list) = list.filter(|list| matches!(list.kind, Kind::Mapping(_))) else {
            let known = self.metrics.behaviors.iter();
            let all = known.map(|behavior| (behavior.id.clone(), New::Mapping(numbers(behavior)))).collect();
            put(old, path, "override_rate", ("behaviors", New::Mapping(all)));
            return edits;
        };
        for behavior in &self.metrics.behaviors {
            let id = behavior.id.as_str();
            match list.child(Step::Key(id)) {
                None => put(Some(list), &inside, "", (id, New::Mapping(numbers(behavior)))),
                Some(old) => {
                    let path = [inside.as_slice(), &[Step::Key(id)]].concat();
                    let names = ["enabled", "violations", "blocks", "overrides", "override_rate", "logged_overrides"];
                    for (name, (_, value)) in names.into_iter().zip(numbers(behavior)) {
                        put(Some(old), &path, "", (name, value));
                    }
                }
            }
        }
        edits
    }
}

/// The metrics of a behavior.
fn numbers(behavior: &OfBehavior) -> Vec<(String, New)> {
    let Tally { violations, blocks, overrides, .. } = behavior.tally;
    let word = |text: &dyn std::fmt::Display| New::Word(text.to_string());
    let enabled = behavior.enabled.map_or(New::Word(String::from("null")), |enabled| word(&enabled));
    [
        ("enabled", enabled),
        ("violations", word(&violations)),
        ("blocks", word(&blocks)),
        ("overrides", word(&overrides)),
        ("override_rate", rate(behavior.tally)),
        ("logged_overrides", word(&behavior.logged_overrides)),
    ]
    .into_iter()
    .map(|(name, value)| (name.to_owned(), value))
    .collect()
}

fn rate(tally: Tally) -> New {
    New::Word(tally.rate().map_or(String::from("null"), |rate| format!("{rate:.2}")))
}

/// The folder that relative paths in a registry start from: the one that holds `registry/`.
fn base(registry: &Path) -> Option<PathBuf> {
    let folder = registry.parent()?;
    let base = if folder.file_name().is_some_and(|name| name == "registry") { folder.parent()? } else { folder };
    Some(resolved(if base.as_os_str().is_empty() { Path::new(".") } else { base }))
}

fn resolved(path: &Path) -> PathBuf {
    machine::resolved(path).unwrap_or_else(|_| path.to_path_buf())
}

fn scalar<'n>(node: &'n Node, key: &str) -> Option<&'n str> {
    match &node.child(Step::Key(key))?.kind {
        Kind::Scalar { text, .. } => Some(text),
        Kind::Sequence(_) | Kind::Mapping(_) => None,
    }
}
