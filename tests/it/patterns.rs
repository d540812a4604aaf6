//! Patterns: every way of running one says the same, whatever the text; what is refused is named in the author's terms.

use crate::loader::walk;
use crate::strategies::lone_behavior;
use forge::bytecode::automaton::Way;
use forge::bytecode::program::PatternConst;
use forge::limits;
use forge::lower::{Lowered, lower};
use forge::model::{Catalogue, Condition, Field, Pattern, Test, TextTest};
use forge::pattern::parse;
use forge::validate::validate;
use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::select;
use std::borrow::Cow;

fn lowered(pattern: Pattern) -> Lowered {
    let condition = Condition::test(Test::Text { field: Field::Command, test: TextTest::Matches(pattern) });
    let behaviors = vec![lone_behavior("some-rule", condition)];
    let (checked, _) = validate(Catalogue { behaviors, ..Catalogue::default() }).unwrap();
    lower(&checked, [0; 32]).unwrap()
}

pub(crate) fn constant(source: &str) -> PatternConst<'static> {
    lowered(parse(source).unwrap_or_else(|problem| panic!("{source}: {problem:?}")))
        .program
        .blocks
        .remove(0)
        .patterns
        .remove(0)
}

/// Every way of running the pattern, against `regex`.
fn all_ways_agree(source: &str, pattern: &PatternConst<'_>, texts: &[String]) -> Result<(), TestCaseError> {
    let expected = regex::Regex::new(&pattern.normal).expect("what is accepted compiles everywhere");
    let original = regex::Regex::new(source).expect("what is accepted is a regular expression");
    for text in texts {
        let found = expected.is_match(text);
        prop_assert_eq!(pattern.is_found(text), found, "{} in {:?}", source, text);
        prop_assert_eq!(pattern.by_fallback(text), Some(found), "fallback: {} in {:?}", source, text);
        if !pattern.automaton.is_empty() {
            prop_assert_eq!(pattern.by_automaton(text), Some(found), "automaton: {} in {:?}", source, text);
            prop_assert_eq!(walk(&pattern.automaton, text), found, "by the page: {} in {:?}", source, text);
        }
        prop_assert!(!found || pattern.may_be_in(text), "{:?} hides {} in {:?}", pattern.literals, source, text);
        if text.is_ascii() {
            prop_assert_eq!(original.is_match(text), found, "the normal form of {} differs in {:?}", source, text);
        }
    }
    Ok(())
}

const ATOMS: &[&str] = &[
    "a",
    "b",
    "ab",
    "ks",
    "git",
    "push",
    "é",
    "ß",
    "σ",
    "_",
    "1",
    " ",
    r"\n",
    r"\.",
    ".",
    r"\w",
    r"\W",
    r"\d",
    r"\s",
    r"\S",
    "[a-c]",
    "[^a]",
    "[é-ü]",
    "[[:alpha:]]",
    "[a&&b]",
    r"[\w--a]",
    "[aA]",
    "[kK]",
    "[gG]",
    r"\pL",
    r"\p{Greek}",
    r"\x61",
    r"\u{e9}",
    "",
];
const EDGES: &[&str] = &[
    "^",
    "$",
    r"\A",
    r"\z",
    r"\b",
    r"\B",
    r"\<",
    r"\>",
    r"\b{start}",
    r"\b{end}",
    r"\b{start-half}",
    r"\b{end-half}",
    r"(?-u:\b)",
    r"(?-u:\B)",
    "(?m:^)",
    "(?m:$)",
    "(?mR:^)",
    "(?mR:$)",
];
const WRAPS: &[(&str, &str)] = &[
    ("(", ")"),
    ("(?:", ")"),
    ("(?i:", ")"),
    ("(?s:", ")"),
    ("(?x: ", " # c\n)"),
    ("(?P<n>", ")"),
    ("(?i-u:", ")"),
    ("(?U:", ")"),
    ("(?-u:", ")"),
];
const REPEATS: &[&str] = &["*", "+", "?", "*?", "+?", "??", "{2}", "{1,3}", "{0,2}?", "{2,}", "{0}"];

fn source() -> impl Strategy<Value = String> {
    let leaf = prop_oneof![4 => select(ATOMS), 1 => select(EDGES)].prop_map(str::to_owned);
    leaf.prop_recursive(4, 12, 4, |inner| {
        prop_oneof![
            3 => vec(inner.clone(), 1..5).prop_map(|parts| parts.concat()),
            1 => vec(inner.clone(), 2..4).prop_map(|parts| format!("(?:{})", parts.join("|"))),
            1 => (inner.clone(), select(WRAPS)).prop_map(|(part, (open, close))| format!("{open}{part}{close}")),
            1 => (inner, select(REPEATS)).prop_map(|(part, repeat)| format!("(?:{part}){repeat}")),
        ]
    })
}

const LETTERS: &[&str] = &[
    "a", "A", "b", "k", "K", "\u{212A}", "s", "S", "ſ", "é", "É", "ß", "σ", "ς", "Σ", "_", "1", " ", "\n", "\r", ".",
    "git", "GIT", "push", "\u{0}", "😀",
];

