//! Two readings, for rows in any order: the first finds the scores of the judged documents, the second counts all rows
//! against them and keeps a key of each row, eight bytes, so that no repeat goes unseen.

use super::batch::Batch;
use super::levels::{Counts, Levels, Retrieved, Row};
use super::numbers::{NO_QUERY, Numbers};
use super::repeats::{Keys, key_of, repeated};
use super::{Stop, Work};
use crate::fault::Fault;
use crate::memory::{Grow, Lack, MOST, collected, filled};
use crate::rank::options::{Duplicates, Options};
use crate::rank::rows::Names;
use crate::read::scan::Scan;
use std::collections::HashSet;
use std::sync::atomic::{AtomicU32, AtomicU64, Ordering};

/// A reading that nobody expected adds nothing to the progress.
const UNCOUNTED: u64 = u64::MAX;
/// A score that no row has: NaN.
const NO_SCORE: u64 = u64::MAX;

pub fn rank(work: &Work<'_>) -> Result<Scan, Stop> {
    if !work.options.iter().all(is_countable) {
        return Err(Stop::Unfit);
    }
    let mut scan = Scan::default();
    let found = Found::new(work)?;
    let rows = found.read(work, &mut scan)?;
    let make =
        |options: &Options| Levels::new(work.index, options.clone(), |query| found.retrieved(work, query));
    let levels = work.options.iter().map(make).collect::<Result<Vec<_>, Lack>>()?;
    drop(found);
    let rows_in_all = rows.iter().map(|&count| u64::from(count)).sum::<u64>();
    let shares = rows_in_all.div_ceil(work.plan.kept_rows.max(1)).max(1);
    let mut counts = Vec::new();
    for share in 0..shares {
        let counted = count_rows(work, &levels, (share, shares))?;
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
    !options.given
        && !options.exclude_query
        && !options.foreign
        && !options.spread
        && options.top == 0
        && options.chunks.is_none()
}

/// Calls `take` with each batch of a row group, the queries and hashes of its rows, and the number of its first row.
fn each_batch(
    work: &Work<'_>,
    number: usize,
    numbers: &mut Numbers,
    mut take: impl FnMut(&Batch, &Numbers, u64) -> Result<(), Stop>,
) -> Result<(), Stop> {
    let task = work.tasks[number];
    work.files[task.file].read(task, |batch, first| {
        Fault::if_stopped(work.plan.stop)?;
        numbers.fill(&work.index.queries, batch)?;
        take(batch, numbers, first)
    })
}

/// What the first reading finds.
struct Found {
    /// The score of each judged document, and the number of its row.
    scores: Vec<AtomicU64>,
    places: Vec<AtomicU64>,
    /// The first and the last query of each group.
    ends: Vec<[AtomicU32; 2]>,
}

/// The rows of a query, and in how many places they stand.
#[derive(Debug, Clone, Copy, Default)]
struct Tally {
    rows: u32,
    stretches: u32,
}

/// What a thread finds in it.
struct FirstReader {
    numbers: Numbers,
    unknown: Names,
    tallies: Vec<Tally>,
}

impl Found {
    fn new(work: &Work<'_>) -> Result<Self, Lack> {
        let many = |value| collected((0..work.index.grades.len()).map(move |_| AtomicU64::new(value)));
        let ends = (0..work.tasks.len()).map(|_| [NO_QUERY, NO_QUERY].map(AtomicU32::new));
        Ok(Self { scores: many(NO_SCORE)?, places: many(0)?, ends: collected(ends)? })
    }

    /// Reads the files; gives the number of rows of each query.
    fn read(&self, work: &Work<'_>, scan: &mut Scan) -> Result<Vec<u32>, Stop> {
        let none = || filled(work.index.queries.len(), Tally::default());
        let mut readers = work.workers(|| {
            Ok(FirstReader { numbers: Numbers::default(), unknown: Names::default(), tallies: none()? })
        })?;
        work.each_group(&mut readers, 2, |FirstReader { numbers, unknown, tallies }, number| {
            let mut last = None;
            each_batch(work, number, numbers, |batch, numbers, first| {
                for (row, (&query, &code)) in numbers.queries.iter().zip(&numbers.codes).enumerate() {
                    let is_new = last.replace(query) != Some(query);
                    if query == NO_QUERY {
                        unknown.add(batch.query(row))?;
                        continue;
                    }
                    let tally = &mut tallies[query as usize];
                    tally.rows = tally.rows.checked_add(1).ok_or(Lack::Numbers)?;
                    tally.stretches += u32::from(is_new);
                    if work.index.may_have(query as usize, code) {
                        self.find_judged(work, batch, first, query as usize, row, code);
                    }
                }
                if first == work.tasks[number].first {
                    self.ends[number][0].store(numbers.queries[0], Ordering::Relaxed);
                }
                Ok(())
            })?;
            self.ends[number][1].store(last.unwrap_or(NO_QUERY), Ordering::Relaxed);
            Ok(())
        })?;
        let mut sums = none()?;
        for reader in &readers {
            reader.unknown.iter().try_for_each(|name| scan.unknown.add(name).map(|_| ()))?;
            for (sum, tally) in sums.iter_mut().zip(&reader.tallies) {
                let rows = sum.rows.checked_add(tally.rows).filter(|&rows| rows as usize <= MOST);
                *sum = Tally {
                    rows: rows.ok_or(Lack::Numbers)?,
                    stretches: sum.stretches.wrapping_add(tally.stretches),
                };
            }
        }
        scan.scattered = self.scattered(work, &mut sums);
        Ok(collected(sums.iter().map(|tally| tally.rows))?)
    }

    fn find_judged(&self, work: &Work<'_>, batch: &Batch, first: u64, query: usize, row: usize, code: u64) {
        if let Some(document) = work.index.find(query, batch.document(row), code) {
            // Of a document that is listed twice either will do: the second reading finds it out.
            self.scores[document as usize].store(batch.scores[row].to_bits(), Ordering::Relaxed);
            self.places[document as usize].store(first + row as u64, Ordering::Relaxed);
        }
    }

    /// How many queries do not stand together.
    fn scattered(&self, work: &Work<'_>, tallies: &mut [Tally]) -> usize {
        let filled = self.ends.iter().zip(work.tasks).filter(|(_, task)| task.rows > 0);
        let ends: Vec<[u32; 2]> =
            filled.map(|(ends, _)| [0, 1].map(|end| ends[end].load(Ordering::Relaxed))).collect();
        for pair in ends.windows(2).filter(|pair| pair[0][1] == pair[1][0] && pair[0][1] != NO_QUERY) {
            tallies[pair[0][1] as usize].stretches -= 1;
        }
        tallies.iter().filter(|tally| tally.stretches > 1).count()
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
    numbers: Numbers,
    counts: Vec<Counts>,
    keys: Keys,
}

/// Counts all rows, and looks for repeats in one of several shares of their keys.
fn count_rows(
    work: &Work<'_>,
    levels: &[Levels<'_>],
    (share, shares): (u64, u64),
) -> Result<Vec<Counts>, Stop> {
    let mut readers = work.workers(|| {
        let counts = levels.iter().map(Levels::counts).collect::<Result<Vec<_>, Lack>>()?;
        Ok(SecondReader { numbers: Numbers::default(), counts, keys: Keys::new() })
    })?;
    work.each_group(&mut readers, 2 * shares, |SecondReader { numbers, counts, keys }, number| {
        each_batch(work, number, numbers, |batch, numbers, first| {
            let known = || numbers.queries.iter().enumerate().filter(|&(_, &query)| query != NO_QUERY);
            for (row, &query) in known() {
                let key = key_of(query, numbers.codes[row]);
                if shares == 1 || key % shares == share {
                    keys.add(key)?;
                }
            }
            for (levels, counts) in levels.iter().zip(&mut *counts) {
                for (row, &query) in known() {
                    let row = Row { batch, row, query: query as usize, place: first + row as u64 };
                    levels.count(counts, row);
                }
            }
            Ok(())
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

/// Rows whose keys others have too: more are not looked at here.
const MOST_SUSPECTS: usize = 1 << 20;

/// What a thread finds of the keys that rows share: query, number of the row, and document.
struct RepeatReader {
    numbers: Numbers,
    rows: Vec<(u32, u64, Vec<u8>)>,
}

/// Reads the files once more, for the first query that lists a document twice. Different rows may have the same key.
fn tell_repeat(work: &Work<'_>, twice: &HashSet<u64>) -> Result<(), Stop> {
    let make = || Ok(RepeatReader { numbers: Numbers::default(), rows: Vec::new() });
    let mut readers = work.workers(make)?;
    work.each_group(&mut readers, UNCOUNTED, |RepeatReader { numbers, rows: found }, number| {
        each_batch(work, number, numbers, |batch, numbers, first| {
            for (row, (&query, &code)) in numbers.queries.iter().zip(&numbers.codes).enumerate() {
                if query == NO_QUERY || !twice.contains(&key_of(query, code)) {
                    continue;
                }
                if found.len() == MOST_SUSPECTS {
                    return Err(Stop::Unfit);
                }
                let mut document = Vec::new();
                document.add_all(batch.document(row))?;
                found.add((query, first + row as u64, document))?;
            }
            Ok(())
        })
    })?;
    let mut rows: Vec<_> = readers.iter().flat_map(|reader| &reader.rows).collect();
    rows.sort_unstable();
    let mut seen = HashSet::new();
    let repeat = rows.iter().find(|(query, _, document)| !seen.insert((query, document)));
    let is_error = work.options.iter().any(|options| options.duplicates == Duplicates::Error);
    match repeat {
        None => Ok(()),
        Some((query, _, document)) if is_error => {
            Err(Fault::duplicate(work.index.queries.name(*query as usize), document).into())
        }
        // Which of them to keep is not decided here.
        Some(_) => Err(Stop::Unfit),
    }
}
