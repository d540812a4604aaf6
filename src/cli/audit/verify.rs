//! `forge audit verify`: says whether the log of overrides is as it was written. Changes nothing.

use crate::cli::output::say;
use crate::cli::{Exit, project};
use crate::error::Result;
use crate::host::OsHost;
use crate::store::{self, Paths, Verification};
use std::path::PathBuf;

/// Arguments.
#[derive(clap::Args)]
pub(super) struct Arguments {
    /// The project's folder; without it, the nearest one upward that has `behaviors/` or `.forge/`
    #[arg(long, value_name = "DIR")]
    root: Option<PathBuf>,
}

pub(super) fn run(arguments: &Arguments) -> Result<Exit> {
    let host = OsHost::new();
    let paths = Paths::new(&project::root(&host, arguments.root.as_deref())?);
    let verification = store::verify(&host, &paths)?;
    say(&report(&verification, &paths))?;
    let is_changed = verification.findings.iter().any(|finding| finding.is_problem());
    Ok(if is_changed { Exit::Content } else { Exit::Fine })
}

fn report(verification: &Verification, paths: &Paths) -> String {
    let log = paths.overrides_log();
    let lines = match verification.lines {
        1 => String::from("1 line"),
        more => format!("{more} lines"),
    };
    let mut report = match (verification.lines, verification.is_chained) {
        (0, false) => format!("{}: no override yet\n", log.display()),
        (_, false) => format!("{}: {lines}, no chain yet; the next override starts it\n", log.display()),
        (_, true) if verification.findings.is_empty() => format!("{}: {lines}, all as written\n", log.display()),
        (_, true) => format!("{}: {lines}\n", log.display()),
    };
    for finding in &verification.findings {
        report.push_str(&format!("  {finding}\n"));
    }
    report
}
