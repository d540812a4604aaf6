//! The schemas of the index and of the config file.

use super::shape::{Optional, Required, boolean, id, list, mapping, word};
use crate::model::{OnError, OverrideMode};
use crate::yaml::behavior::Version;
use serde_json::{Value, json};

pub(super) fn index() -> Value {
    let entry = mapping([
        ("id", Required, id(), "The behavior's folder below `behaviors/`."),
        ("enabled", Optional, boolean(), "Whether it acts; without it, the behavior's own file says."),
    ]);
    mapping([
        ("schema_version", Required, word(&[Version::One.name()]), "The version of this format."),
        ("behaviors", Required, list(entry), "All behaviors, in the order in which they are evaluated."),
    ])
}

pub(super) fn config() -> Value {
    let dollars = json!({"type": "number", "minimum": 0});
    let limits =
        mapping([("spend_cap_usd", Optional, dollars, "What a session may cost, in US dollars; 0 for no cap.")]);
    mapping([
        ("schema_version", Required, word(&[Version::One.name()]), "The version of this format."),
        ("override", Optional, word(OverrideMode::NAMES), "Who can override a soft block, and how."),
        ("on_error", Optional, word(OnError::NAMES), "What an event decides that cannot be judged."),
        ("limits", Optional, limits, "Bounds for every session."),
    ])
}
