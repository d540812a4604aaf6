//! The price list: every documented rule of finding a price, and money that never rounds.

use forge::signals::{Nanos, Prices, Rates, Usage, Vendor};
use proptest::prelude::*;

const MILLION: u64 = 1_000_000;

/// A million tokens of input, in dollars of that model.
fn input_price(prices: &Prices, model: &str) -> Option<Nanos> {
    let usage = Usage { input: MILLION, ..Usage::default() };
    prices.rates(model).map(|rates| rates.cost(&usage))
}

fn dollars(text: &str) -> Nanos {
    Nanos::parse(text).unwrap()
}

#[test]
fn each_kind_of_token_has_its_price() {
    let opus = Prices::default().rates("claude-opus-5").unwrap();
    for (usage, price) in [
        (Usage { input: MILLION, ..Usage::default() }, "5.00"),
        (Usage { cache_read: MILLION, ..Usage::default() }, "0.50"),
        (Usage { cache_write_5m: MILLION, ..Usage::default() }, "6.25"),
        (Usage { cache_write_1h: MILLION, ..Usage::default() }, "10.00"),
        (Usage { output: MILLION, ..Usage::default() }, "25.00"),
        (Usage { input: 2, output: 81, cache_read: 46_025, cache_write_5m: 100, cache_write_1h: 0 }, "0.0256725"),
    ] {
        assert_eq!(opus.cost(&usage), dollars(price), "{usage:?}");
    }
    let writes = Usage { cache_write_5m: MILLION, ..Usage::default() };
    assert_eq!(Prices::default().rates("gpt-5.5").unwrap().cost(&writes), dollars("5"), "no price listed: as input");
}

#[test]
fn ids_are_found_through_what_clouds_contexts_and_dates_add() {
    let prices = Prices::default();
    for (id, price) in [
        ("claude-opus-5-5", Some("4")),
        ("claude-opus-5-5[1m]", Some("4")),
        ("claude-haiku-4-5-20251001", Some("1")),
        ("gpt-5.5-2026-09-01", Some("5")),
        ("us.anthropic.claude-opus-4-8-v1:0", Some("5")),
        ("anthropic.claude-sonnet-4-5-20250929-v1:0", Some("3")),
        ("us-gov.anthropic.claude-sonnet-4-6-v2", Some("3")),
        ("claude-opus-4-8@20260101", Some("5")),
        ("claude-opus-4-8@latest", Some("5")),
        (" claude-sonnet-5 ", Some("2")),
        ("claude-sonnet-5-fast", Some("2")),
        ("gpt-5.3-codex-spark", Some("1.75")),
        ("claude-opus-5-6", None),
        ("gpt-5.5-pro", None),
        ("gpt-5.5-mini-2026-01-01", None),
        ("claude-opus", None),
        ("opus-5", None),
        ("us.claude-opus-5x", None),
        ("", None),
    ] {
        assert_eq!(input_price(&prices, id), price.map(dollars), "{id}");
    }
}

#[test]
fn an_unknown_model_costs_what_the_dearest_of_its_family_does() {
    let prices = Prices::default();
    let usage = Usage { input: MILLION, ..Usage::default() };
    for (id, vendor, price) in [
        ("claude-opus-9", Vendor::Unknown, "5"),
        ("anthropic/Claude-Haiku-9", Vendor::Unknown, "1"),
        ("claude-fable-9", Vendor::Unknown, "10"),
        ("gpt-9", Vendor::Unknown, "10"),
        ("o9", Vendor::OpenAi, "10"),
        ("", Vendor::OpenAi, "10"),
        ("llama", Vendor::Unknown, "10"),
    ] {
        let priced = prices.price(&usage, id, vendor);
        assert!(priced.is_estimate);
        assert_eq!(priced.cost, dollars(price), "{id}");
    }
    assert!(!prices.price(&usage, "claude-opus-5", Vendor::Unknown).is_estimate);
}

#[test]
fn added_rows_win() {
    let rates = Rates { input: 7, cache_read: 0, cache_write_5m: 0, cache_write_1h: 0, output: 0 };
    let prices = Prices { added: vec![("claude-opus-5".into(), rates), ("llama".into(), rates)] };
    assert_eq!(input_price(&prices, "claude-opus-5[1m]"), Some(Nanos(7 * MILLION)));
    assert_eq!(input_price(&prices, "llama-tuned"), Some(Nanos(7 * MILLION)));
}

#[test]
fn amounts_are_read_exactly_or_not_at_all() {
    for (text, nanos) in [("10", 10_000_000_000), ("0.8", 800_000_000), ("10.07", 10_070_000_000), ("0.000000001", 1)] {
        assert_eq!(Nanos::parse(text), Some(Nanos(nanos)), "{text}");
    }
    for text in ["", ".", "1.", ".5", "-1", "+1", "1e3", "1.0000000001", "18446744074", "1.2.3", " 1", "nan"] {
        assert_eq!(Nanos::parse(text), None, "{text}");
    }
    assert_eq!(Nanos(9_999_999_999).to_string(), "$9.99", "below the cap never reads as the cap");
    assert_eq!(Nanos(10_070_000_000).to_string(), "$10.07");
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    /// A share reaches a limit exactly when the amount does.
    #[test]
    fn shares_compare_as_amounts_do(spent in 0u64..20_000_000_000, cap in 1u64..20_000_000_000, limit in 0u64..2_000_000_000) {
        let share = Nanos(spent).share_of(Nanos(cap));
        let exact = u128::from(spent) * 1_000_000_000 >= u128::from(limit) * u128::from(cap);
        prop_assert_eq!(share >= limit, exact);
    }

    /// No id makes the search misbehave.
    #[test]
    fn any_id_has_a_price(id in "\\PC{0,40}") {
        let usage = Usage { output: 1, ..Usage::default() };
        prop_assert!(Prices::default().price(&usage, &id, Vendor::Unknown).cost > Nanos(0));
    }
}
