//! Who is who: ids, their number, their scope.

use crate::diagnostic::{Code, Diagnostic};
use crate::limits;
use crate::model::{Catalogue, Place, Scope};
use std::collections::HashMap;

/// F050: a program has a largest number of behaviors.
pub(super) fn too_many(catalogue: &Catalogue, problems: &mut Vec<Diagnostic>) {
    let count = catalogue.behaviors.len();
    if count > limits::BEHAVIORS {
        let message = format!("{count} behaviors; {} are the most", limits::BEHAVIORS);
        problems.push(Diagnostic::nowhere(Code::TooMany, message, "split the catalogue over several projects"));
    }
}

/// F022: an id is a folder's name and a command's argument.
pub(super) fn well_formed_ids(catalogue: &Catalogue, problems: &mut Vec<Diagnostic>) {
    for behavior in &catalogue.behaviors {
        let id = &behavior.id;
        if !is_id(&id.value) {
            let message = format!("`{}` cannot be an id", id.value);
            let help =
                "small letters, digits and dashes, beginning with a letter, not ending with a dash, at least two";
            problems.push(Diagnostic::new(Code::BadId, id.place, message, help));
        }
    }
}

/// Whether a text can be a behavior's id: `[a-z][a-z0-9-]*[a-z0-9]`.
#[must_use]
pub fn is_id(id: &str) -> bool {
    let bytes = id.as_bytes();
    bytes.len() >= 2
        && bytes.first().is_some_and(u8::is_ascii_lowercase)
        && bytes.last().is_some_and(|last| *last != b'-')
        && bytes.iter().all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit() || *byte == b'-')
}

/// F024: state is kept by id.
pub(super) fn unique_ids(catalogue: &Catalogue, problems: &mut Vec<Diagnostic>) {
    let mut seen: HashMap<&str, Place> = HashMap::new();
    for behavior in &catalogue.behaviors {
        let id = &behavior.id;
        if let Some(first) = seen.insert(&id.value, id.place) {
            let message = format!("two behaviors have the id `{}`", id.value);
            let problem = Diagnostic::new(Code::Twice, id.place, message, "give one of them another id");
            problems.push(problem.also(first, "the other one"));
        }
    }
}

/// F047: a scope that is not acted on is no mistake, but should not be believed in.
pub(super) fn acting_scope(catalogue: &Catalogue, problems: &mut Vec<Diagnostic>) {
    for behavior in &catalogue.behaviors {
        let scope = behavior.scope;
        if scope.value != Scope::Session {
            let message =
                format!("scope `{}` does not act yet; `{}` remembers for the session", scope.value, behavior.id.value);
            problems.push(Diagnostic::new(Code::ScopeInert, scope.place, message, "write `scope: session`"));
        }
    }
}
