//! A judgement for people: aligned, the matching part underlined. Gives text; whoever prints it decides about colour.

use super::trigger::{Action, Asked, Fired, Seen};
use super::{Considered, Excerpt, Fate, Watched, Why};
use std::fmt::Write as _;

/// Longest pattern shown whole, characters.
const PATTERN: usize = 70;

/// How parts of the text are set off.
#[derive(Clone, Copy, Debug, Default)]
pub struct Styles {
    strong: anstyle::Style,
    good: anstyle::Style,
    bad: anstyle::Style,
    faint: anstyle::Style,
}

impl Styles {
    /// With colours, for a terminal.
    #[must_use]
    pub fn coloured() -> Self {
        let colour = |colour: anstyle::AnsiColor| anstyle::Style::new().fg_color(Some(colour.into()));
        Self {
            strong: anstyle::Style::new().bold(),
            good: colour(anstyle::AnsiColor::Green),
            bad: colour(anstyle::AnsiColor::Red),
            faint: anstyle::Style::new().dimmed(),
        }
    }

    /// A heading.
    #[must_use]
    pub fn strong(&self, text: &str) -> String {
        set(self.strong, text)
    }

    /// Something that is as it should be.
    #[must_use]
    pub fn good(&self, text: &str) -> String {
        set(self.good, text)
    }

    /// Something that is not.
    #[must_use]
    pub fn bad(&self, text: &str) -> String {
        set(self.bad, text)
    }

    /// Something by the way.
    #[must_use]
    pub fn faint(&self, text: &str) -> String {
        set(self.faint, text)
    }
}

fn set(style: anstyle::Style, text: &str) -> String {
    format!("{style}{text}{style:#}")
}

/// The whole judgement, one line break at its end.
#[must_use]
pub fn text(watched: &Watched, styles: Styles) -> String {
    let mut out = Out { text: String::new(), styles };
    let subject = [watched.event.name(), &watched.tool].join(" ");
    let head = styles.strong(subject.trim_end());
    out.line(0, &format!("{head}, agent {}, profile {}", watched.agent, watched.profile));
    if !watched.remembered {
        out.line(1, "without memory: default levels, nothing counted, checked flags count as set");
    }
    let width = watched.fields.iter().map(|(name, _)| name.len()).max().unwrap_or(0);
    for (name, excerpt) in &watched.fields {
        out.line(1, &format!("{name:<width$}  {}", shown(excerpt).0));
    }
    let width = watched.behaviors.iter().map(|behavior| behavior.id.len()).max().unwrap_or(0);
    for (number, behavior) in (1..).zip(&watched.behaviors) {
        out.behavior(number, behavior, width, watched);
    }
    if watched.flags_before == watched.flags_after {
        out.line(0, &format!("flags: {}", listed(&watched.flags_before)));
    } else {
        out.line(0, &format!("flags: {} -> {}", listed(&watched.flags_before), listed(&watched.flags_after)));
    }
    out.text
}

struct Out {
    text: String,
    styles: Styles,
}

impl Out {
    fn line(&mut self, depth: usize, text: &str) {
        // Writing to a String cannot fail.
        let _ = writeln!(self.text, "{:indent$}{text}", "", indent = depth * 2);
    }

    fn behavior(&mut self, number: usize, behavior: &Considered, width: usize, watched: &Watched) {
        let id = self.styles.strong(&format!("{:<width$}", behavior.id));
        let place = self.styles.faint(&format!("{}:{}", behavior.place.file, behavior.place.line));
        let verdict = match &behavior.fate {
            Fate::Violated { level, .. } => self.styles.bad(&format!("{:<10}", level.name())),
            Fate::Passed | Fate::SaidBefore { .. } => self.styles.good(&format!("{:<10}", "passed")),
            Fate::Overridden => self.styles.good("overridden"),
            Fate::NotReached
            | Fate::OtherEvent { .. }
            | Fate::OtherTool { .. }
            | Fate::ExceptedTool
            | Fate::Disabled
            | Fate::OtherProfile { .. }
            | Fate::OtherAgent { .. } => self.styles.faint(&format!("{:<10}", "skipped")),
        };
        let reason = reason(behavior, watched);
        let head = format!("{number:>2} {id}  {verdict}  {reason}");
        self.line(0, head.trim_end());
        if !behavior.triggers.is_empty() {
            self.line(2, &place);
        }
        for trigger in &behavior.triggers {
            self.trigger(trigger);
        }
    }

