//! The schemas and the reader agree: on every key, on every file that is known to be good, on mistakes that a schema can see.

use crate::cli::{Project, forge};
use crate::json_schema::problems;
use forge::diagnostic::{Code, Diagnostic, Source, Sources};
use forge::model::FileId;
use forge::schema::{Kind, schema};
use serde_json::{Value, json};
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

fn value(yaml: &str) -> Value {
    serde_yaml::from_str(yaml).unwrap()
}

/// Files below a folder, of one ending.
fn files(folder: &Path, ending: &str) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            found.extend(files(&path, ending));
        } else if path.to_string_lossy().ends_with(ending) {
            found.push(path);
        }
    }
    found
}

fn accepts(kind: Kind, path: &Path) {
    let text = std::fs::read_to_string(path).unwrap();
    assert_eq!(problems(&schema(kind), &value(&text)), [] as [String; 0], "{}", path.display());
}

#[test]
fn what_comes_with_forge_fits() {
    let behaviors = root().join("behaviors");
    accepts(Kind::Index, &behaviors.join("index.yaml"));
    let (mut rules, mut scenarios) = (0, 0);
    for file in files(&behaviors, ".yaml") {
        if file.ends_with("behavior.yaml") {
            accepts(Kind::Behavior, &file);
            rules += 1;
        } else if file.parent().unwrap().ends_with("tests") {
            accepts(Kind::Scenario, &file);
            scenarios += 1;
        }
    }
    assert!(rules >= 6 && scenarios >= 6, "{rules} behaviors, {scenarios} files of scenarios");
    for file in files(&root().join("tests/data/compile"), ".yaml") {
        accepts(Kind::Behavior, &file);
    }
}

#[test]
fn what_the_tool_writes_fits() {
    let project = Project::new();
    for arguments in [&["init", "--yes"][..], &["new", "my-rule"]] {
        let ran = forge(&project, arguments);
        assert_eq!(ran.code, 0, "{}{}", ran.stdout, ran.stderr);
    }
    accepts(Kind::Config, &project.path(".forge/config.yaml"));
    accepts(Kind::Index, &project.path("behaviors/index.yaml"));
    accepts(Kind::Behavior, &project.path("behaviors/my-rule/behavior.yaml"));
    for file in files(&project.path("behaviors/my-rule/tests"), ".yaml") {
        accepts(Kind::Scenario, &file);
    }
}

/// What a schema of one file can see. The other codes are about the text, about two values, or about patterns and templates.
const SEEN: &[Code] = &[
    Code::UnknownField,
    Code::MissingField,
    Code::WrongType,
    Code::NoValue,
    Code::OldBoolean,
    Code::Unquoted,
    Code::UnknownWord,
    Code::EmptyText,
    Code::TooLong,
    Code::Version,
    Code::BadId,
    Code::NoTriggers,
    Code::MatcherMissing,
    Code::WrongOperator,
    Code::WrongValue,
    Code::FlagFieldMissing,
    Code::FlagFieldMisplaced,
    Code::TooNew,
    Code::WhenTwice,
    Code::BadSemver,
    Code::OutOfRange,
];

/// Every example of a diagnostic: refused where the schema can see it, accepted where it is a warning.
#[test]
fn the_examples_of_diagnostics_are_judged_alike() {
    let folder = root().join("tests/data/diagnostics");
    let (mut refused, mut accepted) = (BTreeSet::new(), 0);
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let name = path.file_stem().unwrap().to_string_lossy().into_owned();
        let code = Code::ALL.iter().find(|code| name.starts_with(code.name())).unwrap();
        // An expression is a text to the schema.
        if path.extension().is_none_or(|ending| ending != "yaml")
            || name.contains("in-when")
            || name.contains("-when-unknown")
        {
            continue;
        }
        let Ok(document) = serde_yaml::from_str::<Value>(&std::fs::read_to_string(&path).unwrap()) else { continue };
        let found = problems(&schema(Kind::Behavior), &document);
        if SEEN.contains(code) {
            assert!(!found.is_empty(), "{name} passes");
            refused.insert(*code);
        } else if code.severity() == forge::diagnostic::Severity::Warning {
            assert_eq!(found, [] as [String; 0], "{name}");
            accepted += 1;
        }
    }
    let missing: Vec<_> = SEEN.iter().filter(|code| !refused.contains(code) && **code != Code::BadId).collect();
    assert!(missing.is_empty() && accepted > 10, "{missing:?}, {accepted} warnings");
}

/// A document of each kind in which every mapping there can be is present.
const FULL: &[(Kind, &str)] = &[
    (
        Kind::Behavior,
        "schema_version: \"2\"\nid: sample\nname: A\ndescription: B\ncategory: core\nscope: session\npolicy:\n  triggers:\n    \
         - event: Stop\n      conditions:\n        - {field: counter, operator: gt, value: 1}\n  enforcement:\n    \
         default_level: nudge\n    escalation:\n      - {after: 2, level: warning}\n  recovery: {hint: C}\nrendering: \
         {override_prompt: D}\napplies_to: {agents: [main]}\nmetadata: {author: E}\n",
    ),
    (Kind::Index, "schema_version: \"1\"\nbehaviors:\n  - {id: sample}\n"),
    (Kind::Config, "schema_version: \"1\"\nlimits: {spend_cap_usd: 2.5}\n"),
    (
        Kind::Scenario,
        "schema_version: \"1\"\nscenarios:\n  - name: A\n    steps:\n      - command: ls\n        signals: {repeats: 1}\n        \
         expect: {decision: pass, decisions: {pass: 1}, behaviors: {sample: {counter: 0}}}\n",
    ),
];

