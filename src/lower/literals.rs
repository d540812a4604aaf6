//! Texts of which every match of a pattern contains at least one: when none of them is in a text, the pattern need not
//! be run. Uses `regex-syntax` alone; errs on the side of naming none.

use regex_syntax::hir::{Class, Hir, HirKind};

/// More texts than this cost more to look for than they save: each about as much as reading a kilobyte of automaton.
const MOST_TEXTS: usize = 64;
/// A shorter text is found in almost anything.
const SHORTEST: usize = 2;

/// Texts of which at least one is in every match; none means "look always".
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Literals {
    /// The texts, in lower case when `fold`.
    pub(super) texts: Vec<String>,
    /// Whether ASCII case is ignored.
    pub(super) fold: bool,
}

/// The literals of a pattern's normal form.
pub(super) fn required(expression: &Hir) -> Literals {
    needed(expression).unwrap_or_default()
}

impl Literals {
    fn one(run: Run) -> Option<Self> {
        let text = String::from_utf8(run.bytes).ok()?;
        let text = if run.fold { text.to_ascii_lowercase() } else { text };
        (text.len() >= SHORTEST).then(|| Self { texts: vec![text], fold: run.fold })
    }

    /// Either these or those are needed; both are compared the looser way when one must be.
    fn or(mut self, other: Self) -> Option<Self> {
        self.fold |= other.fold;
        self.texts.extend(other.texts);
        if self.fold {
            self.texts.iter_mut().for_each(|text| text.make_ascii_lowercase());
        }
        self.texts.sort();
        self.texts.dedup();
        (self.texts.len() <= MOST_TEXTS).then_some(self)
    }

    /// How much is won: a longer shortest text, then fewer of them.
    fn worth(&self) -> (usize, std::cmp::Reverse<usize>) {
        (self.texts.iter().map(String::len).min().unwrap_or(0), std::cmp::Reverse(self.texts.len()))
    }
}

/// What every match of the part contains, if anything can be told.
fn needed(hir: &Hir) -> Option<Literals> {
    match hir.kind() {
        HirKind::Empty | HirKind::Look(_) => None,
        HirKind::Literal(_) | HirKind::Class(_) => Literals::one(Run::default().followed_by(hir)?),
        HirKind::Capture(capture) => needed(&capture.sub),
        HirKind::Repetition(repetition) if repetition.min > 0 => needed(&repetition.sub),
        HirKind::Repetition(_) => None,
        HirKind::Alternation(parts) => {
            let mut parts = parts.iter().map(needed);
            let first = parts.next()??;
            parts.try_fold(first, |whole, part| whole.or(part?))
        }
        HirKind::Concat(parts) => in_sequence(parts),
    }
}

/// The best of what the parts contain, and of the texts that adjoining parts make together.
fn in_sequence(parts: &[Hir]) -> Option<Literals> {
    let mut found = Vec::new();
    let mut run = Run::default();
    for part in parts {
        if let Some(longer) = run.clone().followed_by(part) {
            run = longer;
        } else {
            found.extend(Literals::one(std::mem::take(&mut run)));
            found.extend(needed(part));
        }
    }
    found.extend(Literals::one(run));
    found.into_iter().max_by_key(Literals::worth)
}

/// A text that is matched as it stands, but for the case of ASCII letters when `fold`.
#[derive(Clone, Default)]
struct Run {
    bytes: Vec<u8>,
    fold: bool,
}

impl Run {
    /// The run made longer by a part that matches exactly one text; `None` when the part does not.
    fn followed_by(mut self, part: &Hir) -> Option<Self> {
        match part.kind() {
            // Takes no room in the match.
            HirKind::Empty | HirKind::Look(_) => {}
            HirKind::Literal(literal) => self.bytes.extend_from_slice(&literal.0),
            HirKind::Capture(capture) => return self.followed_by(&capture.sub),
            HirKind::Class(class) => {
                self.bytes.push(letter_in_both_cases(class)?);
                self.fold = true;
            }
            HirKind::Concat(parts) => return parts.iter().try_fold(self, Self::followed_by),
            HirKind::Repetition(_) | HirKind::Alternation(_) => return None,
        }
        Some(self)
    }
}

/// The letter, in lower case, when the class is exactly its two cases. `k` and `s` are not: Unicode has a third each.
fn letter_in_both_cases(class: &Class) -> Option<u8> {
    let ranges: Vec<(u32, u32)> = match class {
        Class::Unicode(class) => class.iter().map(|range| (range.start().into(), range.end().into())).collect(),
        Class::Bytes(class) => class.iter().map(|range| (range.start().into(), range.end().into())).collect(),
    };
    match *ranges.as_slice() {
        [(upper, upper_end), (lower, lower_end)] if upper == upper_end && lower == lower_end => {
            let letter = u8::try_from(lower).ok().filter(u8::is_ascii_lowercase)?;
            (u32::from(letter.to_ascii_uppercase()) == upper).then_some(letter)
        }
        _ => None,
    }
}
