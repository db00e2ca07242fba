//! Two readings, for rows in any order: the first finds the scores of the judged documents, the second counts all rows
//! against them and keeps a key of each row, eight bytes, so that no repeat goes unseen.

use super::batch::{Batch, SHORT};
use super::levels::{Counts, Levels, Retrieved, Row};
use super::repeats::{Keys, key_of, repeated};
use super::{Stop, Work};
use crate::fault::Fault;
use crate::memory::{Grow, Lack, MOST, collected, filled};
use crate::options::{Duplicates, Options};
use crate::rows::{Names, hash};
use crate::scan::Scan;
use std::collections::HashSet;
use std::ops::Range;
use std::sync::atomic::{AtomicU32, AtomicU64, Ordering};

/// How many keys are kept at a time; for more rows the file is read more often.
const HELD: u64 = 100_000_000;
/// A score that no row has: NaN.
const NO_SCORE: u64 = u64::MAX;
const NO_QUERY: u32 = u32::MAX;

pub fn rank(work: &Work<'_>) -> Result<Scan, Stop> {
    if !work.options.iter().all(is_countable) {
        return Err(Stop::Unfit);
    }
    let mut scan = Scan::default();
    let found = Found::new(work)?;
    let rows = found.read(work, &mut scan)?;
    let make = |&options: &Options| Levels::new(work.index, options, |query| found.retrieved(work, query));
    let levels = work.options.iter().map(make).collect::<Result<Vec<_>, Lack>>()?;
    drop(found);
    let held = rows.iter().map(|&count| u64::from(count)).sum::<u64>();
    let shares = held.div_ceil(HELD).max(1);
    let mut counts = Vec::new();
    for share in 0..shares {
        let counted = count_rows(work, &levels, share, shares)?;
        if share == 0 {
            counts = counted;
        }
    }
    for (levels, counts) in levels.iter().zip(&counts) {
        scan.judged.add(levels.finish(counts, &rows)?)?;
    }
    Ok(scan)
}

