//! Reads what deflate wrote (RFC 1951). Text of a run is mostly digits, whose codes are short: a table gives up to three of
//! them at once.

use crate::text::huffman::{
    BASE_AT, END, LITERALS, LITERALS_AT, Malformed, SPECIAL, TAKEN, Table, VALUE_AT, distance, further, join,
    length, literal,
};
use crate::text::lanes::{Lanes, Level, Task};
use std::io::{self, BufRead};

/// How far back text may be repeated.
const HISTORY: usize = 1 << 15;
/// Where text is written, behind what it may repeat. Positions are below this, which their bits tell the compiler.
const SIZE: usize = 1 << 18;
/// No symbol is read from here on: literals before a repetition must end below `SIZE`.
const FULL: usize = SIZE - 16;
/// The longest repetition, and what is written past its end.
const SLACK: usize = 258 + 64;
type Window = [u8; SIZE + SLACK];

const LITERAL_BITS: usize = 10;
const DISTANCE_BITS: usize = 9;
/// Enough for the further tables of any code: 1,332 and 592 entries.
const LITERAL_SIZE: usize = 2048;
const DISTANCE_SIZE: usize = 1024;

/// Bytes, and the bits of the next ones. Bits come from the low end of a byte to its high end.
#[derive(Debug)]
pub struct Bits<R> {
    inner: R,
    bits: u64,
    count: u32,
}

impl<R: BufRead> Bits<R> {
    pub fn new(inner: R) -> Self {
        Self { inner, bits: 0, count: 0 }
    }

