//! The YAML reader: good files give the catalogue they say, all ways of writing a value give the same one.

use forge::diagnostic::{Diagnostic, Source, Sources};
use forge::model::FileId;
use forge::model::{
    Action, Catalogue, Comparison, Condition, Event, Field, Level, Matcher, OnAbsent, OnError, OnPresent, OverrideMode,
    Piece, Signal, Test, TextTest, Variable,
};
use forge::yaml::{self, Kind, Node, Step, Style};
use proptest::prelude::*;
use serde_yaml::Value as Yaml;

/// A project with the given behaviors, all listed.
pub(crate) fn project(behaviors: &[(&str, &str)]) -> Sources {
    let mut index = String::from("schema_version: \"1\"\nbehaviors:\n");
    let mut files = Vec::new();
    for (id, text) in behaviors {
        index.push_str(&format!("  - id: {id}\n"));
        files.push(Source::new(yaml::behavior_file(id), *text));
    }
    files.push(Source::new(yaml::INDEX, index));
    Sources::new(files)
}

/// The smallest behavior around some triggers (indented by four).
pub(crate) fn behavior(id: &str, version: &str, triggers: &str) -> String {
    format!(
        "schema_version: \"{version}\"\nid: {id}\nname: A name\ndescription: What it is for\ncategory: core\nscope: session\n\
         policy:\n  triggers:\n{triggers}  enforcement:\n    default_level: nudge\n  recovery:\n    hint: do the other thing\n"
    )
}

pub(crate) fn good(sources: &Sources) -> Catalogue {
    let (catalogue, problems) = yaml::load(sources);
    assert_eq!(problems, Vec::<Diagnostic>::new(), "{}", forge::diagnostic::human(&problems, sources, false));
    catalogue
}

const FULL: &str = r#"# A comment
schema_version: "1"
id: search-first
name: Search First
description: >
  Look before you
  write.
category: opinionated
scope: session
enabled: false
policy:
  triggers:
    - event: PostToolUse
      matcher: "Grep | Glob"
      action: set_flag
      flag: searched
    - event: PreToolUse
      matcher: 'mcp__.*'
      conditions:
        - field: tool_input.command
          operator: regex_match
          value: 'git\s+push'
        - field: session_state.counter
          operator: gte
          value: 3
        - {field: file_path, operator: not_contains, value: "test"}
        - field: url
          operator: not_exists
      logic: any
      action: check_flag
      flag: searched
      on_present: consume
      on_absent: violate
    - event: Stop
  enforcement:
    default_level: silent
    escalation:
      - after: 1
        level: nudge
      - {after: 3, level: soft_block}
  recovery:
    hint: Use Grep
    suggested_tool: Grep
rendering:
  nudge_template: "{behavior_name}: look first {{ok}} ({counter}/{threshold})"
applies_to:
  tools: [Write, Edit]
  profiles:
    - strict
metadata:
  author: me
  version: 1.0.0-rc.1+b7
  tags: [a, b]
"#;

