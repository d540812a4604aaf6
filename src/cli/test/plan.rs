//! Which scenarios are to be played: finds and reads the files, and compiles the rules each scenario wants.

use super::super::project;
use super::Arguments;
use crate::diagnostic::{Diagnostic, Source, Sources, nearest};
use crate::error::{Error, ErrorKind, Result};
use crate::host::{Entry, Host};
use crate::limits;
use crate::model::Catalogue;
use crate::scenario::{Rules, RulesError, Scenario, Suite, read};
use crate::yaml;
use std::collections::BTreeMap;
use std::io;
use std::path::{Path, PathBuf};

/// Everything there is to play.
pub(super) struct Plan {
    /// The files of the rules, and the scenario files.
    pub(super) sources: (Sources, Sources),
    /// What the rules' files say.
    pub(super) catalogue: Catalogue,
    /// What is wrong with the rules; warnings are left to `forge compile`.
    pub(super) catalogue_problems: Vec<Diagnostic>,
    /// What is wrong with the scenario files.
    pub(super) problems: Vec<Diagnostic>,
    /// What could be read of them.
    pub(super) suites: Vec<Suite>,
    /// By the ids that act; `None` for all that the index enables.
    rules: BTreeMap<Option<Vec<String>>, Rules>,
    /// Whether there are no rules to play against.
    pub(super) is_broken: bool,
    /// Why there are none, when no file says it.
    pub(super) reason: Option<String>,
}

impl Plan {
    /// Reads all that is asked for.
    ///
    /// # Errors
    /// When a target is neither a behavior nor a file, or something cannot be read.
    pub(super) fn new(host: &dyn Host, arguments: &Arguments) -> Result<Self> {
        let (root, targets) = root(host, arguments)?;
        let sources = project::sources(host, &root)?;
        let (catalogue, problems) = yaml::load(&sources);
        let known: Vec<String> = catalogue.behaviors.iter().map(|behavior| behavior.id.value.clone()).collect();
        let mut files = Vec::new();
        for target in targets {
            files.extend(target_files(host, &root, target, &known)?);
        }
        if targets.is_empty() {
            for id in &known {
                files.extend(files_of(host, &root, id)?);
            }
        }
        let mut plan = Self {
            sources: (sources, Sources::new(files)),
            catalogue,
            catalogue_problems: problems.into_iter().filter(Diagnostic::is_error).collect(),
            problems: Vec::new(),
            suites: Vec::new(),
            rules: BTreeMap::new(),
            is_broken: false,
            reason: None,
        };
        plan.is_broken = !plan.catalogue_problems.is_empty();
        if !plan.is_broken {
            plan.read(&known);
            plan.compile();
        }
        Ok(plan)
    }

    fn read(&mut self, known: &[String]) {
        for (file, source) in self.sources.1.iter() {
            let (suite, problems) = read(&self.sources.1, file, folder(&source.name), known);
            self.suites.extend(suite);
            self.problems.extend(problems);
        }
    }

    fn compile(&mut self) {
        let wanted: Vec<Option<Vec<String>>> =
            self.suites.iter().flat_map(|suite| suite.scenarios.iter().map(|scenario| acts(suite, scenario))).collect();
        for acts in wanted {
            if self.rules.contains_key(&acts) {
                continue;
            }
            match Rules::new(&self.catalogue, acts.as_deref()) {
                Ok(rules) => drop(self.rules.insert(acts, rules)),
                Err(error) => {
                    self.is_broken = true;
                    match &error {
                        RulesError::Invalid(problems) => {
                            let errors = problems.iter().filter(|problem| problem.is_error());
                            self.catalogue_problems.extend(errors.cloned());
                        }
                        RulesError::TooLarge(_) | RulesError::Unverified(_) => self.reason = Some(error.to_string()),
                    }
                    return;
                }
            }
        }
    }

    /// The scenarios with this text in their name, each with its file and its rules.
    pub(super) fn chosen(&self, name: Option<&str>) -> impl Iterator<Item = (&Suite, &Scenario, &Rules)> {
        let all = self.suites.iter().flat_map(|suite| suite.scenarios.iter().map(move |scenario| (suite, scenario)));
        all.filter(move |(_, scenario)| name.is_none_or(|name| scenario.name.value.contains(name)))
            .filter_map(|(suite, scenario)| Some((suite, scenario, self.rules.get(&acts(suite, scenario))?)))
    }
}

