//! JSON as Python objects, for the common case. What is rare or wrong is left to Python's reader, which has the words for it:
//! repeated keys, lone surrogates, large integers, NaN, deep nesting, and whatever is not JSON.

use super::string;
use crate::memory::Grow;
use memchr::memchr2;
use pyo3::prelude::*;
use pyo3::types::{PyBool, PyBytes, PyDict, PyFloat, PyInt, PyList, PyString};

/// Lists and objects inside of each other.
const DEEPEST: usize = 64;
/// An integer of so many digits fits in 64 bits.
const MOST_DIGITS: usize = 18;
/// Keys that are kept for the next object.
const MOST_KEYS: usize = 64;
const LONGEST_KEY: usize = 64;

/// The value on each line; nothing where Python has to read it.
#[pyfunction]
pub fn decode_json_lines<'py>(lines: &Bound<'py, PyList>) -> PyResult<Bound<'py, PyList>> {
    let py = lines.py();
    let found = PyList::empty(py);
    let mut keys = Keys::default();
    for line in lines.iter() {
        let line = line.cast::<PyBytes>()?.as_bytes();
        let value = match simdutf8::basic::from_utf8(line) {
            Ok(_) => Reader { py, text: line, at: 0, keys: &mut keys, scratch: Vec::new() }.whole()?,
            Err(_) => None,
        };
        found.append(value)?;
    }
    Ok(found)
}

/// The keys of objects, which are often those of the object before, in the same order.
#[derive(Default)]
struct Keys<'py> {
    known: Vec<(Vec<u8>, Bound<'py, PyString>)>,
    next: usize,
}

