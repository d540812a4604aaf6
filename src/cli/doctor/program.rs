//! Is there a program, is it sound, is it what the sources say, and who could have changed it?

use super::check::{Check, Verdict};
use crate::bytecode::{container, verify};
use crate::cli::project;
use crate::host::{Host, machine};
use crate::limits;
use crate::store::Paths;
use std::path::Path;

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

/// Files that decide and that everybody on this machine may change.
pub(super) fn permissions(root: &Path, settings: &[&Path], checks: &mut Vec<Check>) {
    let paths = Paths::new(root);
    let compiled = paths.program().parent().map(Path::to_path_buf).unwrap_or_default();
    let ours = [paths.forge().to_path_buf(), compiled, paths.program(), paths.on_error(), root.join("behaviors")];
    let open: Vec<String> = ours
        .iter()
        .map(std::path::PathBuf::as_path)
        .chain(settings.iter().copied())
        .filter(|path| machine::access(path).is_ok_and(|access| access.everyone_writes))
        .map(|path| path.display().to_string())
        .collect();
    checks.push(if open.is_empty() {
        Check::fine("permissions", "only their owners can change the rules and the settings")
    } else {
        let remedy = format!("chmod o-w {}", open.join(" "));
        Check::new(Verdict::Warning, "permissions", format!("everybody can change {}", open.join(", ")), remedy)
    });
}
