//! No text makes a pattern slow: twice the text is about twice the work, whatever the pattern and however the text was made
//! to keep it busy. Counted, never timed: in bytes looked at for all, in instructions of whole processes for some.

use crate::cli::Project;
use crate::process::{bash, compile};
use forge::bytecode::Work;
use forge::bytecode::program::{PatternConst, Program};
use forge::diagnostic::{Source, Sources};
use forge::host::OsHost;
use forge::{lower, store, validate, yaml};
use std::borrow::Cow;
use std::path::Path;
use std::process::{Command, Stdio};

/// Patterns that are exponential or quadratic where an engine goes back.
const NESTED: &[&str] = &[
    "(a+)+$",
    "(a|aa)+$",
    "(a|a?)+x",
    "(.*)*x",
    r"([a-z]+)*\d",
    "(a*)*b",
    "(?:a?){30}a{30}$",
    "^(([a-z])+.)+[A-Z]([a-z])+$",
    r"(\w+\s?)*!",
    "(.*a){12}$",
    r"\b(a+b?)+c\b",
];
const SIZE: usize = 1 << 19;

/// Texts that keep a pattern busy without giving it what it looks for: its own literals over and over, all but their last
/// letter, the pattern's own plain letters, and texts of one letter.
fn busy(pattern: &PatternConst<'_>) -> Vec<String> {
    let literals = pattern.literals.iter().map(|literal| literal.to_string());
    let near =
        pattern.literals.iter().map(|literal| literal[..literal.floor_char_boundary(literal.len() - 1)].to_owned());
    let own: String = pattern.normal.chars().filter(|c| c.is_alphanumeric() || " -_/.=".contains(*c)).collect();
    let plain = ["a", "ab", "a b ", "z", " ", "\n", "aA1_", "\u{e9}a", "a-"].map(str::to_owned);
    let all = literals.chain(near).chain([own.clone(), own.chars().rev().collect()]).chain(plain);
    all.filter(|text| !text.is_empty()).flat_map(|text| [format!("{text} "), text]).collect()
}

fn filled(unit: &str, size: usize) -> String {
    let mut text = unit.repeat(size / unit.len() + 1);
    text.truncate(text.floor_char_boundary(size));
    text
}

/// What a search spends.
fn spent(pattern: &PatternConst<'_>, text: &str) -> u64 {
    let work = Work::of(u64::MAX);
    let _ = pattern.is_found_within(text, &work);
    u64::MAX - work.left()
}

/// What a lazily built automaton pays when its memory is full; it comes all at once.
const FILLING: u64 = 32 << 20;

fn is_linear(pattern: &PatternConst<'_>) {
    let (mut tried, mut hidden) = (0, String::new());
    for unit in busy(pattern) {
        let (half, whole) = (filled(&unit, SIZE), filled(&unit, 2 * SIZE));
        // A match ends the search, which then costs less.
        if pattern.is_found(&whole) {
            hidden = unit;
            continue;
        }
        tried += 1;
        for automaton in [pattern.automaton.clone(), Cow::Borrowed(&[][..])] {
            let pattern = PatternConst { automaton, ..pattern.clone() };
            let (half, whole) = (spent(&pattern, &half), spent(&pattern, &whole));
            let bound = half * 21 / 10 + FILLING;
            assert!(whole <= bound, "{}: {half} for half of the text, {whole} for {unit:?}", pattern.normal);
        }
    }
    assert!(tried > 3, "{} is found in too many texts, {hidden:?} among them", pattern.normal);
}

/// The catalogue that `forge init` brings, every behavior enabled.
fn catalogue() -> Program<'static> {
    let files = store::source_files(&OsHost::new(), Path::new(env!("CARGO_MANIFEST_DIR"))).unwrap();
    let files = files.into_iter().map(|file| Source::new(file.name, file.bytes.unwrap())).collect();
    let (mut catalogue, _) = yaml::load(&Sources::new(files));
    catalogue.behaviors.iter_mut().for_each(|behavior| behavior.enabled = true);
    lower::lower(&validate::validate(catalogue).unwrap().0, [0; 32]).unwrap().program
}

#[test]
fn no_pattern_of_the_catalogue_is_slow_on_a_text_made_for_it() {
    let program = catalogue();
    let patterns: Vec<_> = program.blocks.iter().flat_map(|block| &block.patterns).collect();
    assert!(patterns.len() > 20, "{}", patterns.len());
    patterns.into_iter().for_each(is_linear);
}

#[test]
fn no_nested_repetition_is_slow() {
    for source in NESTED {
        is_linear(&crate::patterns::constant(source));
    }
}

/// A project with one rule that looks for a pattern in commands.
fn looking_for(pattern: &str) -> Project {
    let project = Project::new();
    project.write("behaviors/index.yaml", "schema_version: \"1\"\nbehaviors: [{id: guard}]\n");
    let rule = crate::process::behavior("guard", "hard_block")
        .replace("operator: contains", "operator: regex_match")
        .replace("value: forbidden", &format!("value: '{pattern}'"));
    project.write("behaviors/guard/behavior.yaml", rule);
    compile(&project);
    project
}

/// How many instructions a whole event takes; `None` where there is no valgrind.
fn instructions(project: &Project, command: &str) -> Option<u64> {
    let payload = project.path("payload.json");
    std::fs::write(&payload, bash(command).to_string()).unwrap();
    let mut valgrind = Command::new("valgrind");
    valgrind.args(["--tool=callgrind", "--callgrind-out-file=/dev/null", env!("CARGO_BIN_EXE_forge-hook")]);
    valgrind.args(["--harness", "claude-code", "--root"]).arg(project.path("")).env("XDG_CONFIG_HOME", "/nowhere");
    valgrind.stdin(std::fs::File::open(&payload).unwrap()).stdout(Stdio::null());
    let told = String::from_utf8(valgrind.output().ok()?.stderr).unwrap();
    let count = told.lines().find_map(|line| line.split_once("Collected : "));
    Some(count.unwrap_or_else(|| panic!("{told}")).1.trim().parse().unwrap())
}

#[test]
fn a_whole_event_takes_twice_the_instructions_for_twice_the_text() {
    if Command::new("valgrind").arg("--version").output().is_err() {
        println!("skipped: no valgrind here");
        return;
    }
    // By the stored automaton; by a lazy one, of a pattern too large to be stored; and because of a word edge beside a
    // letter that is not ASCII.
    for (pattern, unit) in [("(a+)+$", "ab"), ("(x+x+)+y[A-Za-z0-9]{82}", "xxxy"), ("(.*a){12}$", "\u{e9}a")] {
        let project = looking_for(pattern);
        let count = |size: usize| instructions(&project, &filled(unit, size));
        let (Some(nothing), Some(half), Some(whole)) = (count(1), count(SIZE / 4), count(SIZE / 2)) else { return };
        let (half, whole) = (half - nothing, whole - nothing);
        assert!(whole <= half * 5 / 2 && half > 0, "{pattern}: {half} for half of the text, {whole} for all of it");
        println!("{pattern}: {:.2} times the instructions for twice the text", whole as f64 / half as f64);
    }
}
