//! Ranks queries whose lines do not stand together in a file: it is read again for them, on all cores, a bounded number of
//! their rows at a time.

use crate::fault::Fault;
use crate::memory::{Grow, Lack, collected, filled};
use crate::parallel::{on_threads, rank_all, rank_rows};
use crate::rank::finder::Finder;
use crate::rank::index::Index;
use crate::rank::judged::Judged;
use crate::rank::options::Options;
use crate::rank::rows::{Names, Rows, RowsBuilder};
use crate::read::block::{Block, Blocks};
use crate::read::feed::Feed;
use crate::read::lanes::{Level, Task};
use crate::read::line::{Line, is_empty, run_line};
use crate::read::pieces::{Collector, Piece, Ranking, in_order};
use crate::read::run::each_row;
use crate::read::scan::Plan;
use crate::read::source::Source;
use crate::read::surplus::Surplus;
use crate::read::whole::read_lines;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, PoisonError};

/// So many blocks are read at once, so that each has several rows of a query.
pub const BLOCKS: usize = 4;

/// So much of a file is looked at, and so often must it go back to a query, to be taken for scattered.
const HEAD: usize = 1 << 16;
pub const RETURNS: usize = 16;

/// Whether a file whose first lines these are goes from query to query and back: then it is gathered when it is first
/// read.
pub fn begins_scattered(text: &[u8]) -> Result<bool, Lack> {
    let (mut seen, mut last, mut returns) = (Names::default(), None, 0);
    let mut rest = text.get(..HEAD).unwrap_or(text);
    while !rest.is_empty() && returns < RETURNS {
        let line = Line::first(rest);
        rest = rest.get(line.bytes().len() + 1..).unwrap_or_default();
        let query = line.words().next().filter(|_| !is_empty(line.bytes()));
        if let Some(query) = query.filter(|_| query != last) {
            let known = seen.len();
            returns += usize::from((seen.add(query)? as usize) < known);
            last = Some(query);
        }
    }
    Ok(returns == RETURNS)
}

/// A query and the number of its rows.
pub type Scattered = (u32, u64);

/// What is read, against which judgments, and how.
#[derive(Clone, Copy)]
pub struct Gather<'a> {
    pub source: &'a Source,
    pub index: &'a Index,
    pub queries: &'a Finder<'a>,
    pub options: &'a [Options],
    pub plan: Plan<'a>,
}

