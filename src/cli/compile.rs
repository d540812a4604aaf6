//! `forge compile`: all sources to one program, all or nothing.
//! The stages are called in order and their problems collected; what a stage does is its own business.

use super::Exit;
use super::compile_report::{Outcome, Report};
use super::program_state::ProgramState;
use super::told::{self, Beside};
use super::{hook_program, project};
use crate::bytecode::{container, verify};
use crate::diagnostic::{Code, Diagnostic, Sources, sort};
use crate::error::{Error, ErrorKind, Result};
use crate::hook;
use crate::host::{Entry, Held, Host, OsHost};
use crate::lint::lint;
use crate::lower::{Lowered, lower};
use crate::model::Price;
use crate::signals::{Prices, Rates};
use crate::store::{self, Paths};
use crate::validate::{Checked, validate};
use crate::{limits, yaml};
use std::path::{Path, PathBuf};
use std::time::Duration;

/// How often, and how long between, a compiler asks for its turn.
const TURNS: u32 = 100;
const PAUSE: Duration = Duration::from_millis(20);

/// Arguments.
#[derive(clap::Args, Clone, Debug, Default)]
pub(super) struct Arguments {
    /// The project's folder; without it, the nearest one upward that has `behaviors/` or `.forge/`
    #[arg(long, value_name = "DIR")]
    root: Option<PathBuf>,
    /// Write the program even when the sources have not changed
    #[arg(long)]
    force: bool,
    /// Say what would be written, and write nothing
    #[arg(long)]
    dry_run: bool,
    /// Only check the sources
    #[arg(long, conflicts_with_all = ["force", "dry_run"])]
    validate: bool,
    /// Leave the harness's settings alone
    #[arg(long)]
    no_settings: bool,
    /// Print one JSON object
    #[arg(long)]
    json: bool,
}

impl Arguments {
    /// Those of `forge compile --root ROOT --no-settings`.
    pub(super) fn without_settings(root: PathBuf) -> Self {
        Self { no_settings: true, ..Self::plain(root) }
    }

    /// Whether a program is made even when there is one of these sources.
    fn makes_anyway(&self) -> bool {
        self.force || self.validate
    }

    /// Those of `forge compile --root ROOT`.
    pub(super) fn plain(root: PathBuf) -> Self {
        Self { root: Some(root), ..Self::default() }
    }
}

pub(super) fn run(arguments: &Arguments) -> Result<Exit> {
    let host = OsHost::new();
    let root = project::root(&host, arguments.root.as_deref())?;
    compile(&host, &root, arguments)
}

/// Compiles the project in `root` and reports on standard output.
fn compile(host: &dyn Host, root: &Path, arguments: &Arguments) -> Result<Exit> {
    let sources = project::sources(host, root)?;
    let mut report = Report::new(&sources);
    let told = || told::read(host, &Paths::new(root), &sources, project::digest(&sources));
    if !arguments.makes_anyway()
        && let Some(told) = told()
    {
        report.unchanged(told);
    } else {
        match check(&sources) {
            Err(problems) => report.problems = problems,
            Ok((checked, warnings)) => {
                report.problems = warnings;
                finish(host, root, arguments, &checked, &mut report)?;
            }
        }
    }
    let registered = register(host, root, arguments, &mut report);
    let exit = report.print(arguments.json)?;
    registered.map(|()| exit)
}

/// Brings the harness's settings up to the program, unless that is not wanted. In turn, as the program is written: what
/// two compilers read at once, the second could not write.
fn register(host: &dyn Host, root: &Path, arguments: &Arguments, report: &mut Report<'_>) -> Result<()> {
    if arguments.no_settings || !matches!(report.outcome, Outcome::Written | Outcome::Unchanged) {
        return Ok(());
    }
    let _held = turn(host, &Paths::new(root).program())?;
    let needs = hook_program::needs_of_sound(host, root)?;
    let plans = if hook::user_folder(host).is_some_and(|user| is_same(&user, root)) {
        hook_program::refreshed_of_user(host, &needs)?
    } else {
        hook_program::refreshed(host, root, &needs)?
    };
    for plan in plans.iter().filter(|plan| plan.changes()) {
        plan.write(host)?;
        report.settings.push(project::shown(&plan.path, root));
    }
    Ok(())
}

fn is_same(one: &Path, other: &Path) -> bool {
    let absolute = |path: &Path| std::path::absolute(path).unwrap_or_else(|_| path.to_path_buf());
    absolute(one) == absolute(other)
}

/// Compiles what changed since it was compiled, without a word; whether anything had.
///
/// # Errors
/// When it does not compile, or cannot be read or written.
pub(super) fn bring_up_to_date(host: &dyn Host, root: &Path) -> Result<bool> {
    let sources = project::sources(host, root)?;
    if ProgramState::of(host, root, &sources) == ProgramState::Current {
        return Ok(false);
    }
    let mut report = Report::new(&sources);
    if let Ok((checked, warnings)) = check(&sources) {
        report.problems = warnings;
        finish(host, root, &Arguments::without_settings(root.to_path_buf()), &checked, &mut report)?;
    }
    if matches!(report.outcome, Outcome::Written | Outcome::Unchanged) {
        return Ok(true);
    }
    let what = format!("the rules here do not compile; `{}` says why", project::compile_command(root));
    Err(Error::new(ErrorKind::Usage, what).at(root))
}

