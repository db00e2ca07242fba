//! Reads text in blocks that hold whole queries, so that each can be worked on by itself.

use crate::failure;
use crate::fault::{Fault, show};
use crate::limits::{Limits, refuse, size, thousands};
use crate::memory::{Grow, Lack};
use crate::read::encoding::read_full;
use crate::read::expand::Opened;
use crate::read::line::{self, Line};
use crate::read::source::Source;
use std::io::Read;

/// How much is read at a time, so little that it stays in a processor's own cache until it is worked on; a block grows past it only to hold one whole query.
pub const BLOCK: usize = 1 << 19;

const BYTE_ORDER_MARK: &[u8] = &[0xef, 0xbb, 0xbf];
const INNER_MARK: &str =
    "a byte-order mark (U+FEFF) begins the line, perhaps where two files were joined; remove it";

/// A text of changing length. What it is written to is cleared when it is had, not each time that it is read to.
#[derive(Debug, Default)]
pub struct Block {
    bytes: Vec<u8>,
    length: usize,
}

impl Block {
    pub fn text(&self) -> &[u8] {
        self.bytes.get(..self.length).unwrap_or_default()
    }

    /// Room for more bytes after the text.
    fn room(&mut self, more: usize) -> Result<&mut [u8], Lack> {
        let size = self.length.saturating_add(more);
        if self.bytes.len() < size {
            self.bytes.fill(size, 0)?;
        }
        self.bytes.get_mut(self.length..size).ok_or(Lack::Memory)
    }

    fn add(&mut self, text: &[u8]) -> Result<(), Lack> {
        self.room(text.len())?.copy_from_slice(text);
        self.length += text.len();
        Ok(())
    }

    fn drop_first(&mut self, count: usize) {
        self.bytes.copy_within(count..self.length, 0);
        self.length -= count;
    }
}

/// The blocks of one file after another, in order. No block holds lines of two files.
pub struct Blocks<'a> {
    source: &'a Source,
    reader: Box<dyn Read + Send>,
    is_packed: bool,
    /// The number of the first block of each file that was opened.
    firsts: Vec<usize>,
    /// What was read after the last whole query.
    rest: Block,
    size: usize,
    given: usize,
    /// Whether the first bytes were looked at.
    begun: bool,
    done: bool,
    /// What follows a fault is not read: it may begin anywhere.
    failed: bool,
}

impl<'a> Blocks<'a> {
    pub fn open(source: &'a Source, size: usize) -> Result<Self, Fault> {
        let Opened { reader, is_packed } = source.open_part(0)?;
        Ok(Self {
            source,
            reader,
            is_packed,
            firsts: vec![0],
            rest: Block::default(),
            size,
            given: 0,
            begun: false,
            done: false,
            failed: false,
        })
    }

    /// Makes the blocks that follow so many times as large.
    pub fn enlarge(&mut self, times: usize) {
        self.size = self.size.saturating_mul(times);
    }

    /// Whether the first file is compressed.
    pub fn is_packed(&self) -> bool {
        self.is_packed
    }

    /// The file that a block is from, and the number of that file's first block.
    pub fn part(&self, block: usize) -> (usize, usize) {
        let part = self.firsts.partition_point(|&first| first <= block).saturating_sub(1);
        (part, self.firsts.get(part).copied().unwrap_or_default())
    }

    /// Fills `block` with the next lines and gives the block's number, or `None` at the end.
    pub fn next(&mut self, block: &mut Block) -> Result<Option<usize>, Fault> {
        if self.failed {
            return Ok(None);
        }
        let next = self.advance(block);
        self.failed = next.is_err();
        next
    }

    fn advance(&mut self, block: &mut Block) -> Result<Option<usize>, Fault> {
        loop {
            self.fill(block)?;
            if block.length > 0 {
                self.given += 1;
                return Ok(Some(self.given - 1));
            }
            if self.firsts.len() >= self.source.parts.len() {
                return Ok(None);
            }
            self.reader = self.source.open_part(self.firsts.len())?.reader;
            self.firsts.add(self.given)?;
            (self.begun, self.done) = (false, false);
        }
    }

