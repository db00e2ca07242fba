//! `Splitter` and `Words`: words of texts as numbers, and what texts have in common, without the GIL.

use super::bytes_of;
use super::work::run;
use crate::fault::Fault;
use crate::memory::Grow;
use crate::words::split::Splitter;
use crate::words::{Texts, Words, add_text, characters};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyList, PyString};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

/// Ctrl-C is looked for after so many texts.
const STEP: usize = 1 << 14;
/// Bytes, words and steps that take only a few milliseconds.
const SHORT_TEXTS: usize = 1 << 21;
const FEW_WORDS: usize = 1 << 18;
const FEW_STEPS: usize = 1 << 21;

#[pyclass(name = "Splitter", module = "assay._kernel", frozen)]
pub struct PySplitter {
    splitter: Arc<Splitter>,
    /// Whether ASCII capitals are made small first.
    lower: bool,
}

#[pymethods]
impl PySplitter {
    #[new]
    fn new(
        ascii: &[u8],
        other: u8,
        characters: Vec<u32>,
        kinds: &[u8],
        removed: Vec<Vec<u8>>,
        symbols: bool,
        lower: bool,
    ) -> PyResult<Self> {
        let ascii = ascii.try_into().map_err(|_| PyValueError::new_err("128 characters are ASCII"))?;
        let mut others = Vec::new();
        others.add_each(characters.into_iter().zip(kinds.iter().copied()))?;
        let splitter = Splitter::new(ascii, &others, other, removed, symbols)?;
        Ok(Self { splitter: Arc::new(splitter), lower })
    }
}

#[pyclass(name = "Words", module = "assay._kernel", frozen)]
pub struct PyWords {
    words: Arc<Words>,
    threads: usize,
}

#[pymethods]
impl PyWords {
    #[new]
    fn new(
        texts: &Bound<'_, PyList>,
        groups: Vec<usize>,
        splitter: &PySplitter,
        threads: usize,
    ) -> PyResult<Self> {
        let py = texts.py();
        let mut all = read_texts(texts)?;
        let mut end = 0usize;
        for size in groups {
            end = end.saturating_add(size);
            all.groups.add(end)?;
        }
        if end != all.ends.len() {
            return Err(PyValueError::new_err("the groups do not hold all texts"));
        }
        let (splitter, lower) = (Arc::clone(&splitter.splitter), splitter.lower);
        let words = run(py, all.bytes.len() <= SHORT_TEXTS, move |stop| {
            if lower {
                all.bytes.make_ascii_lowercase();
            }
            Words::new(&all, &splitter, threads, stop)
        })?;
        Ok(Self { words: Arc::new(words), threads })
    }

    fn lengths<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyBytes>> {
        bytes_of(py, self.words.lengths().map(i64::to_ne_bytes))
    }

    fn equal<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyBytes>> {
        self.numbers(py, self.words.count() <= FEW_WORDS, |words, _, stop| words.equal(stop))
    }

    fn shared<'py>(&self, py: Python<'py>, order: usize, together: bool) -> PyResult<Bound<'py, PyBytes>> {
        let is_short = self.words.count().saturating_mul(order) <= FEW_WORDS;
        self.numbers(py, is_short, move |words, threads, stop| words.shared(order, together, threads, stop))
    }

    fn subsequences<'py>(&self, py: Python<'py>, longest: usize) -> PyResult<Bound<'py, PyBytes>> {
        let is_short = self.words.subsequence_steps() <= FEW_STEPS;
        self.numbers(py, is_short, move |words, threads, stop| words.subsequences(longest, threads, stop))
    }
}

impl PyWords {
    fn numbers<'py>(
        &self,
        py: Python<'py>,
        is_short: bool,
        count: impl FnOnce(&Words, usize, &AtomicBool) -> Result<Vec<i64>, Fault> + Send + 'static,
    ) -> PyResult<Bound<'py, PyBytes>> {
        let (words, threads) = (Arc::clone(&self.words), self.threads);
        let found = run(py, is_short, move |stop| count(&words, threads, stop))?;
        bytes_of(py, found.into_iter().map(i64::to_ne_bytes))
    }
}

/// Texts that are ASCII, and others in UTF-8.
fn read_texts(texts: &Bound<'_, PyList>) -> PyResult<Texts> {
    let mut all = Texts::default();
    for (number, text) in texts.iter().enumerate() {
        match text.cast::<PyString>() {
            Ok(text) => add_text(&mut all, text.to_str()?.as_bytes())?,
            Err(_) => add_text(&mut all, text.cast::<PyBytes>()?.as_bytes())?,
        }
        if number % STEP == STEP - 1 {
            texts.py().check_signals()?;
        }
    }
    Ok(all)
}

/// The characters past ASCII that texts have, each once.
#[pyfunction]
pub fn distinct_characters(texts: &Bound<'_, PyList>) -> PyResult<Vec<u32>> {
    let all = read_texts(texts)?;
    run(texts.py(), all.bytes.len() <= SHORT_TEXTS, move |stop| characters(&all.bytes, stop))
}
