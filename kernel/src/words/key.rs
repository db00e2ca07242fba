//! A word as two numbers, which are equal if the words are.

use crate::memory::{Grow, Lack};
use foldhash::fast::RandomState;
use std::hash::BuildHasher;
use std::ops::Range;

/// Up to 15 bytes, all of them and how many they are; else the hash, and the number of the word among the long ones.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct Key(u64, u64);

const WHOLE: usize = 15;
/// Where the second number has the length of a word, and what is there for a long one.
const LENGTH: u32 = 56;
const LONG: u64 = (WHOLE as u64 + 1) << LENGTH;

/// The bits of a word in the two numbers, by its length.
const OWN: [(u64, u64); WHOLE + 1] = {
    let mut bits = [(0, 0); WHOLE + 1];
    let mut length = 1;
    while length <= WHOLE {
        let own = (1u128 << (8 * length)) - 1;
        bits[length] = (own as u64, (own >> 64) as u64);
        length += 1;
    }
    bits
};

/// The bytes of words of more than 15, one after the other.
#[derive(Default)]
pub struct LongWords {
    bytes: Vec<u8>,
    ends: Vec<usize>,
    state: RandomState,
}

impl LongWords {
    pub fn clear(&mut self) {
        self.bytes.clear();
        self.ends.clear();
    }

    #[cold]
    fn add(&mut self, word: &[u8]) -> Result<Key, Lack> {
        let number = self.ends.len() as u64;
        self.bytes.add_all(word)?;
        self.ends.add(self.bytes.len())?;
        Ok(Key(self.state.hash_one(word), LONG | number))
    }

    fn word(&self, key: Key) -> &[u8] {
        let number = (key.1 & (LONG - 1)) as usize;
        &self.bytes[number.checked_sub(1).map_or(0, |before| self.ends[before])..self.ends[number]]
    }
}

impl Key {
    /// The key of the word at that place.
    #[inline]
    pub fn new(bytes: &[u8], word: Range<usize>, long: &mut LongWords) -> Result<Self, Lack> {
        let length = word.len();
        if length > WHOLE {
            return long.add(&bytes[word]);
        }
        let after = bytes.get(word.start..).unwrap_or(&[]);
        let whole = after.first_chunk().map_or_else(|| load_rest(after), |first| u128::from_le_bytes(*first));
        // Only the bytes that are the word's; the last of the sixteen is for the length.
        let (low, high) = OWN[length];
        Ok(Self(whole as u64 & low, (whole >> 64) as u64 & high | (length as u64) << LENGTH))
    }

    /// The byte of a word that has only one.
    #[inline]
    pub fn single(self) -> Option<u8> {
        if self.1 == 1 << LENGTH { Some(self.0 as u8) } else { None }
    }

    /// What the hash of the word is made of.
    #[inline]
    pub fn hashed(self) -> (u64, u64) {
        (self.0, if self.1 >= LONG { LONG } else { self.1 })
    }

    /// Whether the words are equal.
    #[inline]
    pub fn is(self, other: Self, long: &LongWords) -> bool {
        self == other
            || (self.0 == other.0 && self.1.min(other.1) >= LONG && long.word(self) == long.word(other))
    }
}

#[cold]
fn load_rest(bytes: &[u8]) -> u128 {
    bytes.iter().rev().fold(0, |number, byte| number << 8 | u128::from(*byte))
}
