//! Sums over samples, as Python sees them: arrays come and go as bytes.

use super::bytes_of;
use super::work::interruptible;
use crate::memory::collected;
use crate::sums::Table;
use pyo3::prelude::*;
use pyo3::pybacked::PyBackedBytes;
use pyo3::types::PyBytes;
use std::sync::Arc;

/// Rows of numbers, to be summed over samples.
#[pyclass(name = "Sums", module = "assay._kernel", frozen)]
pub struct PySums {
    table: Arc<Table>,
}

#[pymethods]
impl PySums {
    #[new]
    fn new(values: &[u8], columns: usize) -> PyResult<Self> {
        let (values, _) = values.as_chunks();
        let values = collected(values.iter().map(|value| f64::from_ne_bytes(*value)))?;
        Ok(Self { table: Arc::new(Table::new(&values, columns)?) })
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

    /// The sums of the rows that each sample draws.
    fn drawn<'py>(
        &self,
        py: Python<'py>,
        draws: PyBackedBytes,
        width: usize,
        threads: usize,
    ) -> PyResult<Bound<'py, PyBytes>> {
        let table = Arc::clone(&self.table);
        let sums = interruptible(py, move |stop| table.drawn(draws.as_chunks().0, width, threads, stop))?;
        bytes_of(py, sums.into_iter().map(f64::to_ne_bytes))
    }
}
