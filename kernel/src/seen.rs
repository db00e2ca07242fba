//! Which documents of a ranking were seen, so that every repeat is found.

use crate::memory::{Grow, Lack, MOST};

/// The documents of a ranking seen so far: a table of (upper half of the hash, position).
#[derive(Debug, Default)]
pub struct Seen {
    slots: Vec<u64>,
    mask: usize,
}

impl Seen {
    pub fn reset(&mut self, count: usize) -> Result<(), Lack> {
        // A position takes the lower half of an entry.
        if count > MOST {
            return Err(Lack::Numbers);
        }
        // At most four fifths full: a larger table would leave the fastest cache sooner.
        let size = (count + count / 4 + 1).next_power_of_two();
        self.slots.clear();
        self.slots.fill(size, 0)?;
        self.mask = size - 1;
        Ok(())
    }

    /// Adds a document; the position it had before if it was there.
    #[inline]
    pub fn insert(&mut self, code: u64, position: usize, same: impl Fn(usize) -> bool) -> Option<usize> {
        let tag = code & 0xffff_ffff_0000_0000;
        let entry = tag | (position as u64 + 1);
        let mut slot = code as usize & self.mask;
        loop {
            let old = self.slots[slot];
            if old == 0 {
                self.slots[slot] = entry;
                return None;
            }
            let earlier = (old & 0xffff_ffff) as usize - 1;
            if old & 0xffff_ffff_0000_0000 == tag && same(earlier) {
                self.slots[slot] = entry;
                return Some(earlier);
            }
            slot = (slot + 1) & self.mask;
        }
    }
}
