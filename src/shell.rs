//! Words as a shell takes them, so that a command that forge writes down or tells a person to paste means what it says
//! whatever a path holds. Pure text; imports nothing.

/// Whose quoting rules a command line follows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Shell {
    /// `sh` and its relatives.
    Posix,
    /// `cmd.exe`. Its double quotes hold in PowerShell too, but for `$` and backticks.
    Cmd,
    /// PowerShell.
    PowerShell,
}

impl Shell {
    /// The shell harnesses and people use on this system.
    pub const NATIVE: Self = if cfg!(windows) { Self::Cmd } else { Self::Posix };

    /// A text as one word of a command line; as it stands where nothing in it needs quotes.
    #[must_use]
    pub fn word(self, text: &str) -> String {
        let backslash_counts = self == Self::Posix && text.contains('\\');
        if !text.is_empty() && !backslash_counts && text.chars().all(is_plain) {
            return text.to_owned();
        }
        match self {
            Self::Posix => format!("'{}'", text.replace('\'', r"'\''")),
            Self::PowerShell => format!("'{}'", text.replace('\'', "''")),
            // No path on Windows holds a double quote.
            Self::Cmd => format!("\"{text}\""),
        }
    }
}

fn is_plain(letter: char) -> bool {
    letter.is_ascii_alphanumeric() || "/\\._-+:@%,=".contains(letter)
}
