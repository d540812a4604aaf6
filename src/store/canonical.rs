//! A tool's input in the one form that equal inputs share: what `jq -S -c .` prints (jq 1.6), byte for byte.
//! Uses the cursor. Never recurses, so that no depth of nesting can end the process.
//!
//! Where jq differs from itself: 1.7 and later print a number as it was written when nothing calculated with it
//! (`1.0` stays `1.0`, `1e3` becomes `1000`, a long integer keeps its digits) and take `\ud83d` alone as U+FFFD; 1.6
//! prints the nearest double and refuses lone high surrogates and depths over 256. Here numbers are 1.6's, lone
//! surrogates 1.7's, and depth has no bound.

use super::digest;
use super::json::{Cursor, Malformed, decode, quote_into};
use crate::model::InputHash;
use std::borrow::Cow;

/// The first 40 hex digits of SHA-256 over the canonical form and a newline: `jq -S -c . | sha256sum | cut -c1-40`.
/// An input that is not JSON is hashed as it stands.
#[must_use]
pub fn input_hash(raw_input: &str) -> InputHash {
    let mut canonical = canonical(raw_input).unwrap_or_else(|_| raw_input.to_owned());
    canonical.push('\n');
    let mut hash = digest::hex(canonical.as_bytes());
    hash.truncate(40);
    InputHash(hash)
}

/// One value; containers name their contents by position in the list of all values.
enum Node<'a> {
    /// A string's content.
    Text(Cow<'a, str>),
    /// A number or word, as written.
    Scalar(&'a str),
    Array(Vec<usize>),
    Object(Vec<(Cow<'a, str>, usize)>),
}

fn canonical(text: &str) -> Result<String, Malformed> {
    let mut nodes = parse(text)?;
    for node in &mut nodes {
        if let Node::Object(members) = node {
            // Of equal keys the last counts: it comes first once reversed, and a stable sort keeps it there.
            members.reverse();
            members.sort_by(|(one, _), (other, _)| one.cmp(other));
            members.dedup_by(|(later, _), (kept, _)| later == kept);
        }
    }
    Ok(print(&nodes, text.len()))
}

fn parse(text: &str) -> Result<Vec<Node<'_>>, Malformed> {
    let mut cursor = Cursor::new(text);
    let mut nodes: Vec<Node<'_>> = Vec::new();
    // The containers that are not closed, innermost last.
    let mut open: Vec<usize> = Vec::new();
    loop {
        let id = nodes.len();
        match open.last().and_then(|&parent| nodes.get_mut(parent)) {
            None if id > 0 => {
                cursor.end()?;
                return Ok(nodes);
            }
            Some(Node::Array(items)) => {
                if cursor.eat(b']') {
                    open.pop();
                    continue;
                }
                if !items.is_empty() {
                    cursor.expect(b',')?;
                }
                items.push(id);
            }
            Some(Node::Object(members)) => {
                let Some(key) = cursor.key(members.is_empty())? else {
                    open.pop();
                    continue;
                };
                members.push((decode(key), id));
            }
            // The first value; only containers are ever open.
            None | Some(Node::Text(_) | Node::Scalar(_)) => {}
        }
        nodes.push(match cursor.peek() {
            b'[' => {
                cursor.expect(b'[')?;
                open.push(id);
                Node::Array(Vec::new())
            }
            b'{' => {
                cursor.expect(b'{')?;
                open.push(id);
                Node::Object(Vec::new())
            }
            b'"' => Node::Text(decode(cursor.string()?)),
            _ => Node::Scalar(cursor.scalar()?),
        });
    }
}

/// What is still to be printed.
enum Todo<'n> {
    Value(usize),
    /// A member's key, with the comma before it when it is not the first.
    Key(&'n str, bool),
    Mark(char),
}

fn print(nodes: &[Node<'_>], length: usize) -> String {
    let mut out = String::with_capacity(length);
    let mut todo = vec![Todo::Value(0)];
    while let Some(next) = todo.pop() {
        let id = match next {
            Todo::Value(id) => id,
            Todo::Mark(mark) => {
                out.push(mark);
                continue;
            }
            Todo::Key(key, is_first) => {
                out.push_str(if is_first { "" } else { "," });
                quote_into(key, &mut out);
                out.push(':');
                continue;
            }
        };
        match nodes.get(id) {
            Some(Node::Text(text)) => quote_into(text, &mut out),
            Some(Node::Scalar(word @ ("true" | "false" | "null"))) => out.push_str(word),
            Some(Node::Scalar(digits)) => out.push_str(&number(digits)),
            Some(Node::Array(items)) => {
                out.push('[');
                todo.push(Todo::Mark(']'));
                for (index, item) in items.iter().enumerate().rev() {
                    todo.push(Todo::Value(*item));
                    todo.extend((index > 0).then_some(Todo::Mark(',')));
                }
            }
            Some(Node::Object(members)) => {
                out.push('{');
                todo.push(Todo::Mark('}'));
                for (index, (key, value)) in members.iter().enumerate().rev() {
                    todo.extend([Todo::Value(*value), Todo::Key(key, index == 0)]);
                }
            }
            None => {}
        }
    }
    out
}

/// A number as jq 1.6 prints it: the nearest double in the fewest digits that give it back, infinities cut to the
/// largest one, plain up to 15 zeros at the end and 3 in front, else with an exponent of two digits or more.
fn number(text: &str) -> String {
    // Every JSON number is one that Rust reads.
    let value: f64 = text.parse().unwrap_or_default();
    let value = value.clamp(f64::MIN, f64::MAX);
    let sign = if value.is_sign_negative() { "-" } else { "" };
    let scientific = shortest(value.abs());
    let (mantissa, exponent) = scientific.split_once('e').unwrap_or((&scientific, "0"));
    let digits = mantissa.replace('.', "");
    let count = i32::try_from(digits.len()).unwrap_or(i32::MAX);
    // Where the point stands, counted from before the first digit.
    let point = exponent.parse::<i32>().unwrap_or_default() + 1;
    if value == 0.0 {
        return format!("{sign}0");
    }
    if point <= -4 || point > count + 15 {
        let (first, rest) = digits.split_at_checked(1).unwrap_or((&digits, ""));
        let dot = if rest.is_empty() { "" } else { "." };
        // The exponent with its sign and two digits or more, as jq writes it.
        return format!("{sign}{first}{dot}{rest}e{:+03}", point - 1);
    }
    let zeros = |count: i32| "0".repeat(usize::try_from(count).unwrap_or_default());
    match usize::try_from(point).ok().filter(|point| *point > 0) {
        None => format!("{sign}0.{}{digits}", zeros(-point)),
        Some(whole) => match digits.split_at_checked(whole) {
            Some((whole, "")) => format!("{sign}{whole}"),
            Some((whole, fraction)) => format!("{sign}{whole}.{fraction}"),
            None => format!("{sign}{digits}{}", zeros(point - count)),
        },
    }
}

/// The fewest digits that give a double back, `d.ddde±x`. Where two such numbers are equally near, Rust takes the upper
/// one and jq the even one, which is what rounding to that many digits gives.
fn shortest(value: f64) -> String {
    let upper = format!("{value:e}");
    let digits = upper.bytes().take_while(|byte| *byte != b'e').filter(u8::is_ascii_digit).count();
    let even = format!("{value:.*e}", digits.saturating_sub(1));
    if even.parse() == Ok(value) { even } else { upper }
}
