//! Edits of YAML: over generated layouts, only what was named changes; what cannot be changed so is refused.

use forge::edit::{Edit, New, edited};
use forge::yaml::Step;
use proptest::prelude::*;
use serde_yaml::Value;

/// One way of writing an entry of the index.
#[derive(Clone, Debug)]
struct Layout {
    flow: bool,
    tight: bool,
    enabled: Option<&'static str>,
    enabled_first: bool,
    quote: &'static str,
    comment: bool,
    blank: bool,
}

fn layout() -> impl Strategy<Value = Layout> {
    let enabled = prop_oneof![Just(None), Just(Some("true")), Just(Some("false")), Just(Some("\"true\""))];
    let quote = prop_oneof![Just(""), Just("'"), Just("\"")];
    let rest = (any::<bool>(), any::<bool>(), any::<bool>(), any::<bool>(), any::<bool>());
    (enabled, quote, rest).prop_map(|(enabled, quote, (flow, tight, enabled_first, comment, blank))| Layout {
        flow,
        tight,
        enabled,
        enabled_first,
        quote,
        comment,
        blank,
    })
}

/// The whole file: how its list is written, how its lines end, and whether the last one does.
#[derive(Clone, Debug)]
struct File {
    entries: Vec<Layout>,
    list_in_flow: bool,
    indent: usize,
    newline: &'static str,
    ends: bool,
    mark: bool,
}

fn file() -> impl Strategy<Value = File> {
    let newline = prop_oneof![Just("\n"), Just("\r\n")];
    let entries = proptest::collection::vec(layout(), 1..5);
    (entries, any::<bool>(), 0..5usize, newline, any::<bool>(), any::<bool>()).prop_map(
        |(entries, list_in_flow, indent, newline, ends, mark)| File {
            entries,
            list_in_flow,
            indent,
            newline,
            ends,
            mark,
        },
    )
}

impl File {
    fn text(&self) -> String {
        let mut text = String::from(if self.mark { "\u{feff}" } else { "" });
        text.push_str("# the index: {not: \"a value\"}\nschema_version: \"1\"\n\nother: |\n  - id: x0\n    enabled: true\nbehaviors:");
        text.push_str(if self.list_in_flow { " [\n" } else { " # the list\n" });
        for (index, layout) in self.entries.iter().enumerate() {
            self.entry(index, layout, &mut text);
        }
        text.push_str(if self.list_in_flow { "  ]\n" } else { "# the end\n" });
        let text = if self.ends { &text } else { text.trim_end() };
        text.replace('\n', self.newline)
    }

    fn entry(&self, index: usize, layout: &Layout, text: &mut String) {
        let is_tight = layout.tight && layout.quote == "\"";
        let (colon, comma) = if is_tight { (":", ",") } else { (": ", ", ") };
        let quote = if is_tight { "\"" } else { "" };
        let mut pairs = vec![("id", format!("{0}x{index}{0}", layout.quote))];
        if let Some(enabled) = layout.enabled {
            pairs.insert(if layout.enabled_first { 0 } else { 1 }, ("enabled", enabled.to_owned()));
        }
        let comment = if layout.comment { " # don't: touch, {this}" } else { "" };
        let indent = " ".repeat(if self.list_in_flow { 2 } else { self.indent });
        let dash = if self.list_in_flow { "" } else { "- " };
        if layout.flow || self.list_in_flow {
            let pairs: Vec<_> = pairs.iter().map(|(key, value)| format!("{quote}{key}{quote}{colon}{value}")).collect();
            let end = if self.list_in_flow && index + 1 < self.entries.len() { "," } else { "" };
            text.push_str(&format!("{indent}{dash}{{{}}}{end}{comment}\n", pairs.join(comma)));
        } else {
            for (number, (key, value)) in pairs.iter().enumerate() {
                let lead = if number == 0 { dash } else { "  " };
                text.push_str(&format!("{indent}{lead}{key}:  {value}{comment}\n"));
            }
        }
        if layout.blank {
            text.push_str("\n  # between\n");
        }
    }
}

