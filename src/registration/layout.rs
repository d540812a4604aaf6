//! How a file is written (line ends, indentation) and values written the same way.
//! Pure text; never looks at what is already there beyond its style.

use super::document::cut;
use jsonc_parser::ast::Value;

/// A value we write.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Json {
    /// A text.
    Text(String),
    /// A number.
    Number(u32),
    /// `true`.
    True,
    /// A list.
    List(Vec<Json>),
    /// An object, in this order.
    Map(Vec<(String, Json)>),
}

impl Json {
    /// A text.
    pub(super) fn text(text: impl Into<String>) -> Self {
        Self::Text(text.into())
    }

    /// An object.
    pub(super) fn map<const N: usize>(members: [(&str, Self); N]) -> Self {
        Self::Map(members.into_iter().map(|(name, value)| (name.to_owned(), value)).collect())
    }

    /// An object with one more member.
    #[must_use]
    pub(super) fn with(self, name: &str, value: Self) -> Self {
        let Self::Map(mut members) = self else { return self };
        members.push((name.to_owned(), value));
        Self::Map(members)
    }

    /// The same where something holds.
    #[must_use]
    pub(super) fn with_if(self, holds: bool, name: &str, value: Self) -> Self {
        if holds { self.with(name, value) } else { self }
    }

    /// Whether a parsed value means the same. The order of members does not count.
    pub(super) fn is(&self, value: &Value<'_>) -> bool {
        match (self, value) {
            (Self::Text(text), Value::StringLit(other)) => *text == other.value,
            (Self::Number(number), Value::NumberLit(other)) => number.to_string() == other.value,
            (Self::List(list), Value::Array(other)) => {
                list.len() == other.elements.len() && list.iter().zip(&other.elements).all(|(one, two)| one.is(two))
            }
            (Self::Map(members), Value::Object(other)) => {
                members.len() == other.properties.len()
                    && members.iter().all(|(name, value)| other.get(name).is_some_and(|two| value.is(&two.value)))
            }
            (Self::True, Value::BooleanLit(other)) => other.value,
            (Self::Text(_) | Self::Number(_) | Self::True | Self::List(_) | Self::Map(_), _) => false,
        }
    }
}

/// The style of a file.
#[derive(Clone, Copy, Debug)]
pub(super) struct Layout<'t> {
    newline: &'static str,
    unit: &'t str,
}

impl<'t> Layout<'t> {
    /// What the first lines show; two spaces where they show nothing.
    pub(super) fn of(text: &'t str) -> Self {
        let newline = if text.contains("\r\n") { "\r\n" } else { "\n" };
        let indented = text.lines().skip(1).map(|line| cut(line, 0..indent_len(line)));
        Self { newline, unit: indented.into_iter().find(|indent| !indent.is_empty()).unwrap_or("  ") }
    }

    /// A line break and an indentation; `None` means on the same line.
    pub(super) fn gap(self, indent: Option<&str>) -> String {
        indent.map_or_else(|| " ".to_owned(), |indent| format!("{}{indent}", self.newline))
    }

    /// The indentation one level deeper.
    pub(super) fn deeper(self, indent: &str) -> String {
        format!("{indent}{}", self.unit)
    }

    /// A member of an object, as it stands at an indentation.
    pub(super) fn member(self, name: &str, value: &Json, indent: Option<&str>) -> String {
        format!("{}: {}", encoded(name), self.value(value, indent))
    }

    /// A value, as it stands at an indentation. Brackets always have space inside: that tells a container we made from
    /// an empty one that was there and that we filled (see `splice`).
    pub(super) fn value(self, value: &Json, indent: Option<&str>) -> String {
        match value {
            Json::Text(text) => encoded(text),
            Json::Number(number) => number.to_string(),
            Json::True => "true".to_owned(),
            Json::List(list) if list.iter().all(|one| matches!(one, Json::Text(_) | Json::Number(_))) => {
                let list: Vec<_> = list.iter().map(|one| self.value(one, None)).collect();
                format!("[{}]", list.join(", "))
            }
            Json::List(list) => {
                self.bracketed('[', ']', indent, |indent| list.iter().map(|one| self.value(one, indent)).collect())
            }
            Json::Map(members) => self.bracketed('{', '}', indent, |indent| {
                members.iter().map(|(name, value)| self.member(name, value, indent)).collect()
            }),
        }
    }

    fn bracketed(
        self,
        open: char,
        close: char,
        indent: Option<&str>,
        items: impl Fn(Option<&str>) -> Vec<String>,
    ) -> String {
        let inner = indent.map(|indent| self.deeper(indent));
        let inner = inner.as_deref();
        let between = format!(",{}", self.gap(inner));
        format!("{open}{}{}{}{close}", self.gap(inner), items(inner).join(&between), self.gap(indent))
    }
}

fn encoded(text: &str) -> String {
    serde_json::Value::from(text).to_string()
}

/// How many bytes of spaces and tabs a line begins with.
pub(super) fn indent_len(line: &str) -> usize {
    line.len().saturating_sub(line.trim_start_matches([' ', '\t']).len())
}

/// The indentation of the line on which an offset stands.
pub(super) fn indent_at(text: &str, offset: usize) -> &str {
    let line = cut(text, 0..offset).rfind('\n').map_or(0, |newline| newline.saturating_add(1));
    let rest = cut(text, line..text.len());
    cut(rest, 0..indent_len(rest))
}

/// Whether only spaces stand before an offset on its line, and there is a line before it.
pub(super) fn begins_line(text: &str, offset: usize) -> bool {
    let before = cut(text, 0..offset).trim_end_matches([' ', '\t']);
    before.ends_with('\n')
}
