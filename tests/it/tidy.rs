//! The house rules, kept by machine: who may import whom, how long a file may be, how it opens, and that nothing
//! the hook must not carry ends up in its binary.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

/// What each module of `src/` may name of its siblings. A module that is missing here fails the test.
const IMPORTS: &[(&str, &[&str])] = &[
    ("model", &[]),
    ("limits", &[]),
    ("error", &[]),
    ("shell", &[]),
    ("diagnostic", &["model", "limits"]),
    ("parallel", &[]),
    ("pattern", &["model", "limits"]),
    ("yaml", &["model", "diagnostic", "limits", "parallel", "pattern"]),
    ("validate", &["model", "diagnostic", "limits"]),
    ("reference", &["model", "validate"]),
    ("lint", &["model", "diagnostic", "validate", "reference"]),
    ("bytecode", &["model", "limits", "error", "pattern"]),
    ("lower", &["model", "validate", "bytecode", "limits", "parallel", "pattern"]),
    ("vm", &["model", "bytecode"]),
    ("render", &["model", "bytecode", "harness", "limits", "shell"]),
    ("harness", &["model"]),
    ("host", &["model"]),
    ("store", &["model", "host", "error", "limits"]),
    ("edit", &["model", "diagnostic", "yaml"]),
    ("registration", &["model", "bytecode", "host", "error", "limits", "shell"]),
    ("explain", &["model", "bytecode", "vm", "store"]),
    (
        "scenario",
        &[
            "model",
            "limits",
            "diagnostic",
            "yaml",
            "validate",
            "lower",
            "bytecode",
            "vm",
            "reference",
            "harness",
            "store",
            "hook",
            "explain",
        ],
    ),
    ("signals", &["host", "error", "limits", "store"]),
    ("schema", &["model", "limits", "yaml", "harness", "scenario"]),
    ("hook", &["signals", "model", "limits", "error", "bytecode", "vm", "render", "harness", "host", "store"]),
];

/// The reference shares `model` and the name `Checked` with the rest, nothing else.
const REFERENCE_MAY_NAME: &str = "validate::Checked";

fn root() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR"))
}

fn rust_files(folder: &Path) -> Vec<PathBuf> {
    let mut files = Vec::new();
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            files.extend(rust_files(&path));
        } else if path.extension().is_some_and(|ending| ending == "rs") {
            files.push(path);
        }
    }
    files.sort();
    files
}

fn module_of(file: &Path) -> String {
    let relative = file.strip_prefix(root().join("src")).unwrap();
    relative.components().next().unwrap().as_os_str().to_string_lossy().trim_end_matches(".rs").to_owned()
}

/// The sibling modules a file names as `crate::x`, in code (comments and doc links do not count).
fn named_modules(text: &str) -> Vec<String> {
    let code: String =
        text.lines().map(|line| line.split("//").next().unwrap_or_default()).collect::<Vec<_>>().join("\n");
    let mut named = Vec::new();
    for (at, _) in code.match_indices("crate::") {
        let rest = &code[at + "crate::".len()..];
        if let Some(list) = rest.strip_prefix('{') {
            let mut depth = 0;
            let mut word = String::new();
            for letter in list.chars() {
                match letter {
                    '{' => depth += 1,
                    '}' if depth == 0 => break,
                    '}' => depth -= 1,
                    ',' if depth == 0 => named.push(std::mem::take(&mut word)),
                    _ if depth == 0 => word.push(letter),
                    _ => {}
                }
            }
            named.push(word);
        } else {
            named.push(rest.to_owned());
        }
    }
    named
        .iter()
        .map(|name| {
            let name = name.trim();
            name[..name.find(|c: char| !c.is_alphanumeric() && c != '_').unwrap_or(name.len())].to_owned()
        })
        .filter(|name| !name.is_empty())
        .collect()
}

