//! What a response costs: the price of its model, or of the dearest model it could be.
//! Uses the price table and one file of added rows; knows no transcript.

use super::money::{Nanos, Usage};
use super::price_table::{FAMILIES, MODELS};
use crate::host::Host;
use crate::limits;
use std::path::Path;

/// What a token of one model costs, billionths of a dollar.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Rates {
    /// See [`Usage::input`].
    pub input: u64,
    /// See [`Usage::cache_read`].
    pub cache_read: u64,
    /// See [`Usage::cache_write_5m`].
    pub cache_write_5m: u64,
    /// See [`Usage::cache_write_1h`].
    pub cache_write_1h: u64,
    /// See [`Usage::output`].
    pub output: u64,
}

impl Rates {
    /// What these tokens cost.
    #[must_use]
    pub fn cost(&self, usage: &Usage) -> Nanos {
        let parts = [
            (usage.input, self.input),
            (usage.cache_read, self.cache_read),
            (usage.cache_write_5m, self.cache_write_5m),
            (usage.cache_write_1h, self.cache_write_1h),
            (usage.output, self.output),
        ];
        Nanos(parts.into_iter().fold(0, |sum, (tokens, rate)| sum.saturating_add(tokens.saturating_mul(rate))))
    }
}

/// A price, and whether it is the model's own.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Priced {
    /// How much.
    pub cost: Nanos,
    /// No row knows the model: this is the most it could cost.
    pub is_estimate: bool,
}

/// Whose models a transcript names when they are of no known family.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Vendor {
    /// Any.
    Unknown,
    /// Codex runs OpenAI's models, whatever they are called.
    OpenAi,
}

/// The price list: the built-in rows, and those the user or the project added.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Prices {
    /// Rows that win over built-in ones of the same id; the first of several wins.
    pub added: Vec<(String, Rates)>,
}

impl Prices {
    /// The list with the rows of a file that the compiler wrote; without them when it is not there or not one of ours.
    #[must_use]
    pub fn of(host: &dyn Host, path: &Path) -> Self {
        let bytes = host.read(path, limits::YAML_BYTES).unwrap_or_default();
        let text = String::from_utf8(bytes).unwrap_or_default();
        Self { added: text.lines().map_while(row).collect() }
    }

    /// The added rows as such a file: a line per model, its id last, for only it may hold spaces.
    #[must_use]
    pub fn to_file(&self) -> String {
        let line = |(id, rates): &(String, Rates)| {
            let Rates { input, cache_read, cache_write_5m, cache_write_1h, output } = *rates;
            format!("{input} {cache_read} {cache_write_5m} {cache_write_1h} {output} {id}\n")
        };
        self.added.iter().map(line).collect()
    }

    /// What a response costs. A model no row knows costs what the dearest of its family would have cost, or the dearest
    /// of all: too much rather than nothing, so that a cap still holds.
    #[must_use]
    pub fn price(&self, usage: &Usage, model: &str, vendor: Vendor) -> Priced {
        if let Some(rates) = self.rates(model) {
            return Priced { cost: rates.cost(usage), is_estimate: false };
        }
        let name = model.to_ascii_lowercase();
        let family = FAMILIES.iter().copied().find(|family| name.contains(family));
        let family = family.or((vendor == Vendor::OpenAi).then_some("gpt"));
        let dearest = |keep: &dyn Fn(&str) -> bool| {
            self.rows().filter(|(id, _)| keep(id)).map(|(_, rates)| rates.cost(usage)).max()
        };
        let in_family = family.and_then(|family| dearest(&|id| id.starts_with(family)));
        Priced { cost: in_family.or_else(|| dearest(&|_| true)).unwrap_or_default(), is_estimate: true }
    }

