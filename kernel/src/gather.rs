//! Ranks queries whose lines do not stand together in a file: it is read again for them, on all cores, a bounded number of
//! their rows at a time.

use crate::fault::Fault;
use crate::finder::Finder;
use crate::index::Index;
use crate::judged::Judged;
use crate::memory::{Grow, Lack, collected, copied, filled, number};
use crate::options::Options;
use crate::parallel::{on_threads, rank_all, rank_rows};
use crate::rank::Documents;
use crate::rows::{Rows, RowsBuilder};
use crate::scan::Plan;
use crate::text::block::{Block, Blocks};
use crate::text::feed::Feed;
use crate::text::lanes::{Level, Task};
use crate::text::line::{RunLine, run_line};
use crate::text::read::read_lines;
use crate::text::run::each_row;
use crate::text::source::Source;
use crate::text::surplus::Surplus;
use std::ops::Range;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, PoisonError};

/// So many blocks are read at once, so that each has several rows of a query.
const BLOCKS: usize = 4;

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
        let numbered = collected(batch.iter().enumerate())?;
        let ranked = rank_all(&numbered, self.index, self.options, threads, stop, |rankers, item| {
            let &(number, &(query, rows)) = item;
            let mut ranking = Ranking { pieces: &pieces, places: Vec::new() };
            let mut scores = Vec::new();
            ranking.places.room(rows as usize)?;
            scores.room(rows as usize)?;
            ranking.fill(number, &mut scores)?;
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
            readers.add(Reader {
                gather: *self,
                wanted,
                batch,
                rows: Vec::new(),
                records: Vec::new(),
                ends: Vec::new(),
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

/// The rows of one block, query by query, those of each in the order of the file.
#[derive(Debug, Default)]
struct Piece {
    block: usize,
    /// The number of each query in the batch, from low to high, and where its records end.
    queries: Vec<(u32, u32)>,
    /// For each row the score, the length of the document's id, and the id: together, so that they are fetched together.
    records: Vec<u8>,
}

const SCORE: usize = size_of::<f64>();
/// The length of an id is one byte, or this one and four more.
const LONG: u8 = u8::MAX;

impl Piece {
    /// The records of a query of the batch.
    fn of(&self, number: usize) -> Range<usize> {
        let is_here =
            |place: &usize| self.queries.get(*place).is_some_and(|query| query.0 as usize == number);
        // Most pieces have rows of every query.
        let search = || self.queries.binary_search_by_key(&(number as u32), |query| query.0).ok();
        let Some(place) = Some(number).filter(is_here).or_else(search) else { return 0..0 };
        let end = |place: usize| self.queries.get(place).map_or(0, |query| query.1 as usize);
        place.checked_sub(1).map_or(0, end)..end(place)
    }

    /// The score of the record at `start`, and where its document is.
    #[inline]
    fn record(&self, start: usize) -> Option<(f64, Range<usize>)> {
        let (score, rest) = self.records.get(start..)?.split_first_chunk()?;
        let (&short, rest) = rest.split_first()?;
        let document = start + SCORE + 1;
        let (length, document) = match short {
            LONG => (u32::from_le_bytes(*rest.first_chunk()?) as usize, document + size_of::<u32>()),
            short => (usize::from(short), document),
        };
        Some((f64::from_le_bytes(*score), document..document + length))
    }
}

/// Adds a record.
#[inline]
fn add_record(records: &mut Vec<u8>, document: &[u8], score: f64) -> Result<(), Lack> {
    let length = number(document.len())?;
    records.room(SCORE + 1 + size_of::<u32>() + document.len())?;
    records.extend_from_slice(&score.to_le_bytes());
    if length < u32::from(LONG) {
        records.push(length as u8);
    } else {
        records.push(LONG);
        records.extend_from_slice(&length.to_le_bytes());
    }
    records.extend_from_slice(document);
    Ok(())
}

/// Takes the rows that are wanted out of one block after another.
struct Reader<'a> {
    gather: Gather<'a>,
    /// The number of each query in the batch.
    wanted: &'a [Option<u32>],
    batch: usize,
    /// The rows of the block that is read as they stand there: of each the query's number, and where its record ends.
    rows: Vec<(u32, u32)>,
    records: Vec<u8>,
    /// Where the records of each query end.
    ends: Vec<u32>,
    pieces: Vec<Piece>,
    is_ordered: bool,
}

impl Reader<'_> {
    fn read(&mut self, blocks: &Feed<'_>, ended: &AtomicBool) -> Result<(), Fault> {
        let Plan { stop, lanes, .. } = self.gather.plan;
        let mut block = Block::default();
        while !stop.load(Ordering::Relaxed) && !ended.load(Ordering::Relaxed) {
            let Some(number) = blocks.next(&mut block)? else { break };
            lanes.run(BlockTask { reader: self, block: block.text() })?;
            let piece = self.piece(number)?;
            self.pieces.add(piece)?;
        }
        Ok(())
    }

    #[inline(always)]
    fn block(&mut self, level: impl Level, block: &[u8]) -> Result<(), Fault> {
        let limits = self.gather.source.limits;
        // The first reading has decided about lines with too many fields, and counted them.
        let mut surplus = Surplus::ignored(true);
        let mut known = None;
        self.rows.clear();
        self.records.clear();
        let read = each_row(level, block, limits.line, &mut surplus, |row| {
            if !row.goes_on {
                known = self.gather.queries.find(row.query).and_then(|query| self.wanted[query as usize]);
            }
            if let Some(query) = known {
                self.add(query, &row.retrieved)?;
                self.is_ordered |= row.retrieved.is_ordered();
            }
            Ok(())
        });
        // A fault that the first reading did not meet: no memory, or the file has changed.
        read.map(|_| ()).map_err(|(_, fault)| fault.at(&self.gather.source.name))
    }

    #[inline(always)]
    fn add(&mut self, query: u32, retrieved: &RunLine<'_>) -> Result<(), Lack> {
        add_record(&mut self.records, retrieved.document, retrieved.score)?;
        self.rows.add((query, number(self.records.len())?))
    }

    /// The rows that were read, put into the order of queries.
    fn piece(&mut self, block: usize) -> Result<Piece, Lack> {
        self.ends.clear();
        self.ends.fill(self.batch, 0)?;
        let mut start = 0;
        for &(query, end) in &self.rows {
            self.ends[query as usize] += end - start;
            start = end;
        }
        let mut queries = Vec::new();
        let mut end = 0;
        for (query, place) in self.ends.iter_mut().enumerate() {
            let size = std::mem::replace(place, end);
            end += size;
            if size > 0 {
                queries.add((query as u32, end))?;
            }
        }
        let mut records = filled(self.records.len(), 0u8)?;
        let mut start = 0;
        for &(query, end) in &self.rows {
            let record = &self.records[start as usize..end as usize];
            let place = self.ends[query as usize] as usize;
            records[place..place + record.len()].copy_from_slice(record);
            self.ends[query as usize] += record.len() as u32;
            start = end;
        }
        Ok(Piece { block, queries: copied(&queries)?, records })
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

/// Where a document is.
#[derive(Debug, Clone, Copy)]
struct Place {
    piece: u32,
    start: u32,
    end: u32,
}

/// The documents of one query.
struct Ranking<'a> {
    pieces: &'a [Piece],
    places: Vec<Place>,
}

impl Ranking<'_> {
    /// Finds the documents of a query of the batch, in the order of the file, and their scores.
    fn fill(&mut self, query: usize, scores: &mut Vec<f64>) -> Result<(), Lack> {
        for (number, piece) in self.pieces.iter().enumerate() {
            let mut own = piece.of(query);
            while let Some((score, document)) = piece.record(own.start).filter(|_| !own.is_empty()) {
                let (start, end) = (document.start as u32, document.end as u32);
                self.places.add(Place { piece: number as u32, start, end })?;
                scores.add(score)?;
                own.start = document.end;
            }
        }
        Ok(())
    }
}

impl Documents for Ranking<'_> {
    #[inline]
    fn count(&self) -> usize {
        self.places.len()
    }

    #[inline]
    fn id(&self, position: usize) -> &[u8] {
        let Place { piece, start, end } = self.places[position];
        self.pieces[piece as usize].records.get(start as usize..end as usize).unwrap_or_default()
    }
}