    fn trigger(&mut self, trigger: &Seen) {
        let tools = if trigger.tools.is_empty() { String::new() } else { format!(" ({})", trigger.tools.join(", ")) };
        let what = match trigger.fired {
            Fired::Yes => self.styles.strong("fired"),
            Fired::ConditionsFailed => "conditions failed".to_owned(),
            Fired::OtherTool => self.styles.faint("other tools"),
            Fired::NotReached => self.styles.faint("not reached"),
        };
        self.line(2, &format!("trigger {}{}{tools}: {what}", trigger.number, line(trigger.line)));
        if matches!(trigger.fired, Fired::OtherTool | Fired::NotReached) {
            return;
        }
        for asked in &trigger.asked {
            self.asked(asked);
        }
        for action in &trigger.actions {
            let said = match action {
                Action::Violates => self.styles.bad("a violation"),
                Action::SetsFlag(flag) => format!("sets the flag {flag}"),
                Action::ClearsFlag(flag) => format!("deletes the flag {flag}"),
                Action::FindsFlag { flag, present: true, .. } => format!("the flag {flag} is set"),
                Action::FindsFlag { flag, present: false, set_by } => {
                    let who = set_by
                        .iter()
                        .map(|(event, number, at)| format!("trigger {number}{} sets it at {event}", line(*at)));
                    [format!("the flag {flag} is not set")].into_iter().chain(who).collect::<Vec<_>>().join("; ")
                }
            };
            self.line(3, &format!("-> {said}"));
        }
    }

    fn asked(&mut self, asked: &Asked) {
        let held = match asked.held {
            Some(true) => self.styles.good("held  "),
            Some(false) => self.styles.bad("failed"),
            None => self.styles.faint("unseen"),
        };
        let number = asked.number.as_ref().map_or_else(String::new, |number| format!(", it is {number}"));
        let question = cut(&one_line(&asked.question));
        self.line(3, &format!("{held} {question}{number}{}", self.styles.faint(&line(asked.line))));
        let Some(excerpt) = &asked.text else { return };
        let (text, mark) = shown(excerpt);
        if text.is_empty() {
            self.line(6, &self.styles.faint("(empty)"));
            return;
        }
        self.line(6, &text);
        if let Some((before, length)) = mark.filter(|(_, length)| *length > 0) {
            self.line(6, &format!("{:before$}{}", "", self.styles.good(&"^".repeat(length))));
        }
    }
}

/// Why a behavior was skipped, or what became of it.
fn reason(behavior: &Considered, watched: &Watched) -> String {
    let tool = if watched.tool.is_empty() { watched.event.name() } else { &watched.tool };
    match &behavior.fate {
        Fate::NotReached => "a block before it ended the chain".to_owned(),
        Fate::OtherEvent { watches } => {
            let names: Vec<&str> = watches.iter().map(|event| event.name()).collect();
            format!("watches {}", names.join(", "))
        }
        Fate::OtherTool { watches } => format!("not about {tool}: watches {}", cut(&watches.join(", "))),
        Fate::ExceptedTool => format!("not about {tool}, which it excepts"),
        Fate::SaidBefore { trigger } => format!("trigger {trigger} would be violated, but the same was said before"),
        Fate::Disabled => "switched off in this session".to_owned(),
        Fate::OtherProfile { acts } => {
            let names: Vec<&str> = acts.iter().map(|profile| profile.name()).collect();
            format!("acts in the profile {}", names.join(", "))
        }
        Fate::OtherAgent { acts } => format!("acts for {}", acts.join(", ")),
        Fate::Passed => String::new(),
        Fate::Overridden => format!("its block was overridden; the counter stays {}", behavior.after.counter),
        Fate::Violated { trigger, level, threshold, why } => {
            let next =
                threshold.map_or_else(|| "no threshold above".to_owned(), |after| format!("next threshold {after}"));
            let why = match why {
                Why::Default => format!("{level} is its default"),
                Why::Threshold(after) => format!("{level} from {after} on"),
                Why::Before => format!("{level} was reached before and never falls"),
            };
            let (before, after) = (behavior.before.counter, behavior.after.counter);
            let after = if watched.remembered { after } else { 1 };
            format!("by trigger {trigger}: counter {before} -> {after}, {why}, {next}")
        }
    }
}

/// An excerpt on one line, and where its mark stands: characters before it, and its length.
fn shown(excerpt: &Excerpt) -> (String, Option<(usize, usize)>) {
    let before = if excerpt.cut_before { "…" } else { "" };
    let after = if excerpt.cut_after { "…" } else { "" };
    let mark = excerpt.marked.as_ref().map(|marked| {
        let count = |text: Option<&str>| text.map_or(0, |text| one_line(text).chars().count());
        let start = count(excerpt.text.get(..marked.start)) + before.chars().count();
        (start, count(excerpt.text.get(marked.clone())))
    });
    (format!("{before}{}{after}", one_line(&excerpt.text)), mark)
}

/// A text without line breaks and other controls, which would break the picture or the terminal.
fn one_line(text: &str) -> String {
    let mut line = String::with_capacity(text.len());
    for letter in text.chars() {
        match letter {
            '\n' => line.push_str("\\n"),
            '\t' => line.push_str("\\t"),
            '\r' => line.push_str("\\r"),
            letter if letter.is_control() => line.extend(letter.escape_default()),
            letter => line.push(letter),
        }
    }
    line
}

fn cut(text: &str) -> String {
    if text.chars().count() <= PATTERN {
        return text.to_owned();
    }
    let mut cut: String = text.chars().take(PATTERN - 1).collect();
    cut.push('…');
    cut
}

fn line(number: u32) -> String {
    if number == 0 { String::new() } else { format!(", line {number}") }
}

fn listed(names: &[String]) -> String {
    if names.is_empty() { "none".to_owned() } else { names.join(", ") }
}
