//! Two readings, for rows in any order: the first finds the scores of the judged documents, the second counts all rows
//! against them and keeps a hash of each document, eight bytes, so that no repeat goes unseen.

use super::batch::Batch;
use super::levels::{Levels, Retrieved, Row};
use super::{Stop, Work};
use crate::fault::Fault;
use crate::judged::Judged;
use crate::memory::{Grow, Lack, collected, filled};
use crate::options::{Duplicates, Options};
use crate::parallel::on_threads;
use crate::rows::{Names, hash};
use crate::scan::Scan;
use std::collections::HashSet;
use std::ops::Range;
use std::sync::atomic::{AtomicU32, AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};

/// How many hashes are kept at a time; for more rows the file is read more often.
const HELD: u64 = 100_000_000;
/// A score that no row has: NaN.
const NO_SCORE: u64 = u64::MAX;
const NO_QUERY: u32 = u32::MAX;

pub fn rank(work: &Work<'_>) -> Result<Scan, Stop> {
    if !work.options.iter().all(is_countable) {
        return Err(Stop::Unfit);
    }
    let mut scan = Scan::default();
    let first = FirstReading::new(work)?;
    first.read(work, &mut scan)?;
    let rows = collected(first.rows.iter().map(|count| count.load(Ordering::Relaxed)))?;
    let levels = work
        .options
        .iter()
        .map(|&options| Levels::new(work.index, options, |query| first.retrieved(work, query)));
    let levels = levels.collect::<Result<Vec<_>, Lack>>()?;
    drop(first);
    let mut start = 0;
    while start < rows.len() {
        let end = end_of_share(&rows, start);
        SecondReading::new(work, &levels, &rows, start..end)?.read()?;
        start = end;
    }
    scan.judged = levels.into_iter().map(|each| each.finish(&rows)).collect::<Result<Vec<Judged>, Lack>>()?;
    Ok(scan)
}

/// Whether all that is asked for can be counted row by row.
fn is_countable(options: &Options) -> bool {
    !options.given && !options.exclude_query && !options.foreign && !options.spread && options.top == 0
}

/// The queries from `start` on whose rows may be held at a time; one at least.
fn end_of_share(rows: &[u32], start: usize) -> usize {
    let mut held = 0;
    let mut fits = |&&count: &&u32| {
        held += u64::from(count);
        held <= HELD || held == u64::from(count)
    };
    start + rows[start..].iter().take_while(&mut fits).count().max(1)
}

/// Calls `take` with the number of each query of a batch that has judgments, and the rows where it stands.
fn each_stretch(
    work: &Work<'_>,
    batch: &Batch,
    finder: &mut Finder,
    mut take: impl FnMut(Option<u32>, Range<usize>) -> Result<(), Stop>,
) -> Result<(), Stop> {
    Fault::if_stopped(work.plan.stop)?;
    let mut start = 0;
    while start < batch.len() {
        let end = batch.end_of_query(start);
        take(finder.find(work, batch, start), start..end)?;
        start = end;
    }
    Ok(())
}

/// Finds the numbers of queries. Those found last are remembered: a short id is its own view.
struct Finder {
    known: Vec<(u128, Option<u32>)>,
}

impl Finder {
    const SIZE: usize = 1 << 14;
    const SHORT: u32 = 12;

    fn new() -> Result<Self, Lack> {
        Ok(Self { known: filled(Self::SIZE, (0, None))? })
    }

    #[inline]
    fn find(&mut self, work: &Work<'_>, batch: &Batch, row: usize) -> Option<u32> {
        let view = batch.queries.views()[row];
        if view as u32 > Self::SHORT {
            return work.index.queries.find(batch.query(row));
        }
        let mixed = (view >> 32) as u64 ^ (view >> 96) as u64;
        let place = mixed.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> (64 - Self::SIZE.ilog2());
        let known = &mut self.known[place as usize];
        if known.0 != view {
            *known = (view, work.index.queries.find(batch.query(row)));
        }
        known.1
    }
}

/// What the first reading finds.
struct FirstReading {
    /// The score of each judged document, and the number of its row.
    scores: Vec<AtomicU64>,
    places: Vec<AtomicU64>,
    /// The rows of each query, and in how many places they stand.
    rows: Vec<AtomicU32>,
    stretches: Vec<AtomicU32>,
    /// The first and the last query of each group.
    ends: Vec<[AtomicU32; 2]>,
}

