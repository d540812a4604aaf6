//! The first pass: text to tree. Refuses what makes a file mean other than it shows (anchors, aliases, tags, merge keys,
//! duplicate keys, second documents) and what is too deep; knows nothing of behaviors. Never recurses.

use super::tree::{Document, Entry, Kind, Node, Style};
use crate::diagnostic::{Code, Diagnostic};
use crate::limits;
use crate::model::{FileId, Place};
use granit_parser::{ErrorKind, Event, Marker, Options, Parser, ScalarStyle, ScanError, Span, StructureStyle};
use std::collections::HashMap;

/// Reads one document. What was refused is among the problems; `None` when there is nothing to go on with.
#[must_use]
pub fn parse(file: FileId, text: &str) -> (Option<Document>, Vec<Diagnostic>) {
    let mut options = Options::default();
    options.emit_anchor_events = true;
    options.emit_unresolved_aliases = true;
    options.flow_nesting_limit = limits::YAML_DEPTH;
    options.block_nesting_limit = limits::YAML_DEPTH;
    options.max_buffered_comment_events = usize::MAX;
    let mut builder = Builder { file, text, open: Vec::new(), root: None, comments: Vec::new(), problems: Vec::new() };
    for event in Parser::new_from_str_with_options(text, options) {
        match event {
            Ok((event, span)) => {
                if !builder.take(event, span) {
                    break;
                }
            }
            Err(error) => {
                builder.broken(&error);
                return (None, builder.problems);
            }
        }
    }
    if builder.root.is_none() && builder.problems.is_empty() {
        let problem = "the file is empty";
        let help = "write the keys it must have, or remove it";
        builder.problems.push(Diagnostic::new(Code::Empty, builder.place_of(Span::default()), problem, help));
    }
    (builder.root.map(|root| Document { root, comments: builder.comments }), builder.problems)
}

/// A collection whose end has not come yet.
struct Open {
    kind: Kind,
    place: Place,
    flow: bool,
    /// A mapping's key that waits for its value; `None` inside when the key was refused.
    key: Option<(Option<String>, Place)>,
    /// Keys so far.
    keys: HashMap<String, Place>,
}

struct Builder<'a> {
    file: FileId,
    text: &'a str,
    open: Vec<Open>,
    root: Option<Node>,
    comments: Vec<Place>,
    problems: Vec<Diagnostic>,
}

