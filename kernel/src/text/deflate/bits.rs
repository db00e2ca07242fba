//! Bytes as bits, from the low end of each to its high end.

use crate::text::deflate::huffman::{BASE_AT, SPECIAL, TAKEN, Table, VALUE_AT, further};
use std::io::{self, BufRead};

/// Bytes, and the bits of the next ones: `count` of them.
#[derive(Debug)]
pub struct Bits<R> {
    pub inner: R,
    pub bits: u64,
    pub count: u32,
}

impl<R: BufRead> Bits<R> {
    pub fn new(inner: R) -> Self {
        Self { inner, bits: 0, count: 0 }
    }

    /// The bytes that are there at once; none at the end.
    pub fn fill(&mut self) -> io::Result<&[u8]> {
        while let Err(error) = self.inner.fill_buf() {
            if error.kind() != io::ErrorKind::Interrupted {
                return Err(error);
            }
        }
        self.inner.fill_buf()
    }

    /// Takes one more byte, if there is one.
    fn pull(&mut self) -> io::Result<bool> {
        let Some(&byte) = self.fill()?.first() else { return Ok(false) };
        self.inner.consume(1);
        self.bits |= u64::from(byte) << self.count;
        self.count += 8;
        Ok(true)
    }

    /// Holds at least so many bits, or all that there are.
    fn hold(&mut self, count: u32) -> io::Result<()> {
        while self.count < count && self.pull()? {}
        Ok(())
    }

    pub fn skip(&mut self, count: u32) -> io::Result<()> {
        self.count = self.count.checked_sub(count).ok_or(io::ErrorKind::UnexpectedEof)?;
        self.bits >>= count;
        Ok(())
    }

    pub fn take(&mut self, count: u32) -> io::Result<usize> {
        self.hold(count)?;
        let taken = self.bits & !(!0 << count);
        self.skip(count)?;
        Ok(taken as usize)
    }

    /// Leaves out what remains of a byte.
    pub fn align(&mut self) {
        self.bits >>= self.count % 8;
        self.count -= self.count % 8;
    }

    pub fn byte(&mut self) -> io::Result<u8> {
        Ok(self.take(8)? as u8)
    }

    pub fn is_empty(&mut self) -> io::Result<bool> {
        self.hold(8)?;
        Ok(self.count == 0)
    }

    /// The entry for the next bits.
    pub fn look<const ROOT: usize, const TABLE: usize>(
        &mut self,
        table: &Table<ROOT, TABLE>,
    ) -> io::Result<u32> {
        self.hold(48)?;
        let mut entry = table.entries[self.bits as usize % (1 << ROOT)];
        if let Some((start, bits)) = further(entry).filter(|_| entry & SPECIAL != 0) {
            // A code that is longer than what is left is not whole, whatever it would be.
            self.skip(ROOT as u32)?;
            entry = table.entries[(start + (self.bits & !(!0 << bits)) as usize) % TABLE];
        }
        Ok(entry)
    }

    /// The length or distance that an entry stands for, with its further bits.
    pub fn value(&mut self, entry: u32) -> io::Result<usize> {
        let value = value(entry, self.bits);
        self.skip(entry & TAKEN)?;
        Ok(value)
    }
}

#[inline(always)]
pub fn value(entry: u32, bits: u64) -> usize {
    let further = (bits & !(!0 << (entry & TAKEN))) >> (entry >> VALUE_AT & 0xf);
    (entry >> BASE_AT) as usize + further as usize
}
