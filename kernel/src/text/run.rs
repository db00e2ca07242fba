//! The rows of a block of a run. A line of at most 64 bytes whose fields are parted by single blanks, as programs write it,
//! is cut at one look; all others word by word.

use crate::fault::Fault;
use crate::text::block::{LineFault, check, first_line};
use crate::text::lanes::{Ends, Level, WIDTH};
use crate::text::line::{RUN, RunLine, run_line};
use crate::text::number::{LOOKED_AT, any_number};
use crate::text::surplus::Surplus;

/// A row of a run.
#[derive(Debug)]
pub struct Row<'a> {
    pub query: &'a [u8],
    /// Whether the query is known to be that of the row before.
    pub goes_on: bool,
    pub retrieved: RunLine<'a>,
}

/// The rows of a block, one after the other.
#[derive(Debug)]
pub struct RunBlock<'a, 'b> {
    text: &'a [u8],
    /// How long a line may be.
    longest: usize,
    surplus: &'b mut Surplus,
    start: usize,
    /// Where the line before starts, and its first bytes if it was cut at one look.
    before: usize,
    last: Option<[u8; 16]>,
    /// The number of lines so far.
    pub lines: usize,
}

impl<'a, 'b> RunBlock<'a, 'b> {
    pub fn new(text: &'a [u8], longest: usize, surplus: &'b mut Surplus) -> Result<Self, LineFault> {
        check(text)?;
        Ok(Self { text, longest, surplus, start: 0, before: 0, last: None, lines: 0 })
    }

    /// The next row, or none at the end.
    #[inline(always)]
    pub fn next(&mut self, level: impl Level) -> Result<Option<Row<'a>>, Fault> {
        while let Some(rest) = self.text.get(self.start..).filter(|rest| !rest.is_empty()) {
            let window = rest.first_chunk().filter(|_| self.longest >= WIDTH);
            if let Some(window) = window
                && let Some(cut) = Cut::new(level, window)
            {
                let goes_on = self.goes_on(level, window, cut.ends[0] + 1);
                // A comment, or what may be a byte-order mark, is for the other way; a line like the one before is neither.
                if goes_on || !matches!(window[0], b'#' | 0xef) {
                    let row = cut.row(level, window, goes_on)?;
                    self.last = window.first_chunk().copied();
                    self.pass(cut.length);
                    return Ok(Some(row));
                }
            }
            let (length, row) = word_by_word(rest, self.longest, self.surplus)?;
            self.last = None;
            self.pass(length);
            if row.is_some() {
                return Ok(row);
            }
        }
        Ok(None)
    }

    /// Whether the line was cut like this one, and has the same first bytes: few of them are compared at once.
    #[inline(always)]
    fn goes_on(&self, level: impl Level, window: &Window, length: usize) -> bool {
        match (&self.last, window.first_chunk()) {
            (Some(one), Some(other)) if length <= one.len() => level.alike(one, other) >= length,
            (Some(_), _) => {
                let before = self.text.get(self.before..).unwrap_or_default();
                before.get(..length) == window.get(..length)
            }
            (None, _) => false,
        }
    }

    #[inline(always)]
    fn pass(&mut self, length: usize) {
        self.before = self.start;
        self.start += length + 1;
        self.lines += 1;
    }
}

/// The length of the first line, and its row if it says something.
#[cold]
#[inline(never)]
fn word_by_word<'a>(
    text: &'a [u8],
    longest: usize,
    surplus: &mut Surplus,
) -> Result<(usize, Option<Row<'a>>), Fault> {
    let (length, line) = first_line(text, longest)?;
    let Some(line) = line else { return Ok((length, None)) };
    let mut words = line.words();
    let query = words.next().unwrap_or_default();
    let retrieved = run_line(&mut words, surplus)?;
    Ok((length, Some(Row { query, goes_on: false, retrieved })))
}

/// Enough to cut a line of 64 bytes and to read its score.
type Window = [u8; WIDTH + LOOKED_AT];

/// Where the six words of a line end.
#[derive(Debug)]
struct Cut {
    ends: [usize; 6],
    length: usize,
}

impl Cut {
    /// None if the line must be read word by word.
    #[inline(always)]
    fn new(level: impl Level, window: &Window) -> Option<Self> {
        let Ends { words, lines } = level.ends(window.first_chunk()?);
        let newline = lines & lines.wrapping_neg();
        // Up to the newline, which counts for nothing behind a blank: a carriage return, most likely.
        let blanks = words & (newline.wrapping_sub(1) | newline);
        let mut blanks = blanks & !(newline & (blanks << 1));
        let is_plain = newline != 0 && blanks & (blanks << 1 | 1) == 0;
        let ends = std::array::from_fn(|_| {
            let end = blanks.trailing_zeros() as usize;
            blanks &= blanks.wrapping_sub(1);
            end
        });
        let length = newline.trailing_zeros() as usize;
        (is_plain && blanks == 0 && ends[5] < WIDTH).then_some(Self { ends, length })
    }

    #[inline(always)]
    fn row<'a>(&self, level: impl Level, window: &'a Window, goes_on: bool) -> Result<Row<'a>, Fault> {
        let word = |start: usize, end: usize| window.get(start..end).unwrap_or_default();
        let [query, iteration, document, rank, score, tag] = self.ends;
        let padded = window.get(rank + 1..).and_then(|rest| rest.first_chunk());
        let value = match padded.and_then(|padded| level.number(padded, score - rank - 1)) {
            Some(value) => value,
            None => any_number(word(rank + 1, score), "score", RUN)?.into(),
        };
        let retrieved = RunLine {
            iteration: word(query + 1, iteration),
            document: word(iteration + 1, document),
            score: value,
            tag: word(score + 1, tag),
        };
        Ok(Row { query: word(0, query), goes_on, retrieved })
    }
}

#[cfg(test)]
#[path = "run_tests.rs"]
mod tests;
