//! What `--help` says beyond the arguments: when a command is of use, and examples that can be copied.
//! Every example is run by a test, which reads it out of the help text; it ends with 0 unless the line above says `exits N`.

use super::Arguments;
use clap::{Command, CommandFactory};

/// More about one subcommand.
struct Page {
    /// Its name.
    command: &'static str,
    /// What one line cannot say; empty where one line is enough.
    more: &'static str,
    /// A line on what it does, and the line to type.
    examples: &'static [(&'static str, &'static str)],
}

const PAGES: &[Page] = &[
    Page {
        command: "demo",
        more: "Nothing is left behind, and nothing of yours is read: a first look at what forge does.",
        examples: &[("see what the behaviors that come with forge do to a session", "forge demo")],
    },
    Page {
        command: "init",
        more: "Says what it will do and asks before it does it. A second time it changes nothing that is there.",
        examples: &[
            ("set up this project for Claude Code", "forge init --yes"),
            ("for Codex", "forge init --harness codex --yes"),
        ],
    },
    Page {
        command: "new",
        more: "Writes `behaviors/ID/behavior.yaml` and a scenario that passes, and lists it in the index. Change them to what you \
               mean; `forge check` and `forge test` say when they do not fit.",
        examples: &[
            ("begin a behavior", "forge new my-rule"),
            ("and see that its scenarios hold", "forge test my-rule"),
        ],
    },
    Page {
        command: "behavior",
        more: "Edits change the named value in the YAML and nothing else: comments and layout stay.",
        examples: &[
            ("what there is", "forge behavior list"),
            ("all that one says", "forge behavior describe search-first"),
            ("have one not act in this project", "forge behavior off search-first --compile"),
        ],
    },
    Page {
        command: "check",
        more: "Tells what `forge compile` would tell: mistakes, and rules that cannot act as they stand. Exits with 1 on errors, \
               and on warnings with --deny-warnings. docs/diagnostics.md explains every code.",
        examples: &[
            ("what is wrong", "forge check"),
            ("in a pipeline, warnings as bad as errors", "forge check --deny-warnings"),
            ("for a code host", "forge check --sarif"),
        ],
    },
    Page {
        command: "compile",
        more: "All or nothing: with one error nothing is written. What has not changed is not written again. Also brings the \
               hook's registration up to the program.",
        examples: &[
            ("make the behaviors act", "forge compile"),
            ("without touching the agent's settings", "forge compile --no-settings"),
            ("see what would come of it", "forge compile --dry-run"),
        ],
    },
    Page {
        command: "sync",
        more: "For hooks of git and scripts that run everywhere: silent where forge is not used.",
        examples: &[("after a checkout", "forge sync")],
    },
    Page {
        command: "try",
        more: "The answer comes from the same code as the hook's. A refused call is an answer, not a failure: it exits with 0.",
        examples: &[
            ("would this be allowed?", "forge try --command 'git push --force'"),
            ("as Codex would be answered", "forge try --command 'git push --force' --harness codex"),
            ("the edit of a file", "forge try --tool Edit --file-path src/main.rs --content 'fn main() {}'"),
        ],
    },
    Page {
        command: "explain",
        more: "What `forge try` answers, with the way there: what each condition looked at, and what part of it matched.",
        examples: &[
            ("why is this refused?", "forge explain --command 'git push --force'"),
            ("what happens on a prompt", "forge explain --prompt 'are you sure?'"),
        ],
    },
    Page {
        command: "test",
        more: "Every step is judged twice, by the compiled program and by the reference. Exits with 1 when something is not as \
               expected. docs/testing-behaviors.md has the format.",
        examples: &[
            ("all scenarios", "forge test"),
            ("those of one behavior, and what they do not reach", "forge test no-destructive-git --coverage"),
        ],
    },
    Page {
        command: "status",
        more: "The override rate is overrides by blocks: below 0.3 a rule is healthy, above 0.7 it does not do its work.",
        examples: &[
            ("how the behaviors fare", "forge status"),
            ("for a program", "forge status --json"),
            ("what the newest watched session has spent (exits 2 when none was watched)", "forge status --session"),
        ],
    },
    Page {
        command: "audit",
        more: "",
        examples: &[
            ("look after the project, without the registry", "forge audit --no-registry"),
            ("one page to show around", "forge audit --no-registry --report audit.html"),
            ("was the log of overrides changed?", "forge audit verify"),
        ],
    },
    Page {
        command: "allow",
        more: "The code is in the message of the block. It works once, for that session, behavior and input, and only at a \
               terminal: an agent cannot let itself through.",
        examples: &[("let the blocked call through (exits 2 where there is no terminal)", "forge allow ABCD-EFGH")],
    },
    Page {
        command: "prices",
        more: "docs/signals.md says how spending is counted. Models of your own go into `.forge/prices.yaml`.",
        examples: &[("all models", "forge prices"), ("for a program", "forge prices --json")],
    },
    Page {
        command: "doctor",
        more: "Runs the very command that the settings name, with a call that must be refused.",
        examples: &[("is it live? (exits 1 when it is not)", "forge doctor --harness claude-code")],
    },
    Page {
        command: "install",
        more: "Shows the difference; with --write it is made. Entries of others stay as they are, and first.",
        examples: &[
            ("what would change", "forge install --harness codex"),
            ("for all of your own projects", "forge install --harness claude-code --scope user"),
        ],
    },
    Page {
        command: "uninstall",
        more: "What forge added goes; if nothing else changed, the file is byte for byte what it was.",
        examples: &[("what would change", "forge uninstall --harness codex")],
    },
    Page {
        command: "disasm",
        more: "",
        examples: &[
            ("the whole program", "forge disasm"),
            ("what became of one behavior", "forge disasm --behavior search-first"),
        ],
    },
    Page {
        command: "schema",
        more: "With the schema, editors complete keys and words and mark mistakes. Put this on the first line of a file:\n\
               # yaml-language-server: $schema=../../.forge/schema/behavior.schema.json",
        examples: &[
            ("print one", "forge schema behavior"),
            ("write all of them where the line above looks for them", "forge schema --write .forge/schema"),
        ],
    },
    Page {
        command: "completions",
        more: "",
        examples: &[
            ("bash: put it where completions are", "forge completions bash"),
            ("zsh: into a folder of $fpath, as _forge", "forge completions zsh"),
            ("fish: into ~/.config/fish/completions", "forge completions fish"),
        ],
    },
    Page {
        command: "man",
        more: "",
        examples: &[("print forge(1)", "forge man"), ("write all pages", "forge man --dir man1")],
    },
];

const AFTER: &str = "\
The way of a behavior: new, edit, check, test, compile; `explain` says why it decides as it does.
Exit codes: 0 fine, 1 your content is at fault, 2 wrong usage, or reading or writing failed.";

/// The whole command line, with what is said about it.
pub(super) fn command() -> Command {
    let command = Arguments::command().after_help(AFTER);
    PAGES.iter().fold(command, |command, page| command.mut_subcommand(page.command, |sub| explained(sub, page)))
}

fn explained(command: Command, page: &Page) -> Command {
    let lines: Vec<String> = page.examples.iter().map(|(what, line)| format!("  # {what}\n  {line}")).collect();
    let command = command.after_help(format!("Examples:\n{}", lines.join("\n\n")));
    if page.more.is_empty() {
        return command;
    }
    let about = command.get_about().map(ToString::to_string).unwrap_or_default();
    command.long_about(format!("{about}\n\n{}", page.more))
}
