//! The sections of the report but its timeline.

use super::{Subject, escaped, plural};
use crate::cli::audit::Found;
use crate::cli::metrics::{Metrics, OfBehavior, Tally, Verdict};
use crate::cli::moment::{ago, minute};
use crate::model::{Level, Timestamp};
use crate::store::Snapshot;
use std::fmt::Write;

/// Most rows of a table; the page says how many more there are.
const ROWS: usize = 200;

/// The five figures at the top.
pub(super) fn tiles(subject: &Subject<'_>) -> String {
    let Metrics { installed, enabled, total, sessions, .. } = subject.metrics;
    let rate = total.rate().map_or(String::from("–"), |rate| format!("{rate:.2}"));
    let class = class(total.verdict());
    let tile = |figure: &str, what: &str| format!("<div class=\"tile\"><b>{figure}</b><span>{what}</span></div>\n");
    [
        String::from("<div class=\"tiles\">\n"),
        tile(&total.violations.to_string(), "violations"),
        tile(&total.blocks.to_string(), "blocked calls"),
        tile(&total.overrides.to_string(), "overridden blocks"),
        tile(&format!("<span class=\"{class}\">{rate}</span>"), "override rate"),
        tile(&sessions.len().to_string(), "remembered sessions"),
        tile(&format!("{enabled}/{installed}"), "behaviors on"),
        String::from("</div>\n"),
    ]
    .concat()
}

/// What `forge audit` complains about.
pub(super) fn problems(found: &Found) -> String {
    let items = |class: &str, texts: &[String]| {
        texts.iter().map(|text| format!("<li class=\"{class}\">{}</li>\n", escaped(text))).collect::<String>()
    };
    let title = match found.problems.len() as u64 {
        0 => String::from("<h2 class=\"good\">No problems</h2>"),
        more => format!("<h2 class=\"bad\">{}</h2>", plural(more, "problem")),
    };
    let list = format!("{}{}", items("bad", &found.problems), items("faint", &found.notes));
    let list = if list.is_empty() { list } else { format!("<ul>\n{list}</ul>") };
    format!("<section>{title}{list}</section>\n")
}

/// One row a behavior: violations by level, blocks, overrides and their rate.
pub(super) fn behaviors(metrics: &Metrics) -> String {
    let most = metrics.behaviors.iter().map(|behavior| behavior.tally.violations).max().unwrap_or(0).max(1);
    let rows: String = metrics.behaviors.iter().take(ROWS).map(|behavior| row(behavior, most)).collect();
    let key: String = Level::ALL
        .iter()
        .map(|level| format!("<span><i class=\"{0}\"></i>{1}</span>", level.name(), level.name().replace('_', " ")))
        .collect();
    format!(
        "<section><h2>Behaviors</h2><p class=\"faint\">Violations by the level they were answered with. The rate is \
         overridden per blocked call: below 0.3 people agree with the rule, above 0.7 they go past it.</p>\
         <div class=\"key\">{key}</div><div class=\"scroll\"><table>\n<tr><th>behavior</th><th>acts</th>\
         <th style=\"width:34%\">violations</th><th class=\"number\"></th><th class=\"number\">blocked</th>\
         <th class=\"number\">overridden</th><th style=\"width:16%\">override rate</th><th></th></tr>\n\
         {rows}</table></div>{}</section>\n",
        rest(metrics.behaviors.len())
    )
}

fn row(behavior: &OfBehavior, most: u64) -> String {
    let Tally { violations, by_level, blocks, overrides } = behavior.tally;
    let mut bar = String::new();
    for (level, count) in Level::ALL.iter().zip(by_level).filter(|(_, count)| *count > 0) {
        let name = level.name();
        let _ = write!(
            bar,
            "<i class=\"{name}\" style=\"width:{:.2}%\" title=\"{name}: {count}\"></i>",
            percent(count, most)
        );
    }
    let meter = behavior.tally.rate().map_or(String::new(), |rate| {
        let width = (rate * 100.0).clamp(0.0, 100.0);
        format!("<div class=\"meter\"><i style=\"width:{width:.1}%\"></i><s style=\"left:30%\"></s><s style=\"left:70%\"></s></div>")
    });
    let verdict = behavior.tally.verdict();
    let rate = behavior.tally.rate().map_or(String::new(), |rate| {
        format!("<span class=\"whole {}\">{rate:.2} {}</span>", class(verdict), verdict.name())
    });
    let acts = match behavior.enabled {
        Some(true) => "on",
        Some(false) => "<span class=\"faint\">off</span>",
        None => "<span class=\"doubtful\">unknown</span>",
    };
    format!(
        "<tr><td class=\"whole\"><span class=\"name\">{}</span></td><td>{acts}</td><td><div class=\"bar\">{bar}</div></td>\
         <td class=\"number\">{violations}</td><td class=\"number\">{blocks}</td><td class=\"number\">{overrides}</td>\
         <td>{meter}</td><td>{rate}</td></tr>\n",
        escaped(&behavior.id)
    )
}

