//! Assembler text -> Program: the reverse of `assembly`, and how tests write programs no compiler would make.
//! Uses pest for `grammar/asm.pest`; checks that words mean something, never that the program makes sense: that is
//! the verifier's.

use super::op::{AssemblyFault, Op};
use super::operand::{PatternId, Resolve, Target, TextId};
use super::program::{
    Block, CodePlace, Dispatch, OtherRow, PatternConst, Program, Routine, SourcePlace, Speech, SpeechPiece, Threshold,
    ToolRow,
};
use crate::model::{Event, Level, OnError, OverrideMode, Settings, Variable};
use pest::Parser;
use pest::iterators::Pair;
use std::borrow::Cow;
use std::collections::HashMap;
use std::fmt;
use std::str::FromStr;

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

use grammar::{Grammar, Rule};

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
    Program { sources: [0; 32], settings: Settings::default(), files: vec![], blocks: vec![], dispatch: vec![] }
}

/// One line of a routine.
enum CodeLine {
    Label(String),
    Instruction { line: usize, mnemonic: String, words: Vec<String> },
    Bytes(Vec<u8>),
    At { place: CodePlace, here: bool },
}

/// What a statement has after its first word.
#[derive(Debug)]
enum Argument {
    Text(String),
    Word(String),
    Variable(String),
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
        let mut arguments = Arguments(parts.map(argument).collect::<Wrong<Vec<_>>>()?.into_iter());
        if matches!(first, "block" | "dispatch" | "routine") {
            self.end_routine().map_err(|error| error.to_string())?;
        }
        match first {
            "sources" => self.program.sources = sources(&arguments.word()?)?,
            "settings" => {
                let overrides = arguments.of("way to override", OverrideMode::from_name)?;
                let on_error = arguments.of("answer to errors", OnError::from_name)?;
                self.program.settings = Settings { overrides, on_error };
            }
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

    /// Turns the lines of the routine into code: once to learn where labels are, once in earnest.
    fn end_routine(&mut self) -> Result<()> {
        let lines = std::mem::take(&mut self.code);
        let Some(routine) = self.program.blocks.last_mut().and_then(|block| block.routines.last_mut()) else {
            return Ok(());
        };
        if lines.is_empty() {
            return Ok(());
        }
        let mut labels = Labels { known: HashMap::new(), learning: true };
        encode(&lines, &mut labels)?;
        labels.learning = false;
        let (code, places) = encode(&lines, &mut labels)?;
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
        for argument in arguments.0.by_ref() {
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

/// Where the labels of a routine are; while learning, any label may come later.
struct Labels {
    known: HashMap<String, u32>,
    learning: bool,
}

impl Resolve for Labels {
    fn text(&mut self, word: &str) -> Option<TextId> {
        word.strip_prefix('t')?.parse().ok().map(TextId)
    }
    fn pattern(&mut self, word: &str) -> Option<PatternId> {
        word.strip_prefix('p')?.parse().ok().map(PatternId)
    }
    fn label(&mut self, word: &str) -> Option<Target> {
        let known = at_sign(word).ok().or(self.known.get(word).copied());
        known.or(self.learning.then_some(0)).map(Target)
    }
}

fn encode(lines: &[CodeLine], labels: &mut Labels) -> Result<(Vec<u8>, Vec<CodePlace>)> {
    let (mut code, mut places) = (Vec::new(), Vec::new());
    for line in lines {
        let offset = u32::try_from(code.len()).unwrap_or(u32::MAX);
        match line {
            CodeLine::Label(label) => {
                labels.known.insert(label.clone(), offset);
            }
            CodeLine::Bytes(bytes) => code.extend(bytes),
            CodeLine::At { place, here: true } => places.push(CodePlace { offset, ..*place }),
            CodeLine::At { place, here: false } => places.push(*place),
            CodeLine::Instruction { line, mnemonic, words } => {
                let words: Vec<&str> = words.iter().map(String::as_str).collect();
                let op = Op::parse(mnemonic, &words, labels);
                let wrong = |fault| AssemblyError { line: *line, what: explain(mnemonic, &words, &fault) };
                op.map_err(wrong)?.encode(&mut code);
            }
        }
    }
    Ok((code, places))
}

fn explain(mnemonic: &str, words: &[&str], fault: &AssemblyFault) -> String {
    match fault {
        AssemblyFault::UnknownMnemonic => format!("there is no statement or instruction `{mnemonic}`"),
        AssemblyFault::OperandCount { expected } => {
            format!("`{mnemonic}` has {expected} operands, not {}", words.len())
        }
        AssemblyFault::BadOperand { position, kind } => {
            format!("`{}` is no {} for `{mnemonic}`", words.get(*position).unwrap_or(&""), kind.name)
        }
    }
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

/// The arguments of a statement, taken one by one.
struct Arguments(std::vec::IntoIter<Argument>);

impl Arguments {
    fn text(&mut self) -> Wrong<Cow<'static, str>> {
        match self.0.next() {
            Some(Argument::Text(text)) => Ok(text.into()),
            Some(Argument::Word(word) | Argument::Variable(word)) => Err(format!("`{word}` is not in quotes")),
            None => Err("a text is missing".to_owned()),
        }
    }

    fn word(&mut self) -> Wrong<String> {
        self.optional_word().ok_or_else(|| "a word is missing".to_owned())
    }

    fn optional_word(&mut self) -> Option<String> {
        match self.0.as_slice().first()? {
            Argument::Word(word) => {
                let word = word.clone();
                self.0.next();
                Some(word)
            }
            Argument::Text(_) | Argument::Variable(_) => None,
        }
    }

    fn number(&mut self) -> Wrong<u32> {
        number(&self.word()?)
    }

    /// A word of a vocabulary.
    fn of<T>(&mut self, what: &str, meaning: fn(&str) -> Option<T>) -> Wrong<T> {
        let word = self.word()?;
        meaning(&word).ok_or_else(|| format!("`{word}` is no {what}"))
    }

    fn pieces(&mut self) -> Wrong<Vec<SpeechPiece<'static>>> {
        let piece = |argument| match argument {
            Argument::Text(text) => Ok(SpeechPiece::Text(text.into())),
            Argument::Variable(name) | Argument::Word(name) => {
                let variable = Variable::from_name(&name).map(SpeechPiece::Variable);
                variable.ok_or_else(|| format!("there is no variable `{name}`"))
            }
        };
        self.0.by_ref().map(piece).collect()
    }

    fn done(&mut self) -> Wrong<()> {
        match self.0.next() {
            None => Ok(()),
            Some(Argument::Text(more) | Argument::Word(more) | Argument::Variable(more)) => {
                Err(format!("`{more}` is one too many"))
            }
        }
    }
}

fn argument(pair: Pair<'_, Rule>) -> Wrong<Argument> {
    let inner =
        |pair: Pair<'_, Rule>| pair.into_inner().next().map_or(String::new(), |inner| inner.as_str().to_owned());
    match pair.as_rule() {
        Rule::text => unescape(&inner(pair)).map(Argument::Text),
        Rule::variable => Ok(Argument::Variable(inner(pair))),
        _ => Ok(Argument::Word(pair.as_str().to_owned())),
    }
}

/// The text behind its escapes, of which the grammar lets only these through.
fn unescape(text: &str) -> Wrong<String> {
    let mut plain = String::new();
    let mut chars = text.chars();
    while let Some(char) = chars.next() {
        plain.push(match char {
            '\\' => match chars.next() {
                Some('n') => '\n',
                Some('r') => '\r',
                Some('t') => '\t',
                Some('u') => {
                    let digits: String = chars.by_ref().skip(1).take_while(|char| *char != '}').collect();
                    let char = u32::from_str_radix(&digits, 16).ok().and_then(char::from_u32);
                    char.ok_or_else(|| format!("`{digits}` is no character"))?
                }
                Some(itself) => itself,
                None => '\\',
            },
            itself => itself,
        });
    }
    Ok(plain)
}

fn number<T: FromStr>(word: &str) -> Wrong<T> {
    word.parse().map_err(|_| format!("`{word}` is no number that fits here"))
}

fn at_sign(word: &str) -> Wrong<u32> {
    number(word.strip_prefix('@').ok_or_else(|| format!("`{word}` is no offset"))?)
}

fn place(word: &str) -> Wrong<SourcePlace> {
    let mut numbers = word.split(':').map(number);
    match (numbers.next(), numbers.next(), numbers.next(), numbers.next()) {
        (Some(file), Some(line), Some(column), None) => Ok(SourcePlace { file: file?, line: line?, column: column? }),
        _ => Err(format!("`{word}` is no place (file:line:column)")),
    }
}

fn bytes(word: &str) -> Wrong<Vec<u8>> {
    let wrong = || format!("`{word}` is not made of pairs of hexadecimal digits");
    let (pairs, []) = word.as_bytes().as_chunks::<2>() else { return Err(wrong()) };
    let byte = |pair| std::str::from_utf8(pair).ok().and_then(|pair| u8::from_str_radix(pair, 16).ok());
    pairs.iter().map(|pair| byte(pair)).collect::<Option<_>>().ok_or_else(wrong)
}

fn sources(word: &str) -> Wrong<[u8; 32]> {
    bytes(word)?.try_into().map_err(|_| "a digest has 32 bytes".to_owned())
}
