//! Program -> assembler text, of which `assemble` makes the same program again. Complete where `listing` is readable.
//! Uses the operands' own printing; any program can be printed, a broken one too.
//!
//! An automaton is not spelled out: it follows from its pattern, and the word `automaton` says that there is one.

use super::op::Op;
use super::operand::{Names, PatternId, Target, TextId};
use super::printable::is_deceptive;
use super::program::{Block, Dispatch, PatternConst, Program, Routine, SourcePlace, Speech, SpeechPiece};
use crate::model::{Settings, Signal, SignalSet};
use std::collections::BTreeMap;
use std::fmt::Write;

/// The program as assembler text.
#[must_use]
pub fn print(program: &Program<'_>) -> String {
    let mut text = String::new();
    // Writing to a String cannot fail.
    let _ = write_program(&mut text, program);
    text
}

fn write_program(text: &mut String, program: &Program<'_>) -> std::fmt::Result {
    writeln!(text, "sources {}", hexadecimal(&program.sources))?;
    let Settings { overrides, on_error, spend_cap } = program.settings;
    let cap = spend_cap.map_or_else(String::new, |cap| format!(" {cap}"));
    writeln!(text, "settings {overrides} {on_error}{cap}")?;
    write_signals(text, "watches", program.watches)?;
    for file in &program.files {
        writeln!(text, "file {}", quoted(file))?;
    }
    for block in &program.blocks {
        write_block(text, block)?;
    }
    for table in &program.dispatch {
        write_dispatch(text, table)?;
    }
    Ok(())
}

fn write_block(text: &mut String, block: &Block<'_>) -> std::fmt::Result {
    let (id, name) = (quoted(&block.id), quoted(&block.name));
    writeln!(text, "\nblock {} {id} {name} {} {}", block.index, block.default_level, place(block.place))?;
    for step in &block.escalation {
        writeln!(text, "  threshold {} {}", step.after, step.level)?;
    }
    write_signals(text, "  resets", block.resets)?;
    if let Some(subject) = block.once_per {
        writeln!(text, "  once-per {}", subject.name())?;
    }
    if block.ends_turn {
        writeln!(text, "  ends-turn")?;
    }
    write_speech(text, &block.speech)?;
    for (constant, number) in block.texts.iter().zip(0..) {
        writeln!(text, "  text {} ; t{number}", quoted(constant))?;
    }
    for (pattern, number) in block.patterns.iter().zip(0..) {
        writeln!(text, "  pattern {} ; p{number}", pattern_words(pattern))?;
    }
    block.routines.iter().try_for_each(|routine| write_routine(text, routine))
}

fn write_signals(text: &mut String, word: &str, signals: SignalSet) -> std::fmt::Result {
    if signals.is_empty() {
        return Ok(());
    }
    let names: Vec<_> = signals.iter().map(Signal::name).collect();
    writeln!(text, "{word} {}", names.join(" "))
}

fn write_speech(text: &mut String, speech: &Speech<'_>) -> std::fmt::Result {
    writeln!(text, "  hint {}", quoted(&speech.hint))?;
    for (word, said) in [("suggested-tool", &speech.suggested_tool), ("suggested-action", &speech.suggested_action)] {
        if let Some(said) = said {
            writeln!(text, "  {word} {}", quoted(said))?;
        }
    }
    let templates = [
        ("nudge", &speech.nudge),
        ("warning", &speech.warning),
        ("block-reason", &speech.block_reason),
        ("override-prompt", &speech.override_prompt),
    ];
    for (word, template) in templates {
        let Some(pieces) = template else { continue };
        write!(text, "  {word}")?;
        for piece in pieces {
            match piece {
                SpeechPiece::Text(said) => write!(text, " {}", quoted(said))?,
                SpeechPiece::Variable(variable) => write!(text, " {{{variable}}}")?,
            }
        }
        writeln!(text)?;
    }
    Ok(())
}