/// One row a session.
pub(super) fn sessions(metrics: &Metrics, now: Timestamp) -> String {
    let mut rows = String::new();
    for session in metrics.sessions.iter().take(ROWS) {
        let Tally { violations, blocks, overrides, .. } = session.tally;
        let level = match violations {
            0 => String::new(),
            _ => format!(
                "<span class=\"key\" style=\"margin:0\"><span><i class=\"{0}\"></i>{0}</span></span>",
                session.level.name()
            ),
        };
        let seen = session
            .last_accessed
            .map_or(String::new(), |at| format!("<span title=\"{}\">{}</span>", minute(at), ago(at, now)));
        let off: Vec<String> = session.switched_off.iter().map(|id| escaped(id)).collect();
        let _ = writeln!(
            rows,
            "<tr><td><span class=\"name\">{}</span></td><td class=\"faint\">{seen}</td><td class=\"number\">{violations}</td>\
             <td class=\"number\">{blocks}</td><td class=\"number\">{overrides}</td><td>{level}</td><td class=\"faint\">{}</td></tr>",
            escaped(&session.id),
            off.join(", ")
        );
    }
    if rows.is_empty() {
        rows = String::from("<tr><td colspan=\"7\" class=\"faint\">no session is remembered</td></tr>\n");
    }
    format!(
        "<section><h2>Sessions</h2><p class=\"faint\">Those the state still remembers; one that nobody used for a day is \
         forgotten.</p><div class=\"scroll\"><table>\n<tr><th>session</th><th>seen</th><th class=\"number\">violations</th>\
         <th class=\"number\">blocked</th><th class=\"number\">overridden</th><th>highest level</th><th>switched off</th></tr>\n\
         {rows}</table></div>{}</section>\n",
        rest(metrics.sessions.len())
    )
}

/// The audit log, the newest first.
pub(super) fn overrides(seen: &Snapshot) -> String {
    let mut rows = String::new();
    for line in seen.log.iter().rev().take(ROWS) {
        let _ = writeln!(
            rows,
            "<tr><td class=\"faint\">{}</td><td><span class=\"name\">{}</span></td><td><span class=\"name\">{}</span></td>\
             <td>{}</td><td><code>{}</code></td><td class=\"number\">{}</td></tr>",
            minute(line.at),
            escaped(&line.session),
            escaped(&line.behavior),
            escaped(&line.tool),
            escaped(&line.summary),
            line.counter
        );
    }
    let count = plural(seen.log.len() as u64, "override");
    if rows.is_empty() {
        return String::from(
            "<section><h2>Audit log</h2><p class=\"faint\">No block was ever overridden.</p></section>\n",
        );
    }
    format!(
        "<section><details open><summary>Audit log: {count}</summary><div class=\"scroll\"><table>\n<tr><th>when (UTC)</th>\
         <th>session</th><th>behavior</th><th>tool</th><th>call</th><th class=\"number\">violations</th></tr>\n\
         {rows}</table></div>{}</details></section>\n",
        rest(seen.log.len())
    )
}

fn rest(rows: usize) -> String {
    match rows.saturating_sub(ROWS) {
        0 => String::new(),
        more => format!("<p class=\"faint\">… and {more} more</p>"),
    }
}

fn class(verdict: Verdict) -> &'static str {
    match verdict {
        Verdict::Unknown => "faint",
        Verdict::Healthy => "good",
        Verdict::Review => "doubtful",
        Verdict::Ineffective => "bad",
    }
}

#[allow(clippy::cast_precision_loss, reason = "the length of a bar")]
fn percent(part: u64, whole: u64) -> f64 {
    part as f64 * 100.0 / whole as f64
}
