//! The words of one violation: the author's template where there is one, forge's own sentence otherwise.
//! The sentences state facts; what the agent is told to do is the author's hint and nothing else.

use super::Context;
use crate::bytecode::program::{Block, SpeechPiece};
use crate::limits;
use crate::model::{Event, Level, OverridePolicy, Signal, Variable, Verdict};
use crate::shell::Shell;

/// One line. Forge's own is cut inside the hint, so that the count at its end survives.
pub(super) fn nudge(block: &Block<'_>, verdict: &Verdict, context: Context<'_>) -> String {
    if let Some(template) = &block.speech.nudge {
        return fill(template, block, verdict, context);
    }
    let tail = format!(" (violation {}/{})", verdict.counter, threshold(verdict));
    let head = format!("{}: {}", block.name, block.speech.hint).replace(['\n', '\r'], " ");
    let room = limits::NUDGE_CHARS.saturating_sub(tail.chars().count());
    format!("{}{tail}", shortened(&head, room))
}

/// Two to four lines: what happened, what was expected, what to do, what the next violation brings.
pub(super) fn warning(block: &Block<'_>, verdict: &Verdict, context: Context<'_>) -> String {
    if let Some(template) = &block.speech.warning {
        return fill(template, block, verdict, context);
    }
    let mut lines = vec![format!("**[{}]** {}: violation {} in this session.", block.id, block.name, verdict.counter)];
    lines.push(format!("Expected: {}", block.speech.hint));
    lines.extend(suggestion(block));
    lines.push(match next_level(block, verdict) {
        Level::SoftBlock | Level::HardBlock => "The next violation is refused.".to_owned(),
        level @ (Level::Silent | Level::Nudge | Level::Warning) => format!("The next violation is a {level} too."),
    });
    lines.join("\n")
}

/// Why, what instead, and whether it can be overridden.
pub(super) fn block(block: &Block<'_>, verdict: &Verdict, context: Context<'_>, remembered: bool) -> String {
    let reason = match &block.speech.block_reason {
        Some(template) => fill(template, block, verdict, context),
        None => format!("{} (violation {}).", block.name, verdict.counter),
    };
    let prefix = format!("**[{}] BLOCKED:**", block.id);
    let mut lines = vec![if reason.starts_with(&prefix) { reason } else { format!("{prefix} {reason}") }];
    match &block.speech.override_prompt {
        Some(template) => lines.push(fill(template, block, verdict, context)),
        None => {
            lines.push(block.speech.hint.to_string());
            lines.extend(suggestion(block));
        }
    }
    lines.push(way_out(verdict.level, context, remembered));
    lines.join("\n")
}

/// What can be done about a block, exactly as it is here. A block that could not be remembered cannot be recognised
/// as overridden later.
fn way_out(level: Level, context: Context<'_>, remembered: bool) -> String {
    match (level, context.overrides, context.code) {
        (Level::HardBlock, _, _) => "This restriction cannot be overridden.".to_owned(),
        _ if !context.call.event.can_be_overridden() => match context.call.event {
            Event::Stop => "This refuses the end of a turn once; the next attempt goes through.".to_owned(),
            Event::PreToolUse | Event::PostToolUse | Event::UserPromptSubmit => {
                "The tool has run; this is no refusal of it.".to_owned()
            }
        },
        (_, OverridePolicy::Ask, _) => "The user decides whether this call runs.".to_owned(),
        (_, OverridePolicy::Retry { window }, _) if remembered => {
            format!("The identical call within {window} seconds counts as an override and is recorded.")
        }
        (_, OverridePolicy::Deny { .. }, Some(code)) if remembered => {
            format!("A person can override this at a terminal: forge allow {code}")
        }
        (_, OverridePolicy::Retry { .. } | OverridePolicy::Deny { .. }, _) => {
            "It cannot be overridden now, because the session's state could not be used.".to_owned()
        }
    }
}

