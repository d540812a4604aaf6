//! Which blocks an event concerns. Uses `program` alone; asked before anything else, so that an event nobody cares
//! about costs one lookup.

use super::program::Program;
use crate::model::Event;

impl Program<'_> {
    /// Positions in [`Program::blocks`] of the blocks that this event of this tool may concern, rising. A block that
    /// is not among them has nothing to say and nothing to remember. `tool` is ignored for events without one.
    #[must_use]
    pub fn concerned(&self, event: Event, tool: &str) -> Vec<usize> {
        let Some(dispatch) = self.dispatch.iter().find(|dispatch| dispatch.event == event) else {
            return Vec::new();
        };
        let tool = if event.has_tool() { tool } else { "" };
        let named = match event.has_tool() {
            true => dispatch.tools.binary_search_by(|row| (*row.tool).cmp(tool)).ok(),
            false => None,
        };
        match named.and_then(|row| dispatch.tools.get(row)) {
            Some(row) => row.blocks.iter().filter_map(|index| self.position(*index)).collect(),
            None => dispatch
                .others
                .iter()
                .filter(|row| row.guards.is_empty() || row.guards.iter().any(|guard| guard.is_found(tool)))
                .filter_map(|row| self.position(row.block))
                .collect(),
        }
    }

    /// Where the block with this index stands: further to the front the fewer blocks were selected.
    fn position(&self, index: u32) -> Option<usize> {
        self.blocks.binary_search_by_key(&index, |block| block.index).ok()
    }
}
