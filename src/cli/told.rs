//! What the last `forge compile` told, kept beside the program, so that the same sources need not be read and checked again
//! to tell it again. It is worth nothing but time: a file that is missing, damaged, or of other sources, of another
//! program or another forge is passed over, and everything is found out anew.
//!
//! The first line is a digest over what the rest depends on and the rest itself, one JSON object.

use crate::bytecode::container;
use crate::diagnostic::{self, Code, Diagnostic, Sources};
use crate::host::Host;
use crate::limits;
use crate::model::Event;
use crate::signals::Prices;
use crate::store::Paths;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use sha2::{Digest, Sha256};
use std::fmt::Write;
use std::io;
use std::path::Path;

/// What a program is read in, bytes. To hold all of a large one costs more than to look at it.
const PIECE: usize = 256 << 10;

/// What there is to tell of a project that compiled.
pub(super) struct Told {
    /// The ids of the behaviors that act.
    pub(super) behaviors: Vec<String>,
    /// The events they act on.
    pub(super) events: Vec<Event>,
    /// What is told of the sources.
    pub(super) warnings: Vec<Diagnostic>,
    /// How large the program is.
    pub(super) bytes: usize,
}

/// What stands in the compiled folder besides.
pub(super) struct Beside<'a> {
    /// The program, whole.
    pub(super) program: &'a [u8],
    /// The text of `on_error`.
    pub(super) on_error: &'a str,
    /// The text of `prices`.
    pub(super) prices: &'a str,
}

/// The rest of the file.
#[derive(Serialize, Deserialize)]
struct Kept {
    bytes: usize,
    seal: u64,
    on_error: String,
    prices: String,
    behaviors: Vec<String>,
    events: Vec<String>,
    warnings: Value,
}

/// What was told of these sources, if the program that came of them, and all that stands beside it, are still there and
/// not a byte different.
pub(super) fn read(host: &dyn Host, paths: &Paths, sources: &Sources, digest: [u8; 32]) -> Option<Told> {
    let text = String::from_utf8(host.read(&paths.told(), limits::PROGRAM_BYTES).ok()?).ok()?;
    let (bond, kept) = text.split_once('\n')?;
    if bond != bond_of(digest, kept) {
        return None;
    }
    let kept: Kept = serde_json::from_str(kept).ok()?;
    let is_on_error = host.read(&paths.on_error(), kept.on_error.len()).ok()? == kept.on_error.as_bytes();
    if !is_on_error || Prices::of(host, &paths.prices()).to_file() != kept.prices {
        return None;
    }
    let told = Told {
        events: kept.events.iter().map(|name| Event::from_name(name)).collect::<Option<_>>()?,
        warnings: diagnostic::from_json(&kept.warnings, sources)?,
        behaviors: kept.behaviors,
        bytes: kept.bytes,
    };
    (sealed(host, &paths.program()).ok()? == (kept.bytes, kept.seal)).then_some(told)
}

/// The file of it.
pub(super) fn to_file(told: &Told, sources: &Sources, digest: [u8; 32], beside: &Beside<'_>) -> String {
    let kept = Kept {
        bytes: told.bytes,
        seal: beside.program.chunks(PIECE).fold(0, container::seal),
        on_error: beside.on_error.to_owned(),
        prices: beside.prices.to_owned(),
        behaviors: told.behaviors.clone(),
        events: told.events.iter().map(|event| event.name().to_owned()).collect(),
        warnings: diagnostic::json(&told.warnings, sources),
    };
    // Numbers, texts and lists always have a JSON form; without one, the file is one that is passed over.
    let kept = serde_json::to_string(&kept).unwrap_or_default();
    format!("{}\n{kept}", bond_of(digest, &kept))
}

/// The digest over what is told, the sources it is told of, and everything there is to tell: another version of forge
/// changes the sources' digest, another set of warnings the table of codes.
fn bond_of(sources: [u8; 32], kept: &str) -> String {
    let mut hash = Sha256::new_with_prefix(sources);
    for code in Code::ALL {
        for part in [code.name(), code.severity().name(), code.title(), code.explanation()] {
            hash.update(part);
        }
    }
    hash.update(kept);
    let mut digits = String::new();
    for byte in hash.finalize() {
        // Writing to a String cannot fail.
        let _ = write!(digits, "{byte:02x}");
    }
    digits
}

/// The length of a program file, and the seal over its pieces.
fn sealed(host: &dyn Host, path: &Path) -> io::Result<(usize, u64)> {
    let file = host.open(path)?;
    let length = usize::try_from(file.length()).unwrap_or(usize::MAX);
    let starts = (0..length).step_by(PIECE);
    let pieces = starts.map(|start| file.bytes(start as u64, PIECE.min(length - start)));
    let seal = pieces.into_iter().try_fold(0, |so_far, piece| Ok::<_, io::Error>(container::seal(so_far, &piece?)))?;
    Ok((length, seal))
}
