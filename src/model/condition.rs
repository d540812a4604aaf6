//! Conditions and matchers: the part of a trigger that looks at the call.

use super::{Place, Placed};

vocabulary! {
    /// A text of the call. The words are the authors'; the harness adapters map their own onto them.
    pub enum Field {
        /// A shell command.
        Command = "command",
        /// The file a tool works on (also `notebook_path`).
        FilePath = "file_path",
        /// The new text, whatever the tool calls it.
        Content = "content",
        /// The text an edit replaces.
        OldString = "old_string",
        /// A search pattern.
        Pattern = "pattern",
        /// A web search.
        Query = "query",
        /// An address.
        Url = "url",
        /// The user's prompt, or the instructions a tool is given.
        Prompt = "prompt",
    }
}

vocabulary! {
    /// A number the session remembers. Its value is the one before the event.
    pub enum Signal {
        /// Violations of this behavior so far.
        Counter = "counter",
    }
}

vocabulary! {
    /// How two numbers are compared. The words are those of `conditions[].operator`.
    pub enum Comparison {
        /// `>`
        Gt = "gt",
        /// `<`
        Lt = "lt",
        /// `>=`
        Gte = "gte",
        /// `<=`
        Lte = "lte",
        /// `==`
        Equals = "equals",
    }
}

/// A regular expression. Search, not full match; Unicode, but word edges (`\b`) are ASCII, so that every way of
/// running it agrees on every text.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Pattern {
    /// As the author wrote it.
    pub source: String,
    /// The same expression with its word edges in their ASCII form (`(?-u:\b)`): what is compiled.
    pub normal: String,
}

/// What is asked of one text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum TextTest {
    /// The pattern is found somewhere in it.
    Matches(Pattern),
    /// It contains this.
    Contains(String),
    /// It is exactly this.
    Equals(String),
    /// It begins with this.
    StartsWith(String),
    /// It ends with this.
    EndsWith(String),
    /// It is there and not empty.
    Exists,
}

/// A single question.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Test {
    /// About a text of the call.
    Text {
        /// Which text.
        field: Field,
        /// What is asked.
        test: TextTest,
    },
    /// About a number of the session.
    Number {
        /// Which number.
        signal: Signal,
        /// How it is compared.
        comparison: Comparison,
        /// With what.
        value: u64,
    },
}

/// A tree of questions. Both ways of writing (`conditions` with `logic`, `when:`) become this.
/// Depth is bounded by `limits::CONDITION_DEPTH`; whoever makes one keeps to it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Condition {
    /// All hold; holds when empty.
    All(Vec<Condition>),
    /// At least one holds; fails when empty.
    Any(Vec<Condition>),
    /// It does not hold.
    Not(Box<Condition>),
    /// A question.
    Test(Placed<Test>),
}

/// Which tools a trigger is about.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Matcher {
    /// Every tool (`*` or empty).
    All,
    /// Exactly these.
    Names(Vec<String>),
    /// Those whose name the pattern is found in.
    Pattern(Pattern),
}

impl Condition {
    /// A question that stands nowhere, as generated catalogues have it.
    #[must_use]
    pub fn test(test: Test) -> Self {
        Self::Test(Placed { value: test, place: Place::default() })
    }
}
