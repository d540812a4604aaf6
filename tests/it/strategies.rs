//! Catalogues and sequences of events for property tests. The vocabulary is small on purpose, so that conditions,
//! flags and retries collide and hold.

use forge::model::{
    Action, AppliesTo, Behavior, Catalogue, Category, Comparison, Condition, Enforcement, Event, Field, Level, Matcher,
    Metadata, OnAbsent, OnPresent, OverridePolicy, Pattern, Place, Placed, Profile, Recovery, Rendering, Scope, Signal,
    SignalSet, Signals, Step, Subject, Test, TextTest, Trigger,
};
use proptest::collection::vec;
use proptest::option;
use proptest::prelude::*;
use proptest::sample::{select, subsequence};

pub(crate) const TOOLS: &[&str] = &["Bash", "Edit", "Write", "mcp__db__query", "mcp__web__fetch", "Read"];
pub(crate) const AGENTS: &[&str] = &["main", "reviewer", "builder"];
pub(crate) const TEXTS: &[&str] = &[
    "git push --force",
    "git push",
    "GIT PUSH",
    "",
    "ls -la",
    "déjà vu: push",
    "src/main.rs",
    "ghp_0123456789abcdefghij",
];
const PARTS: &[&str] = &["git", "push", "é", "src/", ".rs", "--force", "ls", "git push"];
const FLAGS: &[&str] = &["planned", "tested"];
const TOOL_PATTERNS: &[&str] = &["^mcp__", "Edit|Write.", "(?i)BASH", "e", "^$"];
/// The last needs the fallback engine.
const TEXT_PATTERNS: &[&str] = &[
    r"git\s+push",
    r"(?i)git push\b",
    r"\bpush\b",
    r"\Bus\B",
    r"^$",
    r"[^ -~]",
    r"push$|\.rs",
    r"-(f|-force)\b",
    r"[[:digit:]]{3}.*[a-z]{3}",
    r"[a-z ]*[aeiou][a-z ]{14}|é",
];
const FIELDS: &[Field] = &[Field::Command, Field::FilePath, Field::Prompt];

fn owned(words: &'static [&'static str]) -> impl Strategy<Value = String> {
    select(words).prop_map(str::to_owned)
}

pub(crate) fn pattern(sources: &'static [&'static str]) -> impl Strategy<Value = Pattern> {
    select(sources).prop_map(|source| forge::pattern::parse(source).unwrap())
}

fn text_test() -> impl Strategy<Value = TextTest> {
    prop_oneof![
        pattern(TEXT_PATTERNS).prop_map(TextTest::Matches),
        owned(PARTS).prop_map(TextTest::Contains),
        owned(TEXTS).prop_map(TextTest::Equals),
        owned(PARTS).prop_map(TextTest::StartsWith),
        owned(PARTS).prop_map(TextTest::EndsWith),
        Just(TextTest::Exists),
    ]
}

fn test() -> impl Strategy<Value = Test> {
    prop_oneof![
        5 => (select(FIELDS), text_test()).prop_map(|(field, test)| Test::Text { field, test }),
        1 => (select(Comparison::ALL), 0..4_u64)
            .prop_map(|(comparison, value)| Test::Number { signal: Signal::Counter, comparison, value }),
        1 => (select(Signal::ALL), select(Comparison::ALL), 0..4_u64)
            .prop_map(|(signal, comparison, value)| Test::Number { signal, comparison, value }),
    ]
}

pub(crate) fn condition() -> impl Strategy<Value = Condition> {
    let leaf = prop_oneof![1 => Just(Condition::All(vec![])), 4 => test().prop_map(Condition::test)];
    leaf.prop_recursive(3, 10, 3, |inner| {
        prop_oneof![
            vec(inner.clone(), 0..4).prop_map(Condition::All),
            vec(inner.clone(), 0..4).prop_map(Condition::Any),
            inner.prop_map(|part| Condition::Not(Box::new(part))),
        ]
    })
}

fn matcher() -> impl Strategy<Value = Matcher> {
    prop_oneof![
        2 => Just(Matcher::All),
        2 => subsequence(TOOLS, 1..4).prop_map(|names| Matcher::Names(names.into_iter().map(str::to_owned).collect())),
        1 => pattern(TOOL_PATTERNS).prop_map(Matcher::Pattern),
    ]
}