/// The behaviors a scenario wants to act, sorted; `None` for all that the index enables.
fn acts(suite: &Suite, scenario: &Scenario) -> Option<Vec<String>> {
    let with = scenario.with.as_ref()?;
    let mut acts: Vec<String> = suite.behavior.iter().chain(with).cloned().collect();
    acts.sort();
    acts.dedup();
    Some(acts)
}

/// The project, and the targets without it: the first target may be the project's own folder.
fn root<'a>(host: &dyn Host, arguments: &'a Arguments) -> Result<(PathBuf, &'a [String])> {
    if let (None, Some((first, rest))) = (&arguments.root, arguments.targets.split_first())
        && host.entry(&Path::new(first).join(yaml::INDEX)) == Entry::File
    {
        return Ok((PathBuf::from(first), rest));
    }
    Ok((project::root(host, arguments.root.as_deref())?, &arguments.targets))
}

/// The behavior whose folder a scenario file is in.
fn folder(name: &str) -> Option<&str> {
    let (id, rest) = name.strip_prefix("behaviors/")?.split_once('/')?;
    rest.starts_with("tests/").then_some(id)
}

/// The scenario files of a behavior; none when it has no such folder.
fn files_of(host: &dyn Host, root: &Path, id: &str) -> Result<Vec<Source>> {
    let folder = root.join("behaviors").join(id).join("tests");
    if host.list(&folder).is_err() && host.entry(&folder) == Entry::Nothing {
        return Ok(Vec::new());
    }
    below(host, root, &folder)
}

/// The files a target means.
fn target_files(host: &dyn Host, root: &Path, target: &str, known: &[String]) -> Result<Vec<Source>> {
    let path = Path::new(target);
    if known.iter().any(|id| id == target) {
        return files_of(host, root, target);
    }
    match host.entry(path) {
        Entry::File | Entry::Link if host.list(path).is_err() => Ok(vec![source(host, root, path)?]),
        Entry::Folder | Entry::Link => below(host, root, path),
        Entry::Nothing | Entry::Unseen | Entry::File | Entry::Other => {
            let help = match nearest(target, known.iter().map(String::as_str)) {
                Some(near) => format!("did you mean `{near}`?"),
                None => format!("the behaviors are {}", known.join(", ")),
            };
            let what = format!("`{target}` is neither a behavior nor a file; {help}");
            Err(Error::new(ErrorKind::Usage, what))
        }
    }
}

/// All scenario files in a folder and those below it: every YAML file that is not a behavior's or the index.
fn below(host: &dyn Host, root: &Path, folder: &Path) -> Result<Vec<Source>> {
    let mut names = host.list(folder).map_err(|error| Error::io("list the scenarios", folder, error))?;
    names.sort();
    let mut files = Vec::new();
    for name in names {
        let path = folder.join(&name);
        let is_scenario = (name.ends_with(".yaml") || name.ends_with(".yml"))
            && !matches!(name.as_str(), "behavior.yaml" | "index.yaml" | "config.yaml");
        match host.entry(&path) {
            Entry::Folder => files.extend(below(host, root, &path)?),
            Entry::File | Entry::Link if is_scenario => files.push(source(host, root, &path)?),
            Entry::Nothing | Entry::Unseen | Entry::File | Entry::Link | Entry::Other => {}
        }
    }
    Ok(files)
}

fn source(host: &dyn Host, root: &Path, path: &Path) -> Result<Source> {
    let here = host.current_dir().unwrap_or_default();
    let (whole, root) = (here.join(path), here.join(root));
    let inside = whole.strip_prefix(&root).unwrap_or(path);
    let parts: Vec<_> = inside.components().map(|part| part.as_os_str().to_string_lossy().into_owned()).collect();
    let name = if inside.is_absolute() { path.display().to_string() } else { parts.join("/") };
    match host.read(path, limits::YAML_BYTES) {
        Ok(bytes) => Ok(Source::new(name, bytes)),
        Err(error) if error.kind() == io::ErrorKind::FileTooLarge => Ok(Source::too_large(name)),
        Err(error) => Err(Error::io("read the scenarios", path, error)),
    }
}
