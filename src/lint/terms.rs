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

/// Whether conditions can never be so (each as `bool` says) at one event, and why.
pub(super) fn contradiction<'a>(event: Event, wanted: &[(&'a Condition, bool)]) -> Option<Contradiction<'a>> {
    let mut ways = vec![Vec::new()];
    for (condition, holds) in wanted {
        ways = product(&ways, &terms(condition, *holds)?)?;
    }
    let mut why = Contradiction { one: None, other: None };
    for (number, way) in ways.iter().enumerate() {
        let found = excluded(event, way)?;
        if number == 0 {
            why = found;
        }
    }
    Some(why)
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
fn terms(condition: &Condition, holds: bool) -> Option<Vec<Vec<Literal<'_>>>> {
    match (condition, holds) {
        (Condition::Test(test), _) => Some(vec![vec![Literal { test, holds }]]),
        (Condition::Not(part), _) => terms(part, !holds),
        (Condition::All(parts), true) | (Condition::Any(parts), false) => {
            let mut ways = vec![Vec::new()];
            for part in parts {
                ways = product(&ways, &terms(part, holds)?)?;
            }
            Some(ways)
        }
        (Condition::Any(parts), true) | (Condition::All(parts), false) => {
            let mut ways = Vec::new();
            for part in parts {
                ways.extend(terms(part, holds)?);
                if ways.len() > MOST {
                    return None;
                }
            }
            Some(ways)
        }
    }
}

/// Every way of one together with every way of the other.
fn product<'a>(one: &[Vec<Literal<'a>>], other: &[Vec<Literal<'a>>]) -> Option<Vec<Vec<Literal<'a>>>> {
    if one.len().saturating_mul(other.len()) > MOST {
        return None;
    }
    Some(one.iter().flat_map(|one| other.iter().map(|other| [one.as_slice(), other.as_slice()].concat())).collect())
}
