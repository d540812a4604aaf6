//! Tables and bars for people: plain lines without a terminal, colours and the terminal's width with one. `NO_COLOR` is
//! honoured where the text is written. Knows nothing of what the cells mean.

use crate::bytecode::is_deceptive;
use comfy_table::presets::NOTHING;
use comfy_table::{Cell, CellAlignment, Color, ColumnConstraint, ContentArrangement, Table, Width};

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

    /// Of the words in it, in characters: what is in these tables is one column each.
    fn widest_word(&self) -> u16 {
        let widest = self.text.split_whitespace().map(|word| word.chars().count()).max().unwrap_or_default();
        u16::try_from(widest).unwrap_or(u16::MAX)
    }

    pub(super) fn number(number: impl std::fmt::Display) -> Self {
        Self { right: true, ..Self::new(number.to_string()) }
    }
}

/// A table with a head, with a line break at its end.
pub(super) fn table(head: &[&str], rows: Vec<Vec<Text>>, is_terminal: bool) -> String {
    let mut table = Table::new();
    table.load_style(NOTHING);
    if !is_terminal {
        table.force_no_tty();
    }
    // A terminal that says it has no width, as in many pipelines, would get a letter a line.
    let width = table.width().filter(|width| is_terminal && *width >= NARROWEST);
    filled(table, head, rows, width)
}

/// The lines. Cells are broken between words to fit a width, never within one: half an id helps nobody.
fn filled(mut table: Table, head: &[&str], rows: Vec<Vec<Text>>, width: Option<u16>) -> String {
    let head: Vec<Text> = head.iter().map(|title| Text::toned(title, Tone::Faint)).collect();
    let mut widest_words = vec![0; head.len()];
    table.set_header(head.iter().map(cell));
    for row in std::iter::once(&head).chain(&rows) {
        for (widest, text) in widest_words.iter_mut().zip(row) {
            *widest = text.widest_word().max(*widest);
        }
    }
    for row in rows {
        table.add_row(row.iter().map(cell));
    }
    if let Some(width) = width {
        table.set_width(width).set_content_arrangement(ContentArrangement::Dynamic);
        for (column, widest) in table.column_iter_mut().zip(widest_words) {
            let with_margins = widest.saturating_add(2);
            column.set_constraint(ColumnConstraint::LowerBoundary(Width::Fixed(with_margins)));
        }
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

#[cfg(test)]
mod tests {
    use super::*;

    fn lines(width: Option<u16>) -> Vec<String> {
        let row = |id: &str| vec![Text::new(id), Text::new("1 nudge, 3 warning, 5 soft_block"), Text::number(7)];
        let mut table = Table::new();
        table.load_style(NOTHING).force_no_tty();
        let rows = vec![row("no-destructive-git"), row("search-first")];
        filled(table, &["BEHAVIOR", "LEVELS", "VIOLATIONS"], rows, width).lines().map(str::to_owned).collect()
    }

    #[test]
    fn a_row_is_a_line_where_there_is_room() {
        assert_eq!(lines(None).len(), 3);
        assert_eq!(lines(Some(100)), lines(None), "no rules between the rows either");
    }

    #[test]
    fn a_narrow_terminal_breaks_between_words() {
        let lines = lines(Some(50));
        assert!(lines.len() > 3 && lines.iter().all(|line| line.chars().count() <= 50), "{lines:#?}");
        for word in ["no-destructive-git", "search-first", "soft_block", "VIOLATIONS"] {
            assert!(lines.iter().any(|line| line.contains(word)), "{word} is in pieces: {lines:#?}");
        }
    }

    #[test]
    fn a_terminal_too_narrow_for_the_words_leaves_them_whole() {
        let lines = lines(Some(NARROWEST - 2));
        assert!(lines.iter().any(|line| line.contains("no-destructive-git")), "{lines:#?}");
    }
}