    /// The price of a model: of its very id; of the id without what clouds, context sizes and dates add; of the longest
    /// known id it begins with, unless a version number or another size follows.
    #[must_use]
    pub fn rates(&self, model: &str) -> Option<Rates> {
        let name = model.trim();
        let plain = normal(name);
        self.row(name).or_else(|| self.row(plain)).or_else(|| {
            let begun = self.rows().filter(|(id, _)| is_variant(plain, id));
            // Of rows with the same id the first wins, as it does everywhere.
            begun.reduce(|best, row| if row.0.len() > best.0.len() { row } else { best }).map(|(_, rates)| rates)
        })
    }

    /// All rows, the added ones first.
    pub fn rows(&self) -> impl Iterator<Item = (&str, Rates)> {
        let added = self.added.iter().map(|(id, rates)| (id.as_str(), *rates));
        added.chain(MODELS.iter().copied())
    }

    fn row(&self, id: &str) -> Option<Rates> {
        self.rows().find(|(known, _)| *known == id).map(|(_, rates)| rates)
    }
}

fn row(line: &str) -> Option<(String, Rates)> {
    let mut words = line.splitn(6, ' ');
    let mut number = || words.next()?.parse().ok();
    let rates = Rates {
        input: number()?,
        cache_read: number()?,
        cache_write_5m: number()?,
        cache_write_1h: number()?,
        output: number()?,
    };
    Some((words.next()?.to_owned(), rates))
}

/// Regions Amazon Bedrock puts before a vendor's name.
const REGIONS: &[&str] = &["us.", "eu.", "apac.", "jp.", "au.", "global.", "us-gov."];

/// Words that make another model of a known one.
const SIZES: &[&str] = &["mini", "nano", "pro", "max", "lite", "turbo"];

/// A model's id without what clouds, context sizes and dates add to it.
#[must_use]
pub fn normal(id: &str) -> &str {
    let regional = REGIONS.iter().find_map(|region| id.strip_prefix(region)).unwrap_or(id);
    let vendor = regional.strip_prefix("anthropic.").or_else(|| regional.strip_prefix("openai."));
    let name = vendor.unwrap_or(id);
    let name = name.strip_suffix(']').and_then(|it| it.rsplit_once('[')).map_or(name, |(before, _)| before);
    without_date(without_cloud_version(name))
}

/// `-v1`, `-v1:0` (Bedrock); `@20260101`, `@latest` (Vertex).
fn without_cloud_version(name: &str) -> &str {
    if let Some((before, after)) = name.rsplit_once('@')
        && (after == "latest" || is_digits(after, 8))
    {
        return before;
    }
    if let Some((before, after)) = name.rsplit_once("-v") {
        let (major, minor) = after.split_once(':').unwrap_or((after, "0"));
        if is_digits(major, major.len()) && is_digits(minor, minor.len()) {
            return before;
        }
    }
    name
}

/// `-20251001`, `-2026-09-01`.
fn without_date(name: &str) -> &str {
    let Some((before, last)) = name.rsplit_once('-') else { return name };
    if is_digits(last, 8) {
        return before;
    }
    if is_digits(last, 2)
        && let Some((before, month)) = before.rsplit_once('-')
        && is_digits(month, 2)
        && let Some((before, year)) = before.rsplit_once('-')
        && is_digits(year, 4)
    {
        return before;
    }
    name
}

fn is_digits(text: &str, count: usize) -> bool {
    count > 0 && text.len() == count && text.bytes().all(|byte| byte.is_ascii_digit())
}

/// Whether a name is a known id with a word after it that leaves it the same model.
fn is_variant(name: &str, known: &str) -> bool {
    const SEPARATORS: &[char] = &['-', '_', '.', '@', ':'];
    let Some(rest) = name.strip_prefix(known).and_then(|rest| rest.strip_prefix(SEPARATORS)) else { return false };
    let word = rest.split(SEPARATORS).next().unwrap_or_default();
    let is_version = !word.is_empty() && word.bytes().all(|byte| byte.is_ascii_digit());
    !is_version && !SIZES.contains(&word)
}
