//! Sums over samples, as Python sees them: arrays come and go as bytes.

use super::bytes_of;
use super::work::interruptible;
use crate::draws::Draws;
use crate::memory::{Lack, collected};
use crate::reached::Test;
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
    let balances = interruptible(py, move |stop| crate::balance::balances(&samples, stop))?;
    bytes_of(py, balances.into_iter().map(i64::to_ne_bytes))
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

    /// How often each number below `count` is among `count` drawn, for so many samples, as float64.
    fn times<'py>(&self, py: Python<'py>, count: u32, samples: usize) -> PyResult<Bound<'py, PyBytes>> {
        let mut draws = self.draws.lock().unwrap_or_else(PoisonError::into_inner);
        let size =
            (count as usize).checked_mul(samples).and_then(|size| size.checked_mul(8)).ok_or(Lack::Memory)?;
        PyBytes::new_with(py, size, |place| {
            for sample in place.as_chunks_mut::<8>().0.chunks_exact_mut(count.max(1) as usize) {
                draws.each(count.max(1), sample.len(), |drawn| {
                    let time = &mut sample[drawn as usize];
                    *time = (f64::from_ne_bytes(*time) + 1.0).to_ne_bytes();
                });
            }
            Ok(())
        })
    }

    /// So many numbers below `count`, as int32.
    fn many<'py>(&self, py: Python<'py>, count: u32, number: usize) -> PyResult<Bound<'py, PyBytes>> {
        let mut drawn = Vec::new();
        self.draws.lock().unwrap_or_else(PoisonError::into_inner).many(count.max(1), number, &mut drawn)?;
        bytes_of(py, drawn.into_iter().map(u32::to_ne_bytes))
    }
}
