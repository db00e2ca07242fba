//! The fast path for a ranking that is a plain dict of scores, and what reads dicts and lists beneath the others. The one
//! place that walks Python memory by hand.

use super::unless_wrong;
use super::work::MANY_ROWS;
use crate::memory::{Grow, Lack};
use crate::rank::options::Options;
use crate::rank::ranker::{Ranker, Rankers};
use crate::rank::rows::{Span, Spans};
use crate::rank::tops::least;
use pyo3::ffi;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyFloat, PyInt, PyList, PyString};
use std::cmp::Ordering;
use std::ptr::{null, null_mut};

/// Ranks a query's judged documents in a dict of scores. Of its other keys, it looks only at those that tie with them.
///
/// Each judged document is looked up in the dict; the scores are then counted against those found. False if the dict
/// needs the slow path: an id that is not a plain string, ties of many, or an option that needs every id.
pub fn rank_dict(
    rankers: &mut Rankers<'_>,
    query: u32,
    dict: &Bound<'_, PyDict>,
    scratch: &mut Scratch,
) -> PyResult<bool> {
    for number in 0..rankers.each.len() {
        if !rank_once(&mut rankers.each[number], query, dict, scratch)? {
            // All options rank a query on the same path, so that their queries stand in the same order.
            rankers.each[..number].iter_mut().for_each(Ranker::undo);
            return Ok(false);
        }
    }
    Ok(true)
}

fn rank_once(
    ranker: &mut Ranker<'_>,
    query: u32,
    dict: &Bound<'_, PyDict>,
    scratch: &mut Scratch,
) -> PyResult<bool> {
    let needs_ids = ranker.options.given
        || ranker.options.exclude_query
        || ranker.options.foreign
        || ranker.options.chunks.is_some();
    // The spread is that of the scores as they are given; here they are kept as they are compared.
    let needs_scores = ranker.options.single && ranker.options.spread;
    // A large ranking is ranked on another thread, beside which Ctrl-C is noticed.
    let is_large = dict.len() > MANY_ROWS;
    if needs_ids || needs_scores || is_large || !scratch.read_scores(dict, &ranker.options)? {
        return Ok(false);
    }
    // The slow path refuses the empty id, and what is not Unicode.
    if !scratch.read_firsts(dict, &ranker.options)? || dict.contains("")? {
        return Ok(false);
    }
    scratch.found.clear();
    let index = ranker.index;
    for document in index.starts[query as usize]..index.starts[query as usize + 1] {
        let Ok(id) = std::str::from_utf8(index.document(document)) else { return Ok(false) };
        if let Some(score) = dict.get_item(id)? {
            scratch.found.add((document as u32, ranker.options.score(score.extract()?)))?;
        }
    }
    let Scratch { scores, positions, found, tied, firsts } = scratch;
    let (scores, positions) = (&*scores, &*positions);
    let is_ranked =
        ranker.rank_known(query, found, scores, move |levels| tied.read(dict, scores, positions, levels))?;
    if is_ranked {
        ranker.judged.tops.add(query, &firsts.spans(), Some(&firsts.scores), &ranker.options)?;
    }
    Ok(is_ranked)
}

/// Buffers that are used again for each query.
#[derive(Debug, Default)]
pub struct Scratch {
    scores: Vec<f64>,
    /// Where the entries of the scores are found again, those of `AHEAD` scores at a time.
    positions: Vec<ffi::Py_ssize_t>,
    found: Vec<(u32, f64)>,
    /// The documents that tie with a judged one.
    tied: Chosen,
    /// The documents that may be among the first, where these are asked for.
    firsts: Chosen,
}

/// Some documents of a dict, with their scores.
#[derive(Debug, Default)]
struct Chosen {
    text: Vec<u8>,
    documents: Vec<Span>,
    scores: Vec<f64>,
    /// The entry of the dict that is read next, and where it is.
    place: usize,
    position: ffi::Py_ssize_t,
}

