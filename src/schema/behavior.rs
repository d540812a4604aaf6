//! The schema of `behavior.yaml`: its keys, and which of them go together.

use super::shape::{
    Optional, Required, also, boolean, having, id, list, mapping, short, text, when, whole, without, word,
};
use crate::limits;
use crate::model::{Category, Comparison, Event, Field, Level, OnAbsent, OnPresent, Profile, Scope, Signal};
use crate::yaml::behavior::Version;
use crate::yaml::word::{ActionWord, Logic, Operator, ResetWord};
use serde_json::{Value, json};

pub(super) fn behavior() -> Value {
    let semver = r"^(0|[1-9]\d*)\.(0|[1-9]\d*)\.(0|[1-9]\d*)(-[0-9A-Za-z.-]+)?(\+[0-9A-Za-z.-]+)?$";
    let metadata = mapping([
        ("author", Optional, text(), "Who wrote it."),
        ("version", Optional, json!({"type": "string", "pattern": semver}), "Its version: `1.0.0`."),
        ("tags", Optional, list(text()), "Words to find it by."),
    ]);
    let schema = mapping([
        ("schema_version", Required, word(Version::NAMES), "The version of the language."),
        ("id", Required, id(), "Its name, the same as its folder's."),
        ("name", Required, text(), "Its name for people."),
        ("description", Required, text(), "What it is for."),
        ("category", Required, word(Category::NAMES), "How settled it is."),
        ("scope", Required, word(Scope::NAMES), "How long violations are remembered; only `session` acts."),
        ("enabled", Optional, boolean(), "Whether it acts; the index has the last word."),
        ("policy", Required, policy(), "What counts as a violation, and how it is answered."),
        ("rendering", Optional, rendering(), "What is said; forge has words of its own for what is missing."),
        ("applies_to", Optional, applies_to(), "Where it acts; an empty list means everywhere."),
        ("metadata", Optional, metadata, "About the behavior itself."),
    ]);
    also(schema, vec![when(having("schema_version", &[Version::One.name()]), first_version())])
}

/// What files of the first version may not have.
fn first_version() -> Value {
    let watched: Vec<String> =
        Signal::ALL.iter().filter(|signal| signal.is_watched()).flat_map(|signal| signal_names(*signal)).collect();
    let mut trigger = without(&["when"]);
    if let Some(keys) = trigger.pointer_mut("/properties").and_then(Value::as_object_mut) {
        let condition = json!({"properties": {"field": {"not": {"enum": watched}}}});
        keys.insert("conditions".to_owned(), json!({"items": condition}));
    }
    json!({"properties": {
        "policy": {"properties": {
            "triggers": {"items": trigger},
            "enforcement": without(&["resets", "once_per", "ends_turn"]),
        }},
        "applies_to": without(&["except_tools"]),
    }})
}

fn policy() -> Value {
    let mut triggers = list(trigger());
    if let Some(members) = triggers.as_object_mut() {
        members.insert("minItems".to_owned(), 1.into());
    }
    let recovery = mapping([
        ("hint", Required, text(), "What the agent should do instead."),
        ("suggested_tool", Optional, text(), "With this tool."),
        ("suggested_action", Optional, text(), "In this way; with the tool `Bash`, a command."),
    ]);
    mapping([
        ("triggers", Required, triggers, "What to watch for; the first violation ends the list."),
        ("enforcement", Required, enforcement(), "How violations are answered."),
        ("recovery", Required, recovery, "What the agent should do instead."),
    ])
}

fn enforcement() -> Value {
    let step = mapping([
        ("after", Required, whole(1, u64::from(u32::MAX)), "From this many violations on."),
        ("level", Required, word(Level::NAMES), "This level."),
    ]);
    mapping([
        ("default_level", Required, word(Level::NAMES), "The level below the first threshold."),
        ("escalation", Optional, list(step), "Stricter answers to more violations."),
        ("resets", Optional, list(word(ResetWord::NAMES)), "Signals that a violation sets back."),
        ("once_per", Optional, subject(), "A violation counts once per value of this."),
        ("ends_turn", Optional, boolean(), "A block also ends the agent's turn, where the harness can."),
    ])
}

fn rendering() -> Value {
    mapping([
        ("nudge_template", Optional, short(limits::NUDGE_CHARS), "What is said at a nudge: one line."),
        ("warning_template", Optional, short(limits::WARNING_CHARS), "What is said at a warning: a few lines."),
        ("block_reason", Optional, short(limits::BLOCK_REASON_CHARS), "Why a call is blocked."),
        ("override_prompt", Optional, text(), "What can be done about a block."),
    ])
}

