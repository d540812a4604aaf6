//! What a scalar means: text, a number, a boolean, nothing. `serde_yaml` decides the typing of plain scalars, so that
//! forge reads them as every other YAML 1.2 reader does. Where a scalar stands is not its business.

use super::tree::{Kind, Node, Style};
use serde_yaml::Value;

/// Longest plain scalar that can be anything but text; no number or boolean is longer.
const LONGEST_TYPED: usize = 64;

/// A scalar with its meaning.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Meaning<'a> {
    /// Nothing was written.
    Nothing,
    /// `true` or `false`.
    Boolean(bool),
    /// A whole number, not negative.
    Whole(u64),
    /// Another number.
    Number,
    /// Text.
    Text(&'a str),
}

/// The meaning of a scalar; `None` for collections.
pub(crate) fn meaning(node: &Node) -> Option<Meaning<'_>> {
    let Kind::Scalar { text, style } = &node.kind else { return None };
    if *style != Style::Plain || text.len() > LONGEST_TYPED || text.contains('\n') {
        return Some(Meaning::Text(text));
    }
    Some(match serde_yaml::from_str::<Value>(text) {
        Ok(Value::Null) => Meaning::Nothing,
        Ok(Value::Bool(value)) => Meaning::Boolean(value),
        Ok(Value::Number(number)) => number.as_u64().map_or(Meaning::Number, Meaning::Whole),
        // Alone, a plain scalar from the middle of a list can look like something else; here it is text.
        Ok(Value::String(_) | Value::Sequence(_) | Value::Mapping(_) | Value::Tagged(_)) | Err(_) => {
            Meaning::Text(text)
        }
    })
}
