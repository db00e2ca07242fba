//! Frames in and out, through the Arrow C stream interface.

use super::work::interruptible;
use super::{data_error, unless_wrong};
use crate::fault::{Fault, show};
use crate::memory::{Grow, copied, filled};
use crate::parallel::{rank_all, rank_rows};
use crate::rank::index::Index;
use crate::rank::judged::Judged;
use crate::rank::options::Options;
use crate::rank::ranker::{Column, Stretch};
use crate::rank::rows::{Names, Rows, RowsBuilder};
use crate::read::scan::Scan;
use arrow_array::cast::AsArray;
use arrow_array::ffi_stream::{FFI_ArrowArrayStream, RecordBatchStreamReader};
use arrow_array::types::Float64Type;
use arrow_array::{
    Array, ArrayRef, Float64Array, LargeStringArray, RecordBatch, RecordBatchIterator, StringArray,
    StringViewArray,
};
use arrow_buffer::OffsetBuffer;
use arrow_schema::{ArrowError, DataType, Field, Schema};
use pyo3::prelude::*;
use pyo3::types::PyCapsule;
use std::ops::Range;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

pub const STREAM: &std::ffi::CStr = c"arrow_array_stream";

/// The columns of one chunk of a frame.
struct Chunk {
    queries: Texts,
    documents: Texts,
    values: Float64Array,
    groups: Option<Texts>,
}

/// A column of texts, as the frame has it: polars' are views, Spark's are small.
pub enum Texts {
    Views(StringViewArray),
    Large(LargeStringArray),
    Small(StringArray),
}

impl Texts {
    fn of(column: &ArrayRef) -> Option<Self> {
        let large = || column.as_string_opt().map(|column| Self::Large(column.clone()));
        let small = || column.as_string_opt().map(|column| Self::Small(column.clone()));
        column.as_string_view_opt().map(|views| Self::Views(views.clone())).or_else(large).or_else(small)
    }

    pub fn array(&self) -> &dyn Array {
        match self {
            Self::Views(column) => column,
            Self::Large(column) => column,
            Self::Small(column) => column,
        }
    }

    /// Whether two rows have the same text.
    #[inline]
    fn is_same(&self, one: usize, other: usize) -> bool {
        let is_same_view =
            matches!(self, Self::Views(column) if column.views()[one] == column.views()[other]);
        is_same_view || self.id(one) == self.id(other)
    }

    fn has_empty(&self) -> bool {
        match self {
            // The length of a text is in the lower bits of its view.
            Self::Views(column) => column.views().iter().any(|&view| view as u32 == 0),
            Self::Large(column) => column.offsets().windows(2).any(|ends| ends[0] == ends[1]),
            Self::Small(column) => column.offsets().windows(2).any(|ends| ends[0] == ends[1]),
        }
    }
}

impl Column for Texts {
    #[inline]
    fn id(&self, row: usize) -> &[u8] {
        match self {
            Self::Views(column) => column.value(row).as_bytes(),
            Self::Large(column) => column.value(row).as_bytes(),
            Self::Small(column) => column.value(row).as_bytes(),
        }
    }
}

/// The chunks of a frame, which share its memory.
fn chunks(frame: &Bound<'_, PyAny>) -> PyResult<Vec<Chunk>> {
    batches(frame)?.iter().map(chunk).collect()
}

/// The batches of a frame, which share its memory.
pub fn batches(frame: &Bound<'_, PyAny>) -> PyResult<Vec<RecordBatch>> {
    let capsule = frame.call_method0("__arrow_c_stream__")?;
    let capsule = capsule.cast::<PyCapsule>()?;
    let pointer = capsule.pointer_checked(Some(STREAM))?;
    // SAFETY: a capsule of this name holds an ArrowArrayStream and is alive here. The reader refuses a released stream, and
    // takes the other out of the capsule, which is left with a released one.
    let reader =
        unsafe { RecordBatchStreamReader::from_raw(pointer.cast::<FFI_ArrowArrayStream>().as_ptr()) };
    let failed = |error: ArrowError| data_error(format!("cannot read the frame through Arrow: {error}"));
    reader.map_err(failed)?.map(|batch| batch.map_err(failed)).collect()
}

fn chunk(batch: &RecordBatch) -> PyResult<Chunk> {
    Ok(Chunk {
        queries: text(batch, "query_id")?,
        documents: text(batch, "doc_id")?,
        values: floats(batch, "value")?,
        groups: if batch.column_by_name("group").is_some() { Some(text(batch, "group")?) } else { None },
    })
}

pub fn column<'a>(batch: &'a RecordBatch, name: &str) -> PyResult<&'a ArrayRef> {
    batch.column_by_name(name).ok_or_else(|| data_error(format!("the frame has no column {name}")))
}

