//! Warnings of rules that cannot act: none where a rule acts, whatever is generated; none in what is known to be meant.

use crate::cli::{Project, forge};
use crate::strategies;
use forge::diagnostic::{Code, Diagnostic};
use forge::harness::{self, Harness, News};
use forge::lint::lint;
use forge::model::{Call, Condition, Event, Field, Input, InputHash, Place, Session, Timestamp, Trigger};
use forge::reference::evaluate;
use forge::validate::validate;
use proptest::prelude::*;
use proptest::test_runner::{Config, TestRunner};
use std::cell::RefCell;
use std::collections::BTreeMap;
use std::path::Path;

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// Gives everything in a trigger the trigger's number as its line.
fn number(trigger: &mut Trigger, line: u32) {
    fn walk(condition: &mut Condition, place: Place) {
        match condition {
            Condition::All(parts) | Condition::Any(parts) => parts.iter_mut().for_each(|part| walk(part, place)),
            Condition::Not(part) => walk(part, place),
            Condition::Test(test) => test.place = place,
        }
    }
    trigger.place = Place { line, ..Place::default() };
    walk(&mut trigger.condition, trigger.place);
}

/// The fields an event of a harness can have.
fn carries(event: Event, field: Field) -> bool {
    event.has_tool() || (event == Event::UserPromptSubmit && field == Field::Prompt)
}

/// Even when a payload of such an event has everything in it.
#[test]
fn events_without_a_tool_have_no_other_texts() {
    let texts: Vec<String> = Field::ALL.iter().map(|field| format!("\"{field}\":\"x\"")).collect();
    let texts = texts.join(",");
    for event in [Event::UserPromptSubmit, Event::Stop] {
        let payload =
            format!("{{\"hook_event_name\":\"{event}\",\"session_id\":\"s\",\"tool_input\":{{{texts}}},{texts}}}");
        let hasher = |text: &str| InputHash(text.to_owned());
        let told = harness::read(Some(Harness::ClaudeCode), None, payload.as_bytes(), hasher).ok().unwrap();
        let News::Judge(judged) = told.news else { panic!("{event} is judged") };
        for field in Field::ALL {
            assert_eq!(!judged.call.fields.get(*field).is_empty(), carries(event, *field), "{event}: {field}");
        }
    }
}

/// What is told never to fire, or never to be reached, is never what an event violates; and enough of it is seen.
#[test]
fn what_is_told_to_be_dead_never_acts() {
    let told = RefCell::new(BTreeMap::<Code, u32>::new());
    let violated = RefCell::new(0_u32);
    let mut runner = TestRunner::new(Config { cases: 3_000, failure_persistence: None, ..Config::default() });
    let inputs = (strategies::catalogue(), strategies::happenings(), strategies::policy());
    let ran = runner.run(&inputs, |(mut catalogue, happenings, overrides)| {
        let triggers = catalogue.behaviors.iter_mut().flat_map(|behavior| &mut behavior.triggers);
        (1..).zip(triggers).for_each(|(line, trigger)| number(trigger, line));
        let Ok((checked, _)) = validate(catalogue) else { return Ok(()) };
        let dead: Vec<Diagnostic> = lint(&checked);
        let dead: Vec<_> = dead.iter().filter(|it| [Code::NeverFires, Code::Shadowed].contains(&it.code)).collect();
        for problem in &dead {
            *told.borrow_mut().entry(problem.code).or_default() += 1;
        }
        let mut session = Session::default();
        for happening in happenings {
            let hasher = |text: &str| InputHash(text.to_owned());
            let mut call = Call::new(happening.event, happening.tool, format!("{:?}", happening.texts), hasher);
            call.agent = happening.agent.into();
            happening.fields().filter(|(field, _)| carries(happening.event, *field)).for_each(|(field, text)| {
                call.fields.set(field, text);
            });
            let input = Input {
                call: &call,
                session: Some(session),
                signals: happening.signals,
                now: Timestamp(0),
                profile: happening.profile,
                overrides,
            };
            let outcome = evaluate(&checked, input);
            for verdict in &outcome.verdicts {
                let behavior = checked.enabled().nth(verdict.behavior as usize).unwrap();
                let line = behavior.triggers[verdict.trigger as usize].place.line;
                *violated.borrow_mut() += 1;
                prop_assert!(!dead.iter().any(|problem| problem.place.is_some_and(|place| place.line == line)));
            }
            session = outcome.session.unwrap();
        }
        Ok(())
    });
    ran.unwrap();
    let (told, violated) = (told.into_inner(), violated.into_inner());
    assert!(violated > 1_000, "{violated} violations show little");
    assert!(told.get(&Code::NeverFires) > Some(&100) && told.get(&Code::Shadowed) > Some(&20), "{told:?}");
}

