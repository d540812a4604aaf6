//! The page of all codes (`docs/diagnostics.md`), generated from the table so that neither can say what the other does not.

use super::Code;
use std::fmt::Write;

/// The page, in Markdown.
#[must_use]
pub fn page() -> String {
    let mut text = String::from(
        "# Diagnostics\n\nWhat `forge compile` can find in the files of a project. Generated from the table in \
         `src/diagnostic/code.rs`; an example of each is in `tests/data/diagnostics/`.\n\n\
         Errors keep the whole catalogue from compiling, warnings do not.\n",
    );
    for code in Code::ALL {
        // Writing to a String cannot fail.
        let _ = write!(
            text,
            "\n## {} {} ({})\n\n{}\n",
            code.name(),
            code.title(),
            code.severity().name(),
            code.explanation().trim()
        );
    }
    text
}
