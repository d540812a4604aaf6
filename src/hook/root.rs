//! Which project an event belongs to: the folder that holds `.forge/`.

use crate::host::{Entry, Host};
use crate::store::Paths;
use std::path::{Path, PathBuf};

/// Where harnesses say which project they opened. The first that is set and holds `.forge/` counts.
const VARIABLES: &[&str] =
    &["CLAUDE_PROJECT_DIR", "CURSOR_PROJECT_DIR", "GEMINI_PROJECT_DIR", "QWEN_PROJECT_DIR", "FACTORY_PROJECT_DIR"];

/// The project's root: the harness's variable, else the agent's folder and those above it, else the process's folder
/// and those above it. `None`: nothing is to be enforced here. Where no `.forge/` is seen, the first place that may have
/// one which cannot be seen is a project too: what fails there is told, where silence would be a guard that is not there.
#[must_use]
pub fn find(host: &dyn Host, cwd: Option<&str>) -> Option<PathBuf> {
    let mut unseen = None;
    let mut holds = |folder: &Path| match holds_forge(host, folder) {
        Some(holds) => holds,
        None => {
            unseen.get_or_insert_with(|| folder.to_path_buf());
            false
        }
    };
    let mut named = VARIABLES.iter().filter_map(|name| host.env(name)).map(PathBuf::from);
    let found = named
        .find(|folder| holds(folder))
        .or_else(|| upward(Path::new(cwd.filter(|cwd| !cwd.is_empty())?), &mut holds))
        .or_else(|| upward(&host.current_dir().ok()?, &mut holds));
    found.or(unseen)
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

fn upward(from: &Path, holds: &mut dyn FnMut(&Path) -> bool) -> Option<PathBuf> {
    from.ancestors().find(|folder| holds(folder)).map(Path::to_path_buf)
}

/// Whether there is a `.forge/`; a link to a folder is one too. `None` where that cannot be seen: a link that leads nowhere
/// or in a circle, a folder that may not be looked into.
fn holds_forge(host: &dyn Host, folder: &Path) -> Option<bool> {
    let forge = folder.join(".forge");
    match host.entry(&forge) {
        Entry::Folder => Some(true),
        Entry::Link => host.list(&forge).is_ok().then_some(true),
        Entry::Unseen => None,
        Entry::Nothing | Entry::File | Entry::Other => Some(false),
    }
}
