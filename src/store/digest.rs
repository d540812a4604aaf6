//! SHA-256, as bytes and as hexadecimal text. Uses `sha2`.

use sha2::{Digest, Sha256};
use std::fmt::Write;

/// The 32 bytes.
pub(super) fn sha256(bytes: &[u8]) -> [u8; 32] {
    Sha256::digest(bytes).into()
}

/// All 64 digits, lower case.
pub(super) fn hex(bytes: &[u8]) -> String {
    let mut digits = String::with_capacity(64);
    for byte in Sha256::digest(bytes) {
        // Writing to a String cannot fail.
        let _ = write!(digits, "{byte:02x}");
    }
    digits
}
