//! What lowering makes of a catalogue: short-circuit code, places, dispatch rows, and limits told rather than cut.

use crate::strategies::lone_behavior;
use forge::bytecode::op::Op;
use forge::bytecode::operand::{Names, PatternId, Target, TextId};
use forge::bytecode::program::{Program, Routine, SourcePlace};
use forge::limits;
use forge::lower::{Excess, TooLarge, lower};
use forge::model::{
    Action, AppliesTo, Behavior, Catalogue, Condition, Event, Field, Matcher, OnAbsent, OnPresent, Place, Placed,
    Profile, Test, TextTest, Trigger,
};
use forge::validate::validate;

fn lowered(behaviors: Vec<Behavior>) -> Result<Program<'static>, TooLarge> {
    let catalogue =
        Catalogue { behaviors, files: vec!["behaviors/some/behavior.yaml".to_owned()], ..Catalogue::default() };
    lower(&validate(catalogue).unwrap().0, [0; 32]).map(|lowered| lowered.program)
}

fn contains(text: &str) -> Condition {
    Condition::test(Test::Text { field: Field::Command, test: TextTest::Contains(text.to_owned()) })
}

/// Operands as they are: numbers of pools, offsets of jumps.
struct Bare;

impl Names for Bare {
    fn text(&self, id: TextId) -> String {
        format!("t{}", id.0)
    }
    fn pattern(&self, id: PatternId) -> String {
        format!("p{}", id.0)
    }
    fn label(&self, target: Target) -> String {
        format!("@{}", target.0)
    }
}

fn listing(routine: &Routine<'_>) -> Vec<String> {
    let mut lines = Vec::new();
    let mut offset = 0;
    while let Some((op, next)) = Op::decode(&routine.code, offset) {
        lines.push(format!("{offset} {} {}", op.row().mnemonic, op.print(&Bare).join(" ")).trim_end().to_owned());
        offset = next;
    }
    assert_eq!(offset, routine.code.len());
    lines
}

fn code(behavior: Behavior) -> Vec<String> {
    listing(&lowered(vec![behavior]).unwrap().blocks[0].routines[0])
}

#[test]
fn conditions_become_tests_and_forward_jumps() {
    let either = Condition::Any(vec![contains("a"), Condition::Not(Box::new(contains("b")))]);
    let behavior = lone_behavior("some-rule", Condition::All(vec![either, contains("a")]));
    assert_eq!(
        code(behavior),
        [
            "0 contains command t0",
            "4 jump-if @18",
            "9 contains command t1",
            "13 jump-if @30",
            "18 contains command t0",
            "22 jump-unless @30",
            "27 violate 0",
            "30 end",
        ]
    );
}

#[test]
fn where_a_behavior_applies_comes_first() {
    let mut behavior = lone_behavior("some-rule", Condition::All(vec![]));
    behavior.applies_to = AppliesTo {
        except_tools: vec![],
        tools: vec!["Bash".to_owned(), "Edit".to_owned()],
        agents: vec!["main".to_owned()],
        profiles: vec![Profile::Strict, Profile::Minimal],
    };
    behavior.triggers[0].matcher = Matcher::Pattern(forge::pattern::parse("^B").unwrap());
    assert_eq!(
        code(behavior),
        [
            "0 profile-in minimal,strict",
            "2 jump-unless @42",
            "7 agent-is t0",
            "10 jump-unless @42",
            "15 tool-is t1",
            "18 jump-if @31",
            "23 tool-is t2",
            "26 jump-unless @42",
            "31 tool-matches p0",
            "34 jump-unless @42",
            "39 violate 0",
            "42 end",
        ]
    );
}

#[test]
fn a_matcher_asks_where_there_is_a_tool() {
    let with = |event, matcher| {
        let mut behavior = lone_behavior("some-rule", Condition::All(vec![]));
        behavior.triggers[0].event = event;
        behavior.triggers[0].matcher = matcher;
        code(behavior)
    };
    let bash = || Matcher::Names(vec!["Bash".to_owned()]);
    assert_eq!(with(Event::PreToolUse, bash()), ["0 tool-is t0", "3 jump-unless @11", "8 violate 0", "11 end"]);
    assert_eq!(with(Event::Stop, bash()), ["0 violate 0", "3 end"]);
    assert_eq!(
        with(Event::PreToolUse, Matcher::Names(vec![])),
        ["0 jump-if @13", "5 jump-unless @13", "10 violate 0", "13 end"],
        "a list without names fits no tool"
    );
}

#[test]
fn flags_are_checked_without_a_second_look() {
    let check = |on_present, on_absent| {
        let mut behavior = lone_behavior("some-rule", Condition::All(vec![]));
        behavior.triggers[0].action =
            Action::CheckFlag { flag: Placed::nowhere("f".to_owned()), on_present, on_absent };
        code(behavior)
    };
    let (flag, end) = ("0 flag t0", "end");
    assert_eq!(
        check(OnPresent::Consume, OnAbsent::Violate),
        [flag, "3 jump-if @11", "8 violate 0", "11 clear-flag t0", &format!("14 {end}")]
    );
    assert_eq!(check(OnPresent::Keep, OnAbsent::Violate), [flag, "3 jump-if @11", "8 violate 0", &format!("11 {end}")]);
    assert_eq!(
        check(OnPresent::Consume, OnAbsent::Skip),
        [flag, "3 jump-unless @11", "8 clear-flag t0", &format!("11 {end}")]
    );
    assert_eq!(check(OnPresent::Keep, OnAbsent::Skip), [flag, "3 jump-unless @8", &format!("8 {end}")]);
}

