//! What is wrong with the author's files, as data: collected, never thrown; rendered elsewhere.
//! May use `model`; knows neither YAML nor the rules, only how a problem is told.

mod code;
mod human;
mod json;
mod nearest;
mod page;
mod sarif;
mod sources;

pub use code::{Code, Severity};
pub use human::human;
pub use json::{from_json, json};
pub use nearest::nearest;
pub use page::page;
pub use sarif::sarif;
pub use sources::{Source, Sources, place};

use crate::model::Place;

/// One problem.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Diagnostic {
    /// Which kind of problem; decides its severity.
    pub code: Code,
    /// What is wrong: lower case, no final period, the author's own words in backticks.
    pub message: String,
    /// Where; `None` when it is about a file that does not exist.
    pub place: Option<Place>,
    /// What the marked place is, said beside the caret.
    pub label: String,
    /// Other places that explain it.
    pub also: Vec<Label>,
    /// What to do about it.
    pub help: String,
    /// The text that would put it right in place of the marked one, where forge knows it.
    pub replacement: Option<String>,
}

/// A place with a word on what it is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Label {
    /// Where.
    pub place: Place,
    /// What is there.
    pub text: String,
}

impl Diagnostic {
    /// A problem at a place, with what to do about it.
    pub fn new(code: Code, place: Place, message: impl Into<String>, help: impl Into<String>) -> Self {
        Self {
            code,
            message: message.into(),
            place: Some(place),
            label: String::new(),
            also: Vec::new(),
            help: help.into(),
            replacement: None,
        }
    }

    /// A problem with something that is not there.
    pub fn nowhere(code: Code, message: impl Into<String>, help: impl Into<String>) -> Self {
        Self { place: None, ..Self::new(code, Place::default(), message, help) }
    }

    /// The same, with a word beside the caret.
    #[must_use]
    pub fn labelled(mut self, label: impl Into<String>) -> Self {
        self.label = label.into();
        self
    }

    /// The same, with another place that explains it.
    #[must_use]
    pub fn also(mut self, place: Place, text: impl Into<String>) -> Self {
        self.also.push(Label { place, text: text.into() });
        self
    }

    /// The same, with the text that would put it right.
    #[must_use]
    pub fn replaced_by(mut self, text: impl Into<String>) -> Self {
        self.replacement = Some(text.into());
        self
    }

    /// Whether it keeps the catalogue from compiling.
    #[must_use]
    pub fn severity(&self) -> Severity {
        self.code.severity()
    }

    /// Whether it is an error.
    #[must_use]
    pub fn is_error(&self) -> bool {
        self.severity() == Severity::Error
    }
}

/// Puts problems in the order of the files and of the text, which is how people work through them.
pub fn sort(problems: &mut [Diagnostic]) {
    problems.sort_by_key(|problem| (problem.place.map(|place| (place.file, place.start)), problem.code));
}
