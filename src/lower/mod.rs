//! Checked -> Program. One function per node of the model; nothing is decided here but how to say it in the machine's
//! words. Uses `model`, `validate::Checked`, `bytecode` and `limits`.

mod automata;
mod code;
mod dispatch;
mod graph;
mod hasty;
mod literals;
mod pools;
mod table;

use crate::bytecode::program::{Block, Program, Routine, SourcePlace, Speech, SpeechPiece, Threshold};
use crate::limits;
use crate::model::{
    Behavior, Condition, Event, Matcher, Pattern, Piece, Place, SignalSet, Subject, Template, Test, TextTest,
};
use crate::validate::Checked;
use automata::Automata;
use pools::Pools;
use std::borrow::Cow;
use std::fmt;

/// A program, and what its author may want to know about it.
#[derive(Clone, Debug, PartialEq)]
pub struct Lowered {
    /// The program.
    pub program: Program<'static>,
    /// Patterns whose automaton would be too large: they run slower. As the authors wrote them, each once, sorted.
    pub slow_patterns: Vec<String>,
}

/// Why a catalogue that makes sense cannot become a program: some part of it is larger than the format allows.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TooLarge {
    /// The behavior's id.
    pub behavior: String,
    /// Where the behavior stands.
    pub place: Place,
    /// What there is too much of.
    pub what: Excess,
}

/// What there can be too much of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Excess {
    /// Different texts in one behavior: more than an instruction can number.
    Texts,
    /// Different patterns in one behavior: more than an instruction can number.
    Patterns,
    /// Triggers in one behavior: more than an instruction can number.
    Triggers,
    /// Code of one behavior for one event, `limits::CODE_BYTES`.
    Code,
    /// Behaviors, `limits::BEHAVIORS`.
    Behaviors,
}

impl fmt::Display for TooLarge {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let numbered = usize::from(u16::MAX) + 1;
        let (what, most) = match self.what {
            Excess::Texts => ("different texts in one behavior", numbered),
            Excess::Patterns => ("different patterns in one behavior", numbered),
            Excess::Triggers => ("triggers in one behavior", numbered),
            Excess::Code => ("bytes of code for one event", limits::CODE_BYTES),
            Excess::Behaviors => ("behaviors in one catalogue", limits::BEHAVIORS),
        };
        write!(f, "`{}` needs more than {most} {what}; split it", self.behavior)
    }
}

impl std::error::Error for TooLarge {}

/// Lowers a catalogue. `sources` is the digest of what it was read from.
///
/// # Errors
/// When a behavior is larger than the format allows.
pub fn lower(checked: &Checked, sources: [u8; 32]) -> Result<Lowered, TooLarge> {
    let behaviors: Vec<&Behavior> = checked.enabled().collect();
    let mut automata = Automata::of(behaviors.iter().flat_map(|behavior| patterns(behavior)).collect());
    let mut blocks = Vec::with_capacity(behaviors.len());
    for behavior in &behaviors {
        let index = position(&blocks);
        blocks.push(block(behavior, index, &mut automata).map_err(|what| TooLarge {
            behavior: behavior.id.value.clone(),
            place: behavior.id.place,
            what,
        })?);
    }
    let dispatch = dispatch::tables(&behaviors, &mut automata);
    let program = Program {
        sources,
        settings: checked.settings(),
        watches: behaviors.iter().map(|behavior| watches(behavior)).fold(SignalSet::default(), SignalSet::union),
        files: checked.files().iter().cloned().map(Cow::Owned).collect(),
        blocks,
        dispatch,
    };
    Ok(Lowered { program, slow_patterns: automata.slow_patterns() })
}

