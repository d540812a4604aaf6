//! `forge allow CODE`: a person lets one blocked call through. Says what came of it; the asking, and the reasons not to
//! ask, are the store's.

use super::output::say;
use super::{Exit, project};
use crate::error::Result;
use crate::host::OsHost;
use crate::store::{self, Paths};
use std::path::PathBuf;

/// Arguments.
#[derive(clap::Args)]
pub(super) struct Arguments {
    /// The code that the block's message names
    code: String,
    /// The project's folder; without it, the nearest one upward that has `behaviors/` or `.forge/`
    #[arg(long, value_name = "DIR")]
    root: Option<PathBuf>,
}

pub(super) fn run(arguments: &Arguments) -> Result<Exit> {
    let host = OsHost::new();
    let paths = Paths::new(&project::root(&host, arguments.root.as_deref())?);
    if store::allow(&host, &paths, &arguments.code)?.is_none() {
        return say("nothing is allowed\n").map(|()| Exit::Content);
    }
    let window = store::window(&host);
    say(&format!("allowed once: the agent can now make the same call again, within {window} s\n"))?;
    Ok(Exit::Fine)
}
