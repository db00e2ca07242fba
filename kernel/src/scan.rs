//! Ranks the judged documents of a run file while it is read, on all cores, without holding it.
//!
//! Each block of the file holds whole queries, so workers share nothing but the reader. Queries whose lines do not stand
//! together are found on the way, and gathered.

use crate::fault::{Fault, Kind};
use crate::finder::Finder;
use crate::gather::{Gather, Scattered};
use crate::index::Index;
use crate::judged::Judged;
use crate::limits::Limits;
use crate::memory::{Grow, Lack, collected, filled};
use crate::options::Options;
use crate::parallel::on_threads;
use crate::rank::{Documents, Rankers};
use crate::rows::{Names, Order, Span, hash};
use crate::text::block::{BLOCK, Block, Blocks, LineFault, check_rows};
use crate::text::feed::Feed;
use crate::text::lanes::{Lanes, Level, Task};
use crate::text::line::RunLine;
use crate::text::run::each_row;
use crate::text::source::Source;
use crate::text::surplus::Surplus;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, PoisonError};

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
    let blocks = Feed::new(Blocks::open(source, plan.block)?, plan.threads);
    let lines = Mutex::new(Vec::new());
    let failed = AtomicBool::new(false);
    let shared =
        Shared { blocks: &blocks, lines: &lines, lanes: plan.lanes, stop: plan.stop, failed: &failed };
    let queries = Finder::new(&index.queries)?;
    let mut workers = Vec::new();
    for _ in 0..plan.threads.max(1) {
        workers.add(Worker::new(index, &queries, options, plan.surplus, source.limits)?)?;
    }
    on_threads(&mut workers, |worker| worker.work(&shared));
    Fault::if_stopped(plan.stop)?;
    let lines = lines.into_inner().unwrap_or_else(PoisonError::into_inner);
    let blocks = blocks.into_blocks();
    if let Some(fault) = first_fault(&workers, source, &blocks, &lines) {
        return Err(fault);
    }
    let judged = vec![Judged::default(); options.len()];
    let surplus = workers.iter().map(|worker| worker.surplus.lines).sum();
    let mut scan = Scan { judged, lines: lines.iter().sum(), surplus, ..Scan::default() };
    let scattered =
        merge(workers, index, &mut scan, source.limits).map_err(|fault| fault.at(&source.name))?;
    scan.scattered = scattered.len();
    Gather { source, index, queries: &queries, options, plan }.rank(&scattered, &mut scan.judged)?;
    Ok(scan)
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

/// Puts together what the workers found; gives the number of rows of each scattered query. The repeats of those are told
/// when they are gathered: which of them a worker saw depends on the threads.
fn merge(
    mut workers: Vec<Worker<'_>>,
    index: &Index,
    scan: &mut Scan,
    limits: Limits,
) -> Result<Vec<Scattered>, Fault> {
    let mut rows = filled(index.queries.len(), 0u64)?;
    let mut segments = filled(index.queries.len(), 0u32)?;
    for worker in &workers {
        for (query, state) in worker.states.iter().enumerate() {
            rows[query] += state.rows;
            segments[query] += state.segments;
        }
        for name in worker.unknown.iter() {
            scan.unknown.add(name)?;
        }
    }
    for (query, &count) in rows.iter().enumerate() {
        check_rows(count as usize, Some(index.queries.name(query)), limits)?;
    }
    let repeats = workers.iter().flat_map(|worker| &worker.repeats);
    let whole = repeats.filter(|(_, query, _)| segments[*query as usize] == 1);
    if let Some((_, _, fault)) = whole.min_by_key(|(block, _, _)| *block) {
        return Err(fault.clone());
    }
    for worker in &mut workers {
        let rankers = std::mem::take(&mut worker.rankers.each);
        let mut judged = collected(rankers.into_iter().map(|ranker| ranker.judged))?;
        for each in &mut judged {
            each.facts.retain(|fact| segments[fact.query as usize] == 1);
            each.tops.lists.retain(|list| segments[list.query as usize] == 1);
        }
        Judged::append_all(&mut scan.judged, &judged)?;
    }
    let scattered = (0..rows.len()).filter(|&query| segments[query] > 1);
    Ok(collected(scattered.map(|query| (query as u32, rows[query])))?)
}