#[test]
fn a_full_behavior_is_read_as_written() {
    let catalogue = good(&Sources::new(vec![
        Source::new(yaml::INDEX, "schema_version: \"1\"\nbehaviors:\n- id: search-first\n  enabled: true\n"),
        Source::new(yaml::behavior_file("search-first"), FULL),
        Source::new(yaml::CONFIG, "schema_version: '1'\noverride: ask\non_error: deny\n"),
    ]));
    assert_eq!(catalogue.settings.overrides, OverrideMode::Ask);
    assert_eq!(catalogue.settings.on_error, OnError::Deny);
    let [behavior] = &catalogue.behaviors[..] else { panic!("one behavior") };
    assert_eq!(behavior.description, "Look before you write.");
    assert!(behavior.enabled, "the index decides");
    let [set, check, stop] = &behavior.triggers[..] else { panic!("three triggers") };
    assert_eq!(set.matcher, Matcher::Names(vec!["Grep".into(), "Glob".into()]));
    assert!(matches!(&set.action, Action::SetFlag { flag } if flag.value == "searched"));
    assert_eq!(set.condition, Condition::All(vec![]));
    assert!(matches!(&check.matcher, Matcher::Pattern(pattern) if pattern.source == "mcp__.*"));
    let Action::CheckFlag { flag, on_present, on_absent } = &check.action else { panic!("a check") };
    assert_eq!((flag.value.as_str(), *on_present, *on_absent), ("searched", OnPresent::Consume, OnAbsent::Violate));
    let pattern = forge::pattern::parse(r"git\s+push").unwrap();
    assert_eq!(
        check.condition,
        Condition::Any(vec![
            text(Field::Command, TextTest::Matches(pattern)),
            Condition::test(Test::Number { signal: Signal::Counter, comparison: Comparison::Gte, value: 3 }),
            Condition::Not(Box::new(text(Field::FilePath, TextTest::Contains("test".into())))),
            Condition::Not(Box::new(text(Field::Url, TextTest::Exists))),
        ])
    );
    assert_eq!((stop.event, &stop.matcher, &stop.action), (Event::Stop, &Matcher::All, &Action::Evaluate));
    assert_eq!((check.place.line, check.place.column), (17, 7));
    let steps: Vec<_> = behavior.enforcement.escalation.iter().map(|step| (step.after, step.level)).collect();
    assert_eq!(steps, [(1, Level::Nudge), (3, Level::SoftBlock)]);
    let pieces = &behavior.rendering.nudge.as_ref().unwrap().pieces;
    assert_eq!(pieces[0], Piece::Variable(Variable::BehaviorName));
    assert_eq!(pieces[1], Piece::Text(": look first {ok} (".into()));
    assert_eq!(pieces.len(), 6);
    assert_eq!(behavior.applies_to.tools, ["Write", "Edit"]);
    assert_eq!(behavior.metadata.version.as_deref(), Some("1.0.0-rc.1+b7"));
}

fn text(field: Field, test: TextTest) -> Condition {
    Condition::test(Test::Text { field, test })
}

fn value() -> impl Strategy<Value = Yaml> {
    let text = prop_oneof![
        "[a-zA-Z0-9:#' \"\\\\{}\\[\\],&*!|>%@`~?-]{0,12}",
        "[a-z]{1,4}(\n[ a-z]{0,4}){0,3}",
        Just("yes".to_owned()),
        Just("null".to_owned()),
        Just("0x1f".to_owned()),
        Just("é\u{2028}ü\t".to_owned()),
    ];
    let leaf = prop_oneof![
        text.clone().prop_map(Yaml::String),
        any::<bool>().prop_map(Yaml::Bool),
        any::<u32>().prop_map(|number| Yaml::Number(u64::from(number).into())),
    ];
    leaf.prop_recursive(4, 24, 4, move |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 1..4).prop_map(Yaml::Sequence),
            prop::collection::btree_map("[a-z:-]{1,3}|< <", inner, 1..4).prop_map(|map| {
                Yaml::Mapping(map.into_iter().map(|(key, value)| (Yaml::String(key), value)).collect())
            }),
        ]
    })
}

/// What a tree says, in the terms of the other reader.
fn meaning(node: &Node) -> Yaml {
    match &node.kind {
        Kind::Scalar { text, style: Style::Plain } => serde_yaml::from_str(text).unwrap(),
        Kind::Scalar { text, .. } => Yaml::String(text.clone()),
        Kind::Sequence(nodes) => Yaml::Sequence(nodes.iter().map(meaning).collect()),
        Kind::Mapping(entries) => Yaml::Mapping(
            entries.iter().map(|entry| (Yaml::String(entry.key.clone()), meaning(&entry.value))).collect(),
        ),
    }
}

/// Every scalar's place holds what the scalar says, read alone.
fn places_hold(node: &Node, text: &str) {
    let place = node.place;
    let written = text.get(place.start as usize..place.end as usize).unwrap();
    let before = &text[..place.start as usize];
    assert_eq!(place.line as usize, before.matches('\n').count() + 1);
    assert_eq!(place.column as usize, before.chars().rev().take_while(|c| *c != '\n').count() + 1);
    match &node.kind {
        Kind::Scalar { text, style: Style::Plain } if !text.contains('\n') => assert_eq!(written, text),
        Kind::Scalar { text, style: Style::Double | Style::Single } => {
            assert_eq!(&serde_yaml::from_str::<String>(written).unwrap(), text);
        }
        Kind::Scalar { .. } => {}
        Kind::Sequence(nodes) => nodes.iter().for_each(|node| places_hold(node, text)),
        Kind::Mapping(entries) => {
            for entry in entries {
                assert_eq!(node.child(Step::Key(&entry.key)), Some(&entry.value));
                places_hold(&entry.value, text);
            }
        }
    }
}

