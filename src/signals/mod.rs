//! What a session's transcripts say: whether the agent goes in circles, keeps failing, and what it has spent.
//! May use `host`, `error`, `limits` and `store`; decides nothing about any behavior, and keeps hashes and counts
//! only. `docs/signals.md` has every rule.
//!
//! Order of a look: [`files`] finds the transcripts, [`lines`] their new lines, [`claude`] and [`codex`] what each says,
//! [`tally`] adds it up with [`prices`], [`loops`] looks at the call itself, and [`watch`] holds it all together. What is
//! remembered is [`state`]; [`hashes`] keeps it small and quick to read.

mod claude;
mod codex;
mod counted;
mod fact;
mod files;
mod hashes;
mod lines;
mod loops;
mod money;
mod price_table;
mod prices;
mod record;
mod refusal;
mod report;
mod state;
mod tally;
mod watch;

pub use loops::Attempt;
pub use money::{Nanos, Usage};
pub use price_table::CHECKED as PRICES_CHECKED;
pub use prices::{Priced, Prices, Rates, Vendor, normal};
pub use refusal::refused;
pub use report::{Report, reports, reset};
pub use state::Event;
pub use watch::{Effects, Readings, Reset, Source, Subject, Unwatched, Watch, open};
