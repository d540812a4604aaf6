//! Is there a program, is it sound, is it what the sources say, and who could have changed it?

use super::check::{Check, Verdict};
use crate::bytecode::{container, verify};
use crate::cli::project;
use crate::host::{Host, machine};
use crate::limits;
use crate::store::{self, Paths};
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

const NAME: &str = "program";

/// The ids of the enabled behaviors of a sound program; the checks say what is wrong with it otherwise.
/// `compile` is the command that makes a new one.
pub(super) fn look(host: &dyn Host, root: &Path, compile: &str, checks: &mut Vec<Check>) -> Option<Vec<String>> {
    let path = Paths::new(root).program();
    let fail = |what: String| Check::new(Verdict::Failure, NAME, what, format!("run `{compile}`"));
    let Ok(bytes) = host.read(&path, limits::PROGRAM_BYTES) else {
        checks.push(fail(format!("{} cannot be read; nothing is enforced", path.display())));
        return None;
    };
    let read = container::read(&bytes).and_then(|program| Ok(verify(program.clone()).map(|_| program)?));
    let program = match read {
        Ok(program) => program,
        Err(error) => {
            checks.push(fail(format!("{}: {error}", path.display())));
            return None;
        }
    };
    let behaviors: Vec<String> = program.blocks.iter().map(|block| block.id.clone().into_owned()).collect();
    let sources = project::sources(host, root).map(|sources| project::digest(&sources));
    checks.push(match sources {
        Ok(digest) if digest == program.sources => {
            Check::fine(NAME, format!("sound, and what the sources say: {} behaviors", behaviors.len()))
        }
        Ok(_) => fail("the sources have changed since it was compiled; the old rules are enforced".to_owned()),
        Err(error) => Check::new(Verdict::Warning, NAME, error.to_string(), "make the sources readable"),
    });
    if behaviors.is_empty() {
        let remedy = format!("enable one in `behaviors/index.yaml` and run `{compile}`");
        checks.push(Check::new(Verdict::Warning, NAME, "no behavior is enabled: nothing is ever blocked", remedy));
    }
    Some(behaviors)
}

/// A folder of ours that is a link: what is in it holds, and nothing can be remembered there.
pub(super) fn links(host: &dyn Host, root: &Path, checks: &mut Vec<Check>) {
    let paths = Paths::new(root);
    let compiled = paths.program().parent().map(Path::to_path_buf).unwrap_or_default();
    for folder in [paths.signals(), paths.audit(), compiled] {
        if let Err(error) = store::refuse_links(host, &folder) {
            let remedy = "until then nothing is counted or compiled there; or name the folder behind it with `--root`";
            checks.push(Check::new(Verdict::Warning, "links", error.to_string(), remedy));
            return;
        }
    }
}

/// Files that decide, and the folders they are in, that everybody on this machine may change.
pub(super) fn permissions(host: &dyn Host, root: &Path, settings: &[&Path], checks: &mut Vec<Check>) {
    let paths = Paths::new(root);
    let remembered = [paths.state(), paths.lock(), paths.overrides_log(), paths.overrides_chain(), paths.signals()];
    let compiled = [paths.program(), paths.on_error(), paths.prices()];
    let sources = store::source_files(host, root).unwrap_or_default().into_iter().map(|file| root.join(file.name));
    let files = remembered.into_iter().chain(compiled).chain(sources);
    let files = files.chain(settings.iter().map(|path| path.to_path_buf()));
    // A set, since many files share a folder; the root belongs to the project, not to us.
    let ours: BTreeSet<PathBuf> = files
        .flat_map(|file| file.ancestors().take_while(|path| *path != root).map(Path::to_path_buf).collect::<Vec<_>>())
        .filter(|path| path.starts_with(root) || settings.contains(&path.as_path()))
        .collect();
    let open = ours.iter().filter(|path| machine::access(path).is_ok_and(|access| access.everyone_writes));
    let open: Vec<String> = open.map(|path| path.display().to_string()).collect();
    checks.push(if open.is_empty() {
        Check::fine("permissions", "only their owners can change the rules and the settings")
    } else {
        let remedy = format!("chmod o-w {}", open.join(" "));
        Check::new(Verdict::Warning, "permissions", format!("everybody can change {}", open.join(", ")), remedy)
    });
}
