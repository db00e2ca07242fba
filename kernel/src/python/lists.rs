//! Pairs of lists of numbers, as Python sees them: arrays come and go as bytes.

use super::bytes_of;
use super::sums::numbers;
use super::work::interruptible;
use crate::fault::Fault;
use crate::memory::{Lack, collected};
use crate::stats::differences::{Figures, Lists, Rounded};
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
        let figures =
            self.run(py, pairs, move |lists, pairs, stop| lists.figures(pairs, rounding, threads, stop))?;
        bytes_of(py, figures.iter().flat_map(Figures::numbers).map(f64::to_ne_bytes))
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
        let rounded = self.run(py, pairs, move |lists, pairs, stop| {
            lists.rounded(pairs, rounding, &Lists::new(&systems, length), threads, stop)
        })?;
        bytes_of(py, rounded.iter().flat_map(Rounded::numbers).map(f64::to_ne_bytes))
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
        let spans = self.run(py, pairs, move |lists, pairs, stop| {
            lists.spans(pairs, &observed, rounding, threads, stop)
        })?;
        bytes_of(py, spans.into_iter().flatten().map(f64::to_ne_bytes))
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
        let quantiles =
            self.run(py, pairs, move |lists, pairs, stop| lists.quantiles(pairs, &places, threads, stop))?;
        bytes_of(py, quantiles.into_iter().flatten().map(f64::to_ne_bytes))
    }

    /// The sums of squares and cubes of the distances of the differences from their mean.
    fn moments<'py>(&self, py: Python<'py>, pairs: &[u8], threads: usize) -> PyResult<Bound<'py, PyBytes>> {
        let moments = self.run(py, pairs, move |lists, pairs, stop| lists.moments(pairs, threads, stop))?;
        bytes_of(py, moments.into_iter().flatten().map(f64::to_ne_bytes))
    }
}

impl PyLists {
    /// What `work` makes of the lists and pairs, without the GIL.
    fn run<T: Send + 'static>(
        &self,
        py: Python<'_>,
        pairs: &[u8],
        work: impl FnOnce(&Lists<'_>, &[[u32; 2]], &AtomicBool) -> Result<T, Fault> + Send + 'static,
    ) -> PyResult<T> {
        let (numbers, length, pairs) = (Arc::clone(&self.numbers), self.length, pairs_of(pairs)?);
        interruptible(py, move |stop| work(&Lists::new(&numbers, length), &pairs, stop))
    }
}

fn pairs_of(bytes: &[u8]) -> Result<Vec<[u32; 2]>, Lack> {
    let (numbers, _) = bytes.as_chunks::<4>();
    collected(numbers.as_chunks().0.iter().map(|pair| pair.map(u32::from_ne_bytes)))
}
