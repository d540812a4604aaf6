//! One thing looked at, and what came of it.

use crate::model::vocabulary;
use serde_json::{Value, json};

vocabulary! {
    /// How serious it is.
    pub(super) enum Verdict {
        /// As it should be.
        Fine = "ok",
        /// Worth knowing; nobody's fault.
        Note = "note",
        /// Not as it should be, but a block still blocks.
        Warning = "warn",
        /// A block would not block, or nobody can tell.
        Failure = "FAIL",
    }
}

/// One line of the report.
#[derive(Clone, Debug)]
pub(super) struct Check {
    pub(super) verdict: Verdict,
    /// What was looked at.
    pub(super) name: &'static str,
    /// What was found.
    pub(super) what: String,
    /// What to do; empty when nothing is to be done.
    pub(super) remedy: String,
}

impl Check {
    pub(super) fn new(
        verdict: Verdict,
        name: &'static str,
        what: impl Into<String>,
        remedy: impl Into<String>,
    ) -> Self {
        Self { verdict, name, what: what.into(), remedy: remedy.into() }
    }

    pub(super) fn fine(name: &'static str, what: impl Into<String>) -> Self {
        Self::new(Verdict::Fine, name, what, "")
    }

    pub(super) fn json(&self) -> Value {
        json!({ "check": self.name, "verdict": self.verdict.name().to_lowercase(), "what": self.what, "remedy": self.remedy })
    }

    /// The line, with the remedy below it.
    pub(super) fn line(&self) -> String {
        let remedy = if self.remedy.is_empty() { String::new() } else { format!("{:>21}{}\n", "-> ", self.remedy) };
        format!("{:<5} {:<12} {}\n{remedy}", self.verdict, self.name, self.what)
    }
}
