//! Numbers for equal things: words by their bytes, pairs of numbers by their value.

use crate::memory::{Grow, Lack, number};
use crate::words::split::Tokens;
use foldhash::fast::RandomState;
use std::hash::{BuildHasher, Hasher};

pub const NONE: u32 = u32::MAX;
const SMALLEST: usize = 16;

/// A table of numbers by hash. It is emptied for each use, as far as that use needs it: one large use does not make all
/// later ones slow.
#[derive(Default)]
struct Table {
    /// Part of the hash, and the number.
    slots: Vec<(u32, u32)>,
    mask: usize,
}

impl Table {
    /// Empties the table and makes room for so many entries.
    fn start(&mut self, entries: usize) -> Result<(), Lack> {
        let size = entries.saturating_mul(2).max(SMALLEST).checked_next_power_of_two().ok_or(Lack::Memory)?;
        if self.slots.len() < size {
            self.slots.fill(size, (0, NONE))?;
        }
        self.slots[..size].fill((0, NONE));
        self.mask = size - 1;
        Ok(())
    }

    /// The number that is there for the hash and is the `same`, or else the place for it.
    #[inline]
    fn find(&self, hash: u64, same: impl Fn(u32) -> bool) -> Result<u32, usize> {
        let tag = (hash >> 32) as u32;
        let mut place = hash as usize & self.mask;
        loop {
            match self.slots[place] {
                (_, NONE) => return Err(place),
                (known, number) if known == tag && same(number) => return Ok(number),
                _ => place = (place + 1) & self.mask,
            }
        }
    }

    #[inline]
    fn set(&mut self, place: usize, hash: u64, number: u32) {
        self.slots[place] = ((hash >> 32) as u32, number);
    }
}

/// Numbers words by their bytes.
#[derive(Default)]
pub struct Numberer {
    table: Table,
    /// Where the first of each kind begins and ends.
    firsts: Vec<(usize, usize)>,
    /// The numbers of words of one byte.
    short: Vec<u32>,
    state: RandomState,
}

impl Numberer {
    /// Adds the number of each word; how many different ones there are.
    pub fn number(&mut self, tokens: &Tokens, numbers: &mut Vec<u32>) -> Result<u32, Lack> {
        self.firsts.clear();
        self.table.start(tokens.len())?;
        self.short.clear();
        self.short.fill(1 << u8::BITS, NONE)?;
        numbers.room(tokens.len())?;
        let mut start = 0;
        for &end in &tokens.ends {
            let word = &tokens.bytes[start..end];
            if let [byte] = word {
                let known = &mut self.short[usize::from(*byte)];
                if *known == NONE {
                    *known = number(self.firsts.len())?;
                    self.firsts.add((start, end))?;
                }
                numbers.add(*known)?;
                start = end;
                continue;
            }
            let hash = hash_bytes(&self.state, word);
            let is_same = |known: u32| {
                let (start, end) = self.firsts[known as usize];
                &tokens.bytes[start..end] == word
            };
            let found = match self.table.find(hash, is_same) {
                Ok(known) => known,
                Err(place) => {
                    let new = number(self.firsts.len())?;
                    self.firsts.add((start, end))?;
                    self.table.set(place, hash, new);
                    new
                }
            };
            numbers.add(found)?;
            start = end;
        }
        number(self.firsts.len())
    }
}

#[inline]
fn hash_bytes(state: &RandomState, bytes: &[u8]) -> u64 {
    let mut hasher = state.build_hasher();
    hasher.write(bytes);
    hasher.finish()
}

/// Numbers pairs of numbers.
#[derive(Default)]
pub struct Pairs {
    table: Table,
    keys: Vec<u64>,
    state: RandomState,
}

impl Pairs {
    pub fn start(&mut self, entries: usize) -> Result<(), Lack> {
        self.keys.clear();
        self.table.start(entries)
    }

    /// How many different pairs there are.
    pub fn len(&self) -> usize {
        self.keys.len()
    }

    #[inline]
    pub fn find(&self, one: u32, two: u32) -> Option<u32> {
        let key = u64::from(one) << 32 | u64::from(two);
        self.table.find(self.state.hash_one(key), |known| self.keys[known as usize] == key).ok()
    }

    #[inline]
    pub fn find_or_add(&mut self, one: u32, two: u32) -> Result<u32, Lack> {
        let key = u64::from(one) << 32 | u64::from(two);
        let hash = self.state.hash_one(key);
        match self.table.find(hash, |known| self.keys[known as usize] == key) {
            Ok(known) => Ok(known),
            Err(place) => {
                let new = number(self.keys.len())?;
                self.keys.add(key)?;
                self.table.set(place, hash, new);
                Ok(new)
            }
        }
    }
}
