//! The length of the longest common subsequence of two texts, with a bit for each word of one of them: Hyyrö, Bit-parallel
//! LCS-length computation revisited, 2004.

use crate::fault::Fault;
use crate::memory::{Grow, number};
use crate::words::table::NONE;
use std::sync::atomic::AtomicBool;

const BITS: usize = u64::BITS as usize;
/// Every so many steps it is looked whether to stop.
const STEP: usize = 1 << 10;

#[derive(Default)]
pub struct Subsequences {
    /// By word, the row of `places`; `NONE` for a word that is not there.
    rows: Vec<u32>,
    /// For each different word of one text, its places in it.
    places: Vec<u64>,
    state: Vec<u64>,
}

impl Subsequences {
    /// The length for two texts whose words are all less than `different`.
    pub fn length(
        &mut self,
        one: &[u32],
        other: &[u32],
        different: usize,
        stop: &AtomicBool,
    ) -> Result<usize, Fault> {
        if one.is_empty() || other.is_empty() {
            return Ok(0);
        }
        let blocks = one.len().div_ceil(BITS);
        self.index(one, blocks, different)?;
        self.state.clear();
        self.state.fill(blocks, u64::MAX)?;
        for (step, &word) in other.iter().enumerate() {
            if step % STEP == STEP - 1 {
                Fault::if_stopped(stop)?;
            }
            let row = self.rows[word as usize];
            if row != NONE {
                self.step(row as usize * blocks);
            }
        }
        // Bits past the end are never cleared: no word is there.
        Ok(self.state.iter().map(|block| block.count_zeros() as usize).sum())
    }

    fn index(&mut self, one: &[u32], blocks: usize, different: usize) -> Result<(), Fault> {
        self.rows.clear();
        self.places.clear();
        self.rows.fill(different, NONE)?;
        for (place, &word) in one.iter().enumerate() {
            let row = &mut self.rows[word as usize];
            if *row == NONE {
                *row = number(self.places.len() / blocks)?;
                self.places.fill(self.places.len() + blocks, 0)?;
            }
            self.places[*row as usize * blocks + place / BITS] |= 1 << (place % BITS);
        }
        Ok(())
    }

    #[inline]
    fn step(&mut self, start: usize) {
        let mut carry = false;
        for (state, places) in self.state.iter_mut().zip(&self.places[start..]) {
            let both = *state & places;
            let (sum, one) = state.overflowing_add(both);
            let (sum, two) = sum.overflowing_add(u64::from(carry));
            carry = one || two;
            *state = sum | (*state & !places);
        }
    }
}
