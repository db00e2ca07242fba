//! Tables as text, a block of whole rows at a time, into the columns that are needed. Strict and simple: whatever is rare or
//! wrong is left to the reader in Python, which has the words for it.

pub mod lines;
pub mod separated;

use crate::fault::{Fault, Kind};
use crate::memory::{Grow, Lack, THREAD, has_memory};
use std::thread::Builder;

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
    /// The text added last.
    last: Vec<u8>,
}

/// A text of at most so many bytes is part of its view.
const SHORT: usize = 12;

impl Texts {
    #[inline]
    pub fn add(&mut self, id: &[u8]) -> Result<(), Lack> {
        // Rows of one query follow each other.
        if let Some(&view) = self.views.last()
            && self.last == id
        {
            return self.views.add(view);
        }
        self.last.clear();
        self.last.add_all(id)?;
        let view = if id.len() <= SHORT { short(id) } else { self.keep(id)? };
        self.views.add(view)
    }

    fn keep(&mut self, id: &[u8]) -> Result<u128, Lack> {
        let start = u32::try_from(self.text.len()).map_err(|_| Lack::Numbers)?;
        self.text.add_all(id)?;
        // Arrow counts in 31 bits.
        i32::try_from(self.text.len()).map_err(|_| Lack::Numbers)?;
        let [a, b, c, d, ..] = *id else { return Ok(short(id)) };
        let prefix = u32::from_le_bytes([a, b, c, d]);
        Ok(id.len() as u128 | u128::from(prefix) << 32 | u128::from(start) << 96)
    }
}

#[inline]
fn short(id: &[u8]) -> u128 {
    let mut bytes = [0; 16];
    bytes[0] = id.len() as u8;
    bytes[4..4 + id.len()].copy_from_slice(id);
    u128::from_le_bytes(bytes)
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
}

/// The columns of a block, part by part, each read on a thread of its own; nothing where Python has to read it.
pub fn decode(form: &impl Form, block: &[u8], threads: usize) -> Result<Option<Vec<Columns>>, Fault> {
    if simdutf8::basic::from_utf8(block).is_err() {
        return Ok(None);
    }
    let parts = parts(form, block, threads)?;
    let Some((first, others)) = parts.split_first() else { return Ok(Some(Vec::new())) };
    let found = std::thread::scope(|scope| {
        let start = |part| match has_memory(THREAD) {
            true => Builder::new().spawn_scoped(scope, move || form.decode(part)).map_err(|_| part),
            false => Err(part),
        };
        let workers: Vec<_> = others.iter().copied().map(start).collect();
        let first = form.decode(first).map_err(Fault::from);
        let lost = |_| Err(Fault::new(Kind::File, "reading stopped for a reason unknown; please report it"));
        let others = workers.into_iter().map(|worker| match worker {
            Ok(worker) => worker.join().map_or_else(lost, |found| found.map_err(Fault::from)),
            Err(part) => form.decode(part).map_err(Fault::from),
        });
        std::iter::once(first).chain(others).collect::<Vec<_>>()
    });
    found.into_iter().collect()
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

#[cfg(test)]
#[path = "tests.rs"]
mod tests;