impl FirstReading {
    fn new(work: &Work<'_>) -> Result<Self, Lack> {
        let large = |count, value| collected((0..count).map(move |_| AtomicU64::new(value)));
        let small = |count| collected((0..count).map(|_| AtomicU32::new(0)));
        let (queries, documents) = (work.index.queries.len(), work.index.grades.len());
        Ok(Self {
            scores: large(documents, NO_SCORE)?,
            places: large(documents, 0)?,
            rows: small(queries)?,
            stretches: small(queries)?,
            ends: collected((0..work.tasks.len()).map(|_| [NO_QUERY, NO_QUERY].map(AtomicU32::new)))?,
        })
    }

    fn read(&self, work: &Work<'_>, scan: &mut Scan) -> Result<(), Stop> {
        let mut workers = work.workers(|| Ok((Finder::new()?, Names::default())))?;
        work.each_group(&mut workers, |(finder, unknown), number| {
            let task = work.tasks[number];
            work.files[task.file].read(task, |batch, first| {
                each_stretch(work, batch, finder, |query, rows| {
                    if first + rows.start as u64 == task.first {
                        self.ends[number][0].store(query.unwrap_or(NO_QUERY), Ordering::Relaxed);
                    }
                    self.ends[number][1].store(query.unwrap_or(NO_QUERY), Ordering::Relaxed);
                    match query {
                        Some(query) => self.add(work, batch, first, query as usize, rows),
                        None => unknown.add(batch.query(rows.start)).map(|_| ()).map_err(Stop::from),
                    }
                })
            })
        })?;
        for name in workers.iter().flat_map(|(_, unknown)| unknown.iter()) {
            scan.unknown.add(name)?;
        }
        scan.scattered = self.scattered(work);
        Ok(())
    }

    fn add(
        &self,
        work: &Work<'_>,
        batch: &Batch,
        first: u64,
        query: usize,
        rows: Range<usize>,
    ) -> Result<(), Stop> {
        let before = self.rows[query].fetch_add(rows.len() as u32, Ordering::Relaxed);
        if before as usize + rows.len() > crate::memory::MOST {
            return Err(Lack::Numbers.into());
        }
        self.stretches[query].fetch_add(1, Ordering::Relaxed);
        let judged = work.index.lookup(query);
        for row in rows {
            let id = batch.document(row);
            if let Some(document) = judged.find(id, hash(id)) {
                // Of a document that is listed twice either will do: the second reading finds it out.
                self.scores[document as usize].store(batch.scores[row].to_bits(), Ordering::Relaxed);
                self.places[document as usize].store(first + row as u64, Ordering::Relaxed);
            }
        }
        Ok(())
    }

    /// How many queries do not stand together.
    fn scattered(&self, work: &Work<'_>) -> usize {
        let filled = self.ends.iter().zip(work.tasks).filter(|(_, task)| task.rows > 0);
        let ends: Vec<[u32; 2]> =
            filled.map(|(ends, _)| [0, 1].map(|end| ends[end].load(Ordering::Relaxed))).collect();
        for pair in ends.windows(2).filter(|pair| pair[0][1] == pair[1][0] && pair[0][1] != NO_QUERY) {
            self.stretches[pair[0][1] as usize].fetch_sub(1, Ordering::Relaxed);
        }
        self.stretches.iter().filter(|count| count.load(Ordering::Relaxed) > 1).count()
    }

    /// The judged documents that a query retrieved.
    fn retrieved(&self, work: &Work<'_>, query: usize) -> Result<Vec<Retrieved>, Lack> {
        let documents = work.index.starts[query]..work.index.starts[query + 1];
        let is_found = |&document: &usize| self.scores[document].load(Ordering::Relaxed) != NO_SCORE;
        collected(documents.filter(is_found).map(|document| Retrieved {
            document: document as u32,
            score: f64::from_bits(self.scores[document].load(Ordering::Relaxed)),
            place: self.places[document].load(Ordering::Relaxed),
        }))
    }
}

/// Counts the rows of some queries.
struct SecondReading<'a> {
    work: &'a Work<'a>,
    levels: &'a [Levels<'a>],
    rows: &'a [u32],
    queries: Range<usize>,
    /// The hash of each row's document, query by query, and where the next one of each query goes.
    hashes: Vec<AtomicU64>,
    next: Vec<AtomicU64>,
}