impl Builder<'_> {
    /// Takes one event; false when the rest is not to be looked at.
    fn take(&mut self, event: Event<'_>, span: Span) -> bool {
        let place = self.place_of(span);
        match event {
            Event::DocumentStart(..) if self.root.is_some() => {
                let help = "keep one document to a file; remove the `---` and what follows";
                self.refuse(Code::SecondDocument, place, "a second document begins here", help);
                return false;
            }
            Event::Anchor(_, name) => {
                let message = format!("anchor `&{name}` is not allowed");
                self.refuse(Code::Anchor, place, message, "write the value out where it is needed");
            }
            Event::Alias(_) => self.alias(place),
            Event::UnresolvedAlias(_) => self.alias(place),
            Event::Comment(..) => self.comments.push(place),
            Event::Scalar(text, style, _, tag) => {
                self.tag(tag.is_some(), span);
                let style = match style {
                    ScalarStyle::Plain => Style::Plain,
                    ScalarStyle::SingleQuoted => Style::Single,
                    ScalarStyle::DoubleQuoted => Style::Double,
                    ScalarStyle::Literal => Style::Literal,
                    ScalarStyle::Folded => Style::Folded,
                };
                // The parser says `~` for a value that is not there at all.
                let text =
                    if place.start == place.end && style == Style::Plain { String::new() } else { text.into_owned() };
                self.add(Node { kind: Kind::Scalar { text, style }, place });
            }
            Event::SequenceStart(style, _, tag) => {
                self.tag(tag.is_some(), span);
                return self.enter(Kind::Sequence(Vec::new()), style, place);
            }
            Event::MappingStart(style, _, tag) => {
                self.tag(tag.is_some(), span);
                return self.enter(Kind::Mapping(Vec::new()), style, place);
            }
            Event::SequenceEnd | Event::MappingEnd => self.leave(place),
            // These carry nothing.
            Event::StreamStart | Event::StreamEnd | Event::DocumentStart(..) | Event::DocumentEnd | _ => {}
        }
        true
    }

    fn refuse(&mut self, code: Code, place: Place, message: impl Into<String>, help: impl Into<String>) {
        self.problems.push(Diagnostic::new(code, place, message, help));
    }

    fn alias(&mut self, place: Place) {
        let written = self.text.get(place.start as usize..place.end as usize).unwrap_or_default();
        let message = format!("alias `{written}` is not allowed");
        self.refuse(Code::Anchor, place, message, "write the value out, or quote the text when it is meant as one");
        // Something must stand where the alias stood, or the keys after it would be taken for values.
        self.add(Node { kind: Kind::Scalar { text: written.to_owned(), style: Style::Double }, place });
    }

    fn tag(&mut self, tagged: bool, span: Span) {
        if tagged {
            let place = span.tag_span().map_or_else(|| self.place_of(span), |tag| self.place_of(tag));
            let written = self.text.get(place.start as usize..place.end as usize).unwrap_or_default();
            let message = format!("tag `{written}` is not allowed");
            self.refuse(Code::Tag, place, message, "remove the tag; quote the value when it is meant as text");
        }
    }

    fn enter(&mut self, kind: Kind, style: StructureStyle, place: Place) -> bool {
        if self.open.len() >= limits::YAML_DEPTH {
            self.too_deep(place);
            self.root = None;
            return false;
        }
        let flow = matches!(style, StructureStyle::Flow);
        self.open.push(Open { kind, place, flow, key: None, keys: HashMap::new() });
        true
    }

    fn too_deep(&mut self, place: Place) {
        let message = format!("nested more than {} deep", limits::YAML_DEPTH);
        self.refuse(Code::TooDeep, place, message, "no key of forge's files needs more than a few levels");
    }

    fn leave(&mut self, end: Place) {
        let Some(Open { kind, mut place, flow, .. }) = self.open.pop() else { return };
        // The end of a block collection is only known by what follows it; it ends where its last part ends.
        place.end = match &kind {
            Kind::Sequence(nodes) if !flow => nodes.last().map_or(place.end, |node| node.place.end),
            Kind::Mapping(entries) if !flow => {
                entries.last().map_or(place.end, |entry| entry.value.place.end.max(entry.key_place.end))
            }
            Kind::Sequence(_) | Kind::Mapping(_) | Kind::Scalar { .. } => end.end,
        };
        self.add(Node { kind, place });
    }

    /// Puts a finished node where it belongs.
    fn add(&mut self, node: Node) {
        let Some(parent) = self.open.last_mut() else {
            self.root = Some(node);
            return;
        };
        match &mut parent.kind {
            Kind::Scalar { .. } => {}
            Kind::Sequence(nodes) => nodes.push(node),
            Kind::Mapping(entries) => match parent.key.take() {
                None => self.key(node),
                Some((Some(key), key_place)) => entries.push(Entry { key, key_place, value: node }),
                // The key was refused, and its value with it.
                Some((None, _)) => {}
            },
        }
    }

    /// Takes a mapping's key, or says why it cannot be one.
    fn key(&mut self, node: Node) {
        let place = node.head();
        let Some(parent) = self.open.last_mut() else { return };
        let refused = match node.kind {
            Kind::Scalar { text, style } if text == "<<" && style == Style::Plain => {
                let help = "write the keys out where they are needed";
                Diagnostic::new(Code::MergeKey, place, "merge key `<<` is not allowed", help)
            }
            Kind::Scalar { text, .. } if !text.is_empty() => match parent.keys.insert(text.clone(), place) {
                None => {
                    parent.key = Some((Some(text), place));
                    return;
                }
                Some(first) => {
                    parent.keys.insert(text.clone(), first);
                    Diagnostic::new(
                        Code::DuplicateKey,
                        place,
                        format!("key `{text}` is written twice"),
                        "keep one of them",
                    )
                    .labelled("again")
                    .also(first, "first written here")
                }
            },
            Kind::Scalar { .. } => {
                Diagnostic::new(Code::BadKey, place, "a key is empty", "write the key's name before the `:`")
            }
            Kind::Sequence(_) | Kind::Mapping(_) => {
                let help = "keys are names; quote the text when it begins with `[` or `{`";
                Diagnostic::new(Code::BadKey, place, "a key is a list or a mapping", help)
            }
        };
        parent.key = Some((None, place));
        self.problems.push(refused);
    }

    fn broken(&mut self, error: &ScanError) {
        let start = self.offset(*error.marker());
        let end = self.text.get(start..).and_then(|rest| rest.chars().next()).map_or(start, |c| start + c.len_utf8());
        let place = Place { end: small(end), ..self.place_of(Span::empty(*error.marker())) };
        if *error.kind() == ErrorKind::RecursionLimitExceeded {
            return self.too_deep(place);
        }
        let message = format!("not YAML: {}", error.info());
        self.refuse(Code::Syntax, self.tab(error.kind(), place), message, self.remedy(error.kind(), start));
    }

    /// The place to show. Where a text of several lines has a tab in it, the parser names the line where the text begins.
    fn tab(&self, kind: &ErrorKind, place: Place) -> Place {
        let start = place.start as usize;
        let tab = self.text.get(start..).and_then(|rest| rest.find('\t')).map(|at| start + at);
        match tab {
            Some(at) if matches!(kind, ErrorKind::TabInPlainScalar) => {
                crate::diagnostic::place(self.file, self.text, at..at + 1)
            }
            _ => place,
        }
    }

    /// What to do about a mistake that was found at this byte. The first `: ` of a line is where a key ends, so what is wrong
    /// with it is the column its key begins in.
    fn remedy(&self, kind: &ErrorKind, at: usize) -> &'static str {
        let line = self.text.get(..at).and_then(|before| before.rsplit('\n').next()).unwrap_or_default();
        if matches!(kind, ErrorKind::MappingValueNotAllowed) && !line.contains(": ") {
            return "begin the keys of one mapping in the same column; look at the lines before as well";
        }
        remedy(kind)
    }

    fn place_of(&self, span: Span) -> Place {
        let (start, end) = (self.offset(span.start), self.offset(span.end));
        // Block scalars run on to the next token.
        let trimmed = self.text.get(start..end).map_or(end, |text| start + text.trim_end().len());
        Place {
            file: self.file,
            start: small(start),
            end: small(trimmed),
            line: small(span.start.line().max(1)),
            column: small(span.start.col() + 1),
        }
    }

    fn offset(&self, marker: Marker) -> usize {
        marker.byte_offset().unwrap_or(0).min(self.text.len())
    }
}

