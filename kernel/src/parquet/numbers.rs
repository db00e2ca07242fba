//! Which query each row of a batch belongs to, and the hash of its document: found for all rows of a batch before they are
//! counted, so that the processor can wait for many rows at a time.

use super::batch::{Batch, SHORT};
use crate::index::Index;
use crate::memory::{Grow, Lack, filled, number};
use crate::rows::hash;

/// The number of a query that has no judgments.
pub const NO_QUERY: u32 = u32::MAX;

/// The numbers of all queries. A short id is its own view, and found by that.
pub struct Queries<'a> {
    index: &'a Index,
    /// Views and numbers, at most half full; 0 is the view of no id.
    short: Vec<(u128, u32)>,
    /// Chosen anew by each process, so that no file can have ids that all fall into one place.
    seeds: [u64; 2],
}

impl<'a> Queries<'a> {
    pub fn new(index: &'a Index) -> Result<Self, Lack> {
        let size = (2 * index.queries.len() + 1).next_power_of_two();
        let seeds = [hash(b"lower half"), hash(b"upper half")];
        let mut queries = Self { index, short: filled(size, (0, NO_QUERY))?, seeds };
        for (query, name) in index.queries.iter().enumerate() {
            if let Some(view) = view_of(name) {
                let slot = queries.slot(view);
                queries.short[slot] = (view, number(query)?);
            }
        }
        Ok(queries)
    }

    /// Where a view is, or would be.
    #[inline]
    fn slot(&self, view: u128) -> usize {
        let halves = [view as u64 ^ self.seeds[0], (view >> 64) as u64 ^ self.seeds[1]];
        let product = u128::from(halves[0]) * u128::from(halves[1]);
        let mut slot = (product as u64 ^ (product >> 64) as u64) as usize & (self.short.len() - 1);
        while self.short[slot].0 != view && self.short[slot].0 != 0 {
            slot = (slot + 1) & (self.short.len() - 1);
        }
        slot
    }

    #[inline]
    fn find(&self, batch: &Batch, row: usize) -> u32 {
        let view = batch.queries.views()[row];
        match view as u32 <= SHORT {
            true => self.short[self.slot(view)].1,
            false => self.index.queries.find(batch.query(row)).unwrap_or(NO_QUERY),
        }
    }
}

/// The view of an id, if it is short: its length, and its bytes.
fn view_of(id: &[u8]) -> Option<u128> {
    if id.len() > SHORT as usize {
        return None;
    }
    let mut view = [0; 16];
    view[0] = id.len() as u8;
    view[4..4 + id.len()].copy_from_slice(id);
    Some(u128::from_le_bytes(view))
}

/// The query and the hash of the document of each row of a batch.
#[derive(Debug, Default)]
pub struct Numbers {
    pub queries: Vec<u32>,
    pub codes: Vec<u64>,
}

impl Numbers {
    pub fn fill(&mut self, queries: &Queries<'_>, batch: &Batch) -> Result<(), Lack> {
        self.queries.clear();
        self.codes.clear();
        self.queries.room(batch.len())?;
        self.codes.room(batch.len())?;
        let (mut last, mut known) = (0, NO_QUERY);
        for (row, &view) in batch.queries.views().iter().enumerate() {
            if view != last {
                (last, known) = (view, queries.find(batch, row));
            }
            self.queries.push(known);
        }
        self.codes.extend((0..batch.len()).map(|row| hash(batch.document(row))));
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_view_has_the_length_and_the_bytes() {
        let array = arrow_array::StringViewArray::from_iter_values(["q", "twelve bytes", "thirteen byte"]);
        assert_eq!(view_of(b"q"), Some(array.views()[0]));
        assert_eq!(view_of(b"twelve bytes"), Some(array.views()[1]));
        assert_eq!(view_of(b"thirteen byte"), None);
    }
}