fn write_routine(text: &mut String, routine: &Routine<'_>) -> std::fmt::Result {
    writeln!(text, "  routine {}", routine.event)?;
    let labels = Labels::of(routine);
    let mut places = routine.places.iter().peekable();
    let mut offset = 0;
    while offset < routine.code.len() {
        while let Some(here) = places.next_if(|place| place.offset as usize == offset) {
            writeln!(text, "    at {} {}", here.trigger, place(here.place))?;
        }
        if let Some(label) = u32::try_from(offset).ok().and_then(|offset| labels.0.get(&offset)) {
            writeln!(text, "  {label}:")?;
        }
        let Some((op, next)) = Op::decode(&routine.code, offset) else {
            writeln!(text, "    bytes {}", hexadecimal(routine.code.get(offset..).unwrap_or_default()))?;
            break;
        };
        let words = op.print(&labels).join(" ");
        writeln!(text, "{}", format!("    {} {words}", op.row().mnemonic).trim_end())?;
        offset = next;
    }
    for elsewhere in places {
        writeln!(text, "    at {} {} @{}", elsewhere.trigger, place(elsewhere.place), elsewhere.offset)?;
    }
    Ok(())
}

fn write_dispatch(text: &mut String, table: &Dispatch<'_>) -> std::fmt::Result {
    writeln!(text, "\ndispatch {}", table.event)?;
    for row in &table.tools {
        let blocks: String = row.blocks.iter().map(|index| format!(" {index}")).collect();
        writeln!(text, "  tool {}{blocks}", quoted(&row.tool))?;
    }
    for row in &table.others {
        writeln!(text, "  other {}", row.block)?;
        for guard in &row.guards {
            writeln!(text, "    guard {}", pattern_words(guard))?;
        }
    }
    Ok(())
}

fn pattern_words(pattern: &PatternConst<'_>) -> String {
    let mut words = vec![quoted(&pattern.source), quoted(&pattern.normal)];
    words.extend(pattern.literals.iter().map(|literal| quoted(literal)));
    words.extend(pattern.fold.then(|| "folded".to_owned()));
    words.extend((!pattern.automaton.is_empty()).then(|| "automaton".to_owned()));
    words.join(" ")
}

fn place(place: SourcePlace) -> String {
    format!("{}:{}:{}", place.file, place.line, place.column)
}

fn hexadecimal(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

/// In quotes, on one line, and showing every character that a screen would not.
fn quoted(text: &str) -> String {
    let mut quoted = String::from("\"");
    for char in text.chars() {
        match char {
            '"' | '\\' | '\n' | '\r' | '\t' => quoted.extend(char.escape_default()),
            _ if is_deceptive(char) => {
                quoted.extend(char.escape_unicode());
            }
            _ => quoted.push(char),
        }
    }
    quoted.push('"');
    quoted
}

/// Labels for the instructions that are jumped to, numbered from the front.
struct Labels(BTreeMap<u32, String>);

impl Labels {
    fn of(routine: &Routine<'_>) -> Self {
        let (mut starts, mut targets) = (Vec::new(), BTreeMap::new());
        let mut offset = 0;
        while let Some((op, next)) = Op::decode(&routine.code, offset) {
            starts.extend(u32::try_from(offset));
            if let Some(target) = op.target() {
                targets.insert(target.0, String::new());
            }
            offset = next;
        }
        targets.retain(|target, _| starts.binary_search(target).is_ok());
        for (label, number) in targets.values_mut().zip(1..) {
            *label = format!("L{number}");
        }
        Self(targets)
    }
}

impl Names for Labels {
    fn text(&self, id: TextId) -> String {
        format!("t{}", id.0)
    }
    fn pattern(&self, id: PatternId) -> String {
        format!("p{}", id.0)
    }
    fn label(&self, target: Target) -> String {
        self.0.get(&target.0).cloned().unwrap_or_else(|| format!("@{}", target.0))
    }
}
