//! The kernel as Python sees it, `assay._kernel`: three classes, each a thin cover of the Rust beneath.

mod dict;
mod frame;
mod ranker;
mod table;
mod walk;
mod work;

use crate::fault::{Fault, Kind};
use crate::text::source::Source;
use pyo3::exceptions::PyKeyboardInterrupt;
use pyo3::prelude::*;
use std::io::Read;

mod errors {
    pyo3::import_exception!(assay.core.errors, DataError);
    pyo3::import_exception!(assay.core.errors, DuplicateError);
    pyo3::import_exception!(assay.core.errors, FileError);
    pyo3::import_exception!(assay.core.errors, FormatError);
}

impl From<Fault> for PyErr {
    fn from(fault: Fault) -> Self {
        match fault.kind {
            Kind::File => errors::FileError::new_err(fault.message),
            Kind::Format => errors::FormatError::new_err(fault.message),
            Kind::Duplicate => errors::DuplicateError::new_err(fault.message),
            Kind::Interrupted => PyKeyboardInterrupt::new_err(()),
        }
    }
}

fn data_error(message: String) -> PyErr {
    errors::DataError::new_err(message)
}

/// An array of numbers as bytes, which NumPy reads without a copy.
fn bytes_of<'py, const N: usize>(
    py: Python<'py>,
    numbers: impl Iterator<Item = [u8; N]>,
) -> Bound<'py, pyo3::types::PyBytes> {
    let mut all = Vec::with_capacity(numbers.size_hint().0 * N);
    numbers.for_each(|number| all.extend_from_slice(&number));
    pyo3::types::PyBytes::new(py, &all)
}

/// The content of a file, decompressed. With `limit`, at most that many bytes.
#[pyfunction]
#[pyo3(signature = (path, name, limit=None))]
fn read_bytes<'py>(
    py: Python<'py>,
    path: std::path::PathBuf,
    name: &str,
    limit: Option<u64>,
) -> PyResult<Bound<'py, pyo3::types::PyBytes>> {
    let source = Source::new(path, name);
    let content = py.detach(|| {
        let mut content = Vec::new();
        let mut reader = source.open()?.take(limit.unwrap_or(u64::MAX));
        reader.read_to_end(&mut content).map_err(|error| source.fault(&error))?;
        Ok::<_, Fault>(content)
    })?;
    Ok(pyo3::types::PyBytes::new(py, &content))
}

/// Writes a file's decompressed content to another file.
#[pyfunction]
fn decompress(
    py: Python<'_>,
    path: std::path::PathBuf,
    name: &str,
    target: std::path::PathBuf,
) -> PyResult<u64> {
    let source = Source::new(path, name);
    let copied = py.detach(|| {
        let mut reader = source.open()?;
        let copy = std::fs::File::create(target).and_then(|mut file| std::io::copy(&mut reader, &mut file));
        copy.map_err(|error| source.fault(&error))
    });
    Ok(copied?)
}

/// Writes a file's content to another file, compressed with Zstandard.
#[pyfunction]
fn compress_zst(py: Python<'_>, path: std::path::PathBuf, target: std::path::PathBuf) -> PyResult<()> {
    let compressed = py.detach(|| {
        let mut plain = std::fs::File::open(path)?;
        let mut encoder =
            zstd::Encoder::new(std::fs::File::create(target)?, zstd::DEFAULT_COMPRESSION_LEVEL)?;
        encoder.include_checksum(true)?;
        std::io::copy(&mut plain, &mut encoder)?;
        encoder.finish().map(|_| ())
    });
    Ok(compressed?)
}

#[pymodule]
fn _kernel(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add("__version__", env!("CARGO_PKG_VERSION"))?;
    module.add_class::<table::PyRows>()?;
    module.add_class::<table::PyIndex>()?;
    module.add_class::<ranker::PyOptions>()?;
    module.add_class::<ranker::PyRanker>()?;
    module.add_class::<ranker::Progress>()?;
    module.add_function(wrap_pyfunction!(read_bytes, module)?)?;
    module.add_function(wrap_pyfunction!(decompress, module)?)?;
    module.add_function(wrap_pyfunction!(compress_zst, module)?)?;
    Ok(())
}
