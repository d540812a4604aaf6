//! `when:` means what its conditions say: every tree of conditions, written as an expression or as lists, is read back
//! as the same tree, however YAML quotes it; and every mistake is pointed at where it stands.

use crate::yaml::{behavior, good, project};
use forge::diagnostic::{Code, Diagnostic};
use forge::model::{Comparison, Condition, Field, Signal, Test, TextTest};
use forge::{limits, validate, yaml};
use proptest::prelude::*;
use proptest::sample::select;

const TEXTS: &[&str] =
    &["x", "git push", "a\"b", r"a\b", "it's /x/", "two\nlines", "é\t#", "and", "(", "{}", "- a: b #c", "  "];
const PATTERNS: &[&str] = &[r"git\s+push", "/", r"a/b\\", r#"["']"#, "é|ü", r"\(", "(?i)x", "#", ": ", r"\\/"];

fn test() -> impl Strategy<Value = Condition> {
    let text = || select(TEXTS).prop_map(str::to_owned);
    let question = prop_oneof![
        select(PATTERNS).prop_map(|source| TextTest::Matches(forge::pattern::parse(source).unwrap())),
        text().prop_map(TextTest::Contains),
        prop_oneof![text(), Just(String::new())].prop_map(TextTest::Equals),
        text().prop_map(TextTest::StartsWith),
        text().prop_map(TextTest::EndsWith),
        Just(TextTest::Exists),
    ];
    prop_oneof![
        4 => (select(Field::ALL), question).prop_map(|(field, test)| Test::Text { field, test }),
        1 => (select(Comparison::ALL), any::<u64>())
            .prop_map(|(comparison, value)| Test::Number { signal: Signal::Counter, comparison, value }),
    ]
    .prop_map(Condition::test)
}

/// Trees that both ways of writing can say: no empty lists, no lists of one, no double negation.
fn condition() -> impl Strategy<Value = Condition> {
    test().prop_recursive(4, 16, 3, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 2..4).prop_map(Condition::All),
            prop::collection::vec(inner.clone(), 2..4).prop_map(Condition::Any),
            inner.prop_map(|part| match part {
                Condition::Not(part) => *part,
                part => Condition::Not(Box::new(part)),
            }),
        ]
    })
}

fn expression(condition: &Condition, out: &mut String) {
    match condition {
        Condition::All(parts) => list(parts, " and ", out),
        Condition::Any(parts) => list(parts, "\tor ", out),
        Condition::Not(part) => {
            out.push_str("not ");
            expression(part, out);
        }
        Condition::Test(test) => question(&test.value, out),
    }
}

fn list(parts: &[Condition], between: &str, out: &mut String) {
    for (index, part) in parts.iter().enumerate() {
        out.push_str(if index == 0 { "(" } else { between });
        expression(part, out);
    }
    out.push(')');
}

fn question(test: &Test, out: &mut String) {
    let quoted = |text: &str| {
        format!("\"{}\"", text.replace('\\', r"\\").replace('"', "\\\"").replace('\n', r"\n").replace('\t', r"\t"))
    };
    out.push_str(&match test {
        Test::Text { field, test } => match test {
            TextTest::Matches(pattern) => format!("{field} matches /{}/", slashed(&pattern.source)),
            TextTest::Contains(text) => format!("{field} contains {}", quoted(text)),
            TextTest::Equals(text) => format!("tool_input.{field} == {}", quoted(text)),
            TextTest::StartsWith(text) => format!("{field} starts_with {}", quoted(text)),
            TextTest::EndsWith(text) => format!("{field} ends_with {}", quoted(text)),
            TextTest::Exists => format!("{field} exists"),
        },
        Test::Number { signal, comparison, value } => {
            let sign = match comparison {
                Comparison::Gt => ">",
                Comparison::Lt => "<",
                Comparison::Gte => ">=",
                Comparison::Lte => "<=",
                Comparison::Equals => "==",
            };
            format!("session_state.{signal}{sign}{value}")
        }
    });
}

/// A pattern between slashes: a slash of its own gets a backslash.
fn slashed(pattern: &str) -> String {
    let mut out = String::new();
    let mut escaped = false;
    for letter in pattern.chars() {
        assert!(!(escaped && letter == '/'), "not used here: an escaped slash reads as a plain one");
        if letter == '/' {
            out.push('\\');
        }
        escaped = letter == '\\' && !escaped;
        out.push(letter);
    }
    out
}