fn applies_to() -> Value {
    mapping([
        ("tools", Optional, list(text()), "These tools alone, by their exact names."),
        ("except_tools", Optional, list(text()), "Not these tools."),
        ("agents", Optional, list(text()), "These agent types alone; `main` outside of subagents."),
        ("profiles", Optional, list(word(Profile::NAMES)), "In these profiles alone."),
    ])
}

fn trigger() -> Value {
    let schema = mapping([
        ("event", Required, word(Event::NAMES), "The moment."),
        (
            "matcher",
            Optional,
            json!({"type": "string"}),
            "The tools: `*`, names as in `Write|Edit`, or a regular expression.",
        ),
        ("conditions", Optional, list(condition()), "What must hold; nothing for every event."),
        ("logic", Optional, word(Logic::NAMES), "Whether all conditions must hold, or any."),
        ("when", Optional, text(), "The conditions as one expression."),
        ("action", Optional, word(ActionWord::NAMES), "What follows; `evaluate`, a violation, by default."),
        ("flag", Optional, text(), "The flag that is set or checked."),
        ("on_present", Optional, word(OnPresent::NAMES), "What becomes of a flag that is there."),
        ("on_absent", Optional, word(OnAbsent::NAMES), "What a flag that is not there means."),
    ]);
    let tool_events: Vec<&str> = Event::ALL.iter().filter(|event| event.has_tool()).map(|event| event.name()).collect();
    let (set, check) = (ActionWord::SetFlag.name(), ActionWord::CheckFlag.name());
    let branches = ["on_present", "on_absent"];
    also(
        schema,
        vec![
            when(having("event", &tool_events), json!({"required": ["matcher"]})),
            when(json!({"required": ["when"]}), without(&["conditions", "logic"])),
            when(having("action", &[set, check]), json!({"required": ["flag"]})),
            when(json!({"not": having("action", &[set, check])}), without(&["flag"])),
            when(having("action", &[check]), json!({"required": branches})),
            when(json!({"not": having("action", &[check])}), without(&branches)),
        ],
    )
}

fn condition() -> Value {
    let value = json!({"type": ["string", "number"]});
    let schema = mapping([
        ("field", Required, subject(), "A text of the call, or a number of the session."),
        ("operator", Required, word(Operator::NAMES), "What is asked of it."),
        ("value", Optional, value, "What it is compared with."),
    ]);
    let asked = [Operator::Exists.name(), Operator::NotExists.name()];
    let numeric = |decimal: bool| -> Vec<String> {
        Signal::ALL
            .iter()
            .filter(|signal| signal.is_decimal() == decimal)
            .flat_map(|signal| signal_names(*signal))
            .collect()
    };
    let number_words: Vec<&str> = Comparison::NAMES.iter().copied().chain(asked).collect();
    let equals = Operator::Equals.name();
    let text_words: Vec<&str> =
        Operator::NAMES.iter().copied().filter(|word| *word == equals || !Comparison::NAMES.contains(word)).collect();
    let of = |names: Vec<String>| json!({"properties": {"field": {"enum": names}}, "required": ["field"]});
    let taking = |words: &[&str], value: Value| json!({"properties": {"operator": {"enum": words}, "value": value}});
    also(
        schema,
        vec![
            json!({
                "if": having("operator", &asked),
                "then": without(&["value"]),
                "else": {"required": ["value"]},
            }),
            when(of(text_names()), taking(&text_words, json!({"type": "string"}))),
            when(of(numeric(false)), taking(&number_words, json!({"type": "integer", "minimum": 0}))),
            when(of(numeric(true)), taking(&number_words, json!({"type": "number", "minimum": 0}))),
        ],
    )
}

/// Every name of something a condition can look at.
fn subject() -> Value {
    let signals = Signal::ALL.iter().flat_map(|signal| signal_names(*signal));
    let names: Vec<String> = text_names().into_iter().chain(signals).collect();
    json!({"type": "string", "enum": names})
}

fn text_names() -> Vec<String> {
    Field::ALL.iter().flat_map(|field| [field.to_string(), format!("tool_input.{field}")]).collect()
}

fn signal_names(signal: Signal) -> [String; 2] {
    [signal.to_string(), format!("session_state.{signal}")]
}
