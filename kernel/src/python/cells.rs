//! `RowDecoder`: blocks of JSON Lines, CSV or TSV as frames of the columns that are needed.

use super::data_error;
use super::frame::STREAM;
use super::work::interruptible;
use crate::fault::Fault;
use crate::memory::{Grow, collected};
use crate::read::cells::lines::{JsonLines, MOST_KEYS};
use crate::read::cells::separated::Separated;
use crate::read::cells::{Column, Columns, Need, read_block};
use arrow_array::ffi_stream::FFI_ArrowArrayStream;
use arrow_array::{ArrayRef, Float64Array, RecordBatch, RecordBatchIterator, StringViewArray};
use arrow_buffer::Buffer;
use arrow_schema::{ArrowError, DataType, Field, Schema, SchemaRef};
use pyo3::prelude::*;
use pyo3::pybacked::PyBackedBytes;
use pyo3::types::PyCapsule;
use std::sync::Arc;

enum AnyForm {
    JsonLines(JsonLines),
    Separated(Separated),
}

#[pyclass(module = "assay._kernel", frozen)]
pub struct RowDecoder {
    form: Arc<AnyForm>,
    schema: SchemaRef,
}

#[pymethods]
impl RowDecoder {
    /// Of JSON Lines: the keys that a row may have. A column is needed as numbers, or as text, or not at all.
    #[staticmethod]
    fn json_lines(keys: Vec<String>, numbers: Vec<Option<bool>>, longest: usize) -> PyResult<Self> {
        if keys.len() > MOST_KEYS {
            return Err(data_error(format!("{} keys; at most {MOST_KEYS} can be decoded", keys.len())));
        }
        let schema = schema(&keys, &numbers);
        let keys = keys.into_iter().map(String::into_bytes).zip(needs(&numbers)).collect();
        Ok(Self { form: Arc::new(AnyForm::JsonLines(JsonLines { keys, longest })), schema })
    }

    /// Of CSV or TSV: the columns in their order.
    #[staticmethod]
    fn separated(names: Vec<String>, numbers: Vec<Option<bool>>, separator: char) -> PyResult<Self> {
        let Some(separator) = u8::try_from(separator).ok().filter(u8::is_ascii) else {
            return Err(data_error(format!("the separator {separator:?} is not ASCII")));
        };
        let schema = schema(&names, &numbers);
        let form = Separated { separator, needs: needs(&numbers) };
        Ok(Self { form: Arc::new(AnyForm::Separated(form)), schema })
    }

    /// The size of the whole rows in a block, and a frame of them; none where Python has to read them.
    fn decode(
        &self,
        py: Python<'_>,
        block: PyBackedBytes,
        is_last: bool,
        threads: usize,
    ) -> PyResult<(usize, Option<Decoded>)> {
        let (form, schema) = (Arc::clone(&self.form), Arc::clone(&self.schema));
        let (size, batches) = interruptible(py, move |_| {
            let block = match form.as_ref() {
                AnyForm::JsonLines(form) => read_block(form, &block, is_last, threads)?,
                AnyForm::Separated(form) => read_block(form, &block, is_last, threads)?,
            };
            Ok((block.size, block.parts.map(|parts| batches(parts, &schema)).transpose()?))
        })?;
        let schema = Arc::clone(&self.schema);
        Ok((size, batches.map(|batches| Decoded { schema, batches })))
    }
}

fn needs(numbers: &[Option<bool>]) -> Vec<Need> {
    let mut count = 0;
    let need = |number: &Option<bool>| {
        count += usize::from(number.is_some());
        match number {
            None => Need::Nothing,
            Some(true) => Need::Number(count - 1),
            Some(false) => Need::Text(count - 1),
        }
    };
    numbers.iter().map(need).collect()
}

fn schema(names: &[String], numbers: &[Option<bool>]) -> SchemaRef {
    let kind = |is_number| if is_number { DataType::Float64 } else { DataType::Utf8View };
    let field =
        |(name, number): (&String, &Option<bool>)| number.map(|number| Field::new(name, kind(number), false));
    Arc::new(Schema::new(names.iter().zip(numbers).filter_map(field).collect::<Vec<_>>()))
}

fn batches(parts: Vec<Columns>, schema: &SchemaRef) -> Result<Vec<RecordBatch>, Fault> {
    let mut all = Vec::new();
    for part in parts {
        all.add(batch(part, schema).map_err(|error| Fault::format(error.to_string()))?)?;
    }
    Ok(all)
}

fn batch(part: Columns, schema: &SchemaRef) -> Result<RecordBatch, ArrowError> {
    let array = |column| -> Result<ArrayRef, ArrowError> {
        Ok(match column {
            Column::Numbers(numbers) => Arc::new(Float64Array::from(numbers)),
            Column::Texts(texts) => {
                let text = vec![Buffer::from_vec(texts.text)];
                // SAFETY: `Texts` makes valid views of the ids it is given. These are UTF-8: each block is checked, and cut
                // at ASCII characters; what is unescaped is put together of characters.
                Arc::new(unsafe { StringViewArray::new_unchecked(texts.views.into(), text.into(), None) })
            }
        })
    };
    let arrays = part.columns.into_iter().map(array).collect::<Result<_, _>>()?;
    RecordBatch::try_new(Arc::clone(schema), arrays)
}

/// Rows that were decoded, as a frame.
#[pyclass(module = "assay._kernel", frozen)]
pub struct Decoded {
    schema: SchemaRef,
    batches: Vec<RecordBatch>,
}

#[pymethods]
impl Decoded {
    #[pyo3(signature = (requested_schema=None))]
    fn __arrow_c_stream__<'py>(
        &self,
        py: Python<'py>,
        requested_schema: Option<Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyCapsule>> {
        let _ = requested_schema;
        let batches = collected(self.batches.iter().cloned().map(Ok))?;
        let reader = RecordBatchIterator::new(batches, Arc::clone(&self.schema));
        PyCapsule::new_with_value(py, FFI_ArrowArrayStream::new(Box::new(reader)), STREAM)
    }
}
