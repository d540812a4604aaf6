//! Reading a program allocates in proportion to its bytes, whatever they claim.

use crate::Meter;
use crate::seal::seal;
use forge::bytecode::assemble::assemble;
use forge::bytecode::{container, verify};
use forge::model::Event;
use sha2::{Digest, Sha256};

/// The dearest value in memory is a pattern: 128 bytes for five in the file.
const FACTOR: usize = 64;
/// What a search engine for a guard may take besides.
const ENGINES: usize = 4 << 20;

const SAMPLE: &str = r#"
file "behaviors/a/behavior.yaml"
block 0 "a" "A" nudge 0:1:1
  threshold 1 nudge
  hint "do this"
  nudge "see " {counter}
  text "force"
  pattern "git" "git" "git" automaton
  routine PreToolUse
    at 0 0:3:1
    contains command t0
    jump-unless L1
    violate 0
  L1:
    end
dispatch PreToolUse
  tool "Bash" 0
  other 0
    guard "mcp" "mcp"
"#;

fn read_all(bytes: &[u8]) {
    if let Ok(program) = container::read(bytes) {
        drop(verify(program));
    }
    for tool in ["Bash", "mcp__x"] {
        drop(container::select(bytes, Event::PreToolUse, tool).map(verify));
    }
}

/// The records as (offset in the file, offset of their entry), and where the directory ends.
fn records(bytes: &[u8]) -> (usize, Vec<(usize, usize)>) {
    let directory_end = 96 + u64::from_le_bytes(bytes[56..64].try_into().unwrap()) as usize;
    let table = directory_end.next_multiple_of(8);
    let first = u32::from_le_bytes(bytes[table..table + 4].try_into().unwrap()) as usize;
    let entries = (table..first).step_by(16);
    let at = |entry: usize| u32::from_le_bytes(bytes[entry..entry + 4].try_into().unwrap()) as usize;
    (directory_end, entries.map(|entry| (at(entry), entry)).collect())
}

#[test]
fn reading_allocates_in_proportion_to_the_file() {
    let meter = Meter::take();
    let program = assemble(SAMPLE, &mut |_| vec![1; 64]).unwrap();
    let bytes = container::write(&program).unwrap();
    let bound = bytes.len() * FACTOR + ENGINES;
    assert!(meter.peak(|| read_all(&bytes)) <= bound);

    // Every byte of every record in turn becomes a number of nine bytes that claims to be huge.
    let (directory_end, records) = records(&bytes);
    let mut lies = 0;
    for (number, (start, entry)) in (0_u64..).zip(&records) {
        let length = u32::from_le_bytes(bytes[entry + 4..entry + 8].try_into().unwrap()) as usize;
        for at in *start..start + length {
            for claim in [1 << 20, 1 << 32, 1 << 60, u64::MAX] {
                let mut lying = bytes.clone();
                if at + 9 > start + length {
                    continue;
                }
                lying[at] = 253;
                lying[at + 1..at + 9].copy_from_slice(&u64::to_le_bytes(claim));
                let sealed = seal(number, &lying[*start..start + length]).to_le_bytes();
                lying[entry + 8..entry + 16].copy_from_slice(&sealed);
                let peak = meter.peak(|| read_all(&lying));
                assert!(peak <= bound, "{peak} bytes allocated for a claim of {claim} at byte {at}");
                lies += 1;
            }
        }
    }
    assert!(lies > 400, "only {lies} lies were told");

    // And every byte of the directory any other.
    for at in 96..directory_end {
        for byte in 0..=255 {
            let mut lying = bytes.clone();
            lying[at] = byte;
            let digest = Sha256::new().chain_update(&lying[..64]).chain_update(&lying[96..directory_end]).finalize();
            lying[64..96].copy_from_slice(&digest);
            let peak = meter.peak(|| read_all(&lying));
            assert!(peak <= bound, "{peak} bytes allocated for {byte} at byte {at} of the directory");
        }
    }
}