impl<'a> SecondReading<'a> {
    fn new(
        work: &'a Work<'a>,
        levels: &'a [Levels<'a>],
        rows: &'a [u32],
        queries: Range<usize>,
    ) -> Result<Self, Lack> {
        let mut total = 0;
        let mut place = |&count: &u32| {
            total += u64::from(count);
            AtomicU64::new(total - u64::from(count))
        };
        let next = collected(rows[queries.clone()].iter().map(&mut place))?;
        let hashes = collected((0..total).map(|_| AtomicU64::new(0)))?;
        Ok(Self { work, levels, rows, queries, hashes, next })
    }

    fn read(mut self) -> Result<(), Stop> {
        let mut workers = self.work.workers(Finder::new)?;
        self.work.each_group(&mut workers, |finder, number| {
            let task = self.work.tasks[number];
            self.work.files[task.file].read(task, |batch, first| {
                each_stretch(self.work, batch, finder, |query, rows| {
                    match query.map(|query| query as usize).filter(|query| self.queries.contains(query)) {
                        Some(query) => {
                            rows.into_iter().try_for_each(|row| self.count(batch, first, query, row))
                        }
                        None => Ok(()),
                    }
                })
            })
        })?;
        let hashes = std::mem::take(&mut self.hashes).into_iter().map(AtomicU64::into_inner).collect();
        for query in self.with_repeats(hashes)? {
            if let Some(repeat) = first_repeat(self.work, query)? {
                return Err(repeat);
            }
        }
        Ok(())
    }

    #[inline]
    fn count(&self, batch: &Batch, first: u64, query: usize, row: usize) -> Result<(), Stop> {
        let document = batch.document(row);
        let place = self.next[query - self.queries.start].fetch_add(1, Ordering::Relaxed);
        // There is no place if the file has changed since the first reading.
        let hashed = self.hashes.get(place as usize).ok_or(Stop::Unfit)?;
        hashed.store(hash(document), Ordering::Relaxed);
        let row = Row { query, document, score: batch.scores[row], place: first + row as u64 };
        self.levels.iter().for_each(|levels| levels.count(row));
        Ok(())
    }

    /// The queries that have the same hash twice.
    fn with_repeats(&self, mut hashes: Vec<u64>) -> Result<Vec<usize>, Lack> {
        let mut rest = hashes.as_mut_slice();
        let mut all = Vec::new();
        for query in self.queries.clone() {
            let (own, others) = rest.split_at_mut((self.rows[query] as usize).min(rest.len()));
            all.add((query, own))?;
            rest = others;
        }
        let found = Mutex::new(Vec::new());
        let share = all.len().div_ceil(self.work.plan.threads.max(1)).max(1);
        let mut shares: Vec<_> = all.chunks_mut(share).collect();
        on_threads(&mut shares, |share| {
            for (query, own) in share.iter_mut() {
                own.sort_unstable();
                if own.windows(2).any(|pair| pair[0] == pair[1]) {
                    found.lock().unwrap_or_else(PoisonError::into_inner).push(*query);
                }
            }
        });
        let mut found = found.into_inner().unwrap_or_else(PoisonError::into_inner);
        found.sort_unstable();
        Ok(found)
    }
}

/// What ends the work if a query lists a document twice. Two documents may also have the same hash.
fn first_repeat(work: &Work<'_>, query: usize) -> Result<Option<Stop>, Stop> {
    let found = Mutex::new(Vec::new());
    let mut workers = work.workers(Finder::new)?;
    work.each_group(&mut workers, |finder, number| {
        let task = work.tasks[number];
        work.files[task.file].read(task, |batch, first| {
            each_stretch(work, batch, finder, |other, rows| {
                if other == Some(query as u32) {
                    let mut found = found.lock().unwrap_or_else(PoisonError::into_inner);
                    found.extend(rows.map(|row| (first + row as u64, batch.document(row).to_vec())));
                }
                Ok(())
            })
        })
    })?;
    let mut found = found.into_inner().unwrap_or_else(PoisonError::into_inner);
    found.sort_unstable();
    let mut seen = HashSet::new();
    let repeat = found.iter().find(|(_, document)| !seen.insert(document));
    Ok(repeat.map(|(_, document)| {
        // Which one to keep is not decided here.
        match work.options.iter().any(|options| options.duplicates == Duplicates::Error) {
            true => Fault::duplicate(work.index.queries.name(query), document).into(),
            false => Stop::Unfit,
        }
    }))
}
