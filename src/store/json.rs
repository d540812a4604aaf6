//! A cursor over JSON text that checks and skips without building trees, for state that is mostly passed through.
//! Uses nothing but `std`. Never recurses: depth costs a bit of memory, not a stack frame.

use std::borrow::Cow;

/// The text is not JSON. Where and why does not matter to anyone: the file is kept and started afresh.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Malformed;

type Result<T> = std::result::Result<T, Malformed>;

/// A place in JSON text.
#[derive(Clone, Copy, Debug)]
pub(super) struct Cursor<'a> {
    text: &'a str,
    at: usize,
}

impl<'a> Cursor<'a> {
    pub(super) fn new(text: &'a str) -> Self {
        Self { text, at: 0 }
    }

    /// The next byte that is not white space; 0 at the end.
    pub(super) fn peek(&mut self) -> u8 {
        while matches!(self.byte(), b' ' | b'\n' | b'\r' | b'\t') {
            self.at += 1;
        }
        self.byte()
    }

    /// Moves past `expected` when it comes next.
    pub(super) fn eat(&mut self, expected: u8) -> bool {
        let found = self.peek() == expected;
        self.at += usize::from(found);
        found
    }

    /// Moves past `expected`, which must come next.
    pub(super) fn expect(&mut self, expected: u8) -> Result<()> {
        if self.eat(expected) { Ok(()) } else { Err(Malformed) }
    }

    /// Nothing but white space is left.
    pub(super) fn end(&mut self) -> Result<()> {
        self.peek();
        if self.at == self.text.len() { Ok(()) } else { Err(Malformed) }
    }

    /// Moves past a member's key and colon; `None` at the object's end. The opening brace was eaten by the caller, and
    /// between two keys the caller moves past the value.
    pub(super) fn key(&mut self, is_first: bool) -> Result<Option<&'a str>> {
        Ok(self.member(is_first)?.map(|(_, key)| key))
    }

    /// As [`key`](Self::key), with the place where the key begins.
    pub(super) fn member(&mut self, is_first: bool) -> Result<Option<(usize, &'a str)>> {
        if self.eat(b'}') {
            return Ok(None);
        }
        if !is_first {
            self.expect(b',')?;
        }
        self.peek();
        let start = self.at;
        let key = self.string()?;
        self.expect(b':')?;
        Ok(Some((start, key)))
    }

    /// How many bytes are passed.
    pub(super) fn place(&self) -> usize {
        self.at
    }

    /// Moves past the quoted string that begins here and gives it back, quotes and escapes included.
    pub(super) fn string(&mut self) -> Result<&'a str> {
        let start = self.at;
        self.pass_string()?;
        self.since(start)
    }

    fn pass_string(&mut self) -> Result<()> {
        if self.byte() != b'"' {
            return Err(Malformed);
        }
        self.at += 1;
        loop {
            self.at += plain(self.text.as_bytes().get(self.at..).unwrap_or_default());
            match self.byte() {
                b'"' => break,
                b'\\' => self.escape()?,
                _ => return Err(Malformed),
            }
        }
        self.at += 1;
        Ok(())
    }

    fn escape(&mut self) -> Result<()> {
        self.at += 1;
        match self.byte() {
            b'"' | b'\\' | b'/' | b'b' | b'f' | b'n' | b'r' | b't' => self.at += 1,
            b'u' => {
                let digits = self.text.as_bytes().get(self.at + 1..self.at + 5).ok_or(Malformed)?;
                if !digits.iter().all(u8::is_ascii_hexdigit) {
                    return Err(Malformed);
                }
                self.at += 5;
            }
            _ => return Err(Malformed),
        }
        Ok(())
    }

    /// Moves past the number or word that begins here and gives it back.
    pub(super) fn scalar(&mut self) -> Result<&'a str> {
        let start = self.at;
        while matches!(self.byte(), b'0'..=b'9' | b'a'..=b'z' | b'A'..=b'Z' | b'+' | b'-' | b'.') {
            self.at += 1;
        }
        let scalar = self.since(start)?;
        if matches!(scalar, "true" | "false" | "null") || is_number(scalar.as_bytes()) {
            Ok(scalar)
        } else {
            Err(Malformed)
        }
    }

    /// Moves past one value of any kind and gives back its text, checked.
    pub(super) fn value(&mut self) -> Result<&'a str> {
        self.peek();
        let start = self.at;
        let mut open = Open::default();
        loop {
            match self.peek() {
                b'"' => self.pass_string()?,
                b'{' => {
                    self.at += 1;
                    if !self.eat(b'}') {
                        open.push(true);
                        self.member_key()?;
                        continue;
                    }
                }
                b'[' => {
                    self.at += 1;
                    if !self.eat(b']') {
                        open.push(false);
                        continue;
                    }
                }
                _ => {
                    self.scalar()?;
                }
            }
            // A value ended: close what it closes, or go on to the next one.
            loop {
                let Some(is_object) = open.last() else { return self.since(start) };
                if self.eat(if is_object { b'}' } else { b']' }) {
                    open.pop();
                    continue;
                }
                self.expect(b',')?;
                if is_object {
                    self.member_key()?;
                }
                break;
            }
        }
    }

    fn member_key(&mut self) -> Result<()> {
        self.peek();
        self.pass_string()?;
        self.expect(b':')
    }

    /// The byte here; 0 at the end, which no grammar rule accepts.
    fn byte(&self) -> u8 {
        self.text.as_bytes().get(self.at).copied().unwrap_or(0)
    }

    /// The text from an earlier place of the same cursor up to here.
    pub(super) fn text_since(&self, earlier: Self) -> Result<&'a str> {
        self.since(earlier.at)
    }

    fn since(&self, start: usize) -> Result<&'a str> {
        self.text.get(start..self.at).ok_or(Malformed)
    }
}

