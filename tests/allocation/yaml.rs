//! Reading an author's files: at most the largest file there may be, times a number, whatever is written in it.

use crate::Meter;
use forge::diagnostic::{self, Source, Sources};
use forge::{limits, yaml};

/// A scalar of two bytes becomes a node with its place; each that is none of a behavior's is a problem with its message.
const FACTOR: usize = 1_000;
/// The tables of Unicode, once.
const BESIDES: usize = 16 << 20;

#[test]
fn a_file_of_yaml_costs_a_number_of_bytes_for_each_of_its_own() {
    let meter = Meter::take();
    let size = limits::YAML_BYTES / 64;
    let bomb = (1..40).fold("a0: &a0 [x, x]\n".to_owned(), |text, level| {
        let below = level - 1;
        text + &format!("a{level}: &a{level} [{}]\n", vec![format!("*a{below}"); 10].join(", "))
    });
    let texts = [
        ("a bomb of aliases", bomb),
        ("deep brackets", "[".repeat(size)),
        ("deep braces", "{a: ".repeat(size / 4)),
        ("deep lines", (0..700).map(|level| format!("{}a:\n", " ".repeat(level))).collect()),
        ("a huge scalar", format!("name: {}\n", "x".repeat(size))),
        ("a huge text in quotes", format!("name: \"{}\"\n", "\\n".repeat(size / 2))),
        ("a huge block", format!("name: |\n{}", "  x\n".repeat(size / 4))),
        ("many keys", (0..size / 8).map(|at| format!("k{at}: 1\n")).collect()),
        ("many items", format!("policy: [{}]\n", "0,".repeat(size / 2))),
        ("many documents", "---\n".repeat(size / 4)),
        ("a huge tag", format!("name: !{} x\n", "t".repeat(size))),
        ("a huge anchor", format!("name: &{} x\n", "t".repeat(size))),
        ("a huge comment", format!("# {}\nname: x\n", "t".repeat(size))),
        ("no text", "\u{0}".repeat(size)),
        ("too large", "x".repeat(limits::YAML_BYTES + 1)),
    ];
    for (about, text) in texts {
        for name in [yaml::INDEX, yaml::CONFIG, yaml::PRICES, "behaviors/a/behavior.yaml"] {
            let index = Source::new(yaml::INDEX, "schema_version: \"1\"\nbehaviors: [{id: a}]\n");
            let others = (name != yaml::INDEX).then_some(index);
            let sources = Sources::new(others.into_iter().chain([Source::new(name, text.clone())]).collect());
            meter.is_bounded(&format!("{about} as {name}"), text.len(), (FACTOR, BESIDES), || {
                let (_, problems) = yaml::load(&sources);
                let _ = diagnostic::human(&problems, &sources, false);
            });
        }
    }
}
