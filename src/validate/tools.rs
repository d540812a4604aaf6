//! Names of tools, as far as they are known.

use crate::diagnostic::{Code, Diagnostic};
use crate::model::{Catalogue, Matcher, Place, our_tool_name};

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
    let ours = our_tool_name(name).filter(|ours| *ours != name)?;
    let message =
        format!("no call is ever by the tool `{name}`: forge calls it `{ours}`, whichever harness it comes from");
    Some(Diagnostic::new(Code::ForeignTool, place, message, format!("write `{ours}`")))
}