/// What the workers share.
struct Shared<'a, 'b> {
    blocks: &'a Feed<'b>,
    /// The number of lines of each block that is done.
    lines: &'a Mutex<Vec<usize>>,
    lanes: Lanes,
    stop: &'a AtomicBool,
    failed: &'a AtomicBool,
}

/// What a worker knows of a query: in how many places of the file it occurs, and its rows.
#[derive(Debug, Clone, Copy, Default)]
struct State {
    segments: u32,
    rows: u64,
}

/// The ranking of one block.
struct BlockTask<'a, 'b> {
    worker: &'b mut Worker<'a>,
    number: usize,
    block: &'b [u8],
}

impl Task for BlockTask<'_, '_> {
    type Output = usize;

    #[inline(always)]
    fn run(self, level: impl Level) -> usize {
        self.worker.block(level, self.number, self.block)
    }
}

/// Ranks one block after another.
struct Worker<'a> {
    rankers: Rankers<'a>,
    queries: &'a Finder<'a>,
    states: Vec<State>,
    unknown: Names,
    /// The rows of the query that is read, and their scores and hashes once it ends.
    rows: Vec<Retrieved>,
    scores: Vec<f64>,
    codes: Vec<u64>,
    order: Order,
    surplus: Surplus,
    limits: Limits,
    /// The block, the query and the fault of each ranking that has a document twice.
    repeats: Vec<(usize, u32, Fault)>,
    /// The block, its line if it is known (none if the file cannot be read), and the fault that ended the work.
    fault: Option<(usize, Option<usize>, Fault)>,
}

impl<'a> Worker<'a> {
    fn new(
        index: &'a Index,
        queries: &'a Finder<'a>,
        options: &[Options],
        surplus: bool,
        limits: Limits,
    ) -> Result<Self, Lack> {
        Ok(Self {
            rankers: Rankers::new(index, options),
            queries,
            states: filled(index.queries.len(), State::default())?,
            unknown: Names::default(),
            rows: Vec::new(),
            scores: Vec::new(),
            codes: Vec::new(),
            order: Order::default(),
            surplus: Surplus::ignored(surplus),
            limits,
            repeats: Vec::new(),
            fault: None,
        })
    }

    fn work(&mut self, shared: &Shared<'_, '_>) {
        let mut block = Block::default();
        while !shared.stop.load(Ordering::Relaxed) && !shared.failed.load(Ordering::Relaxed) {
            match shared.blocks.next(&mut block) {
                Ok(None) => return,
                Ok(Some(number)) => {
                    let done = shared.lanes.run(BlockTask { worker: self, number, block: block.text() });
                    let mut lines = shared.lines.lock().unwrap_or_else(PoisonError::into_inner);
                    let room = if lines.len() <= number { lines.fill(number + 1, 0) } else { Ok(()) };
                    match room {
                        Ok(()) => lines[number] = done,
                        Err(lack) => self.fail(number, lack.into()),
                    }
                }
                Err(fault) => self.fail(usize::MAX, fault),
            }
            if self.fault.is_some() {
                shared.failed.store(true, Ordering::Relaxed);
                return;
            }
        }
    }

    /// Ends the work on a fault that is not one of a line.
    fn fail(&mut self, number: usize, fault: Fault) {
        if self.fault.is_none() {
            self.fault = Some((number, None, fault));
        }
    }

    /// Ranks the queries of one block and gives its number of lines.
    #[inline(always)]
    fn block(&mut self, level: impl Level, number: usize, block: &[u8]) -> usize {
        self.rows.clear();
        let mut surplus = self.surplus;
        let read = self.each_row(level, number, block, &mut surplus);
        self.surplus = surplus;
        read.unwrap_or_else(|(line, fault)| {
            self.fault = Some((number, Some(line), fault));
            0
        })
    }