/// A text as a YAML scalar, in every style that can hold it.
fn scalars(text: &str) -> Vec<String> {
    let double = serde_json::to_string(text).unwrap();
    let single = format!("'{}'", text.replace('\'', "''"));
    let literal = format!("|-\n        {text}");
    vec![double, single, literal]
}

fn read(triggers: &str) -> Condition {
    let text = behavior("sample", "2", triggers);
    let catalogue = good(&project(&[("sample", &text)]));
    catalogue.behaviors[0].triggers[0].condition.clone()
}

proptest! {
    #[test]
    fn an_expression_is_read_as_it_was_meant(condition in condition()) {
        let mut text = String::new();
        expression(&condition, &mut text);
        for scalar in scalars(&text) {
            prop_assert_eq!(&read(&format!("    - event: Stop\n      when: {scalar}\n")), &condition, "{}", scalar);
        }
    }

    #[test]
    fn lists_and_expressions_give_the_same_tree(tests in prop::collection::vec((test(), any::<bool>()), 1..4), any in any::<bool>()) {
        let mut rows = String::new();
        let mut parts = Vec::new();
        for (test, _) in &tests {
            let Condition::Test(placed) = test else { panic!("a test") };
            rows.push_str(&row(&placed.value));
            parts.push(test.clone());
        }
        let logic = if any { "any" } else { "all" };
        let lists = read(&format!("    - event: Stop\n      logic: {logic}\n      conditions:\n{rows}"));
        let mut text = String::new();
        for (index, part) in parts.iter().enumerate() {
            text.push_str(if index == 0 { "" } else if any { " or " } else { " and " });
            expression(part, &mut text);
        }
        prop_assert_eq!(lists, read(&format!("    - event: Stop\n      when: {}\n", scalars(&text)[0])));
    }

    /// A sign that fits nowhere, after any expression, folded and escaped in any way.
    #[test]
    fn a_mistake_is_pointed_at_where_it_stands(words in prop::collection::vec(0..5_usize, 1..12), style in 0..5_usize) {
        let mut scalar = String::new();
        let (open, close, gaps): (&str, &str, [&str; 5]) = match style {
            0 => ("", "", [" ", "\n        ", "\n\n       ", "  ", " \n         "]),
            1 => ("'", "'", [" ", "\n        ", "\n \n        ", "  ", " contains \"it''s\" and é exists and url\n        "]),
            2 => ("\"", "\"", [" ", "\n        ", "\\\n        \\ ", "\\u0020\\t", " == \\\"\\\\\\\\\\\" and url\\x20"]),
            3 => ("|\n        ", "\n", [" ", "\n        ", "\n\n          ", "\n            ", "  "]),
            _ => (">-\n        ", "\n", [" ", "\n        ", "\n\n        ", "\n            ", "  "]),
        };
        scalar.push_str(open);
        for word in &words {
            scalar.push_str("url");
            scalar.push_str(gaps[*word]);
            scalar.push_str("exists and ");
        }
        scalar.push('@');
        scalar.push_str(close);
        let scalar = scalar.replace("é exists", "path exists").replace("path", "pattern");
        let text = behavior("sample", "2", &format!("    - event: Stop\n      when: {scalar}\n"));
        let problems = yaml::load(&project(&[("sample", &text)])).1;
        prop_assert_eq!(problems.len(), 1, "{:?}\n{}", problems, text);
        let place = problems[0].place.unwrap();
        let at = text.find('@').unwrap();
        prop_assert_eq!((place.start as usize, place.end as usize), (at, at + 1), "{}", text);
        let before = &text[..at];
        let line = before.matches('\n').count() + 1;
        let column = before.chars().rev().take_while(|c| *c != '\n').count() + 1;
        prop_assert_eq!((place.line as usize, place.column as usize), (line, column), "{}", text);
    }

    #[test]
    fn no_expression_is_too_strange(text in "[ ()\"'/a-z0-9<=>!\\[\\],.\\\\]{0,60}|(not |\\(|command |exists |and |or |in |\"x\" |matches /x/i){0,20}") {
        let scalar = serde_json::to_string(&text).unwrap();
        let text = behavior("sample", "2", &format!("    - event: Stop\n      when: {scalar}\n"));
        let (_, problems) = yaml::load(&project(&[("sample", &text)]));
        for problem in problems {
            prop_assert!(problem.place.is_some_and(|place| place.line == 10 && place.end as usize <= text.len()));
        }
    }
}

