//! What JSON is made of: strings, numbers and blanks, as strict as Python reads them. What is rare is left to Python's
//! reader: lone surrogates and large integers.

use crate::memory::{Grow, Lack};
use memchr::memchr2;

/// Lists and objects inside of each other.
pub const DEEPEST: usize = 64;
/// An integer of so many digits fits in 64 bits.
const MOST_DIGITS: usize = 18;
/// The keys of an object inside of a value that is skipped; more are left to Python.
const MOST_KEYS: usize = 16;

/// A number of so many digits is a float as it is.
const EXACT_DIGITS: usize = 15;
const TENS: [f64; EXACT_DIGITS + 1] =
    [1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15];
/// The end of a string is looked for in so many bytes, eight at a time, before those behind are searched.
const NEAR: usize = 32;

/// The high bits of the bytes that are a quote, a backslash or a control character; above the lowest of these some others.
#[inline]
fn special_bytes(word: u64) -> u64 {
    const ONES: u64 = 0x0101_0101_0101_0101;
    let below = |word: u64, least: u8| word.wrapping_sub(ONES * u64::from(least)) & !word;
    let same = |byte: u8| below(word ^ (ONES * u64::from(byte)), 1);
    (below(word, b' ') | same(b'"') | same(b'\\')) & (0x80 * ONES)
}

/// A number as Python makes it: with a point or an exponent it is a float.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Number {
    Whole(i64),
    Float(f64),
}

/// A place in a text that is read from left to right.
#[derive(Debug)]
pub struct Cursor<'a> {
    /// UTF-8.
    pub text: &'a [u8],
    pub at: usize,
    /// The string read last, where it has escapes.
    scratch: Vec<u8>,
}

impl<'a> Cursor<'a> {
    pub fn new(text: &'a [u8]) -> Self {
        Self { text, at: 0, scratch: Vec::new() }
    }

    /// Another text.
    pub fn turn_to(&mut self, text: &'a [u8]) {
        (self.text, self.at) = (text, 0);
    }

    #[inline]
    pub fn peek(&self) -> Option<u8> {
        self.text.get(self.at).copied()
    }

    #[inline]
    pub fn skip_blanks(&mut self) {
        while matches!(self.peek(), Some(b' ' | b'\t' | b'\n' | b'\r')) {
            self.at += 1;
        }
    }

    /// Whether the byte follows, which is then read.
    #[inline]
    pub fn take(&mut self, byte: u8) -> bool {
        self.skip_blanks();
        let is_there = self.peek() == Some(byte);
        self.at += usize::from(is_there);
        is_there
    }

    /// Whether nothing but blanks follows.
    pub fn is_at_end(&mut self) -> bool {
        self.skip_blanks();
        self.at == self.text.len()
    }

    pub fn word(&mut self, word: &[u8]) -> bool {
        let is_there = self.text.get(self.at..).is_some_and(|rest| rest.starts_with(word));
        self.at += word.len();
        is_there
    }

    /// The first byte from there on that ends a string or is not as it is written. Most strings are short.
    #[inline]
    fn plain_end(&self, start: usize) -> usize {
        let mut at = start;
        while at < start + NEAR
            && let Some(word) = self.text.get(at..).and_then(|rest| rest.first_chunk())
        {
            let special = special_bytes(u64::from_le_bytes(*word));
            if special != 0 {
                return at + special.trailing_zeros() as usize / 8;
            }
            at += 8;
        }
        self.far_end(at)
    }

    fn far_end(&self, start: usize) -> usize {
        let rest = self.text.get(start..).unwrap_or_default();
        let end = memchr2(b'"', b'\\', rest).unwrap_or(rest.len());
        // All bytes up to there are compared, which is faster than to stop at one.
        let is_plain = rest[..end].iter().fold(u8::MAX, |least, byte| least.min(*byte)) >= b' ';
        start + if is_plain { end } else { rest.iter().position(|byte| *byte < b' ').unwrap_or(end) }
    }