#[test]
fn modules_import_only_what_the_table_allows() {
    let table: BTreeMap<_, _> = IMPORTS.iter().copied().collect();
    assert_eq!(table.len(), IMPORTS.len(), "a module stands in the table twice");
    let mut broken = Vec::new();
    let mut unused: BTreeSet<_> =
        IMPORTS.iter().flat_map(|(module, allowed)| allowed.iter().map(move |named| (*module, *named))).collect();
    for file in rust_files(&root().join("src")) {
        let module = module_of(&file);
        if ["lib", "bin", "cli"].contains(&module.as_str()) {
            continue;
        }
        let Some(allowed) = table.get(module.as_str()) else {
            broken.push(format!("{module}: not in the import table"));
            continue;
        };
        let text = std::fs::read_to_string(&file).unwrap();
        for named in named_modules(&text) {
            unused.retain(|it| *it != (module.as_str(), named.as_str()));
            if named != module && !allowed.contains(&named.as_str()) {
                broken.push(format!("{}: names crate::{named}", file.display()));
            }
        }
        if module == "reference" {
            for line in text.lines().filter(|line| line.contains("crate::validate")) {
                assert!(line.contains(REFERENCE_MAY_NAME), "{}: `{line}`", file.display());
            }
        }
    }
    assert!(broken.is_empty(), "{}", broken.join("\n"));
    assert!(unused.is_empty(), "allowed and not used; take it out of the table: {unused:?}");
}

#[test]
fn the_world_is_named_in_one_file() {
    let mut broken = Vec::new();
    for file in rust_files(&root().join("src")) {
        let relative = file.strip_prefix(root()).unwrap().to_string_lossy().replace('\\', "/");
        if relative.starts_with("src/host/") || relative.starts_with("src/bin/") {
            continue;
        }
        let text = std::fs::read_to_string(&file).unwrap();
        for (number, line) in text.lines().enumerate() {
            let code = line.split("//").next().unwrap_or_default();
            for word in ["std::fs", "std::env", "SystemTime", "Instant::now"] {
                if code.contains(word) {
                    broken.push(format!("{relative}:{}: names {word}; it belongs into src/host/", number + 1));
                }
            }
        }
    }
    assert!(broken.is_empty(), "{}", broken.join("\n"));
}

#[test]
fn files_are_short_and_say_what_they_are() {
    let mut broken = Vec::new();
    for folder in ["src", "tests"] {
        for file in rust_files(&root().join(folder)) {
            let text = std::fs::read_to_string(&file).unwrap();
            let lines = text.lines().count();
            if lines > 500 {
                broken.push(format!("{}: {lines} lines, 500 at most", file.display()));
            }
            if !text.starts_with("//!") {
                broken.push(format!("{}: does not open with what it is", file.display()));
            }
            let name = file.file_stem().unwrap().to_string_lossy();
            if ["utils", "util", "common", "helpers", "misc", "prelude", "manager"].contains(&name.as_ref()) {
                broken.push(format!("{}: a name that says nothing", file.display()));
            }
        }
    }
    assert!(broken.is_empty(), "{}", broken.join("\n"));
}

/// By its symbols: the names in debug information are there whether or not the code is.
#[test]
fn the_hook_binary_carries_no_parser_of_the_authors_files() {
    let symbols = |binary| std::process::Command::new("nm").arg("-C").arg(binary).output();
    let (Ok(hook), Ok(forge)) = (symbols(env!("CARGO_BIN_EXE_forge-hook")), symbols(env!("CARGO_BIN_EXE_forge")))
    else {
        eprintln!("skipped: nm is not here");
        return;
    };
    let (hook, forge) = (String::from_utf8_lossy(&hook.stdout), String::from_utf8_lossy(&forge.stdout));
    for package in ["granit_parser::", "serde_yaml::", "clap_builder::", "pest::", "annotate_snippets::", "regex::"] {
        assert!(!hook.contains(package), "forge-hook links `{package}`");
    }
    assert!(
        forge.contains("granit_parser::"),
        "the symbols of forge do not show what it links; this test sees nothing"
    );
}

#[test]
fn the_repository_stands_alone() {
    let listed = std::process::Command::new("git").args(["ls-files"]).current_dir(root()).output();
    let Ok(listed) = listed else {
        eprintln!("skipped: git is not here");
        return;
    };
    for name in String::from_utf8_lossy(&listed.stdout).lines() {
        let Ok(text) = std::fs::read_to_string(root().join(name)) else { continue };
        for word in [concat!("/wo", "rk/"), concat!(".lib", "rary")] {
            assert!(!text.contains(word), "{name}: names a path of one machine (`{word}`)");
        }
    }
}
