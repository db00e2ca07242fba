//! Runs of letters, found for 64 bytes at a time: a bit for each byte says whether it is one.

use crate::memory::{Grow, Lack};
use crate::words::split::{KIND, PART};

const BLOCK: usize = u64::BITS as usize;
/// Moves the lowest bits of eight bytes together, into the highest byte.
const GATHER: u64 = 0x0102_0408_1020_4080;

/// What letters are to a splitter, and which bytes are the same: ranges, each with its first byte and how many follow.
pub struct Letters {
    pub kind: u8,
    ranges: Vec<(u8, u8)>,
}

impl Letters {
    /// Those that are what `a` is; none if that is not part of words.
    pub fn new(ascii: &[u8; 128]) -> Result<Self, Lack> {
        let kind = ascii[usize::from(b'a')];
        let mut ranges: Vec<(u8, u8)> = Vec::new();
        if kind & KIND != PART {
            return Ok(Self { kind: u8::MAX, ranges });
        }
        for byte in (0..128).filter(|byte| ascii[usize::from(*byte)] == kind) {
            match ranges.last_mut() {
                Some((first, more)) if byte - *first == *more + 1 => *more += 1,
                _ => ranges.add((byte, 0))?,
            }
        }
        Ok(Self { kind, ranges })
    }

    /// A bit for each byte. It is written so that the compiler does many bytes at a time.
    #[inline]
    fn bits(&self, block: &[u8; BLOCK]) -> u64 {
        let mut is_letter = [0; BLOCK];
        for (first, more) in &self.ranges {
            for (found, byte) in is_letter.iter_mut().zip(block) {
                *found |= u8::from(byte.wrapping_sub(*first) <= *more);
            }
        }
        let eights = is_letter.as_chunks::<8>().0.iter().enumerate();
        eights.fold(0, |bits, (place, eight)| {
            bits | (u64::from_le_bytes(*eight).wrapping_mul(GATHER) >> 56) << (8 * place)
        })
    }
}

/// The letters of a text, a bit for each byte.
#[derive(Default)]
pub struct Runs {
    blocks: Vec<u64>,
}

impl Runs {
    pub fn find(&mut self, text: &[u8], letters: &Letters) -> Result<(), Lack> {
        self.blocks.clear();
        if letters.ranges.is_empty() {
            return Ok(());
        }
        self.blocks.room(text.len() / BLOCK + 1)?;
        let (blocks, rest) = text.as_chunks::<BLOCK>();
        self.blocks.add_each(blocks.iter().map(|block| letters.bits(block)))?;
        let mut last = [0; BLOCK];
        last[..rest.len()].copy_from_slice(rest);
        // Past the end there is no letter.
        self.blocks.add(letters.bits(&last) & ((1 << rest.len()) - 1))
    }

    /// Whether there is a letter at a place.
    #[inline]
    pub fn is_letter(&self, place: usize) -> bool {
        self.blocks[place / BLOCK] >> (place % BLOCK) & 1 != 0
    }

    /// The end of the letters that begin at a place.
    #[inline]
    pub fn end(&self, start: usize) -> usize {
        let mut number = start / BLOCK;
        let mut others = !self.blocks[number] >> (start % BLOCK) << (start % BLOCK);
        while others == 0 {
            number += 1;
            others = !self.blocks[number];
        }
        number * BLOCK + others.trailing_zeros() as usize
    }
}
