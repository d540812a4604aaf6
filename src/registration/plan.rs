//! One settings file of this machine: which it is, what stands in it, what would stand in it, and the writing.
//! Everything is decided before anything is written; a file that changed in between is not overwritten.

use super::command::HookCommand;
use super::need::{Moment, Needs};
use super::settings::Registered;
use super::{Dialect, Scope, opencode, settings};
use crate::error::{Error, ErrorKind, Result};
use crate::host::{Host, machine};
use crate::limits::SETTINGS_BYTES;
use crate::shell::Shell;
use std::io;
use std::path::{Path, PathBuf};

/// A harness's file.
#[derive(Clone, Debug)]
pub struct Target {
    /// How it is written.
    pub dialect: &'static Dialect,
    /// Where it is, as the harness names it.
    pub path: PathBuf,
}

impl Target {
    /// The file of a harness for a scope. `root` is the project's folder.
    ///
    /// # Errors
    /// When the harness has no such scope, or the home folder is not known.
    pub fn new(host: &dyn Host, dialect: &'static Dialect, scope: Scope, root: &Path) -> Result<Self> {
        let candidates = match scope {
            Scope::User => in_home(host, dialect)?,
            Scope::Project => dialect.project.iter().map(|file| root.join(file)).collect(),
            Scope::Local => dialect.local.iter().map(|file| root.join(file)).collect(),
        };
        let there = candidates.iter().find(|path| machine::exists(path));
        let Some(path) = there.or(candidates.last()) else {
            let scopes = Scope::ALL.into_iter().filter(|scope| dialect.has(*scope)).map(Scope::name);
            let scopes = scopes.collect::<Vec<_>>().join("` or `");
            let what = format!("{} has no settings of scope `{}`; use `{scopes}`", dialect.title, scope.name());
            return Err(Error::new(ErrorKind::Usage, what));
        };
        Ok(Self { dialect, path: path.clone() })
    }

    /// Where its entries stand.
    #[must_use]
    pub fn shape(&self) -> settings::Shape {
        self.dialect.shape(&self.path.file_name().unwrap_or_default().to_string_lossy())
    }

    /// What the file holds; `None` when it is not there.
    ///
    /// # Errors
    /// When it cannot be read, is no text or too large.
    pub fn read(&self, host: &dyn Host) -> Result<Option<String>> {
        let bytes = match host.read(&self.path, SETTINGS_BYTES) {
            Ok(bytes) => bytes,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
            Err(error) => return Err(Error::io("read the settings", &self.path, error)),
        };
        let no_text = |_| Error::new(ErrorKind::Io, "not UTF-8; left as it is").at(&self.path);
        String::from_utf8(bytes).map(Some).map_err(no_text)
    }

    /// All commands the file registers, ours and others'. A plugin of ours counts as an entry per event.
    ///
    /// # Errors
    /// When the file cannot be read or understood.
    pub fn registered(&self, host: &dyn Host) -> Result<Vec<Registered>> {
        let Some(text) = self.read(host)? else { return Ok(Vec::new()) };
        if !self.dialect.is_plugin() {
            return settings::registered(&text, &self.shape()).map_err(|what| self.refused(&what));
        }
        let Some(hook) = opencode::hook(&text).filter(|_| opencode::is_ours(&text)) else { return Ok(Vec::new()) };
        let events = Moment::ALL.iter().flat_map(|moment| self.dialect.words(*moment));
        let entry = |event: &&str| {
            let command = HookCommand::new(&hook, self.dialect.harness, event);
            let line = command.line(Shell::NATIVE);
            let event = (*event).to_owned();
            Registered { event, matcher: None, command: Some(command), line, is_exec: true, is_ours: true }
        };
        Ok(events.map(entry).collect())
    }

    /// What installing would do. `hook` is the program's path.
    ///
    /// # Errors
    /// When the file is not understood; it is left alone then.
    pub fn install(&self, host: &dyn Host, needs: &Needs, hook: &str) -> Result<Plan> {
        let before = self.read(host)?;
        let after = if self.dialect.is_plugin() {
            match before.as_deref() {
                Some(text) if !opencode::is_ours(text) => Err("not a plugin that forge wrote; rename it".to_owned()),
                Some(_) | None => Ok(Some(opencode::plugin(hook))),
            }
        } else {
            settings::install(before.as_deref(), &self.shape(), &self.dialect.entries(needs, hook))
        };
        let after = after.map_err(|what| self.refused(&what))?;
        Ok(Plan { path: self.path.clone(), before, after })
    }

