//! Counts rows against judged documents whose scores are known, so that what several readers count of one run adds up.
//!
//! The judged documents that a query retrieved are its levels, in the order of score and, among equal scores, of document
//! id or of place in the run. They leave gaps: one below the lowest, one above each. Every row of the query falls into one
//! of four slots of a gap: it ties with the level below the gap, with neither, with the level above the gap only, or it is
//! the row of that level itself. Slots are in the order of rank, so a rank is a sum of slots. A row adds one to one slot:
//! a reader never has more counts than rows. Above the last gap there is no level; its fourth slot counts rows left out.

use crate::fault::{Fault, show};
use crate::memory::{Grow, Lack, filled};
use crate::rank::options::Options;
use crate::rank::rows::{Names, Span};

/// The slots of a gap.
pub const SLOTS: usize = 4;
const TIED_BELOW: usize = 0;
const BETWEEN: usize = 1;
const TIED_ABOVE: usize = 2;
const ITSELF: usize = 3;

/// A row of a run: whose it is, the document with its score, and its place in the run where that counts.
#[derive(Debug, Clone, Copy)]
pub struct Row<'a> {
    pub run: Option<&'a [u8]>,
    pub query: &'a [u8],
    pub document: &'a [u8],
    pub score: f64,
    pub order: i64,
}

/// How many rows a query has that retrieved no judged document, and how many were left out.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Tally {
    pub rows: u64,
    pub excluded: u64,
}

/// Counts rows against levels.
#[derive(Debug)]
pub struct Counter {
    options: Options,
    /// Ties go by the place in the run, not by document id.
    by_order: bool,
    /// The rankings that have levels: query `n` has those in `starts[n]..starts[n + 1]`.
    keys: Names,
    starts: Vec<usize>,
    scores: Vec<f64>,
    orders: Vec<i64>,
    text: Vec<u8>,
    documents: Vec<Span>,
    slots: Vec<u64>,
    /// The rankings that have none.
    others: Names,
    tallies: Vec<Tally>,
    /// The ranking of the row before, which is often that of the next.
    last: Option<Place>,
    key: Vec<u8>,
}

#[derive(Debug, Clone, Copy)]
enum Place {
    Known(usize),
    Other(usize),
}

impl Counter {
    pub fn new(options: Options, by_order: bool) -> Result<Self, Lack> {
        Ok(Self {
            options,
            by_order,
            keys: Names::default(),
            starts: filled(1, 0)?,
            scores: Vec::new(),
            orders: Vec::new(),
            text: Vec::new(),
            documents: Vec::new(),
            slots: filled(0, 0)?,
            others: Names::default(),
            tallies: Vec::new(),
            last: None,
            key: Vec::new(),
        })
    }

    /// Adds the next level: those of a ranking stand together, from low to high.
    pub fn add_level(&mut self, row: Row<'_>) -> Result<(), Fault> {
        self.set_key(row)?;
        let count = self.keys.len();
        let number = self.keys.add(&self.key)? as usize;
        if number == count {
            self.starts.add(self.scores.len())?;
            self.slots.fill(self.slots.len() + SLOTS, 0)?;
        } else if number + 1 < count || !self.is_above_last(row) {
            return Err(Fault::format(format!(
                "the level of document {} is not in order",
                show(row.document)
            )));
        }
        let start = self.text.len();
        self.text.add_all(row.document)?;
        self.documents.add(Span { start, end: self.text.len() })?;
        self.scores.add(self.score(row))?;
        self.orders.add(row.order)?;
        self.slots.fill(self.slots.len() + SLOTS, 0)?;
        self.starts[number + 1] = self.scores.len();
        Ok(())
    }

    fn is_above_last(&self, row: Row<'_>) -> bool {
        let last = self.scores.len() - 1;
        let score = self.score(row);
        score > self.scores[last] || (score == self.scores[last] && self.tie(last, row).is_lt())
    }