/// The same as an entry of `conditions`.
fn row(test: &Test) -> String {
    let json = |text: &str| serde_json::to_string(text).unwrap();
    let (field, operator, value) = match test {
        Test::Text { field, test } => match test {
            TextTest::Matches(pattern) => (field.name(), "regex_match", Some(json(&pattern.source))),
            TextTest::Contains(text) => (field.name(), "contains", Some(json(text))),
            TextTest::Equals(text) => (field.name(), "equals", Some(json(text))),
            TextTest::StartsWith(text) => (field.name(), "starts_with", Some(json(text))),
            TextTest::EndsWith(text) => (field.name(), "ends_with", Some(json(text))),
            TextTest::Exists => (field.name(), "exists", None),
        },
        Test::Number { signal, comparison, value } => (signal.name(), comparison.name(), Some(value.to_string())),
    };
    let value = value.map_or(String::new(), |value| format!(", value: {value}"));
    format!("        - {{field: {field}, operator: {operator}{value}}}\n")
}

fn problems(when: &str) -> Vec<Diagnostic> {
    let text = behavior("sample", "2", &format!("    - event: Stop\n      when: '{when}'\n"));
    yaml::load(&project(&[("sample", &text)])).1
}

#[test]
fn not_binds_tighter_than_and_and_and_tighter_than_or() {
    let read = |when: &str| read(&format!("    - event: Stop\n      when: {when}\n"));
    let [url, query, content] = [Field::Url, Field::Query, Field::Content]
        .map(|field| Condition::test(Test::Text { field, test: TextTest::Exists }));
    let not = |part: &Condition| Condition::Not(Box::new(part.clone()));
    assert_eq!(
        read("url exists or not query exists and content exists"),
        Condition::Any(vec![url.clone(), Condition::All(vec![not(&query), content.clone()])])
    );
    assert_eq!(read("not (url exists or query exists)"), not(&Condition::Any(vec![url.clone(), query.clone()])));
    assert_eq!(read("not not ((url exists))"), url);
}

#[test]
fn in_and_unequal_are_written_with_what_there_is() {
    let equals =
        |text: &str| Condition::test(Test::Text { field: Field::Url, test: TextTest::Equals(text.to_owned()) });
    let read = |when: &str| read(&format!("    - event: Stop\n      when: '{when}'\n"));
    assert_eq!(read(r#"url in ["a", "b"]"#), Condition::Any(vec![equals("a"), equals("b")]));
    assert_eq!(read(r#"url in ["a"]"#), equals("a"));
    assert_eq!(read(r#"url != "a""#), Condition::Not(Box::new(equals("a"))));
    let pattern = forge::pattern::parse("(?i)a/b").unwrap();
    assert_eq!(
        read(r"url matches /a\/b/i"),
        Condition::test(Test::Text { field: Field::Url, test: TextTest::Matches(pattern) })
    );
}

#[test]
fn any_depth_is_answered() {
    let most = limits::CONDITION_DEPTH;
    let nested = |depth: usize| format!("{}url exists{}", "(".repeat(depth), ")".repeat(depth));
    assert_eq!(problems(&nested(most)), []);
    for depth in [most + 1, 10_000, 200_000] {
        let found = problems(&nested(depth));
        assert_eq!(found.iter().map(|problem| problem.code).collect::<Vec<_>>(), [Code::ConditionTooDeep]);
    }
    assert_eq!(problems(&format!("{}url exists", "not ".repeat(100_000))), []);
    assert_eq!(problems(&"(".repeat(100_000))[0].code, Code::ConditionTooDeep);
}

#[test]
fn the_depth_of_a_tree_is_checked_for_trees_nobody_read() {
    let deep = |depth: usize| {
        let test = Condition::test(Test::Text { field: Field::Url, test: TextTest::Exists });
        (1..depth).fold(test, |inner, _| Condition::Not(Box::new(inner)))
    };
    let with = |condition: Condition| {
        let text = behavior("sample", "1", "    - event: Stop\n");
        let mut catalogue = good(&project(&[("sample", &text)]));
        catalogue.behaviors[0].triggers[0].condition = condition;
        validate::validate(catalogue)
    };
    assert!(with(deep(limits::CONDITION_DEPTH)).is_ok());
    let problems = with(deep(limits::CONDITION_DEPTH + 1)).unwrap_err();
    assert_eq!(problems[0].code, Code::ConditionTooDeep);
}
