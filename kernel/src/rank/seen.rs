//! Which documents of a ranking were seen, so that every repeat is found.

use crate::memory::{Grow, Lack, MOST};

/// The documents of a ranking seen so far: a table of positions, in as many low bits as they need, below bits of the hash.
#[derive(Debug, Default)]
pub struct Seen {
    slots: Vec<u32>,
    mask: usize,
    /// The bits of an entry that are its position, counted from one.
    positions: u32,
}

impl Seen {
    pub fn reset(&mut self, count: usize) -> Result<(), Lack> {
        if count > MOST {
            return Err(Lack::Numbers);
        }
        // At most a third full: a document rarely meets another one, and the processor can rely on that.
        let size = (3 * count + 1).next_power_of_two();
        self.slots.clear();
        self.slots.fill(size, 0)?;
        self.mask = size - 1;
        self.positions = u32::MAX.unbounded_shr((count as u32).leading_zeros());
        Ok(())
    }

    /// Adds a document; the position it had before if it was there.
    #[inline]
    pub fn insert(&mut self, code: u64, position: usize, same: impl Fn(usize) -> bool) -> Option<usize> {
        let entry = (code >> 32) as u32 & !self.positions | (position as u32 + 1);
        let mut slot = code as usize & self.mask;
        loop {
            let old = self.slots[slot];
            if old == 0 {
                self.slots[slot] = entry;
                return None;
            }
            let earlier = (old & self.positions) as usize - 1;
            if (old ^ entry) & !self.positions == 0 && same(earlier) {
                self.slots[slot] = entry;
                return Some(earlier);
            }
            slot = (slot + 1) & self.mask;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashMap;

    #[test]
    fn every_repeat_is_found_at_its_last_position() {
        let mut seen = Seen::default();
        for (count, different) in [(0, 1), (1, 1), (2, 1), (3, 9), (255, 200), (256, 1_000_000), (3000, 1500)]
        {
            let mut state = 5u64;
            let ids: Vec<u64> = (0..count)
                .map(|_| {
                    state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
                    (state >> 33) % different
                })
                .collect();
            // The second hash has few values, the third none of the upper bits.
            for hash in [|id: u64| id.wrapping_mul(0x9e37_79b9_7f4a_7c15), |id| id % 7, |id| id << 3] {
                seen.reset(count).unwrap();
                let mut last = HashMap::new();
                for (position, &id) in ids.iter().enumerate() {
                    let found = seen.insert(hash(id), position, |other| ids[other] == id);
                    assert_eq!(found, last.insert(id, position));
                }
            }
        }
    }
}
