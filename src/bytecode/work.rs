//! What judging one event may cost, counted in bytes looked at. A program in a repository is somebody else's: each of
//! its runs ends, and this sees to it that it ends soon. Pure counting, so that the same event costs the same everywhere.

use crate::limits;
use std::cell::Cell;

/// What is left to spend on one event. Whoever finds it spent stops, and what it found until then means nothing.
#[derive(Debug)]
pub struct Work {
    left: Cell<u64>,
}

impl Work {
    /// As much as one event may cost.
    #[must_use]
    pub fn of_one_event() -> Self {
        Self::of(limits::WORK_PER_EVENT)
    }

    /// So many bytes.
    #[must_use]
    pub fn of(bytes: u64) -> Self {
        Self { left: Cell::new(bytes) }
    }

    /// Spends on what is about to be done; false when it must not be done, and nothing else any more.
    pub fn spend(&self, bytes: u64) -> bool {
        self.left.set(self.left.get().saturating_sub(bytes));
        !self.is_spent()
    }

    /// Whether nothing is left.
    #[must_use]
    pub fn is_spent(&self) -> bool {
        self.left.get() == 0
    }

    /// How much is left.
    #[must_use]
    pub fn left(&self) -> u64 {
        self.left.get()
    }
}