/// What is open around a value: objects and arrays, a bit each, so that ordinary depths need no memory.
#[derive(Default)]
struct Open {
    newest: u64,
    depth: usize,
    older: Vec<u64>,
}

impl Open {
    const EACH: usize = u64::BITS as usize;

    fn push(&mut self, is_object: bool) {
        if self.depth > 0 && self.depth.is_multiple_of(Self::EACH) {
            self.older.push(self.newest);
        }
        self.newest = self.newest << 1 | u64::from(is_object);
        self.depth += 1;
    }

    fn pop(&mut self) {
        self.newest >>= 1;
        self.depth = self.depth.saturating_sub(1);
        if self.depth > 0 && self.depth.is_multiple_of(Self::EACH) {
            self.newest = self.older.pop().unwrap_or_default();
        }
    }

    /// Whether the innermost is an object.
    fn last(&self) -> Option<bool> {
        (self.depth > 0).then_some(self.newest & 1 == 1)
    }
}

/// How many bytes come before the first that is a quote, a backslash or a control character. Eight at a time.
fn plain(bytes: &[u8]) -> usize {
    const ONES: u64 = u64::from_ne_bytes([1; 8]);
    const HIGH: u64 = ONES << 7;
    // The lowest high bit that is set marks the first byte below `bound`; those above it may be wrong.
    let below = |word: u64, bound: u64| word.wrapping_sub(ONES * bound) & !word & HIGH;
    let (words, rest) = bytes.as_chunks::<8>();
    for (number, word) in words.iter().enumerate() {
        let word = u64::from_le_bytes(*word);
        let same = |byte: u8| below(word ^ (ONES * u64::from(byte)), 1);
        let found = same(b'"') | same(b'\\') | below(word, 0x20);
        if found != 0 {
            return number * 8 + (found.trailing_zeros() / 8) as usize;
        }
    }
    let ends = |byte: &u8| matches!(byte, b'"' | b'\\' | 0..=0x1f);
    words.len() * 8 + rest.iter().position(ends).unwrap_or(rest.len())
}

/// Whether a quoted string says this.
pub(super) fn says(quoted: &str, text: &str) -> bool {
    let inner = quoted.get(1..quoted.len().saturating_sub(1)).unwrap_or_default();
    // What is escaped is longer than what it says.
    inner == text || inner.len() > text.len() && decode(quoted) == text
}

