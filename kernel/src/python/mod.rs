//! The kernel as Python sees it, `assay._kernel`: classes, each a thin cover of the Rust beneath.

mod cells;
mod counter;
mod dict;
mod frame;
mod guard;
mod json;
mod lists;
mod ranker;
mod steady;
mod sums;
mod table;
mod walk;
mod words;
mod work;

use crate::fault::{Fault, Kind};
use crate::limits::Limits;
use crate::memory::{Lack, collected, spare};
use crate::read::expand::Stoppable;
use crate::read::source::Source;
use pyo3::exceptions::{PyException, PyKeyboardInterrupt, PyMemoryError, PyRecursionError};
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyList, PyString};
use std::io::Read;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use work::interruptible;

mod errors {
    pyo3::import_exception!(assay.core.errors, DataError);
    pyo3::import_exception!(assay.core.errors, DuplicateError);
    pyo3::import_exception!(assay.core.errors, FileError);
    pyo3::import_exception!(assay.core.errors, FormatError);
    pyo3::import_exception!(assay.core.errors, LimitError);
}

impl From<Fault> for PyErr {
    fn from(fault: Fault) -> Self {
        match fault.kind {
            Kind::File => errors::FileError::new_err(fault.message),
            Kind::Format => errors::FormatError::new_err(fault.message),
            Kind::Duplicate => errors::DuplicateError::new_err(fault.message),
            Kind::Limit { name, most } => past_limit(&fault.message, name, most),
            Kind::Memory => PyMemoryError::new_err(fault.message),
            Kind::Interrupted => PyKeyboardInterrupt::new_err(()),
        }
    }
}

/// The error of input past a limit, in the words that Python has for it, which say how the limit is raised.
#[cold]
fn past_limit(what: &str, name: &str, most: u64) -> PyErr {
    Python::attach(|py| {
        let refuse = py.import("assay.core.limits").and_then(|limits| limits.getattr("refuse"));
        refuse
            .and_then(|refuse| refuse.call1((what, name, most)))
            .map_or_else(|error| error, PyErr::from_value)
    })
}

fn data_error(message: String) -> PyErr {
    errors::DataError::new_err(message)
}

/// Whether an error of a user's object is none about its value and so passes through unchanged: Ctrl-C, the end of the
/// program, no more memory, recursion without an end.
fn passes(py: Python<'_>, error: &PyErr) -> bool {
    !error.is_instance_of::<PyException>(py)
        || error.is_instance_of::<PyMemoryError>(py)
        || error.is_instance_of::<PyRecursionError>(py)
}

/// What a user's object gave, or nothing if it raised an error about its value.
fn unless_wrong<T>(py: Python<'_>, result: PyResult<T>) -> PyResult<Option<T>> {
    match result {
        Ok(value) => Ok(Some(value)),
        Err(error) if passes(py, &error) => Err(error),
        Err(_) => Ok(None),
    }
}

/// An array of numbers as bytes, which NumPy reads without a copy.
fn bytes_of<'py, const N: usize>(
    py: Python<'py>,
    numbers: impl Iterator<Item = [u8; N]>,
) -> PyResult<Bound<'py, PyBytes>> {
    bytes(py, collected(numbers)?.as_flattened())
}

/// Bytes of Python, if there is memory for them.
fn bytes<'py>(py: Python<'py>, content: &[u8]) -> PyResult<Bound<'py, PyBytes>> {
    PyBytes::new_with(py, content.len(), |place| {
        place.copy_from_slice(content);
        Ok(())
    })
}

/// A list of texts that came in as UTF-8, if there is memory for it.
fn texts<'a, 'py>(py: Python<'py>, all: impl Iterator<Item = &'a [u8]>) -> PyResult<Bound<'py, PyList>> {
    let list = PyList::empty(py);
    for (number, text) in all.enumerate() {
        if number % work::MANY_ROWS == work::MANY_ROWS - 1 {
            py.check_signals()?;
        }
        list.append(string(py, text)?)?;
    }
    Ok(list)
}

/// Text that came in as UTF-8.
fn string<'py>(py: Python<'py>, text: &[u8]) -> PyResult<Bound<'py, PyString>> {
    PyString::from_bytes(py, text)
        .or_else(|_| PyString::from_bytes(py, String::from_utf8_lossy(text).as_bytes()))
}

