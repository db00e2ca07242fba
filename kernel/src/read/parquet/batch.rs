//! Some rows of a file: their queries, documents and scores, each with a value.

use super::Stop;
use crate::memory::Grow;
use crate::rank::ranker::Column;
use crate::rank::rows::{Span, Spans};
use arrow_array::builder::StringViewBuilder;
use arrow_array::cast::AsArray;
use arrow_array::types::{
    ArrowPrimitiveType, Float32Type, Float64Type, Int8Type, Int16Type, Int32Type, Int64Type, UInt8Type,
    UInt16Type, UInt32Type, UInt64Type,
};
use arrow_array::{Array, ArrayRef, RecordBatch, StringViewArray};
use arrow_schema::DataType;
use std::fmt::Display;
use std::fmt::Write;
use std::ops::Range;

/// Whether a column can hold ids: texts or integers.
pub fn is_id(kind: &DataType, is_text: bool) -> bool {
    match kind {
        DataType::Utf8 | DataType::LargeUtf8 | DataType::Utf8View => is_text,
        DataType::Dictionary(_, value) => {
            !matches!(**value, DataType::Dictionary(_, _)) && is_text && is_id(value, is_text)
        }
        _ => kind.is_integer(),
    }
}

/// Whether a column can hold scores.
pub fn is_number(kind: &DataType) -> bool {
    kind.is_integer() || matches!(kind, DataType::Float64 | DataType::Float32)
}

/// What is made of a column of integers, whichever type they have.
macro_rules! of_integers {
    ($kind:expr, $type:ident => $made:expr) => {
        of_integers!(@ $kind, $type => $made; Int8 Int8Type, Int16 Int16Type, Int32 Int32Type, Int64 Int64Type,
            UInt8 UInt8Type, UInt16 UInt16Type, UInt32 UInt32Type, UInt64 UInt64Type)
    };
    (@ $kind:expr, $type:ident => $made:expr; $($name:ident $own:ident),*) => {
        match $kind {
            $(DataType::$name => {
                type $type = $own;
                $made
            })*
            _ => Err(Stop::Unfit),
        }
    };
}

/// Bytes of the documents of one query: one text in a dictionary may be that of a million rows.
const MOST_HELD: usize = 1 << 30;

/// A text of so many bytes is in its view.
const SHORT: u32 = 12;

/// Rows of a run.
pub struct Batch {
    pub queries: StringViewArray,
    pub documents: StringViewArray,
    pub scores: Vec<f64>,
}

impl Batch {
    pub fn new(batch: &RecordBatch, places: [usize; 3]) -> Result<Self, Stop> {
        let [queries, documents, scores] = places.map(|place| batch.columns().get(place).ok_or(Stop::Unfit));
        Ok(Self { queries: ids(queries?)?, documents: ids(documents?)?, scores: numbers(scores?)? })
    }

    pub fn len(&self) -> usize {
        self.scores.len()
    }

    /// Where the rows end that have the same query as the row `start`.
    #[inline]
    pub fn end_of_query(&self, start: usize) -> usize {
        let views = self.queries.views();
        // A view has the length of the text, its first four bytes and, if there are up to twelve, the rest.
        let same = |&row: &usize| match views[row] ^ views[start] {
            0 => true,
            difference if difference as u64 != 0 || views[row] as u32 <= SHORT => false,
            _ => self.queries.value(row) == self.queries.value(start),
        };
        (start + 1..self.len()).take_while(same).last().unwrap_or(start) + 1
    }

    #[inline]
    pub fn query(&self, row: usize) -> &[u8] {
        self.queries.value(row).as_bytes()
    }

    #[inline]
    pub fn document(&self, row: usize) -> &[u8] {
        self.documents.value(row).as_bytes()
    }
}

impl Column for Batch {
    #[inline]
    fn id(&self, row: usize) -> &[u8] {
        self.document(row)
    }
}

/// A column of ids as text; integers in decimal.
fn ids(column: &ArrayRef) -> Result<StringViewArray, Stop> {
    if column.null_count() > 0 {
        return Err(Stop::Unfit);
    }
    let Some(texts) = column.as_string_view_opt() else {
        return of_integers!(column.data_type(), Integer => decimal::<Integer>(column));
    };
    // The lower half of a view says how long the text is.
    let is_empty = |&view: &u128| view as u32 == 0;
    if texts.views().iter().any(is_empty) { Err(Stop::Unfit) } else { Ok(texts.clone()) }
}

fn decimal<T: ArrowPrimitiveType<Native: Display>>(column: &ArrayRef) -> Result<StringViewArray, Stop> {
    let numbers = column.as_primitive_opt::<T>().ok_or(Stop::Unfit)?;
    let mut texts = StringViewBuilder::with_capacity(numbers.len());
    let mut text = String::new();
    for number in numbers.values() {
        text.clear();
        write!(text, "{number}").map_err(|_| Stop::Unfit)?;
        texts.append_value(&text);
    }
    Ok(texts.finish())
}

/// A column of scores, each of them finite.
fn numbers(column: &ArrayRef) -> Result<Vec<f64>, Stop> {
    if column.null_count() > 0 {
        return Err(Stop::Unfit);
    }
    let numbers = match column.data_type() {
        DataType::Float64 => values_of::<Float64Type>(column, |value| value),
        DataType::Float32 => values_of::<Float32Type>(column, f64::from),
        kind => of_integers!(kind, Integer => values_of::<Integer>(column, |value| value as f64)),
    }?;
    if numbers.iter().all(|number| number.is_finite()) { Ok(numbers) } else { Err(Stop::Unfit) }
}

fn values_of<T: ArrowPrimitiveType>(
    column: &ArrayRef,
    float: impl Fn(T::Native) -> f64,
) -> Result<Vec<f64>, Stop> {
    let column = column.as_primitive_opt::<T>().ok_or(Stop::Unfit)?;
    Ok(crate::memory::collected(column.values().iter().map(|&value| float(value)))?)
}

/// The rows of one query that may go on in the next batch or group.
#[derive(Debug, Default)]
pub struct Held {
    pub query: Vec<u8>,
    text: Vec<u8>,
    spans: Vec<Span>,
    pub scores: Vec<f64>,
}

impl Held {
    pub fn is_empty(&self) -> bool {
        self.spans.is_empty()
    }

    pub fn clear(&mut self) {
        self.query.clear();
        self.text.clear();
        self.spans.clear();
        self.scores.clear();
    }

    /// Adds rows of a batch, all of the same query.
    pub fn add(&mut self, batch: &Batch, rows: Range<usize>) -> Result<(), Stop> {
        if self.is_empty() {
            self.query.add_all(batch.query(rows.start))?;
        }
        for row in rows.clone() {
            let start = self.text.len();
            self.text.add_all(batch.document(row))?;
            self.spans.add(Span { start, end: self.text.len() })?;
            if self.text.len() > MOST_HELD {
                return Err(Stop::Unfit);
            }
        }
        Ok(self.scores.add_all(&batch.scores[rows])?)
    }

    /// Adds what another one holds of the same query.
    pub fn append(&mut self, other: &Self) -> Result<(), Stop> {
        let shift = self.text.len();
        self.text.add_all(&other.text)?;
        self.spans.add_each(
            other.spans.iter().map(|span| Span { start: span.start + shift, end: span.end + shift }),
        )?;
        Ok(self.scores.add_all(&other.scores)?)
    }

    pub fn documents(&self) -> Spans<'_> {
        Spans { text: &self.text, spans: &self.spans }
    }
}