impl<'py> Keys<'py> {
    fn get(&mut self, py: Python<'py>, key: &[u8]) -> PyResult<Bound<'py, PyString>> {
        let count = self.known.len();
        for step in 0..count {
            let place = (self.next + step) % count;
            if self.known[place].0 == key {
                self.next = place + 1;
                return Ok(self.known[place].1.clone());
            }
        }
        let text = string(py, key)?;
        if count < MOST_KEYS && key.len() <= LONGEST_KEY {
            let mut bytes = Vec::new();
            bytes.add_all(key)?;
            self.known.add((bytes, text.clone()))?;
            self.next = count + 1;
        }
        Ok(text)
    }
}

struct Reader<'a, 'py> {
    py: Python<'py>,
    /// UTF-8.
    text: &'a [u8],
    at: usize,
    keys: &'a mut Keys<'py>,
    scratch: Vec<u8>,
}

/// A value, or nothing where Python has to read it.
type Found<'py, T = Bound<'py, PyAny>> = PyResult<Option<T>>;

impl<'py> Reader<'_, 'py> {
    fn whole(&mut self) -> Found<'py> {
        let value = self.value(0)?;
        self.skip_blanks();
        Ok(value.filter(|_| self.at == self.text.len()))
    }

    fn peek(&self) -> Option<u8> {
        self.text.get(self.at).copied()
    }

    fn skip_blanks(&mut self) {
        while matches!(self.peek(), Some(b' ' | b'\t' | b'\n' | b'\r')) {
            self.at += 1;
        }
    }

    fn take(&mut self, byte: u8) -> bool {
        self.skip_blanks();
        let is_there = self.peek() == Some(byte);
        self.at += usize::from(is_there);
        is_there
    }

    fn value(&mut self, depth: usize) -> Found<'py> {
        self.skip_blanks();
        if depth > DEEPEST {
            return Ok(None);
        }
        match self.peek() {
            Some(b'"') => Ok(self.string()?.map(Bound::into_any)),
            Some(b'{') => self.object(depth),
            Some(b'[') => self.list(depth),
            Some(b'-' | b'0'..=b'9') => self.number(),
            Some(b't') => Ok(self.word(b"true").then(|| PyBool::new(self.py, true).to_owned().into_any())),
            Some(b'f') => Ok(self.word(b"false").then(|| PyBool::new(self.py, false).to_owned().into_any())),
            Some(b'n') => Ok(self.word(b"null").then(|| self.py.None().into_bound(self.py))),
            _ => Ok(None),
        }
    }

    fn word(&mut self, word: &[u8]) -> bool {
        let is_there = self.text[self.at..].starts_with(word);
        self.at += word.len();
        is_there
    }

    fn object(&mut self, depth: usize) -> Found<'py> {
        self.at += 1;
        let dict = PyDict::new(self.py);
        let mut count = 0;
        if self.take(b'}') {
            return Ok(Some(dict.into_any()));
        }
        loop {
            self.skip_blanks();
            let Some(key) = self.key()? else { return Ok(None) };
            if !self.take(b':') {
                return Ok(None);
            }
            let Some(value) = self.value(depth + 1)? else { return Ok(None) };
            dict.set_item(key, value)?;
            count += 1;
            if self.take(b',') {
                continue;
            }
            let is_whole = self.take(b'}') && dict.len() == count;
            return Ok(is_whole.then(|| dict.into_any()));
        }
    }

    fn list(&mut self, depth: usize) -> Found<'py> {
        self.at += 1;
        let list = PyList::empty(self.py);
        if self.take(b']') {
            return Ok(Some(list.into_any()));
        }
        loop {
            let Some(value) = self.value(depth + 1)? else { return Ok(None) };
            list.append(value)?;
            if self.take(b',') {
                continue;
            }
            return Ok(self.take(b']').then(|| list.into_any()));
        }
    }

    fn key(&mut self) -> Found<'py, Bound<'py, PyString>> {
        if self.peek() != Some(b'"') {
            return Ok(None);
        }
        let (start, end) = (self.at + 1, self.plain_end(self.at + 1));
        if self.text.get(end) != Some(&b'"') {
            return self.string();
        }
        self.at = end + 1;
        self.keys.get(self.py, &self.text[start..end]).map(Some)
    }

    /// The first byte from there on that ends a string or is not as it is written.
    fn plain_end(&self, start: usize) -> usize {
        let rest = &self.text[start..];
        let end = memchr2(b'"', b'\\', rest).unwrap_or(rest.len());
        // All bytes up to there are compared, which is faster than to stop at one.
        let is_plain = rest[..end].iter().fold(u8::MAX, |least, byte| least.min(*byte)) >= b' ';
        start + if is_plain { end } else { rest.iter().position(|byte| *byte < b' ').unwrap_or(end) }
    }

    fn string(&mut self) -> Found<'py, Bound<'py, PyString>> {
        let (start, end) = (self.at + 1, self.plain_end(self.at + 1));
        if self.text.get(end) == Some(&b'"') {
            self.at = end + 1;
            return string(self.py, &self.text[start..end]).map(Some);
        }
        self.scratch.clear();
        self.at = start;
        loop {
            let end = self.plain_end(self.at);
            self.scratch.add_all(&self.text[self.at..end])?;
            self.at = end + 1;
            match self.text.get(end) {
                Some(b'"') => return string(self.py, &self.scratch).map(Some),
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

    fn digits(&mut self) -> usize {
        let start = self.at;
        while matches!(self.peek(), Some(b'0'..=b'9')) {
            self.at += 1;
        }
        self.at - start
    }

    fn number(&mut self) -> Found<'py> {
        let start = self.at;
        self.at += usize::from(self.peek() == Some(b'-'));
        let is_zero = self.peek() == Some(b'0');
        let whole = self.digits();
        if whole == 0 || (is_zero && whole > 1) {
            return Ok(None);
        }
        let mut is_float = false;
        if self.peek() == Some(b'.') {
            self.at += 1;
            is_float = true;
            if self.digits() == 0 {
                return Ok(None);
            }
        }
        if matches!(self.peek(), Some(b'e' | b'E')) {
            self.at += 1;
            is_float = true;
            self.at += usize::from(matches!(self.peek(), Some(b'+' | b'-')));
            if self.digits() == 0 {
                return Ok(None);
            }
        }
        let Ok(text) = std::str::from_utf8(&self.text[start..self.at]) else { return Ok(None) };
        if is_float {
            return Ok(text.parse().ok().map(|number| PyFloat::new(self.py, number).into_any()));
        }
        let number = text.parse::<i64>().ok().filter(|_| whole <= MOST_DIGITS);
        Ok(number.map(|number| PyInt::new(self.py, number).into_any()))
    }
}
