//! Money and what it is paid for. Integers alone: a comparison with a cap must not depend on rounding.
//! Imports nothing.

use std::fmt;

/// Billionths of a US dollar. A token of any known model costs a whole number of them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, serde::Serialize, serde::Deserialize)]
#[serde(transparent)]
pub struct Nanos(pub u64);

impl Nanos {
    /// Billionths in one dollar.
    pub const DOLLAR: u64 = 1_000_000_000;

    /// The amount a decimal number names, in dollars: digits, at most one point, at most nine digits after it.
    /// `None` for anything else: a sign, an exponent, more than 18 billion dollars.
    #[must_use]
    pub fn parse(dollars: &str) -> Option<Self> {
        let (whole, fraction) = dollars.split_once('.').unwrap_or((dollars, "0"));
        let is_number = |digits: &str| !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit());
        if !is_number(whole) || !is_number(fraction) || fraction.len() > 9 {
            return None;
        }
        let whole: u64 = whole.parse().ok()?;
        let fraction: u64 = format!("{fraction:0<9}").parse().ok()?;
        whole.checked_mul(Self::DOLLAR)?.checked_add(fraction).map(Self)
    }

    /// The sum, at the highest amount when there is none.
    #[must_use]
    pub const fn plus(self, other: Self) -> Self {
        Self(self.0.saturating_add(other.0))
    }

    /// The difference, zero when it would be negative.
    #[must_use]
    pub const fn minus(self, other: Self) -> Self {
        Self(self.0.saturating_sub(other.0))
    }

    /// This amount as billionths of another, rounded down, so that `share >= 0.8` holds exactly when it is true.
    /// Zero of nothing.
    #[must_use]
    pub fn share_of(self, other: Self) -> u64 {
        let share = u128::from(self.0) * u128::from(Self::DOLLAR);
        share.checked_div(u128::from(other.0)).map_or(0, |share| u64::try_from(share).unwrap_or(u64::MAX))
    }
}

/// `$10.07`: to the cent, rounded down, so that nothing below a cap ever reads as the cap.
impl fmt::Display for Nanos {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "${}.{:02}", self.0 / Self::DOLLAR, self.0 % Self::DOLLAR / (Self::DOLLAR / 100))
    }
}

/// The tokens of one response, no token in two places: `input` is what no cache served, `output` includes reasoning.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Usage {
    /// Read at the full price.
    pub input: u64,
    /// Read from a cache.
    pub cache_read: u64,
    /// Written to a cache for five minutes, or for a time the harness does not name.
    pub cache_write_5m: u64,
    /// Written to a cache for an hour.
    pub cache_write_1h: u64,
    /// Written by the model.
    pub output: u64,
}

impl Usage {
    /// All tokens.
    #[must_use]
    pub fn tokens(&self) -> u64 {
        let all = [self.input, self.cache_read, self.cache_write_5m, self.cache_write_1h, self.output];
        all.into_iter().fold(0, u64::saturating_add)
    }
}