impl From<Lack> for PyErr {
    fn from(lack: Lack) -> Self {
        Fault::from(lack).into()
    }
}

/// The content of a file, decompressed. With `limit`, at most that many bytes.
#[pyfunction]
#[pyo3(signature = (path, name, limit=None, limits=None))]
fn read_bytes<'py>(
    py: Python<'py>,
    path: std::path::PathBuf,
    name: &str,
    limit: Option<u64>,
    limits: Option<Limits>,
) -> PyResult<Bound<'py, PyBytes>> {
    let mut source = Source::new(path, name).within(limits);
    let content = interruptible(py, move |stop| {
        source.stop = Arc::clone(stop);
        let mut content = Vec::new();
        let mut reader = source.open()?.take(limit.unwrap_or(u64::MAX));
        reader.read_to_end(&mut content).map_err(|error| source.fault(&error))?;
        Ok(content)
    })?;
    bytes(py, &content)
}

/// Writes a file's decompressed content to another file.
#[pyfunction]
#[pyo3(signature = (path, name, target, limits=None))]
fn decompress(
    py: Python<'_>,
    path: std::path::PathBuf,
    name: &str,
    target: std::path::PathBuf,
    limits: Option<Limits>,
) -> PyResult<u64> {
    let mut source = Source::new(path, name).within(limits);
    interruptible(py, move |stop| {
        source.stop = Arc::clone(stop);
        source.copy_to(&target)
    })
}

/// Writes a file's content to another file, compressed with Zstandard.
#[pyfunction]
fn compress_zst(py: Python<'_>, path: std::path::PathBuf, target: std::path::PathBuf) -> PyResult<()> {
    let compressed = interruptible(py, move |stop| Ok(compress(&path, &target, stop)))?;
    Ok(compressed?)
}

fn compress(path: &Path, target: &Path, stop: &Arc<AtomicBool>) -> std::io::Result<()> {
    let plain = std::fs::File::open(path)?;
    let mut encoder = zstd::Encoder::new(std::fs::File::create(target)?, zstd::DEFAULT_COMPRESSION_LEVEL)?;
    encoder.include_checksum(true)?;
    std::io::copy(&mut Stoppable { inner: plain, stop: Arc::clone(stop) }, &mut encoder)?;
    encoder.finish().map(|_| ())
}

#[pymodule]
fn _kernel(module: &Bound<'_, PyModule>) -> PyResult<()> {
    spare()?;
    module.add("__version__", env!("CARGO_PKG_VERSION"))?;
    module.add_class::<table::PyRows>()?;
    module.add_class::<table::PyIndex>()?;
    module.add_class::<ranker::PyOptions>()?;
    module.add_class::<ranker::PyRanker>()?;
    module.add_class::<ranker::Progress>()?;
    module.add_function(wrap_pyfunction!(ranker::parquet_names, module)?)?;
    module.add_class::<words::PySplitter>()?;
    module.add_class::<words::PyWords>()?;
    module.add_function(wrap_pyfunction!(words::distinct_characters, module)?)?;
    module.add_function(wrap_pyfunction!(json::decode_json_lines, module)?)?;
    module.add_class::<json::SharedStrings>()?;
    module.add_class::<cells::RowDecoder>()?;
    module.add_class::<cells::Decoded>()?;
    module.add_class::<sums::PySums>()?;
    module.add_function(wrap_pyfunction!(sums::times_drawn, module)?)?;
    module.add_class::<lists::PyLists>()?;
    module.add_function(wrap_pyfunction!(sums::balances, module)?)?;
    module.add_class::<counter::PyCounter>()?;
    module.add_function(wrap_pyfunction!(guard::add_leftover, module)?)?;
    module.add_function(wrap_pyfunction!(guard::remove_leftover, module)?)?;
    module.add_function(wrap_pyfunction!(guard::notice_interrupt, module)?)?;
    module.add_function(wrap_pyfunction!(guard::guard_interrupts, module)?)?;
    module.add_function(wrap_pyfunction!(read_bytes, module)?)?;
    module.add_function(wrap_pyfunction!(decompress, module)?)?;
    module.add_function(wrap_pyfunction!(compress_zst, module)?)?;
    Ok(())
}
