//! `state.json` as a whole: which sessions it holds and what each says. Sessions other than the one in hand are
//! checked and passed through as text, never parsed into trees. Pure: text in, text out, time as an argument.

use super::json::{Cursor, Malformed, decode, quote_into};
use super::time;
use crate::model::Timestamp;

/// The file's parts, without the sessions that are too old.
#[derive(Clone, Debug, Default)]
pub(super) struct SessionFile<'t> {
    /// Members of the file beside ours: keys of other tools, kept.
    others: Vec<Member<'t>>,
    sessions: Vec<Member<'t>>,
    length: usize,
}

#[derive(Clone, Copy, Debug)]
struct Member<'t> {
    /// With its quotes and escapes.
    key: &'t str,
    value: &'t str,
}

impl<'t> SessionFile<'t> {
    /// Finds the sessions, leaving out those last accessed before `oldest`. A session whose time cannot be read counts
    /// as accessed now. A byte order mark in front says nothing.
    ///
    /// # Errors
    /// When the text is not JSON, is of another schema, or has something else where the sessions should be.
    pub(super) fn read(text: &'t str, oldest: Timestamp) -> Result<Self, Malformed> {
        let mut file = Self { length: text.len(), ..Self::default() };
        let mut cursor = Cursor::new(text.strip_prefix('\u{feff}').unwrap_or(text));
        if !cursor.eat(b'{') {
            return Err(Malformed);
        }
        let mut is_first = true;
        while let Some(key) = cursor.key(is_first)? {
            is_first = false;
            match &*decode(key) {
                "sessions" => file.sessions = sessions(&mut cursor, oldest)?,
                "schema_version" if !matches!(cursor.value()?, "\"1\"" | "null") => return Err(Malformed),
                "schema_version" => {}
                _ => file.others.push(Member { key, value: cursor.value()? }),
            }
        }
        cursor.end()?;
        Ok(file)
    }

    /// The text of one session. Of two under one name the last counts.
    pub(super) fn session(&self, id: &str) -> Option<&'t str> {
        let found = self.sessions.iter().rev().find(|member| decode(member.key) == id);
        found.map(|member| member.value)
    }

    /// All sessions, with their names.
    pub(super) fn sessions(&self) -> impl Iterator<Item = (String, &'t str)> {
        self.sessions.iter().map(|member| (decode(member.key).into_owned(), member.value))
    }

    /// Drops a session.
    pub(super) fn forget(&mut self, id: &str) {
        self.sessions.retain(|member| decode(member.key) != id);
    }

    /// The whole text, with one session's text replaced or added; one session a line.
    pub(super) fn with(&self, id: &str, session: &str) -> String {
        let mut text = String::with_capacity(self.length + session.len() + 128);
        text.push_str("{\"schema_version\":\"1\",");
        for other in &self.others {
            other.write(&mut text);
        }
        text.push_str("\"sessions\":{\n");
        for other in self.sessions.iter().filter(|member| decode(member.key) != id) {
            other.write(&mut text);
            text.push('\n');
        }
        quote_into(id, &mut text);
        text.push(':');
        text.push_str(session);
        text.push_str("\n}}\n");
        text
    }
}

impl Member<'_> {
    fn write(&self, text: &mut String) {
        text.push_str(self.key);
        text.push(':');
        text.push_str(self.value);
        text.push(',');
    }
}

fn sessions<'t>(cursor: &mut Cursor<'t>, oldest: Timestamp) -> Result<Vec<Member<'t>>, Malformed> {
    let mut sessions = Vec::new();
    if !cursor.eat(b'{') {
        return if cursor.value()? == "null" { Ok(sessions) } else { Err(Malformed) };
    }
    let mut is_first = true;
    while let Some(key) = cursor.key(is_first)? {
        is_first = false;
        cursor.peek();
        let start = *cursor;
        if last_accessed(cursor)?.is_none_or(|moment| moment >= oldest) {
            sessions.push(Member { key, value: cursor.text_since(start)? });
        }
    }
    Ok(sessions)
}

/// Moves past the session that begins here; returns when it was last accessed, if that can be read.
fn last_accessed(cursor: &mut Cursor<'_>) -> Result<Option<Timestamp>, Malformed> {
    let mut moment = None;
    if !cursor.eat(b'{') {
        return if cursor.value()? == "null" { Ok(None) } else { Err(Malformed) };
    }
    let mut is_first = true;
    while let Some(key) = cursor.key(is_first)? {
        is_first = false;
        let value = cursor.value()?;
        if decode(key) == "last_accessed_at" {
            moment = time::read(&decode(value));
        }
    }
    Ok(moment)
}