#[test]
fn nothing_is_wrong_with_the_behaviors_that_come_with_forge() {
    let project = Project::new();
    project.copy_into(&root().join("behaviors"), "behaviors");
    let text = std::fs::read_to_string(root().join("behaviors/index.yaml")).unwrap();
    project.write("behaviors/index.yaml", text.replace("enabled: false", "enabled: true"));
    let ran = forge(&project, &["check", "--deny-warnings"]);
    assert_eq!(ran.code, 0, "{}", ran.stdout);
    assert!(ran.stdout.ends_with("nothing wrong\n"), "{}", ran.stdout);
}

/// Two rules that differ where it matters, the second after the first: nothing is hidden.
#[test]
fn what_differs_is_not_hidden() {
    let project = Project::new();
    project.write("behaviors/index.yaml", "schema_version: \"1\"\nbehaviors: [{id: wall}, {id: behind}]\n");
    let rule = |id: &str, level: &str, condition: &str, more: &str| {
        let trigger = format!("    - event: PreToolUse\n      matcher: Bash\n      conditions: [{condition}]\n");
        let text = crate::yaml::behavior(id, "1", &trigger);
        let text = text.replace("default_level: nudge", &format!("default_level: {level}"));
        assert!(text.contains(level), "{text}");
        project.write(&format!("behaviors/{id}/behavior.yaml"), format!("{text}{more}"));
    };
    let push = "{field: command, operator: contains, value: push}";
    let force = "{field: command, operator: starts_with, value: git push -f}";
    let cases = [
        (("hard_block", push, ""), (force, ""), true),
        (("soft_block", push, ""), (force, ""), false),
        (("hard_block", force, ""), (push, ""), false),
        (("hard_block", push, "applies_to: {profiles: [strict]}\n"), (force, ""), false),
        (
            ("hard_block", push, "applies_to: {profiles: [strict]}\n"),
            (force, "applies_to: {profiles: [strict]}\n"),
            true,
        ),
        (("hard_block", push, "applies_to: {agents: [main]}\n"), (force, ""), false),
        (("hard_block", "{field: counter, operator: gte, value: 0}", ""), (force, ""), false),
    ];
    for (number, ((level, wall, more), (behind, its), hidden)) in cases.into_iter().enumerate() {
        rule("wall", level, wall, more);
        rule("behind", "nudge", behind, its);
        let ran = forge(&project, &["check"]);
        assert_eq!(ran.stdout.contains("[F056]"), hidden, "case {number}:\n{}", ran.stdout);
    }
}

/// A suggestion is judged with what is checked taken as done, and where it counts as a command.
#[test]
fn a_suggestion_that_is_allowed_is_left_alone() {
    let project = Project::new();
    project.write("behaviors/index.yaml", "schema_version: \"1\"\nbehaviors: [{id: rule}]\n");
    let check = "    - event: PreToolUse
      matcher: Bash
      conditions: [{field: command, operator: starts_with, value: npm publish --dry-run}]
      action: set_flag
      flag: tried
    - event: PreToolUse
      matcher: Bash
      conditions: [{field: command, operator: contains, value: npm publish}]
      action: check_flag
      flag: tried
      on_present: keep
      on_absent: violate
";
    let plain =
        "    - {event: PreToolUse, matcher: Bash, conditions: [{field: command, operator: contains, value: push}]}\n";
    let cases = [
        (check, "    suggested_tool: Bash\n    suggested_action: npm publish --dry-run\n", false),
        (plain, "    suggested_tool: Bash\n", false),
        (plain, "    suggested_action: push to a branch\n", false),
        (plain, "    suggested_tool: Edit\n    suggested_action: push\n", false),
        (plain, "    suggested_tool: Bash\n    suggested_action: git push\n", true),
        (plain, "    suggested_tool: run_shell_command\n    suggested_action: git push\n", true),
    ];
    for (number, (triggers, suggestion, blocked)) in cases.into_iter().enumerate() {
        let text = crate::yaml::behavior("rule", "1", triggers);
        let text = text.replace("default_level: nudge", "default_level: soft_block");
        let hint = text.lines().find(|line| line.trim_start().starts_with("hint:")).unwrap().to_owned();
        project
            .write("behaviors/rule/behavior.yaml", text.replace(&hint, &format!("{hint}\n{}", suggestion.trim_end())));
        let ran = forge(&project, &["check"]);
        assert_eq!(ran.stdout.contains("[F055]"), blocked, "case {number}:\n{}", ran.stdout);
        assert_eq!(ran.code, 0, "case {number}:\n{}", ran.stdout);
    }
}