    /// Fills `block` with the next lines of the open file; with none at its end.
    fn fill(&mut self, block: &mut Block) -> Result<(), Fault> {
        block.length = 0;
        std::mem::swap(block, &mut self.rest);
        let mut more = self.size;
        while !self.done {
            self.read(block, more)?;
            if !self.begun && block.length >= BYTE_ORDER_MARK.len() {
                self.begun = true;
                if block.text().starts_with(BYTE_ORDER_MARK) {
                    block.drop_first(BYTE_ORDER_MARK.len());
                }
            }
            let text = block.text();
            let lines_end = memchr::memrchr(b'\n', text).map_or(0, |newline| newline + 1);
            if text.len() - lines_end > self.source.limits.line {
                self.done = true;
            }
            let end = last_query(text);
            if !self.done && end > 0 {
                self.rest.add(&text[end..])?;
                block.length = end;
                break;
            }
            if end == 0 {
                check_rows(memchr::memchr_iter(b'\n', text).count(), query_at(text, 0), self.source.limits)
                    .map_err(|fault| self.source.at_part(self.firsts.len() - 1, fault))?;
            }
            more = text.len().max(self.size);
        }
        Ok(())
    }

    fn read(&mut self, block: &mut Block, more: usize) -> Result<(), Fault> {
        let part = self.firsts.len() - 1;
        let room = if failure::fails() { Err(Lack::Memory) } else { block.room(more) };
        let room = room.map_err(|lack| self.source.at_part(part, lack.into()))?;
        let count =
            read_full(&mut self.reader, room).map_err(|error| self.source.part_fault(part, &error))?;
        block.length += count;
        self.done = count < more;
        Ok(())
    }
}

/// Checks that not too many rows of one query are held.
pub fn check_rows(rows: usize, query: Option<&[u8]>, limits: Limits) -> Result<(), Fault> {
    if rows <= limits.rows {
        return Ok(());
    }
    let (query, most) = (show(query.unwrap_or_default()), limits.rows as u64);
    Err(refuse(format!("query {query} has more than {} rows", thousands(most)), "rows", most))
}

/// Where the lines of the last query begin. Zero if there is no other query before it.
///
/// It is searched for by halves. Where a query's lines do not stand together this may be another place at which the last
/// query begins, which serves as well: the query is then found in two blocks.
fn last_query(text: &[u8]) -> usize {
    let Some(end) = memchr::memrchr(b'\n', text) else { return 0 };
    let mut first = line_start(text, end);
    let query = query_at(text, first);
    let mut other = 0;
    // `first` begins a line of the last query; the line at `other` is another query's, or nothing is known of it.
    let mut step = BACK;
    while first > 0 {
        let probe = line_start(text, first.saturating_sub(step));
        if !belongs(text, probe, query) {
            other = probe;
            break;
        }
        first = probe;
        step *= 2;
    }
    while first > 0 {
        let middle = line_start(text, other + (first - other) / 2);
        if middle <= other {
            let next = memchr::memchr(b'\n', &text[other..]).map_or(first, |length| other + length + 1);
            if next >= first {
                return first;
            }
            if belongs(text, next, query) { first = next } else { other = next }
        } else if belongs(text, middle, query) {
            first = middle;
        } else {
            other = middle;
        }
    }
    0
}

/// How far back the search for a query's first line begins.
const BACK: usize = 1 << 12;

/// The start of the line that holds the byte at `at`.
fn line_start(text: &[u8], at: usize) -> usize {
    memchr::memrchr(b'\n', &text[..at]).map_or(0, |newline| newline + 1)
}

fn query_at(text: &[u8], start: usize) -> Option<&[u8]> {
    let line = Line::first(text.get(start..).unwrap_or_default());
    if line::is_empty(line.bytes()) { None } else { line.words().next() }
}

/// Whether a line is the query's, or says nothing.
fn belongs(text: &[u8], start: usize, query: Option<&[u8]>) -> bool {
    let this = query_at(text, start);
    this.is_none() || query.is_none() || this == query
}

/// A fault and its line in the block, counted from zero.
pub type LineFault = (usize, Fault);

/// Calls `visit` with each line that says something and gives the number of all lines.
pub fn each_line<'a>(
    block: &'a [u8],
    longest: usize,
    mut visit: impl FnMut(Line<'a>) -> Result<(), Fault>,
) -> Result<usize, LineFault> {
    check(block)?;
    let mut number = 0;
    let mut start = 0;
    while let Some(rest) = block.get(start..).filter(|rest| !rest.is_empty()) {
        let (length, line) = first_line(rest, longest).map_err(|fault| (number, fault))?;
        line.map_or(Ok(()), &mut visit).map_err(|fault| (number, fault))?;
        number += 1;
        start += length + 1;
    }
    Ok(number)
}