    /// Counts one row.
    #[inline]
    pub fn add(&mut self, row: Row<'_>) -> Result<(), Fault> {
        if !row.score.is_finite() || row.query.is_empty() || row.document.is_empty() {
            return Err(unusable(row));
        }
        let is_excluded = self.options.exclude_query && row.document == row.query;
        match self.find(row)? {
            Place::Known(number) => {
                let first = self.starts[number];
                let last_gap = self.starts[number + 1] + number;
                let slot = match is_excluded {
                    true => SLOTS * last_gap + ITSELF,
                    false => SLOTS * (first + number) + self.slot(first, self.starts[number + 1], row),
                };
                self.slots[slot] += 1;
            }
            Place::Other(number) => {
                let tally = &mut self.tallies[number];
                *(if is_excluded { &mut tally.excluded } else { &mut tally.rows }) += 1;
            }
        }
        Ok(())
    }

    /// The slot of a row among those of its ranking.
    #[inline]
    fn slot(&self, first: usize, end: usize, row: Row<'_>) -> usize {
        let scores = &self.scores[first..end];
        let score = self.score(row);
        let below = scores.partition_point(|&level| level < score);
        if scores.get(below) != Some(&score) {
            return SLOTS * below + BETWEEN;
        }
        let tied = scores[below..].partition_point(|&level| level == score);
        let (mut low, mut high) = (below, below + tied);
        while low < high {
            let middle = low.midpoint(high);
            match self.tie(first + middle, row) {
                std::cmp::Ordering::Equal => return SLOTS * middle + ITSELF,
                std::cmp::Ordering::Less => low = middle + 1,
                std::cmp::Ordering::Greater => high = middle,
            }
        }
        SLOTS * low + if low > below { TIED_BELOW } else { TIED_ABOVE }
    }

    /// How a level compares with a row of the same score.
    fn tie(&self, level: usize, row: Row<'_>) -> std::cmp::Ordering {
        match self.by_order {
            true => self.orders[level].cmp(&row.order),
            false => self.documents[level].of(&self.text).cmp(row.document),
        }
    }

    fn score(&self, row: Row<'_>) -> f64 {
        if self.options.given { 0.0 } else { self.options.score(row.score) }
    }

    #[inline]
    fn find(&mut self, row: Row<'_>) -> Result<Place, Lack> {
        let is_same = match self.last {
            Some(_) => self.is_key(row),
            None => false,
        };
        if let Some(place) = self.last.filter(|_| is_same) {
            return Ok(place);
        }
        self.set_key(row)?;
        let place = match self.keys.find(&self.key) {
            Some(number) => Place::Known(number as usize),
            None => {
                let number = self.others.add(&self.key)? as usize;
                if number == self.tallies.len() {
                    self.tallies.add(Tally::default())?;
                }
                Place::Other(number)
            }
        };
        self.last = Some(place);
        Ok(place)
    }

    fn is_key(&self, row: Row<'_>) -> bool {
        let (run, query) = split(&self.key);
        run == row.run && query == row.query
    }

    fn set_key(&mut self, row: Row<'_>) -> Result<(), Lack> {
        self.key.clear();
        // What tells no run from a run without a name, and where the run's name ends.
        let mark = row.run.map_or(0, |run| run.len() as u64 + 1);
        self.key.add_all(&mark.to_le_bytes())?;
        self.key.add_all(row.run.unwrap_or_default())?;
        self.key.add_all(row.query)
    }

    /// What was counted, slot by slot.
    pub fn slots(&self) -> &[u64] {
        &self.slots
    }

    /// The rankings without levels.
    pub fn others(&self) -> impl Iterator<Item = (Option<&[u8]>, &[u8], Tally)> {
        let named = self.others.iter().map(split);
        named.zip(&self.tallies).map(|((run, query), &tally)| (run, query, tally))
    }
}

/// The run, if there is one, and the query in a key.
fn split(key: &[u8]) -> (Option<&[u8]>, &[u8]) {
    let Some((mark, rest)) = key.split_first_chunk::<8>() else { return (None, key) };
    let mark = u64::from_le_bytes(*mark) as usize;
    if mark == 0 {
        return (None, rest);
    }
    let (run, query) = rest.split_at_checked(mark - 1).unwrap_or((rest, b""));
    (Some(run), query)
}

#[cold]
fn unusable(row: Row<'_>) -> Fault {
    let (query, document) = (show(row.query), show(row.document));
    if row.query.is_empty() {
        return Fault::format(format!("a row with document {document} has an empty query id"));
    }
    if row.document.is_empty() {
        return Fault::format(format!("a row of query {query} has an empty document id"));
    }
    let score = row.score;
    Fault::format(format!("query {query}, document {document}: score {score}; every score must be finite"))
}
