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

/// Where the user's own rules are or would be: `$XDG_CONFIG_HOME/forge` or `~/.config/forge`. Laid out like a project, and
/// acting in all of them.
#[must_use]
pub fn user_folder(host: &dyn Host) -> Option<PathBuf> {
    let config = host.env("XDG_CONFIG_HOME").map(PathBuf::from).filter(|folder| folder.is_absolute());
    let home = || Some(PathBuf::from(host.env("HOME").or_else(|| host.env("USERPROFILE"))?).join(".config"));
    Some(config.or_else(home)?.join("forge"))
}

/// That folder, when it holds a compiled program.
#[must_use]
pub fn of_user(host: &dyn Host) -> Option<PathBuf> {
    user_folder(host).filter(|root| host.entry(&Paths::new(root).program()) != Entry::Nothing)
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
