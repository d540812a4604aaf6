//! The language as data: what a behavior is, what an agent did, what was decided.
//! No I/O, no serde, imports nothing but `std`. Everything here is a plain value with public fields;
//! the rules that give the values meaning live in `reference` (readable) and `vm` (fast).

#[macro_use]
mod vocabulary;

mod behavior;
mod call;
mod condition;
mod level;
mod outcome;
mod place;
mod session;
mod settings;
mod template;
mod tool;

pub use behavior::{
    Action, AppliesTo, Behavior, Catalogue, Category, Enforcement, Metadata, OnAbsent, OnPresent, Profile, Recovery,
    Rendering, Scope, Step, Trigger,
};
pub use call::{Call, Event, Fields, InputHash};
pub use condition::{
    Comparison, Condition, Field, Matcher, Pattern, Signal, SignalSet, Signals, Subject, Test, TextTest,
};
pub use level::Level;
pub use outcome::{Input, Outcome, Overridden, Verdict};
pub use place::{FileId, Place, Placed};
pub use session::{BehaviorState, PendingBlock, Session, Timestamp, Violation};
pub use settings::{OnError, OverrideMode, OverridePolicy, Price, Settings};
pub use template::{Piece, Template, Variable};
pub use tool::{our_tool_name, our_tool_names};
pub(crate) use vocabulary::vocabulary;