    /// What uninstalling would do.
    ///
    /// # Errors
    /// When the file is not understood; it is left alone then.
    pub fn uninstall(&self, host: &dyn Host) -> Result<Plan> {
        let before = self.read(host)?;
        let after = match before.as_deref() {
            None => None,
            Some(text) if self.dialect.is_plugin() => (!opencode::is_ours(text)).then(|| text.to_owned()),
            Some(text) => settings::uninstall(text, &self.shape()).map_err(|what| self.refused(&what))?,
        };
        Ok(Plan { path: self.path.clone(), before, after })
    }

    fn refused(&self, what: &str) -> Error {
        Error::new(ErrorKind::Io, format!("{what}; the file is left as it is")).at(&self.path)
    }
}

impl Dialect {
    /// Whether the harness knows a scope.
    #[must_use]
    pub const fn has(&self, scope: Scope) -> bool {
        match scope {
            Scope::User => !self.user.is_empty(),
            Scope::Project => !self.project.is_empty(),
            Scope::Local => self.local.is_some(),
        }
    }
}

fn in_home(host: &dyn Host, dialect: &Dialect) -> Result<Vec<PathBuf>> {
    if let Some((variable, prefix)) = dialect.moved_by
        && let Some(folder) = host.env(variable)
    {
        let below = dialect.user.iter().filter_map(|file| file.strip_prefix(prefix));
        return Ok(below.map(|file| Path::new(&folder).join(file)).collect());
    }
    let home = host.env("HOME").or_else(|| host.env("USERPROFILE")).ok_or_else(|| {
        Error::new(ErrorKind::Usage, "the home folder is not known; set HOME, or name the file with `--file`")
    })?;
    Ok(dialect.user.iter().map(|file| Path::new(&home).join(file)).collect())
}

/// What would become of one file.
#[derive(Clone, Debug)]
pub struct Plan {
    /// The file, as the harness names it.
    pub path: PathBuf,
    /// What is there; `None` for no file.
    pub before: Option<String>,
    /// What would be there.
    pub after: Option<String>,
}

impl Plan {
    /// Whether anything would change.
    #[must_use]
    pub fn changes(&self) -> bool {
        self.before != self.after
    }

    /// The change as a unified diff; empty when there is none.
    #[must_use]
    pub fn diff(&self) -> String {
        let name = self.path.to_string_lossy();
        let side =
            |text: &Option<String>| if text.is_some() { name.clone().into_owned() } else { "/dev/null".to_owned() };
        let (before, after) = (self.before.as_deref().unwrap_or(""), self.after.as_deref().unwrap_or(""));
        let diff = similar::TextDiff::from_lines(before, after);
        diff.unified_diff().header(&side(&self.before), &side(&self.after)).to_string()
    }

    /// Does it: the end of a link is edited, not the link; the file's mode stays. Nothing is written when nothing changes.
    ///
    /// # Errors
    /// When the file is not as it was when the plan was made, or cannot be written.
    pub fn write(&self, host: &dyn Host) -> Result<()> {
        if !self.changes() {
            return Ok(());
        }
        let failed = |error| Error::io("write the settings", &self.path, error);
        let now = match host.read(&self.path, SETTINGS_BYTES) {
            Ok(bytes) => Some(bytes),
            Err(error) if error.kind() == io::ErrorKind::NotFound => None,
            Err(error) => return Err(failed(error)),
        };
        if now.as_deref() != self.before.as_deref().map(str::as_bytes) {
            let what = "changed by someone else meanwhile; nothing was written, run the command again";
            return Err(Error::new(ErrorKind::Io, what).at(&self.path));
        }
        match &self.after {
            Some(text) => {
                if let Some(folder) = self.path.parent() {
                    host.create_dir_all(folder).map_err(failed)?;
                }
                machine::rewrite(&self.path, text.as_bytes()).map_err(failed)
            }
            None => host.remove(&self.path).map_err(failed),
        }
    }
}
