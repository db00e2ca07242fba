//! The fast path for a ranking that is a plain dict of scores. The one place that walks Python memory by hand.

use super::work::MANY_ROWS;
use crate::memory::{Grow, Lack};
use crate::options::Options;
use crate::rank::{Ranker, Rankers};
use pyo3::ffi;
use pyo3::prelude::*;
use pyo3::types::PyDict;

/// Ranks a query's judged documents in a dict of scores without looking at its other keys' text.
///
/// Each judged document is looked up in the dict; the scores are then counted against those found. False if the dict
/// needs the slow path: an id that is not a plain string, ties that ids must break, or an option that needs every id.
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
    let needs_ids = ranker.options.given || ranker.options.exclude_query || ranker.options.foreign;
    // The spread is that of the scores as they are given; here they are kept as they are compared.
    let needs_scores = ranker.options.single && ranker.options.spread;
    // A large ranking is ranked on another thread, beside which Ctrl-C is noticed.
    let is_large = dict.len() > MANY_ROWS;
    if needs_ids || needs_scores || is_large || !scratch.read_scores(dict, ranker.options)? {
        return Ok(false);
    }
    // The slow path refuses the empty id.
    if dict.contains("")? {
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
    Ok(ranker.rank_untied(query, &scratch.found, &scratch.scores)?)
}

/// Buffers that are used again for each query.
#[derive(Debug, Default)]
pub struct Scratch {
    scores: Vec<f64>,
    found: Vec<(u32, f64)>,
}

impl Scratch {
    /// Reads the scores of a dict whose keys are strings and whose values are finite floats or integers; else false.
    fn read_scores(&mut self, dict: &Bound<'_, PyDict>, options: Options) -> Result<bool, Lack> {
        self.scores.clear();
        self.scores.room(dict.len())?;
        let mut position: ffi::Py_ssize_t = 0;
        let mut key: *mut ffi::PyObject = std::ptr::null_mut();
        let mut value: *mut ffi::PyObject = std::ptr::null_mut();
        let mut finite = true;
        // SAFETY: the dict is alive and the GIL is held. The references are borrowed and no Python code runs while they
        // are used: only the types of exact strings, floats and integers pass, and reading those calls nothing back.
        unsafe {
            let string_type = &raw mut ffi::PyUnicode_Type;
            let float_type = &raw mut ffi::PyFloat_Type;
            while ffi::PyDict_Next(dict.as_ptr(), &mut position, &mut key, &mut value) != 0 {
                let is_float = ffi::Py_TYPE(value) == float_type;
                if ffi::Py_TYPE(key) != string_type || !(is_float || ffi::PyLong_CheckExact(value) != 0) {
                    return Ok(false);
                }
                let score = if is_float { ffi::PyFloat_AsDouble(value) } else { ffi::PyLong_AsDouble(value) };
                finite &= score.is_finite();
                self.scores.add(options.score(score))?;
            }
            // An integer too large for a float leaves an exception and no finite value; the slow path reports it.
            if ffi::PyErr_Occurred().is_null() {
                Ok(finite)
            } else {
                ffi::PyErr_Clear();
                Ok(false)
            }
        }
    }
}

/// Whether no Python code can run while the entries are read: every key is a string or an integer, every value a number.
pub fn is_inert(dict: &Bound<'_, PyDict>) -> bool {
    let mut position: ffi::Py_ssize_t = 0;
    let mut key: *mut ffi::PyObject = std::ptr::null_mut();
    let mut value: *mut ffi::PyObject = std::ptr::null_mut();
    // SAFETY: the dict is alive, the GIL is held, and no Python code runs while the borrowed references are looked at.
    unsafe {
        while ffi::PyDict_Next(dict.as_ptr(), &mut position, &mut key, &mut value) != 0 {
            let is_id = ffi::PyUnicode_CheckExact(key) != 0 || ffi::PyLong_CheckExact(key) != 0;
            if !is_id || !(ffi::PyFloat_CheckExact(value) != 0 || ffi::PyLong_CheckExact(value) != 0) {
                return false;
            }
        }
    }
    true
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
