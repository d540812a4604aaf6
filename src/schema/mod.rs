//! The YAML files as JSON Schema (draft 2020-12), for editors. Words and limits come from the tables the reader uses; a test holds
//! the lists of keys against the reader's. Says what a single file can say; what needs two files stays with `validate`.

mod behavior;
mod project;
mod scenario;
mod shape;

use serde_json::Value;

crate::model::vocabulary! {
    /// A kind of file there is a schema of.
    pub enum Kind {
        /// `behaviors/<id>/behavior.yaml`.
        Behavior = "behavior",
        /// `behaviors/index.yaml`.
        Index = "index",
        /// `.forge/config.yaml`.
        Config = "config",
        /// `behaviors/<id>/tests/*.yaml`.
        Scenario = "scenario",
    }
}

/// The schema of a kind of file.
#[must_use]
pub fn schema(kind: Kind) -> Value {
    let (title, mut schema) = match kind {
        Kind::Behavior => ("A behavior", behavior::behavior()),
        Kind::Index => ("The index of a project's behaviors", project::index()),
        Kind::Config => ("The settings of a project", project::config()),
        Kind::Scenario => ("Scenarios of a behavior", scenario::file()),
    };
    if let Some(members) = schema.as_object_mut() {
        members.insert("$schema".to_owned(), "https://json-schema.org/draft/2020-12/schema".into());
        members.insert("title".to_owned(), title.into());
    }
    schema
}
