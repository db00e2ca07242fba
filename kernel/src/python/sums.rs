//! Sums over samples, as Python sees them: arrays come and go as bytes.

use super::bytes_of;
use super::work::interruptible;
use crate::memory::{Lack, collected};
use crate::stats::reached::Test;
use crate::stats::sums::Table;
use pyo3::exceptions::PyValueError;
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
        Ok(Self { table: Arc::new(Table::new(&numbers(values)?, columns)?) })
    }

    /// How many samples reach each test, and the numbers of the tests and samples that are open.
    #[allow(clippy::too_many_arguments, reason = "columns of one table")]
    fn reached<'py>(
        &self,
        py: Python<'py>,
        bits: PyBackedBytes,
        width: usize,
        plus: &[u8],
        minus: &[u8],
        least: &[u8],
        most: &[u8],
        threads: usize,
    ) -> PyResult<(Bound<'py, PyBytes>, Bound<'py, PyBytes>)> {
        let tests = collected(
            (whole_numbers(plus).zip(whole_numbers(minus)))
                .zip(numbers(least)?.into_iter().zip(numbers(most)?))
                .map(|((plus, minus), (least, most))| Test {
                    plus,
                    minus: (minus != u32::MAX).then_some(minus),
                    least,
                    most,
                }),
        )?;
        let table = Arc::clone(&self.table);
        let found = interruptible(py, move |stop| table.reached(&bits, width, &tests, threads, stop))?;
        let open = found.open.into_iter().flatten().map(u32::to_ne_bytes);
        Ok((bytes_of(py, found.counts.into_iter().map(u64::to_ne_bytes))?, bytes_of(py, open)?))
    }

    /// The sums of samples, each of as many rows as there are, which `draws` has by number.
    fn drawn<'py>(&self, py: Python<'py>, draws: &[u8], threads: usize) -> PyResult<Bound<'py, PyBytes>> {
        let (table, draws) = (Arc::clone(&self.table), collected(whole_numbers(draws))?);
        let sums = interruptible(py, move |stop| table.drawn(&draws, threads, stop))?;
        bytes_of(py, sums.into_iter().map(f64::to_ne_bytes))
    }
}

fn whole_numbers(bytes: &[u8]) -> impl Iterator<Item = u32> {
    bytes.as_chunks().0.iter().map(|number| u32::from_ne_bytes(*number))
}

pub fn numbers(bytes: &[u8]) -> Result<Vec<f64>, Lack> {
    let (numbers, _) = bytes.as_chunks();
    collected(numbers.iter().map(|number| f64::from_ne_bytes(*number)))
}

/// For each sample and each other one, over all pairs of their numbers: those where the other's is larger less those where
/// it is smaller.
#[pyfunction]
pub fn balances<'py>(py: Python<'py>, samples: Vec<PyBackedBytes>) -> PyResult<Bound<'py, PyBytes>> {
    let samples = samples.iter().map(|sample| numbers(sample)).collect::<Result<Vec<_>, _>>()?;
    let balances = interruptible(py, move |stop| crate::stats::balance::balances(&samples, stop))?;
    bytes_of(py, balances.into_iter().map(i64::to_ne_bytes))
}

/// How often each number below `count` is among the draws of each sample, of `count` draws, as float64.
#[pyfunction]
pub fn times_drawn<'py>(py: Python<'py>, draws: &[u8], count: usize) -> PyResult<Bound<'py, PyBytes>> {
    let (draws, _) = draws.as_chunks();
    let size = draws.len().checked_mul(size_of::<f64>()).ok_or(Lack::Memory)?;
    PyBytes::new_with(py, size, |place| {
        let (times, _) = place.as_chunks_mut();
        for (times, draws) in times.chunks_mut(count.max(1)).zip(draws.chunks(count.max(1))) {
            for draw in draws {
                let time = times.get_mut(u32::from_ne_bytes(*draw) as usize);
                let time =
                    time.ok_or_else(|| PyValueError::new_err("a number was drawn that is too large"))?;
                *time = (f64::from_ne_bytes(*time) + 1.0).to_ne_bytes();
            }
        }
        Ok(())
    })
}
