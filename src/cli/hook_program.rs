//! What gets registered: the path of `forge-hook`, and what a project's program needs of a harness; and how that is
//! kept true when the program changes. Never writes; it makes plans.

use crate::bytecode::container;
use crate::error::{Error, ErrorKind, Result};
use crate::hook::{self, ProgramFile};
use crate::host::{Host, machine};
use crate::limits;
use crate::model::Event;
use crate::registration::{Dialect, Needs, Plan, Scope, Target, Tools};
use crate::store::Paths;
use std::path::Path;

/// The path an entry names: the one given, else the `forge-hook` beside this program. A bare name is left to the
/// harness to look up, which suits settings that go to other machines.
///
/// # Errors
/// When there is no such program.
pub(super) fn path(given: Option<&str>) -> Result<String> {
    let (path, remedy) = match given {
        Some(name) if !name.contains(['/', '\\']) => return Ok(name.to_owned()),
        Some(given) => (given.into(), "name the program itself, or only `forge-hook` to have it looked up in PATH"),
        None => {
            let here = |error| Error::io("find this program", Path::new("forge"), error);
            (
                machine::sibling("forge-hook").map_err(here)?,
                "install both programs side by side, or name it with `--hook`",
            )
        }
    };
    match machine::access(&path) {
        Ok(access) if access.can_run => {}
        Ok(_) => return Err(Error::new(ErrorKind::Usage, format!("not a program; {remedy}")).at(&path)),
        Err(_) => {
            return Err(Error::new(ErrorKind::Usage, format!("there is no `forge-hook` here; {remedy}")).at(&path));
        }
    }
    // Not `canonicalize`: a link such as a package manager's survives an update, what it leads to does not.
    let path = std::path::absolute(&path).map_err(|error| Error::io("name the program", &path, error))?;
    path.to_str().map(str::to_owned).ok_or_else(|| Error::new(ErrorKind::Usage, "not a Unicode path").at(&path))
}

/// What a harness must call the hook for: what the project's program asks for, or the user's own; everything as long as
/// there is none.
///
/// # Errors
/// When the program is there and cannot be used.
pub(super) fn needs(host: &dyn Host, root: &Path, scope: Scope) -> Result<Needs> {
    let everything = || Needs::new(Event::ALL.iter().map(|event| (*event, Tools::All)), true, false);
    let root = match scope {
        Scope::User => hook::user_folder(host),
        Scope::Project | Scope::Local => Some(root.to_path_buf()),
    };
    let Some(path) = root.map(|root| Paths::new(&root).program()).filter(|path| machine::exists(path)) else {
        return Ok(everything());
    };
    let read = |error| Error::io("read the program", &path, error);
    let bytes = host.read(&path, limits::PROGRAM_BYTES).map_err(read)?;
    container::read(&bytes).map(|program| Needs::of(&program)).map_err(|error| error.at(&path))
}

/// What a harness must call the hook for, by a program that was just found to be sound: little of it is read.
///
/// # Errors
/// When it cannot be read.
pub(super) fn needs_of_sound(host: &dyn Host, root: &Path) -> Result<Needs> {
    let file = ProgramFile::open(host, Paths::new(root).program())?;
    Ok(Needs::of(&container::outline(&file)?))
}

/// What brings the user's settings up to the user's own program: every file in which forge is registered for all
/// projects, and none when it is in none.
///
/// # Errors
/// As [`refreshed`].
pub(super) fn refreshed_of_user(host: &dyn Host, needs: &Needs) -> Result<Vec<Plan>> {
    plans(host, Path::new(""), &[Scope::User], needs)
}

/// What brings a project's settings up to its program: every file of the project in which forge is registered, or
/// `.claude/settings.json` when it is in none. An entry's own path of the hook is kept while it leads to a program.
///
/// # Errors
/// When there is no hook to register, or a file is not understood; then nothing is to be written.
pub(super) fn refreshed(host: &dyn Host, root: &Path, needs: &Needs) -> Result<Vec<Plan>> {
    let mut plans = plans(host, root, &[Scope::Project, Scope::Local], needs)?;
    if plans.is_empty()
        && let Some(dialect) = Dialect::named("claude-code")
    {
        plans.push(Target::new(host, dialect, Scope::Project, root)?.install(host, needs, &path(None)?)?);
    }
    Ok(plans)
}

/// One plan per file of these scopes in which forge is registered.
fn plans(host: &dyn Host, root: &Path, scopes: &[Scope], needs: &Needs) -> Result<Vec<Plan>> {
    let mut plans = Vec::new();
    for dialect in Dialect::ALL {
        for &scope in scopes {
            let Ok(target) = Target::new(host, dialect, scope, root) else { continue };
            // A file of another harness that cannot be read is not this command's business.
            let Ok(entries) = target.registered(host) else { continue };
            let programs = entries.into_iter().filter(|entry| entry.is_ours).filter_map(|entry| entry.command);
            if let Some(program) = programs.map(|command| command.program).next() {
                let hook = if is_usable(&program) { program } else { path(None)? };
                plans.push(target.install(host, needs, &hook)?);
            }
        }
    }
    Ok(plans)
}

/// Whether an entry's program is one, as far as can be seen from here.
fn is_usable(program: &str) -> bool {
    !program.contains(['/', '\\']) || machine::access(Path::new(program)).is_ok_and(|access| access.can_run)
}
