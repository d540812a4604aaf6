//! `forge uninstall`: takes forge's entries out of a harness's settings, and nothing else.

use super::Exit;
use super::install::Selection;
use crate::error::Result;
use crate::host::OsHost;

/// Arguments.
#[derive(clap::Args, Clone, Debug)]
pub(super) struct Arguments {
    #[command(flatten)]
    selection: Selection,
}

pub(super) fn run(arguments: &Arguments) -> Result<Exit> {
    let host = OsHost::new();
    let (_, target) = arguments.selection.target(&host)?;
    let plan = target.uninstall(&host)?;
    arguments.selection.finish(&host, &target, &plan, &[])
}
