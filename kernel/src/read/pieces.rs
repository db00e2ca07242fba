//! Rows of a run taken out of its blocks, in the order of queries inside each, and the rankings that they make.

use crate::memory::{Grow, Lack, collected, copied, filled, number};
use crate::rank::ranker::Documents;
use crate::read::line::RunLine;
use std::ops::Range;

/// The rows of one block, query by query, those of each in the order of the file.
#[derive(Debug, Default)]
pub struct Piece {
    block: usize,
    /// The number of each query, from low to high, and where its records end.
    queries: Vec<(u32, u32)>,
    /// For each row the score, the length of the document's id, and the id: together, so that they are fetched together.
    records: Vec<u8>,
}

const SCORE: usize = size_of::<f64>();
/// A record of more bytes is a long one.
const USUAL: usize = 32;
/// The length of an id is one byte, or this one and four more.
const LONG: u8 = u8::MAX;

impl Piece {
    /// The records of a query.
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

/// Takes rows out of one block after another.
#[derive(Debug, Default)]
pub struct Collector {
    /// The rows of the block that is read as they stand there: of each the query's number, and where its record ends.
    rows: Vec<(u32, u32)>,
    records: Vec<u8>,
    /// Where the records of each query end.
    ends: Vec<u32>,
    pieces: Vec<Piece>,
    /// Whether a ranking is in a given order.
    pub is_ordered: bool,
}

impl Collector {
    /// Adds a row of the block that is read to those of a query.
    #[inline(always)]
    pub fn add(&mut self, query: u32, retrieved: &RunLine<'_>) -> Result<(), Lack> {
        add_record(&mut self.records, retrieved.document, retrieved.score)?;
        self.is_ordered |= retrieved.is_ordered();
        self.rows.add((query, number(self.records.len())?))
    }

    /// Ends a block and gives the number of its rows, of which long ones count as several; queries have numbers below
    /// `queries`.
    pub fn close(&mut self, block: usize, queries: usize) -> Result<usize, Lack> {
        let piece = self.piece(block, queries)?;
        let count = self.rows.len().max(self.records.len() / USUAL);
        self.rows.clear();
        self.records.clear();
        self.pieces.add(piece)?;
        Ok(count)
    }

    /// The rows that were read, put into the order of queries.
    fn piece(&mut self, block: usize, queries: usize) -> Result<Piece, Lack> {
        self.ends.clear();
        self.ends.fill(queries, 0)?;
        let mut start = 0;
        for &(query, end) in &self.rows {
            self.ends[query as usize] += end - start;
            start = end;
        }
        let mut found = Vec::new();
        let mut end = 0;
        for (query, place) in self.ends.iter_mut().enumerate() {
            let size = std::mem::replace(place, end);
            end += size;
            if size > 0 {
                found.add((query as u32, end))?;
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
        Ok(Piece { block, queries: copied(&found)?, records })
    }
}

/// What was taken, in the order of the file.
pub fn in_order(collectors: impl Iterator<Item = Collector>) -> Result<Vec<Piece>, Lack> {
    let mut pieces = collected(collectors.flat_map(|each| each.pieces))?;
    pieces.sort_unstable_by_key(|piece| piece.block);
    Ok(pieces)
}

/// Where a document is.
#[derive(Debug, Clone, Copy)]
struct Place {
    piece: u32,
    start: u32,
    end: u32,
}

/// The documents of one query.
pub struct Ranking<'a> {
    pieces: &'a [Piece],
    places: Vec<Place>,
}

impl<'a> Ranking<'a> {
    /// The documents of a query that has so many rows, in the order of the file, and their scores.
    pub fn new(pieces: &'a [Piece], query: usize, rows: usize) -> Result<(Self, Vec<f64>), Lack> {
        let (mut places, mut scores) = (Vec::new(), Vec::new());
        places.room(rows)?;
        scores.room(rows)?;
        for (number, piece) in pieces.iter().enumerate() {
            let mut own = piece.of(query);
            while let Some((score, document)) = piece.record(own.start).filter(|_| !own.is_empty()) {
                let (start, end) = (document.start as u32, document.end as u32);
                places.add(Place { piece: number as u32, start, end })?;
                scores.add(score)?;
                own.start = document.end;
            }
        }
        Ok((Self { pieces, places }, scores))
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
