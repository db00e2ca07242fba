//! Which query each row of a batch belongs to, and the hash of its document: found for all rows of a batch before they are
//! counted, so that the processor can wait for many rows at a time.

use super::batch::Batch;
use crate::memory::{Grow, Lack};
use crate::rank::rows::{Names, hash};

/// The number of a query that has no judgments.
pub const NO_QUERY: u32 = u32::MAX;

/// The query and the hash of the document of each row of a batch.
#[derive(Debug, Default)]
pub struct Numbers {
    pub queries: Vec<u32>,
    pub codes: Vec<u64>,
}

impl Numbers {
    pub fn fill(&mut self, queries: &Names, batch: &Batch) -> Result<(), Lack> {
        self.queries.clear();
        self.codes.clear();
        self.queries.room(batch.len())?;
        self.codes.room(batch.len())?;
        let (mut last, mut known) = (0, NO_QUERY);
        for (row, &view) in batch.queries.views().iter().enumerate() {
            if view != last {
                (last, known) = (view, queries.find(batch.query(row)).unwrap_or(NO_QUERY));
            }
            self.queries.push(known);
        }
        self.codes.extend((0..batch.len()).map(|row| hash(batch.document(row))));
        Ok(())
    }
}