/// Whether all that is asked for can be counted row by row.
fn is_countable(options: &Options) -> bool {
    !options.given && !options.exclude_query && !options.foreign && !options.spread && options.top == 0
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

    fn new() -> Result<Self, Lack> {
        Ok(Self { known: filled(Self::SIZE, (0, None))? })
    }

    #[inline]
    fn find(&mut self, work: &Work<'_>, batch: &Batch, row: usize) -> Option<u32> {
        let view = batch.queries.views()[row];
        if view as u32 > SHORT {
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
struct Found {
    /// The score of each judged document, and the number of its row.
    scores: Vec<AtomicU64>,
    places: Vec<AtomicU64>,
    /// The first and the last query of each group.
    ends: Vec<[AtomicU32; 2]>,
}

/// What a thread finds in it.
struct FirstReader {
    finder: Finder,
    unknown: Names,
    /// The rows of each query, and in how many places they stand.
    rows: Vec<u32>,
    stretches: Vec<u32>,
}

impl Found {
    fn new(work: &Work<'_>) -> Result<Self, Lack> {
        let many = |value| collected((0..work.index.grades.len()).map(move |_| AtomicU64::new(value)));
        let ends = (0..work.tasks.len()).map(|_| [NO_QUERY, NO_QUERY].map(AtomicU32::new));
        Ok(Self { scores: many(NO_SCORE)?, places: many(0)?, ends: collected(ends)? })
    }

    /// Reads the files; gives the number of rows of each query.
    fn read(&self, work: &Work<'_>, scan: &mut Scan) -> Result<Vec<u32>, Stop> {
        let zeros = || filled(work.index.queries.len(), 0u32);
        let mut readers = work.workers(|| {
            Ok(FirstReader {
                finder: Finder::new()?,
                unknown: Names::default(),
                rows: zeros()?,
                stretches: zeros()?,
            })
        })?;
        work.each_group(&mut readers, |reader, number| {
            let task = work.tasks[number];
            let FirstReader { finder, unknown, rows: counts, stretches } = reader;
            work.files[task.file].read(task, |batch, first| {
                each_stretch(work, batch, finder, |query, rows| {
                    if first + rows.start as u64 == task.first {
                        self.ends[number][0].store(query.unwrap_or(NO_QUERY), Ordering::Relaxed);
                    }
                    if first + rows.end as u64 == task.first + task.rows {
                        self.ends[number][1].store(query.unwrap_or(NO_QUERY), Ordering::Relaxed);
                    }
                    let Some(query) = query.map(|query| query as usize) else {
                        unknown.add(batch.query(rows.start))?;
                        return Ok(());
                    };
                    counts[query] = counts[query].checked_add(rows.len() as u32).ok_or(Lack::Numbers)?;
                    stretches[query] += 1;
                    self.find_judged(work, batch, first, query, rows);
                    Ok(())
                })
            })
        })?;
        let (mut rows, mut stretches) = (zeros()?, zeros()?);
        for reader in &readers {
            reader.unknown.iter().try_for_each(|name| scan.unknown.add(name).map(|_| ()))?;
            for (sum, count) in rows.iter_mut().zip(&reader.rows) {
                *sum = sum.checked_add(*count).filter(|&sum| sum as usize <= MOST).ok_or(Lack::Numbers)?;
            }
            stretches.iter_mut().zip(&reader.stretches).for_each(|(sum, count)| *sum += count);
        }
        scan.scattered = self.scattered(work, stretches);
        Ok(rows)
    }

    #[inline]
    fn find_judged(&self, work: &Work<'_>, batch: &Batch, first: u64, query: usize, rows: Range<usize>) {
        let judged = work.index.lookup(query);
        for row in rows {
            let id = batch.document(row);
            if let Some(document) = judged.find(id, hash(id)) {
                // Of a document that is listed twice either will do: the second reading finds it out.
                self.scores[document as usize].store(batch.scores[row].to_bits(), Ordering::Relaxed);
                self.places[document as usize].store(first + row as u64, Ordering::Relaxed);
            }
        }
    }

    /// How many queries do not stand together.
    fn scattered(&self, work: &Work<'_>, mut stretches: Vec<u32>) -> usize {
        let filled = self.ends.iter().zip(work.tasks).filter(|(_, task)| task.rows > 0);
        let ends: Vec<[u32; 2]> =
            filled.map(|(ends, _)| [0, 1].map(|end| ends[end].load(Ordering::Relaxed))).collect();
        for pair in ends.windows(2).filter(|pair| pair[0][1] == pair[1][0] && pair[0][1] != NO_QUERY) {
            stretches[pair[0][1] as usize] -= 1;
        }
        stretches.iter().filter(|&&count| count > 1).count()
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

/// What a thread counts in the second reading.
struct SecondReader {
    finder: Finder,
    counts: Vec<Counts>,
    keys: Keys,
}

/// Counts all rows, and looks for repeats in one of several shares of their keys.
fn count_rows(work: &Work<'_>, levels: &[Levels<'_>], share: u64, shares: u64) -> Result<Vec<Counts>, Stop> {
    let mut readers = work.workers(|| {
        let counts = levels.iter().map(Levels::counts).collect::<Result<Vec<_>, Lack>>()?;
        Ok(SecondReader { finder: Finder::new()?, counts, keys: Keys::new() })
    })?;
    work.each_group(&mut readers, |reader, number| {
        let task = work.tasks[number];
        let SecondReader { finder, counts, keys } = reader;
        work.files[task.file].read(task, |batch, first| {
            each_stretch(work, batch, finder, |query, rows| {
                let Some(query) = query else { return Ok(()) };
                for row in rows {
                    let document = batch.document(row);
                    let key = key_of(query, document);
                    if shares == 1 || key % shares == share {
                        keys.add(key)?;
                    }
                    let (score, place) = (batch.scores[row], first + row as u64);
                    let row = Row { query: query as usize, document, score, place };
                    levels.iter().zip(&mut *counts).for_each(|(levels, counts)| levels.count(counts, row));
                }
                Ok(())
            })
        })
    })?;
    let (mut keys, mut all) = (Vec::new(), Vec::new());
    for reader in readers {
        keys.add(reader.keys)?;
        all.add(reader.counts)?;
    }
    let twice = repeated(&mut keys, work.plan.threads)?;
    drop(keys);
    if !twice.is_empty() {
        tell_repeat(work, &twice)?;
    }
    let mut sums = all.pop().unwrap_or_default();
    for counts in &all {
        sums.iter_mut().zip(counts).for_each(|(sum, counts)| sum.add(counts));
    }
    Ok(sums)
}

/// What a thread finds of the first query that has repeats: the number of each row, and its document.
struct RepeatReader {
    finder: Finder,
    query: u32,
    rows: Vec<(u64, Vec<u8>)>,
}

/// Reads the files once more, for the first query that lists a document twice. Different rows may have the same key.
fn tell_repeat(work: &Work<'_>, twice: &HashSet<u64>) -> Result<(), Stop> {
    let make = || Ok(RepeatReader { finder: Finder::new()?, query: NO_QUERY, rows: Vec::new() });
    let mut readers = work.workers(make)?;
    work.each_group(&mut readers, |reader, number| {
        let task = work.tasks[number];
        let RepeatReader { finder, query: least, rows: found } = reader;
        work.files[task.file].read(task, |batch, first| {
            each_stretch(work, batch, finder, |query, rows| {
                let Some(query) = query.filter(|query| query <= least) else { return Ok(()) };
                for row in rows.filter(|&row| twice.contains(&key_of(query, batch.document(row)))) {
                    if query < *least {
                        found.clear();
                        *least = query;
                    }
                    found.add((first + row as u64, batch.document(row).to_vec()))?;
                }
                Ok(())
            })
        })
    })?;
    let query = readers.iter().map(|reader| reader.query).min().unwrap_or(NO_QUERY);
    let own = readers.iter().filter(|reader| reader.query == query);
    let mut rows: Vec<_> = own.flat_map(|reader| &reader.rows).collect();
    rows.sort_unstable();
    let mut seen = HashSet::new();
    let repeat = rows.iter().find(|(_, document)| !seen.insert(document));
    let is_error = work.options.iter().any(|options| options.duplicates == Duplicates::Error);
    match repeat {
        Some((_, document)) if is_error => {
            Err(Fault::duplicate(work.index.queries.name(query as usize), document).into())
        }
        // Which of them to keep is not decided here.
        _ => Err(Stop::Unfit),
    }
}