fn text() -> impl Strategy<Value = String> {
    vec(select(LETTERS), 0..10).prop_map(|letters| letters.concat())
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn every_way_of_running_a_pattern_agrees(source in source(), texts in vec(text(), 30)) {
        // Groups of the same name and bytes that are no characters come out of the generator; they are refused.
        if let Ok(pattern) = parse(&source) {
            prop_assert!(parse(&pattern.normal).is_ok(), "the normal form of {} is refused", source);
            let pattern = lowered(pattern).program.blocks.remove(0).patterns.remove(0);
            all_ways_agree(&source, &pattern, &texts)?;
        } else {
            prop_assert!(source.contains("(?-u:") || source.contains("(?i-u:") || source.matches("(?P<n>").count() > 1, "{source}");
        }
    }

    #[test]
    fn a_damaged_automaton_gives_an_answer(at in any::<prop::sample::Index>(), flip in 1..=255_u8, text in text()) {
        for source in [r"(?i)git\s+push", "a"] {
            let whole = constant(source);
            let mut flipped = whole.automaton.to_vec();
            let at = at.index(flipped.len());
            flipped[at] ^= flip;
            for bytes in [flipped, whole.automaton[..at].to_vec()] {
                let _ = PatternConst { automaton: Cow::Owned(bytes), ..whole.clone() }.is_found(&text);
            }
        }
    }

    #[test]
    fn any_text_is_a_pattern_or_a_problem_with_a_place(source in r"[()\[\]{}\\?*+|^$a-zA-Z<>!=:#0-9,&é-]{0,20}") {
        if let Err(problem) = parse(&source) {
            prop_assert!(source.get(problem.span.clone()).is_some(), "{problem:?}");
            prop_assert!(!problem.message.is_empty() && !problem.message.ends_with('.'), "{problem:?}");
        }
    }
}

const NARROW: &str = r"git\s+push.*(--force|-f)\b";
const WIDE: &str = r"[ab]*a[ab]{13}c";
const TOO_LARGE: &str = r"ghp_[A-Za-z0-9]{36}|github_pat_[A-Za-z0-9_]{82}";

#[test]
fn patterns_are_stored_narrow_or_wide_or_left_to_the_fallback() {
    let (narrow, wide, too_large) = (constant(NARROW), constant(WIDE), constant(TOO_LARGE));
    assert_eq!((narrow.automaton[0], wide.automaton[0]), (2, 4));
    assert!(narrow.automaton.len() < 4 << 10, "{} bytes", narrow.automaton.len());
    assert!(too_large.automaton.is_empty());
    assert!(wide.automaton.len() <= limits::DFA_BYTES);
    let secret = format!("ghp_{}", "a".repeat(36));
    assert_eq!(too_large.decide(&secret), (true, Way::Fallback));
    assert_eq!(too_large.decide("nothing"), (false, Way::Literals));
    assert_eq!(narrow.decide("git  push -f"), (true, Way::Automaton));
    assert_eq!(wide.decide(&format!("ab{}c", "ba".repeat(6))), (true, Way::Automaton));
    assert_eq!(wide.decide(&format!("bb{}c", "ba".repeat(6))), (false, Way::Automaton));
    assert_eq!(lowered(parse(TOO_LARGE).unwrap()).slow_patterns, [TOO_LARGE]);
    assert!(lowered(parse(NARROW).unwrap()).slow_patterns.is_empty());
}

/// What differs in its text alone has one table: it is as small as it can be, and the same from the same pattern.
#[test]
fn equal_languages_have_equal_automata() {
    for alike in [["ab|cb", "[ac]b"], ["a+", "a"], ["(?:x|y|z)+$", "[x-z]$"], ["a(?:bc|bd)", "ab[cd]"], ["", "b*"]] {
        let [one, other] = alike.map(|source| constant(source).automaton);
        assert_eq!(one, other, "{alike:?}");
    }
}

#[test]
fn an_automaton_runs_wherever_its_bytes_lie() {
    for source in [NARROW, WIDE] {
        let pattern = constant(source);
        for shift in 0..8 {
            let shifted = [vec![0; shift], pattern.automaton.to_vec()].concat();
            let moved = PatternConst { automaton: Cow::Borrowed(&shifted[shift..]), ..pattern.clone() };
            let text = format!("git push --force {}c", "a".repeat(14));
            assert_eq!(moved.by_automaton(&text), Some(true), "{source}");
        }
    }
}

#[test]
fn what_a_damaged_program_cannot_run_counts_as_found() {
    let pattern = constant("a+");
    let without = |automaton: &'static [u8], normal: &'static str| PatternConst {
        automaton: automaton.into(),
        normal: normal.into(),
        ..pattern.clone()
    };
    assert_eq!(without(b"junk", "a+").decide("b"), (false, Way::Fallback));
    assert_eq!(without(b"junk", "(").decide("b"), (true, Way::Nothing));
    assert_eq!(without(b"", r"\w{100000}").decide("b"), (true, Way::Nothing));
}

