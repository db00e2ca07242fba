//! Rows of JSON Lines: one object per line, whose keys are known.

use super::{Columns, Form, Need};
use crate::memory::Lack;
use crate::read::json::{Cursor, Number};
use memchr::{memchr, memrchr};
use std::io::Write;

/// So many keys fit in the bits that say which of them were seen.
pub const MOST_KEYS: usize = 128;

/// How the rows of a file are read.
#[derive(Debug)]
pub struct JsonLines {
    /// Every key that a row may have, in the order of the first row, and what it is needed for.
    pub keys: Vec<(Vec<u8>, Need)>,
    /// Bytes of the longest line, its end included.
    pub longest: usize,
}

impl Form for JsonLines {
    fn decode(&self, part: &[u8]) -> Result<Option<Columns>, Lack> {
        // Keys are compared as they are written.
        let is_plain = |key: &[u8]| !key.iter().any(|byte| matches!(byte, 0..b' ' | b'"' | b'\\'));
        if self.keys.len() > MOST_KEYS || !self.keys.iter().all(|(key, _)| is_plain(key)) {
            return Ok(None);
        }
        let mut needs = Vec::new();
        needs.extend(self.keys.iter().map(|(_, need)| *need));
        let mut columns = Columns::new(&needs)?;
        let needed = bits(&needs);
        let mut cursor = Cursor::new(&[]);
        let mut start = 0;
        while start < part.len() {
            let end = memchr(b'\n', &part[start..]).map_or(part.len(), |length| start + length + 1);
            cursor.turn_to(&part[start..end]);
            if end - start > self.longest || !self.row(&mut cursor, &mut columns, needed)? {
                return Ok(None);
            }
            start = columns.end_row(start, end, part.len())?;
        }
        Ok(Some(columns))
    }

    fn row_end(&self, block: &[u8], from: usize) -> usize {
        // The byte before may end a row.
        memchr(b'\n', &block[from - 1..]).map_or(block.len(), |length| from + length)
    }

    fn last_end(&self, block: &[u8]) -> usize {
        memrchr(b'\n', block).map_or(0, |at| at + 1)
    }
}

impl JsonLines {
    /// Reads a row; false where Python has to.
    fn row(&self, cursor: &mut Cursor<'_>, columns: &mut Columns, needed: u128) -> Result<bool, Lack> {
        if !cursor.take(b'{') {
            return Ok(false);
        }
        let (mut seen, mut next) = (0u128, 0);
        loop {
            cursor.skip_blanks();
            let Some(place) = self.key(cursor, next) else { return Ok(false) };
            let bit = 1 << place;
            if seen & bit != 0 || !cursor.take(b':') || !self.value(place, cursor, columns)? {
                return Ok(false);
            }
            (seen, next) = (seen | bit, place + 1);
            if !cursor.take(b',') {
                break;
            }
        }
        Ok(cursor.take(b'}') && cursor.is_at_end() && seen & needed == needed)
    }

    /// The place of the key that follows, which is often the next one.
    #[inline]
    fn key(&self, cursor: &mut Cursor<'_>, next: usize) -> Option<usize> {
        let rest = &cursor.text[cursor.at..];
        if let Some((known, _)) = self.keys.get(next)
            && rest.first() == Some(&b'"')
            && rest[1..].starts_with(known)
            && rest.get(known.len() + 1) == Some(&b'"')
        {
            cursor.at += known.len() + 2;
            return Some(next);
        }
        let key = cursor.plain_string()?;
        self.keys.iter().position(|(known, _)| known == key)
    }

    #[inline]
    fn value(&self, place: usize, cursor: &mut Cursor<'_>, columns: &mut Columns) -> Result<bool, Lack> {
        match self.keys[place].1 {
            Need::Nothing => cursor.skip(0),
            Need::Number(column) => {
                cursor.skip_blanks();
                match cursor.number() {
                    Some(Number::Float(number)) => columns.add_number(column, number),
                    Some(Number::Whole(number)) => columns.add_number(column, number as f64),
                    None => Ok(false),
                }
            }
            Need::Text(column) => {
                cursor.skip_blanks();
                if cursor.peek() == Some(b'"') {
                    return match cursor.string()? {
                        Some(id) => columns.add_text(column, id),
                        None => Ok(false),
                    };
                }
                match cursor.number() {
                    Some(Number::Whole(number)) => columns.add_text(column, digits(number, &mut [0; 20])),
                    _ => Ok(false),
                }
            }
        }
    }
}

/// A bit for each key that a row must have.
fn bits(needs: &[Need]) -> u128 {
    let needed = needs.iter().enumerate().filter(|(_, need)| **need != Need::Nothing);
    needed.fold(0, |all, (place, _)| all | 1 << place)
}

/// A whole number as text.
fn digits(number: i64, place: &mut [u8; 20]) -> &[u8] {
    let mut rest = &mut place[..];
    // No number of 64 bits is longer.
    let written = write!(rest, "{number}").map_or(0, |()| 20 - rest.len());
    &place[..written]
}