/// The catalogue the sources mean, with warnings.
///
/// # Errors
/// All problems, when one is an error.
pub(super) fn check(sources: &Sources) -> std::result::Result<(Checked, Vec<Diagnostic>), Vec<Diagnostic>> {
    let (catalogue, mut problems) = yaml::load(sources);
    if problems.iter().any(Diagnostic::is_error) {
        // What could not be read is missing from the catalogue, so only what is wrong with the rest is worth telling:
        // a warning that a flag is never set would be a guess.
        let more = validate(catalogue).err().unwrap_or_default();
        problems.extend(more.into_iter().filter(Diagnostic::is_error));
        sort(&mut problems);
        return Err(problems);
    }
    match validate(catalogue) {
        Ok((checked, warnings)) => {
            problems.extend(warnings);
            problems.extend(lint(&checked));
            sort(&mut problems);
            Ok((checked, problems))
        }
        Err(more) => {
            problems.extend(more);
            sort(&mut problems);
            Err(problems)
        }
    }
}

/// From a checked catalogue to the file, as far as the arguments go.
fn finish(
    host: &dyn Host,
    root: &Path,
    arguments: &Arguments,
    checked: &Checked,
    report: &mut Report<'_>,
) -> Result<()> {
    let digest = project::digest(report.sources);
    let paths = Paths::new(root);
    let word = format!("{}\n", checked.settings().on_error);
    let listed = prices(checked).to_file();
    let told = |report: &Report<'_>, program: &[u8]| {
        let beside = Beside { program, on_error: &word, prices: &listed };
        told::to_file(&report.told(program.len()), report.sources, digest, &beside)
    };
    report.behaviors(checked);
    if !arguments.makes_anyway()
        && let Ok(current) = host.read(&paths.program(), limits::PROGRAM_BYTES)
        && is_program_of(&current, digest)
        && host.read(&paths.on_error(), word.len()).is_ok_and(|bytes| bytes == word.as_bytes())
        && Prices::of(host, &paths.prices()).to_file() == listed
    {
        report.bytes = Some(current.len());
        report.outcome = Outcome::Unchanged;
        if !arguments.dry_run {
            // Worth no word when it fails: then all this is found out again the next time.
            let _ = write(host, &paths, &[(paths.told(), told(report, &current).as_bytes())]);
        }
        return Ok(());
    }
    let Lowered { program, slow_patterns } = match lower(checked, digest) {
        Ok(lowered) => lowered,
        Err(error) => {
            let help = "split the behavior into several";
            report.problems.push(Diagnostic::new(Code::BehaviorTooLarge, error.place, error.to_string(), help));
            return Ok(());
        }
    };
    let bytes = container::write(&program)?;
    if !is_program_of(&bytes, digest) {
        let what = "the compiler made a program that the verifier refuses; nothing was written; please report this";
        return Err(Error::new(ErrorKind::BadProgram, what));
    }
    report.slow_patterns(checked, slow_patterns);
    report.bytes = Some(bytes.len());
    report.outcome = if arguments.validate {
        Outcome::Checked
    } else if arguments.dry_run {
        Outcome::DryRun
    } else {
        let told = told(report, &bytes);
        let mut files = vec![(paths.on_error(), word.as_bytes()), (paths.told(), told.as_bytes())];
        if !listed.is_empty() || host.entry(&paths.prices()) != Entry::Nothing {
            files.push((paths.prices(), listed.as_bytes()));
        }
        files.push((paths.program(), &bytes));
        write(host, &paths, &files)?;
        Outcome::Written
    };
    Ok(())
}

/// The price list with what the project says.
fn prices(checked: &Checked) -> Prices {
    let row = |price: &Price| {
        let Price { model, input, cache_read, cache_write_5m, cache_write_1h, output } = price.clone();
        (model, Rates { input, cache_read, cache_write_5m, cache_write_1h, output })
    };
    Prices { added: checked.prices().iter().map(row).collect() }
}

/// Whether these bytes are a sound program of sources with this digest.
fn is_program_of(bytes: &[u8], digest: [u8; 32]) -> bool {
    container::read(bytes).is_ok_and(|program| program.sources == digest && verify(program).is_ok())
}

/// Replaces the program and what stands beside it, the program last. Two compilers at once would share temporary files, so
/// they take turns.
fn write(host: &dyn Host, paths: &Paths, files: &[(PathBuf, &[u8])]) -> Result<()> {
    let program = paths.program();
    let failed = |path: &Path, error| Error::io("write", path, error);
    if let Some(folder) = program.parent() {
        store::refuse_links(host, folder).map_err(|error| failed(&program, error))?;
        host.create_dir_all(folder).map_err(|error| failed(folder, error))?;
    }
    let _held = turn(host, &program)?;
    for (path, bytes) in files {
        host.write_atomic(path, bytes).map_err(|error| failed(path, error))?;
    }
    Ok(())
}

/// The lock beside a program, waited for as long as writing one could reasonably take.
fn turn(host: &dyn Host, program: &Path) -> Result<Held> {
    let lock = program.with_extension("lock");
    for _ in 0..TURNS {
        if let Some(held) = host.try_lock(&lock).map_err(|error| Error::io("lock", &lock, error))? {
            return Ok(held);
        }
        host.sleep(PAUSE);
    }
    let what = "another `forge compile` does not end; stop it and try again";
    Err(Error::new(ErrorKind::Io, what).at(program))
}