fn action() -> impl Strategy<Value = Action> {
    let flag = || owned(FLAGS).prop_map(Placed::nowhere);
    prop_oneof![
        4 => Just(Action::Evaluate),
        1 => flag().prop_map(|flag| Action::SetFlag { flag }),
        2 => (flag(), select(OnPresent::ALL), select(OnAbsent::ALL))
            .prop_map(|(flag, on_present, on_absent)| Action::CheckFlag { flag, on_present, on_absent }),
    ]
}

pub(crate) fn event() -> impl Strategy<Value = Event> {
    prop_oneof![5 => Just(Event::PreToolUse), 2 => select(Event::ALL)]
}

fn trigger() -> impl Strategy<Value = Trigger> {
    (event(), matcher(), condition(), action()).prop_map(|(event, matcher, condition, action)| Trigger {
        event,
        matcher: if event.has_tool() { matcher } else { Matcher::All },
        condition,
        action,
        place: Place::default(),
    })
}

fn escalation() -> impl Strategy<Value = Vec<Step>> {
    vec((1..4_u32, select(Level::ALL)), 0..4).prop_map(|mut steps| {
        steps.sort();
        let mut highest = Level::Silent;
        let place = Place::default();
        let rising = |(after, level): (u32, Level)| {
            highest = highest.max(level);
            Step { after, level: highest, place }
        };
        steps.into_iter().map(rising).collect()
    })
}

fn enforcement() -> impl Strategy<Value = Enforcement> {
    let default_level =
        prop_oneof![4 => Just(Level::SoftBlock), 4 => select(&Level::ALL[..3]), 1 => select(Level::ALL)];
    let resets = prop_oneof![4 => Just(vec![]), 1 => subsequence(Signal::ALL, 1..3)];
    let once_per = prop_oneof![
        6 => Just(None),
        1 => select(FIELDS).prop_map(|field| Some(Subject::Text(field))),
        1 => select(Signal::ALL).prop_map(|signal| Some(Subject::Number(signal))),
    ];
    (default_level, escalation(), resets, once_per).prop_map(|(default_level, escalation, resets, once_per)| {
        Enforcement { default_level, escalation, resets: resets.into_iter().collect(), once_per, ends_turn: false }
    })
}

fn applies_to() -> impl Strategy<Value = AppliesTo> {
    let some = |words: &'static [&'static str]| {
        let names = subsequence(words, 1..words.len());
        prop_oneof![4 => Just(vec![]), 1 => names]
            .prop_map(|names| names.into_iter().map(str::to_owned).collect::<Vec<_>>())
    };
    let profiles = prop_oneof![4 => Just(vec![]), 1 => subsequence(Profile::ALL, 1..3)];
    (some(TOOLS), some(TOOLS), some(AGENTS), profiles).prop_map(|(tools, except_tools, agents, profiles)| AppliesTo {
        tools,
        except_tools,
        agents,
        profiles,
    })
}

fn behavior() -> impl Strategy<Value = Behavior> {
    let enabled = prop_oneof![6 => Just(true), 1 => Just(false)];
    (vec(trigger(), 1..4), enforcement(), applies_to(), enabled).prop_map(
        |(triggers, enforcement, applies_to, enabled)| Behavior {
            id: Placed::nowhere(String::new()),
            name: "Some behavior".to_owned(),
            description: "Made by a generator.".to_owned(),
            category: Category::Core,
            scope: Placed::nowhere(Scope::Session),
            enabled,
            triggers,
            enforcement,
            recovery: Recovery { hint: "Do otherwise.".to_owned(), ..Recovery::default() },
            rendering: Rendering::default(),
            applies_to,
            metadata: Metadata::default(),
        },
    )
}

