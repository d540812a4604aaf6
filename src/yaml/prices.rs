//! `.forge/prices.yaml`: what models cost that forge's own list does not know, or knows otherwise.

use super::behavior::Version;
use super::condition::billionths;
use super::scalar::{Meaning, meaning};
use super::tree::Kind;
use super::walk::{Slot, Walk};
use crate::diagnostic::{Code, Diagnostic};
use crate::model::Price;

/// Billionths of a dollar per million tokens in one billionth per token.
const MILLION: u64 = 1_000_000;

impl Walk<'_> {
    /// The models, in order.
    pub(super) fn prices(&mut self, root: Slot<'_>) -> Vec<Price> {
        let Some(mut fields) = self.fields(root, "the price list") else { return Vec::new() };
        if let Some(slot) = fields.need(self, "schema_version") {
            self.version(slot, &[Version::One]);
        }
        let slots = fields.need(self, "models").and_then(|slot| self.list(slot));
        fields.close(self);
        slots.into_iter().flatten().filter_map(|slot| self.price(slot)).collect()
    }

    /// One model. What reading from a cache or writing to it costs is what reading anew does where it is not said.
    fn price(&mut self, slot: Slot<'_>) -> Option<Price> {
        let mut fields = self.fields(slot, "a model")?;
        let id = fields.need(self, "id").and_then(|slot| self.text(slot));
        let input = fields.need(self, "input").and_then(|slot| self.rate(slot));
        let output = fields.need(self, "output").and_then(|slot| self.rate(slot));
        let mut cached = |walk: &mut Self, key| fields.take(key).map_or(input, |slot| walk.rate(slot));
        let cache_read = cached(self, "cache_read");
        let cache_write_5m = cached(self, "cache_write_5m");
        let cache_write_1h = cached(self, "cache_write_1h");
        fields.close(self);
        let id = id?;
        if id.value.trim().is_empty() || id.value.contains(['\n', '\r']) {
            let message = "this is no model's id";
            self.report(Diagnostic::new(Code::WrongValue, id.place, message, "write it as the transcripts name it"));
            return None;
        }
        Some(Price {
            model: id.value,
            input: input?,
            cache_read: cache_read?,
            cache_write_5m: cache_write_5m?,
            cache_write_1h: cache_write_1h?,
            output: output?,
        })
    }

    /// US dollars per million tokens, as billionths per token.
    fn rate(&mut self, slot: Slot<'_>) -> Option<u64> {
        let amount = match (meaning(slot.node), &slot.node.kind) {
            (Some(Meaning::Whole(_) | Meaning::Number), Kind::Scalar { text, .. }) => billionths(text),
            _ => None,
        };
        let rate = amount.filter(|amount| amount.is_multiple_of(MILLION)).map(|amount| amount / MILLION);
        if rate.is_none() {
            let what =
                format!("{} is an amount of US dollars per million tokens with at most three decimals", slot.name());
            self.wrong(slot, &what, "write it as `3` or `0.125`");
        }
        rate
    }
}
