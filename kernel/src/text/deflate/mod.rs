//! Reads what deflate wrote (RFC 1951). Text of a run is mostly digits, whose codes are short: a table gives up to three of
//! them at once.

pub mod bits;
mod codes;
mod huffman;

use crate::text::lanes::{Lanes, Level, Task};
use bits::{Bits, value};
use codes::{Codes, DISTANCE_BITS, LITERAL_BITS, corrupt};
use huffman::{END, LITERALS, LITERALS_AT, Malformed, SPECIAL, TAKEN, Table, VALUE_AT, further};
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
            self.input.skip(entry & TAKEN)?;
            self.window[self.end] = (entry >> VALUE_AT) as u8;
            self.end += 1;
            return Ok(false);
        }
        if entry & SPECIAL != 0 {
            self.input.skip(entry & TAKEN)?;
            return if entry & !TAKEN == END { Ok(true) } else { Err(corrupt()) };
        }
        let length = self.input.value(entry)?;
        let entry = self.input.look(&self.codes.distances)?;
        if entry & SPECIAL != 0 {
            self.input.skip(entry & TAKEN)?;
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
    fn skip(&mut self, count: u32) {
        self.bits >>= count;
        self.count -= count;
    }

    /// Writes the literals of an entry, and bytes behind them that others will take the place of.
    #[inline(always)]
    fn put(&mut self, window: &mut Window, entry: u32) {
        let at = self.end % SIZE;
        window[at..at + 4].copy_from_slice(&(entry >> VALUE_AT).to_le_bytes());
        self.end += ((entry & LITERALS) >> LITERALS_AT) as usize;
        self.skip(entry & TAKEN);
    }

    #[inline(always)]
    fn further<const ROOT: usize, const TABLE: usize>(
        &mut self,
        table: &Table<ROOT, TABLE>,
        entry: u32,
    ) -> u32 {
        let Some((start, bits)) = further(entry) else { return entry };
        self.skip(ROOT as u32);
        table.entries[(start + (self.bits & !(!0 << bits)) as usize) % TABLE]
    }

    #[inline(always)]
    fn value(&mut self, entry: u32) -> usize {
        let value = value(entry, self.bits);
        self.skip(entry & TAKEN);
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
                    self.skip(entry & TAKEN);
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
mod tests;
