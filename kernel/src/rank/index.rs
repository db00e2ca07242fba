//! Judgments, indexed so that a retrieved document is looked up in a few nanoseconds.

use crate::fault::{Fault, show};
use crate::memory::{Grow, Lack, copied, filled, number};
use crate::rank::options::Duplicates;
use crate::rank::rows::{Names, Rows, Span, hash};
use crate::rank::sieve;
use std::collections::HashSet;
use std::sync::{Arc, OnceLock};

/// The judged documents of every query, each once, with its highest grade.
#[derive(Debug, Default)]
pub struct Index {
    pub queries: Arc<Names>,
    /// Query `q` has documents `starts[q]..starts[q + 1]`.
    pub starts: Vec<usize>,
    pub grades: Vec<f64>,
    /// The row of the judgments each document's grade comes from.
    pub rows: Vec<u32>,
    text: Vec<u8>,
    documents: Vec<Span>,
    /// The tag of each document's hash.
    tags: Vec<u32>,
    tables: Vec<Table>,
    slots: Vec<u64>,
    /// A bit is set where a judged document's hash says: most documents are not judged, and need no look at the slots.
    filter: Vec<u64>,
    /// The document of each row of the judgments.
    pub row_documents: Vec<u32>,
    /// Every document that any query judged, made when it is first asked for.
    everywhere: OnceLock<Names>,
}

/// Where a query's slots stand in the common array; their number is a power of two. There is a word of the filter for each
/// two of them.
#[derive(Debug, Clone, Copy)]
struct Table {
    start: usize,
    mask: usize,
}

impl Index {
    /// Indexes `rows`. The same document twice in one group of a query is a duplicate.
    pub fn new(rows: &Rows, duplicates: Duplicates) -> Result<Self, Fault> {
        number(rows.values.len().saturating_sub(1))?;
        let mut index = Self { queries: Arc::clone(&rows.queries), starts: filled(1, 0)?, ..Self::default() };
        index.text = copied(&rows.text)?;
        index.make_room(rows)?;
        for query in 0..rows.queries.len() {
            index.add_query(rows, query, duplicates)?;
        }
        Ok(index)
    }

    /// Makes room for all rows at once.
    fn make_room(&mut self, rows: &Rows) -> Result<(), Lack> {
        let (queries, count) = (rows.queries.len(), rows.values.len());
        self.starts.room(queries)?;
        self.tables.room(queries)?;
        self.documents.room(count)?;
        self.grades.room(count)?;
        self.rows.room(count)?;
        self.tags.room(count)?;
        self.row_documents.room(count)?;
        let mut start = 0;
        for query in 0..queries {
            let size = (2 * rows.range(query).len()).next_power_of_two().max(2);
            self.tables.push(Table { start, mask: size - 1 });
            start += size;
        }
        self.slots = filled(start, 0)?;
        self.filter = filled(start / 2, 0)?;
        Ok(())
    }

    fn add_query(&mut self, rows: &Rows, query: usize, duplicates: Duplicates) -> Result<(), Fault> {
        let first = self.documents.len();
        let range = rows.range(query);
        let mut seen: HashSet<(u32, u32)> = HashSet::new();
        if !rows.groups.is_empty() {
            seen.try_reserve(range.len()).map_err(|_| Lack::Memory)?;
        }
        for row in range {
            let document = rows.document(row);
            let value = rows.values[row];
            if value.abs() > LARGEST_GRADE {
                return Err(too_large(rows.queries.name(query), document, value));
            }
            let code = hash(document);
            let Some(known) = self.find(query, document, code) else {
                self.insert(query, first, (rows.documents[row], code), value, row)?;
                self.row_documents.add(self.documents.len() as u32 - 1)?;
                if !rows.groups.is_empty() {
                    seen.insert((self.documents.len() as u32 - 1, rows.groups[row]));
                }
                continue;
            };
            self.row_documents.add(known)?;
            let known_index = known as usize;
            let repeated = rows.groups.is_empty() || !seen.insert((known, rows.groups[row]));
            let replace = match (repeated, duplicates) {
                (true, Duplicates::Error) => {
                    return Err(Fault::duplicate(rows.queries.name(query), document));
                }
                (true, Duplicates::First) => false,
                (true, Duplicates::Last) => true,
                (true, Duplicates::Count) | (false, _) => value > self.grades[known_index],
            };
            if replace {
                self.grades[known_index] = value;
                self.rows[known_index] = row as u32;
            }
        }
        Ok(self.starts.add(self.documents.len())?)
    }

