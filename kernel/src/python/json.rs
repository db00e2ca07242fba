//! JSON as Python objects, for the common case. What is rare or wrong is left to Python's reader, which has the words for it:
//! repeated keys, lone surrogates, large integers, NaN, deep nesting, and whatever is not JSON.

use super::string;
use crate::memory::Grow;
use crate::read::json::{Cursor, DEEPEST, Number};
use foldhash::fast::RandomState;
use pyo3::prelude::*;
use pyo3::types::{PyBool, PyBytes, PyDict, PyFloat, PyInt, PyList, PyString};
use std::hash::BuildHasher;

/// Keys that are kept for the next object.
const MOST_KEYS: usize = 64;
const LONGEST_KEY: usize = 64;

/// Strings that are kept for the next equal one, and the length up to which they are short.
const PLACES: usize = 1 << 15;
const SHORT: usize = 32;

/// The value on each line; nothing where Python has to read it. Equal strings are one object as far as they are `shared`.
#[pyfunction]
#[pyo3(signature = (lines, shared=None))]
pub fn decode_json_lines<'py>(
    lines: &Bound<'py, PyList>,
    mut shared: Option<PyRefMut<'py, SharedStrings>>,
) -> PyResult<Bound<'py, PyList>> {
    let py = lines.py();
    let found = PyList::empty(py);
    let mut keys = Keys::default();
    for line in lines.iter() {
        let line = line.cast::<PyBytes>()?.as_bytes();
        let value = match simdutf8::basic::from_utf8(line) {
            Ok(_) => {
                let shared = shared.as_deref_mut();
                Reader { py, cursor: Cursor::new(line), keys: &mut keys, shared, values: Vec::new() }
                    .whole()?
            }
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

/// Strings that were read before: ids and texts that are in many records are held only once.
#[derive(Default)]
#[pyclass(name = "SharedStrings", module = "assay._kernel")]
pub struct SharedStrings {
    /// Short ones do not take the places of long ones.
    short: Places,
    long: Places,
    state: RandomState,
}

#[pymethods]
impl SharedStrings {
    #[new]
    fn new() -> Self {
        Self::default()
    }
}

impl SharedStrings {
    fn get<'py>(&mut self, py: Python<'py>, text: &[u8]) -> PyResult<Bound<'py, PyString>> {
        let places = if text.len() <= SHORT { &mut self.short } else { &mut self.long };
        if places.is_given_up() {
            return string(py, text);
        }
        places.get(py, text, self.state.hash_one(text))
    }
}

/// Strings by their hash. The last one of a place keeps it.
#[derive(Default)]
struct Places {
    strings: Vec<Option<(u64, Py<PyString>)>>,
    asked: usize,
    found: usize,
}

impl Places {
    /// Whether so few strings were read before that it is not worth the time.
    #[inline]
    fn is_given_up(&self) -> bool {
        self.asked >= PLACES && self.found < self.asked / 8
    }

    fn get<'py>(&mut self, py: Python<'py>, text: &[u8], hash: u64) -> PyResult<Bound<'py, PyString>> {
        if self.strings.is_empty() {
            self.strings.add_each(std::iter::repeat_with(|| None).take(PLACES))?;
        }
        self.asked += 1;
        let place = &mut self.strings[hash as usize % PLACES];
        let known = place.as_ref().filter(|(code, _)| *code == hash).map(|(_, known)| known.bind(py));
        // Python would keep the UTF-8 of what is not ASCII beside it.
        let new = if text.is_ascii() { None } else { Some(string(py, text)?) };
        if let Some(known) = known
            && match &new {
                None => known.to_str()?.as_bytes() == text,
                Some(new) => known.as_any().eq(new)?,
            }
        {
            self.found += 1;
            return Ok(known.clone());
        }
        let new = new.map_or_else(|| string(py, text), Ok)?;
        *place = Some((hash, new.clone().unbind()));
        Ok(new)
    }
}

struct Reader<'a, 'py> {
    py: Python<'py>,
    cursor: Cursor<'a>,
    keys: &'a mut Keys<'py>,
    shared: Option<&'a mut SharedStrings>,
    /// Those of lists that have not ended.
    values: Vec<Bound<'py, PyAny>>,
}

/// A value, or nothing where Python has to read it.
type Found<'py, T = Bound<'py, PyAny>> = PyResult<Option<T>>;

impl<'py> Reader<'_, 'py> {
    fn whole(&mut self) -> Found<'py> {
        let value = self.value(0)?;
        Ok(value.filter(|_| self.cursor.is_at_end()))
    }

    fn value(&mut self, depth: usize) -> Found<'py> {
        self.cursor.skip_blanks();
        if depth > DEEPEST {
            return Ok(None);
        }
        let py = self.py;
        match self.cursor.peek() {
            Some(b'"') => Ok(self.string()?.map(Bound::into_any)),
            Some(b'{') => self.object(depth),
            Some(b'[') => self.list(depth),
            Some(b'-' | b'0'..=b'9') => Ok(self.number()),
            Some(b't') => Ok(self.cursor.word(b"true").then(|| PyBool::new(py, true).to_owned().into_any())),
            Some(b'f') => {
                Ok(self.cursor.word(b"false").then(|| PyBool::new(py, false).to_owned().into_any()))
            }
            Some(b'n') => Ok(self.cursor.word(b"null").then(|| py.None().into_bound(py))),
            _ => Ok(None),
        }
    }

    fn object(&mut self, depth: usize) -> Found<'py> {
        self.cursor.at += 1;
        let dict = PyDict::new(self.py);
        let mut count = 0;
        if self.cursor.take(b'}') {
            return Ok(Some(dict.into_any()));
        }
        loop {
            self.cursor.skip_blanks();
            let Some(key) = self.key()? else { return Ok(None) };
            if !self.cursor.take(b':') {
                return Ok(None);
            }
            let Some(value) = self.value(depth + 1)? else { return Ok(None) };
            dict.set_item(key, value)?;
            count += 1;
            if self.cursor.take(b',') {
                continue;
            }
            let is_whole = self.cursor.take(b'}') && dict.len() == count;
            return Ok(is_whole.then(|| dict.into_any()));
        }
    }

    fn list(&mut self, depth: usize) -> Found<'py> {
        self.cursor.at += 1;
        if self.cursor.take(b']') {
            return Ok(Some(PyList::empty(self.py).into_any()));
        }
        // A list that is made of known values takes no more memory than it needs.
        let start = self.values.len();
        while let Some(value) = self.value(depth + 1)? {
            self.values.add(value)?;
            if self.cursor.take(b',') {
                continue;
            }
            if !self.cursor.take(b']') {
                break;
            }
            return Ok(Some(PyList::new(self.py, self.values.drain(start..))?.into_any()));
        }
        Ok(None)
    }

    fn key(&mut self) -> Found<'py, Bound<'py, PyString>> {
        match self.cursor.plain_string() {
            Some(key) => self.keys.get(self.py, key).map(Some),
            None => self.string(),
        }
    }

    fn string(&mut self) -> Found<'py, Bound<'py, PyString>> {
        let text = self.cursor.string()?;
        text.map(|text| match &mut self.shared {
            Some(shared) => shared.get(self.py, text),
            None => string(self.py, text),
        })
        .transpose()
    }

    fn number(&mut self) -> Option<Bound<'py, PyAny>> {
        Some(match self.cursor.number()? {
            Number::Whole(whole) => PyInt::new(self.py, whole).into_any(),
            Number::Float(float) => PyFloat::new(self.py, float).into_any(),
        })
    }
}
