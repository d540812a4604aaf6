//! How new values are written: in a line of their own or within brackets, quoted only where YAML would misread them.
//! Pure; where the text goes is `splice`'s business.

use crate::yaml::{Kind, Style};

/// A value that is to be written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum New {
    /// A number, a boolean, or nothing at all.
    Word(String),
    /// Text.
    Text(String),
    /// A list of texts, written in brackets.
    List(Vec<String>),
    /// A mapping.
    Mapping(Vec<(String, New)>),
}

impl New {
    /// A mapping with these entries.
    pub fn mapping<const N: usize>(entries: [(&str, Self); N]) -> Self {
        Self::Mapping(entries.into_iter().map(|(key, value)| (key.to_owned(), value)).collect())
    }

    /// Within one line: `{id: x, enabled: true}`.
    pub(super) fn in_flow(&self) -> String {
        match self {
            Self::Word(word) => word.clone(),
            Self::Text(text) => spelled(text),
            Self::List(texts) => {
                format!("[{}]", texts.iter().map(|text| spelled(text)).collect::<Vec<_>>().join(", "))
            }
            Self::Mapping(entries) => {
                let entries: Vec<_> =
                    entries.iter().map(|(key, value)| format!("{}: {}", spelled(key), value.in_flow())).collect();
                format!("{{{}}}", entries.join(", "))
            }
        }
    }

    /// As the value of `key` in lines of its own; lines after the first begin with `line`, a line break and the
    /// indentation.
    pub(super) fn as_entry(&self, key: &str, line: &str) -> String {
        match self {
            Self::Mapping(entries) if !entries.is_empty() => {
                let deeper = format!("{line}  ");
                let parts =
                    entries.iter().map(|(key, value)| format!("{deeper}{}", value.as_entry(&spelled(key), &deeper)));
                format!("{key}:{}", parts.collect::<String>())
            }
            Self::Word(_) | Self::Text(_) | Self::List(_) | Self::Mapping(_) => {
                format!("{key}: {}", self.in_flow()).trim_end().to_owned()
            }
        }
    }

    /// As an entry of a list in lines of its own, with its dash.
    pub(super) fn as_item(&self, line: &str) -> String {
        match self {
            Self::Mapping(entries) if !entries.is_empty() => {
                let deeper = format!("{line}  ");
                let parts: Vec<_> = entries.iter().map(|(key, value)| value.as_entry(&spelled(key), &deeper)).collect();
                format!("- {}", parts.join(&deeper))
            }
            Self::Word(_) | Self::Text(_) | Self::List(_) | Self::Mapping(_) => format!("- {}", self.in_flow()),
        }
    }
}

/// A text as a scalar: plain when nothing in it means anything to YAML.
#[must_use]
pub fn spelled(text: &str) -> String {
    if style(text) == Style::Plain {
        return text.to_owned();
    }
    let mut quoted = String::from("\"");
    for character in text.chars() {
        match character {
            '"' | '\\' => quoted.extend(['\\', character]),
            '\n' => quoted.push_str("\\n"),
            '\t' => quoted.push_str("\\t"),
            control if control.is_control() => quoted.push_str(&format!("\\u{:04x}", u32::from(control))),
            other => quoted.push(other),
        }
    }
    quoted.push('"');
    quoted
}

/// The style [`spelled`] gives a text.
pub(super) fn style(text: &str) -> Style {
    let is_word = text.starts_with(|first: char| first.is_ascii_alphabetic())
        && text.chars().all(|c| c.is_ascii_alphanumeric() || c == '-' || c == '_');
    let means_more = ["true", "false", "null", "yes", "no", "on", "off", "y", "n"]
        .iter()
        .any(|word| word.eq_ignore_ascii_case(text));
    if is_word && !means_more { Style::Plain } else { Style::Double }
}

/// What a reader makes of a scalar spelled like this.
pub(super) fn scalar(text: &str) -> Kind {
    Kind::Scalar { text: text.to_owned(), style: style(text) }
}
