//! F057: a pattern that is found in every text; and the one place where patterns are run here.

use crate::diagnostic::{Code, Diagnostic};
use crate::model::{Condition, Pattern, Placed, Test, TextTest};
use crate::validate::Checked;
use regex_syntax::hir::{Hir, HirKind, Look};
use std::cell::RefCell;
use std::collections::HashMap;

pub(super) fn patterns_say_something(checked: &Checked, problems: &mut Vec<Diagnostic>) {
    for trigger in checked.enabled().flat_map(|behavior| &behavior.triggers) {
        let mut conditions = vec![&trigger.condition];
        while let Some(condition) = conditions.pop() {
            match condition {
                Condition::All(parts) | Condition::Any(parts) => conditions.extend(parts),
                Condition::Not(part) => conditions.push(part),
                Condition::Test(Placed { value: Test::Text { field, test: TextTest::Matches(pattern) }, place }) => {
                    if is_always_found(&pattern.normal) {
                        let message = format!(
                            "the pattern `{}` is found in every text, so it says nothing about `{field}`",
                            pattern.source
                        );
                        let help = "make a part of it required, or ask with `exists` whether there is a text at all";
                        problems.push(Diagnostic::new(Code::AlwaysFound, *place, message, help));
                    }
                }
                Condition::Test(_) => {}
            }
        }
    }
}

/// Whether a pattern is found at the very start of every text, by matching nothing there.
fn is_always_found(pattern: &str) -> bool {
    regex_syntax::Parser::new().parse(pattern).is_ok_and(|parsed| matches_nothing(&parsed))
}

/// Whether an expression matches the empty text at the start of every text. Edges other than the start depend on the text. No
/// deeper than the parser lets it be.
fn matches_nothing(expression: &Hir) -> bool {
    match expression.kind() {
        HirKind::Empty => true,
        HirKind::Literal(_) | HirKind::Class(_) => false,
        HirKind::Look(look) => *look == Look::Start || *look == Look::StartLF || *look == Look::StartCRLF,
        HirKind::Repetition(repetition) => repetition.min == 0 || matches_nothing(&repetition.sub),
        HirKind::Capture(capture) => matches_nothing(&capture.sub),
        HirKind::Concat(parts) => parts.iter().all(matches_nothing),
        HirKind::Alternation(parts) => parts.iter().any(matches_nothing),
    }
}

/// Whether a pattern is found in a text; `None` when it is none.
pub(super) fn found(pattern: &Pattern, text: &str) -> Option<bool> {
    thread_local! {
        /// Triggers are compared with each other, so the same pattern is asked again and again.
        static COMPILED: RefCell<HashMap<String, Option<regex::Regex>>> = RefCell::default();
    }
    COMPILED.with_borrow_mut(|compiled| {
        let compiled =
            compiled.entry(pattern.normal.clone()).or_insert_with(|| regex::Regex::new(&pattern.normal).ok());
        compiled.as_ref().map(|regex| regex.is_match(text))
    })
}
