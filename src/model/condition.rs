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
    /// A number of the session. All but `counter` are read from the session's transcripts, and need schema version 2.
    pub enum Signal {
        /// Violations of this behavior so far, before the event.
        Counter = "counter",
        /// How often this exact call has come, this time included, with nothing changed in between.
        Repeats = "repeats",
        /// How often the cycle of two or three different calls that this one ends has come in a row; 0 when once.
        Alternations = "alternations",
        /// Failed calls of this agent in a row.
        FailureStreak = "failure_streak",
        /// US dollars the session has spent, its subagents included.
        SpendUsd = "spend_usd",
        /// The same as a share of the cap; 0 without one.
        SpendShare = "spend_share",
        /// The cap in US dollars; 0 without one.
        SpendCapUsd = "spend_cap_usd",
    }
}

impl Signal {
    /// What a decimal signal counts: one is so many of them.
    pub const ONE: u64 = 1_000_000_000;

    /// Whether it has decimals, and is therefore held in billionths.
    #[must_use]
    pub const fn is_decimal(self) -> bool {
        matches!(self, Self::SpendUsd | Self::SpendShare | Self::SpendCapUsd)
    }

    /// A value of it as people write it: `3`, `0.8`.
    #[must_use]
    pub fn show(self, value: u64) -> String {
        if !self.is_decimal() {
            return value.to_string();
        }
        let (whole, fraction) = (value / Self::ONE, value % Self::ONE);
        let digits = format!("{whole}.{fraction:09}");
        digits.trim_end_matches('0').trim_end_matches('.').to_owned()
    }

    /// Whether it is read from the session's transcripts.
    #[must_use]
    pub const fn is_watched(self) -> bool {
        !matches!(self, Self::Counter)
    }
}

/// Some signals. A bit each, the first word being bit 0.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct SignalSet(u8);

impl SignalSet {
    const ALL_BITS: u8 = (1 << Signal::ALL.len()) - 1;

    /// The set with these bits; `None` when a bit belongs to no signal.
    #[must_use]
    pub const fn from_bits(bits: u8) -> Option<Self> {
        if bits & !Self::ALL_BITS == 0 { Some(Self(bits)) } else { None }
    }

    /// Its bits.
    #[must_use]
    pub const fn bits(self) -> u8 {
        self.0
    }

    /// Whether the signal is one of them.
    #[must_use]
    pub const fn contains(self, signal: Signal) -> bool {
        self.0 & (1 << signal as u8) != 0
    }

    /// Whether there are none.
    #[must_use]
    pub const fn is_empty(self) -> bool {
        self.0 == 0
    }

    /// Those of both.
    #[must_use]
    pub const fn union(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }

    /// The signals, in the order of their words.
    pub fn iter(self) -> impl Iterator<Item = Signal> {
        Signal::ALL.iter().copied().filter(move |signal| self.contains(*signal))
    }
}

impl FromIterator<Signal> for SignalSet {
    fn from_iter<I: IntoIterator<Item = Signal>>(signals: I) -> Self {
        Self(signals.into_iter().fold(0, |bits, signal| bits | 1 << signal as u8))
    }
}

/// What a condition can look at.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Subject {
    /// A text of the call.
    Text(Field),
    /// A number of the session.
    Number(Signal),
}

impl Subject {
    /// The subject of this plain name.
    #[must_use]
    pub fn from_name(name: &str) -> Option<Self> {
        Field::from_name(name).map(Self::Text).or_else(|| Signal::from_name(name).map(Self::Number))
    }

    /// Its plain name. No field is called like a signal.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Text(field) => field.name(),
            Self::Number(signal) => signal.name(),
        }
    }
}

/// What the transcripts say at one event. Decimal ones in billionths.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Signals {
    values: [u64; Signal::ALL.len()],
}

impl Signals {
    /// The value of a signal; 0 where nothing was read. `counter` has none here: it is the behavior's own.
    #[must_use]
    pub fn get(&self, signal: Signal) -> u64 {
        self.values.get(signal as usize).copied().unwrap_or(0)
    }

    /// Gives a signal its value.
    pub fn set(&mut self, signal: Signal, value: u64) {
        if let Some(slot) = self.values.get_mut(signal as usize) {
            *slot = value;
        }
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
        /// With what; in billionths for decimal signals.
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
