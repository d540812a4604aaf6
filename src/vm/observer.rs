//! Watching a run: what `forge explain` and the tests see of it. An observer is told and never asked; the machine is
//! compiled once per observer, so the hook's run carries nothing of this.

use crate::bytecode::op::Op;
use crate::bytecode::program::{Block, Routine};
use crate::model::{Overridden, Session, Verdict};

/// Someone who watches. Every method does nothing unless it is written otherwise.
///
/// Of each block the event concerns, exactly one of `disabled`, or `entered` followed by `passed`, `violated` or
/// `overridden`, is called; after a `violated` that blocks, nothing more. Blocks it does not concern are not mentioned.
pub trait Observer {
    /// The session switched this behavior off.
    fn disabled(&mut self, _block: &Block<'_>) {}
    /// The behavior begins, with this memory.
    fn entered(&mut self, _block: &Block<'_>, _session: Option<&Session>) {}
    /// An instruction at `offset` was carried out; `truth` is the truth bit after it. The halting instructions are
    /// told by `passed`, `violated` and `overridden` instead.
    fn stepped(&mut self, _block: &Block<'_>, _routine: &Routine<'_>, _offset: usize, _op: Op, _truth: bool) {}
    /// The behavior has nothing against the event; flags may have changed.
    fn passed(&mut self, _block: &Block<'_>, _session: Option<&Session>) {}
    /// The event violates the behavior.
    fn violated(&mut self, _block: &Block<'_>, _verdict: &Verdict, _session: Option<&Session>) {}
    /// The event would violate the behavior by this trigger, and shows that its block was overridden.
    fn overridden(&mut self, _block: &Block<'_>, _trigger: u32, _overridden: &Overridden) {}
}

/// Nobody.
impl Observer for () {}
