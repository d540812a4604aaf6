//! What hostile input may make forge allocate: a documented number of bytes for each of its own, or a constant. In a process
//! of its own, since it counts what the whole process allocates; its tests take turns for the same reason.
#![allow(missing_docs, clippy::unwrap_used, clippy::indexing_slicing, reason = "tests fail loudly instead")]
#![allow(clippy::disallowed_methods, clippy::print_stdout, reason = "tests look at real files, and report")]

mod payload;
mod program;
#[path = "../it/seal.rs"]
mod seal;
mod state;
mod transcript;
mod yaml;

use peak_alloc::PeakAlloc;
use std::sync::{Mutex, MutexGuard, PoisonError};

#[global_allocator]
static MEMORY: PeakAlloc = PeakAlloc;
static TURN: Mutex<()> = Mutex::new(());

/// One measurement at a time.
struct Meter {
    _turn: MutexGuard<'static, ()>,
}

impl Meter {
    /// Waits for the tests before; what this one allocates from here on is its own.
    fn take() -> Self {
        Self { _turn: TURN.lock().unwrap_or_else(PoisonError::into_inner) }
    }

    /// The most that was allocated at one time beyond what there was.
    fn peak(&self, work: impl FnOnce()) -> usize {
        MEMORY.reset_peak_usage();
        let before = MEMORY.current_usage();
        work();
        MEMORY.peak_usage().saturating_sub(before)
    }

    /// Checks that work on so many bytes of input allocates at most `factor` for each of them, and `besides`.
    #[track_caller]
    fn is_bounded(&self, about: &str, bytes: usize, (factor, besides): (usize, usize), work: impl FnOnce()) {
        let peak = self.peak(work);
        println!("{about}: {peak} bytes at once for {bytes} of input, {:.1} for each", peak as f64 / bytes as f64);
        assert!(peak <= bytes * factor + besides, "{about}: {peak} bytes at once for {bytes} of input");
    }
}
