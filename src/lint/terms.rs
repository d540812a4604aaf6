//! Conditions as the ways they can hold: a list of terms, each a list of literals that must hold together.
//! Gives up beyond a bound; whoever asks then hears that the condition may well hold.

use super::literal::{Literal, clash, impossible};
use crate::model::{Condition, Event};

/// So many ways are looked at. Conditions written by hand have a handful; a long `in […]` has more and is left alone.
const MOST: usize = 256;

/// Why a condition cannot hold: the literals of its first way that exclude each other.
pub(super) struct Contradiction<'a> {
    /// The one that cannot hold beside `other`, or at all; `None` when there is no way to begin with.
    pub(super) one: Option<Literal<'a>>,
    /// The other one.
    pub(super) other: Option<Literal<'a>>,
}

/// The ways a condition can be answered as wanted: in each, all literals hold.
pub(super) type Ways<'a> = Vec<Vec<Literal<'a>>>;

/// Why a condition can never be answered so at an event, if it cannot.
pub(super) fn contradiction<'a>(event: Event, condition: &'a Condition, holds: bool) -> Option<Contradiction<'a>> {
    let mut why = Contradiction { one: None, other: None };
    for (number, way) in ways(condition, holds)?.iter().enumerate() {
        let found = excluded(event, way)?;
        if number == 0 {
            why = found;
        }
    }
    Some(why)
}

/// Whether every way of one excludes every way of the other at an event. Ends at the first pair that does not, which is nearly
/// always the first.
pub(super) fn never_together(event: Event, one: &Ways<'_>, other: &Ways<'_>) -> bool {
    one.iter().all(|first| {
        other.iter().all(|second| {
            first.iter().any(|one| second.iter().any(|other| clash(one, other)))
                || excluded(event, first).is_some()
                || excluded(event, second).is_some()
        })
    })
}

/// Two literals of one way that exclude each other, or one that cannot hold.
fn excluded<'a>(event: Event, way: &[Literal<'a>]) -> Option<Contradiction<'a>> {
    way.iter().enumerate().find_map(|(number, one)| {
        if impossible(event, one) {
            return Some(Contradiction { one: Some(*one), other: None });
        }
        let other = way.iter().take(number).find(|other| clash(one, other))?;
        Some(Contradiction { one: Some(*one), other: Some(*other) })
    })
}

/// The ways a condition holds, or does not; `None` when there are too many.
pub(super) fn ways(condition: &Condition, holds: bool) -> Option<Ways<'_>> {
    match (condition, holds) {
        (Condition::Test(test), _) => Some(vec![vec![Literal { test, holds }]]),
        (Condition::Not(part), _) => ways(part, !holds),
        (Condition::All(parts), true) | (Condition::Any(parts), false) => {
            let mut all = vec![Vec::new()];
            for part in parts {
                all = product(&all, &ways(part, holds)?)?;
            }
            Some(all)
        }
        (Condition::Any(parts), true) | (Condition::All(parts), false) => {
            let mut all = Vec::new();
            for part in parts {
                all.extend(ways(part, holds)?);
                if all.len() > MOST {
                    return None;
                }
            }
            Some(all)
        }
    }
}

/// Every way of one together with every way of the other.
fn product<'a>(one: &[Vec<Literal<'a>>], other: &[Vec<Literal<'a>>]) -> Option<Ways<'a>> {
    if one.len().saturating_mul(other.len()) > MOST {
        return None;
    }
    Some(one.iter().flat_map(|one| other.iter().map(|other| [one.as_slice(), other.as_slice()].concat())).collect())
}
