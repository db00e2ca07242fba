//! Ranks queries whose lines do not stand together in a file: it is read again for them, on all cores, a bounded number of
//! their rows at a time.

use crate::fault::Fault;
use crate::index::Index;
use crate::judged::Judged;
use crate::memory::{Grow, Lack, collected, copied, filled, number};
use crate::options::Options;
use crate::parallel::{on_threads, rank_all, rank_rows};
use crate::rank::Documents;
use crate::rows::{Rows, RowsBuilder};
use crate::scan::Plan;
use crate::text::block::{Block, Blocks};
use crate::text::lanes::{Level, Task};
use crate::text::line::run_line;
use crate::text::read::read_lines;
use crate::text::run::RunBlock;
use crate::text::source::Source;
use crate::text::surplus::Surplus;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, PoisonError};

/// A query and the number of its rows.
pub type Scattered = (u32, u64);

/// What is read, against which judgments, and how.
#[derive(Clone, Copy)]
pub struct Gather<'a> {
    pub source: &'a Source,
    pub index: &'a Index,
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
        let mut wanted = filled(self.index.queries.len(), false)?;
        for &(query, _) in batch {
            wanted[query as usize] = true;
        }
        let Plan { threads, stop, .. } = self.plan;
        let Some(pieces) = self.pieces(&wanted)? else {
            let rows = self.in_given_order(&wanted)?;
            let judged = rank_rows(&rows, self.index, self.options, threads, stop);
            return judged.map_err(|fault| fault.at(&self.source.name));
        };
        let (rows, starts) = by_query(&pieces, self.index.queries.len())?;
        let ranked = rank_all(batch, self.index, self.options, threads, stop, |rankers, &(query, _)| {
            let own = &rows[starts[query as usize]..starts[query as usize + 1]];
            let scores =
                collected(own.iter().map(|place| pieces[place.piece as usize].score(place.start as usize)))?;
            rankers.rank(query, &Places { pieces: &pieces, places: own }, Some(&scores))
        });
        ranked.map_err(|fault| fault.at(&self.source.name))
    }

    /// The rows of the queries that are wanted, or none where a ranking is in a given order.
    fn pieces(&self, wanted: &[bool]) -> Result<Option<Vec<Piece>>, Fault> {
        let blocks = Mutex::new(Blocks::open(self.source, self.plan.block)?);
        let ended = AtomicBool::new(false);
        let mut readers = Vec::new();
        for _ in 0..self.plan.threads.max(1) {
            readers.add(Reader {
                gather: *self,
                wanted,
                piece: Piece::default(),
                pieces: Vec::new(),
                is_ordered: false,
            })?;
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
        if readers.iter().any(|reader| reader.is_ordered) {
            return Ok(None);
        }
        let mut pieces = collected(readers.into_iter().flat_map(|reader| reader.pieces))?;
        pieces.sort_unstable_by_key(|piece| piece.block);
        Ok(Some(pieces))
    }

    /// The rows of rankings in a given order, which is checked line by line.
    fn in_given_order(&self, wanted: &[bool]) -> Result<Rows, Fault> {
        let mut builder = RowsBuilder::default();
        // The first reading has decided about lines with too many fields, and counted them.
        let mut surplus = Surplus::ignored(true);
        read_lines(self.source, |line| {
            let mut words = line.words();
            let query = words.next().unwrap_or_default();
            if self.index.queries.find(query).is_some_and(|query| wanted[query as usize]) {
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

/// The rows of one block, as they stand there.
#[derive(Debug, Default)]
struct Piece {
    block: usize,
    queries: Vec<u32>,
    /// For each row the score, the length of the document's id, and the id: together, so that they are fetched together.
    records: Vec<u8>,
}

const SCORE: usize = size_of::<f64>();
const HEAD: usize = SCORE + size_of::<u32>();

impl Piece {
    fn clear(&mut self) {
        self.queries.clear();
        self.records.clear();
    }

    fn add(&mut self, query: u32, document: &[u8], score: f64) -> Result<(), Lack> {
        number(self.records.len())?;
        self.records.room(HEAD + document.len())?;
        self.records.extend_from_slice(&score.to_le_bytes());
        self.records.extend_from_slice(&number(document.len())?.to_le_bytes());
        self.records.extend_from_slice(document);
        self.queries.add(query)
    }

    /// The same without room for more.
    fn copied(&self, block: usize) -> Result<Self, Lack> {
        Ok(Self { block, queries: copied(&self.queries)?, records: copied(&self.records)? })
    }

    #[inline]
    fn score(&self, start: usize) -> f64 {
        self.records
            .get(start..)
            .and_then(|record| record.first_chunk())
            .map_or(0.0, |bytes| f64::from_le_bytes(*bytes))
    }

    #[inline]
    fn document(&self, start: usize) -> &[u8] {
        let rest = self.records.get(start + SCORE..).and_then(|record| record.split_first_chunk());
        rest.and_then(|(length, text)| text.get(..u32::from_le_bytes(*length) as usize)).unwrap_or_default()
    }
}

/// Takes the rows that are wanted out of one block after another.
struct Reader<'a> {
    gather: Gather<'a>,
    wanted: &'a [bool],
    /// The rows of the block that is read.
    piece: Piece,
    pieces: Vec<Piece>,
    is_ordered: bool,
}

impl Reader<'_> {
    fn read(&mut self, blocks: &Mutex<Blocks<'_>>, ended: &AtomicBool) -> Result<(), Fault> {
        let Plan { stop, lanes, .. } = self.gather.plan;
        let mut block = Block::default();
        while !stop.load(Ordering::Relaxed) && !ended.load(Ordering::Relaxed) {
            let next = blocks.lock().unwrap_or_else(PoisonError::into_inner).next(&mut block)?;
            let Some(number) = next else { break };
            lanes.run(BlockTask { reader: self, block: block.text() })?;
            self.pieces.add(self.piece.copied(number)?)?;
        }
        Ok(())
    }

    #[inline(always)]
    fn block(&mut self, level: impl Level, block: &[u8]) -> Result<(), Fault> {
        let (index, limits) = (self.gather.index, self.gather.source.limits);
        // The first reading has decided about lines with too many fields, and counted them.
        let mut surplus = Surplus::ignored(true);
        let mut known = None;
        self.piece.clear();
        let mut rows =
            RunBlock::new(block, limits.line, &mut surplus).map_err(|(_, fault)| self.at(fault))?;
        while let Some(row) = rows.next(level).map_err(|fault| self.at(fault))? {
            if !row.goes_on {
                known = index.queries.find(row.query).filter(|&query| self.wanted[query as usize]);
            }
            if let Some(query) = known {
                let added = self.piece.add(query, row.retrieved.document, row.retrieved.score);
                added.map_err(|lack| self.at(lack.into()))?;
                self.is_ordered |= row.retrieved.is_ordered();
            }
        }
        Ok(())
    }

    /// A fault that the first reading did not meet: no memory, or the file has changed.
    #[cold]
    fn at(&self, fault: Fault) -> Fault {
        fault.at(&self.gather.source.name)
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

/// Where a row is.
#[derive(Debug, Clone, Copy, Default)]
struct Place {
    piece: u32,
    /// Where its record begins.
    start: u32,
}

/// The places of all rows, query by query in the order of the file, and where those of each query begin.
fn by_query(pieces: &[Piece], queries: usize) -> Result<(Vec<Place>, Vec<usize>), Lack> {
    let mut starts = filled(queries + 1, 0usize)?;
    for &query in pieces.iter().flat_map(|piece| &piece.queries) {
        starts[query as usize + 1] += 1;
    }
    for query in 1..starts.len() {
        starts[query] += starts[query - 1];
    }
    let mut next = copied(&starts)?;
    let mut places = filled(starts[queries], Place::default())?;
    for (number, piece) in pieces.iter().enumerate() {
        let mut start = 0;
        for &query in &piece.queries {
            places[next[query as usize]] = Place { piece: number as u32, start: start as u32 };
            next[query as usize] += 1;
            start += HEAD + piece.document(start).len();
        }
    }
    Ok((places, starts))
}

/// The documents of one query.
struct Places<'a> {
    pieces: &'a [Piece],
    places: &'a [Place],
}

impl Documents for Places<'_> {
    #[inline]
    fn count(&self) -> usize {
        self.places.len()
    }

    #[inline]
    fn id(&self, position: usize) -> &[u8] {
        let place = self.places[position];
        self.pieces[place.piece as usize].document(place.start as usize)
    }
}
