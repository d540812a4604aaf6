//! A JSON object as its members, values kept as text: what is not touched is written back byte for byte.
//! Uses the cursor alone.

use super::json::{Cursor, Malformed, decode, quote_into};
use std::borrow::Cow;
use std::collections::HashMap;

/// The members in order. Of two with the same key the last counts, as in every reader of JSON.
#[derive(Clone, Debug, Default)]
pub(super) struct Object<'a> {
    members: Vec<(Cow<'a, str>, Cow<'a, str>)>,
}

impl<'a> Object<'a> {
    /// Reads an object; `null` and nothing at all are the empty one.
    pub(super) fn read(text: Option<&'a str>) -> Result<Self, Malformed> {
        let mut members = Vec::new();
        let mut cursor = Cursor::new(text.unwrap_or("null"));
        if !cursor.eat(b'{') {
            return if cursor.value() == Ok("null") { Ok(Self::default()) } else { Err(Malformed) };
        }
        while let Some(key) = cursor.key(members.is_empty())? {
            members.push((decode(key), Cow::Borrowed(cursor.value()?)));
        }
        Ok(Self { members })
    }

    /// The text of a member's value; `None` when it is missing or null.
    pub(super) fn get(&self, key: &str) -> Option<&str> {
        let member = self.members.iter().rev().find(|(name, _)| name == key);
        member.map(|(_, value)| &**value).filter(|value| *value != "null")
    }

    /// All members, in order.
    pub(super) fn members(&self) -> impl Iterator<Item = (&str, &str)> {
        self.members.iter().map(|(key, value)| (&**key, &**value))
    }

    /// Gives a member its value, in its old place or at the end.
    pub(super) fn set(&mut self, key: &str, value: impl Into<String>) {
        let value = Cow::Owned(value.into());
        match self.members.iter().rposition(|(name, _)| name == key) {
            Some(last) => {
                if let Some(member) = self.members.get_mut(last) {
                    member.1 = value;
                }
                let mut index = 0;
                self.members.retain(|(name, _)| {
                    index += 1;
                    name != key || index > last
                });
            }
            None => self.members.push((Cow::Owned(key.to_owned()), value)),
        }
    }

    /// Gives each of these members the value that `value` makes of its name and old value, in its old place or at the end.
    /// Looks at every member once, however many are named: millions of them must not cost their square.
    ///
    /// # Errors
    /// Those of `value`; the object is of no use then.
    pub(super) fn set_each<'k>(
        &mut self,
        named: impl Iterator<Item = &'k String>,
        value: impl Fn(&str, Option<&str>) -> Result<String, Malformed>,
    ) -> Result<(), Malformed> {
        let mut places: HashMap<String, usize> = HashMap::with_capacity(self.members.len());
        let members = std::mem::take(&mut self.members);
        for (key, value) in members {
            match places.get(&*key).and_then(|at| self.members.get_mut(*at)) {
                Some(member) => member.1 = value,
                None => {
                    places.insert(key.to_string(), self.members.len());
                    self.members.push((key, value));
                }
            }
        }
        for key in named {
            let member = places.get(key).and_then(|at| self.members.get_mut(*at));
            let old = member.as_ref().map(|member| &*member.1).filter(|value| *value != "null");
            let new = Cow::Owned(value(key, old)?);
            match member {
                Some(member) => member.1 = new,
                None => self.members.push((Cow::Owned(key.clone()), new)),
            }
        }
        Ok(())
    }

    /// Drops the members that `keep` does not want.
    pub(super) fn retain(&mut self, keep: impl Fn(&str) -> bool) {
        self.members.retain(|(key, _)| keep(key));
    }

    /// The object's text.
    pub(super) fn write(&self) -> String {
        let mut text = String::from("{");
        for (key, value) in &self.members {
            if text.len() > 1 {
                text.push(',');
            }
            quote_into(key, &mut text);
            text.push(':');
            text.push_str(value);
        }
        text.push('}');
        text
    }
}