/// Where so many of the documents tie with judged ones, the slow path is faster: part of it runs on another thread.
const MOST_TIED: usize = 4;

impl Chosen {
    fn clear(&mut self) {
        self.text.clear();
        self.documents.clear();
        self.scores.clear();
        (self.place, self.position) = (0, 0);
    }

    fn spans(&self) -> Spans<'_> {
        Spans { text: &self.text, spans: &self.documents }
    }

    /// Reads the documents with one of the scores in `levels`; nothing if they are many or one is not Unicode.
    fn read<'a>(
        &'a mut self,
        dict: &Bound<'_, PyDict>,
        scores: &[f64],
        positions: &[ffi::Py_ssize_t],
        levels: &[f64],
    ) -> PyResult<Option<(Spans<'a>, &'a [f64])>> {
        self.clear();
        let (Some(&lowest), Some(&highest)) = (levels.first(), levels.last()) else { return Ok(None) };
        for (place, &score) in scores.iter().enumerate() {
            if score < lowest
                || score > highest
                || levels.binary_search_by(|level| compare(*level, score)).is_err()
            {
                continue;
            }
            if MOST_TIED * self.scores.len() > scores.len() || !self.add(dict, positions, place, score)? {
                return Ok(None);
            }
        }
        Ok(Some((Spans { text: &self.text, spans: &self.documents }, &self.scores)))
    }

    /// Adds the document of an entry; false if it is not Unicode.
    fn add(
        &mut self,
        dict: &Bound<'_, PyDict>,
        positions: &[ffi::Py_ssize_t],
        place: usize,
        score: f64,
    ) -> PyResult<bool> {
        // Entries follow each other; whole stretches of others are left out.
        if place / AHEAD > self.place / AHEAD {
            let Some(&position) = positions.get(place / AHEAD) else { return Ok(false) };
            (self.place, self.position) = (place - place % AHEAD, position);
        }
        while self.place < place {
            skip_entry(dict, &mut self.position);
            self.place += 1;
        }
        let Some((key, _)) = next_entry(dict, &mut self.position) else { return Ok(false) };
        self.place += 1;
        let id = key.cast::<PyString>().map_err(PyErr::from).and_then(|key| key.to_str());
        let Some(id) = unless_wrong(dict.py(), id)? else { return Ok(false) };
        let start = self.text.len();
        self.text.add_all(id.as_bytes())?;
        self.documents.add(Span { start, end: self.text.len() })?;
        self.scores.add(score)?;
        Ok(true)
    }
}

/// The order of two scores, both finite: zeros are the same whatever their sign.
#[inline]
fn compare(one: f64, other: f64) -> Ordering {
    one.partial_cmp(&other).unwrap_or(Ordering::Equal)
}

impl Scratch {
    /// Reads the scores of a dict whose keys are strings and whose values are finite floats or integers; else false.
    fn read_scores(&mut self, dict: &Bound<'_, PyDict>, options: &Options) -> Result<bool, Lack> {
        self.scores.clear();
        self.scores.room(dict.len())?;
        self.positions.clear();
        self.positions.room(dict.len() / AHEAD + 1)?;
        let mut position: ffi::Py_ssize_t = 0;
        let mut entries = [(null_mut(), null_mut()); AHEAD];
        // SAFETY: the dict is alive and the GIL is held. The references are borrowed, some at a time, and no Python code
        // runs while they are used: only the types of exact strings, floats and integers pass, and reading those calls
        // nothing back. What fails ends the reading.
        unsafe {
            let string_type = &raw mut ffi::PyUnicode_Type;
            let float_type = &raw mut ffi::PyFloat_Type;
            loop {
                let mut count = 0;
                // There is room for as many as the dict has.
                self.positions.push(position);
                for (key, value) in &mut entries {
                    if ffi::PyDict_Next(dict.as_ptr(), &mut position, key, value) == 0 {
                        break;
                    }
                    // `PyDict_Next` touches the key, not the value.
                    fetch(*value);
                    count += 1;
                }
                for &(key, value) in &entries[..count] {
                    let is_float = ffi::Py_TYPE(value) == float_type;
                    if ffi::Py_TYPE(key) != string_type || !(is_float || ffi::PyLong_CheckExact(value) != 0) {
                        return Ok(false);
                    }
                    let score =
                        if is_float { ffi::PyFloat_AsDouble(value) } else { ffi::PyLong_AsDouble(value) };
                    // An integer too large for a float has made an exception, which may have run Python code: the
                    // other references are not looked at any more. The slow path reports it.
                    if score == -1.0 && !ffi::PyErr_Occurred().is_null() {
                        ffi::PyErr_Clear();
                        return Ok(false);
                    }
                    self.scores.push(score);
                }
                if count < AHEAD {
                    break;
                }
            }
        }
        let is_finite = self.scores.iter().fold(true, |all, score| all & score.is_finite());
        if options.single {
            self.scores.iter_mut().for_each(|score| *score = options.score(*score));
        }
        Ok(is_finite)
    }

