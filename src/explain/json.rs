//! A judgement for programs. The field names are part of the interface, described in `docs/testing-behaviors.md`.

use super::trigger::{Action, Asked, Fired, Seen};
use super::{Considered, Excerpt, Fate, Standing, Watched, Why};
use serde_json::{Map, Value, json as value};

/// The judgement as one object.
#[must_use]
pub fn json(watched: &Watched) -> Value {
    let input: Map<String, Value> =
        watched.fields.iter().map(|(name, text)| ((*name).to_owned(), excerpt(text))).collect();
    value!({
        "event": watched.event.name(),
        "tool": watched.tool,
        "agent": watched.agent,
        "profile": watched.profile.name(),
        "remembered": watched.remembered,
        "input": input,
        "flags": {"before": watched.flags_before, "after": watched.flags_after},
        "behaviors": watched.behaviors.iter().map(behavior).collect::<Vec<_>>(),
    })
}

fn behavior(behavior: &Considered) -> Value {
    value!({
        "id": behavior.id,
        "name": behavior.name,
        "file": behavior.place.file,
        "line": behavior.place.line,
        "fate": fate(&behavior.fate),
        "before": standing(behavior.before),
        "after": standing(behavior.after),
        "triggers": behavior.triggers.iter().map(trigger).collect::<Vec<_>>(),
    })
}

fn fate(fate: &Fate) -> Value {
    match fate {
        Fate::NotReached => value!({"is": "not_reached"}),
        Fate::OtherEvent { watches } => {
            value!({"is": "other_event", "watches": watches.iter().map(|event| event.name()).collect::<Vec<_>>()})
        }
        Fate::OtherTool { watches } => value!({"is": "other_tool", "watches": watches}),
        Fate::ExceptedTool => value!({"is": "excepted_tool"}),
        Fate::SaidBefore { trigger } => value!({"is": "said_before", "trigger": trigger}),
        Fate::Disabled => value!({"is": "disabled"}),
        Fate::OtherProfile { acts } => {
            value!({"is": "other_profile", "acts": acts.iter().map(|profile| profile.name()).collect::<Vec<_>>()})
        }
        Fate::OtherAgent { acts } => value!({"is": "other_agent", "acts": acts}),
        Fate::Passed => value!({"is": "passed"}),
        Fate::Overridden => value!({"is": "overridden"}),
        Fate::Violated { trigger, level, threshold, why } => value!({
            "is": "violated",
            "trigger": trigger,
            "level": level.name(),
            "next_threshold": threshold,
            "because": match why {
                Why::Default => "default",
                Why::Threshold(_) => "threshold",
                Why::Before => "reached_before",
            },
            "threshold": if let Why::Threshold(after) = why { Some(after) } else { None },
        }),
    }
}

fn standing(standing: Standing) -> Value {
    value!({"counter": standing.counter, "level": standing.level.name(), "pending": standing.pending})
}

fn trigger(trigger: &Seen) -> Value {
    value!({
        "number": trigger.number,
        "line": trigger.line,
        "tools": trigger.tools,
        "fired": match trigger.fired {
            Fired::Yes => "yes",
            Fired::ConditionsFailed => "conditions_failed",
            Fired::OtherTool => "other_tool",
            Fired::NotReached => "not_reached",
        },
        "conditions": trigger.asked.iter().map(asked).collect::<Vec<_>>(),
        "actions": trigger.actions.iter().map(action).collect::<Vec<_>>(),
    })
}

fn asked(asked: &Asked) -> Value {
    value!({
        "line": asked.line,
        "question": asked.question,
        "text": asked.text.as_ref().map(excerpt),
        "number": asked.number.as_deref().and_then(|number| serde_json::from_str::<Value>(number).ok()),
        "held": asked.held,
    })
}

fn action(action: &Action) -> Value {
    match action {
        Action::Violates => value!({"is": "violates"}),
        Action::SetsFlag(flag) => value!({"is": "sets_flag", "flag": flag}),
        Action::ClearsFlag(flag) => value!({"is": "clears_flag", "flag": flag}),
        Action::FindsFlag { flag, present, set_by } => {
            let set_by: Vec<Value> = set_by
                .iter()
                .map(|(event, trigger, line)| value!({"event": event.name(), "trigger": trigger, "line": line}))
                .collect();
            value!({"is": "finds_flag", "flag": flag, "present": present, "set_by": set_by})
        }
    }
}

fn excerpt(excerpt: &Excerpt) -> Value {
    let marked = excerpt.marked.as_ref().and_then(|marked| excerpt.text.get(marked.clone()));
    value!({
        "text": excerpt.text,
        "matching": marked,
        "cut_before": excerpt.cut_before,
        "cut_after": excerpt.cut_after,
    })
}
