//! Scenarios: what an agent does, step by step, and what forge must answer. Files of them are read here, played through
//! the machine and the reference at once, and measured: what no scenario reaches, and which mistakes none would notice.
//! Never touches a clock, a file or anybody's session: time and memory are the scenario's own.

mod compare;
mod coverage;
mod decision;
mod duration;
mod mutate;
mod payload;
mod play;
mod read;
mod rules;
mod suite;
mod world;

pub use compare::Difference;
pub use coverage::{Coverage, Goal, Reached};
pub use decision::Decision;
pub use mutate::{Mutant, Trial, mutants};
pub use payload::Shorthand;
pub use play::{Failure, Played, play};
pub(crate) use read::PARALLEL;
pub use read::read;
pub use rules::{Rules, RulesError};
pub use suite::{Deed, Event, Expectation, OverrideCount, Scenario, Step, Suite};
