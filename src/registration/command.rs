//! The command line of an entry: written for the shell or for an exec, and recognised again.
//! Pure text; never looks whether the program exists.

use crate::shell::Shell;

/// The command that a harness is told to run.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct HookCommand {
    /// The program, an absolute path or a name to be looked up in `PATH`.
    pub program: String,
    /// Its arguments.
    pub arguments: Vec<String>,
}

impl HookCommand {
    /// The command for one event of one harness.
    #[must_use]
    pub fn new(program: &str, harness: &str, event: &str) -> Self {
        let arguments = ["--harness", harness, "--event", event].map(str::to_owned).to_vec();
        Self { program: program.to_owned(), arguments }
    }

    /// As one line of a shell.
    #[must_use]
    pub fn line(&self, shell: Shell) -> String {
        let mut line = shell.word(&self.program);
        if shell == Shell::PowerShell && line.starts_with('\'') {
            line.insert_str(0, "& ");
        }
        for argument in &self.arguments {
            line.push(' ');
            line.push_str(&shell.word(argument));
        }
        line
    }

    /// What a line of a shell runs, as far as it is one plain command: no pipes, no variables.
    #[must_use]
    pub fn parse(line: &str) -> Option<Self> {
        let mut words = words(line).into_iter();
        let mut program = words.next()?;
        if program == "&" {
            program = words.next()?;
        }
        Some(Self { program, arguments: words.collect() })
    }

    /// Whether this is an entry of ours: the program is `forge-hook` and is told its harness, as only we write it.
    #[must_use]
    pub fn is_ours(&self) -> bool {
        self.runs_the_hook() && self.arguments.first().is_some_and(|first| first == "--harness")
    }

    /// Whether the program is called `forge-hook`, wherever it stands.
    #[must_use]
    pub fn runs_the_hook(&self) -> bool {
        let name = self.program.rsplit(['/', '\\']).next().unwrap_or_default();
        name == "forge-hook" || name.eq_ignore_ascii_case("forge-hook.exe")
    }
}

/// The words of a line. A backslash escapes only what a shell could have wanted escaped, so that Windows paths survive.
fn words(line: &str) -> Vec<String> {
    let mut words = Vec::new();
    let mut word: Option<String> = None;
    let mut quote = None;
    let mut letters = line.chars().peekable();
    while let Some(letter) = letters.next() {
        match (quote, letter) {
            (None, '\'' | '"') => {
                quote = Some(letter);
                word.get_or_insert_default();
            }
            (Some(open), close) if open == close => quote = None,
            (None | Some('"'), '\\') if letters.peek().is_some_and(|next| " '\"\\$`&".contains(*next)) => {
                word.get_or_insert_default().extend(letters.next());
            }
            (None, letter) if letter.is_whitespace() => words.extend(word.take()),
            (_, letter) => word.get_or_insert_default().push(letter),
        }
    }
    words.extend(word);
    words
}