fn is_number(text: &[u8]) -> bool {
    let text = text.strip_prefix(b"-").unwrap_or(text);
    let (integer, rest) = text.split_at(text.iter().take_while(|byte| byte.is_ascii_digit()).count());
    let mut rest = rest;
    if let Some(fraction) = rest.strip_prefix(b".") {
        let digits = fraction.iter().take_while(|byte| byte.is_ascii_digit()).count();
        if digits == 0 {
            return false;
        }
        rest = fraction.get(digits..).unwrap_or_default();
    }
    if let Some(exponent) = rest.strip_prefix(b"e").or_else(|| rest.strip_prefix(b"E")) {
        let digits = exponent.strip_prefix(b"+").or_else(|| exponent.strip_prefix(b"-")).unwrap_or(exponent);
        return is_integer(integer) && !digits.is_empty() && digits.iter().all(u8::is_ascii_digit);
    }
    is_integer(integer) && rest.is_empty()
}

fn is_integer(digits: &[u8]) -> bool {
    !digits.is_empty() && (digits.len() == 1 || digits.first() != Some(&b'0'))
}

/// What a quoted string says. A lone surrogate, which no text can hold, becomes U+FFFD.
pub(super) fn decode(quoted: &str) -> Cow<'_, str> {
    let inner = quoted.strip_prefix('"').and_then(|rest| rest.strip_suffix('"')).unwrap_or(quoted);
    if !inner.contains('\\') {
        return Cow::Borrowed(inner);
    }
    let mut text = String::with_capacity(inner.len());
    let mut rest = inner;
    while let Some((plain, escape)) = rest.split_once('\\') {
        text.push_str(plain);
        let mut letters = escape.chars();
        let letter = letters.next().unwrap_or('\\');
        rest = letters.as_str();
        match letter {
            'b' => text.push('\u{8}'),
            'f' => text.push('\u{c}'),
            'n' => text.push('\n'),
            'r' => text.push('\r'),
            't' => text.push('\t'),
            'u' => {
                let (first, after) = hex4(rest);
                let second = after.strip_prefix("\\u").map(hex4);
                let low = second.filter(|(low, _)| (0xd800..0xdc00).contains(&first) && (0xdc00..0xe000).contains(low));
                let (code, after) = match low {
                    Some((low, after)) => (0x10000 + ((first - 0xd800) << 10) + (low - 0xdc00), after),
                    None => (first, after),
                };
                text.push(char::from_u32(code).unwrap_or(char::REPLACEMENT_CHARACTER));
                rest = after;
            }
            other => text.push(other),
        }
    }
    text.push_str(rest);
    Cow::Owned(text)
}

fn hex4(text: &str) -> (u32, &str) {
    let (digits, rest) = text.split_at_checked(4).unwrap_or((text, ""));
    (u32::from_str_radix(digits, 16).unwrap_or(0xfffd), rest)
}

/// A text as a quoted string.
pub(super) fn quote(text: &str) -> String {
    let mut quoted = String::with_capacity(text.len() + 2);
    quote_into(text, &mut quoted);
    quoted
}

/// Appends a text as a quoted string, escaped as `jq` escapes it.
pub(super) fn quote_into(text: &str, out: &mut String) {
    use std::fmt::Write;
    out.push('"');
    for character in text.chars() {
        match character {
            '"' => out.push_str("\\\""),
            '\\' => out.push_str("\\\\"),
            '\u{8}' => out.push_str("\\b"),
            '\u{c}' => out.push_str("\\f"),
            '\n' => out.push_str("\\n"),
            '\r' => out.push_str("\\r"),
            '\t' => out.push_str("\\t"),
            '\0'..='\u{1f}' | '\u{7f}' => {
                // Writing to a String cannot fail.
                let _ = write!(out, "\\u{:04x}", u32::from(character));
            }
            other => out.push(other),
        }
    }
    out.push('"');
}
