//! The words behind the first one of a statement: texts, numbers, words of vocabularies, places.
//! Uses the grammar's pairs and `model`; knows no statement.

use super::Wrong;
use super::grammar::Rule;
use crate::bytecode::program::{SourcePlace, SpeechPiece};
use crate::model::Variable;
use pest::iterators::Pair;
use std::borrow::Cow;
use std::str::FromStr;

/// What a statement has after its first word.
#[derive(Debug)]
pub(super) enum Argument {
    Text(String),
    Word(String),
    Variable(String),
}

/// The arguments of a statement, taken one by one.
pub(super) struct Arguments(std::vec::IntoIter<Argument>);

impl Arguments {
    pub(super) fn of_statement<'p>(rest: impl Iterator<Item = Pair<'p, Rule>>) -> Wrong<Self> {
        Ok(Self(rest.map(argument).collect::<Wrong<Vec<_>>>()?.into_iter()))
    }

    pub(super) fn text(&mut self) -> Wrong<Cow<'static, str>> {
        match self.0.next() {
            Some(Argument::Text(text)) => Ok(text.into()),
            Some(Argument::Word(word) | Argument::Variable(word)) => Err(format!("`{word}` is not in quotes")),
            None => Err("a text is missing".to_owned()),
        }
    }

    pub(super) fn word(&mut self) -> Wrong<String> {
        self.optional_word().ok_or_else(|| "a word is missing".to_owned())
    }

    pub(super) fn optional_word(&mut self) -> Option<String> {
        match self.0.as_slice().first()? {
            Argument::Word(word) => {
                let word = word.clone();
                self.0.next();
                Some(word)
            }
            Argument::Text(_) | Argument::Variable(_) => None,
        }
    }

    pub(super) fn number(&mut self) -> Wrong<u32> {
        number(&self.word()?)
    }

    /// A word of a vocabulary.
    pub(super) fn of<T>(&mut self, what: &str, meaning: fn(&str) -> Option<T>) -> Wrong<T> {
        let word = self.word()?;
        meaning(&word).ok_or_else(|| format!("`{word}` is no {what}"))
    }

    pub(super) fn pieces(&mut self) -> Wrong<Vec<SpeechPiece<'static>>> {
        let piece = |argument| match argument {
            Argument::Text(text) => Ok(SpeechPiece::Text(text.into())),
            Argument::Variable(name) | Argument::Word(name) => {
                let variable = Variable::from_name(&name).map(SpeechPiece::Variable);
                variable.ok_or_else(|| format!("there is no variable `{name}`"))
            }
        };
        self.0.by_ref().map(piece).collect()
    }

    /// All that are left.
    pub(super) fn rest(&mut self) -> impl Iterator<Item = Argument> {
        self.0.by_ref()
    }

    pub(super) fn done(&mut self) -> Wrong<()> {
        match self.0.next() {
            None => Ok(()),
            Some(Argument::Text(more) | Argument::Word(more) | Argument::Variable(more)) => {
                Err(format!("`{more}` is one too many"))
            }
        }
    }
}

fn argument(pair: Pair<'_, Rule>) -> Wrong<Argument> {
    let rule = pair.as_rule();
    let whole = pair.as_str();
    let inner = pair.into_inner().next().map_or("", |inner| inner.as_str());
    if rule == Rule::text {
        unescape(inner).map(Argument::Text)
    } else if rule == Rule::variable {
        Ok(Argument::Variable(inner.to_owned()))
    } else {
        Ok(Argument::Word(whole.to_owned()))
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

pub(super) fn number<T: FromStr>(word: &str) -> Wrong<T> {
    word.parse().map_err(|_| format!("`{word}` is no number that fits here"))
}

pub(super) fn at_sign(word: &str) -> Wrong<u32> {
    number(word.strip_prefix('@').ok_or_else(|| format!("`{word}` is no offset"))?)
}

pub(super) fn place(word: &str) -> Wrong<SourcePlace> {
    let mut numbers = word.split(':').map(number);
    match (numbers.next(), numbers.next(), numbers.next(), numbers.next()) {
        (Some(file), Some(line), Some(column), None) => Ok(SourcePlace { file: file?, line: line?, column: column? }),
        _ => Err(format!("`{word}` is no place (file:line:column)")),
    }
}

pub(super) fn bytes(word: &str) -> Wrong<Vec<u8>> {
    let wrong = || format!("`{word}` is not made of pairs of hexadecimal digits");
    let (pairs, []) = word.as_bytes().as_chunks::<2>() else { return Err(wrong()) };
    let byte = |pair| std::str::from_utf8(pair).ok().and_then(|pair| u8::from_str_radix(pair, 16).ok());
    pairs.iter().map(|pair| byte(pair)).collect::<Option<_>>().ok_or_else(wrong)
}

pub(super) fn sources(word: &str) -> Wrong<[u8; 32]> {
    bytes(word)?.try_into().map_err(|_| "a digest has 32 bytes".to_owned())
}
