//! The digests of the audit log's lines, each linked to the one before, so that a change of the log shows.
//! Pure: texts in, texts and findings out. It cannot show who changed what, nor that both files lost the same end.
//!
//! One line for each line of the log: its SHA-256, then the link, SHA-256 over the link before, the digest and the
//! mark, then the mark if there is one. A crash between the two writes leaves one line of the log without a digest, never
//! more, for the next writer takes care of it first.

use super::digest;
use std::collections::{HashMap, VecDeque};
use std::fmt;

/// Marks a line older than the chain.
const ACCEPTED: &str = "accepted";
/// Marks a line that was found without a digest, alone.
const LATE: &str = "late";
/// Marks lines that were found without a digest, several at once.
const FOREIGN: &str = "foreign";

/// What is wrong with the log, or worth knowing of it. Lines count from 1.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Finding {
    /// The line is not what was written there.
    Edited {
        /// Line of the log.
        line: usize,
    },
    /// The line was never written by forge.
    Added {
        /// Line of the log.
        line: usize,
    },
    /// A line is gone.
    Removed {
        /// Where it stood when it was written.
        line: usize,
    },
    /// The line stood elsewhere.
    Moved {
        /// Line of the log.
        line: usize,
        /// Where it stood when it was written.
        from: usize,
    },
    /// A line of the chain does not follow from the one before it.
    Unlinked {
        /// Line of the chain.
        line: usize,
    },
    /// One line got its digest later than it was written, as after a crash. No proof of anything.
    Late {
        /// Line of the log.
        line: usize,
    },
}

impl Finding {
    /// Whether somebody changed something, as opposed to what a crash explains.
    #[must_use]
    pub fn is_problem(self) -> bool {
        !matches!(self, Self::Late { .. })
    }
}

impl fmt::Display for Finding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Edited { line } => write!(f, "line {line} was edited"),
            Self::Added { line } => write!(f, "line {line} was added by hand"),
            Self::Removed { line } => write!(f, "the line that was line {line} was removed"),
            Self::Moved { line, from } => write!(f, "line {line} was moved; it was line {from}"),
            Self::Unlinked { line } => write!(f, "line {line} of the chain was altered, or the one before it removed"),
            Self::Late { line } => {
                write!(f, "line {line} got its digest late: a crash just after it was written, or added by hand")
            }
        }
    }
}

struct Entry<'c> {
    digest: &'c str,
    link: &'c str,
    mark: &'c str,
}

/// What to add to the chain for lines of the log that it does not know. The first chain accepts the log as it finds
/// it.
pub(super) fn missing(chain: &str, log: &str) -> String {
    let known = chain.split_terminator('\n').count();
    let unknown: Vec<&str> = log.split_terminator('\n').skip(known).collect();
    let mark = match unknown.len() {
        _ if known == 0 => ACCEPTED,
        1 => LATE,
        _ => FOREIGN,
    };
    extension(chain, &unknown, mark)
}

/// What to add to the chain for lines that follow those it knows.
pub(super) fn extension(chain: &str, lines: &[&str], mark: &str) -> String {
    let mut link =
        chain.split_terminator('\n').next_back().and_then(|line| line.split(' ').nth(1)).unwrap_or_default().to_owned();
    let mut added = String::new();
    for line in lines {
        let digest = digest::hex(line.as_bytes());
        link = link_of(&link, &digest, mark);
        added.push_str([digest.as_str(), &link, mark].join(" ").trim_end());
        added.push('\n');
    }
    added
}

/// The part of the chain that was written whole; a process may have been killed within its last line.
pub(super) fn whole(chain: &str) -> &str {
    chain.rfind('\n').and_then(|end| chain.get(..=end)).unwrap_or_default()
}

fn link_of(before: &str, digest: &str, mark: &str) -> String {
    digest::hex([before, digest, mark].concat().as_bytes())
}

/// Everything that can be found out about the log, by line.
pub(super) fn compare(chain: &str, log: &str) -> Vec<Finding> {
    let mut findings = Vec::new();
    let mut before = "";
    let mut entries = Vec::new();
    for (index, line) in whole(chain).split_terminator('\n').enumerate() {
        let mut words = line.split(' ');
        let mut word = || words.next().unwrap_or_default();
        let entry = Entry { digest: word(), link: word(), mark: word() };
        if entry.link != link_of(before, entry.digest, entry.mark) {
            findings.push(Finding::Unlinked { line: index + 1 });
        }
        before = entry.link;
        entries.push(entry);
    }
    let lines: Vec<String> = log.split_terminator('\n').map(|line| digest::hex(line.as_bytes())).collect();
    if !entries.is_empty() {
        differences(&entries, &lines, &mut findings);
    }
    findings.sort_unstable();
    findings
}

/// How the log differs from what the chain says it was.
fn differences(entries: &[Entry<'_>], lines: &[String], findings: &mut Vec<Finding>) {
    // Where the lines of each digest stood.
    let mut stood: HashMap<&str, VecDeque<usize>> = HashMap::new();
    for (index, entry) in entries.iter().enumerate() {
        stood.entry(entry.digest).or_default().push_back(index);
    }
    let mut is_gone: Vec<bool> = vec![true; entries.len()];
    // Lines nobody knows, with the place in the chain where each would belong.
    let mut unknown = Vec::new();
    let mut expected = 0;
    let mut furthest = 0;
    for (index, line) in lines.iter().enumerate() {
        let line_number = index + 1;
        let Some(from) = stood.get_mut(line.as_str()).and_then(VecDeque::pop_front) else {
            unknown.push((line_number, expected));
            expected += 1;
            continue;
        };
        if let Some(is_gone) = is_gone.get_mut(from) {
            *is_gone = false;
        }
        if from < furthest {
            findings.push(Finding::Moved { line: line_number, from: from + 1 });
        }
        match entries.get(from).map_or("", |entry| entry.mark) {
            LATE => findings.push(Finding::Late { line: line_number }),
            FOREIGN => findings.push(Finding::Added { line: line_number }),
            _ => {}
        }
        expected = from + 1;
        furthest = furthest.max(expected);
    }
    let at_end = unknown.iter().filter(|(_, place)| *place >= entries.len()).count();
    for (line, place) in unknown {
        findings.push(match is_gone.get_mut(place) {
            Some(is_gone) if *is_gone => {
                *is_gone = false;
                Finding::Edited { line }
            }
            None if at_end == 1 => Finding::Late { line },
            _ => Finding::Added { line },
        });
    }
    let removed = is_gone.iter().enumerate().filter(|(_, is_gone)| **is_gone);
    findings.extend(removed.map(|(index, _)| Finding::Removed { line: index + 1 }));
}
