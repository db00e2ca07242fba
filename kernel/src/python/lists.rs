//! Pairs of lists of numbers, as Python sees them: arrays come and go as bytes.

use super::bytes_of;
use super::sums::numbers;
use super::work::interruptible;
use crate::fault::Fault;
use crate::memory::{Lack, collected};
use crate::stats::differences::Lists;
use pyo3::prelude::*;
use pyo3::pybacked::PyBackedBytes;
use pyo3::types::PyBytes;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

/// Lists of the same number of numbers, to be subtracted from each other.
#[pyclass(name = "Lists", module = "assay._kernel", frozen)]
pub struct PyLists {
    numbers: Arc<PyBackedBytes>,
    length: usize,
}

#[pymethods]
impl PyLists {
    #[new]
    fn new(numbers: PyBackedBytes, length: usize) -> Self {
        Self { numbers: Arc::new(numbers), length }
    }

    /// What the differences of each pair come to.
    fn figures<'py>(
        &self,
        py: Python<'py>,
        pairs: &[u8],
        rounding: f64,
        threads: usize,
    ) -> PyResult<Bound<'py, PyBytes>> {
        self.run(py, pairs, move |lists, pairs, stop| lists.figures(pairs, rounding, threads, stop))
    }

    /// What they come to if they are rounded so that their sums are exact.
    fn rounded<'py>(
        &self,
        py: Python<'py>,
        pairs: &[u8],
        rounding: f64,
        systems: PyBackedBytes,
        threads: usize,
    ) -> PyResult<Bound<'py, PyBytes>> {
        let length = self.length;
        self.run(py, pairs, move |lists, pairs, stop| {
            lists.rounded(pairs, rounding, &Lists::new(&systems, length), threads, stop)
        })
    }

    /// The bounds of the differences of each pair, and how many are below the observed one.
    fn spans<'py>(
        &self,
        py: Python<'py>,
        pairs: &[u8],
        observed: &[u8],
        rounding: f64,
        threads: usize,
    ) -> PyResult<Bound<'py, PyBytes>> {
        let observed = numbers(observed)?;
        self.run(py, pairs, move |lists, pairs, stop| lists.spans(pairs, &observed, rounding, threads, stop))
    }

    /// The differences at two places of their order, each with the next.
    fn quantiles<'py>(
        &self,
        py: Python<'py>,
        pairs: &[u8],
        places: &[u8],
        threads: usize,
    ) -> PyResult<Bound<'py, PyBytes>> {
        let places = pairs_of(places)?;
        self.run(py, pairs, move |lists, pairs, stop| lists.quantiles(pairs, &places, threads, stop))
    }

    /// The sums of squares and cubes of the distances of the differences from their mean.
    fn moments<'py>(&self, py: Python<'py>, pairs: &[u8], threads: usize) -> PyResult<Bound<'py, PyBytes>> {
        self.run(py, pairs, move |lists, pairs, stop| lists.moments(pairs, threads, stop))
    }
}

impl PyLists {
    /// What `work` makes of the lists and pairs, without the GIL.
    fn run<'py, const N: usize>(
        &self,
        py: Python<'py>,
        pairs: &[u8],
        work: impl FnOnce(&Lists<'_>, &[[u32; 2]], &AtomicBool) -> Result<Vec<[f64; N]>, Fault> + Send + 'static,
    ) -> PyResult<Bound<'py, PyBytes>> {
        let (numbers, length, pairs) = (Arc::clone(&self.numbers), self.length, pairs_of(pairs)?);
        let made = interruptible(py, move |stop| work(&Lists::new(&numbers, length), &pairs, stop))?;
        bytes_of(py, made.into_iter().flatten().map(f64::to_ne_bytes))
    }
}

fn pairs_of(bytes: &[u8]) -> Result<Vec<[u32; 2]>, Lack> {
    let (numbers, _) = bytes.as_chunks::<4>();
    collected(numbers.as_chunks().0.iter().map(|pair| pair.map(u32::from_ne_bytes)))
}
