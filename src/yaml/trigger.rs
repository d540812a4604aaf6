//! `policy.triggers[]`: the moment, the tools, the condition, and what follows.
//! Knows which fields go with which event and action.

use super::behavior::Version;
use super::fields::Fields;
use super::walk::{Slot, Walk};
use super::word::ActionWord;
use crate::diagnostic::{Code, Diagnostic};
use crate::model::{Action, Condition, Event, Matcher, OnAbsent, OnPresent, Place, Placed, Test, Trigger};

impl Walk<'_> {
    /// One trigger.
    pub(super) fn trigger(&mut self, slot: Slot<'_>, version: Option<Version>) -> Option<Trigger> {
        let mut fields = self.fields(slot, "a trigger")?;
        let place = fields.head();
        let event = fields.need(self, "event").and_then(|slot| self.word::<Event>(slot));
        let matcher = fields.take("matcher");
        let misspelt = fields.is_misspelt("matcher");
        let matcher = event.and_then(|event| self.matcher_for(event, matcher, (!misspelt).then_some(place)));
        let condition = self.trigger_condition(&mut fields, version);
        if version == Some(Version::One) {
            condition.iter().for_each(|condition| self.too_new_signals(condition));
        }
        let action = self.action(&mut fields);
        fields.close(self);
        Some(Trigger { event: event?.value, matcher: matcher?, condition: condition?, action: action?, place })
    }

    /// Signals that a file of the first version may not ask for.
    fn too_new_signals(&mut self, condition: &Condition) {
        let mut conditions = vec![condition];
        while let Some(condition) = conditions.pop() {
            match condition {
                Condition::All(parts) | Condition::Any(parts) => conditions.extend(parts),
                Condition::Not(part) => conditions.push(part),
                Condition::Test(Placed { value: Test::Number { signal, .. }, place }) if signal.is_watched() => {
                    self.too_new(*place, signal.name());
                }
                Condition::Test(_) => {}
            }
        }
    }

    /// Something a file of the first version may not have.
    pub(super) fn too_new(&mut self, place: Place, what: &str) {
        let message = format!("`{what}` is not part of schema version 1");
        let help = "write `schema_version: \"2\"` at the top of the file";
        self.report(Diagnostic::new(Code::TooNew, place, message, help));
    }

    /// The matcher an event needs; where `head` says, if it is to be missed.
    fn matcher_for(&mut self, event: Placed<Event>, slot: Option<Slot<'_>>, head: Option<Place>) -> Option<Matcher> {
        let matcher = slot.map(|slot| (slot, self.matcher(slot)));
        if event.value.has_tool() {
            return match matcher {
                Some((_, matcher)) => matcher,
                None => {
                    let message = format!("a trigger for `{}` has no `matcher`", event.value);
                    let help = "add `matcher:` with the tools it is about, `\"*\"` for all";
                    self.problems.extend(head.map(|head| Diagnostic::new(Code::MatcherMissing, head, message, help)));
                    None
                }
            };
        }
        if let Some((slot, Some(Matcher::Names(_) | Matcher::Pattern(_)))) = matcher {
            let message = format!("`{}` is not about a tool; the matcher has no effect", event.value);
            self.report(Diagnostic::new(Code::MatcherIgnored, slot.node.head(), message, "remove `matcher`"));
        }
        Some(Matcher::All)
    }

    /// `when`, or `conditions` with `logic`.
    fn trigger_condition(&mut self, fields: &mut Fields<'_>, version: Option<Version>) -> Option<Condition> {
        let list = fields.take("conditions");
        let logic = fields.take("logic");
        let when_place = fields.key_place("when");
        let Some(when_place) = when_place else {
            if version == Some(Version::Two) {
                fields.take("when");
            }
            return self.conditions(list, logic);
        };
        let when = fields.take("when")?;
        if version == Some(Version::One) {
            let help = "write `schema_version: \"2\"` at the top of the file, or use `conditions`";
            self.report(Diagnostic::new(Code::TooNew, when_place, "`when` is not part of schema version 1", help));
        }
        for key in ["conditions", "logic"] {
            if let Some(place) = fields.key_place(key) {
                let message = format!("`when` and `{key}` in one trigger");
                let help = format!("keep one of them; `when` says all that `{key}` can say");
                self.report(Diagnostic::new(Code::WhenTwice, place, message, help).also(when_place, "`when` is here"));
            }
        }
        // Mistakes in what is beside it are worth telling all the same.
        if list.is_some() || logic.is_some() {
            self.conditions(list, logic);
        }
        self.when(when)
    }

    fn action(&mut self, fields: &mut Fields<'_>) -> Option<Action> {
        let word = match fields.take("action") {
            None => Some(ActionWord::Evaluate),
            Some(slot) => self.word(slot).map(|word| word.value),
        };
        let flag_slot = fields.take("flag");
        let present_slot = fields.take("on_present");
        let absent_slot = fields.take("on_absent");
        let flag = flag_slot.map(|slot| self.text(slot));
        let on_present = present_slot.map(|slot| self.word::<OnPresent>(slot));
        let on_absent = absent_slot.map(|slot| self.word::<OnAbsent>(slot));
        let word = word?;
        let (needs_flag, needs_branches) = match word {
            ActionWord::Evaluate => (false, false),
            ActionWord::SetFlag => (true, false),
            ActionWord::CheckFlag => (true, true),
        };
        let rows = [("flag", needs_flag), ("on_present", needs_branches), ("on_absent", needs_branches)];
        for (key, needed) in rows {
            match (fields.key_place(key), needed) {
                (None, true) if fields.is_misspelt(key) => {}
                (None, true) => {
                    let help = match key {
                        "flag" => "add `flag:` with its name",
                        "on_present" => "add `on_present:` with `consume` or `keep`",
                        _ => "add `on_absent:` with `skip` or `violate`",
                    };
                    let message = format!("a trigger with `action: {word}` has no `{key}`");
                    self.report(Diagnostic::new(Code::FlagFieldMissing, fields.head(), message, help));
                }
                (Some(place), false) => {
                    let message = format!("`{key}` does not go with `action: {word}`");
                    let help = match key {
                        "flag" => "remove it, or write `action: set_flag` or `action: check_flag`",
                        _ => "remove it, or write `action: check_flag`",
                    };
                    self.report(Diagnostic::new(Code::FlagFieldMisplaced, place, message, help));
                }
                (None, false) | (Some(_), true) => {}
            }
        }
        Some(match word {
            ActionWord::Evaluate => Action::Evaluate,
            ActionWord::SetFlag => Action::SetFlag { flag: flag?? },
            ActionWord::CheckFlag => {
                Action::CheckFlag { flag: flag??, on_present: on_present??.value, on_absent: on_absent??.value }
            }
        })
    }
}
