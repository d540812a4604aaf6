//! A place in a text, for rules that look at characters one by one. Knows no rule.

/// The place. Copied freely: a rule that fails has moved nothing.
#[derive(Clone, Copy)]
pub(super) struct Scan<'t> {
    text: &'t [char],
    at: usize,
}

/// Whether a character belongs to a word, by ASCII rules: a letter with an accent ends a word, so that a key right
/// after one is found.
pub(super) fn is_word(c: char) -> bool {
    c.is_ascii_alphanumeric() || c == '_'
}

impl<'t> Scan<'t> {
    pub(super) fn new(text: &'t [char], at: usize) -> Self {
        Self { text, at }
    }

    pub(super) fn at(self) -> usize {
        self.at
    }

    pub(super) fn peek(self) -> Option<char> {
        self.text.get(self.at).copied()
    }

    pub(super) fn before(self) -> Option<char> {
        self.text.get(self.at.checked_sub(1)?).copied()
    }

    /// Whether no word runs across this place.
    pub(super) fn starts_word(self) -> bool {
        !self.before().is_some_and(is_word)
    }

    pub(super) fn step(&mut self) {
        self.at += 1;
    }

    /// Moves past `expected` if it stands here.
    pub(super) fn eat(&mut self, expected: &str) -> bool {
        self.eat_if(expected, |one, other| one == other)
    }

    /// The same, with ASCII case ignored.
    pub(super) fn eat_fold(&mut self, expected: &str) -> bool {
        self.eat_if(expected, |one, other| one.eq_ignore_ascii_case(&other))
    }

    fn eat_if(&mut self, expected: &str, same: fn(char, char) -> bool) -> bool {
        let mut ahead = *self;
        for wanted in expected.chars() {
            if !ahead.peek().is_some_and(|found| same(found, wanted)) {
                return false;
            }
            ahead.step();
        }
        *self = ahead;
        true
    }

    pub(super) fn eat_quote(&mut self) -> Option<char> {
        let quote = self.peek().filter(|c| matches!(c, '"' | '\''))?;
        self.step();
        Some(quote)
    }

    /// Moves past all characters that fit; returns how many.
    pub(super) fn run(&mut self, fits: impl Fn(char) -> bool) -> usize {
        let start = self.at;
        while self.peek().is_some_and(&fits) {
            self.step();
        }
        self.at - start
    }

    /// Moves past all characters that fit and gives them back.
    pub(super) fn taken(&mut self, fits: impl Fn(char) -> bool) -> String {
        let start = self.at;
        self.run(fits);
        self.text.get(start..self.at).unwrap_or_default().iter().collect()
    }

    pub(super) fn spaces(&mut self) -> usize {
        self.run(char::is_whitespace)
    }

    /// Moves to the closing quote, or to the end of the line; a backslash takes the next character with it.
    pub(super) fn quoted(&mut self, quote: char) {
        while let Some(c) = self.peek().filter(|c| *c != quote && *c != '\n') {
            self.at += if c == '\\' { 2 } else { 1 };
        }
        self.at = self.at.min(self.text.len());
    }

    /// Whether what was passed since `from` ends like this.
    pub(super) fn ends_with(self, from: usize, ending: &str) -> bool {
        let passed: String = self.text.get(from..self.at).unwrap_or_default().iter().collect();
        passed.ends_with(ending)
    }
}
