//! Which responses have been counted, by this session and by others: eight bytes each, sorted, one file per session.
//! May use `host` and `limits`. A resumed session begins with a copy of an earlier one's records; this tells them apart.

use super::fact::Hash;
use crate::host::Host;
use crate::limits;
use std::collections::BTreeSet;
use std::io;
use std::path::{Path, PathBuf};

/// The counted responses, read when first asked for.
pub(super) struct Counted<'h> {
    host: &'h dyn Host,
    path: PathBuf,
    own: Option<Vec<Hash>>,
    others: Option<Vec<Hash>>,
    fresh: BTreeSet<Hash>,
}

/// The ending of these files.
pub(super) const ENDING: &str = ".counted";

/// Most bytes of other sessions' files looked at.
const OTHERS: usize = 16 << 20;

impl<'h> Counted<'h> {
    /// Those of the session whose file this is.
    pub(super) fn new(host: &'h dyn Host, path: PathBuf) -> Self {
        Self { host, path, own: None, others: None, fresh: BTreeSet::new() }
    }

    /// Whether this session counted a response.
    pub(super) fn has(&mut self, id: Hash) -> bool {
        self.fresh.contains(&id) || self.own().binary_search(&id).is_ok()
    }

    /// Whether another session counted it.
    pub(super) fn is_foreign(&mut self, id: Hash) -> bool {
        let (host, path) = (self.host, &self.path);
        self.others.get_or_insert_with(|| others(host, path)).binary_search(&id).is_ok()
    }

    /// Takes note that it is counted now.
    pub(super) fn add(&mut self, id: Hash) {
        self.fresh.insert(id);
    }

    /// Writes down what is new.
    ///
    /// # Errors
    /// As the system says.
    pub(super) fn save(&mut self) -> io::Result<()> {
        if self.fresh.is_empty() {
            return Ok(());
        }
        let mut all = std::mem::take(self.own());
        all.extend(std::mem::take(&mut self.fresh));
        all.sort_unstable();
        all.truncate(limits::COUNTED_RESPONSES);
        let bytes: Vec<u8> = all.iter().flat_map(|id| id.to_le_bytes()).collect();
        self.own = Some(all);
        self.host.write_atomic(&self.path, &bytes)
    }

    fn own(&mut self) -> &mut Vec<Hash> {
        let (host, path) = (self.host, &self.path);
        self.own.get_or_insert_with(|| sorted(read(host, path)))
    }
}

fn read(host: &dyn Host, path: &Path) -> Vec<Hash> {
    let bytes = host.read(path, limits::COUNTED_RESPONSES * size_of::<Hash>()).unwrap_or_default();
    bytes.as_chunks().0.iter().map(|eight| Hash::from_le_bytes(*eight)).collect()
}

/// A damaged file must not make the search lie about what it holds.
fn sorted(mut ids: Vec<Hash>) -> Vec<Hash> {
    if !ids.is_sorted() {
        ids.sort_unstable();
    }
    ids
}

fn others(host: &dyn Host, own: &Path) -> Vec<Hash> {
    let Some(folder) = own.parent() else { return Vec::new() };
    let names = host.list(folder).unwrap_or_default();
    let mut ids = Vec::new();
    for name in names.iter().filter(|name| name.ends_with(ENDING)) {
        let path = folder.join(name);
        if path != own && ids.len() * size_of::<Hash>() < OTHERS {
            ids.extend(read(host, &path));
        }
    }
    sorted(ids)
}
