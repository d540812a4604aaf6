//! One kind of work on many things, on all cores. What comes of it stands in the order of the things, so that it never shows how
//! many cores there were. Uses `std` alone, and only the author's tool uses it: a hook has too little to do.

use std::num::NonZero;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

/// A thread is not worth its start for fewer things.
const FEWEST_PER_THREAD: usize = 16;
/// As much as the main thread has on the usual systems: what it reads without harm, the others read too.
const STACK_BYTES: usize = 8 << 20;

/// What `work` makes of each item, in the order of the items. Each core takes the next one when it is done with its last, for
/// one may take as long as hundreds of others.
pub(crate) fn map<T: Sync, R: Send>(items: &[T], work: impl Fn(&T) -> R + Sync) -> Vec<R> {
    let cores = thread::available_parallelism().map_or(1, NonZero::get);
    let threads = cores.min(items.len().div_ceil(FEWEST_PER_THREAD));
    let next = AtomicUsize::new(0);
    let share = || {
        let mut done = Vec::new();
        loop {
            let position = next.fetch_add(1, Ordering::Relaxed);
            let Some(item) = items.get(position) else { return done };
            done.push((position, work(item)));
        }
    };
    let mut done = thread::scope(|scope| {
        // A thread that cannot be had leaves its share to the others.
        let start = |_| thread::Builder::new().stack_size(STACK_BYTES).spawn_scoped(scope, share).ok();
        let others: Vec<_> = (1..threads).filter_map(start).collect();
        let mut done = share();
        for other in others {
            done.extend(other.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic)));
        }
        done
    });
    done.sort_unstable_by_key(|(position, _)| *position);
    done.into_iter().map(|(_, made)| made).collect()
}
