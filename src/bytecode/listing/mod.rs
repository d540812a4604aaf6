//! Program -> text for its author: the rule's name, whom it concerns, its levels, and per event the few steps in words.
//! Uses the operands' own knowledge of what they name; needs no verified program, and never fails on a broken one.

mod steps;

pub use steps::{Jump, Step, steps};

use super::op::Op;
use super::printable::is_deceptive;
use super::program::{Block, Dispatch, Program};
use crate::model::{Event, Profile, Signal};
use std::fmt::Write;
use steps::decode;

/// No line of a listing is longer, characters.
pub const WIDTH: usize = 100;

/// The whole program.
#[must_use]
pub fn program(program: &Program<'_>) -> String {
    let mut text = String::new();
    let sources: String = program.sources.iter().take(8).map(|byte| format!("{byte:02x}")).collect();
    let count = match program.blocks.len() {
        1 => "1 behavior".to_owned(),
        count => format!("{count} behaviors"),
    };
    line(&mut text, &format!("{count}, compiled from sources {sources}…"));
    let settings = program.settings;
    line(
        &mut text,
        &format!("soft blocks: {}; events that cannot be judged: {}", settings.overrides, settings.on_error),
    );
    if !program.watches.is_empty() {
        let watched: Vec<_> = program.watches.iter().collect();
        line(&mut text, &format!("reads transcripts for: {}", listed(watched, ", ")));
    }
    if let Some(cap) = settings.spend_cap {
        line(&mut text, &format!("spend cap: {} US dollars", Signal::SpendCapUsd.show(cap)));
    }
    for block in &program.blocks {
        text.push('\n');
        text.push_str(&behavior(program, block));
    }
    for table in &program.dispatch {
        text.push('\n');
        dispatch(&mut text, program, table);
    }
    text
}

/// One behavior.
#[must_use]
pub fn behavior(program: &Program<'_>, block: &Block<'_>) -> String {
    let mut text = String::new();
    line(&mut text, &format!("{}: {}", visible(&block.id), quoted(&block.name)));
    if let Some(file) = program.files.get(block.place.file as usize).filter(|_| block.place.line > 0) {
        line(&mut text, &format!("  written in  {}:{}", visible(file), block.place.line));
    }
    wrapped(&mut text, "  concerns    ", "; ", &concerns(program, block));
    escalation(&mut text, block);
    effects(&mut text, block);
    for routine in &block.routines {
        line(&mut text, &format!("  {}", routine.event));
        let steps = steps(block, routine);
        let width = steps.iter().filter(|step| step.jump.is_some()).map(|step| step.text.chars().count()).max();
        let width = width.unwrap_or(0).min(WIDTH - 34);
        for step in steps {
            let number = step.line.map_or_else(String::new, |number| number.to_string());
            let label = step.label.unwrap_or_default();
            let jump = step.jump.map_or_else(String::new, |jump| {
                format!("  {} -> {}", if jump.when { "then" } else { "else" }, jump.to)
            });
            let text_width = if jump.is_empty() { 0 } else { width };
            let shown = cut(&step.text, WIDTH - 18 - jump.chars().count());
            line(&mut text, &format!("{number:>7} | {label:<5} {shown:<text_width$}{jump}"));
        }
    }
    below(&mut text, block);
    text
}

/// What a violation does besides being counted and said.
fn effects(text: &mut String, block: &Block<'_>) {
    if let Some(subject) = block.once_per {
        line(text, &format!("  counts      once per value of {}", subject.name()));
    }
    if !block.resets.is_empty() {
        line(text, &format!("  sets back   {}", listed(block.resets.iter().collect(), ", ")));
    }
    if block.ends_turn {
        line(text, "  a block ends the turn");
    }
}

/// The constants too long for the step that uses them, as the author wrote them.
fn below(text: &mut String, block: &Block<'_>) {
    let patterns = block.patterns.iter().map(|pattern| ("pattern", &pattern.source)).enumerate();
    let texts = block.texts.iter().map(|text| ("text", text)).enumerate();
    for (number, (kind, constant)) in patterns.chain(texts).filter(|(_, (_, constant))| is_long(constant)) {
        line(text, &format!("  {kind} {number}"));
        for written in constant.lines() {
            let mut rest = visible(written);
            while rest.chars().count() > WIDTH - 4 {
                let next = rest.split_off(line_end(&rest, WIDTH - 4));
                line(text, &format!("    {rest}"));
                rest = next;
            }
            line(text, &format!("    {rest}"));
        }
    }
}

/// Where to break a line that is longer than so many characters: behind its last space, if that is not too far to the
/// front.
fn line_end(text: &str, most: usize) -> usize {
    let fits = || text.char_indices().take(most);
    let space = fits().skip(most / 2).filter(|(_, char)| *char == ' ').last();
    space.or_else(|| fits().last()).map_or(text.len(), |(at, char)| at + char.len_utf8())
}

/// Whether a constant is shown below the steps instead of in one.
fn is_long(constant: &str) -> bool {
    constant.contains('\n') || constant.chars().count() > WIDTH / 2
}

