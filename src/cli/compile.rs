//! (under construction)

use super::Exit;
use crate::error::Result;

/// Arguments.
#[derive(clap::Args)]
pub(super) struct Arguments {}

pub(super) fn run(_arguments: &Arguments) -> Result<Exit> {
    Ok(Exit::Fine)
}
