//! The checksum of a record, written from the section "Seals" of `bytecode-spec/container.md`. For the tests that read or
//! damage a program file; shares no code with `container`.

/// What a record with this number is sealed with.
pub(crate) fn seal(number: u64, record: &[u8]) -> u64 {
    let factor = 0x9e37_79b9_7f4a_7c15_u64;
    let step = |so_far: u64, word: u64| {
        let mixed = (so_far ^ word).wrapping_mul(factor);
        mixed ^ (mixed >> 32)
    };
    let mut so_far = step(factor, number);
    let mut padded = record.to_vec();
    padded.resize((record.len() / 8 + 1) * 8, 0);
    for word in padded.chunks(8) {
        so_far = step(so_far, u64::from_le_bytes(word.try_into().unwrap()));
    }
    step(so_far, record.len() as u64)
}
