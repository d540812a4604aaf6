//! Lists as one text, every item in equally many hexadecimal digits: read, written and searched without being taken apart,
//! for most of what is remembered of a session is not looked at in most events. Knows no file.

use super::fact::Hash;
use serde::{Deserialize, Serialize};

/// Hashes, oldest first.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub(super) struct Hashes(String);

/// A tool call as the hook saw it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Past {
    pub(super) call: Hash,
    pub(super) id: Option<Hash>,
    /// Seconds since 1970.
    pub(super) at: i64,
    pub(super) changes_nothing: bool,
    pub(super) is_answered: bool,
}

/// Such calls, oldest first.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub(super) struct Calls(String);

const HASH: usize = 16;
/// Call, id, moment, and one digit of what is so or not.
const CALL: usize = 3 * HASH + 1;
const HAS_ID: u8 = 1;
const CHANGES_NOTHING: u8 = 2;
const IS_ANSWERED: u8 = 4;

impl Hashes {
    pub(super) fn contains(&self, hash: Hash) -> bool {
        let digits = digits(hash);
        self.0.as_bytes().chunks_exact(HASH).any(|item| item == digits.as_bytes())
    }

    /// Adds to the end and forgets from the beginning.
    pub(super) fn push(&mut self, hash: Hash, most: usize) {
        push(&mut self.0, &digits(hash), most);
    }

    /// Forgets a hash; whether it was there.
    pub(super) fn remove(&mut self, hash: Hash) -> bool {
        let is_there = self.contains(hash);
        if is_there {
            self.0 = self.iter().filter(|item| *item != hash).map(digits).collect();
        }
        is_there
    }

    pub(super) fn clear(&mut self) {
        self.0.clear();
    }

    pub(super) fn iter(&self) -> impl Iterator<Item = Hash> {
        items(&self.0, HASH).map(|item| number(Some(item)))
    }
}

impl Calls {
    /// Adds to the end and forgets from the beginning.
    pub(super) fn push(&mut self, past: Past, most: usize) {
        push(&mut self.0, &past.written(), most);
    }

    /// Takes note that a call has its answer; false when it is not here.
    pub(super) fn answer(&mut self, id: Hash) -> bool {
        let has_id = |past: &Past| past.id == Some(id);
        if !self.0.contains(&digits(id)) || !self.iter().any(|past| has_id(&past)) {
            return false;
        }
        let answered = |past: Past| Past { is_answered: past.is_answered || has_id(&past), ..past }.written();
        self.0 = self.iter().map(answered).collect();
        true
    }

    pub(super) fn clear(&mut self) {
        self.0.clear();
    }

    /// The newest time a call came; found as text.
    pub(super) fn newest(&self, call: Hash) -> Option<Past> {
        let digits = digits(call);
        items(&self.0, CALL).rev().find(|item| item.starts_with(&digits)).map(Past::read)
    }

    pub(super) fn iter(&self) -> impl DoubleEndedIterator<Item = Past> {
        items(&self.0, CALL).map(Past::read)
    }
}

impl Past {
    fn read(item: &str) -> Self {
        let flags = u8::try_from(number(item.get(3 * HASH..))).unwrap_or(0);
        Self {
            call: number(item.get(..HASH)),
            id: (flags & HAS_ID != 0).then(|| number(item.get(HASH..2 * HASH))),
            at: number(item.get(2 * HASH..3 * HASH)).cast_signed(),
            changes_nothing: flags & CHANGES_NOTHING != 0,
            is_answered: flags & IS_ANSWERED != 0,
        }
    }

    fn written(self) -> String {
        let flag = |holds: bool, bit: u8| if holds { bit } else { 0 };
        let flags = flag(self.id.is_some(), HAS_ID)
            | flag(self.changes_nothing, CHANGES_NOTHING)
            | flag(self.is_answered, IS_ANSWERED);
        let id = self.id.unwrap_or(0);
        format!("{}{}{}{flags:x}", digits(self.call), digits(id), digits(self.at.cast_unsigned()))
    }
}

fn digits(number: u64) -> String {
    format!("{number:016x}")
}

/// A damaged text is a list of other hashes, which match nothing.
fn number(digits: Option<&str>) -> u64 {
    digits.and_then(|digits| u64::from_str_radix(digits, 16).ok()).unwrap_or(0)
}

fn items(list: &str, width: usize) -> impl DoubleEndedIterator<Item = &str> {
    list.as_bytes().chunks_exact(width).map(|item| std::str::from_utf8(item).unwrap_or_default())
}

fn push(list: &mut String, item: &str, most: usize) {
    let surplus = (list.len() / item.len() + 1).saturating_sub(most) * item.len();
    if surplus > 0 {
        *list = list.get(surplus..).unwrap_or_default().to_owned();
    }
    list.push_str(item);
}
