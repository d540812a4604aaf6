//! Assembler text -> Program: the reverse of `assembly`, and how tests write programs no compiler would make.
//! Uses pest for `grammar/asm.pest`; checks that words mean something, never that the program makes sense: that is
//! the verifier's.

mod arguments;
mod code;

use super::program::{
    Block, CodePlace, Dispatch, OtherRow, PatternConst, Program, Routine, SourcePlace, Speech, Threshold, ToolRow,
};
use crate::model::{Event, Level, OnError, OverrideMode, Settings, Signal, SignalSet, Subject};
use arguments::{Argument, Arguments, at_sign, bytes, number, place, sources};
use code::CodeLine;
use grammar::{Grammar, Rule};
use pest::Parser;
use pest::iterators::Pair;
use std::borrow::Cow;
use std::fmt;

/// Text that is no program.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AssemblyError {
    /// In which line, from 1.
    pub line: usize,
    /// What is wrong there.
    pub what: String,
}

impl fmt::Display for AssemblyError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "line {}: {}", self.line, self.what)
    }
}

impl std::error::Error for AssemblyError {}

type Result<T> = std::result::Result<T, AssemblyError>;

mod grammar {
    #![allow(missing_docs, reason = "pest derives the rules from grammar/asm.pest, which documents them")]

    #[derive(pest_derive::Parser)]
    #[grammar = "grammar/asm.pest"]
    pub(super) struct Grammar;
}

/// The program a text means. `automaton` makes the automaton of a pattern, given with every choice spelled out.
///
/// # Errors
/// When a line is not of the language; the first such line.
pub fn assemble(text: &str, automaton: &mut dyn FnMut(&str) -> Vec<u8>) -> Result<Program<'static>> {
    let file = Grammar::parse(Rule::file, text).map_err(|error| AssemblyError {
        line: match error.line_col {
            pest::error::LineColLocation::Pos((line, _)) | pest::error::LineColLocation::Span((line, _), _) => line,
        },
        what: "this is no statement".to_owned(),
    })?;
    let mut assembler = Assembler { program: empty(), code: Vec::new(), automaton, in_dispatch: false };
    for pair in file.flatten().filter(|pair| matches!(pair.as_rule(), Rule::statement | Rule::label)) {
        let line = pair.line_col().0;
        assembler.line(pair, line).map_err(|what| AssemblyError { line, what })?;
    }
    assembler.end_routine()?;
    Ok(assembler.program)
}

fn empty() -> Program<'static> {
    Program {
        sources: [0; 32],
        settings: Settings::default(),
        watches: SignalSet::default(),
        files: vec![],
        blocks: vec![],
        dispatch: vec![],
    }
}

/// What is wrong with a line, in words.
type Wrong<T> = std::result::Result<T, String>;

struct Assembler<'f> {
    program: Program<'static>,
    /// The lines of the routine that is being read.
    code: Vec<CodeLine>,
    automaton: &'f mut dyn FnMut(&str) -> Vec<u8>,
    in_dispatch: bool,
}