    /// Adds a document, given its place and its hash, to those of a query, which begin with the `first`.
    fn insert(
        &mut self,
        query: usize,
        first: usize,
        (span, code): (Span, u64),
        grade: f64,
        row: usize,
    ) -> Result<(), Lack> {
        let number = self.documents.len();
        self.documents.add(span)?;
        self.grades.add(grade)?;
        self.rows.add(row as u32)?;
        self.tags.add(sieve::tag(code))?;
        let table = self.tables[query];
        let mut slot = code as usize & table.mask;
        while self.slots[table.start + slot] != 0 {
            slot = (slot + 1) & table.mask;
        }
        self.slots[table.start + slot] = tag(code) | (number - first + 1) as u64;
        let (word, bit) = filtered(code, table.mask / 2);
        self.filter[table.start / 2 + word] |= bit;
        Ok(())
    }

    /// The number of `document`, whose hash is `code`, among the documents that `query` has judged.
    pub fn find(&self, query: usize, document: &[u8], code: u64) -> Option<u32> {
        self.lookup(query).find(document, code)
    }

    /// Whether `query` may have judged a document with that hash: few that it did not pass.
    #[inline]
    pub fn may_have(&self, query: usize, code: u64) -> bool {
        let table = self.tables[query];
        let (word, bit) = filtered(code, table.mask / 2);
        self.filter[table.start / 2 + word] & bit != 0
    }

    /// Every document that any query judged.
    pub fn everywhere(&self) -> Result<&Names, Lack> {
        if let Some(names) = self.everywhere.get() {
            return Ok(names);
        }
        let mut names = Names::default();
        for span in &self.documents {
            names.add(span.of(&self.text))?;
        }
        Ok(self.everywhere.get_or_init(|| names))
    }

    /// What is needed to look up many documents of one query.
    pub fn lookup(&self, query: usize) -> Lookup<'_> {
        let table = self.tables[query];
        let slots = &self.slots[table.start..=table.start + table.mask];
        let filter = &self.filter[table.start / 2..=(table.start + table.mask) / 2];
        Lookup {
            slots,
            filter,
            mask: table.mask,
            first: self.starts[query],
            text: &self.text,
            documents: &self.documents,
        }
    }

    /// The tags of the documents that `query` has judged.
    pub fn tags(&self, query: usize) -> &[u32] {
        &self.tags[self.starts[query]..self.starts[query + 1]]
    }

    /// All grades, from high to low inside each query.
    pub fn best_first(&self) -> Result<Vec<f64>, Lack> {
        let mut grades = copied(&self.grades)?;
        for bounds in self.starts.windows(2) {
            grades[bounds[0]..bounds[1]].sort_unstable_by(|left, right| right.total_cmp(left));
        }
        Ok(grades)
    }

    pub fn document(&self, number: usize) -> &[u8] {
        self.documents.get(number).map_or(&[], |span| span.of(&self.text))
    }
}

/// The judged documents of one query.
#[derive(Debug, Clone, Copy)]
pub struct Lookup<'a> {
    slots: &'a [u64],
    filter: &'a [u64],
    mask: usize,
    first: usize,
    text: &'a [u8],
    documents: &'a [Span],
}

impl Lookup<'_> {
    /// The number of `document`, whose hash is `code`, among all judged documents.
    #[inline]
    pub fn find(&self, document: &[u8], code: u64) -> Option<u32> {
        let (word, bit) = filtered(code, self.mask / 2);
        if self.filter[word] & bit == 0 { None } else { self.search(document, code) }
    }

    fn search(&self, document: &[u8], code: u64) -> Option<u32> {
        let mut slot = code as usize & self.mask;
        loop {
            let entry = self.slots[slot];
            if entry == 0 {
                return None;
            }
            if entry & TAG == tag(code) {
                let number = self.first + (entry & !TAG) as usize - 1;
                if self.documents[number].of(self.text) == document {
                    return Some(number as u32);
                }
            }
            slot = (slot + 1) & self.mask;
        }
    }
}

/// The word and the bit of a filter of `mask + 1` words that a hash falls on.
#[inline]
fn filtered(code: u64, mask: usize) -> (usize, u64) {
    ((code >> 38) as usize & mask, 1 << (code >> 32 & 63))
}

/// Sums of grades must stay finite, and no judge means more.
const LARGEST_GRADE: f64 = 1e100;

fn too_large(query: &[u8], document: &[u8], grade: f64) -> Fault {
    let (query, document) = (show(query), show(document));
    Fault::format(format!(
        "query {query}, document {document}: grade {grade:e} is too large (maximum {LARGEST_GRADE:e})"
    ))
}

const TAG: u64 = 0xffff_ffff_0000_0000;

fn tag(code: u64) -> u64 {
    code & TAG
}
