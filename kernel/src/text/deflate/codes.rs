//! The codes of a block that deflate wrote: known ones, or those that are told before it.

use crate::text::deflate::bits::Bits;
use crate::text::deflate::huffman::{
    BASE_AT, Malformed, SPECIAL, TAKEN, Table, distance, join, length, literal,
};
use std::io::{self, BufRead};

pub const LITERAL_BITS: usize = 10;
pub const DISTANCE_BITS: usize = 9;
/// Enough for the further tables of any code: 1,332 and 592 entries.
const LITERAL_SIZE: usize = 2048;
const DISTANCE_SIZE: usize = 1024;

/// The codes of a block.
#[derive(Debug)]
pub struct Codes {
    /// One literal or length at a time, and up to three literals.
    pub literals: Table<LITERAL_BITS, LITERAL_SIZE>,
    pub joined: [u32; 1 << LITERAL_BITS],
    pub distances: Table<DISTANCE_BITS, DISTANCE_SIZE>,
    are_fixed: bool,
}

impl Codes {
    pub fn new() -> Self {
        Self {
            literals: Table::default(),
            joined: [0; 1 << LITERAL_BITS],
            distances: Table::default(),
            are_fixed: false,
        }
    }

    fn make(&mut self, literals: &[u8], distances: &[u8]) -> Result<(), Malformed> {
        self.literals.make(literals, literal)?;
        self.distances.make(distances, distance)?;
        join(&self.literals, &mut self.joined);
        Ok(())
    }

    /// The codes that are known without being told.
    pub fn make_fixed(&mut self) -> Result<(), Malformed> {
        if !self.are_fixed {
            let literal = |symbol| match symbol {
                0..144 => 8,
                144..256 => 9,
                256..280 => 7,
                _ => 8,
            };
            self.make(&std::array::from_fn::<u8, 288, _>(literal), &[5; 32])?;
            self.are_fixed = true;
        }
        Ok(())
    }

    /// The codes that are told before a block.
    pub fn read(&mut self, bits: &mut Bits<impl BufRead>) -> io::Result<()> {
        const ORDER: [usize; 19] = [16, 17, 18, 0, 8, 7, 9, 6, 10, 5, 11, 4, 12, 3, 13, 2, 14, 1, 15];
        self.are_fixed = false;
        let (literals, distances, count) = (bits.take(5)? + 257, bits.take(5)? + 1, bits.take(4)? + 4);
        if literals > 286 || distances > 30 {
            return Err(corrupt());
        }
        let mut lengths = [0u8; 19];
        for &at in &ORDER[..count] {
            lengths[at] = bits.take(3)? as u8;
        }
        // A single code is no code here, unlike for literals and distances.
        if lengths.iter().filter(|&&length| length > 0).count() == 1 {
            return Err(corrupt());
        }
        let mut table = Table::<7, 128>::default();
        table.make(&lengths, length)?;
        let mut lengths = [0u8; 286 + 30];
        let all = lengths.get_mut(..literals + distances).ok_or(Malformed)?;
        read_lengths(bits, &table, all)?;
        if all[256] == 0 {
            return Err(corrupt());
        }
        let (literals, distances) = all.split_at(literals);
        Ok(self.make(literals, distances)?)
    }
}

/// Reads the lengths of codes, some of them told as repetitions. Bits that are not a code count as length 0, as in zlib.
fn read_lengths(bits: &mut Bits<impl BufRead>, table: &Table<7, 128>, all: &mut [u8]) -> io::Result<()> {
    let (mut known, most) = (0, all.len());
    while known < most {
        let entry = bits.look(table)?;
        let symbol = if entry & SPECIAL == 0 { (entry >> BASE_AT) as u8 } else { 0 };
        bits.skip(entry & TAKEN)?;
        let (value, count) = match symbol {
            16 => (known.checked_sub(1).map(|before| all[before]), 3 + bits.take(2)?),
            17 => (Some(0), 3 + bits.take(3)?),
            18 => (Some(0), 11 + bits.take(7)?),
            length => (Some(length), 1),
        };
        let (Some(value), Some(each)) = (value, all.get_mut(known..known + count)) else {
            return Err(corrupt());
        };
        each.fill(value);
        known += count;
    }
    Ok(())
}

impl From<Malformed> for io::Error {
    fn from(_: Malformed) -> Self {
        corrupt()
    }
}

pub fn corrupt() -> io::Error {
    io::Error::new(io::ErrorKind::InvalidInput, "corrupt deflate stream")
}
