//! Ranks what is held in memory, some queries on each thread.

use crate::fault::{Fault, Kind};
use crate::index::Index;
use crate::judged::Judged;
use crate::memory::collected;
use crate::options::Options;
use crate::rank::Rankers;
use crate::rows::Rows;

/// Calls `rank` with every item. The items are shared out in order, so the result does not depend on the threads.
pub fn rank_all<T: Sync>(
    items: &[T],
    index: &Index,
    options: &[Options],
    threads: usize,
    rank: impl Fn(&mut Rankers<'_>, &T) -> Result<(), Fault> + Sync,
) -> Result<Vec<Judged>, Fault> {
    let work = |share: &[T]| {
        let mut rankers = Rankers::new(index, options);
        share.iter().try_for_each(|item| rank(&mut rankers, item)).map(|()| rankers.judged())
    };
    let share = items.len().div_ceil(threads.max(1)).max(1);
    let (first, others) = items.split_at(share.min(items.len()));
    let results = std::thread::scope(|scope| {
        let workers: Vec<_> = others.chunks(share).map(|share| scope.spawn(|| work(share))).collect();
        let first = work(first);
        let lost =
            |_| Err(Fault::new(Kind::Format, "ranking stopped for a reason unknown; please report it"));
        let others = workers.into_iter().map(|worker| worker.join().unwrap_or_else(lost));
        std::iter::once(first).chain(others).collect::<Vec<_>>()
    });
    let mut judged = vec![Judged::default(); options.len()];
    for result in results {
        Judged::append_all(&mut judged, &result?)?;
    }
    Ok(judged)
}

/// Ranks every query of `rows` that has judgments.
pub fn rank_rows(
    rows: &Rows,
    index: &Index,
    options: &[Options],
    threads: usize,
) -> Result<Vec<Judged>, Fault> {
    let known = |(query, name)| index.queries.find(name).map(|known| (query, known));
    let queries = collected(rows.queries.iter().enumerate().filter_map(known))?;
    rank_all(&queries, index, options, threads, |rankers, &(query, known)| {
        let scores = if rows.ordered[query] { None } else { rows.values.get(rows.range(query)) };
        rankers.rank(known, &rows.ranking(query), scores)
    })
}
