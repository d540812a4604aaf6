//! `forge prices`: the list prices that spending is counted with, the project's own first.

use super::output::{say, stdout_is_terminal};
use super::table::{Text, table};
use super::{Exit, project};
use crate::error::Result;
use crate::host::OsHost;
use crate::signals::{Nanos, PRICES_CHECKED, Prices, Rates};
use crate::store::Paths;
use serde_json::json;
use std::path::PathBuf;

/// Arguments.
#[derive(clap::Args)]
pub(super) struct Arguments {
    /// The project's folder; without it, the nearest one upward that has `behaviors/` or `.forge/`, if there is one
    #[arg(long, value_name = "DIR")]
    root: Option<PathBuf>,
    /// Print one JSON object
    #[arg(long)]
    json: bool,
}

pub(super) fn run(arguments: &Arguments) -> Result<Exit> {
    let host = OsHost::new();
    let root = match &arguments.root {
        Some(root) => Some(project::root(&host, Some(root))?),
        None => project::root(&host, None).ok(),
    };
    let prices = root.map_or_else(Prices::default, |root| Prices::of(&host, &Paths::new(&root).prices()));
    let rows: Vec<(&str, Rates)> = prices.rows().collect();
    if arguments.json {
        let all: serde_json::Map<_, _> =
            rows.iter().rev().map(|(id, rates)| ((*id).to_owned(), as_json(rates))).collect();
        let told = json!({"checked": PRICES_CHECKED, "usd_per_million_tokens": all});
        return say(&format!("{told}\n")).map(|()| Exit::Fine);
    }
    let row = |(id, rates): &(&str, Rates)| {
        let Rates { input, cache_read, cache_write_5m, cache_write_1h, output } = *rates;
        let prices =
            [input, cache_read, cache_write_5m, cache_write_1h, output].map(|rate| Text::number(dollars(rate)));
        [Text::new(id)].into_iter().chain(prices).collect()
    };
    let head = ["model", "input", "cache read", "write 5 min", "write 1 h", "output"];
    let mut text = table(&head, rows.iter().map(row).collect(), stdout_is_terminal());
    text.push_str(&format!(
        "\nUS dollars per million tokens, checked {PRICES_CHECKED}. A model that is not listed costs what the dearest of its \
         family does; add models in `.forge/prices.yaml` and run `forge compile`.\n"
    ));
    say(&text).map(|()| Exit::Fine)
}

/// A price per million tokens: a token costs a whole number of billionths, so three decimals say it exactly.
fn dollars(rate: u64) -> String {
    let text = format!("{}.{:03}", rate / 1_000, rate % 1_000);
    let short = text.strip_suffix('0').map_or(text.as_str(), |short| short);
    short.to_owned()
}

fn as_json(rates: &Rates) -> serde_json::Value {
    let price = |rate: u64| json!(rate as f64 * 1e6 / Nanos::DOLLAR as f64);
    json!({
        "input": price(rates.input),
        "cache_read": price(rates.cache_read),
        "cache_write_5m": price(rates.cache_write_5m),
        "cache_write_1h": price(rates.cache_write_1h),
        "output": price(rates.output),
    })
}
