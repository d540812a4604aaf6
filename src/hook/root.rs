//! Which project an event belongs to: the folder that holds `.forge/`.

use crate::host::{Entry, Host};
use crate::store::Paths;
use std::path::{Path, PathBuf};

/// Where harnesses say which project they opened. The first that is set and holds `.forge/` counts.
const VARIABLES: &[&str] =
    &["CLAUDE_PROJECT_DIR", "CURSOR_PROJECT_DIR", "GEMINI_PROJECT_DIR", "QWEN_PROJECT_DIR", "FACTORY_PROJECT_DIR"];

/// The project's root: the harness's variable, else the agent's folder and those above it, else the process's folder
/// and those above it. `None`: nothing is to be enforced here.
#[must_use]
pub fn find(host: &dyn Host, cwd: Option<&str>) -> Option<PathBuf> {
    let named = VARIABLES.iter().filter_map(|name| host.env(name)).map(PathBuf::from);
    named
        .into_iter()
        .find(|folder| holds_forge(host, folder))
        .or_else(|| upward(host, Path::new(cwd.filter(|cwd| !cwd.is_empty())?)))
        .or_else(|| upward(host, &host.current_dir().ok()?))
}

/// The folder of the user's own rules, `$XDG_CONFIG_HOME/forge` or `~/.config/forge`, when it holds a compiled program. It
/// is laid out like a project, and acts in all of them.
#[must_use]
pub fn of_user(host: &dyn Host) -> Option<PathBuf> {
    let config = host.env("XDG_CONFIG_HOME").map(PathBuf::from).filter(|folder| folder.is_absolute());
    let home = || Some(PathBuf::from(host.env("HOME").or_else(|| host.env("USERPROFILE"))?).join(".config"));
    let root = config.or_else(home)?.join("forge");
    (host.entry(&Paths::new(&root).program()) != Entry::Nothing).then_some(root)
}

fn upward(host: &dyn Host, from: &Path) -> Option<PathBuf> {
    from.ancestors().find(|folder| holds_forge(host, folder)).map(Path::to_path_buf)
}

/// A `.forge` that is itself a link to a folder is one too.
fn holds_forge(host: &dyn Host, folder: &Path) -> bool {
    match host.entry(&folder.join(".forge")) {
        Entry::Folder => true,
        Entry::Link => host.list(&folder.join(".forge")).is_ok(),
        Entry::Nothing | Entry::File | Entry::Other => false,
    }
}
