//! What one thread does with the blocks of a run file.

use crate::fault::{Fault, Kind};
use crate::limits::Limits;
use crate::memory::{Grow, Lack, filled};
use crate::rank::finder::Finder;
use crate::rank::ranker::{Documents, Rankers};
use crate::rank::rows::{Names, Order, Span, hash};
use crate::read::block::{Block, LineFault};
use crate::read::feed::Feed;
use crate::read::gather::Gather;
use crate::read::lanes::{Level, Task};
use crate::read::line::RunLine;
use crate::read::pieces::Collector;
use crate::read::run::each_row;
use crate::read::scan::Plan;
use crate::read::surplus::Surplus;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};

/// What the workers share.
pub struct Shared<'a, 'b> {
    blocks: &'a Feed<'b>,
    plan: Plan<'a>,
    /// The number of lines of each block that is done.
    pub lines: Mutex<Vec<usize>>,
    failed: AtomicBool,
    /// The number of rows that are kept, if any are.
    held: AtomicUsize,
}

impl<'a, 'b> Shared<'a, 'b> {
    pub fn new(blocks: &'a Feed<'b>, plan: Plan<'a>) -> Self {
        Self {
            blocks,
            plan,
            lines: Mutex::default(),
            failed: AtomicBool::new(false),
            held: AtomicUsize::new(0),
        }
    }

    /// Whether there are more rows than may be kept.
    pub fn is_full(&self) -> bool {
        self.held.load(Ordering::Relaxed) > self.plan.rows_held
    }
}

/// What a worker knows of a query: in how many places of the file it occurs, its rows, and whether some were kept.
#[derive(Debug, Clone, Copy, Default)]
pub struct State {
    pub segments: u32,
    pub rows: u64,
    pub was_kept: bool,
}

impl State {
    /// Whether the query was ranked where it stands.
    pub fn is_ranked(&self) -> bool {
        self.segments == 1 && !self.was_kept
    }
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

/// Ranks one block after another, or keeps the rows of queries that do not stand together.
pub struct Worker<'a> {
    pub rankers: Rankers<'a>,
    queries: &'a Finder<'a>,
    pub states: Vec<State>,
    pub unknown: Names,
    /// What is kept of every block while nothing is ranked.
    pub kept: Option<Collector>,
    /// The rows of the query that is read, and their scores and hashes once it ends.
    rows: Vec<Retrieved>,
    scores: Vec<f64>,
    codes: Vec<u64>,
    order: Order,
    pub surplus: Surplus,
    limits: Limits,
    /// The block, the query and the fault of each ranking that has a document twice.
    pub repeats: Vec<(usize, u32, Fault)>,
    /// The block, its line if it is known (none if the file cannot be read), and the fault that ended the work.
    pub fault: Option<(usize, Option<usize>, Fault)>,
}

impl<'a> Worker<'a> {
    pub fn new(gather: &Gather<'a>, keeps: bool) -> Result<Self, Lack> {
        let Gather { source, index, queries, options, plan } = *gather;
        Ok(Self {
            rankers: Rankers::new(index, options),
            queries,
            states: filled(index.queries.len(), State::default())?,
            unknown: Names::default(),
            kept: keeps.then(Collector::default),
            rows: Vec::new(),
            scores: Vec::new(),
            codes: Vec::new(),
            order: Order::default(),
            surplus: Surplus::ignored(plan.surplus),
            limits: source.limits,
            repeats: Vec::new(),
            fault: None,
        })
    }

    pub fn work(&mut self, shared: &Shared<'_, '_>) {
        let mut block = Block::default();
        while !shared.plan.stop.load(Ordering::Relaxed) && !shared.failed.load(Ordering::Relaxed) {
            match shared.blocks.next(&mut block) {
                Ok(None) => return,
                Ok(Some(number)) => {
                    let done = shared.plan.lanes.run(BlockTask { worker: self, number, block: block.text() });
                    if let Err(lack) = self.keep(number, shared) {
                        self.fail(number, lack.into());
                    }
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

    /// Keeps the rows of a block. If there are too many, they are given up, and blocks that follow are ranked.
    fn keep(&mut self, number: usize, shared: &Shared<'_, '_>) -> Result<(), Lack> {
        let Some(kept) = &mut self.kept else { return Ok(()) };
        let count = kept.close(number, self.states.len())?;
        shared.held.fetch_add(count, Ordering::Relaxed);
        if shared.is_full() {
            self.kept = None;
        }
        Ok(())
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
        let read = match self.kept {
            None => self.each_row::<false>(level, number, block, &mut surplus),
            Some(_) => self.each_row::<true>(level, number, block, &mut surplus),
        };
        self.surplus = surplus;
        read.unwrap_or_else(|(line, fault)| {
            self.fault = Some((number, Some(line), fault));
            0
        })
    }

    /// Ranks the rows of a block query by query, or keeps them.
    #[inline(always)]
    fn each_row<const KEEPS: bool>(
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
            match (known, &mut self.kept) {
                (None, _) => Ok(()),
                (Some(query), Some(kept)) if KEEPS => {
                    let state = &mut self.states[query as usize];
                    (state.rows, state.was_kept) = (state.rows + 1, true);
                    kept.add(query, &row.retrieved)?;
                    row.retrieved.check_order(&mut self.order)
                }
                _ => self.row(&row.retrieved, start),
            }
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

    /// Ranks the query that ends, unless its rows were kept, or it stood in the file before: then it is ranked later.
    #[inline(never)]
    fn close(&mut self, query: Option<u32>, number: usize, block: &[u8]) {
        if let Some(query) = query {
            let state = &mut self.states[query as usize];
            state.segments += 1;
            state.rows += self.rows.len() as u64;
            if state.is_ranked()
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
