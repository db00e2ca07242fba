//! Tables as text, a block of whole rows at a time, into the columns that are needed. Strict and simple: whatever is rare or
//! wrong is left to the reader in Python, which has the words for it.

pub mod lines;
pub mod separated;

use crate::fault::Fault;
use crate::memory::{Grow, Lack};
use crate::parallel::on_shares;

/// What a column is needed for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Need {
    Nothing,
    /// The ids in the column of this number.
    Text(usize),
    /// The values in the column of this number.
    Number(usize),
}

/// A column that was read.
#[derive(Debug)]
pub enum Column {
    Texts(Texts),
    Numbers(Vec<f64>),
}

/// Texts as Arrow has them in views: short ones whole, of longer ones where they are in `text`.
#[derive(Debug, Default)]
pub struct Texts {
    pub views: Vec<u128>,
    pub text: Vec<u8>,
}

/// A text of at most so many bytes is part of its view.
const SHORT: usize = 12;

impl Texts {
    #[inline]
    pub fn add(&mut self, id: &[u8]) -> Result<(), Lack> {
        let view = if id.len() <= SHORT { short(id) } else { self.long(id)? };
        self.views.add(view)
    }

    fn long(&mut self, id: &[u8]) -> Result<u128, Lack> {
        // Rows of one query follow each other.
        if let Some(&view) = self.views.last()
            && view as u32 as usize == id.len()
            && self.text.get((view >> 96) as usize..).is_some_and(|text| text.starts_with(id))
        {
            return Ok(view);
        }
        let start = self.text.len();
        self.text.add_all(id)?;
        // Arrow counts in 31 bits.
        i32::try_from(self.text.len()).map_err(|_| Lack::Numbers)?;
        let prefix = id.first_chunk().map_or(0, |prefix| u32::from_le_bytes(*prefix));
        Ok(id.len() as u128 | u128::from(prefix) << 32 | (start as u128) << 96)
    }
}

/// The view of a short text: its length in four bytes, and its bytes.
#[inline]
fn short(id: &[u8]) -> u128 {
    let bytes = match (id.first_chunk(), id.last_chunk(), id.first_chunk(), id.last_chunk()) {
        // Where the ends overlap they have the same bytes.
        (Some(first), Some(last), ..) => {
            u128::from(u64::from_le_bytes(*first))
                | u128::from(u64::from_le_bytes(*last)) << (8 * (id.len() - 8))
        }
        (.., Some(first), Some(last)) => {
            u128::from(u32::from_le_bytes(*first))
                | u128::from(u32::from_le_bytes(*last)) << (8 * (id.len() - 4))
        }
        _ => id.iter().rev().fold(0, |bytes, &byte| bytes << 8 | u128::from(byte)),
    };
    id.len() as u128 | bytes << 32
}

/// The columns of some rows.
#[derive(Debug)]
pub struct Columns {
    pub columns: Vec<Column>,
    pub count: usize,
}

impl Columns {
    fn new(needs: &[Need]) -> Result<Self, Lack> {
        let mut columns = Vec::new();
        let count = needs.iter().filter(|need| **need != Need::Nothing).count();
        columns.add_each((0..count).map(|_| Column::Numbers(Vec::new())))?;
        for need in needs {
            if let Need::Text(place) = *need
                && let Some(column) = columns.get_mut(place)
            {
                *column = Column::Texts(Texts::default());
            }
        }
        Ok(Self { columns, count: 0 })
    }

    /// Counts a row that was read, and says where the next one starts.
    #[inline]
    fn end_row(&mut self, start: usize, end: usize, part: usize) -> Result<usize, Lack> {
        if start == 0 {
            self.expect(part / end.max(1))?;
        }
        self.count += 1;
        Ok(end)
    }

    /// Makes room once the first row is read, which tells how many there are.
    fn expect(&mut self, count: usize) -> Result<(), Lack> {
        self.columns.iter_mut().try_for_each(|column| match column {
            Column::Texts(texts) => texts.views.room(count),
            Column::Numbers(numbers) => numbers.room(count),
        })
    }

    #[inline]
    fn add_text(&mut self, place: usize, id: &[u8]) -> Result<bool, Lack> {
        match self.columns.get_mut(place) {
            Some(Column::Texts(texts)) => texts.add(id).map(|()| true),
            _ => Ok(false),
        }
    }

    #[inline]
    fn add_number(&mut self, place: usize, number: f64) -> Result<bool, Lack> {
        match self.columns.get_mut(place) {
            Some(Column::Numbers(numbers)) if number.is_finite() => numbers.add(number).map(|()| true),
            _ => Ok(false),
        }
    }
}

/// What knows one form of rows.
pub trait Form: Sync {
    /// The columns of a part of a block; nothing where Python has to read it.
    fn decode(&self, part: &[u8]) -> Result<Option<Columns>, Lack>;

    /// The first end of a row from there on, which is the length of the block if there is none.
    fn row_end(&self, block: &[u8], from: usize) -> usize;

    /// The end of the last row that ends in the block; 0 if none does.
    fn last_end(&self, block: &[u8]) -> usize;
}

/// What was read of a block: as many bytes of whole rows, and their columns, part by part; nothing where Python has to.
#[derive(Debug)]
pub struct Block {
    pub size: usize,
    pub parts: Option<Vec<Columns>>,
}

/// Reads the whole rows of a block; of the last one of a file all, but for the blank lines at its end.
pub fn read_block(form: &impl Form, block: &[u8], is_last: bool, threads: usize) -> Result<Block, Fault> {
    let size = if is_last { block.len() } else { form.last_end(block) };
    let rows = if is_last { without_blank_end(block) } else { &block[..size] };
    Ok(Block { size, parts: decode(form, rows, threads)? })
}

fn without_blank_end(block: &[u8]) -> &[u8] {
    let mut kept = block;
    while let Some(shorter) = kept.strip_suffix(b"\n")
        && (shorter.ends_with(b"\n") || shorter.ends_with(b"\n\r"))
    {
        kept = shorter.strip_suffix(b"\r").unwrap_or(shorter);
    }
    kept
}

/// The columns of a block, part by part, each read on a thread of its own; nothing where Python has to read it.
fn decode(form: &impl Form, block: &[u8], threads: usize) -> Result<Option<Vec<Columns>>, Fault> {
    let read = |part: &[u8]| match simdutf8::basic::from_utf8(part) {
        Ok(_) => Ok(form.decode(part)?),
        Err(_) => Ok(None),
    };
    let found = on_shares(parts(form, block, threads)?.into_iter(), &read)?;
    Ok(found.into_iter().collect())
}

/// A block in parts of whole rows, about equally long.
fn parts<'a>(form: &impl Form, block: &'a [u8], threads: usize) -> Result<Vec<&'a [u8]>, Lack> {
    let mut parts = Vec::new();
    let share = (block.len() / threads.max(1)).max(LEAST);
    let mut start = 0;
    while start < block.len() {
        let from = start + share;
        let end = if from < block.len() { form.row_end(block, from) } else { block.len() };
        parts.add(&block[start..end])?;
        start = end;
    }
    Ok(parts)
}

/// Fewer bytes are not worth a thread.
const LEAST: usize = 1 << 16;
