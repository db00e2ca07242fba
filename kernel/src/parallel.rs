//! Ranks what is held in memory, some queries on each thread.

use crate::fault::{Fault, Kind};
use crate::memory::{THREAD, collected, has_memory};
use crate::rank::index::Index;
use crate::rank::judged::Judged;
use crate::rank::options::Options;
use crate::rank::ranker::Rankers;
use crate::rank::rows::Rows;
use std::sync::atomic::AtomicBool;
use std::thread::Builder;

/// Calls `work` with each of the workers, on a thread of its own as far as threads can be started. What others do not come
/// to, the first one does.
pub fn on_threads<W: Send>(workers: &mut [W], work: impl Fn(&mut W) + Sync) {
    let Some((first, others)) = workers.split_first_mut() else { return };
    let work = &work;
    std::thread::scope(|scope| {
        for worker in others {
            if !has_memory(THREAD) || Builder::new().spawn_scoped(scope, move || work(worker)).is_err() {
                break;
            }
        }
        work(first);
    });
}

/// What `work` makes of each share, the first on this thread. A share whose thread cannot be started is done here too.
pub fn on_shares<'a, T: Sync + 'a, R: Send>(
    mut shares: impl Iterator<Item = &'a [T]>,
    work: &(impl Fn(&[T]) -> Result<R, Fault> + Sync),
) -> Result<Vec<R>, Fault> {
    let Some(first) = shares.next() else { return Ok(Vec::new()) };
    std::thread::scope(|scope| {
        let start = |share: &'a [T]| match has_memory(THREAD) {
            true => Builder::new().spawn_scoped(scope, move || work(share)).map_err(|_| share),
            false => Err(share),
        };
        let workers: Vec<_> = shares.map(start).collect();
        let first = work(first);
        let lost =
            |_| Err(Fault::new(Kind::Format, "a thread stopped for a reason unknown; please report it"));
        let others = workers.into_iter().map(|worker| match worker {
            Ok(worker) => worker.join().unwrap_or_else(lost),
            Err(share) => work(share),
        });
        std::iter::once(first).chain(others).collect::<Vec<_>>().into_iter().collect()
    })
}

/// Calls `rank` with every item. The items are shared out in order, so the result does not depend on the threads.
pub fn rank_all<T: Sync>(
    items: &[T],
    index: &Index,
    options: &[Options],
    threads: usize,
    stop: &AtomicBool,
    rank: impl Fn(&mut Rankers<'_>, &T) -> Result<(), Fault> + Sync,
) -> Result<Vec<Judged>, Fault> {
    let work = &|share: &[T]| {
        let mut rankers = Rankers::new(index, options);
        for item in share {
            Fault::if_stopped(stop)?;
            rank(&mut rankers, item)?;
        }
        Ok(rankers.judged())
    };
    let share = items.len().div_ceil(threads.max(1)).max(1);
    let results = on_shares(items.chunks(share), work)?;
    let mut judged = vec![Judged::default(); options.len()];
    for result in results {
        Judged::append_all(&mut judged, &result)?;
    }
    Ok(judged)
}

/// Ranks every query of `rows` that has judgments.
pub fn rank_rows(
    rows: &Rows,
    index: &Index,
    options: &[Options],
    threads: usize,
    stop: &AtomicBool,
) -> Result<Vec<Judged>, Fault> {
    let known = |(query, name)| index.queries.find(name).map(|known| (query, known));
    let queries = collected(rows.queries.iter().enumerate().filter_map(known))?;
    rank_all(&queries, index, options, threads, stop, |rankers, &(query, known)| {
        let scores = if rows.ordered[query] { None } else { rows.values.get(rows.range(query)) };
        rankers.rank(known, &rows.ranking(query), scores)
    })
}