/// The length of the first line, and the line if it says something.
pub fn first_line(text: &[u8], longest: usize) -> Result<(usize, Option<Line<'_>>), Fault> {
    let line = Line::first(text);
    let bytes = line.bytes();
    if bytes.len() > longest {
        let most = longest as u64;
        let what = format!("line longer than {}; this is probably not a TREC text file", size(most));
        return Err(refuse(what, "line", most));
    }
    // The mark would be taken for part of a query's id.
    if bytes.first() == BYTE_ORDER_MARK.first() && bytes.starts_with(BYTE_ORDER_MARK) {
        return Err(Fault::format(INNER_MARK));
    }
    Ok((bytes.len(), Some(line).filter(|_| !line::is_empty(bytes))))
}

/// Checks that a block is text.
#[inline(always)]
pub fn check(block: &[u8]) -> Result<(), LineFault> {
    // Most blocks are ASCII: as signed numbers their bytes are positive, which many are found to be at once.
    let is_plain = |part: &[u8]| part.iter().fold(true, |all, &byte| all & (byte as i8 > 0));
    if block.chunks(PLAIN).all(is_plain) { Ok(()) } else { check_all(block) }
}

/// How many bytes are checked together.
const PLAIN: usize = 1 << 10;

#[cold]
#[inline(never)]
fn check_all(block: &[u8]) -> Result<(), LineFault> {
    let line_of = |at: usize| memchr::memchr_iter(b'\n', &block[..at]).count();
    if let Some(at) = memchr::memchr(0, block) {
        let message = "NUL byte in the line; the file is not text, or is UTF-16: save it as UTF-8";
        return Err((line_of(at), Fault::format(message)));
    }
    simdutf8::compat::from_utf8(block).map_err(|error| {
        let message = "the line has bytes that are not UTF-8; save the file as UTF-8";
        (line_of(error.valid_up_to()), Fault::format(message))
    })?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn blocks(name: &str, text: &[u8], size: usize) -> Vec<String> {
        let path = std::env::temp_dir().join(format!("assay-block-{}-{name}", std::process::id()));
        std::fs::write(&path, text).unwrap();
        let source = Source::new(&path, name);
        let mut blocks = Blocks::open(&source, size).unwrap();
        let mut block = Block::default();
        let mut all = Vec::new();
        while blocks.next(&mut block).unwrap().is_some() {
            all.push(String::from_utf8(block.text().to_vec()).unwrap());
        }
        std::fs::remove_file(path).unwrap();
        all
    }

    #[test]
    fn blocks_hold_whole_queries_and_lose_nothing() {
        let text: String = (0..40).map(|row| format!("q{} 0 d{row} 1\n", row / 5)).collect();
        for size in [1, 16, 64, 100, 1000] {
            let all = blocks("whole", text.as_bytes(), size);
            assert_eq!(all.concat(), text, "{size}");
            for pair in all.windows(2) {
                let before = pair[0].lines().last().unwrap().split(' ').next();
                let after = pair[1].lines().next().unwrap().split(' ').next();
                assert_ne!(before, after, "{size}");
            }
        }
        assert!(blocks("small", text.as_bytes(), 16).len() > 3);
    }

    #[test]
    fn the_last_line_needs_no_end_and_a_mark_is_no_text() {
        for size in 1..8 {
            assert_eq!(blocks("end", b"\xef\xbb\xbfq1 0 d1 1", size), ["q1 0 d1 1"]);
            assert_eq!(blocks("twice", b"\xef\xbb\xbf\xef\xbb\xbfq1", size), ["\u{feff}q1"]);
        }
        assert_eq!(blocks("none", b"", 4), Vec::<String>::new());
    }

    #[test]
    fn files_are_read_one_after_another_and_no_block_holds_two() {
        let texts: [&[u8]; 4] =
            [b"q1 0 a 1\nq1 0 b 1", b"", b"\xef\xbb\xbfq1 0 c 1\nq2 0 d 1\n", b"q3 0 e 1"];
        let path =
            |part: usize| std::env::temp_dir().join(format!("assay-part-{}-{part}", std::process::id()));
        let parts = texts.iter().enumerate().map(|(part, text)| {
            std::fs::write(path(part), text).unwrap();
            (path(part), format!("part-{part}"))
        });
        let source = Source::of_parts(parts.collect(), "all");
        for size in [1, 9, 1000] {
            let mut blocks = Blocks::open(&source, size).unwrap();
            let (mut block, mut all) = (Block::default(), vec![String::new(); texts.len()]);
            while let Some(number) = blocks.next(&mut block).unwrap() {
                all[blocks.part(number).0].push_str(std::str::from_utf8(block.text()).unwrap());
            }
            assert_eq!(all, ["q1 0 a 1\nq1 0 b 1", "", "q1 0 c 1\nq2 0 d 1\n", "q3 0 e 1"], "{size}");
        }
        (0..texts.len()).for_each(|part| std::fs::remove_file(path(part)).unwrap());
    }
}
