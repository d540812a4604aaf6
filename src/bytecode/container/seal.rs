//! The checksum of records: finds damage, at the speed of reading. Uses nothing.
//! It is no defence against forgery, and no digest would be: who can write the file can write its digests.

/// Odd, so that multiplying by it loses nothing.
const FACTOR: u64 = 0x9e37_79b9_7f4a_7c15;

/// The seal of record `number`. Every step is reversible, so a change within one word always changes the seal, and a
/// record at another's place does not pass for it.
#[must_use]
pub fn seal(number: u64, record: &[u8]) -> u64 {
    let (words, rest) = record.as_chunks::<8>();
    let sealed = words.iter().fold(step(FACTOR, number), |so_far, word| step(so_far, u64::from_le_bytes(*word)));
    let mut last = [0; 8];
    for (into, byte) in last.iter_mut().zip(rest) {
        *into = *byte;
    }
    step(step(sealed, u64::from_le_bytes(last)), record.len() as u64)
}

const fn step(so_far: u64, word: u64) -> u64 {
    let mixed = (so_far ^ word).wrapping_mul(FACTOR);
    mixed ^ (mixed >> 32)
}