pub fn floats(batch: &RecordBatch, name: &str) -> PyResult<Float64Array> {
    let values = column(batch, name)?.as_primitive_opt::<Float64Type>();
    Ok(values.ok_or_else(|| data_error(format!("column {name} must be float64")))?.clone())
}

pub fn text(batch: &RecordBatch, name: &str) -> PyResult<Texts> {
    let column = column(batch, name)?;
    Texts::of(column)
        .ok_or_else(|| data_error(format!("column {name} must contain text, not {}", column.data_type())))
}

/// The chunk of a batch whose columns are query, document and value, if they can be ranked as they are: texts and float64,
/// none missing, empty or not finite.
fn plain_chunk(batch: &RecordBatch) -> Option<Chunk> {
    let [queries, documents, values] = batch.columns() else { return None };
    let (queries, documents) = (Texts::of(queries)?, Texts::of(documents)?);
    let values = values.as_primitive_opt::<Float64Type>()?.clone();
    let missing = queries.array().null_count() + documents.array().null_count() + values.null_count();
    let is_plain = missing == 0
        && !queries.has_empty()
        && !documents.has_empty()
        && values.values().iter().all(|value| value.is_finite());
    is_plain.then_some(Chunk { queries, documents, values, groups: None })
}

/// Where a query's rows stand: a stretch of one chunk.
struct Segment {
    query: u32,
    chunk: usize,
    rows: Range<usize>,
}

/// Ranks the judged documents of a frame in place; only queries that do not stand together are copied.
pub fn judge(
    frame: &Bound<'_, PyAny>,
    name: &str,
    index: Arc<Index>,
    options: Vec<Options>,
    threads: usize,
) -> PyResult<Scan> {
    judge_all(frame.py(), chunks(frame)?, name, index, options, threads)
}

/// The same of a frame as it came, with the columns query, document and value; nothing if it has to be prepared.
pub fn judge_plain(
    frame: &Bound<'_, PyAny>,
    name: &str,
    index: Arc<Index>,
    options: Vec<Options>,
    threads: usize,
) -> PyResult<Option<Scan>> {
    // Where a frame cannot be read, the error is that of preparing it. A query may go on from one batch to the next.
    let Some(batches) = unless_wrong(frame.py(), batches(frame))? else { return Ok(None) };
    let [batch] = batches.as_slice() else { return Ok(None) };
    let plain = plain_chunk(batch);
    plain.map(|chunk| judge_all(frame.py(), vec![chunk], name, index, options, threads)).transpose()
}

fn judge_all(
    py: Python<'_>,
    chunks: Vec<Chunk>,
    name: &str,
    index: Arc<Index>,
    options: Vec<Options>,
    threads: usize,
) -> PyResult<Scan> {
    let place = name.to_owned();
    interruptible(py, move |stop| {
        judge_chunks(&chunks, &index, &options, threads, stop).map_err(|fault| fault.at(&place))
    })
}

fn judge_chunks(
    chunks: &[Chunk],
    index: &Index,
    options: &[Options],
    threads: usize,
    stop: &AtomicBool,
) -> Result<Scan, Fault> {
    let mut found = Scan::default();
    let segments = segments(chunks, index, &mut found.unknown)?;
    let mut places = filled(index.queries.len(), 0u32)?;
    segments.iter().for_each(|segment| places[segment.query as usize] += 1);
    let (mut whole, mut parts) = (Vec::new(), Vec::new());
    for segment in segments {
        let place = if places[segment.query as usize] == 1 { &mut whole } else { &mut parts };
        place.add(segment)?;
    }
    found.judged = rank_all(&whole, index, options, threads, stop, |rankers, segment| {
        let chunk = &chunks[segment.chunk];
        let documents = Stretch { column: &chunk.documents, rows: segment.rows.clone() };
        rankers.rank(segment.query, &documents, chunk.values.values().get(segment.rows.clone()))
    })?;
    found.scattered = places.iter().filter(|&&count| count > 1).count();
    let mut builder = RowsBuilder::default();
    for segment in &parts {
        builder.query(index.queries.name(segment.query as usize))?;
        let chunk = &chunks[segment.chunk];
        for row in segment.rows.clone() {
            builder.row(chunk.documents.id(row), chunk.values.value(row))?;
        }
    }
    let scattered = rank_rows(&builder.finish()?, index, options, threads, stop)?;
    Judged::append_all(&mut found.judged, &scattered)?;
    Ok(found)
}

