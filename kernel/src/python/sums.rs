//! Sums over samples, as Python sees them: arrays come and go as bytes.

use super::bytes_of;
use super::work::interruptible;
use crate::draws::Draws;
use crate::memory::{Lack, collected};
use crate::sums::Table;
use pyo3::prelude::*;
use pyo3::pybacked::PyBackedBytes;
use pyo3::types::PyBytes;
use std::sync::{Arc, Mutex, PoisonError};

/// Rows of numbers, to be summed over samples.
#[pyclass(name = "Sums", module = "assay._kernel", frozen)]
pub struct PySums {
    table: Arc<Table>,
}

#[pymethods]
impl PySums {
    #[new]
    fn new(values: &[u8], columns: usize) -> PyResult<Self> {
        Ok(Self { table: Arc::new(Table::new(&numbers(values)?, columns)?) })
    }

    /// The sums of the rows that the bits of each sample choose.
    fn chosen<'py>(
        &self,
        py: Python<'py>,
        bits: PyBackedBytes,
        width: usize,
        threads: usize,
    ) -> PyResult<Bound<'py, PyBytes>> {
        let table = Arc::clone(&self.table);
        let sums = interruptible(py, move |stop| table.chosen(&bits, width, threads, stop))?;
        bytes_of(py, sums.into_iter().map(f64::to_ne_bytes))
    }

    /// The sums of so many samples, each of as many rows as there are, drawn with replacement.
    fn resampled<'py>(
        &self,
        py: Python<'py>,
        draws: &PyDraws,
        samples: usize,
        threads: usize,
    ) -> PyResult<Bound<'py, PyBytes>> {
        let (table, draws) = (Arc::clone(&self.table), Arc::clone(&draws.draws));
        let sums = interruptible(py, move |stop| {
            let mut draws = draws.lock().unwrap_or_else(PoisonError::into_inner);
            table.resampled(&mut draws, samples, threads, stop)
        })?;
        bytes_of(py, sums.into_iter().map(f64::to_ne_bytes))
    }
}

fn numbers(bytes: &[u8]) -> Result<Vec<f64>, Lack> {
    let (numbers, _) = bytes.as_chunks();
    collected(numbers.iter().map(|number| f64::from_ne_bytes(*number)))
}

/// Over all pairs of a number of `a` and one of `b`, both ascending: those where b's is larger less those where it is
/// smaller.
#[pyfunction]
pub fn balance(py: Python<'_>, a: &[u8], b: &[u8]) -> PyResult<i64> {
    let (a, b) = (numbers(a)?, numbers(b)?);
    Ok(py.detach(|| crate::balance::balance(&a, &b)))
}

/// Numbers as NumPy draws them.
#[pyclass(name = "Draws", module = "assay._kernel", frozen)]
pub struct PyDraws {
    draws: Arc<Mutex<Draws>>,
}

#[pymethods]
impl PyDraws {
    /// From a seed in 32 bits at a time, the lowest first.
    #[new]
    fn new(seed: Vec<u32>) -> Self {
        Self { draws: Arc::new(Mutex::new(Draws::new(&seed))) }
    }

    /// So many numbers below `count`, as int32.
    fn many<'py>(&self, py: Python<'py>, count: u32, number: usize) -> PyResult<Bound<'py, PyBytes>> {
        let mut draws = self.draws.lock().unwrap_or_else(PoisonError::into_inner);
        bytes_of(py, draws.many(count.max(1), number)?.into_iter().map(u32::to_ne_bytes))
    }
}
