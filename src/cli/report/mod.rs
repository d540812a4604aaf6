//! `forge audit --report`: one HTML page that needs no network and no JavaScript, and may be mailed around. Pure: data in,
//! text out. Every text from outside goes through `escaped`.

mod parts;
mod timeline;

use super::audit::Found;
use super::metrics::Metrics;
use super::moment::minute;
use super::table::printable;
use crate::model::Timestamp;
use crate::store::Snapshot;

/// What the page is about.
pub(super) struct Subject<'a> {
    /// The project's name.
    pub(super) name: &'a str,
    /// When it is made.
    pub(super) now: Timestamp,
    pub(super) metrics: &'a Metrics,
    pub(super) seen: &'a Snapshot,
    pub(super) found: &'a Found,
}

/// The page. Its policy forbids it to load anything, whatever a text may smuggle in.
pub(super) fn page(subject: &Subject<'_>) -> String {
    let name = escaped(subject.name);
    let style = include_str!("style.css");
    let made = minute(subject.now);
    let parts = [
        parts::tiles(subject),
        parts::problems(subject.found),
        timeline::section(subject.seen),
        parts::behaviors(subject.metrics),
        parts::sessions(subject.metrics, subject.now),
        parts::overrides(subject.seen),
    ];
    format!(
        "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
         <meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'\">\n\
         <title>forge audit: {name}</title>\n<style>\n{style}</style>\n</head>\n<body>\n<main>\n\
         <header><h1>{name}</h1><span class=\"faint\">forge audit, {made} UTC</span></header>\n{}</main>\n</body>\n</html>\n",
        parts.concat()
    )
}

/// A text that is nothing but text to a browser.
fn escaped(text: &str) -> String {
    let mut safe = String::with_capacity(text.len());
    for character in printable(text).chars() {
        match character {
            '&' => safe.push_str("&amp;"),
            '<' => safe.push_str("&lt;"),
            '>' => safe.push_str("&gt;"),
            '"' => safe.push_str("&quot;"),
            '\'' => safe.push_str("&#39;"),
            other => safe.push(other),
        }
    }
    safe
}

/// A count as people write it, or "1 session".
fn plural(count: u64, what: &str) -> String {
    format!("{count} {what}{}", if count == 1 { "" } else { "s" })
}