proptest! {
    /// The tree with places and the other reader understand every file the same.
    #[test]
    fn both_readers_agree(value in value()) {
        let text = serde_yaml::to_string(&value).unwrap();
        let (document, problems) = yaml::parse(FileId(0), &text);
        prop_assert_eq!(&problems, &[], "{}", text);
        let root = document.unwrap().root;
        prop_assert_eq!(meaning(&root), value, "{}", text);
        places_hold(&root, &text);
    }

    /// Any bytes at all give an answer, and every place lies in its file.
    #[test]
    fn nothing_is_too_strange(
        edits in prop::collection::vec((any::<prop::sample::Index>(), 0..3_usize, "[ \n\t:#'\"\\\\{}\\[\\],&*!|>%@`~?a-z<0-9\u{e9}-]{0,6}"), 1..6)
    ) {
        let mut text: Vec<char> = FULL.chars().collect();
        for (at, remove, insert) in edits {
            let at = at.index(text.len());
            let end = (at + remove).min(text.len());
            text.splice(at..end, insert.chars());
        }
        let text: String = text.into_iter().collect();
        let sources = project(&[("search-first", &text)]);
        let (catalogue, problems) = yaml::load(&sources);
        for problem in &problems {
            let place = problem.place.unwrap();
            let length = sources.get(place.file).unwrap().bytes.len();
            prop_assert!(place.start <= place.end && place.end as usize <= length && place.line > 0 && place.column > 0);
            prop_assert!(!problem.help.is_empty() && !problem.message.is_empty());
        }
        let told = forge::diagnostic::human(&problems, &sources, false);
        prop_assert_eq!(told.matches("F0").count() >= problems.len(), true);
        if catalogue.behaviors.is_empty() {
            prop_assert!(problems.iter().any(Diagnostic::is_error));
        }
    }
}

#[test]
fn a_path_leads_to_the_bytes_of_a_value() {
    let (document, _) = yaml::parse(FileId(0), FULL);
    let document = document.unwrap();
    let at = |path: &[Step<'_>]| {
        let place = document.at(path).unwrap().place;
        &FULL[place.start as usize..place.end as usize]
    };
    let step = [Step::Key("policy"), Step::Key("enforcement"), Step::Key("escalation"), Step::Index(1)];
    assert_eq!(at(&step), "{after: 3, level: soft_block}");
    assert_eq!(at(&[&step[..], &[Step::Key("after")]].concat()), "3");
    assert_eq!(
        at(&[Step::Key("policy"), Step::Key("triggers"), Step::Index(0), Step::Key("matcher")]),
        "\"Grep | Glob\""
    );
    assert_eq!(at(&[Step::Key("applies_to")]), "tools: [Write, Edit]\n  profiles:\n    - strict");
    assert_eq!(document.at(&[Step::Key("policy"), Step::Index(0)]), None);
    assert_eq!(document.comments.len(), 1);
    assert_eq!(document.comments[0].end, 11);
}

#[test]
fn the_ends_of_lines_and_a_byte_order_mark_change_nothing() {
    let told = |text: &str| {
        let behavior = good(&project(&[("search-first", text)])).behaviors.remove(0);
        let places = behavior.triggers.iter().map(|trigger| (trigger.place.line, trigger.place.column));
        let places: Vec<_> = places.collect();
        let conditions: Vec<_> = behavior.triggers.into_iter().map(|trigger| trigger.condition).collect();
        (behavior.description, behavior.rendering, conditions, places)
    };
    assert_eq!(told(&FULL.replace('\n', "\r\n")), told(FULL));
    assert_eq!(told(&format!("\u{feff}{FULL}")), told(FULL));
}