impl Gather<'_> {
    /// Ranks the scattered queries, as many at a time as may be held.
    pub fn rank(&self, scattered: &[Scattered], judged: &mut [Judged]) -> Result<(), Fault> {
        let total: u64 = scattered.iter().map(|&(_, rows)| rows).sum();
        let most = (self.plan.rows_held as u64).max(total.div_ceil(8));
        let mut waiting = scattered;
        while !waiting.is_empty() {
            let mut held = 0;
            let mut fits = |&(_, rows): &Scattered| {
                held += rows;
                held <= most || held == rows
            };
            let count = waiting.iter().take_while(|query| fits(query)).count();
            let (batch, later) = waiting.split_at(count);
            Judged::append_all(judged, &self.rank_batch(batch)?)?;
            waiting = later;
        }
        Ok(())
    }

    fn rank_batch(&self, batch: &[Scattered]) -> Result<Vec<Judged>, Fault> {
        let mut wanted = filled(self.index.queries.len(), None)?;
        for (number, &(query, _)) in batch.iter().enumerate() {
            wanted[query as usize] = Some(number as u32);
        }
        let Plan { threads, stop, .. } = self.plan;
        let Some(pieces) = self.pieces(&wanted)? else {
            let rows = self.in_given_order(&wanted)?;
            let judged = rank_rows(&rows, self.index, self.options, threads, stop);
            return judged.map_err(|fault| fault.at(&self.source.name));
        };
        self.rank_pieces(&pieces, &collected(batch.iter().copied().enumerate())?)
    }

    /// Ranks queries, each with its number in the pieces, which have all of its rows.
    pub fn rank_pieces(
        &self,
        pieces: &[Piece],
        queries: &[(usize, Scattered)],
    ) -> Result<Vec<Judged>, Fault> {
        let Plan { threads, stop, .. } = self.plan;
        let ranked = rank_all(queries, self.index, self.options, threads, stop, |rankers, item| {
            let &(number, (query, rows)) = item;
            let (ranking, scores) = Ranking::new(pieces, number, rows as usize)?;
            rankers.rank(query, &ranking, Some(&scores))
        });
        ranked.map_err(|fault| fault.at(&self.source.name))
    }

    /// The rows of the queries that are wanted, or none where a ranking is in a given order.
    fn pieces(&self, wanted: &[Option<u32>]) -> Result<Option<Vec<Piece>>, Fault> {
        let blocks = Feed::new(Blocks::open(self.source, BLOCKS * self.plan.block)?, self.plan.threads);
        let ended = AtomicBool::new(false);
        let batch = wanted.iter().flatten().count();
        let mut readers = Vec::new();
        for _ in 0..self.plan.threads.max(1) {
            readers.add(Reader { gather: *self, wanted, batch, collector: Collector::default() })?;
        }
        let faults = Mutex::new(Vec::new());
        on_threads(&mut readers, |reader| {
            if let Err(fault) = reader.read(&blocks, &ended) {
                ended.store(true, Ordering::Relaxed);
                faults.lock().unwrap_or_else(PoisonError::into_inner).push(fault);
            }
        });
        Fault::if_stopped(self.plan.stop)?;
        if let Some(fault) = faults.into_inner().unwrap_or_else(PoisonError::into_inner).pop() {
            return Err(fault);
        }
        if readers.iter().any(|reader| reader.collector.is_ordered) {
            return Ok(None);
        }
        Ok(Some(in_order(readers.into_iter().map(|reader| reader.collector))?))
    }

    /// The rows of rankings in a given order, which is checked line by line.
    fn in_given_order(&self, wanted: &[Option<u32>]) -> Result<Rows, Fault> {
        let mut builder = RowsBuilder::default();
        // The first reading has decided about lines with too many fields, and counted them.
        let mut surplus = Surplus::ignored(true);
        read_lines(self.source, |line| {
            let mut words = line.words();
            let query = words.next().unwrap_or_default();
            if self.index.queries.find(query).is_some_and(|query| wanted[query as usize].is_some()) {
                let retrieved = run_line(&mut words, &mut surplus)?;
                builder.query(query)?;
                retrieved.check_order(builder.order()?)?;
                if retrieved.is_ordered() {
                    builder.set_ordered();
                }
                builder.row(retrieved.document, retrieved.score)?;
            }
            Fault::if_stopped(self.plan.stop)
        })?;
        Ok(builder.finish()?)
    }
}

/// Takes the rows that are wanted out of one block after another.
struct Reader<'a> {
    gather: Gather<'a>,
    /// The number of each query in the batch.
    wanted: &'a [Option<u32>],
    batch: usize,
    collector: Collector,
}

impl Reader<'_> {
    fn read(&mut self, blocks: &Feed<'_>, ended: &AtomicBool) -> Result<(), Fault> {
        let Plan { stop, lanes, .. } = self.gather.plan;
        let mut block = Block::default();
        while !stop.load(Ordering::Relaxed) && !ended.load(Ordering::Relaxed) {
            let Some(number) = blocks.next(&mut block)? else { break };
            lanes.run(BlockTask { reader: self, block: block.text() })?;
            self.collector.close(number, self.batch)?;
        }
        Ok(())
    }

    #[inline(always)]
    fn block(&mut self, level: impl Level, block: &[u8]) -> Result<(), Fault> {
        let limits = self.gather.source.limits;
        // The first reading has decided about lines with too many fields, and counted them.
        let mut surplus = Surplus::ignored(true);
        let mut known = None;
        let read = each_row(level, block, limits.line, &mut surplus, |row| {
            if !row.goes_on {
                known = self.gather.queries.find(row.query).and_then(|query| self.wanted[query as usize]);
            }
            match known {
                Some(query) => Ok(self.collector.add(query, &row.retrieved)?),
                None => Ok(()),
            }
        });
        // A fault that the first reading did not meet: no memory, or the file has changed.
        read.map(|_| ()).map_err(|(_, fault)| fault.at(&self.gather.source.name))
    }
}

struct BlockTask<'a, 'b> {
    reader: &'b mut Reader<'a>,
    block: &'b [u8],
}

impl Task for BlockTask<'_, '_> {
    type Output = Result<(), Fault>;

    #[inline(always)]
    fn run(self, level: impl Level) -> Result<(), Fault> {
        self.reader.block(level, self.block)
    }
}
