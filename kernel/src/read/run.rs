//! The rows of a block of a run. A line of at most 64 bytes whose fields are parted by single blanks, as programs write it,
//! is cut at one look; all others word by word.

use crate::fault::Fault;
use crate::read::block::{LineFault, check, first_line};
use crate::read::lanes::{Ends, Level, WIDTH};
use crate::read::line::{RUN, RunLine, run_line};
use crate::read::number::{LOOKED_AT, any_number};
use crate::read::surplus::Surplus;

/// A row of a run.
#[derive(Debug)]
pub struct Row<'a> {
    pub query: &'a [u8],
    /// Whether the query is known to be that of the row before.
    pub goes_on: bool,
    pub retrieved: RunLine<'a>,
}

/// Calls `visit` with each row of a block and gives the number of all lines.
#[inline(always)]
pub fn each_row<'a>(
    level: impl Level,
    text: &'a [u8],
    longest: usize,
    surplus: &mut Surplus,
    mut visit: impl FnMut(Row<'a>) -> Result<(), Fault>,
) -> Result<usize, LineFault> {
    check(text)?;
    let (mut start, mut lines) = (0, 0);
    let cuttable = if longest < WIDTH { &[] } else { text };
    // The line before and what follows it, if it was cut at one look.
    let mut before = None;
    while let Some(rest) = text.get(start..).filter(|rest| !rest.is_empty()) {
        let mut window = cuttable.get(start..).and_then(|rest| rest.first_chunk());
        let cut = match window {
            Some(window) => cut(level, window, before).map_err(|fault| (lines, fault))?,
            None => None,
        };
        let (length, row) = match cut {
            Some(cut) => cut,
            None => {
                window = None;
                let (length, row) = word_by_word(rest, longest, surplus).map_err(|fault| (lines, fault))?;
                let Some(row) = row else {
                    (before, start, lines) = (None, start + length + 1, lines + 1);
                    continue;
                };
                (length, row)
            }
        };
        visit(row).map_err(|fault| (lines, fault))?;
        (before, start, lines) = (window, start + length + 1, lines + 1);
    }
    Ok(lines)
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

    /// The row, given the line before; none if it must be read word by word.
    #[inline(always)]
    fn row<'a>(
        &self,
        level: impl Level,
        window: &'a Window,
        before: Option<&Window>,
    ) -> Result<Option<Row<'a>>, Fault> {
        let [query, iteration, document, rank, score, tag] = self.ends;
        let goes_on = before.is_some_and(|before| starts_alike(level, before, window, query + 1));
        // A comment, or what may be a byte-order mark; a line like the one before is neither.
        if !goes_on && matches!(window[0], b'#' | 0xef) {
            return Ok(None);
        }
        let fields = (
            window.get(..query),
            window.get(query + 1..iteration),
            window.get(iteration + 1..document),
            window.get(rank + 1..).and_then(|rest| rest.first_chunk()),
        );
        let (Some(query), Some(iteration), Some(document), Some(padded)) = fields else { return Ok(None) };
        let value = match level.number(padded, score - rank - 1) {
            Some(value) => value,
            None => any_number(window.get(rank + 1..score).unwrap_or_default(), "score", RUN)?,
        };
        let tag = window.get(score + 1..tag).unwrap_or_default();
        let retrieved = RunLine { iteration, document, score: value, tag };
        Ok(Some(Row { query, goes_on, retrieved }))
    }
}

/// The length of a line that can be cut at one look, and its row.
#[inline(always)]
fn cut<'a>(
    level: impl Level,
    window: &'a Window,
    before: Option<&Window>,
) -> Result<Option<(usize, Row<'a>)>, Fault> {
    let Some(cut) = Cut::new(level, window) else { return Ok(None) };
    Ok(cut.row(level, window, before)?.map(|row| (cut.length, row)))
}

/// Whether two lines have the same first bytes: few of them are compared at once.
#[inline(always)]
fn starts_alike(level: impl Level, before: &Window, window: &Window, length: usize) -> bool {
    match (before.first_chunk(), window.first_chunk()) {
        (Some(one), Some(other)) if length <= 16 => level.alike(one, other) >= length,
        _ => before.get(..length) == window.get(..length),
    }
}

#[cfg(test)]
#[path = "run_tests.rs"]
mod tests;