impl Assembler<'_> {
    fn line(&mut self, pair: Pair<'_, Rule>, line: usize) -> Wrong<()> {
        let is_label = pair.as_rule() == Rule::label;
        let mut parts = pair.into_inner();
        let first = parts.next().map_or("", |name| name.as_str());
        if is_label {
            self.routine()?;
            self.code.push(CodeLine::Label(first.to_owned()));
            return Ok(());
        }
        let mut arguments = Arguments::of_statement(parts)?;
        if matches!(first, "block" | "dispatch" | "routine") {
            self.end_routine().map_err(|error| error.to_string())?;
        }
        match first {
            "sources" => self.program.sources = sources(&arguments.word()?)?,
            "settings" => {
                let overrides = arguments.of("way to override", OverrideMode::from_name)?;
                let on_error = arguments.of("answer to errors", OnError::from_name)?;
                let spend_cap = arguments.optional_word().map(|word| number(&word)).transpose()?;
                self.program.settings = Settings { overrides, on_error, spend_cap };
            }
            "watches" => self.program.watches = signals(&mut arguments)?,
            "file" => self.program.files.push(arguments.text()?),
            "block" => self.begin_block(&mut arguments)?,
            "dispatch" => {
                let event = arguments.of("event", Event::from_name)?;
                self.program.dispatch.push(Dispatch { event, tools: vec![], others: vec![] });
                self.in_dispatch = true;
            }
            "tool" | "other" | "guard" => self.dispatch_line(first, &mut arguments)?,
            "threshold" => {
                let (after, level) = (arguments.number()?, arguments.of("level", Level::from_name)?);
                self.block()?.escalation.push(Threshold { after, level });
            }
            "resets" => self.block()?.resets = signals(&mut arguments)?,
            "once-per" => self.block()?.once_per = Some(arguments.of("subject", Subject::from_name)?),
            "ends-turn" => self.block()?.ends_turn = true,
            "text" => {
                let text = arguments.text()?;
                self.block()?.texts.push(text);
            }
            "pattern" => {
                let pattern = self.pattern(&mut arguments)?;
                self.block()?.patterns.push(pattern);
            }
            "routine" => {
                let event = arguments.of("event", Event::from_name)?;
                self.block()?.routines.push(Routine { event, code: Cow::Borrowed(&[]), places: vec![] });
            }
            "hint" | "suggested-tool" | "suggested-action" | "nudge" | "warning" | "block-reason"
            | "override-prompt" => speech(&mut self.block()?.speech, first, &mut arguments)?,
            _ => self.code_line(first, line, &mut arguments)?,
        }
        arguments.done()
    }

    fn begin_block(&mut self, arguments: &mut Arguments) -> Wrong<()> {
        self.in_dispatch = false;
        self.program.blocks.push(Block {
            index: arguments.number()?,
            id: arguments.text()?,
            name: arguments.text()?,
            default_level: arguments.of("level", Level::from_name)?,
            place: arguments.optional_word().map_or(Ok(SourcePlace::default()), |word| place(&word))?,
            escalation: vec![],
            resets: SignalSet::default(),
            once_per: None,
            ends_turn: false,
            speech: Speech::default(),
            texts: vec![],
            patterns: vec![],
            routines: vec![],
        });
        Ok(())
    }

    fn dispatch_line(&mut self, first: &str, arguments: &mut Arguments) -> Wrong<()> {
        let guard = (first == "guard").then(|| self.pattern(arguments)).transpose()?;
        let table = self.program.dispatch.last_mut().filter(|_| self.in_dispatch);
        let table = table.ok_or("this belongs below a `dispatch`")?;
        match guard {
            Some(guard) => table.others.last_mut().ok_or("a guard belongs below an `other`")?.guards.push(guard),
            None if first == "tool" => {
                let tool = arguments.text()?;
                let mut blocks = Vec::new();
                while let Some(word) = arguments.optional_word() {
                    blocks.push(number(&word)?);
                }
                table.tools.push(ToolRow { tool, blocks });
            }
            None => table.others.push(OtherRow { block: arguments.number()?, guards: vec![] }),
        }
        Ok(())
    }

    /// An instruction, or a statement about code.
    fn code_line(&mut self, first: &str, line: usize, arguments: &mut Arguments) -> Wrong<()> {
        self.routine()?;
        self.code.push(match first {
            "at" => {
                let (trigger, place) = (arguments.number()?, place(&arguments.word()?)?);
                let offset = arguments.optional_word().map(|word| at_sign(&word)).transpose()?;
                let place = CodePlace { offset: offset.unwrap_or_default(), trigger, place };
                CodeLine::At { place, here: offset.is_none() }
            }
            "bytes" => CodeLine::Bytes(bytes(&arguments.word()?)?),
            _ => {
                let mut words = Vec::new();
                while let Some(word) = arguments.optional_word() {
                    words.push(word);
                }
                CodeLine::Instruction { line, mnemonic: first.to_owned(), words }
            }
        });
        Ok(())
    }

    /// Turns the lines of the routine into its code.
    fn end_routine(&mut self) -> Result<()> {
        let lines = std::mem::take(&mut self.code);
        let Some(routine) = self.program.blocks.last_mut().and_then(|block| block.routines.last_mut()) else {
            return Ok(());
        };
        if lines.is_empty() {
            return Ok(());
        }
        let (code, places) = code::assemble(&lines)?;
        (routine.code, routine.places) = (Cow::Owned(code), places);
        Ok(())
    }

    fn block(&mut self) -> Wrong<&mut Block<'static>> {
        let block = self.program.blocks.last_mut().filter(|_| !self.in_dispatch);
        block.ok_or_else(|| "this belongs below a `block`".to_owned())
    }

    fn routine(&mut self) -> Wrong<()> {
        match self.block()?.routines.last() {
            Some(_) => Ok(()),
            None => Err("there is no such statement outside of a `routine`".to_owned()),
        }
    }

    fn pattern(&mut self, arguments: &mut Arguments) -> Wrong<PatternConst<'static>> {
        let (source, normal) = (arguments.text()?, arguments.text()?);
        let mut pattern = PatternConst { source, normal, literals: vec![], fold: false, automaton: Cow::default() };
        for argument in arguments.rest() {
            match argument {
                Argument::Text(literal) => pattern.literals.push(literal.into()),
                Argument::Word(word) if word == "folded" => pattern.fold = true,
                Argument::Word(word) if word == "automaton" => {
                    pattern.automaton = (self.automaton)(&pattern.normal).into();
                }
                Argument::Word(word) | Argument::Variable(word) => {
                    return Err(format!("`{word}` says nothing about a pattern"));
                }
            }
        }
        Ok(pattern)
    }
}

fn signals(arguments: &mut Arguments) -> Wrong<SignalSet> {
    let mut signals = Vec::new();
    while let Some(word) = arguments.optional_word() {
        signals.push(Signal::from_name(&word).ok_or_else(|| format!("`{word}` is no signal"))?);
    }
    Ok(signals.into_iter().collect())
}

fn speech(speech: &mut Speech<'static>, first: &str, arguments: &mut Arguments) -> Wrong<()> {
    match first {
        "hint" => speech.hint = arguments.text()?,
        "suggested-tool" => speech.suggested_tool = Some(arguments.text()?),
        "suggested-action" => speech.suggested_action = Some(arguments.text()?),
        "nudge" => speech.nudge = Some(arguments.pieces()?),
        "warning" => speech.warning = Some(arguments.pieces()?),
        "block-reason" => speech.block_reason = Some(arguments.pieces()?),
        _ => speech.override_prompt = Some(arguments.pieces()?),
    }
    Ok(())
}