    /// A string without escapes, if one is here; else the cursor stays.
    #[inline]
    pub fn plain_string(&mut self) -> Option<&'a [u8]> {
        if self.peek() != Some(b'"') {
            return None;
        }
        let (start, end) = (self.at + 1, self.plain_end(self.at + 1));
        if self.text.get(end) != Some(&b'"') {
            return None;
        }
        self.at = end + 1;
        Some(&self.text[start..end])
    }

    /// A string; nothing where Python has to read it.
    #[inline]
    pub fn string(&mut self) -> Result<Option<&[u8]>, Lack> {
        match self.plain_string() {
            Some(plain) => Ok(Some(plain)),
            None => self.escaped_string(),
        }
    }

    fn escaped_string(&mut self) -> Result<Option<&[u8]>, Lack> {
        if self.peek() != Some(b'"') {
            return Ok(None);
        }
        self.scratch.clear();
        self.at += 1;
        loop {
            let end = self.plain_end(self.at);
            self.scratch.add_all(&self.text[self.at..end])?;
            self.at = end + 1;
            match self.text.get(end) {
                Some(b'"') => return Ok(Some(&self.scratch)),
                Some(b'\\') => {}
                _ => return Ok(None),
            }
            let Some(character) = self.escaped() else { return Ok(None) };
            self.scratch.add_all(character.encode_utf8(&mut [0; 4]).as_bytes())?;
        }
    }

    /// The character that an escape means, whose backslash is read.
    fn escaped(&mut self) -> Option<char> {
        self.at += 1;
        Some(match self.text.get(self.at - 1)? {
            b'"' => '"',
            b'\\' => '\\',
            b'/' => '/',
            b'b' => '\u{8}',
            b'f' => '\u{c}',
            b'n' => '\n',
            b'r' => '\r',
            b't' => '\t',
            b'u' => {
                let first = self.code()?;
                if !(0xD800..0xDC00).contains(&first) {
                    return char::from_u32(first);
                }
                let is_pair = self.text.get(self.at..self.at + 2) == Some(b"\\u");
                self.at += 2;
                let second = self.code().filter(|code| is_pair && (0xDC00..0xE000).contains(code))?;
                char::from_u32(0x10000 + ((first - 0xD800) << 10) + (second - 0xDC00))?
            }
            _ => return None,
        })
    }

    /// Four hexadecimal digits.
    fn code(&mut self) -> Option<u32> {
        let digits = self.text.get(self.at..self.at + 4)?;
        self.at += 4;
        digits.iter().try_fold(0, |code, digit| Some(code * 16 + char::from(*digit).to_digit(16)?))
    }

    /// Reads digits behind those of `number`, and how many they are; nothing is said of more than 64 bits.
    #[inline]
    fn digits(&mut self, number: &mut u64) -> usize {
        let start = self.at;
        while let Some(digit @ b'0'..=b'9') = self.peek() {
            *number = number.wrapping_mul(10).wrapping_add(u64::from(digit - b'0'));
            self.at += 1;
        }
        self.at - start
    }

    /// A number; nothing where Python has to read it.
    #[inline]
    pub fn number(&mut self) -> Option<Number> {
        let start = self.at;
        let is_negative = self.peek() == Some(b'-');
        self.at += usize::from(is_negative);
        let is_zero = self.peek() == Some(b'0');
        let mut number = 0;
        let whole = self.digits(&mut number);
        if whole == 0 || (is_zero && whole > 1) {
            return None;
        }
        if !matches!(self.peek(), Some(b'.' | b'e' | b'E')) {
            let signed = if is_negative { -(number as i64) } else { number as i64 };
            return (whole <= MOST_DIGITS).then_some(Number::Whole(signed));
        }
        let mut decimals = 0;
        if self.peek() == Some(b'.') {
            self.at += 1;
            decimals = self.digits(&mut number);
            if decimals == 0 {
                return None;
            }
        }
        let has_power = matches!(self.peek(), Some(b'e' | b'E'));
        if has_power {
            self.at += 1;
            self.at += usize::from(matches!(self.peek(), Some(b'+' | b'-')));
            if self.digits(&mut 0) == 0 {
                return None;
            }
        }
        if !has_power && whole + decimals <= EXACT_DIGITS {
            // Both are floats as they are, so that the quotient is the nearest float.
            let value = number as f64 / TENS[decimals];
            return Some(Number::Float(if is_negative { -value } else { value }));
        }
        fast_float2::parse(&self.text[start..self.at]).ok().map(Number::Float)
    }

    /// Reads a value that is not needed; false where Python has to.
    pub fn skip(&mut self, depth: usize) -> Result<bool, Lack> {
        self.skip_blanks();
        if depth > DEEPEST {
            return Ok(false);
        }
        match self.peek() {
            Some(b'"') => Ok(self.string()?.is_some()),
            Some(b'{') => self.skip_object(depth),
            Some(b'[') => self.skip_list(depth),
            Some(b't') => Ok(self.word(b"true")),
            Some(b'f') => Ok(self.word(b"false")),
            Some(b'n') => Ok(self.word(b"null")),
            _ => Ok(self.number().is_some()),
        }
    }

    fn skip_list(&mut self, depth: usize) -> Result<bool, Lack> {
        self.at += 1;
        if self.take(b']') {
            return Ok(true);
        }
        while self.skip(depth + 1)? {
            if !self.take(b',') {
                return Ok(self.take(b']'));
            }
        }
        Ok(false)
    }

    fn skip_object(&mut self, depth: usize) -> Result<bool, Lack> {
        self.at += 1;
        if self.take(b'}') {
            return Ok(true);
        }
        let mut keys: [&[u8]; MOST_KEYS] = [&[]; MOST_KEYS];
        for count in 0..MOST_KEYS {
            self.skip_blanks();
            let Some(key) = self.plain_string() else { return Ok(false) };
            if keys[..count].contains(&key) || !self.take(b':') || !self.skip(depth + 1)? {
                return Ok(false);
            }
            keys[count] = key;
            if !self.take(b',') {
                return Ok(self.take(b'}'));
            }
        }
        Ok(false)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn number(text: &str) -> Option<Number> {
        let mut cursor = Cursor::new(text.as_bytes());
        cursor.number().filter(|_| cursor.at == text.len())
    }

    #[test]
    fn numbers_are_those_of_json() {
        assert_eq!(number("-0"), Some(Number::Whole(0)));
        assert_eq!(number("123456789012345678"), Some(Number::Whole(123_456_789_012_345_678)));
        assert_eq!(number("1234567890123456789"), None);
        assert_eq!(number("0.1e-2"), Some(Number::Float(0.1e-2)));
        for float in [
            "0.1",
            "-0.0",
            "123456789.012345",
            "1234567890.123456",
            "0.30000000000000004",
            "5e-324",
            "-1.5E+3",
        ] {
            let Some(Number::Float(value)) = number(float) else { panic!("{float}") };
            assert_eq!(value.to_bits(), float.parse::<f64>().unwrap().to_bits(), "{float}");
        }
        for wrong in ["", "-", "01", "1.", ".5", "+1", "1e", "1e+", "NaN", "0x1", "1_0"] {
            assert_eq!(number(wrong), None, "{wrong}");
        }
    }

    #[test]
    fn a_string_ends_where_it_does_however_long_it_is() {
        for length in 0..100 {
            for (byte, is_end) in [(b'"', true), (b'\n', false), (0, false)] {
                let mut text = "é".repeat(length).into_bytes();
                text.insert(0, b'"');
                text.push(byte);
                text.extend_from_slice("é".repeat(9).as_bytes());
                let expected = is_end.then_some(&text[1..=2 * length]);
                assert_eq!(Cursor::new(&text).plain_string(), expected, "{length} {byte}");
            }
        }
    }
}