/// `applies_to` and the matchers in words: what the dispatch tables and the code let through.
fn concerns(program: &Program<'_>, block: &Block<'_>) -> Vec<String> {
    let tables = || program.dispatch.iter().filter(|table| table.event.has_tool());
    let rows = tables().flat_map(|table| &table.tools).filter(|row| row.blocks.binary_search(&block.index).is_ok());
    let mut tools: Vec<String> = rows.map(|row| visible(&row.tool)).collect();
    let mut others = tables().flat_map(|table| &table.others).filter(|row| row.block == block.index).peekable();
    let mut parts = vec![agents(block), profiles(block)];
    if others.clone().any(|row| row.guards.is_empty()) {
        parts.insert(0, "any tool".to_owned());
    } else if !tools.is_empty() || others.peek().is_some() {
        tools.sort_unstable();
        tools.extend(others.flat_map(|row| &row.guards).map(|guard| format!("/{}/", visible(&guard.source))));
        tools.dedup();
        parts.insert(0, format!("tools {}", tools.join(", ")));
    }
    parts
}

fn agents(block: &Block<'_>) -> String {
    let mut agents = Vec::new();
    for op in block.routines.iter().flat_map(decode).filter_map(|(_, op)| op) {
        if let Op::AgentIs { agent } = op
            && let Some(name) = block.texts.get(usize::from(agent.0))
            && !agents.contains(name)
        {
            agents.push(name.clone());
        }
    }
    if agents.is_empty() { "any agent".to_owned() } else { format!("agents {}", visible(&agents.join(", "))) }
}

fn profiles(block: &Block<'_>) -> String {
    let asked = block.routines.iter().flat_map(decode).find_map(|(_, op)| match op {
        Some(Op::ProfileIn { profiles }) => Some(profiles),
        Some(_) | None => None,
    });
    asked.map_or_else(
        || "any profile".to_owned(),
        |asked| {
            let active: Vec<_> = Profile::ALL.iter().filter(|profile| asked.contains(**profile)).collect();
            format!("profiles {}", listed(active, ", "))
        },
    )
}

/// The escalation as a table: from how many violations on, which level.
fn escalation(text: &mut String, block: &Block<'_>) {
    let first = ("from 0".to_owned(), block.default_level);
    let steps = block.escalation.iter().map(|step| (step.after.to_string(), step.level));
    let (mut counts, mut levels) = (String::new(), String::new());
    for (count, level) in std::iter::once(first).chain(steps) {
        let width = count.len().max(level.name().len());
        if counts.len() + width > WIDTH - 14 {
            line(text, &format!("  violations{counts}"));
            line(text, &format!("  level     {levels}"));
            (counts, levels) = (String::new(), String::new());
        }
        // Writing to a String cannot fail.
        let _ = write!(counts, "  {count:<width$}");
        let _ = write!(levels, "  {level:<width$}");
    }
    line(text, &format!("  violations{counts}"));
    line(text, &format!("  level     {levels}"));
}

fn dispatch(text: &mut String, program: &Program<'_>, table: &Dispatch<'_>) {
    line(text, &format!("{} is of concern to", table.event));
    let name = |index: u32| {
        let position = program.blocks.binary_search_by_key(&index, |block| block.index).ok();
        position
            .and_then(|position| program.blocks.get(position))
            .map_or_else(|| format!("block {index}?"), |block| block.id.to_string())
    };
    for row in &table.tools {
        let names: Vec<_> = row.blocks.iter().map(|index| name(*index)).collect();
        wrapped(text, &format!("  {:<16} ", visible(&row.tool)), ", ", &names);
    }
    for row in &table.others {
        let who = match (table.event, row.guards.is_empty()) {
            (Event::UserPromptSubmit | Event::Stop, _) => "always".to_owned(),
            (Event::PreToolUse | Event::PostToolUse, true) => "any other tool".to_owned(),
            (Event::PreToolUse | Event::PostToolUse, false) => {
                let guards: Vec<_> = row.guards.iter().map(|guard| visible(&guard.source)).collect();
                format!("other /{}/", guards.join("/, /"))
            }
        };
        line(text, &format!("  {who:<16} {}", name(row.block)));
    }
}

/// Several parts in as many lines as they need, below each other.
fn wrapped(text: &mut String, head: &str, between: &str, parts: &[String]) {
    let indent = head.chars().count();
    let (mut written, mut is_empty) = (head.to_owned(), true);
    for (part, number) in parts.iter().zip(1..) {
        let end = if number < parts.len() { between } else { "" };
        if !is_empty && written.chars().count() + part.chars().count() + end.len() > WIDTH {
            line(text, &written);
            written = " ".repeat(indent);
        }
        written.push_str(part);
        written.push_str(end);
        is_empty = false;
    }
    line(text, if parts.is_empty() { format!("{head}none") } else { written }.as_str());
}

fn listed<T: ToString>(parts: Vec<T>, between: &str) -> String {
    if parts.is_empty() {
        return "none".to_owned();
    }
    parts.iter().map(ToString::to_string).collect::<Vec<_>>().join(between)
}

fn line(text: &mut String, line: &str) {
    text.push_str(cut(line, WIDTH).trim_end());
    text.push('\n');
}

/// At most so many characters, the last one a sign that more was there.
fn cut(text: &str, most: usize) -> String {
    if text.chars().count() <= most {
        return text.to_owned();
    }
    text.chars().take(most.saturating_sub(1)).chain(['…']).collect()
}

fn quoted(text: &str) -> String {
    format!("\"{}\"", visible(text).replace('"', "\\\""))
}

/// Without line breaks and other characters that would act on a terminal.
fn visible(text: &str) -> String {
    text.chars()
        .flat_map(|char| if is_deceptive(char) { char.escape_default().collect() } else { vec![char] })
        .collect()
}
