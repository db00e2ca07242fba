//! Rows of CSV and TSV: cells between separators, in quotes or not.

use super::{Columns, Form, Need};
use crate::memory::{Grow, Lack};
use crate::read::json::{Cursor, Number};
use memchr::{memchr, memchr_iter, memchr2, memchr3, memrchr2};

const BYTE_ORDER_MARK: &[u8] = b"\xef\xbb\xbf";

/// How the rows of a file are read.
#[derive(Debug)]
pub struct Separated {
    pub separator: u8,
    /// What each column is needed for.
    pub needs: Vec<Need>,
}

/// A cell, and what follows it.
struct Cell<'a> {
    text: &'a [u8],
    /// Whether quotes inside of it are doubled.
    is_doubled: bool,
    next: usize,
    is_last: bool,
}

impl Form for Separated {
    fn decode(&self, part: &[u8]) -> Result<Option<Columns>, Lack> {
        if memchr(0, part).is_some() {
            return Ok(None);
        }
        let mut columns = Columns::new(&self.needs)?;
        let (mut at, mut scratch) = (0, Vec::new());
        while at < part.len() {
            let Some(next) = self.row(part, at, &mut columns, &mut scratch)? else { return Ok(None) };
            at = columns.end_row(at, next, part.len())?;
        }
        Ok(Some(columns))
    }

    fn row_end(&self, block: &[u8], from: usize) -> usize {
        // An end of a line inside of quotes is text.
        let mut is_quoted = memchr_iter(b'"', &block[..from - 1]).count() % 2 == 1;
        let mut at = from - 1;
        while let Some(length) = memchr2(b'"', b'\n', &block[at..]) {
            at += length + 1;
            match block[at - 1] == b'"' {
                true => is_quoted = !is_quoted,
                false if is_quoted => {}
                false => return at,
            }
        }
        block.len()
    }

    fn last_end(&self, block: &[u8]) -> usize {
        let mut is_quoted = memchr_iter(b'"', block).count() % 2 == 1;
        let mut rest = block;
        while let Some(at) = memrchr2(b'"', b'\n', rest) {
            match rest[at] == b'"' {
                true => is_quoted = !is_quoted,
                false if is_quoted => {}
                false => return at + 1,
            }
            rest = &rest[..at];
        }
        0
    }
}

impl Separated {
    /// Reads a row, and says where the next one begins; nothing where Python has to read it.
    fn row(
        &self,
        part: &[u8],
        mut at: usize,
        columns: &mut Columns,
        scratch: &mut Vec<u8>,
    ) -> Result<Option<usize>, Lack> {
        for (number, need) in self.needs.iter().enumerate() {
            let Some(cell) = self.cell(part, at) else { return Ok(None) };
            if cell.is_last != (number + 1 == self.needs.len()) || !keep(&cell, *need, columns, scratch)? {
                return Ok(None);
            }
            at = cell.next;
        }
        Ok(Some(at))
    }

    #[inline]
    fn cell<'a>(&self, part: &'a [u8], at: usize) -> Option<Cell<'a>> {
        if part.get(at) == Some(&b'"') {
            return self.quoted(part, at + 1);
        }
        let rest = part.get(at..)?;
        let end = memchr3(self.separator, b'\n', b'"', rest).unwrap_or(rest.len());
        match rest.get(end) {
            Some(b'"') => None,
            Some(b'\n') => {
                let text = rest[..end].strip_suffix(b"\r").unwrap_or(&rest[..end]);
                Some(Cell { text, is_doubled: false, next: at + end + 1, is_last: true })
            }
            Some(_) => {
                Some(Cell { text: &rest[..end], is_doubled: false, next: at + end + 1, is_last: false })
            }
            None => Some(Cell { text: rest, is_doubled: false, next: part.len(), is_last: true }),
        }
    }

    /// A cell whose first quote is read.
    fn quoted<'a>(&self, part: &'a [u8], start: usize) -> Option<Cell<'a>> {
        let (mut end, mut is_doubled) = (start, false);
        loop {
            end += memchr(b'"', part.get(end..)?)?;
            if part.get(end + 1) != Some(&b'"') {
                break;
            }
            is_doubled = true;
            end += 2;
        }
        let text = &part[start..end];
        match &part[end + 1..] {
            [] => Some(Cell { text, is_doubled, next: part.len(), is_last: true }),
            [b'\n', ..] => Some(Cell { text, is_doubled, next: end + 2, is_last: true }),
            [b'\r', b'\n', ..] => Some(Cell { text, is_doubled, next: end + 3, is_last: true }),
            [byte, ..] if *byte == self.separator => {
                Some(Cell { text, is_doubled, next: end + 2, is_last: false })
            }
            _ => None,
        }
    }
}

/// Keeps a cell if it is needed; false where Python has to read it.
#[inline]
fn keep(cell: &Cell<'_>, need: Need, columns: &mut Columns, scratch: &mut Vec<u8>) -> Result<bool, Lack> {
    match need {
        Need::Nothing => Ok(true),
        // An empty cell is an error, and a CR at the end of one is read in several ways.
        _ if cell.text.is_empty() || cell.text.ends_with(b"\r") => Ok(false),
        Need::Number(column) => match plain_number(cell.text) {
            Some(number) => columns.add_number(column, number),
            None => Ok(false),
        },
        // Whatever wrote such an id did not write text like this.
        Need::Text(_) if cell.text.starts_with(BYTE_ORDER_MARK) => Ok(false),
        Need::Text(column) if cell.is_doubled => {
            scratch.clear();
            let mut rest = cell.text;
            while let Some(end) = memchr(b'"', rest) {
                scratch.add_all(&rest[..=end])?;
                rest = rest.get(end + 2..).unwrap_or_default();
            }
            scratch.add_all(rest)?;
            columns.add_text(column, scratch)
        }
        Need::Text(column) => columns.add_text(column, cell.text),
    }
}

/// A number in digits, with a point and an exponent or without, that everyone reads alike.
#[inline]
fn plain_number(text: &[u8]) -> Option<f64> {
    let mut cursor = Cursor::new(text);
    let number = cursor.number().filter(|_| cursor.at == text.len())?;
    Some(match number {
        Number::Float(number) => number,
        // JSON has no negative zero without a point.
        Number::Whole(0) if text[0] == b'-' => -0.0,
        Number::Whole(number) => number as f64,
    })
}