#[test]
fn literals_are_those_every_match_contains() {
    let literals = |source: &str| {
        let pattern = constant(source);
        (pattern.literals.iter().map(|literal| literal.to_string()).collect::<Vec<_>>().join(" "), pattern.fold)
    };
    assert_eq!(literals(r"git\s+push"), ("push".into(), false));
    assert_eq!(literals(r"\bgit\b"), ("git".into(), false));
    assert_eq!(literals(r"(?i)\bgit\b"), ("git".into(), true));
    assert_eq!(literals("rm -(rf|fr) "), ("rm -".into(), false));
    assert_eq!(literals("(reboot|(?i:halt now))!"), ("halt now reboot".into(), true));
    assert_eq!(literals("a?b*"), (String::new(), false));
    assert_eq!(literals("(?:abc)+d?"), ("abc".into(), false));
    // No letter in both cases, and nothing that every match contains.
    assert_eq!(literals("[A-Ca]x"), ("x".into(), false));
    assert_eq!(literals("[Aa-c]x"), ("x".into(), false));
    // `k` has a third form, the sign for kelvin.
    assert_eq!(literals("(?i)gitkraben"), ("raben".into(), true));
}

#[test]
fn word_edges_are_ascii_and_nothing_else_changes() {
    let normal = |source: &str| parse(source).unwrap().normal;
    assert_eq!(normal(r"\bgit\b"), r"(?-u:\b)git(?-u:\b)");
    assert_eq!(normal(r"(?i)\B[b{]\<a\b{end}"), r"(?i)(?-u:\B)[b{](?-u:\<)a(?-u:\b{end})");
    assert_eq!(normal(r"\\b\w+é$"), r"\\b\w+é$");
}

#[test]
fn what_other_engines_have_is_named() {
    let check = |source: &str, at: &str, message: &str, help: &str| {
        let problem = parse(source).expect_err(source);
        assert!(problem.message.contains(message), "{source}: {problem:?}");
        assert!(problem.help.contains(help), "{source}: {problem:?}");
        assert_eq!(&source[problem.span.clone()], at, "{source}: {problem:?}");
    };
    check("a(?=b)", "(?=", "look-ahead", "second condition");
    check("a(?!b)", "(?!", "negative look-ahead", "not_contains");
    check("(?<=a)b", "(?<=", "look-behind", "part of the pattern");
    check("(?<!a)b", "(?<!", "negative look-behind", "not_contains");
    check(r"(a)\1", r"\1", "back-reference", "alternatives");
    check("(?P<n>a)(?P=n)", "(?P=", "back-reference", "alternatives");
    check(r"(?<n>a)\k<n>", r"\k", "back-reference", "alternatives");
    check("é(?>ab)", "(?>", "atomic", "(?:…)");
    check("a++b", "++", "possessive", "leave out");
    check("a{2}+b", "{2}+", "possessive", "leave out");
    check("(?#x)", "(?#", "comment", "YAML");
    check("(?1)", "(?1", "recursion", "levels");
    check("(?(1)a|b)", "(?(", "conditional", "|");
    check("(?|a|b)", "(?|", "branch reset", "(?:…)");
    check("(?a)x", "(?a", "flag", "`i`");
    check(r"end\Z", r"\Z", r"\Z", r"\z");
    check(r"\h", r"\h", r"\h", "[ ");
    check(r"\Qa.b\E", r"\Q", r"\Q", "contains");
    check(r"\Kx", r"\K", r"\K", "leave it out");
    check(r"\Gx", r"\G", r"\G", r"\A");
    check(r"\e", r"\e", r"\e", r"\x1B");
    check("*a", "*", "repeats nothing", r"\*");
    check("a|+", "+", "repeats nothing", r"\+");
    check("(ab", "(", "never closed", r"\(");
    check("ab)", ")", "closes nothing", r"\)");
    check("[ab", "[", "never closed", r"\[");
    check(r"ab\", r"\", "escapes nothing", r"\\");
    check("a{3,1}", "{3,1}", "count", "{");
    check(r"[a-\d]", r"\d", "cannot stand here", r"\-");
    check(r"\p{Nonsense}", r"\p{Nonsense}", "no Unicode property", r"\p{L}");
    check(r"(?-u:\xFF)", r"\xFF", "half a character", "-u");
    check(r"a\d{1,10000}b", "{1,10000}", "repeats too much", "[0-9]");
    check("(a{1000}){1000}", "{1000}", "repeats too much", "smaller");
}

#[test]
fn a_pattern_may_be_as_long_as_the_limit_and_no_longer() {
    assert!(parse(&"a".repeat(limits::PATTERN_BYTES)).is_ok());
    let problem = parse(&"a".repeat(limits::PATTERN_BYTES + 1)).unwrap_err();
    assert!(problem.message.contains("16385 bytes long"), "{problem:?}");
}