/// The stretches of rows of the queries that have judgments. Every row is checked.
fn segments(chunks: &[Chunk], index: &Index, unknown: &mut Names) -> Result<Vec<Segment>, Fault> {
    let mut segments = Vec::new();
    let mut first = 0;
    for (number, chunk) in chunks.iter().enumerate() {
        check(chunk, first)?;
        let count = chunk.values.len();
        let mut start = 0;
        while start < count {
            let query = chunk.queries.id(start);
            let mut end = start + 1;
            while end < count && chunk.queries.is_same(start, end) {
                end += 1;
            }
            match index.queries.find(query) {
                Some(query) => segments.add(Segment { query, chunk: number, rows: start..end })?,
                None => {
                    unknown.add(query)?;
                }
            }
            start = end;
        }
        first += count;
    }
    Ok(segments)
}

/// Checks that every row has its ids and a finite value.
fn check(chunk: &Chunk, first: usize) -> Result<(), Fault> {
    let columns: [(&str, &dyn Array); 3] = [
        ("query id", chunk.queries.array()),
        ("document id", chunk.documents.array()),
        ("value", &chunk.values),
    ];
    for (name, column) in columns {
        if column.null_count() > 0 {
            let row = (0..column.len()).find(|&row| column.is_null(row)).unwrap_or_default();
            return Err(Fault::format(format!("row {} has no {name}", first + row)));
        }
    }
    if let Some(row) = chunk.values.values().iter().position(|value| !value.is_finite()) {
        let (value, document) = (chunk.values.value(row), show(chunk.documents.id(row)));
        let query = show(chunk.queries.id(row));
        return Err(Fault::format(format!(
            "row {} (query {query}, document {document}) has the value {value}; every value must be finite",
            first + row
        )));
    }
    Ok(())
}

/// The rows of a frame.
pub fn rows(frame: &Bound<'_, PyAny>, name: &str) -> PyResult<Rows> {
    let (chunks, place) = (chunks(frame)?, name.to_owned());
    interruptible(frame.py(), move |stop| rows_of_chunks(&chunks, stop).map_err(|fault| fault.at(&place)))
}

fn rows_of_chunks(chunks: &[Chunk], stop: &AtomicBool) -> Result<Rows, Fault> {
    let mut builder = RowsBuilder::default();
    for chunk in chunks {
        Fault::if_stopped(stop)?;
        check(chunk, builder.rows_so_far())?;
        for row in 0..chunk.values.len() {
            builder.query(chunk.queries.id(row))?;
            builder.row(chunk.documents.id(row), chunk.values.value(row))?;
            if let Some(groups) = &chunk.groups {
                builder.group(groups.id(row))?;
            }
        }
    }
    Ok(builder.finish()?)
}

/// Rows as an Arrow stream with columns `query_id`, `doc_id`, `value` and, where there are groups, `group`.
pub fn export<'py>(py: Python<'py>, rows: Arc<Rows>) -> PyResult<Bound<'py, PyCapsule>> {
    let batch = interruptible(py, move |_| batch_of(&rows))?;
    let schema = batch.schema();
    let reader = RecordBatchIterator::new([Ok(batch)], schema);
    let stream = FFI_ArrowArrayStream::new(Box::new(reader));
    PyCapsule::new_with_value(py, stream, STREAM)
}

fn batch_of(rows: &Rows) -> Result<RecordBatch, Fault> {
    let queries =
        || (0..rows.queries.len()).flat_map(|query| rows.range(query).map(move |_| rows.queries.name(query)));
    let mut columns: Vec<(&str, ArrayRef)> = vec![
        ("query_id", texts(queries)?),
        ("doc_id", texts(|| (0..rows.values.len()).map(|row| rows.document(row)))?),
        ("value", Arc::new(Float64Array::from(copied(&rows.values)?))),
    ];
    if !rows.groups.is_empty() {
        let groups = || rows.groups.iter().map(|&group| rows.group_names.name(group as usize));
        columns.push(("group", texts(groups)?));
    }
    let fields: Vec<Field> = columns
        .iter()
        .map(|(name, _)| {
            Field::new(*name, if *name == "value" { DataType::Float64 } else { DataType::LargeUtf8 }, false)
        })
        .collect();
    let schema = Arc::new(Schema::new(fields));
    let arrays = columns.into_iter().map(|(_, array)| array).collect();
    RecordBatch::try_new(schema, arrays).map_err(unexpected)
}

fn unexpected(error: ArrowError) -> Fault {
    Fault::format(error.to_string())
}

/// A column of texts that came in as UTF-8.
fn texts<'a, I: Iterator<Item = &'a [u8]>>(all: impl Fn() -> I) -> Result<ArrayRef, Fault> {
    let (mut offsets, mut text) = (Vec::new(), Vec::new());
    offsets.add(0)?;
    text.room(all().map(<[u8]>::len).sum())?;
    for each in all() {
        text.add_all(each)?;
        offsets.add(text.len() as i64)?;
    }
    let offsets = OffsetBuffer::new(offsets.into());
    let column = LargeStringArray::try_new(offsets, text.into(), None);
    Ok(Arc::new(column.map_err(unexpected)?))
}
