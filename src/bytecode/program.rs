//! A compiled catalogue in memory, or the part of one that an event concerns. Plain flat data, borrowed from the
//! program file where it was read from one. Nothing here is trusted until `verify` has seen it.

use super::op::Op;
use crate::model::{Event, Level, Settings, SignalSet, Subject, Variable};
use std::borrow::Cow;

/// A program. `lower` makes whole ones; `container::select` reads the part that one event concerns, which is a program
/// itself: fewer blocks, the same shape, the same rules.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Program<'a> {
    /// SHA-256 over the sources, as `forge compile` computes it; decides "unchanged" and "stale".
    pub sources: [u8; 32],
    /// What the config file said.
    pub settings: Settings,
    /// Signals that are read from transcripts and that some block, here or left out, asks for or sets back. Where it is
    /// empty no transcript is touched.
    pub watches: SignalSet,
    /// Source files, relative to the project, with `/`.
    pub files: Vec<Cow<'a, str>>,
    /// Enabled behaviors in index order. Their `index` fields rise strictly.
    pub blocks: Vec<Block<'a>>,
    /// Which blocks an event concerns; at most one entry per event.
    pub dispatch: Vec<Dispatch<'a>>,
}

impl<'a> Program<'a> {
    /// The block of the behavior with this number, where the program holds it.
    #[must_use]
    pub fn block(&self, index: u32) -> Option<&Block<'a>> {
        let found = self.blocks.binary_search_by_key(&index, |block| block.index).ok()?;
        self.blocks.get(found)
    }
}

/// One enabled behavior.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Block<'a> {
    /// Its position among the enabled behaviors of the whole catalogue, in index order.
    pub index: u32,
    /// Its id.
    pub id: Cow<'a, str>,
    /// Its name for people.
    pub name: Cow<'a, str>,
    /// Where it was written.
    pub place: SourcePlace,
    /// The level below the first threshold.
    pub default_level: Level,
    /// Thresholds as listed: `after` and `level` never decrease.
    pub escalation: Vec<Threshold>,
    /// Signals that a violation sets back.
    pub resets: SignalSet,
    /// A violation counts once per value of this.
    pub once_per: Option<Subject>,
    /// A block also ends the agent's turn, where the harness can.
    pub ends_turn: bool,
    /// What is said.
    pub speech: Speech<'a>,
    /// Constants of the code: texts compared with, names of tools, agents and flags.
    pub texts: Vec<Cow<'a, str>>,
    /// Patterns of the code.
    pub patterns: Vec<PatternConst<'a>>,
    /// The code, one routine per event the behavior watches, in the order of `Event`.
    pub routines: Vec<Routine<'a>>,
}

impl Block<'_> {
    /// Whether it looks at transcripts: asks for a signal, sets one back, or speaks once per value of one.
    #[must_use]
    pub fn watches(&self) -> bool {
        let asks = |op: Op| matches!(op, Op::Compare { signal, .. } if signal.is_watched());
        !self.resets.is_empty() || self.routines.iter().flat_map(Routine::ops).any(asks)
    }
}

/// One threshold of the escalation table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Threshold {
    /// From this many violations on.
    pub after: u32,
    /// This level.
    pub level: Level,
}

/// What a behavior says, ready to be rendered.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Speech<'a> {
    /// What the agent should do instead.
    pub hint: Cow<'a, str>,
    /// With this tool.
    pub suggested_tool: Option<Cow<'a, str>>,
    /// In this way.
    pub suggested_action: Option<Cow<'a, str>>,
    /// The author's nudge.
    pub nudge: Option<Vec<SpeechPiece<'a>>>,
    /// The author's warning.
    pub warning: Option<Vec<SpeechPiece<'a>>>,
    /// The author's reason for a block.
    pub block_reason: Option<Vec<SpeechPiece<'a>>>,
    /// The author's next step after a block.
    pub override_prompt: Option<Vec<SpeechPiece<'a>>>,
}

/// One stretch of a template.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SpeechPiece<'a> {
    /// Said as it stands.
    Text(Cow<'a, str>),
    /// Filled in.
    Variable(Variable),
}

/// A pattern and the ways of running it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PatternConst<'a> {
    /// As the author wrote it, for people.
    pub source: Cow<'a, str>,
    /// With its word edges in their ASCII form: what the automaton was built from and the fallback engine compiles.
    pub normal: Cow<'a, str>,
    /// Texts of which at least one is in every match (ASCII case ignored when `fold`); empty means "look always".
    pub literals: Vec<Cow<'a, str>>,
    /// Whether `literals` are compared without ASCII case; they are stored in lower case then.
    pub fold: bool,
    /// The automaton as [`table`](super::table) reads it; empty when it would be too large and the fallback engine is
    /// used.
    pub automaton: Cow<'a, [u8]>,
}

/// The code of one behavior for one event.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Routine<'a> {
    /// The event.
    pub event: Event,
    /// The instructions: an opcode byte, then its operands, little-endian.
    pub code: Cow<'a, [u8]>,
    /// Where it was written, for listings and `explain`: each test has a place, so has what a trigger does when it
    /// fires, and its matcher. Offsets rise; a place holds up to the next.
    pub places: Vec<CodePlace>,
}

impl Routine<'_> {
    /// The instructions in the order of the code, up to the first that is none.
    pub fn ops(&self) -> impl Iterator<Item = Op> {
        let mut offset = 0;
        std::iter::from_fn(move || {
            let (op, next) = Op::decode(&self.code, offset)?;
            offset = next;
            Some(op)
        })
    }
}

/// Where a piece of code came from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CodePlace {
    /// Offset of the first instruction that belongs to it.
    pub offset: u32,
    /// Which trigger of the behavior, from 0, as written.
    pub trigger: u32,
    /// The author's line.
    pub place: SourcePlace,
}

/// A place in the author's files.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SourcePlace {
    /// Index into [`Program::files`].
    pub file: u32,
    /// Line, from 1; 0 when it stands nowhere.
    pub line: u32,
    /// Column in characters, from 1.
    pub column: u32,
}

/// Which blocks an event concerns, by tool.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Dispatch<'a> {
    /// The event.
    pub event: Event,
    /// For each tool that some matcher or `applies_to` names, sorted by name: the blocks, rising. Every matcher,
    /// patterns too, was already tried on these names by the compiler.
    pub tools: Vec<ToolRow<'a>>,
    /// For every other tool, and for events without one: the blocks that may be concerned, rising.
    pub others: Vec<OtherRow<'a>>,
}

/// The blocks one named tool concerns.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ToolRow<'a> {
    /// The tool.
    pub tool: Cow<'a, str>,
    /// Their `index`es, rising; empty when the tool is named but excluded everywhere.
    pub blocks: Vec<u32>,
}

/// A block that concerns tools nobody names.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OtherRow<'a> {
    /// Its `index`.
    pub block: u32,
    /// Patterns of which one must be found in the tool's name; empty means every tool.
    pub guards: Vec<PatternConst<'a>>,
}
