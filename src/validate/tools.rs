//! Names of tools, as far as they are known.

use crate::diagnostic::{Code, Diagnostic, nearest};
use crate::model::{Catalogue, Matcher, Place, our_tool_name, our_tool_names};

/// Fewest letters of a name that may be another one misspelt.
const SHORTEST: usize = 4;

/// F053: a call reaches the rules under forge's name for its tool, so a rule about another name never acts.
pub(super) fn known_by_our_names(catalogue: &Catalogue, problems: &mut Vec<Diagnostic>) {
    for behavior in &catalogue.behaviors {
        for trigger in &behavior.triggers {
            if let Matcher::Names(names) = &trigger.matcher {
                problems.extend(names.iter().filter_map(|name| foreign(name, trigger.place)));
            }
        }
        problems.extend(behavior.applies_to.tools.iter().filter_map(|name| foreign(name, behavior.id.place)));
    }
}

fn foreign(name: &str, place: Place) -> Option<Diagnostic> {
    match our_tool_name(name) {
        Some(ours) if ours == name => None,
        Some(ours) => {
            let message = format!(
                "no call is ever by the tool `{name}`: forge calls it `{ours}`, whichever harness it comes from"
            );
            Some(Diagnostic::new(Code::ForeignTool, place, message, format!("write `{ours}`")))
        }
        None => misspelt(name, place),
    }
}

/// A name no harness has, close to one that they have. Short names are close to too much: `LSP` is a tool, and `LS` another.
fn misspelt(name: &str, place: Place) -> Option<Diagnostic> {
    let near = nearest(name, our_tool_names())?;
    if name.len() < SHORTEST && !name.eq_ignore_ascii_case(near) {
        return None;
    }
    let message = format!("no harness that forge knows has a tool `{name}`");
    Some(Diagnostic::new(Code::ForeignTool, place, message, format!("did you mean `{near}`?")))
}