/// One behavior with this trigger and nothing else.
pub(crate) fn lone_behavior(id: &str, condition: Condition) -> Behavior {
    Behavior {
        id: Placed::nowhere(id.to_owned()),
        name: "Lone".to_owned(),
        description: "Made by a test.".to_owned(),
        category: Category::Core,
        scope: Placed::nowhere(Scope::Session),
        enabled: true,
        triggers: vec![Trigger {
            event: Event::PreToolUse,
            matcher: Matcher::All,
            condition,
            action: Action::Evaluate,
            place: Place::default(),
        }],
        enforcement: Enforcement { default_level: Level::Nudge, ..plain_enforcement() },
        recovery: Recovery { hint: "Do otherwise.".to_owned(), ..Recovery::default() },
        rendering: Rendering::default(),
        applies_to: AppliesTo::default(),
        metadata: Metadata::default(),
    }
}

/// Counts and nothing else.
pub(crate) fn plain_enforcement() -> Enforcement {
    Enforcement {
        default_level: Level::Nudge,
        escalation: vec![],
        resets: SignalSet::default(),
        once_per: None,
        ends_turn: false,
    }
}

/// Catalogues that satisfy every rule of the language.
pub(crate) fn catalogue() -> impl Strategy<Value = Catalogue> {
    vec(behavior(), 1..5).prop_map(|mut behaviors| {
        for (number, behavior) in behaviors.iter_mut().enumerate() {
            behavior.id = Placed::nowhere(format!("behavior-{number}"));
        }
        Catalogue { behaviors, ..Catalogue::default() }
    })
}

/// What happens between two events.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Interlude {
    Nothing,
    /// A person grants what is pending.
    Grant,
    /// A person switches a behavior off for the session, or on again.
    Toggle(usize),
    /// The memory cannot be had at this event.
    NoMemory,
}

/// One event of a sequence.
#[derive(Clone, Debug)]
pub(crate) struct Happening {
    /// Seconds since the one before; clocks also jump back.
    pub(crate) advance: i64,
    pub(crate) interlude: Interlude,
    /// What the transcripts say.
    pub(crate) signals: Signals,
    /// The same call as the one before, whatever the rest says.
    pub(crate) again: bool,
    pub(crate) event: Event,
    pub(crate) tool: &'static str,
    pub(crate) agent: &'static str,
    pub(crate) texts: [&'static str; 3],
    pub(crate) tool_use_id: Option<&'static str>,
    pub(crate) profile: Profile,
}

fn happening() -> impl Strategy<Value = Happening> {
    let advance = prop_oneof![4 => 0..3_i64, 2 => select(&[30, 59, 60, 61][..]), 1 => select(&[-1, -60, 86_400][..])];
    let interlude = prop_oneof![
        12 => Just(Interlude::Nothing),
        3 => Just(Interlude::Grant),
        1 => (0..4_usize).prop_map(Interlude::Toggle),
        1 => Just(Interlude::NoMemory),
    ];
    let tool = prop_oneof![20 => select(TOOLS), 1 => Just("Unheard"), 1 => Just("")];
    let profile = prop_oneof![4 => Just(Profile::Standard), 1 => select(Profile::ALL)];
    let texts = [(); 3].map(|()| select(TEXTS));
    let signals = proptest::array::uniform7(0..4_u64).prop_map(|values| {
        let mut signals = Signals::default();
        Signal::ALL.iter().zip(values).for_each(|(signal, value)| signals.set(*signal, value));
        signals
    });
    (
        (advance, interlude, any::<bool>(), signals),
        (event(), tool, select(AGENTS), texts, option::of(Just("toolu_1")), profile),
    )
        .prop_map(|((advance, interlude, again, signals), (event, tool, agent, texts, tool_use_id, profile))| {
            Happening { advance, interlude, signals, again, event, tool, agent, texts, tool_use_id, profile }
        })
}

impl Happening {
    /// The fields its texts are in.
    pub(crate) fn fields(&self) -> impl Iterator<Item = (Field, &'static str)> {
        FIELDS.iter().copied().zip(self.texts)
    }
}

pub(crate) fn happenings() -> impl Strategy<Value = Vec<Happening>> {
    vec(happening(), 1..10)
}

pub(crate) fn policy() -> impl Strategy<Value = OverridePolicy> {
    let window = select(&[60, 0, 1][..]);
    prop_oneof![
        2 => window.clone().prop_map(|window| OverridePolicy::Retry { window }),
        1 => Just(OverridePolicy::Ask),
        2 => window.prop_map(|window| OverridePolicy::Deny { window }),
    ]
}
