//! List prices, as data: one row per model, in billionths of a dollar per token (a thousand of them are a dollar per
//! million tokens). The day they were checked stands beside them; `forge prices` shows both.

use super::prices::Rates;

/// The day the prices below were compared with the vendors' own pages.
pub const CHECKED: &str = "2026-09-28";

/// Anthropic bills both lengths of cache write.
const fn anthropic(input: u64, cache_read: u64, write_5m: u64, write_1h: u64, output: u64) -> Rates {
    Rates { input, cache_read, cache_write_5m: write_5m, cache_write_1h: write_1h, output }
}

/// OpenAI has one price for cache writes; where its page lists none, writing costs what reading anew does.
const fn openai(input: u64, cache_read: u64, write: u64, output: u64) -> Rates {
    Rates { input, cache_read, cache_write_5m: write, cache_write_1h: write, output }
}

/// Every known model.
pub(super) const MODELS: &[(&str, Rates)] = &[
    ("claude-fable-5-1", anthropic(10_000, 250, 12_500, 20_000, 50_000)),
    ("claude-mythos-5-1", anthropic(10_000, 250, 12_500, 20_000, 50_000)),
    ("claude-fable-5", anthropic(10_000, 1_000, 12_500, 20_000, 50_000)),
    ("claude-opus-5-5", anthropic(4_000, 200, 5_000, 8_000, 20_000)),
    ("claude-opus-5", anthropic(5_000, 500, 6_250, 10_000, 25_000)),
    ("claude-opus-4-8", anthropic(5_000, 500, 6_250, 10_000, 25_000)),
    ("claude-opus-4-7", anthropic(5_000, 500, 6_250, 10_000, 25_000)),
    ("claude-opus-4-6", anthropic(5_000, 500, 6_250, 10_000, 25_000)),
    ("claude-opus-4-5", anthropic(5_000, 500, 6_250, 10_000, 25_000)),
    ("claude-sonnet-5-5", anthropic(2_000, 200, 2_500, 4_000, 10_000)),
    ("claude-sonnet-5", anthropic(2_000, 200, 2_500, 4_000, 10_000)),
    ("claude-sonnet-4-6", anthropic(3_000, 300, 3_750, 6_000, 15_000)),
    ("claude-sonnet-4-5", anthropic(3_000, 300, 3_750, 6_000, 15_000)),
    ("claude-haiku-4-5", anthropic(1_000, 100, 1_250, 2_000, 5_000)),
    ("gpt-6-astra", openai(10_000, 1_000, 12_500, 50_000)),
    ("gpt-6-sol", openai(2_000, 200, 2_500, 10_000)),
    ("gpt-6-luna", openai(100, 10, 125, 500)),
    ("gpt-5.6-sol", openai(4_000, 400, 5_000, 20_000)),
    ("gpt-5.6-terra", openai(2_000, 200, 2_500, 12_000)),
    ("gpt-5.6-luna", openai(200, 20, 250, 1_200)),
    ("gpt-5.5", openai(5_000, 500, 5_000, 30_000)),
    ("gpt-5.3-codex", openai(1_750, 175, 1_750, 14_000)),
];

/// Families, most telling word first: a model no row knows costs what the dearest row of its family does.
pub(super) const FAMILIES: &[&str] = &["claude-opus", "claude-sonnet", "claude-haiku", "claude-fable", "gpt"];
