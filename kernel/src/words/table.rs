//! Numbers for equal things: words by their bytes, pairs of numbers by their value.

use crate::memory::{Grow, Lack, number};
use crate::words::key::{Key, LongWords};
use crate::words::split::Tokens;
use foldhash::fast::RandomState;
use std::hash::BuildHasher;

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

/// Numbers words by their keys.
#[derive(Default)]
pub struct Numberer {
    table: Table,
    /// The key of the first of each kind.
    firsts: Vec<Key>,
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
        self.firsts.room(tokens.len())?;
        let start = numbers.len();
        numbers.fill(start + tokens.len(), NONE)?;
        for (found, &key) in numbers[start..].iter_mut().zip(&tokens.keys) {
            *found = match key.single() {
                Some(byte) => self.short_number(byte, key)?,
                None => self.long_number(key, &tokens.long)?,
            };
        }
        number(self.firsts.len())
    }

    #[inline]
    fn short_number(&mut self, byte: u8, key: Key) -> Result<u32, Lack> {
        let known = &mut self.short[usize::from(byte)];
        if *known == NONE {
            *known = number(self.firsts.len())?;
            self.firsts.add(key)?;
        }
        Ok(*known)
    }

    #[inline]
    fn long_number(&mut self, key: Key, long: &LongWords) -> Result<u32, Lack> {
        let hash = self.state.hash_one(key.hashed());
        match self.table.find(hash, |known| self.firsts[known as usize].is(key, long)) {
            Ok(known) => Ok(known),
            Err(place) => {
                let new = number(self.firsts.len())?;
                self.firsts.add(key)?;
                self.table.set(place, hash, new);
                Ok(new)
            }
        }
    }
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
