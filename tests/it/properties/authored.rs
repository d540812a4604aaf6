//! Bytes as what an author writes: files, expressions, patterns. Each is compiled or refused with places inside it,
//! and what is compiled means the same to the machine and to the reference.

use crate::strategies::lone_behavior;
use forge::bytecode::{container, verify};
use forge::diagnostic::{self, Diagnostic, Source, Sources};
use forge::model::{
    Call, Catalogue, Condition, Event, Field, Input, OverridePolicy, Profile, Session, Signals, Test, TextTest,
    Timestamp,
};
use forge::validate::Checked;
use forge::{lower, pattern as patterns, reference, store, validate, vm, yaml};

const INDEX: &str = "schema_version: \"1\"\nbehaviors:\n  - id: some-rule\n    enabled: true\n";
const BEHAVIOR: &str = "behaviors/some-rule/behavior.yaml";

/// As a behavior, as the index and as the settings of a project.
pub(crate) fn catalogue(bytes: &[u8]) {
    compile(vec![Source::new(yaml::INDEX, INDEX), Source::new(BEHAVIOR, bytes)]);
    compile(vec![Source::new(yaml::INDEX, bytes), Source::new(BEHAVIOR, with_when("counter > 1"))]);
    compile(vec![Source::new(yaml::INDEX, INDEX), Source::new(yaml::CONFIG, bytes)]);
}

/// As an expression.
pub(crate) fn when(bytes: &[u8]) {
    let Ok(text) = std::str::from_utf8(bytes) else { return };
    compile(vec![Source::new(yaml::INDEX, INDEX), Source::new(BEHAVIOR, with_when(text))]);
}

fn with_when(expression: &str) -> String {
    let quoted = serde_json::to_string(expression).expect("a text is JSON");
    format!(
        "schema_version: \"2\"\nid: some-rule\nname: n\ndescription: d\ncategory: core\nscope: session\npolicy:\n  \
         triggers:\n    - event: PreToolUse\n      matcher: Bash\n      when: {quoted}\n  enforcement:\n    \
         default_level: nudge\n  recovery:\n    hint: h\n"
    )
}

fn compile(files: Vec<Source>) {
    let sources = Sources::new(files);
    let (catalogue, problems) = yaml::load(&sources);
    well_placed(&problems, &sources);
    if problems.iter().any(Diagnostic::is_error) {
        return;
    }
    match validate::validate(catalogue) {
        Ok((checked, warnings)) => {
            well_placed(&warnings, &sources);
            run(&checked);
        }
        Err(problems) => well_placed(&problems, &sources),
    }
}

fn well_placed(problems: &[Diagnostic], sources: &Sources) {
    for place in problems.iter().filter_map(|problem| problem.place) {
        let text = sources.text(place.file);
        let (start, end) = (place.start as usize, place.end as usize);
        assert!(start <= end && end <= text.len(), "{place:?} is outside of {} bytes", text.len());
    }
    assert_eq!(diagnostic::human(problems, sources, false).is_empty(), problems.is_empty());
    assert!(diagnostic::json(problems, sources).is_array());
}

fn run(checked: &Checked) {
    let Ok(lowered) = lower::lower(checked, [0; 32]) else { return };
    let bytes = container::write(&lowered.program).expect("what was lowered can be written");
    let read = container::read(&bytes).expect("what was written can be read");
    assert_eq!(read, lowered.program);
    let program = verify(read).expect("what was lowered verifies");
    for (event, tool) in [(Event::PreToolUse, "Bash"), (Event::PostToolUse, "Edit"), (Event::Stop, "")] {
        let mut call = Call::new(event, tool, "{}", store::input_hash);
        call.fields.set(Field::Command, "git push --force");
        call.fields.set(Field::FilePath, "src/main.rs");
        let input = Input {
            call: &call,
            session: Some(Session::default()),
            signals: Signals::default(),
            now: Timestamp(0),
            profile: Profile::Standard,
            overrides: OverridePolicy::Ask,
        };
        assert_eq!(vm::run(&program, input.clone()), reference::evaluate(checked, input));
    }
}

/// As a pattern of up to 48 bytes and a text: automaton, fallback and `regex` agree.
pub(crate) fn pattern(bytes: &[u8]) {
    let Some((length, rest)) = bytes.split_first() else { return };
    let (source, text) = rest.split_at(usize::from(*length % 49).min(rest.len()));
    let Ok(source) = std::str::from_utf8(source) else { return };
    let text = String::from_utf8_lossy(text);
    let parsed = match patterns::parse(source) {
        Ok(parsed) => parsed,
        Err(problem) => {
            assert!(problem.span.end <= source.len(), "{problem:?}");
            return;
        }
    };
    let Ok(expected) = regex::RegexBuilder::new(&parsed.normal).size_limit(64 << 20).build() else {
        panic!("`{}` is accepted, and no regular expression", parsed.normal)
    };
    let condition = Condition::test(Test::Text { field: Field::Command, test: TextTest::Matches(parsed) });
    let behaviors = vec![lone_behavior("some-rule", condition)];
    let (checked, _) = validate::validate(Catalogue { behaviors, ..Catalogue::default() }).expect("it is sound");
    let lowered = lower::lower(&checked, [0; 32]).expect("it fits");
    let pattern = &lowered.program.blocks[0].patterns[0];
    let found = expected.is_match(&text);
    assert_eq!(pattern.is_found(&text), found, "`{source}` in {text:?}");
    assert_eq!(pattern.by_fallback(&text), Some(found), "fallback: `{source}` in {text:?}");
    assert!(pattern.automaton.is_empty() || pattern.by_automaton(&text) == Some(found), "`{source}` in {text:?}");
    assert!(!found || pattern.may_be_in(&text), "{:?} hide `{source}` in {text:?}", pattern.literals);
}
