//! What is measured once: how long `forge compile` takes, how much memory a hook needs.

use crate::project::{self, Extra};
use crate::workshop;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

/// One fact, in its unit, and what it should be at most.
pub(crate) struct Fact {
    pub(crate) name: &'static str,
    pub(crate) value: f64,
    pub(crate) unit: &'static str,
    pub(crate) most: f64,
}

/// All of them, unless only some cases are wanted.
pub(crate) fn all(only: &str) -> Vec<Fact> {
    if !only.is_empty() {
        return Vec::new();
    }
    let root = project::make("compile", Extra { elsewhere: 994, ..Extra::default() });
    let mut facts = Vec::new();
    for (name, options, most) in [
        ("forge compile, 1,000 behaviors", &["--force"][..], 1_000.0),
        ("forge compile, nothing changed", &[][..], 50.0),
    ] {
        let value = middle(5, || project::compile(&root, options)).as_secs_f64() * 1e3;
        facts.push(Fact { name, value, unit: "ms", most });
    }
    facts.extend(address_space().map(|value| Fact {
        name: "memory of a hook, all mappings",
        value,
        unit: "KiB",
        most: 8_192.0,
    }));
    facts
}

fn middle(times: usize, mut work: impl FnMut()) -> Duration {
    let mut samples: Vec<Duration> = (0..times)
        .map(|_| {
            let start = Instant::now();
            work();
            start.elapsed()
        })
        .collect();
    samples.sort_unstable();
    samples[times / 2]
}

/// The least address space, in KiB, in which a block is still answered: an upper bound of the resident memory that
/// needs no privileges. `None` where the shell cannot limit it.
fn address_space() -> Option<f64> {
    let root = workshop().join("projects/block");
    if !root.exists() || !answers(&root, 1 << 20) {
        return None;
    }
    let (mut too_little, mut enough) = (0, 1 << 20);
    while enough - too_little > 64 {
        let middle = too_little + (enough - too_little) / 2;
        if answers(&root, middle) { enough = middle } else { too_little = middle }
    }
    Some(f64::from(enough))
}

fn answers(root: &Path, kibibytes: u32) -> bool {
    let mut shell = Command::new("sh");
    shell.arg("-c").arg(format!("ulimit -v {kibibytes} && exec \"$0\" --harness claude-code <payload.json"));
    shell.arg(env!("CARGO_BIN_EXE_forge-hook")).current_dir(root).stderr(Stdio::null());
    shell.output().is_ok_and(|output| String::from_utf8_lossy(&output.stdout).contains("BLOCKED"))
}