    #[inline(always)]
    fn each_row(
        &mut self,
        level: impl Level,
        number: usize,
        block: &[u8],
        surplus: &mut Surplus,
    ) -> Result<usize, LineFault> {
        let start = block.as_ptr() as usize;
        let mut query: &[u8] = b"";
        let mut known = None;
        // After a fault the rows of the last query are not complete, and not ranked.
        let lines = each_row(level, block, self.limits.line, surplus, |row| {
            if !row.goes_on && row.query != query {
                self.close(known, number, block);
                query = row.query;
                known = self.open(query)?;
            }
            if known.is_some() { self.row(&row.retrieved, start) } else { Ok(()) }
        })?;
        self.close(known, number, block);
        Ok(lines)
    }

    /// Adds a row of a known query; `start` is where the block begins.
    #[inline(always)]
    fn row(&mut self, retrieved: &RunLine<'_>, start: usize) -> Result<(), Fault> {
        let from = retrieved.document.as_ptr() as usize - start;
        let document = Span { start: from, end: from + retrieved.document.len() };
        self.rows.add(Retrieved { document, code: hash(retrieved.document), score: retrieved.score })?;
        retrieved.check_order(&mut self.order)
    }

    #[inline(never)]
    fn open(&mut self, name: &[u8]) -> Result<Option<u32>, Lack> {
        let known = self.queries.find(name);
        if known.is_none() {
            self.unknown.add(name)?;
        }
        Ok(known)
    }

    fn rank(&mut self, query: u32, block: &[u8]) -> Result<(), Fault> {
        self.scores.clear();
        self.scores.room(self.rows.len())?;
        self.scores.extend(self.rows.iter().map(|row| row.score));
        self.codes.clear();
        self.codes.room(self.rows.len())?;
        self.codes.extend(self.rows.iter().map(|row| row.code));
        let documents = InBlock { text: block, rows: &self.rows, codes: &self.codes };
        let scores = if self.order.is_given() { None } else { Some(self.scores.as_slice()) };
        self.rankers.rank(query, &documents, scores)
    }

    /// Keeps the fault of a ranking that has a document twice; any other ends the work.
    fn repeat(&mut self, number: usize, query: u32, fault: Fault) {
        if fault.kind == Kind::Duplicate && self.repeats.room(1).is_ok() {
            self.repeats.push((number, query, fault));
        } else {
            self.fail(number, fault);
        }
    }

    /// Ranks the query that ends, unless it stood in the file before: then it is ranked when the file is read again.
    #[inline(never)]
    fn close(&mut self, query: Option<u32>, number: usize, block: &[u8]) {
        if let Some(query) = query {
            let state = &mut self.states[query as usize];
            state.segments += 1;
            state.rows += self.rows.len() as u64;
            if state.segments == 1
                && let Err(fault) = self.rank(query, block)
            {
                self.repeat(number, query, fault);
            }
        }
        self.rows.clear();
        self.order = Order::default();
    }
}

/// A row of the query that is read.
#[derive(Debug, Clone, Copy)]
struct Retrieved {
    document: Span,
    code: u64,
    score: f64,
}

/// The documents of one query, in the block that holds them.
struct InBlock<'a> {
    text: &'a [u8],
    rows: &'a [Retrieved],
    codes: &'a [u64],
}

impl Documents for InBlock<'_> {
    #[inline]
    fn count(&self) -> usize {
        self.rows.len()
    }

    #[inline]
    fn id(&self, position: usize) -> &[u8] {
        self.rows[position].document.of(self.text)
    }

    fn codes<'a>(&'a self, _: &'a mut Vec<u64>) -> Result<&'a [u64], Lack> {
        Ok(self.codes)
    }
}

#[cfg(test)]
#[path = "scan_tests.rs"]
mod tests;
