//! The schema of scenario files.

use super::shape::{Key, Optional, Required, boolean, id, list, mapping, text, whole, word};
use crate::harness::Harness;
use crate::model::{Event, Field, Level, OverrideMode, Profile, Signal};
use crate::scenario::{Decision, PARALLEL};
use serde_json::{Value, json};

pub(super) fn file() -> Value {
    let scenario = mapping([
        ("name", Required, text(), "What it shows."),
        ("independent", Optional, boolean(), "Every step begins with a fresh session."),
        ("profile", Optional, word(Profile::NAMES), "The profile; `standard` by default."),
        ("override", Optional, word(OverrideMode::NAMES), "Another way to override than the project's."),
        ("with", Optional, list(id()), "Behaviors that act beside the one under test."),
        ("steps", Required, list(step()), "What happens, in order."),
    ]);
    mapping([
        ("schema_version", Required, word(&["1"]), "The version of this format."),
        ("behavior", Optional, id(), "The behavior under test; without it, the one whose folder the file is in."),
        ("scenarios", Required, list(scenario), "The scenarios."),
    ])
}

fn step() -> Value {
    let span = json!({"type": "string", "pattern": "^-?([0-9]+[smhd])+$"});
    let payload = json!({"type": ["string", "object"]});
    let input = json!({"type": "object"});
    let signals = mapping(Signal::ALL.iter().filter(|signal| signal.is_watched()).map(|signal| -> Key {
        let kind = if signal.is_decimal() { "number" } else { "integer" };
        (signal.name(), Optional, json!({"type": kind, "minimum": 0}), "What the transcript says.")
    }));
    let texts = Field::ALL
        .iter()
        .map(|field| -> Key { (field.name(), Optional, json!({"type": "string"}), "A text of the tool's input.") });
    let keys: [Key; 16] = [
        ("advance", Optional, span, "How far the clock goes on before: `61s`, `10m`, `1h30m`."),
        ("session", Optional, text(), "Another session than the first."),
        ("allow", Optional, id(), "A person lets what this behavior blocked through."),
        ("disable", Optional, id(), "A person switches this behavior off for the session."),
        ("enable", Optional, id(), "A person switches it on again."),
        ("payload", Optional, payload, "The event as a harness sends it."),
        ("harness", Optional, word(Harness::NAMES), "Who sends the payload."),
        ("event", Optional, text_or_word(Event::NAMES), "The moment; of a payload, the harness's own name for it."),
        ("tool", Optional, text(), "The tool; `Bash` when there is a `command`."),
        ("input", Optional, input, "More of the tool's input."),
        ("agent", Optional, text(), "The agent's type."),
        ("call", Optional, text(), "The harness's id of the call."),
        ("continuing", Optional, boolean(), "At Stop: the agent goes on because of a block at Stop."),
        ("signals", Optional, signals, "What the session's transcript says."),
        ("parallel", Optional, whole(1, PARALLEL), "So many at once."),
        ("expect", Optional, expectation(true), "What must come of it."),
    ];
    mapping(texts.chain(keys))
}

/// Words that are offered, where others are allowed too.
fn text_or_word(words: &[&str]) -> Value {
    json!({"anyOf": [word(words), text()]})
}

/// A decision alone, or a mapping of all that can be expected.
fn expectation(is_own: bool) -> Value {
    let any_count = || whole(0, u64::MAX);
    let mut keys: Vec<Key> = vec![
        ("decision", Optional, word(Decision::NAMES), "What the strictest violation brings."),
        ("counter", Optional, any_count(), "Violations of the behavior so far."),
        ("level", Optional, word(Level::NAMES), "The highest level so far."),
    ];
    if is_own {
        let counts = mapping(
            Decision::ALL
                .iter()
                .map(|decision| -> Key { (decision.name(), Optional, whole(0, PARALLEL), "How many.") }),
        );
        let others = json!({"type": "object", "additionalProperties": expectation(false)});
        keys.extend([
            ("decisions", Optional, counts, "Of parallel events: how many came to what."),
            ("flags", Optional, list(text()), "Exactly these flags are set."),
            ("says", Optional, list(text()), "The answer has these texts in it."),
            ("says_not", Optional, list(text()), "The answer has none of these in it."),
            (
                "overridden",
                Optional,
                json!({"anyOf": [boolean(), any_count()]}),
                "Whether, or how often, a block was overridden.",
            ),
            ("behaviors", Optional, others, "What is expected of other behaviors, by id."),
        ]);
    }
    json!({"anyOf": [word(Decision::NAMES), mapping(keys)]})
}
