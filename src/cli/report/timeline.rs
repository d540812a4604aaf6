//! Violations and overrides over time, as columns. Overrides are known to the second, from the audit log; of violations
//! the state keeps the latest of each behavior and session, and there all of the session's count is drawn.

use crate::cli::moment::{day, minute};
use crate::model::Timestamp;
use crate::store::Snapshot;
use std::fmt::Write;

const HOUR: i64 = 3600;
const DAY: i64 = 24 * HOUR;
/// Most columns.
const COLUMNS: i64 = 60;
/// Size of the drawing and of what lies around it.
const SIZE: (f64, f64) = (720.0, 210.0);
const MARGIN: (f64, f64) = (36.0, 24.0);

/// What happened in one stretch of time.
#[derive(Clone, Copy, Default)]
struct Column {
    violations: u64,
    overrides: u64,
}

/// Columns that begin at a moment and are equally wide.
struct Columns {
    start: i64,
    width: i64,
    columns: Vec<Column>,
}

/// The section.
pub(super) fn section(seen: &Snapshot) -> String {
    let body = match columns(seen) {
        Some(columns) => drawn(&columns),
        None => String::from("<p class=\"faint\">Nothing happened yet.</p>"),
    };
    format!(
        "<section><h2>Over time</h2><p class=\"faint\">Overrides stand where they happened. Of violations only the latest of \
         each behavior and session is known; all of that session's stand there.</p><div class=\"key\">\
         <span><i class=\"violation\"></i>violations</span><span><i class=\"override\"></i>overrides</span></div>\
         {body}</section>\n"
    )
}

fn columns(seen: &Snapshot) -> Option<Columns> {
    let violations = seen.sessions.iter().flat_map(|session| session.session.behaviors.values());
    let violations = violations.filter_map(|state| Some((state.last_violation.as_ref()?.at.0, state.counter)));
    let violations: Vec<(i64, u64)> = violations.filter(|(_, count)| *count > 0).collect();
    let overrides: Vec<i64> = seen.log.iter().map(|line| line.at.0).collect();
    let moments = || violations.iter().map(|(at, _)| *at).chain(overrides.iter().copied());
    let (first, last) = (moments().min()?, moments().max()?);
    let span = last.saturating_sub(first);
    let unit = if span < 2 * DAY { HOUR } else { DAY };
    // A whole number of units, so that no more than the most columns are needed.
    let width = unit.saturating_mul((span / unit / COLUMNS).saturating_add(1));
    let start = first.div_euclid(width).saturating_mul(width);
    let place = |at: i64| usize::try_from(at.saturating_sub(start) / width).unwrap_or(0);
    let mut columns = vec![Column::default(); place(last) + 1];
    for (at, count) in violations {
        if let Some(column) = columns.get_mut(place(at)) {
            column.violations = column.violations.saturating_add(count);
        }
    }
    for at in overrides {
        if let Some(column) = columns.get_mut(place(at)) {
            column.overrides += 1;
        }
    }
    Some(Columns { start, width, columns })
}

#[allow(clippy::cast_precision_loss, reason = "places in a drawing")]
fn drawn(all: &Columns) -> String {
    let Columns { start, width, columns } = all;
    let most = columns.iter().map(|column| column.violations.max(column.overrides)).max().unwrap_or(1).max(1);
    let step = tick(most);
    let top = most.div_ceil(step).saturating_mul(step);
    let (inner_width, inner_height) = (SIZE.0 - MARGIN.0, SIZE.1 - 2.0 * MARGIN.1);
    let slot = inner_width / columns.len() as f64;
    let height = |count: u64| inner_height * count as f64 / top as f64;
    let y = |count: u64| MARGIN.1 + inner_height - height(count);
    let mut svg = format!(
        "<svg viewBox=\"0 0 {} {}\" role=\"img\" aria-label=\"violations and overrides over time\">\n",
        SIZE.0, SIZE.1
    );
    for line in 0..=top / step {
        let count = line * step;
        let _ = writeln!(
            svg,
            "<line x1=\"{}\" x2=\"{}\" y1=\"{2:.1}\" y2=\"{2:.1}\"/><text x=\"{3}\" y=\"{4:.1}\" text-anchor=\"end\">{count}</text>",
            MARGIN.0,
            SIZE.0,
            y(count),
            MARGIN.0 - 6.0,
            y(count) + 4.0
        );
    }
    // A pair of columns takes most of its slot, but a lone pair does not fill the page.
    let bar = (slot * 0.36).min(28.0);
    let labels = columns.len().div_ceil(8).max(1);
    for (index, column) in columns.iter().enumerate() {
        let middle = MARGIN.0 + slot * (index as f64 + 0.5);
        let moment = Timestamp(start.saturating_add(width.saturating_mul(i64::try_from(index).unwrap_or(0))));
        let name = if *width < DAY { minute(moment) } else { day(moment) };
        for (class, count, left) in
            [("violations", column.violations, middle - bar), ("overrides", column.overrides, middle)]
        {
            if count > 0 {
                let _ = writeln!(
                    svg,
                    "<rect class=\"{class}\" x=\"{left:.1}\" y=\"{:.1}\" width=\"{bar:.1}\" height=\"{:.1}\" rx=\"2\"><title>{name}: {count} {class}</title></rect>",
                    y(count),
                    height(count)
                );
            }
        }
        if index % labels == 0 {
            // Hours where the columns are hours, else month and day.
            let short: String =
                if *width < DAY { name.chars().skip(11).collect() } else { name.chars().skip(5).collect() };
            let _ = writeln!(
                svg,
                "<text x=\"{middle:.1}\" y=\"{:.1}\" text-anchor=\"middle\">{short}</text>",
                SIZE.1 - 6.0
            );
        }
    }
    svg.push_str("</svg>\n");
    let last = start.saturating_add(width.saturating_mul(i64::try_from(columns.len()).unwrap_or(1)));
    let _ = write!(svg, "<p class=\"faint\">{} to {} UTC</p>", minute(Timestamp(*start)), minute(Timestamp(last)));
    svg
}

/// A distance between lines that gives at most five of them: 1, 2 or 5 times a power of ten.
fn tick(most: u64) -> u64 {
    let mut power = 1_u64;
    loop {
        for step in [1, 2, 5] {
            let step = power.saturating_mul(step);
            if most.div_ceil(step) <= 5 {
                return step;
            }
        }
        power = power.saturating_mul(10);
    }
}
