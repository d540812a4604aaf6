//! Text to Catalogue: all files of a project at once, every problem of every file in one run.
//! First pass (`events`): text to a tree with places. Second pass (`walk` and the files named after what they read): tree to model.

pub(crate) mod behavior;
pub(crate) mod condition;
mod config;
mod events;
pub(crate) mod fields;
mod index;
mod origin;
mod prices;
pub(crate) mod scalar;
mod text;
mod tree;
mod trigger;
mod values;
pub(crate) mod walk;
mod when;
pub(crate) mod word;

pub use events::parse;
pub use tree::{Document, Entry, Kind, Node, Step, Style};

use crate::diagnostic::{Code, Diagnostic, Source, Sources, nearest, sort};
use crate::limits;
use crate::model::{Behavior, Catalogue, FileId, Place};
use crate::parallel;
use index::Listed;
use std::collections::HashSet;
use walk::{Slot, Walk};

/// The index of a project, relative to it.
pub const INDEX: &str = "behaviors/index.yaml";
/// The settings of a project, relative to it.
pub const CONFIG: &str = ".forge/config.yaml";
/// The prices of a project, relative to it.
pub const PRICES: &str = ".forge/prices.yaml";

/// The name of a behavior's file, relative to the project.
#[must_use]
pub fn behavior_file(id: &str) -> String {
    format!("behaviors/{id}/behavior.yaml")
}

/// Reads all files of a project. The catalogue holds what could be read; it is whole when no problem is an error.
#[must_use]
pub fn load(sources: &Sources) -> (Catalogue, Vec<Diagnostic>) {
    let mut problems = Vec::new();
    let mut catalogue =
        Catalogue { files: sources.iter().map(|(_, source)| source.name.clone()).collect(), ..Catalogue::default() };
    if let Some(file) = sources.find(CONFIG)
        && let Some(settings) = read(file, &mut problems, "the config file", |walk, root| walk.config(root))
    {
        catalogue.settings = settings;
    }
    if let Some(file) = sources.find(PRICES)
        && let Some(prices) = read(file, &mut problems, "the price list", |walk, root| walk.prices(root))
    {
        catalogue.prices = prices;
    }
    let listed = match sources.find(INDEX) {
        Some(file) => read(file, &mut problems, "the index", |walk, root| walk.index(root)),
        None => {
            let help = format!("write `{INDEX}` with `schema_version: \"1\"` and the list `behaviors:`");
            problems.push(Diagnostic::nowhere(Code::MissingFile, format!("there is no `{INDEX}`"), help));
            None
        }
    };
    let ids: Option<HashSet<&str>> =
        listed.as_ref().map(|listed| listed.iter().map(|entry| entry.id.value.as_str()).collect());
    for (file, source) in sources.iter() {
        let Some(id) = folder(&source.name) else { continue };
        if let Some(ids) = &ids
            && !ids.contains(id)
        {
            let place = Place { file, line: 1, column: 1, ..Place::default() };
            let message = format!("the behavior `{id}` is not in `{INDEX}`");
            let help = format!("add `- id: {id}` there, with `enabled: false` when it should not act");
            problems.push(Diagnostic::new(Code::NotListed, place, message, help));
        }
    }
    let read = parallel::map(&listed.unwrap_or_default(), |entry| {
        let mut problems = Vec::new();
        (behavior(sources, entry, &mut problems), problems)
    });
    for (behavior, mut found) in read {
        catalogue.behaviors.extend(behavior);
        problems.append(&mut found);
    }
    sort(&mut problems);
    (catalogue, problems)
}

/// The folder of a behavior's file.
fn folder(name: &str) -> Option<&str> {
    name.strip_prefix("behaviors/")?.strip_suffix("/behavior.yaml")
}

/// The behavior of one line of the index.
fn behavior(sources: &Sources, listed: &Listed, problems: &mut Vec<Diagnostic>) -> Option<Behavior> {
    let id = &listed.id.value;
    let name = behavior_file(id);
    let Some(file) = sources.find(&name) else {
        let message = format!("there is no `{name}`");
        let folders = sources.iter().filter_map(|(_, source)| folder(&source.name));
        problems.push(match nearest(id, folders) {
            Some(near) => {
                let help = format!("did you mean `{near}`?");
                Diagnostic::new(Code::MissingFile, listed.id.place, message, help).replaced_by(near)
            }
            None => {
                let help = "write it, or remove the line; the folder has the behavior's id as its name";
                Diagnostic::new(Code::MissingFile, listed.id.place, message, help)
            }
        });
        return None;
    };
    let mut behavior = read(file, problems, "the behavior", |walk, root| walk.behavior(root, id))??;
    behavior.enabled = listed.enabled.unwrap_or(behavior.enabled);
    Some(behavior)
}

/// Reads one file through both passes.
fn read<T>(
    (file, source): (FileId, &Source),
    problems: &mut Vec<Diagnostic>,
    what: &str,
    walk_it: impl FnOnce(&mut Walk<'_>, Slot<'_>) -> T,
) -> Option<T> {
    let (document, mut found) = match text(file, source) {
        Ok(text) => {
            let (document, found) = parse(file, text);
            (document.map(|document| (text, document)), found)
        }
        Err(problem) => (None, vec![*problem]),
    };
    let value = document.map(|(source, document)| {
        let mut walk = Walk { source, problems: Vec::new() };
        let value = walk_it(&mut walk, Slot::new(what, &document.root));
        // What is wrong with a value that was refused already is not worth telling.
        let refused: Vec<Place> =
            found.iter().filter(|problem| problem.code == Code::Anchor).filter_map(|problem| problem.place).collect();
        let inside = |place: Place| refused.iter().any(|refused| (refused.start..refused.end).contains(&place.start));
        walk.problems.retain(|problem| !problem.place.is_some_and(inside));
        found.append(&mut walk.problems);
        value
    });
    problems.append(&mut found);
    value
}

/// The text of a file, unless it is too large or none.
pub(crate) fn text(file: FileId, source: &Source) -> Result<&str, Box<Diagnostic>> {
    let top = Place { file, line: 1, column: 1, ..Place::default() };
    if source.too_large {
        let message = format!("the file has more than {} bytes", limits::YAML_BYTES);
        let help = "no behavior needs as much; split it, or look what got into it";
        return Err(Box::new(Diagnostic::new(Code::TooLarge, top, message, help)));
    }
    std::str::from_utf8(&source.bytes).map_err(|error| {
        let good =
            source.bytes.get(..error.valid_up_to()).and_then(|good| std::str::from_utf8(good).ok()).unwrap_or_default();
        let place = crate::diagnostic::place(file, good, good.len()..good.len());
        let byte = source.bytes.get(good.len()).copied().unwrap_or_default();
        let message = format!("the byte 0x{byte:02x} is not UTF-8");
        Box::new(Diagnostic::new(Code::NotUtf8, place, message, "save the file as UTF-8"))
    })
}
