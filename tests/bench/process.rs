//! Starting processes and timing them: the floor and every case in turn, so that all see the same moments.

use crate::cases::Case;
use std::fs::File;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

/// The times of one case and, beside it, of the floor, sorted.
pub(crate) struct Measured {
    pub(crate) floor: Vec<Duration>,
    pub(crate) times: Vec<Duration>,
}

/// Builds the empty program as `forge-hook` is built.
pub(crate) fn floor(workshop: &Path) -> PathBuf {
    let scripts = env!("FORGE_STATIC_SCRIPTS");
    println!("linked {}\n", if scripts.is_empty() { "dynamically" } else { "statically" });
    empty_program(workshop, "floor", scripts)
}

/// Builds it with the same profile, linked as cargo links a program about which nothing is said.
pub(crate) fn ordinary_floor(workshop: &Path) -> PathBuf {
    empty_program(workshop, "floor-ordinary", "")
}

fn empty_program(workshop: &Path, name: &str, scripts: &str) -> PathBuf {
    let program = workshop.join(format!("{name}{}", std::env::consts::EXE_SUFFIX));
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/bench/floor.rs");
    let mut rustc = Command::new("rustc");
    rustc.args([
        "--edition=2024",
        "-Copt-level=3",
        "-Clto=fat",
        "-Ccodegen-units=1",
        "-Cpanic=abort",
        "-Cstrip=symbols",
    ]);
    if !scripts.is_empty() {
        rustc.args(["-Clink-arg=-static", "-Clink-arg=-no-pie", &format!("-Clink-arg=-L{scripts}")]);
    }
    let status = rustc.arg("-o").arg(&program).arg(source).status().expect("rustc");
    assert!(status.success(), "the floor program does not build");
    program
}

/// The two empty programs in turn: what the way of linking is worth.
pub(crate) fn linkings(floor: &Path, ordinary: &Path, case: &Case, rounds: usize) -> Measured {
    let mut measured = Measured { floor: vec![], times: vec![] };
    for _ in 0..rounds {
        measured.floor.push(time(floor, case));
        measured.times.push(time(ordinary, case));
    }
    measured.floor.sort_unstable();
    measured.times.sort_unstable();
    measured
}

/// Runs every case `rounds` times in turn, the floor before each.
pub(crate) fn measure(floor: &Path, cases: &[Case], rounds: usize) -> Vec<Measured> {
    for case in cases {
        check(case);
    }
    let mut measured: Vec<Measured> = cases.iter().map(|_| Measured { floor: vec![], times: vec![] }).collect();
    for round in 0..rounds {
        for (case, measured) in cases.iter().zip(&mut measured) {
            if case.is_heavy() && round % 10 != 0 {
                continue;
            }
            measured.floor.push(time(floor, case));
            measured.times.push(time(Path::new(env!("CARGO_BIN_EXE_forge-hook")), case));
        }
    }
    for measured in &mut measured {
        measured.floor.sort_unstable();
        measured.times.sort_unstable();
    }
    measured
}

/// Fails when a case is not what its name says.
fn check(case: &Case) {
    let output = command(Path::new(env!("CARGO_BIN_EXE_forge-hook")), case).stdin(payload(case)).output().unwrap();
    let (said, warned) = (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    let is_right = if case.says.is_empty() { said.is_empty() } else { said.contains(case.says) };
    assert!(output.status.success() && is_right && warned.is_empty(), "{}: {said}\n{warned}", case.name);
    let has_state = case.root.join(".forge/runtime/state.json").exists();
    assert_eq!(has_state, case.name != "no candidate rule", "{}", case.name);
}

/// The event of a case so many times before, each time as another call.
pub(crate) fn repeat(case: &Case, times: usize) {
    let text = std::fs::read_to_string(&case.payload).unwrap();
    let before = case.root.join("before.json");
    for number in 0..times {
        let other =
            text.replace("toolu_", &format!("toolu_{number}_")).replace("git status", &format!("echo {number}"));
        std::fs::write(&before, other).unwrap();
        let mut command = command(Path::new(env!("CARGO_BIN_EXE_forge-hook")), case);
        let status = command.stdin(File::open(&before).unwrap()).stdout(Stdio::null()).status().unwrap();
        assert!(status.success(), "{}", case.name);
    }
}

fn command(program: &Path, case: &Case) -> Command {
    let mut command = Command::new(program);
    command.args(["--harness", "claude-code"]).env_clear().env("CLAUDE_PROJECT_DIR", &case.root);
    command
}

fn payload(case: &Case) -> Stdio {
    File::open(&case.payload).unwrap().into()
}

fn time(program: &Path, case: &Case) -> Duration {
    let mut commands: Vec<Command> = (0..case.parallel).map(|_| command(program, case)).collect();
    for command in &mut commands {
        command.stdin(payload(case)).stdout(Stdio::null()).stderr(Stdio::null());
    }
    let start = Instant::now();
    let children: Vec<Child> = commands.iter_mut().map(|command| command.spawn().unwrap()).collect();
    for mut child in children {
        child.wait().unwrap();
    }
    start.elapsed()
}
