//! Folders of ours that are links. A repository can bring any link, and what is behind it belongs to somebody else, such
//! as the rules of the user's own: nothing is written through one. Uses the host alone.

use crate::host::{Entry, Host};
use std::io;
use std::path::Path;

/// Refuses to write into a folder below a `.forge/`, or that folder itself, when it or one it lies in, up to `.forge`, is
/// a link. Folders elsewhere are nobody's business here.
///
/// # Errors
/// When one is, with its name and what to do.
pub fn refuse_links(host: &dyn Host, folder: &Path) -> io::Result<()> {
    let Some(top) = folder.ancestors().position(|folder| folder.ends_with(".forge")) else { return Ok(()) };
    match folder.ancestors().take(top + 1).find(|folder| host.entry(folder) == Entry::Link) {
        None => Ok(()),
        Some(link) => {
            let what = format!("{} is a link, and links are not written through; make it a folder", link.display());
            Err(io::Error::new(io::ErrorKind::InvalidInput, what))
        }
    }
}
