//! Rows of CSV and TSV: cells between separators, in quotes or not.

use super::{Columns, Form, Need};
use crate::memory::{Grow, Lack};
use memchr::{memchr, memchr_iter, memchr2, memchr3};

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
        let mut columns = Columns::new(&self.needs)?;
        let (mut at, mut scratch) = (0, Vec::new());
        while at < part.len() {
            let Some(next) = self.row(part, at, &mut columns, &mut scratch)? else { return Ok(None) };
            columns.count += 1;
            at = next;
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
        Need::Number(column) => match is_plain_number(cell.text) {
            true => {
                fast_float2::parse(cell.text).map_or(Ok(false), |number| columns.add_number(column, number))
            }
            false => Ok(false),
        },
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

/// Whether a text is a number in digits, with a point and an exponent or without, that everyone reads alike.
#[inline]
fn is_plain_number(text: &[u8]) -> bool {
    let digits = |text: &[u8]| text.iter().take_while(|byte| byte.is_ascii_digit()).count();
    let text = text.strip_prefix(b"-").unwrap_or(text);
    let whole = digits(text);
    let mut rest = &text[whole..];
    if let Some(fraction) = rest.strip_prefix(b".") {
        let count = digits(fraction);
        if count == 0 {
            return false;
        }
        rest = &fraction[count..];
    }
    if let [b'e' | b'E', power @ ..] = rest {
        let power = power.strip_prefix(b"-").or_else(|| power.strip_prefix(b"+")).unwrap_or(power);
        return whole > 0 && !power.is_empty() && digits(power) == power.len();
    }
    whole > 0 && rest.is_empty()
}
