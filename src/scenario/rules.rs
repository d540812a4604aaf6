//! The rules a scenario is played against: one catalogue with the wanted behaviors enabled, as the reference reads it and as the
//! machine runs it.

use crate::bytecode::{Verified, verify};
use crate::diagnostic::Diagnostic;
use crate::lower::{self, TooLarge};
use crate::model::{Behavior, Catalogue};
use crate::validate::{self, Checked};
use std::fmt;
use std::sync::Arc;

/// A catalogue, checked and compiled.
#[derive(Clone, Debug)]
pub struct Rules {
    catalogue: Catalogue,
    pub(super) checked: Checked,
    pub(super) program: Arc<Verified<'static>>,
    /// Whether the machine judges beside the reference. A mutant is judged by the reference alone: its program would
    /// have to be compiled, and the two have been shown to agree.
    pub(super) machine: bool,
}

/// Why there are no rules.
#[derive(Debug)]
pub enum RulesError {
    /// The catalogue makes no sense.
    Invalid(Vec<Diagnostic>),
    /// It does not fit into a program.
    TooLarge(TooLarge),
    /// What the compiler made of it is no program: a fault of forge.
    Unverified(String),
}

impl fmt::Display for RulesError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Invalid(problems) => {
                f.write_str(problems.iter().find(|problem| problem.is_error()).map_or("", |problem| &problem.message))
            }
            Self::TooLarge(what) => what.fmt(f),
            Self::Unverified(fault) => write!(f, "internal error: the compiled program is not one ({fault})"),
        }
    }
}

impl std::error::Error for RulesError {}

impl Rules {
    /// The rules of a catalogue in which exactly the behaviors `act`s names are enabled; all that are, without `acts`.
    ///
    /// # Errors
    /// When the catalogue makes no sense or cannot be compiled.
    pub fn new(catalogue: &Catalogue, acts: Option<&[String]>) -> Result<Self, RulesError> {
        let mut catalogue = catalogue.clone();
        for behavior in catalogue.behaviors.iter_mut() {
            behavior.enabled = acts.map_or(behavior.enabled, |acts| acts.contains(&behavior.id.value));
        }
        let (checked, _) = validate::validate(catalogue.clone()).map_err(RulesError::Invalid)?;
        let lowered = lower::lower(&checked, [0; 32]).map_err(RulesError::TooLarge)?;
        let program = verify(lowered.program).map_err(|fault| RulesError::Unverified(fault.to_string()))?;
        Ok(Self { catalogue, checked, program: Arc::new(program), machine: true })
    }

    /// The enabled behaviors, in index order.
    pub fn behaviors(&self) -> impl Iterator<Item = &Behavior> {
        self.checked.enabled()
    }

    /// The program.
    #[must_use]
    pub fn program(&self) -> &Verified<'static> {
        &self.program
    }

    /// The same rules with one behavior changed; `None` when the change makes no sense.
    pub(super) fn with_mutant(&self, mutant: &Behavior) -> Option<Self> {
        let mut catalogue = self.catalogue.clone();
        let slot = catalogue.behaviors.iter_mut().find(|behavior| behavior.id.value == mutant.id.value)?;
        *slot = Behavior { enabled: slot.enabled, ..mutant.clone() };
        let (checked, _) = validate::validate(catalogue.clone()).ok()?;
        Some(Self { catalogue, checked, program: Arc::clone(&self.program), machine: false })
    }
}