fn block(behavior: &Behavior, index: u32, automata: &mut Automata) -> Result<Block<'static>, Excess> {
    if usize::try_from(index).is_ok_and(|index| index >= limits::BEHAVIORS) {
        return Err(Excess::Behaviors);
    }
    let mut pools = Pools::new(automata);
    let routines = routines(behavior, &mut pools)?;
    let (texts, patterns) = pools.finish();
    Ok(Block {
        index,
        id: owned(&behavior.id.value),
        name: owned(&behavior.name),
        place: source_place(behavior.id.place),
        default_level: behavior.enforcement.default_level,
        escalation: behavior
            .enforcement
            .escalation
            .iter()
            .map(|step| Threshold { after: step.after, level: step.level })
            .collect(),
        resets: behavior.enforcement.resets,
        once_per: behavior.enforcement.once_per,
        ends_turn: behavior.enforcement.ends_turn,
        speech: speech(behavior),
        texts,
        patterns,
        routines,
    })
}

/// One routine per event the behavior watches, in the order of `Event`.
fn routines(behavior: &Behavior, pools: &mut Pools<'_>) -> Result<Vec<Routine<'static>>, Excess> {
    let watched = Event::ALL.iter().filter(|event| behavior.triggers.iter().any(|trigger| trigger.event == **event));
    watched.map(|event| code::routine(behavior, *event, pools)).collect()
}

/// The patterns a behavior uses, wherever.
fn patterns(behavior: &Behavior) -> Vec<&Pattern> {
    let mut found = Vec::new();
    for trigger in &behavior.triggers {
        if let Matcher::Pattern(pattern) = &trigger.matcher {
            found.push(pattern);
        }
        for test in tests(&trigger.condition) {
            if let Test::Text { test: TextTest::Matches(pattern), .. } = test {
                found.push(pattern);
            }
        }
    }
    found
}

/// The signals from transcripts that a behavior asks for or sets back.
fn watches(behavior: &Behavior) -> SignalSet {
    let asked = behavior.triggers.iter().flat_map(|trigger| tests(&trigger.condition)).filter_map(|test| match test {
        Test::Number { signal, .. } => Some(*signal),
        Test::Text { .. } => None,
    });
    let per = behavior.enforcement.once_per.and_then(|subject| match subject {
        Subject::Number(signal) => Some(signal),
        Subject::Text(_) => None,
    });
    asked.chain(per).chain(behavior.enforcement.resets.iter()).filter(|signal| signal.is_watched()).collect()
}

/// The questions of a condition, in no order.
fn tests(condition: &Condition) -> Vec<&Test> {
    let mut found = Vec::new();
    let mut conditions = vec![condition];
    while let Some(condition) = conditions.pop() {
        match condition {
            Condition::All(parts) | Condition::Any(parts) => conditions.extend(parts),
            Condition::Not(part) => conditions.push(part),
            Condition::Test(test) => found.push(&test.value),
        }
    }
    found
}

fn speech(behavior: &Behavior) -> Speech<'static> {
    Speech {
        hint: owned(&behavior.recovery.hint),
        suggested_tool: behavior.recovery.suggested_tool.as_deref().map(owned),
        suggested_action: behavior.recovery.suggested_action.as_deref().map(owned),
        nudge: behavior.rendering.nudge.as_ref().map(pieces),
        warning: behavior.rendering.warning.as_ref().map(pieces),
        block_reason: behavior.rendering.block_reason.as_ref().map(pieces),
        override_prompt: behavior.rendering.override_prompt.as_ref().map(pieces),
    }
}

fn pieces(template: &Template) -> Vec<SpeechPiece<'static>> {
    template
        .pieces
        .iter()
        .map(|piece| match piece {
            Piece::Text(text) => SpeechPiece::Text(owned(text)),
            Piece::Variable(variable) => SpeechPiece::Variable(*variable),
        })
        .collect()
}

fn source_place(place: Place) -> SourcePlace {
    SourcePlace { file: place.file.0, line: place.line, column: place.column }
}

fn owned(text: &str) -> Cow<'static, str> {
    Cow::Owned(text.to_owned())
}

/// The number the next of these gets.
fn position<T>(items: &[T]) -> u32 {
    u32::try_from(items.len()).unwrap_or(u32::MAX)
}