    /// The bytes that are there at once; none at the end.
    fn fill(&mut self) -> io::Result<&[u8]> {
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

    fn drop(&mut self, count: u32) -> io::Result<()> {
        self.count = self.count.checked_sub(count).ok_or(io::ErrorKind::UnexpectedEof)?;
        self.bits >>= count;
        Ok(())
    }

    fn take(&mut self, count: u32) -> io::Result<usize> {
        self.hold(count)?;
        let taken = self.bits & !(!0 << count);
        self.drop(count)?;
        Ok(taken as usize)
    }

    /// Leaves out what remains of a byte.
    fn align(&mut self) {
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
    fn look<const ROOT: usize, const TABLE: usize>(&mut self, table: &Table<ROOT, TABLE>) -> io::Result<u32> {
        self.hold(48)?;
        let mut entry = table.entries[self.bits as usize % (1 << ROOT)];
        if let Some((start, bits)) = further(entry).filter(|_| entry & SPECIAL != 0) {
            // A code that is longer than what is left is not whole, whatever it would be.
            self.drop(ROOT as u32)?;
            entry = table.entries[(start + (self.bits & !(!0 << bits)) as usize) % TABLE];
        }
        Ok(entry)
    }

    /// The length or distance that an entry stands for, with its further bits.
    fn value(&mut self, entry: u32) -> io::Result<usize> {
        let value = value(entry, self.bits);
        self.drop(entry & TAKEN)?;
        Ok(value)
    }
}

#[inline(always)]
fn value(entry: u32, bits: u64) -> usize {
    let further = (bits & !(!0 << (entry & TAKEN))) >> (entry >> VALUE_AT & 0xf);
    (entry >> BASE_AT) as usize + further as usize
}

/// The codes of a block.
#[derive(Debug)]
struct Codes {
    /// One literal or length at a time, and up to three literals.
    literals: Table<LITERAL_BITS, LITERAL_SIZE>,
    joined: [u32; 1 << LITERAL_BITS],
    distances: Table<DISTANCE_BITS, DISTANCE_SIZE>,
    are_fixed: bool,
}

impl Codes {
    fn new() -> Self {
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
    fn make_fixed(&mut self) -> Result<(), Malformed> {
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
    fn read(&mut self, bits: &mut Bits<impl BufRead>) -> io::Result<()> {
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

/// Reads the lengths of codes, some of them told as repetitions. Bits that are no code stand for no length, as in zlib.
fn read_lengths(bits: &mut Bits<impl BufRead>, table: &Table<7, 128>, all: &mut [u8]) -> io::Result<()> {
    let (mut known, most) = (0, all.len());
    while known < most {
        let entry = bits.look(table)?;
        let symbol = if entry & SPECIAL == 0 { (entry >> BASE_AT) as u8 } else { 0 };
        bits.drop(entry & TAKEN)?;
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

fn corrupt() -> io::Error {
    io::Error::new(io::ErrorKind::InvalidInput, "corrupt deflate stream")
}

/// What is read of a stream.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Stage {
    /// Another block begins, or nothing after the last one.
    Between,
    /// Bytes as they are, so many more.
    Stored(usize),
    Coded,
}

/// Text, and what it was inflated from.
#[derive(Debug)]
pub struct Inflate<R> {
    pub input: Bits<R>,
    codes: Box<Codes>,
    window: Vec<u8>,
    /// Where the text of this stream begins, as far as it is there, and where all text ends.
    oldest: usize,
    end: usize,
    stage: Stage,
    is_last: bool,
}

impl<R: BufRead> Inflate<R> {
    /// Needs 300 kB, which must be there.
    pub fn new(inner: R) -> Self {
        Self {
            input: Bits::new(inner),
            codes: Box::new(Codes::new()),
            window: vec![0; SIZE + SLACK],
            oldest: 0,
            end: 0,
            stage: Stage::Between,
            is_last: false,
        }
    }

    /// Begins another stream.
    pub fn reset(&mut self) {
        (self.oldest, self.stage, self.is_last) = (self.end, Stage::Between, false);
    }

    /// The end of the text so far.
    pub fn end(&self) -> usize {
        self.end
    }

    pub fn text(&self, from: usize) -> &[u8] {
        self.window.get(from..self.end).unwrap_or_default()
    }

    /// Makes room by leaving out what cannot be repeated any more.
    pub fn slide(&mut self) {
        let gone = self.end.saturating_sub(HISTORY);
        self.window.copy_within(gone..self.end, 0);
        self.end -= gone;
        self.oldest = self.oldest.saturating_sub(gone);
    }

    /// Inflates until there is no more room; true at the end of the stream. Text before a fault is there all the same.
    pub fn inflate(&mut self) -> io::Result<bool> {
        while self.end < FULL {
            match self.stage {
                Stage::Between if self.is_last => {
                    self.input.align();
                    return Ok(true);
                }
                Stage::Between => self.begin()?,
                Stage::Stored(0) => self.stage = Stage::Between,
                Stage::Stored(count) => self.copy(count)?,
                Stage::Coded => {
                    if self.fast()? || (self.end < FULL && self.slow()?) {
                        self.stage = Stage::Between;
                    }
                }
            }
        }
        Ok(false)
    }

    /// Reads what stands before a block.
    fn begin(&mut self) -> io::Result<()> {
        let head = self.input.take(3)?;
        self.is_last = head & 1 == 1;
        self.stage = match head >> 1 {
            0 => {
                self.input.align();
                let lengths = self.input.take(32)?;
                if lengths & 0xffff != !(lengths >> 16) & 0xffff {
                    return Err(corrupt());
                }
                Stage::Stored(lengths & 0xffff)
            }
            1 => {
                self.codes.make_fixed()?;
                Stage::Coded
            }
            2 => {
                self.codes.read(&mut self.input)?;
                Stage::Coded
            }
            _ => return Err(corrupt()),
        };
        Ok(())
    }

    /// Takes bytes as they are.
    fn copy(&mut self, count: usize) -> io::Result<()> {
        let room = &mut self.window[self.end..FULL];
        let done = if self.input.count > 0 {
            room[0] = self.input.byte()?;
            1
        } else {
            let bytes = self.input.fill()?;
            let done = bytes.len().min(room.len()).min(count);
            room[..done].copy_from_slice(&bytes[..done]);
            self.input.inner.consume(done);
            done
        };
        if done == 0 {
            return Err(io::ErrorKind::UnexpectedEof.into());
        }
        self.end += done;
        self.stage = Stage::Stored(count - done);
        Ok(())
    }

    /// One symbol, where few bytes are left at once; true if it ends the block.
    fn slow(&mut self) -> io::Result<bool> {
        let entry = self.input.look(&self.codes.literals)?;
        if entry & LITERALS != 0 {
            self.input.drop(entry & TAKEN)?;
            self.window[self.end] = (entry >> VALUE_AT) as u8;
            self.end += 1;
            return Ok(false);
        }
        if entry & SPECIAL != 0 {
            self.input.drop(entry & TAKEN)?;
            return if entry & !TAKEN == END { Ok(true) } else { Err(corrupt()) };
        }
        let length = self.input.value(entry)?;
        let entry = self.input.look(&self.codes.distances)?;
        if entry & SPECIAL != 0 {
            self.input.drop(entry & TAKEN)?;
            return Err(corrupt());
        }
        let distance = self.input.value(entry)?;
        if distance > self.end - self.oldest {
            return Err(corrupt());
        }
        let window = self.window.first_chunk_mut().ok_or(Malformed)?;
        repeat(window, self.end, distance, length);
        self.end += length;
        Ok(false)
    }

    /// Symbols as long as there are eight bytes to read at once; true if they end the block.
    fn fast(&mut self) -> io::Result<bool> {
        let Self { input, codes, window, oldest, end, .. } = self;
        let window: &mut Window = window.first_chunk_mut().ok_or(Malformed)?;
        input.fill()?;
        let bytes = input.inner.fill_buf()?;
        let mut state = Fast { bytes, at: 0, bits: input.bits, count: input.count, end: *end };
        let done = Lanes::best().run(Symbols { state: &mut state, codes, window, oldest: *oldest });
        let Fast { at, bits, count, .. } = state;
        *end = state.end;
        (input.bits, input.count) = (bits & !(!0 << count), count);
        input.inner.consume(at);
        Ok(done?)
    }
}

/// The symbols of a block. The bits that come next are cut off faster where the processor has instructions for it.
struct Symbols<'a, 'b> {
    state: &'a mut Fast<'b>,
    codes: &'a Codes,
    window: &'a mut Window,
    oldest: usize,
}

impl Task for Symbols<'_, '_> {
    type Output = Result<bool, Malformed>;

    #[inline(always)]
    fn run(self, _: impl Level) -> Result<bool, Malformed> {
        self.state.run(self.codes, self.window, self.oldest)
    }
}

/// What the loop over symbols holds. Bits past `count` may be set: they are those that come next.
struct Fast<'a> {
    bytes: &'a [u8],
    at: usize,
    bits: u64,
    count: u32,
    end: usize,
}

impl Fast<'_> {
    /// Holds at least 56 bits; false if there are not eight bytes more.
    #[inline(always)]
    fn hold(&mut self) -> bool {
        let Some(next) = self.bytes.get(self.at..).and_then(|rest| rest.first_chunk()) else { return false };
        self.bits |= u64::from_le_bytes(*next) << self.count;
        self.at += (63 - self.count as usize) / 8;
        self.count |= 56;
        true
    }

    #[inline(always)]
    fn drop(&mut self, count: u32) {
        self.bits >>= count;
        self.count -= count;
    }

    /// Writes the literals of an entry, and bytes behind them that others will take the place of.
    #[inline(always)]
    fn put(&mut self, window: &mut Window, entry: u32) {
        let at = self.end % SIZE;
        window[at..at + 4].copy_from_slice(&(entry >> VALUE_AT).to_le_bytes());
        self.end += ((entry & LITERALS) >> LITERALS_AT) as usize;
        self.drop(entry & TAKEN);
    }

    #[inline(always)]
    fn further<const ROOT: usize, const TABLE: usize>(
        &mut self,
        table: &Table<ROOT, TABLE>,
        entry: u32,
    ) -> u32 {
        let Some((start, bits)) = further(entry) else { return entry };
        self.drop(ROOT as u32);
        table.entries[(start + (self.bits & !(!0 << bits)) as usize) % TABLE]
    }

    #[inline(always)]
    fn value(&mut self, entry: u32) -> usize {
        let value = value(entry, self.bits);
        self.drop(entry & TAKEN);
        value
    }

    #[inline(always)]
    fn run(&mut self, codes: &Codes, window: &mut Window, oldest: usize) -> Result<bool, Malformed> {
        let literals = |bits: u64| codes.joined[bits as usize % (1 << LITERAL_BITS)];
        while self.end < FULL && self.hold() {
            let mut entry = literals(self.bits);
            if entry & LITERALS != 0 {
                self.put(window, entry);
                entry = literals(self.bits);
                if entry & LITERALS != 0 {
                    self.put(window, entry);
                    entry = literals(self.bits);
                    if entry & LITERALS != 0 {
                        self.put(window, entry);
                        continue;
                    }
                }
                if !self.hold() {
                    break;
                }
            }
            if entry & SPECIAL != 0 {
                entry = self.further(&codes.literals, entry);
                if entry & LITERALS != 0 {
                    self.put(window, entry);
                    continue;
                }
                if entry & SPECIAL != 0 {
                    self.drop(entry & TAKEN);
                    return if entry & !TAKEN == END { Ok(true) } else { Err(Malformed) };
                }
            }
            let length = self.value(entry);
            let mut entry = codes.distances.entries[self.bits as usize % (1 << DISTANCE_BITS)];
            if entry & SPECIAL != 0 {
                entry = self.further(&codes.distances, entry);
                if entry & SPECIAL != 0 {
                    return Err(Malformed);
                }
            }
            let distance = self.value(entry);
            if distance > self.end - oldest {
                return Err(Malformed);
            }
            repeat(window, self.end, distance, length);
            self.end += length;
        }
        Ok(false)
    }
}

/// How many bytes are copied at once.
const STEP: usize = 16;

#[inline(always)]
fn step(window: &mut Window, from: usize, to: usize) {
    window.copy_within(from..from + STEP, to);
}

/// Repeats the text that stands `distance` before `end`. Whole steps are written, at least two: bytes behind the text are
/// overwritten later.
#[inline(always)]
fn repeat(window: &mut Window, end: usize, distance: usize, length: usize) {
    let (from, to) = ((end - distance) % SIZE, end % SIZE);
    if distance < STEP {
        return repeat_near(window, to, distance, length);
    }
    step(window, from, to);
    step(window, from + STEP, to + STEP);
    let mut done = 2 * STEP;
    while done < length {
        step(window, from + done, to + done);
        done += STEP;
    }
}

/// Repeats text that is shorter than a step, until whole steps repeat it.
#[inline(never)]
fn repeat_near(window: &mut Window, to: usize, distance: usize, length: usize) {
    let whole = distance * STEP.div_ceil(distance);
    for at in to..to + length.min(whole) {
        window[at] = window[at - distance];
    }
    let mut done = whole;
    while done < length {
        step(window, to + done - whole, to + done);
        done += STEP;
    }
}

#[cfg(test)]
#[path = "inflate_tests.rs"]
mod tests;
