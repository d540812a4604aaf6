//! What is said.

use crate::diagnostic::{Code, Diagnostic};
use crate::model::{Catalogue, Piece, Variable};

/// F048: a nudge stands among others; it must say whose it is and how often.
pub(super) fn nudges_name_themselves(catalogue: &Catalogue, problems: &mut Vec<Diagnostic>) {
    for behavior in &catalogue.behaviors {
        let Some(nudge) = &behavior.rendering.nudge else { continue };
        let says = |variable| nudge.pieces.contains(&Piece::Variable(variable));
        let named = says(Variable::BehaviorName)
            || says(Variable::BehaviorId)
            || nudge.pieces.iter().any(|piece| {
                matches!(piece, Piece::Text(text) if text.contains(&behavior.name) || text.contains(&behavior.id.value))
            });
        let missing = match (named, says(Variable::Counter)) {
            (true, true) => continue,
            (false, true) => "`{behavior_name}`",
            (true, false) => "`{counter}`",
            (false, false) => "`{behavior_name}` and `{counter}`",
        };
        let message = format!("the nudge of `{}` says nothing of {missing}", behavior.id.value);
        let help = "write it as in `{behavior_name}: … (violation {counter}/{threshold})`";
        problems.push(Diagnostic::new(Code::NudgeAnonymous, behavior.id.place, message, help));
    }
}