fn suggestion(block: &Block<'_>) -> Option<String> {
    match (&block.speech.suggested_tool, &block.speech.suggested_action) {
        (Some(tool), Some(action)) => Some(format!("Suggested: {tool}: {action}")),
        (Some(one), None) | (None, Some(one)) => Some(format!("Suggested: {one}")),
        (None, None) => None,
    }
}

/// The level one more violation would have.
fn next_level(block: &Block<'_>, verdict: &Verdict) -> Level {
    let reached = block.escalation.iter().rev().find(|step| u64::from(step.after) <= verdict.counter.saturating_add(1));
    reached.map_or(block.default_level, |step| step.level).max(verdict.level)
}

fn threshold(verdict: &Verdict) -> String {
    verdict.threshold.map_or_else(|| "max".to_owned(), |after| after.to_string())
}

fn fill(template: &[SpeechPiece<'_>], block: &Block<'_>, verdict: &Verdict, context: Context<'_>) -> String {
    let mut text = String::new();
    for piece in template {
        // A template of nothing but names of names could fill any memory.
        if text.len() > limits::SPEECH_BYTES {
            text.push('…');
            break;
        }
        match piece {
            SpeechPiece::Text(said) => text.push_str(said),
            SpeechPiece::Variable(Variable::BehaviorName) => text.push_str(&block.name),
            SpeechPiece::Variable(Variable::BehaviorId) => text.push_str(&block.id),
            SpeechPiece::Variable(Variable::Counter) => text.push_str(&verdict.counter.to_string()),
            SpeechPiece::Variable(Variable::ToolName) => text.push_str(tool(context)),
            SpeechPiece::Variable(Variable::Level) => text.push_str(verdict.level.name()),
            SpeechPiece::Variable(Variable::SessionId) => text.push_str(context.session),
            SpeechPiece::Variable(Variable::Repeats) => text.push_str(&signal(context, Signal::Repeats)),
            SpeechPiece::Variable(Variable::Alternations) => text.push_str(&signal(context, Signal::Alternations)),
            SpeechPiece::Variable(Variable::Rounds) => {
                let rounds = context.signals.get(Signal::Repeats).max(context.signals.get(Signal::Alternations));
                text.push_str(&rounds.to_string());
            }
            SpeechPiece::Variable(Variable::Root) => text.push_str(context.root),
            SpeechPiece::Variable(Variable::RootWord) => text.push_str(&Shell::NATIVE.word(context.root)),
            SpeechPiece::Variable(Variable::SessionWord) => text.push_str(&Shell::NATIVE.word(context.session)),
            SpeechPiece::Variable(Variable::FailureStreak) => text.push_str(&signal(context, Signal::FailureStreak)),
            SpeechPiece::Variable(Variable::SpendUsd) => text.push_str(&signal(context, Signal::SpendUsd)),
            SpeechPiece::Variable(Variable::SpendCapUsd) => text.push_str(&signal(context, Signal::SpendCapUsd)),
            SpeechPiece::Variable(Variable::Threshold) => text.push_str(&threshold(verdict)),
        }
    }
    text
}

/// A number as people write it; money to the cent, rounded down, so that nothing below a cap reads as the cap.
fn signal(context: Context<'_>, signal: Signal) -> String {
    let value = context.signals.get(signal);
    if signal.is_decimal() {
        format!("${}.{:02}", value / Signal::ONE, value % Signal::ONE / (Signal::ONE / 100))
    } else {
        value.to_string()
    }
}

/// Events without a tool are called by their own name.
fn tool<'a>(context: Context<'a>) -> &'a str {
    if context.call.tool.is_empty() { context.call.event.name() } else { &context.call.tool }
}

fn shortened(text: &str, room: usize) -> String {
    if text.chars().count() <= room {
        return text.to_owned();
    }
    let mut cut: String = text.chars().take(room.saturating_sub(1)).collect();
    cut.push('…');
    cut
}
