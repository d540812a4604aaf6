//! What the command says about itself: examples that work, pages that name every command, scripts and manual pages.

use crate::cli::{Project, Ran, forge};
use std::collections::BTreeSet;
use std::path::Path;
use std::process::Command;

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// The subcommands in the order of the help text.
fn commands(help: &str) -> Vec<String> {
    let list = help.split("Commands:\n").nth(1).expect(help).split("\n\n").next().unwrap();
    let names = list.lines().filter_map(|line| line.strip_prefix("  ").filter(|line| !line.starts_with(' ')));
    names.map(|line| line.split_whitespace().next().unwrap().to_owned()).filter(|name| name != "help").collect()
}

fn help(arguments: &[&str]) -> String {
    let ran = forge(&Project::new(), arguments);
    assert_eq!((ran.code, ran.stderr.as_str()), (0, ""));
    ran.stdout
}

/// A line as a shell would cut it; single quotes alone are used.
fn words(line: &str) -> Vec<String> {
    let mut words = Vec::new();
    for (number, part) in line.split('\'').enumerate() {
        if number % 2 == 1 {
            words.push(part.to_owned());
        } else {
            words.extend(part.split_whitespace().map(str::to_owned));
        }
    }
    words
}

/// The examples of a command, with the exit code the line above each promises.
fn examples(help: &str) -> Vec<(i32, String)> {
    let Some(text) = help.split("Examples:\n").nth(1) else { return Vec::new() };
    let lines: Vec<&str> = text.lines().map(str::trim).filter(|line| !line.is_empty()).collect();
    let pairs = lines.windows(2).filter(|pair| pair[0].starts_with("# ") && pair[1].starts_with("forge "));
    let code = |what: &str| what.split("exits ").nth(1).map_or(0, |rest| rest[..1].parse().unwrap());
    pairs.map(|pair| (code(pair[0]), pair[1].to_owned())).collect()
}

/// `forge` where no real settings are, and nobody at a terminal.
fn run_alone(project: &Project, arguments: &[String]) -> Ran {
    Ran::of(
        Command::new(env!("CARGO_BIN_EXE_forge"))
            .args(arguments)
            .current_dir(project.path(""))
            .env("HOME", project.path("home"))
            .env("USERPROFILE", project.path("home"))
            .env_remove("CODEX_HOME")
            .env_remove("CLAUDE_CONFIG_DIR")
            .stdin(std::process::Stdio::null()),
    )
}

#[test]
fn every_command_has_examples_and_they_end_as_told() {
    let mut number = 0;
    // Compiled once; every command gets a copy.
    let compiled = Project::new();
    compiled.copy_into(&root().join("behaviors"), "behaviors");
    assert_eq!(forge(&compiled, &["compile", "--no-settings"]).code, 0);
    for command in commands(&help(&["--help"])) {
        let project = Project::new();
        project.copy(&compiled.path(""));
        let examples = examples(&help(&[&command, "--help"]));
        assert!(!examples.is_empty(), "`forge {command} --help` has no example");
        for (code, line) in examples {
            assert!(line.starts_with(&format!("forge {command}")) || command == "new", "{line}");
            let ran = run_alone(&project, &words(&line)[1..]);
            assert_eq!(ran.code, code, "{line}\n{}{}", ran.stdout, ran.stderr);
            number += 1;
        }
    }
    assert!(number > 30, "{number} examples were found");
}

#[test]
fn every_command_says_in_one_line_what_it_does() {
    let text = help(&["--help"]);
    for command in commands(&text) {
        let line = help(&[&command, "-h"]).lines().next().unwrap().to_owned();
        assert!(line.len() < 100 && !line.ends_with('.'), "`forge {command}`: {line}");
        assert!(text.contains(&line[..20]), "{line}");
    }
    assert_eq!(help(&["help"]), text);
}

#[test]
fn the_page_of_commands_has_all_of_them_in_order() {
    let page = std::fs::read_to_string(root().join("docs/commands.md")).unwrap();
    let rows = page.lines().filter_map(|line| line.strip_prefix("| `forge ")?.split(['`', ' ']).next());
    let mut rows: Vec<String> = rows.map(str::to_owned).collect();
    rows.dedup();
    assert_eq!(rows, commands(&help(&["--help"])));
    for row in page.lines().filter(|line| line.starts_with("| `forge ")) {
        let cells: Vec<&str> = row.trim_matches('|').split('|').map(str::trim).collect();
        assert_eq!(cells.len(), 3, "{row}");
        assert!(cells[2].contains('0') && cells[2].contains('2'), "exit codes are missing: {row}");
    }
}

#[test]
fn completions_know_every_command() {
    let commands = commands(&help(&["--help"]));
    for shell in ["bash", "zsh", "fish"] {
        let script = help(&["completions", shell]);
        for word in commands
            .iter()
            .map(String::as_str)
            .chain(["--deny-warnings", "deny-warnings"].iter().copied().skip(usize::from(shell == "fish")))
        {
            assert!(script.contains(word), "{shell}: `{word}` is missing");
        }
    }
    assert_eq!(forge(&Project::new(), &["completions", "cmd"]).code, 2);
}

/// Where the shell is installed, it can read the script.
#[test]
fn completions_are_scripts() {
    for shell in ["bash", "zsh", "fish"] {
        let project = Project::new();
        project.write("script", help(&["completions", shell]));
        match Command::new(shell).arg("-n").arg(project.path("script")).output() {
            Ok(ran) => assert!(ran.status.success(), "{shell}: {}", String::from_utf8_lossy(&ran.stderr)),
            Err(_) => eprintln!("skipped: {shell} is not here"),
        }
    }
}

#[test]
fn every_command_has_a_manual_page() {
    let project = Project::new();
    assert_eq!(forge(&project, &["man", "--dir", "man1"]).code, 0);
    let pages: BTreeSet<String> = std::fs::read_dir(project.path("man1"))
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    for command in commands(&help(&["--help"])) {
        assert!(pages.contains(&format!("forge-{command}.1")), "{command}");
        let page = std::fs::read_to_string(project.path(&format!("man1/forge-{command}.1"))).unwrap();
        assert!(page.contains(".TH") && page.contains("Examples:"), "{command}");
    }
    assert!(pages.contains("forge-behavior-list.1"));
    assert_eq!(forge(&project, &["man"]).stdout, std::fs::read_to_string(project.path("man1/forge.1")).unwrap());
}
