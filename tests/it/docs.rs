//! The pages say what is so: their examples compile, their scenarios hold, their links lead somewhere.

use crate::cli::{Project, forge};
use std::fs;
use std::path::{Path, PathBuf};

fn root() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR"))
}

/// The fenced blocks of a page in one language, in order.
fn blocks(page: &str, language: &str) -> Vec<String> {
    let fence = format!("```{language}\n");
    page.split(&fence).skip(1).filter_map(|rest| rest.split("```").next()).map(str::to_owned).collect()
}

fn id(behavior: &str) -> String {
    let line = behavior.lines().find_map(|line| line.strip_prefix("id: "));
    line.expect("a behavior has an id").to_owned()
}

/// Compiles the page's behaviors, each with the scenarios that follow it.
fn play(page: &str) {
    let text = fs::read_to_string(root().join(page)).unwrap();
    let examples = blocks(&text, "yaml");
    let project = Project::new();
    let mut index = "schema_version: \"1\"\nbehaviors:\n".to_owned();
    let mut last = String::new();
    for example in &examples {
        if example.contains("\npolicy:") {
            last = id(example);
            index += &format!("  - id: {last}\n");
            project.write(&format!("behaviors/{last}/behavior.yaml"), example);
        } else if example.contains("\nscenarios:") {
            project.write(&format!("behaviors/{last}/tests/page.yaml"), example);
        }
    }
    assert!(!last.is_empty(), "{page} shows no behavior");
    project.write("behaviors/index.yaml", index);
    let compiled = forge(&project, &["compile", "--no-settings"]);
    assert_eq!(compiled.code, 0, "{page}: {}", compiled.stdout);
    assert!(!compiled.stdout.contains("warning"), "{page}: {}", compiled.stdout);
    if examples.iter().any(|example| example.contains("\nscenarios:")) {
        let played = forge(&project, &["test"]);
        assert_eq!(played.code, 0, "{page}: {}{}", played.stdout, played.stderr);
    }
}

#[test]
fn the_examples_of_the_pages_compile_and_their_scenarios_hold() {
    play("README.md");
    play("docs/writing-behaviors.md");
}

#[test]
fn the_rule_on_signals_compiles() {
    play("docs/signals.md");
}

fn pages() -> Vec<PathBuf> {
    let mut pages = vec![root().join("README.md")];
    for folder in ["docs", "bytecode-spec"] {
        let entries = fs::read_dir(root().join(folder)).unwrap();
        pages.extend(
            entries.map(|entry| entry.unwrap().path()).filter(|path| path.extension().is_some_and(|it| it == "md")),
        );
    }
    pages
}

/// The targets of `[text](target)`, outside code.
fn links(text: &str) -> Vec<String> {
    let prose: String = text.split("```").step_by(2).collect();
    let targets = prose.split("](").skip(1).filter_map(|rest| rest.split(')').next());
    targets.map(str::to_owned).collect()
}

#[test]
fn links_between_pages_lead_somewhere() {
    for page in pages().into_iter().filter(|page| page.exists()) {
        let text = fs::read_to_string(&page).unwrap();
        for link in links(&text) {
            let target = link.split('#').next().unwrap();
            if target.is_empty() || target.contains("://") {
                continue;
            }
            let path: PathBuf = page.parent().map(Path::to_path_buf).unwrap().join(target);
            assert!(path.exists(), "{}: `{link}` leads nowhere", page.display());
        }
    }
}

/// Everything between backticks, without code blocks.
fn words(text: &str) -> Vec<String> {
    let mut is_code = false;
    let prose: Vec<&str> = text
        .lines()
        .filter(|line| {
            is_code ^= line.starts_with("```");
            !is_code && !line.starts_with("    ")
        })
        .collect();
    prose.join("\n").split('`').skip(1).step_by(2).map(str::to_owned).collect()
}

#[test]
fn files_that_pages_name_are_there() {
    let tops = ["src/", "tests/", "grammar/", "docs/", "bytecode-spec/"];
    for page in pages() {
        for word in words(&std::fs::read_to_string(&page).unwrap()) {
            let is_path = tops.iter().any(|top| word.starts_with(top)) && !word.contains(['<', '*', '…', ' ']);
            // A module that is a file may be told with its folder.
            assert!(!is_path || root().join(&word).exists(), "{}: there is no `{word}`", page.display());
        }
    }
}

/// The tests of a module; those on memory are several files, named as one.
fn text_of(module: &str) -> Option<String> {
    if module != "allocation" {
        return std::fs::read_to_string(root().join(format!("tests/it/{module}.rs"))).ok();
    }
    let files = fs::read_dir(root().join("tests/allocation")).unwrap();
    Some(files.map(|file| std::fs::read_to_string(file.unwrap().path()).unwrap()).collect())
}

#[test]
fn tests_that_pages_name_are_there() {
    let mut named = 0;
    for page in ["docs/ARCHITECTURE.md", "docs/properties.md", "docs/security.md"] {
        for word in words(&std::fs::read_to_string(root().join(page)).unwrap()) {
            let Some((module, test)) = word.split_once("::") else { continue };
            let Some(text) = text_of(module) else { continue };
            let start = test.split('…').next().unwrap();
            assert!(text.contains(&format!("fn {start}")), "{page}: there is no test `{word}`");
            named += 1;
        }
    }
    assert!(named > 30, "{named}");
}