/// Where the key `stranger` goes: after every brace, and at the head of every block mapping.
fn with_strangers(mut document: Value) -> Value {
    match &mut document {
        Value::Object(members) => {
            members.values_mut().for_each(|member| *member = with_strangers(member.take()));
            // Here every key is allowed: they are ids.
            if !members.contains_key("sample") {
                members.insert("stranger".to_owned(), json!(1));
            }
        }
        Value::Array(entries) => entries.iter_mut().for_each(|entry| *entry = with_strangers(entry.take())),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
    }
    document
}

/// Every closed mapping's keys in a schema.
fn key_lists(schema: &Value, lists: &mut BTreeSet<BTreeSet<String>>) {
    match schema {
        Value::Object(members) => {
            if members.get("additionalProperties") == Some(&json!(false)) {
                lists.insert(members["properties"].as_object().unwrap().keys().cloned().collect());
            }
            members.values().for_each(|member| key_lists(member, lists));
        }
        Value::Array(entries) => entries.iter().for_each(|entry| key_lists(entry, lists)),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
    }
}

/// What the reader says of a document of one kind.
fn read(kind: Kind, text: &str) -> Vec<Diagnostic> {
    let index = "schema_version: \"1\"\nbehaviors: [{id: sample}]\n";
    let name = match kind {
        Kind::Behavior => "behaviors/sample/behavior.yaml",
        Kind::Index => "behaviors/index.yaml",
        Kind::Config => ".forge/config.yaml",
        Kind::Scenario => {
            let sources = Sources::new(vec![Source::new("s.yaml", text)]);
            return forge::scenario::read(&sources, FileId(0), Some("sample"), &["sample".to_owned()]).1;
        }
    };
    let mut files = vec![Source::new(name, text)];
    if kind != Kind::Index {
        files.push(Source::new("behaviors/index.yaml", index));
    }
    forge::yaml::load(&Sources::new(files)).1.into_iter().filter(|problem| problem.code != Code::MissingFile).collect()
}

/// The reader lists the keys a mapping can have when it meets a stranger; the schema has the same lists, no more and no fewer.
#[test]
fn the_keys_are_the_readers() {
    for (kind, text) in FULL {
        assert_eq!(read(*kind, text), [], "the full {kind} is read without a word");
        let document = value(text);
        assert_eq!(problems(&schema(*kind), &document), [] as [String; 0], "{kind}");
        let strange = with_strangers(document);
        assert!(!problems(&schema(*kind), &strange).is_empty());
        let told = read(*kind, &strange.to_string());
        let told: BTreeSet<BTreeSet<String>> = told
            .iter()
            .filter(|problem| problem.message.contains("`stranger`"))
            .map(|problem| problem.help.split('`').skip(1).step_by(2).map(str::to_owned).collect())
            .collect();
        let mut ours = BTreeSet::new();
        key_lists(&schema(*kind), &mut ours);
        assert_eq!(ours, told, "{kind}: the schema on the left, the reader on the right");
    }
}

#[test]
fn a_wrong_word_is_refused_wherever_words_are_closed() {
    let (_, text) = FULL[0];
    for (from, to) in [
        ("core", "cores"),
        ("session\n", "sesion\n"),
        ("event: Stop", "event: Stopp"),
        ("field: counter", "field: cuonter"),
        ("operator: gt", "operator: gtt"),
        ("level: warning", "level: warn"),
        ("operator: gt, value: 1", "operator: contains, value: x"),
        ("operator: gt, value: 1", "operator: exists, value: 1"),
        ("field: counter", "field: command"),
    ] {
        assert!(text.contains(from), "{from}");
        assert!(!problems(&schema(Kind::Behavior), &value(&text.replacen(from, to, 1))).is_empty(), "{to}");
    }
    assert!(!problems(&schema(Kind::Config), &value("schema_version: \"1\"\noverride: never\n")).is_empty());
    assert!(
        !problems(&schema(Kind::Scenario), &value(&FULL[3].1.replace("decision: pass", "decision: passes"))).is_empty()
    );
}

#[test]
fn the_command_prints_and_writes_them() {
    let project = Project::new();
    let ran = forge(&project, &["schema", "--write", "schemas"]);
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    for kind in Kind::ALL {
        let printed = forge(&project, &["schema", kind.name()]).stdout;
        assert_eq!(serde_json::from_str::<Value>(&printed).unwrap(), schema(*kind));
        let written = std::fs::read_to_string(project.path(&format!("schemas/{kind}.schema.json"))).unwrap();
        assert_eq!(written, printed);
    }
    assert_eq!(forge(&project, &["schema"]).code, 2);
    assert_eq!(forge(&project, &["schema", "behaviour"]).code, 2);
}
