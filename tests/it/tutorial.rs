//! The tutorial is walked: its files are written, its changes made, its commands run, and what they print is what the page shows.
//! `BLESS=1` rewrites the outputs on the page.

use crate::cli::{Project, forge};
use std::fs;
use std::path::Path;

/// A line as a shell would cut it; single quotes alone are used.
fn words(line: &str) -> Vec<String> {
    let parts = line.split('\'').enumerate();
    parts
        .flat_map(|(number, part)| match number % 2 {
            1 => vec![part.to_owned()],
            _ => part.split_whitespace().map(str::to_owned).collect(),
        })
        .collect()
}

/// The reader's shell, as far as the page needs one.
struct Shell {
    project: Project,
    code: i32,
}

impl Shell {
    fn run(&mut self, line: &str) -> String {
        if line == "echo $?" {
            return format!("{}\n", self.code);
        }
        let words = words(line);
        let words: Vec<&str> = words.iter().map(String::as_str).collect();
        match words.as_slice() {
            ["mkdir", folder] => {
                fs::create_dir(self.project.path(folder)).unwrap();
                String::new()
            }
            ["forge", arguments @ ..] => {
                let ran = forge(&self.project, arguments);
                assert_eq!(ran.stderr, "", "{line}");
                self.code = ran.code;
                ran.stdout
            }
            _ => panic!("the page has a command that cannot be run here: {line}"),
        }
    }

    /// Applies a block of changed lines, which stands in the file exactly once.
    fn change(&self, file: &str, lines: &[&str]) {
        let side = |mark: char| -> String {
            let kept = lines.iter().filter(|line| line.starts_with([' ', mark]));
            kept.map(|line| format!("{}\n", &line[1..])).collect()
        };
        let text = fs::read_to_string(self.project.path(file)).unwrap();
        assert_eq!(text.matches(&side('-')).count(), 1, "{file} has this once:\n{}", side('-'));
        self.project.write(file, text.replacen(&side('-'), &side('+'), 1));
    }
}

#[test]
fn the_page_shows_what_happens() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/tutorial.md");
    let page = fs::read_to_string(&path).unwrap().replace("\r\n", "\n");
    let mut shell = Shell { project: Project::new(), code: 0 };
    let mut walked = String::new();
    let mut lines = page.lines();
    let mut commands = 0;
    while let Some(line) = lines.next() {
        walked += &format!("{line}\n");
        let Some(fence) = line.strip_prefix("```") else { continue };
        let block: Vec<&str> = lines.by_ref().take_while(|line| *line != "```").collect();
        match fence.split_once(' ') {
            Some(("yaml", file)) => shell.project.write(file, block.join("\n") + "\n"),
            Some(("diff", file)) => shell.change(file, &block),
            None if fence == "console" => {
                for command in block.iter().filter_map(|line| line.strip_prefix("$ ")) {
                    walked += &format!("$ {command}\n{}", shell.run(command));
                    commands += 1;
                }
                walked += "```\n";
                continue;
            }
            _ => panic!("a block of an unknown kind: {line}"),
        }
        walked += &block.iter().map(|line| format!("{line}\n")).collect::<String>();
        walked += "```\n";
    }
    assert!(commands >= 10, "{commands} commands");
    assert_eq!(shell.code, 0, "the last command succeeds");
    // Blanks at the ends of lines are invisible on a page, and editors remove them.
    let trimmed: String = walked.lines().map(|line| format!("{}\n", line.trim_end())).collect();
    if std::env::var_os("BLESS").is_some() {
        fs::write(&path, &trimmed).unwrap();
    }
    let page = fs::read_to_string(&path).unwrap().replace("\r\n", "\n");
    assert_eq!(trimmed, page, "run with BLESS=1 when the new words are right");
}
