//! The results as JUnit XML, which every build server can show: a suite per file, a case per scenario.

use super::report::{Report, Result};
use crate::scenario::Failure;
use std::fmt::Write as _;

/// The document.
pub(super) fn xml(report: &Report<'_>) -> String {
    let mut xml = String::from("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites name=\"forge test\">\n");
    let mut rest: &[Result<'_>] = &report.results;
    while let Some(first) = rest.first() {
        let of_it = rest.iter().take_while(|result| result.suite == first.suite).count();
        let (results, others) = rest.split_at(of_it);
        let failed = results.iter().filter(|result| !result.played.passed()).count();
        let file = escaped(report.file(first.suite));
        // Writing to a String cannot fail.
        let _ = writeln!(xml, "  <testsuite name=\"{file}\" tests=\"{of_it}\" failures=\"{failed}\">");
        results.iter().for_each(|result| case(&mut xml, &file, result));
        xml.push_str("  </testsuite>\n");
        rest = others;
    }
    xml.push_str("</testsuites>\n");
    xml
}

fn case(xml: &mut String, file: &str, result: &Result<'_>) {
    let class = escaped(result.suite.behavior.as_deref().unwrap_or("scenarios"));
    let name = escaped(&result.scenario.name.value);
    let line = result.scenario.name.place.line;
    let _ = write!(xml, "    <testcase classname=\"{class}\" name=\"{name}\" file=\"{file}\" line=\"{line}\"");
    if result.played.passed() {
        xml.push_str("/>\n");
        return;
    }
    xml.push_str(">\n");
    for failure in &result.played.failures {
        let place = format!("{file}:{}:{}", failure.place.line, failure.place.column);
        let message = escaped(&format!("step {}: {}", failure.step, failure.title));
        let _ = writeln!(xml, "      <failure message=\"{message}\">{place}\n{}</failure>", escaped(&body(failure)));
    }
    xml.push_str("    </testcase>\n");
}

fn body(failure: &Failure) -> String {
    let mut body = String::new();
    for difference in &failure.differences {
        let _ = writeln!(body, "{}: expected {}, got {}", difference.what, difference.expected, difference.got);
    }
    body.extend(failure.disagreement.clone());
    body
}

/// A text as XML may hold it: five characters written out, those that XML cannot hold replaced.
fn escaped(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for letter in text.chars() {
        match letter {
            '&' => escaped.push_str("&amp;"),
            '<' => escaped.push_str("&lt;"),
            '>' => escaped.push_str("&gt;"),
            '"' => escaped.push_str("&quot;"),
            '\n' => escaped.push_str("&#10;"),
            '\t' => escaped.push(' '),
            letter if letter.is_control() || matches!(letter, '\u{fffe}' | '\u{ffff}') => escaped.push('\u{fffd}'),
            letter => escaped.push(letter),
        }
    }
    escaped
}
