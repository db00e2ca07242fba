//! Work on many independent things, shared out to threads. The results come back in order, so they are the same on any
//! number of threads.

use crate::fault::Fault;
use crate::memory::{Grow, collected, filled};
use crate::parallel::on_shares;
use std::ops::Range;
use std::sync::atomic::{AtomicUsize, Ordering};

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
    let workers = filled(threads, ())?;
    let mut found = Vec::new();
    for part in on_shares(workers.chunks(1), &|_: &[()]| take())? {
        found.add_each(part.into_iter())?;
    }
    found.sort_unstable_by_key(|(number, _)| *number);
    Ok(collected(found.into_iter().map(|(_, value)| value))?)
}