#[test]
fn constants_are_pooled() {
    let many = Condition::Any((0..50).map(|number| contains(if number % 2 == 0 { "a" } else { "b" })).collect());
    let program = lowered(vec![lone_behavior("some-rule", many)]).unwrap();
    assert_eq!(program.blocks[0].texts, ["a", "b"]);
}

#[test]
fn every_test_and_every_action_has_its_place() {
    let place = |line| Place { line, column: 3, ..Place::default() };
    let test = Test::Text { field: Field::Command, test: TextTest::Exists };
    let mut behavior = lone_behavior("some-rule", Condition::Test(Placed { value: test, place: place(12) }));
    behavior.triggers[0].matcher = Matcher::Names(vec!["Bash".to_owned()]);
    behavior.triggers[0].place = place(10);
    let places = lowered(vec![behavior]).unwrap().blocks[0].routines[0].places.clone();
    let found: Vec<_> = places.iter().map(|place| (place.offset, place.trigger, place.place)).collect();
    let line = |line| SourcePlace { file: 0, line, column: 3 };
    assert_eq!(found, [(0, 0, line(10)), (8, 0, line(12)), (15, 0, line(10))]);

    let mut behavior = lone_behavior("some-rule", Condition::All(vec![]));
    behavior.triggers[0].place = place(10);
    let places = lowered(vec![behavior]).unwrap().blocks[0].routines[0].places.clone();
    assert_eq!(places.len(), 1, "a matcher that asks nothing has no code and no place");
}

#[test]
fn tools_nobody_names_are_left_to_guards() {
    let with = |id: &str, matcher: Matcher, tools: &[&str]| {
        let mut behavior = lone_behavior(id, Condition::All(vec![]));
        behavior.triggers[0].matcher = matcher;
        behavior.applies_to.tools = tools.iter().map(|tool| (*tool).to_owned()).collect();
        behavior
    };
    let pattern = |source| Matcher::Pattern(forge::pattern::parse(source).unwrap());
    let program = lowered(vec![
        with("for-all", Matcher::All, &[]),
        with("for-named", Matcher::Names(vec!["Edit".to_owned()]), &[]),
        with("for-found", pattern("^mcp__|Edit"), &[]),
        with("for-listed", Matcher::All, &["Bash"]),
        with("for-none", pattern("^mcp__"), &["Bash"]),
    ])
    .unwrap();
    let dispatch = &program.dispatch[0];
    assert_eq!((program.dispatch.len(), dispatch.event), (1, Event::PreToolUse));
    let rows: Vec<_> = dispatch.tools.iter().map(|row| (&*row.tool, row.blocks.as_slice())).collect();
    assert_eq!(rows, [("Bash", &[0, 3][..]), ("Edit", &[0, 1, 2][..])]);
    let others: Vec<_> = dispatch.others.iter().map(|row| (row.block, row.guards.len())).collect();
    assert_eq!(others, [(0, 0), (2, 1)]);
    assert_eq!(program.concerned(Event::PreToolUse, "mcp__x"), [0, 2]);
    assert_eq!(program.concerned(Event::PreToolUse, "Read"), [0]);
    assert!(program.concerned(Event::Stop, "").is_empty());
}

#[test]
fn what_is_too_large_says_what_and_how_much_there_may_be() {
    for (what, most) in [
        (Excess::Texts, "65536 different texts in one behavior"),
        (Excess::Patterns, "65536 different patterns in one behavior"),
        (Excess::Triggers, "65536 triggers in one behavior"),
        (Excess::Code, "1048576 bytes of code for one event"),
        (Excess::Behaviors, "65536 behaviors in one catalogue"),
    ] {
        let problem = TooLarge { behavior: "some-rule".to_owned(), place: Place::default(), what };
        assert_eq!(problem.to_string(), format!("`some-rule` needs more than {most}; split it"));
    }
}

#[test]
fn what_is_too_large_is_told_and_what_just_fits_is_not() {
    let tools = |count: usize| {
        let mut behavior = lone_behavior("some-rule", Condition::All(vec![]));
        behavior.applies_to.tools = (0..count).map(|number| format!("T{number}")).collect();
        lowered(vec![behavior]).map(|_| ()).map_err(|problem| problem.what)
    };
    assert_eq!(tools(65_536), Ok(()));
    assert_eq!(tools(65_537), Err(Excess::Texts));

    let triggers = |count: usize| {
        let mut behavior = lone_behavior("some-rule", Condition::All(vec![]));
        let trigger = Trigger { event: Event::Stop, ..behavior.triggers[0].clone() };
        behavior.triggers = vec![trigger; count];
        lowered(vec![behavior]).map(|_| ()).map_err(|problem| problem.what)
    };
    assert_eq!(triggers(65_536), Ok(()));
    assert_eq!(triggers(65_537), Err(Excess::Triggers));

    // Each test with its jump takes nine bytes; `violate` and `end` take four.
    let tests = |count: usize| {
        let condition = Condition::All(vec![contains("a"); count]);
        lowered(vec![lone_behavior("some-rule", condition)])
    };
    let most = (limits::CODE_BYTES - 4) / 9;
    assert!(tests(most).is_ok());
    let problem = tests(most + 1).unwrap_err();
    assert_eq!(problem.what, Excess::Code);
    assert_eq!(problem.to_string(), "`some-rule` needs more than 1048576 bytes of code for one event; split it");
}
