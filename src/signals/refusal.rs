//! A call that other rules than those that watch here refused: the failure its transcript will show is none.
//! May use `host`; reads no transcript.

use super::fact::hash;
use super::watch;
use crate::host::Host;
use std::io;
use std::path::Path;

/// Takes note that a call was refused. Nothing is to be done for a session that is not watched.
///
/// # Errors
/// As the system says, or when others have the session's memory all the time.
pub fn refused(host: &dyn Host, folder: &Path, session: &str, call: &str) -> io::Result<()> {
    let stem = watch::stem(session);
    let path = folder.join(format!("{stem}.json"));
    if watch::look(host, &path).is_none() {
        return Ok(());
    }
    let _lock = watch::lock(host, folder, &stem).map_err(|unwatched| io::Error::other(unwatched.to_string()))?;
    let Some(mut state) = watch::look(host, &path) else { return Ok(()) };
    state.refuse(hash(&["call", call]));
    host.write_over(&path, &[&serde_json::to_vec(&state).map_err(io::Error::other)?])
}
