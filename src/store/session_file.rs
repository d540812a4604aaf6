//! `state.json` as a whole: which sessions it holds and what each says. Sessions other than the one in hand are
//! checked and passed through as text, never parsed into trees. Pure: text in, text out, time as an argument.

use super::json::{Cursor, Malformed, decode, quote, says};
use super::time;
use crate::model::Timestamp;
use std::borrow::Cow;
use std::ops::Range;

/// The file's parts, without the sessions that are too old.
#[derive(Clone, Debug, Default)]
pub(super) struct SessionFile<'t> {
    text: &'t str,
    /// Members of the file beside ours: keys of other tools, kept.
    others: Vec<Range<usize>>,
    sessions: Vec<Member<'t>>,
}

#[derive(Clone, Debug)]
struct Member<'t> {
    /// With its quotes and escapes.
    key: &'t str,
    value: &'t str,
    /// Where both stand.
    place: Range<usize>,
    /// Which of the sessions in the text it is.
    number: usize,
}

impl<'t> SessionFile<'t> {
    /// Finds the sessions, leaving out those last accessed before `oldest`. A session whose time cannot be read counts
    /// as accessed now. A byte order mark in front says nothing.
    ///
    /// # Errors
    /// When the text is not JSON, is of another schema, or has something else where the sessions should be.
    pub(super) fn read(text: &'t str, oldest: Timestamp) -> Result<Self, Malformed> {
        let text = text.strip_prefix('\u{feff}').unwrap_or(text);
        let mut file = Self { text, ..Self::default() };
        let mut cursor = Cursor::new(text);
        if !cursor.eat(b'{') {
            return Err(Malformed);
        }
        let mut is_first = true;
        while let Some((start, key)) = cursor.member(is_first)? {
            is_first = false;
            match &*decode(key) {
                "sessions" => file.sessions = sessions(&mut cursor, oldest)?,
                "schema_version" if !matches!(cursor.value()?, "\"1\"" | "null") => return Err(Malformed),
                "schema_version" => {}
                _ => {
                    cursor.value()?;
                    file.others.push(start..cursor.place());
                }
            }
        }
        cursor.end()?;
        Ok(file)
    }

    /// The text of one session. Of two under one name the last counts.
    pub(super) fn session(&self, id: &str) -> Option<&'t str> {
        let found = self.sessions.iter().rev().find(|member| says(member.key, id));
        found.map(|member| member.value)
    }

    /// All sessions, with their names.
    pub(super) fn sessions(&self) -> impl Iterator<Item = (String, &'t str)> {
        self.sessions.iter().map(|member| (decode(member.key).into_owned(), member.value))
    }

    /// Drops a session.
    pub(super) fn forget(&mut self, id: &str) {
        self.sessions.retain(|member| !says(member.key, id));
    }

    /// The whole text in pieces, with one session's text replaced or added, as the last. What stays is not copied.
    pub(super) fn with<'a>(&'a self, id: &str, session: &'a str) -> Vec<Cow<'a, str>> {
        let mut pieces = vec![Cow::Borrowed("{\"schema_version\":\"1\",")];
        for other in &self.others {
            pieces.extend([self.piece(other), Cow::Borrowed(",")]);
        }
        pieces.push(Cow::Borrowed("\"sessions\":{\n"));
        // Between two that follow each other there is nothing but a comma and white space.
        let stay: Vec<&Member<'t>> = self.sessions.iter().filter(|other| !says(other.key, id)).collect();
        for run in stay.chunk_by(|one, next| one.number + 1 == next.number) {
            if let [first, ..] = run
                && let [.., last] = run
            {
                pieces.extend([self.piece(&(first.place.start..last.place.end)), Cow::Borrowed(",\n")]);
            }
        }
        pieces.extend([quote(id).into(), Cow::Borrowed(":"), Cow::Borrowed(session), Cow::Borrowed("\n}}\n")]);
        pieces
    }

    fn piece(&self, place: &Range<usize>) -> Cow<'t, str> {
        Cow::Borrowed(self.text.get(place.clone()).unwrap_or_default())
    }
}

fn sessions<'t>(cursor: &mut Cursor<'t>, oldest: Timestamp) -> Result<Vec<Member<'t>>, Malformed> {
    let mut sessions = Vec::new();
    if !cursor.eat(b'{') {
        return if cursor.value()? == "null" { Ok(sessions) } else { Err(Malformed) };
    }
    let oldest = time::Since::new(oldest);
    let mut number = 0;
    while let Some((start, key)) = cursor.member(number == 0)? {
        cursor.peek();
        let value = *cursor;
        let is_kept = last_accessed(cursor)?.is_none_or(|moment| oldest.is_met_by(&decode(moment)));
        if is_kept {
            sessions.push(Member { key, value: cursor.text_since(value)?, place: start..cursor.place(), number });
        }
        number += 1;
    }
    Ok(sessions)
}

/// Moves past the session that begins here; returns when it was last accessed, as it is written.
fn last_accessed<'t>(cursor: &mut Cursor<'t>) -> Result<Option<&'t str>, Malformed> {
    let mut moment = None;
    if !cursor.eat(b'{') {
        return if cursor.value()? == "null" { Ok(None) } else { Err(Malformed) };
    }
    let mut is_first = true;
    while let Some(key) = cursor.key(is_first)? {
        is_first = false;
        let value = cursor.value()?;
        if says(key, "last_accessed_at") {
            moment = Some(value);
        }
    }
    Ok(moment)
}