    /// Reads the ids whose scores are high enough for the first documents, if these are asked for; false if one is not
    /// Unicode. The scores have just been read.
    fn read_firsts(&mut self, dict: &Bound<'_, PyDict>, options: &Options) -> PyResult<bool> {
        self.firsts.clear();
        if options.top == 0 {
            return Ok(true);
        }
        let least = least(&self.scores, options.top as usize)?;
        for (place, &score) in self.scores.iter().enumerate() {
            if score >= least && !self.firsts.add(dict, &self.positions, place, score)? {
                return Ok(false);
            }
        }
        Ok(true)
    }
}

/// Entries of a dict that are asked for at once, so that the memory of one is fetched while others are read.
const AHEAD: usize = 32;

/// Has the memory of an object fetched into the cache.
#[inline]
fn fetch(object: *mut ffi::PyObject) {
    #[cfg(target_arch = "x86_64")]
    // SAFETY: every processor of this kind has the instruction, and it may be given any address.
    unsafe {
        use std::arch::x86_64::{_MM_HINT_T0, _mm_prefetch};
        _mm_prefetch::<_MM_HINT_T0>(object.cast());
    }
    #[cfg(not(target_arch = "x86_64"))]
    let _ = object;
}

/// Whether no Python code can run while an entry is read: the key is a string or an integer, the value a number.
pub fn is_inert(key: &Bound<'_, PyAny>, value: &Bound<'_, PyAny>) -> bool {
    (key.is_exact_instance_of::<PyString>() || key.is_exact_instance_of::<PyInt>())
        && (value.is_exact_instance_of::<PyFloat>() || value.is_exact_instance_of::<PyInt>())
}

/// The entry of a dict that follows a position, which is moved on; nothing at the end.
pub fn next_entry<'py>(
    dict: &Bound<'py, PyDict>,
    position: &mut ffi::Py_ssize_t,
) -> Option<(Bound<'py, PyAny>, Bound<'py, PyAny>)> {
    let mut key: *mut ffi::PyObject = std::ptr::null_mut();
    let mut value: *mut ffi::PyObject = std::ptr::null_mut();
    // SAFETY: the dict is alive and the GIL is held; the position is checked against the dict as it is. The borrowed
    // references are counted before anything else runs.
    unsafe {
        (ffi::PyDict_Next(dict.as_ptr(), position, &mut key, &mut value) != 0)
            .then(|| (Bound::from_borrowed_ptr(dict.py(), key), Bound::from_borrowed_ptr(dict.py(), value)))
    }
}

/// Moves a position in a dict on by one entry.
fn skip_entry(dict: &Bound<'_, PyDict>, position: &mut ffi::Py_ssize_t) {
    // SAFETY: the dict is alive and the GIL is held; the position is checked against the dict as it is.
    unsafe { ffi::PyDict_Next(dict.as_ptr(), position, null_mut(), null_mut()) };
}

