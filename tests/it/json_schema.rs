//! The part of JSON Schema (2020-12) that our schemas use, as a validator. A keyword it does not know fails the test: what is not
//! understood is not checked.

use serde_json::{Map, Value};

/// What is wrong with a value, each with the way to it.
pub(crate) fn problems(schema: &Value, value: &Value) -> Vec<String> {
    let mut found = Vec::new();
    check(schema, value, "", &mut found);
    found
}

fn fits(schema: &Value, value: &Value) -> bool {
    problems(schema, value).is_empty()
}

fn check(schema: &Value, value: &Value, path: &str, found: &mut Vec<String>) {
    let members = match schema {
        Value::Bool(true) => return,
        Value::Bool(false) => return found.push(format!("{path}: nothing may be here")),
        Value::Object(members) => members,
        _ => panic!("not a schema: {schema}"),
    };
    for (keyword, rule) in members {
        if !holds(keyword, rule, members, value, path, found) {
            found.push(format!("{path}: `{keyword}` does not hold for {value}"));
        }
    }
}

/// Whether one keyword holds; what is wrong further down goes into `found` directly.
fn holds(
    keyword: &str,
    rule: &Value,
    members: &Map<String, Value>,
    value: &Value,
    path: &str,
    found: &mut Vec<String>,
) -> bool {
    let schemas = || rule.as_array().unwrap().iter();
    match keyword {
        "$schema" | "title" | "description" | "then" | "else" => true,
        "type" => match rule {
            Value::Array(kinds) => kinds.iter().any(|kind| is_of(kind.as_str().unwrap(), value)),
            kind => is_of(kind.as_str().unwrap(), value),
        },
        "enum" => rule.as_array().unwrap().contains(value),
        "not" => !fits(rule, value),
        "anyOf" => schemas().any(|schema| fits(schema, value)),
        "allOf" => {
            schemas().for_each(|schema| check(schema, value, path, found));
            true
        }
        "if" => {
            let branch = if fits(rule, value) { "then" } else { "else" };
            if let Some(schema) = members.get(branch) {
                check(schema, value, path, found);
            }
            true
        }
        "properties" => {
            for (key, schema) in rule.as_object().unwrap() {
                if let Some(member) = value.get(key) {
                    check(schema, member, &format!("{path}/{key}"), found);
                }
            }
            true
        }
        "additionalProperties" => {
            let known = members.get("properties").and_then(Value::as_object);
            for (key, member) in value.as_object().into_iter().flatten() {
                if known.is_none_or(|known| !known.contains_key(key)) {
                    check(rule, member, &format!("{path}/{key}"), found);
                }
            }
            true
        }
        "required" => schemas().all(|key| !value.is_object() || value.get(key.as_str().unwrap()).is_some()),
        "items" => {
            for (number, entry) in value.as_array().into_iter().flatten().enumerate() {
                check(rule, entry, &format!("{path}/{number}"), found);
            }
            true
        }
        "minItems" => value.as_array().is_none_or(|entries| entries.len() as u64 >= rule.as_u64().unwrap()),
        "minLength" => value.as_str().is_none_or(|text| text.chars().count() as u64 >= rule.as_u64().unwrap()),
        "pattern" => {
            value.as_str().is_none_or(|text| regex::Regex::new(rule.as_str().unwrap()).unwrap().is_match(text))
        }
        "minimum" => value.as_f64().is_none_or(|number| number >= rule.as_f64().unwrap()),
        "maximum" => value.as_f64().is_none_or(|number| number <= rule.as_f64().unwrap()),
        other => panic!("a keyword this validator does not know: {other}"),
    }
}

fn is_of(kind: &str, value: &Value) -> bool {
    match kind {
        "object" => value.is_object(),
        "array" => value.is_array(),
        "string" => value.is_string(),
        "boolean" => value.is_boolean(),
        "number" => value.is_number(),
        "integer" => value.as_f64().is_some_and(|number| number.fract() == 0.0),
        other => panic!("a type this validator does not know: {other}"),
    }
}
