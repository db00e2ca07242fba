//! Work on many independent things, shared out to threads. The results come back in order, so they are the same on any
//! number of threads.

use crate::fault::{Fault, Kind};
use crate::memory::{Grow, THREAD, has_memory};
use std::ops::Range;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread::Builder;

/// A thread is worth it from so many bytes on.
const ENOUGH: usize = 1 << 16;
/// Shares per thread: some things take longer than others.
const SHARES: usize = 8;

/// Calls `work` with ranges that together are all of `count` things, which have so many bytes.
pub fn share_out<T: Send>(
    count: usize,
    bytes: usize,
    threads: usize,
    work: impl Fn(Range<usize>) -> Result<T, Fault> + Sync,
) -> Result<Vec<T>, Fault> {
    let threads = threads.min(bytes / ENOUGH + 1).min(count).max(1);
    let share = count.div_ceil(if threads == 1 { 1 } else { threads * SHARES }).max(1);
    let next = AtomicUsize::new(0);
    let take = || {
        let mut found = Vec::new();
        loop {
            let number = next.fetch_add(1, Ordering::Relaxed);
            let start = number.saturating_mul(share);
            if start >= count {
                return Ok(found);
            }
            found.add((number, work(start..count.min(start + share))?))?;
        }
    };
    let results: Vec<Result<Vec<(usize, T)>, Fault>> = std::thread::scope(|scope| {
        // What a thread that cannot be started would have done, the others do.
        let start = |_| has_memory(THREAD).then(|| Builder::new().spawn_scoped(scope, take).ok()).flatten();
        let workers: Vec<_> = (1..threads).filter_map(start).collect();
        let own = take();
        let lost =
            |_| Err(Fault::new(Kind::Format, "counting stopped for a reason unknown; please report it"));
        let others = workers.into_iter().map(|worker| worker.join().unwrap_or_else(lost));
        std::iter::once(own).chain(others).collect()
    });
    let mut found = Vec::new();
    for result in results {
        found.add_each(result?.into_iter())?;
    }
    found.sort_unstable_by_key(|(number, _)| *number);
    let mut ordered = Vec::new();
    ordered.add_each(found.into_iter().map(|(_, value)| value))?;
    Ok(ordered)
}