/// What two texts differ in: the stretch of each between what they share at the start and at the end.
fn difference(before: &str, after: &str) -> (String, String) {
    let (one, two): (Vec<char>, Vec<char>) = (before.chars().collect(), after.chars().collect());
    let start = one.iter().zip(&two).take_while(|(one, two)| one == two).count();
    let most = one.len().min(two.len()) - start;
    let end = one.iter().rev().zip(two.iter().rev()).take(most).take_while(|(one, two)| one == two).count();
    (one[start..one.len() - end].iter().collect(), two[start..two.len() - end].iter().collect())
}

fn value(text: &str) -> Value {
    serde_yaml::from_str(text.trim_start_matches('\u{feff}')).unwrap_or_else(|error| panic!("{error}:\n{text}"))
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 400, ..ProptestConfig::default() })]

    /// The switch of one entry, whether it is written or not.
    #[test]
    fn a_switch_changes_one_value_of_one_entry(file in file(), pick in any::<proptest::sample::Index>(), on in any::<bool>()) {
        let text = file.text();
        let index = pick.index(file.entries.len());
        let entry = vec![Step::Key("behaviors"), Step::Index(index)];
        let word = on.to_string();
        let edit = match file.entries[index].enabled {
            None => Edit::Add { path: entry, after: "id", key: "enabled", value: New::Word(word.clone()) },
            Some(_) => Edit::Set { path: [entry, vec![Step::Key("enabled")]].concat(), word: word.clone() },
        };
        let after = edited(&text, &[edit]).map_err(|refused| TestCaseError::fail(format!("{refused}:\n{text}")))?;
        let mut wanted = value(&text);
        let entry = wanted["behaviors"][index].as_mapping_mut().unwrap();
        entry.insert("enabled".into(), on.into());
        prop_assert_eq!(value(&after), wanted, "\n{}", after);
        let (gone, come) = difference(&text, &after);
        if file.entries[index].enabled.is_none() {
            prop_assert_eq!(gone, "", "\n{}", after);
            let words: String = come.chars().filter(|c| c.is_ascii_alphabetic()).collect();
            prop_assert_eq!(words.len(), format!("enabled{word}").len(), "\n{}", after);
        } else {
            prop_assert!(gone.len() <= "\"true\"".len() && come.len() <= "false".len(), "`{}` `{}`", gone, come);
        }
        prop_assert_eq!(after.matches('\n').count(), after.matches(file.newline).count(), "a foreign line break");
    }

    /// A new last entry, in the layout of the one before it.
    #[test]
    fn an_appended_entry_leaves_every_byte(file in file()) {
        let text = file.text();
        let item = New::mapping([("id", New::Text("new".into())), ("enabled", New::Word("true".into()))]);
        let edit = Edit::Append { path: vec![Step::Key("behaviors")], item };
        let after = edited(&text, &[edit]).map_err(|refused| TestCaseError::fail(format!("{refused}:\n{text}")))?;
        let mut wanted = value(&text);
        wanted["behaviors"].as_sequence_mut().unwrap().push(value("{id: new, enabled: true}"));
        prop_assert_eq!(value(&after), wanted, "\n{}", after);
        prop_assert_eq!(difference(&text, &after).0, "", "\n{}", after);
        prop_assert_eq!(after.matches('\n').count(), after.matches(file.newline).count(), "a foreign line break");
    }

    /// Taking an entry out keeps the others; where a comment would go with it, nothing is done.
    #[test]
    fn a_removed_entry_takes_nothing_with_it(file in file(), pick in any::<proptest::sample::Index>()) {
        let text = file.text();
        let index = pick.index(file.entries.len());
        let comments = |text: &str| text.matches('#').count();
        if let Ok(after) = edited(&text, &[Edit::Remove { path: vec![Step::Key("behaviors")], index }]) {
            let mut wanted = value(&text);
            wanted["behaviors"].as_sequence_mut().unwrap().remove(index);
            prop_assert_eq!(value(&after), wanted, "\n{}", after);
            prop_assert_eq!(difference(&text, &after).1, "", "\n{}", after);
            prop_assert_eq!(comments(&text), comments(&after));
        } else {
            let has_comments = file.entries.iter().any(|layout| layout.comment || layout.blank);
            prop_assert!(has_comments || file.entries.len() == 1, "refused without need:\n{}", text);
        }
    }
}

