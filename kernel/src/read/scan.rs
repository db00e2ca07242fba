//! Ranks the judged documents of a run file while it is read, on all cores, without holding it.
//!
//! Each block of the file holds whole queries, so workers share nothing but the reader. Queries whose lines do not stand
//! together are found on the way, and gathered when the file is read again. Where the first lines show that already, rows
//! are kept and ranked at the end, unless they are too many.

use crate::fault::Fault;
use crate::limits::Limits;
use crate::memory::{Grow, collected, filled};
use crate::parallel::on_threads;
use crate::rank::finder::Finder;
use crate::rank::index::Index;
use crate::rank::judged::Judged;
use crate::rank::options::Options;
use crate::rank::rows::Names;
use crate::read::block::{BLOCK, Blocks, check_rows};
use crate::read::feed::Feed;
use crate::read::gather::{BLOCKS, Gather, Scattered, begins_scattered};
use crate::read::lanes::Lanes;
use crate::read::pieces::in_order;
use crate::read::source::Source;
use crate::read::worker::{Shared, State, Worker};
use std::sync::PoisonError;
use std::sync::atomic::AtomicBool;

/// What a file held.
#[derive(Debug, Default)]
pub struct Scan {
    /// What each of the options found.
    pub judged: Vec<Judged>,
    /// Queries of the run that have no judgments.
    pub unknown: Names,
    /// Queries whose lines did not stand together.
    pub scattered: usize,
    pub lines: usize,
    /// Lines with more than six fields.
    pub surplus: usize,
}

/// How a file is scanned.
#[derive(Debug, Clone, Copy)]
pub struct Plan<'a> {
    pub threads: usize,
    pub block: usize,
    /// Rows of scattered queries held at a time, at least; at most an eighth of them when there are more.
    pub rows_held: usize,
    /// What follows the sixth field of a line is ignored, not a fault.
    pub surplus: bool,
    /// How lines are looked at.
    pub lanes: Lanes,
    /// Set from outside to give up.
    pub stop: &'a AtomicBool,
}

impl<'a> Plan<'a> {
    pub fn new(threads: usize, stop: &'a AtomicBool) -> Self {
        Self { threads, block: BLOCK, rows_held: 7 << 20, surplus: false, lanes: Lanes::best(), stop }
    }
}

/// Scans `source` against the judgments of `index`.
pub fn scan(source: &Source, index: &Index, options: &[Options], plan: Plan<'_>) -> Result<Scan, Fault> {
    let mut blocks = Feed::new(Blocks::open(source, plan.block)?, plan.threads);
    let keeps = begins_scattered(blocks.first()?)?;
    if keeps {
        blocks.enlarge(BLOCKS);
    }
    let queries = Finder::new(&index.queries)?;
    let gather = Gather { source, index, queries: &queries, options, plan };
    let mut workers = Vec::new();
    for _ in 0..plan.threads.max(1) {
        workers.add(Worker::new(&gather, keeps)?)?;
    }
    let shared = Shared::new(&blocks, plan);
    on_threads(&mut workers, |worker| worker.work(&shared));
    Fault::if_stopped(plan.stop)?;
    let (is_full, lines) =
        (shared.is_full(), shared.lines.into_inner().unwrap_or_else(PoisonError::into_inner));
    if let Some(fault) = first_fault(&workers, source, &blocks.into_blocks(), &lines) {
        return Err(fault);
    }
    gather.finish(workers, lines.iter().sum(), !keeps || is_full)
}

impl Gather<'_> {
    /// What the workers found in so many lines. What they could not rank is read again, unless all of it was kept.
    fn finish(&self, mut workers: Vec<Worker<'_>>, lines: usize, again: bool) -> Result<Scan, Fault> {
        let judged = vec![Judged::default(); self.options.len()];
        let surplus = workers.iter().map(|worker| worker.surplus.lines).sum();
        let mut scan = Scan { judged, lines, surplus, ..Scan::default() };
        let later = merge(&mut workers, self.index, &mut scan, self.source.limits)
            .map_err(|fault| fault.at(&self.source.name))?;
        let kept = collected(workers.into_iter().filter_map(|worker| worker.kept))?;
        if again || kept.iter().any(|each| each.is_ordered) {
            drop(kept);
            self.rank(&later, &mut scan.judged)?;
        } else {
            let numbered = collected(later.into_iter().map(|each| (each.0 as usize, each)))?;
            let pieces = in_order(kept.into_iter())?;
            Judged::append_all(&mut scan.judged, &self.rank_pieces(&pieces, &numbered)?)?;
        }
        Ok(scan)
    }
}

/// The first fault in the files.
fn first_fault(
    workers: &[Worker<'_>],
    source: &Source,
    blocks: &Blocks<'_>,
    lines: &[usize],
) -> Option<Fault> {
    let (block, line, fault) =
        workers.iter().filter_map(|worker| worker.fault.as_ref()).min_by_key(|fault| (fault.0, fault.1))?;
    let (part, first) = blocks.part(*block);
    let before: usize = lines.get(first..*block).unwrap_or_default().iter().sum();
    Some(match line {
        Some(line) => fault.clone().at(&source.place(part, before + line)),
        // What cannot be read is told with the file's name already.
        None if *block == usize::MAX => fault.clone(),
        None => fault.clone().at(&source.name),
    })
}

/// Puts together what the workers found; gives the number of rows of each query that is ranked later: of those that do
/// not stand together, and of those whose rows were kept. Their repeats are told then: which of them a worker saw depends
/// on the threads.
fn merge(
    workers: &mut [Worker<'_>],
    index: &Index,
    scan: &mut Scan,
    limits: Limits,
) -> Result<Vec<Scattered>, Fault> {
    let mut states = filled(index.queries.len(), State::default())?;
    for worker in &*workers {
        for (state, more) in states.iter_mut().zip(&worker.states) {
            state.rows += more.rows;
            state.segments += more.segments;
            state.was_kept |= more.was_kept;
        }
        for name in worker.unknown.iter() {
            scan.unknown.add(name)?;
        }
    }
    for (query, state) in states.iter().enumerate() {
        check_rows(state.rows as usize, Some(index.queries.name(query)), limits)?;
    }
    let is_ranked = |query: u32| states[query as usize].is_ranked();
    let repeats = workers.iter().flat_map(|worker| &worker.repeats);
    let whole = repeats.filter(|(_, query, _)| is_ranked(*query));
    if let Some((_, _, fault)) = whole.min_by_key(|(block, _, _)| *block) {
        return Err(fault.clone());
    }
    for worker in workers {
        let rankers = std::mem::take(&mut worker.rankers.each);
        let mut judged = collected(rankers.into_iter().map(|ranker| ranker.judged))?;
        for each in &mut judged {
            each.facts.retain(|fact| is_ranked(fact.query));
            each.tops.lists.retain(|list| is_ranked(list.query));
        }
        Judged::append_all(&mut scan.judged, &judged)?;
    }
    scan.scattered = states.iter().filter(|state| state.segments > 1).count();
    let later =
        (0..states.len() as u32).filter(|&query| states[query as usize].segments > 0 && !is_ranked(query));
    Ok(collected(later.map(|query| (query, states[query as usize].rows)))?)
}

#[cfg(test)]
#[path = "scan_tests.rs"]
mod tests;