/// Offsets fit: larger files are refused by size.
fn small(number: usize) -> u32 {
    u32::try_from(number).unwrap_or(u32::MAX)
}

/// What to do about the mistakes people really make.
fn remedy(kind: &ErrorKind) -> &'static str {
    if matches!(
        kind,
        ErrorKind::TabNotAllowed
            | ErrorKind::TabInBlockIndentation
            | ErrorKind::TabInIndentation
            | ErrorKind::TabInPlainScalar
    ) {
        "indent with spaces"
    } else if matches!(kind, ErrorKind::MissingAnchorOrAliasName) {
        "quote it: `\"*\"`; without quotes YAML takes `*` and `&` for something else"
    } else if matches!(kind, ErrorKind::UnclosedQuotedScalar) {
        "close the quote; inside single quotes write `'` twice"
    } else if matches!(kind, ErrorKind::UnclosedFlowCollection { .. } | ErrorKind::MismatchedFlowCollectionEnd { .. }) {
        "close the bracket, or quote the text when it is not meant as a list"
    } else if matches!(kind, ErrorKind::UnknownQuotedScalarEscape) {
        "double the backslash, or use single quotes, where a backslash is only a backslash"
    } else if matches!(kind, ErrorKind::MappingValueNotAllowed | ErrorKind::InvalidColonPlacement) {
        "quote the text when it contains `: `"
    } else {
        "look at the indentation and the quotes here and on the line before"
    }
}