/// Calls `act` with the element of a list at that place if it is a string that is not empty. It must not run Python code.
pub fn with_string<T>(
    list: &Bound<'_, PyList>,
    position: usize,
    act: impl FnOnce(&[u8]) -> T,
) -> PyResult<Option<T>> {
    // SAFETY: the list is alive and the GIL is held; the position is checked against the list as it is. The reference is
    // borrowed, and so are the bytes, which a string keeps as long as it lives: nothing runs that could free it before
    // `act` is done.
    unsafe {
        let element = ffi::PyList_GetItem(list.as_ptr(), position as ffi::Py_ssize_t);
        let mut length = 0;
        let text = match element.is_null() || ffi::PyUnicode_CheckExact(element) == 0 {
            true => null(),
            false => ffi::PyUnicode_AsUTF8AndSize(element, &mut length),
        };
        if text.is_null() {
            return unless_wrong(list.py(), PyErr::take(list.py()).map_or(Ok(()), Err)).map(|_| None);
        }
        let id = std::slice::from_raw_parts(text.cast::<u8>(), length as usize);
        Ok((!id.is_empty()).then(|| act(id)))
    }
}

/// Calls `act` with the document and the score of the pair at that place of a list, if it is a tuple or a list of a string
/// that is not empty and a finite float or integer. It must not run Python code.
pub fn with_pair<T>(
    list: &Bound<'_, PyList>,
    position: usize,
    act: impl FnOnce(&[u8], f64) -> T,
) -> PyResult<Option<T>> {
    // SAFETY: the list is alive and the GIL is held; the position is checked against the list as it is. The references are
    // borrowed, and so are the bytes, which a string keeps as long as it lives: nothing runs that could free them before
    // `act` is done, as only exact types are read. What fails has made an exception, and ends the reading.
    unsafe {
        let pair = ffi::PyList_GetItem(list.as_ptr(), position as ffi::Py_ssize_t);
        if !pair.is_null()
            && let Some((document, score)) = halves(pair)
            && ffi::PyUnicode_CheckExact(document) != 0
            && let Some(score) = finite(score)
        {
            let mut length = 0;
            let text = ffi::PyUnicode_AsUTF8AndSize(document, &mut length);
            if !text.is_null() {
                let id = std::slice::from_raw_parts(text.cast::<u8>(), length as usize);
                return Ok((!id.is_empty()).then(|| act(id, score)));
            }
        }
    }
    unless_wrong(list.py(), PyErr::take(list.py()).map_or(Ok(()), Err)).map(|_| None)
}

/// The two elements of a pair.
///
/// # Safety
/// The object is alive and the GIL is held. The references are borrowed from it.
unsafe fn halves(pair: *mut ffi::PyObject) -> Option<(*mut ffi::PyObject, *mut ffi::PyObject)> {
    // SAFETY: as above; the functions are called on the types that they are for, with places that are there.
    unsafe {
        if ffi::PyTuple_CheckExact(pair) != 0 && ffi::PyTuple_Size(pair) == 2 {
            return Some((ffi::PyTuple_GetItem(pair, 0), ffi::PyTuple_GetItem(pair, 1)));
        }
        if ffi::PyList_CheckExact(pair) != 0 && ffi::PyList_Size(pair) == 2 {
            return Some((ffi::PyList_GetItem(pair, 0), ffi::PyList_GetItem(pair, 1)));
        }
    }
    None
}

/// A finite float or integer as a float. An integer that is too large leaves an exception.
///
/// # Safety
/// The object is alive and the GIL is held.
unsafe fn finite(number: *mut ffi::PyObject) -> Option<f64> {
    // SAFETY: as above; the functions are called on the types that they are for.
    let value = unsafe {
        if ffi::PyFloat_CheckExact(number) != 0 {
            ffi::PyFloat_AsDouble(number)
        } else if ffi::PyLong_CheckExact(number) != 0 {
            let value = ffi::PyLong_AsDouble(number);
            if value == -1.0 && !ffi::PyErr_Occurred().is_null() {
                return None;
            }
            value
        } else {
            return None;
        }
    };
    value.is_finite().then_some(value)
}
