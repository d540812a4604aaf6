//! Tables and bars for people: plain lines without a terminal, colours and the terminal's width with one. `NO_COLOR` is
//! honoured where the text is written. Knows nothing of what the cells mean.

use crate::bytecode::is_deceptive;
use comfy_table::presets::{NOTHING, UTF8_HORIZONTAL_ONLY};
use comfy_table::{Cell, CellAlignment, Color, ContentArrangement, Table};

/// Narrowest terminal that tables are fitted to, columns.
const NARROWEST: u16 = 40;

/// How a cell should catch the eye.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Tone {
    /// Not at all.
    Plain,
    /// As well.
    Good,
    /// As worth a look.
    Doubtful,
    /// As wrong.
    Bad,
    /// As of less interest.
    Faint,
}

/// A text with its tone.
pub(super) struct Text {
    text: String,
    tone: Tone,
    right: bool,
}

impl Text {
    pub(super) fn new(text: impl AsRef<str>) -> Self {
        Self { text: printable(text.as_ref()), tone: Tone::Plain, right: false }
    }

    pub(super) fn toned(text: impl AsRef<str>, tone: Tone) -> Self {
        Self { tone, ..Self::new(text) }
    }

    pub(super) fn number(number: impl std::fmt::Display) -> Self {
        Self { right: true, ..Self::new(number.to_string()) }
    }
}

/// A table with a head, with a line break at its end.
pub(super) fn table(head: &[&str], rows: Vec<Vec<Text>>, is_terminal: bool) -> String {
    let mut table = Table::new();
    table.load_style(if is_terminal { UTF8_HORIZONTAL_ONLY } else { NOTHING });
    if is_terminal {
        // One that says it has no width, as in many pipelines, would get a letter a line.
        let is_wide = table.width().is_some_and(|width| width >= NARROWEST);
        table.set_content_arrangement(if is_wide { ContentArrangement::Dynamic } else { ContentArrangement::Disabled });
    } else {
        table.force_no_tty();
    }
    table.set_header(head.iter().map(|title| cell(&Text::toned(title, Tone::Faint))));
    for row in rows {
        table.add_row(row.iter().map(cell));
    }
    let lines: Vec<String> = table.lines().map(|line| format!("{}\n", line.trim_end())).collect();
    lines.concat()
}

fn cell(text: &Text) -> Cell {
    let cell = Cell::new(&text.text);
    let cell = if text.right { cell.set_alignment(CellAlignment::Right) } else { cell };
    match text.tone {
        Tone::Plain => cell,
        Tone::Good => cell.fg(Color::Green),
        Tone::Doubtful => cell.fg(Color::Yellow),
        Tone::Bad => cell.fg(Color::Red),
        Tone::Faint => cell.fg(Color::DarkGrey),
    }
}

/// A bar of at most `width` characters, in eighths; a share above nothing shows.
pub(super) fn bar(share: f64, width: u32) -> String {
    const EIGHTHS: [&str; 8] = ["", "▏", "▎", "▍", "▌", "▋", "▊", "▉"];
    #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "between 0 and eight times the width")]
    let eighths = (share.clamp(0.0, 1.0) * f64::from(width) * 8.0).round() as usize;
    let eighths = if share > 0.0 { eighths.max(1) } else { eighths };
    let part = EIGHTHS.get(eighths % 8).copied().unwrap_or_default();
    format!("{}{part}", "█".repeat(eighths / 8))
}

/// A text of other people, without what could move the cursor or turn the line around.
pub(super) fn printable(text: &str) -> String {
    text.chars().map(|c| if is_deceptive(c) { '\u{fffd}' } else { c }).collect()
}
