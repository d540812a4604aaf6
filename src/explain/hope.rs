//! Which answer each test of a trigger hopes for. The machine knows no `not`: it jumps the other way. For its author a test
//! under a `not` holds when it is false, so what was compiled away is found again in the jumps.

use crate::bytecode::op::Op;
use std::collections::BTreeMap;

/// For every test of one trigger, given as its instructions with their offsets: whether the trigger is nearer to firing
/// when the test is true. Nearer means that more of the ways the remaining tests could come out end in its action.
pub(super) fn hopes(ops: &[(usize, Op)]) -> BTreeMap<usize, bool> {
    // Per offset: the share of ways that end in the action, if truth is false there, and if it is true.
    let mut share: BTreeMap<usize, (f64, f64)> = BTreeMap::new();
    let mut hopes = BTreeMap::new();
    // Jumps go forward only, so everything behind is known before it is needed.
    for (position, (offset, op)) in ops.iter().enumerate().rev() {
        let at = |target: usize| share.get(&target).copied().unwrap_or((0.0, 0.0));
        let next = ops.get(position + 1).map_or((0.0, 0.0), |(next, _)| at(*next));
        let here = match op {
            Op::Violate { .. } | Op::Flag { .. } | Op::SetFlag { .. } | Op::ClearFlag { .. } => (1.0, 1.0),
            Op::End {} => (0.0, 0.0),
            Op::JumpIf { to } => (next.0, at(to.0 as usize).1),
            Op::JumpUnless { to } => (at(to.0 as usize).0, next.1),
            Op::Matches { .. }
            | Op::Contains { .. }
            | Op::Equals { .. }
            | Op::StartsWith { .. }
            | Op::EndsWith { .. }
            | Op::Exists { .. }
            | Op::Compare { .. }
            | Op::ToolIs { .. }
            | Op::ToolMatches { .. }
            | Op::AgentIs { .. }
            | Op::ProfileIn { .. } => {
                hopes.insert(*offset, next.1 >= next.0);
                let either = (next.0 + next.1) / 2.0;
                (either, either)
            }
        };
        share.insert(*offset, here);
    }
    hopes
}
