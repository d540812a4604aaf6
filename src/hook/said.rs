//! What one set of rules says to an event, and what several say together: the user's first, then the project's. The
//! stricter of two decisions stands alone, and a refusal ends it; everything else is joined. Knows no rule.

use super::silence;
use crate::harness::{self, Answer, Decision, Incoming, Reply};

/// An answer that is not written yet.
#[derive(Debug, Default)]
pub(super) struct Said {
    /// What is answered; nothing when there is nothing to say.
    pub(super) reply: Option<Reply>,
    /// What the user alone is told, at any event.
    pub(super) notice: Option<String>,
    /// Lines for standard error.
    pub(super) notes: Vec<String>,
    /// A line for standard error, unless the answer itself goes there.
    pub(super) line: Option<String>,
}

impl Said {
    /// Whether it refuses outright, so that nobody else has to be asked.
    pub(super) fn is_refusal(&self) -> bool {
        self.reply.as_ref().is_some_and(|reply| matches!(reply.decision, Decision::Deny { .. }))
    }

    /// Both together, this one first. What one of them blocks is said without what the other had to say.
    pub(super) fn then(mut self, other: Self) -> Self {
        self.reply = match (self.reply, other.reply) {
            (Some(one), Some(two)) if strictness(two.decision) > strictness(one.decision) => Some(two),
            (Some(one), Some(two)) if strictness(two.decision) < strictness(one.decision) => Some(one),
            (Some(one), Some(two)) => {
                Some(Reply { user: joined(one.user, two.user), agent: joined(one.agent, two.agent), ..two })
            }
            (one, two) => two.or(one),
        };
        self.notice = match (self.notice, other.notice) {
            (Some(one), Some(two)) => Some(joined(one, two)),
            (one, two) => one.or(two),
        };
        let news: Vec<String> = other.notes.into_iter().filter(|note| !self.notes.contains(note)).collect();
        self.notes.extend(news);
        self.line = self.line.or(other.line);
        self
    }

    /// In the harness's own form.
    pub(super) fn write(mut self, incoming: &Incoming<'_>) -> Answer {
        let mut answer = match (self.reply, self.notice) {
            (None, None) => silence(incoming),
            (None, Some(notice)) => harness::notice(&incoming.sender, &notice),
            (Some(mut reply), notice) => {
                reply.user = joined(notice.unwrap_or_default(), reply.user);
                harness::write(&incoming.sender, &reply)
            }
        };
        if answer.stderr.is_empty() {
            self.notes.splice(0..0, self.line);
        }
        for note in self.notes {
            answer.stderr.push_str(&format!("[forge] {}\n", note.replace('\n', " ")));
        }
        answer
    }
}

fn strictness(decision: Decision) -> u8 {
    match decision {
        Decision::Pass => 0,
        Decision::Ask => 1,
        Decision::Deny { .. } => 2,
    }
}

fn joined(one: String, two: String) -> String {
    if one.is_empty() || two.is_empty() { one + &two } else { format!("{one}\n\n{two}") }
}
