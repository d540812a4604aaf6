//! `forge check`: reads the sources and says what is wrong with them; writes nothing.
//! Tells what `forge compile` would tell of them, for people, as JSON, or as SARIF.

use super::compile_report::counted;
use super::output::{say, stdout_is_terminal};
use super::{Exit, compile, project};
use crate::diagnostic::{self, Diagnostic};
use crate::error::Result;
use crate::host::OsHost;
use crate::yaml;
use serde_json::json;
use std::path::PathBuf;

/// Arguments.
#[derive(clap::Args)]
pub(super) struct Arguments {
    /// The project's folder; without it, the nearest one upward that has `behaviors/` or `.forge/`
    #[arg(long, value_name = "DIR")]
    root: Option<PathBuf>,
    /// Let warnings fail as errors do
    #[arg(long)]
    deny_warnings: bool,
    /// Print one JSON object
    #[arg(long)]
    json: bool,
    /// Print a SARIF 2.1.0 log, as code hosts read it
    #[arg(long, conflicts_with = "json")]
    sarif: bool,
}

pub(super) fn run(arguments: &Arguments) -> Result<Exit> {
    let host = OsHost::new();
    let root = project::root(&host, arguments.root.as_deref())?;
    let sources = project::sources(&host, &root)?;
    let (behaviors, problems) = match compile::check(&sources) {
        Ok((checked, warnings)) => (checked.enabled().map(|behavior| behavior.id.value.clone()).collect(), warnings),
        Err(problems) => (Vec::new(), problems),
    };
    let errors = problems.iter().filter(|problem| problem.is_error()).count();
    let warnings = problems.len() - errors;
    if arguments.sarif {
        say(&format!("{}\n", diagnostic::sarif(&problems, &sources, yaml::INDEX)))?;
    } else if arguments.json {
        let report = json!({
            "behaviors": behaviors,
            "errors": errors,
            "warnings": warnings,
            "diagnostics": diagnostic::json(&problems, &sources),
        });
        say(&format!("{report}\n"))?;
    } else {
        let told = diagnostic::human(&problems, &sources, stdout_is_terminal());
        say(&format!("{told}{}\n", summary(behaviors.len(), &problems)))?;
    }
    let failed = errors > 0 || (arguments.deny_warnings && warnings > 0);
    Ok(if failed { Exit::Content } else { Exit::Fine })
}

fn summary(behaviors: usize, problems: &[Diagnostic]) -> String {
    let errors = problems.iter().filter(|problem| problem.is_error()).count();
    let warnings = problems.len() - errors;
    let found = match (errors, warnings) {
        (0, 0) => "nothing wrong".to_owned(),
        (0, warnings) => counted(warnings, "warning"),
        (errors, 0) => counted(errors, "error"),
        (errors, warnings) => format!("{}, {}", counted(errors, "error"), counted(warnings, "warning")),
    };
    if errors > 0 { found } else { format!("checked {}: {found}", counted(behaviors, "behavior")) }
}
