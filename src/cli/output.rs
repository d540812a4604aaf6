//! Standard output of the commands: written at once, without colour where nobody sees it.

use crate::error::{Error, Result};
use std::io::{self, IsTerminal, Write};
use std::path::Path;

/// Writes a text. A reader that has gone away (`| head`) is no error.
///
/// # Errors
/// When standard output cannot be written.
pub(super) fn say(text: &str) -> Result<()> {
    let mut out = anstream::stdout().lock();
    match out.write_all(text.as_bytes()).and_then(|()| out.flush()) {
        Err(error) if error.kind() != io::ErrorKind::BrokenPipe => {
            Err(Error::io("write", Path::new("standard output"), error))
        }
        _ => Ok(()),
    }
}

/// Whether a person reads along.
pub(super) fn stdout_is_terminal() -> bool {
    io::stdout().is_terminal()
}
