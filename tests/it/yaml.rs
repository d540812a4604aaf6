//! The YAML reader: good files give the catalogue they say, all ways of writing a value give the same one.

use forge::diagnostic::{Diagnostic, Source, Sources};
use forge::model::{
    Action, Catalogue, Comparison, Condition, Event, Field, Level, Matcher, OnAbsent, OnError, OnPresent, OverrideMode,
    Piece, Signal, Test, TextTest, Variable,
};
use forge::yaml;

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