#[test]
fn a_list_at_the_indentation_of_its_key_is_a_list_in_lines() {
    let append = Edit::Append { path: vec![Step::Key("a")], item: New::List(vec!["new".into()]) };
    let remove = Edit::Remove { path: vec![Step::Key("a")], index: 0 };
    let text = "a:\n- [x]\n- {y: 1}\n# end";
    assert_eq!(edited(text, &[append]).unwrap(), "a:\n- [x]\n- {y: 1}\n- [new]\n# end");
    assert_eq!(edited(text, &[remove]).unwrap(), "a:\n- {y: 1}\n# end");
}

fn set<'a>(path: &[Step<'a>], word: &str) -> Edit<'a> {
    Edit::Set { path: path.to_vec(), word: word.to_owned() }
}

#[test]
fn a_key_without_a_value_gets_one() {
    let enabled = [Step::Key("a"), Step::Key("enabled")];
    assert_eq!(edited("a:\n  enabled: # soon\n", &[set(&enabled, "true")]).unwrap(), "a:\n  enabled: true # soon\n");
    assert_eq!(edited("a:\n  enabled:", &[set(&enabled, "true")]).unwrap(), "a:\n  enabled: true");
    let list = Edit::Append { path: vec![Step::Key("list")], item: New::Text("x".into()) };
    assert_eq!(edited("list:\nz: 1\n", std::slice::from_ref(&list)).unwrap(), "list:\n  - x\nz: 1\n");
    assert_eq!(edited("list: [] # none\n", &[list]).unwrap(), "list: [x] # none\n");
}

#[test]
fn texts_that_yaml_would_misread_are_quoted() {
    for text in ["no", "1.5", "a: b", "- x", "", "#", "\u{7}\"\\\n", "*x", "x y"] {
        let edit = Edit::Append { path: vec![Step::Key("list")], item: New::Text(text.to_owned()) };
        let after = edited("list: [a]\n", &[edit]).unwrap();
        assert_eq!(value(&after)["list"][1].as_str(), Some(text), "{after}");
    }
}

#[test]
fn what_cannot_be_kept_is_refused() {
    let refused = |text: &str, edit: Edit<'_>| edited(text, &[edit]).expect_err(text);
    let place = |refused: forge::edit::Refused| (refused.place().line, refused.place().column);
    let a = [Step::Key("a")];
    assert_eq!(place(refused("x: 1\na: |\n  true\n", set(&a, "false"))), (3, 3));
    assert_eq!(place(refused("x: 1\na: [1]\n", set(&a, "2"))), (2, 4));
    assert_eq!(place(refused("x: &y 1\na: *y\n", set(&a, "2"))), (1, 4));
    assert!(refused("x: 1\n", set(&a, "2")).to_string().contains("`a` is missing"));
    assert!(refused("a: [1\n", set(&a, "2")).to_string().starts_with("not YAML"));
    let commented = Edit::Remove { path: a.to_vec(), index: 0 };
    assert!(refused("a:\n  - x # why\n  - y\n", commented).to_string().contains("by hand"));
    let twice = Edit::Add { path: Vec::new(), after: "x", key: "x", value: New::Word("2".into()) };
    assert!(refused("x: 1\n", twice).to_string().contains("by hand"));
    let question = Edit::Add { path: a.to_vec(), after: "id", key: "on", value: New::Word("true".into()) };
    let after = edited("a:\n  ? id\n  : 1\n", &[question]);
    assert!(after.as_ref().is_err() || value(after.as_ref().unwrap())["a"]["on"] == Value::Bool(true), "{after:?}");
}
