//! `Counter`: counts rows of a run, in any number of frames, against judged documents whose scores are known.

use super::frame::batches;
use super::ranker::PyOptions;
use super::{bytes_of, data_error, texts};
use crate::fault::Fault;
use crate::memory::{Grow, collected};
use crate::rank::levels::{Counter, Row, Tally};
use arrow_array::cast::AsArray;
use arrow_array::types::{Float64Type, Int64Type};
use arrow_array::{
    Array, ArrayRef, Float64Array, Int64Array, LargeStringArray, RecordBatch, StringArray, StringViewArray,
};
use pyo3::prelude::*;
use pyo3::types::PyDict;

#[pyclass(name = "Counter", module = "assay._kernel")]
pub struct PyCounter {
    counter: Counter,
    by_order: bool,
    /// What messages call the rows.
    name: String,
}

#[pymethods]
impl PyCounter {
    /// `found` is a frame of the judged documents that were retrieved: `query_id`, `doc_id`, `value`, and `run` and `order`
    /// where rows have them; those of a ranking stand together, from low to high.
    #[new]
    #[pyo3(signature = (found, options, *, by_order=false, name="the run"))]
    fn new(found: &Bound<'_, PyAny>, options: &PyOptions, by_order: bool, name: &str) -> PyResult<Self> {
        let mut counter = Counter::new(options.options.clone(), by_order)?;
        for batch in batches(found)? {
            let columns = Columns::of(&batch, by_order)?;
            (0..batch.num_rows()).try_for_each(|row| counter.add_level(columns.row(row)))?;
        }
        Ok(Self { counter, by_order, name: name.to_owned() })
    }

    /// Counts the rows of a frame with the same columns.
    fn add(&mut self, py: Python<'_>, frame: &Bound<'_, PyAny>) -> PyResult<()> {
        for batch in batches(frame)? {
            let columns = Columns::of(&batch, self.by_order)?;
            let counter = &mut self.counter;
            let counted = py.detach(|| {
                columns.check()?;
                (0..batch.num_rows()).try_for_each(|row| counter.add(columns.row(row)))
            });
            counted.map_err(|fault| fault.at(&self.name))?;
            py.check_signals()?;
        }
        Ok(())
    }

    /// The slots that are not empty, and their counts, as int64; and the rankings without judged documents: their run and
    /// query, and how many rows they have and how many were left out.
    fn state<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let filled = || self.counter.slots().iter().enumerate().filter(|&(_, &count)| count > 0);
        let others = collected(self.counter.others())?;
        let state = PyDict::new(py);
        state.set_item("slot", bytes_of(py, filled().map(|(slot, _)| (slot as i64).to_ne_bytes()))?)?;
        state.set_item("count", bytes_of(py, filled().map(|(_, &count)| (count as i64).to_ne_bytes()))?)?;
        let mut runs = Vec::new();
        runs.add_each(others.iter().filter_map(|&(run, _, _)| run))?;
        state.set_item("run", texts(py, runs.into_iter())?)?;
        state.set_item("query_id", texts(py, others.iter().map(|&(_, query, _)| query))?)?;
        let tallies = |pick: fn(&Tally) -> u64| {
            bytes_of(py, others.iter().map(move |(_, _, tally)| (pick(tally) as i64).to_ne_bytes()))
        };
        state.set_item("rows", tallies(|tally| tally.rows)?)?;
        state.set_item("excluded", tallies(|tally| tally.excluded)?)?;
        Ok(state)
    }
}

/// The columns of a batch.
struct Columns {
    run: Option<Texts>,
    query: Texts,
    document: Texts,
    score: Float64Array,
    order: Option<Int64Array>,
}

impl Columns {
    fn of(batch: &RecordBatch, by_order: bool) -> PyResult<Self> {
        let find = |name: &str| {
            let missing = || data_error(format!("the frame has no column {name}"));
            batch.column_by_name(name).ok_or_else(missing)
        };
        let score = find("value")?.as_primitive_opt::<Float64Type>().cloned();
        let order =
            if by_order { Some(find("order")?.as_primitive_opt::<Int64Type>().cloned()) } else { None };
        let whole = |column: Option<Int64Array>| {
            column.ok_or_else(|| data_error("column order must be int64".into()))
        };
        Ok(Self {
            run: batch.column_by_name("run").map(|column| Texts::of(column, "run")).transpose()?,
            query: Texts::of(find("query_id")?, "query_id")?,
            document: Texts::of(find("doc_id")?, "doc_id")?,
            score: score.ok_or_else(|| data_error("column value must be float64".into()))?,
            order: order.map(whole).transpose()?,
        })
    }

    fn check(&self) -> Result<(), Fault> {
        let run = self.run.as_ref().map(|run| ("run", run.nulls()));
        let order = self.order.as_ref().map(|order| ("place in the run", order.null_count()));
        let ids = [("query id", self.query.nulls()), ("document id", self.document.nulls())];
        let mut all = ids.into_iter().chain([("score", self.score.null_count())]).chain(run).chain(order);
        match all.find(|&(_, nulls)| nulls > 0) {
            Some((name, nulls)) => {
                let what = if nulls == 1 { "1 row has".into() } else { format!("{nulls} rows have") };
                Err(Fault::format(format!("{what} no {name}; every row needs one")))
            }
            None => Ok(()),
        }
    }

    #[inline]
    fn row(&self, row: usize) -> Row<'_> {
        Row {
            run: self.run.as_ref().map(|run| run.value(row)),
            query: self.query.value(row),
            document: self.document.value(row),
            score: self.score.value(row),
            order: self.order.as_ref().map_or(0, |order| order.value(row)),
        }
    }
}

/// Text as Arrow's libraries have it: Spark's is small, polars' are views.
enum Texts {
    Small(StringArray),
    Large(LargeStringArray),
    View(StringViewArray),
}

impl Texts {
    fn of(column: &ArrayRef, name: &str) -> PyResult<Self> {
        let small = || column.as_string_opt::<i32>().map(|each| Self::Small(each.clone()));
        let large = || column.as_string_opt::<i64>().map(|each| Self::Large(each.clone()));
        let view = || column.as_string_view_opt().map(|each| Self::View(each.clone()));
        small()
            .or_else(large)
            .or_else(view)
            .ok_or_else(|| data_error(format!("column {name} must contain text, not {}", column.data_type())))
    }

    #[inline]
    fn value(&self, row: usize) -> &[u8] {
        match self {
            Self::Small(column) => column.value(row).as_bytes(),
            Self::Large(column) => column.value(row).as_bytes(),
            Self::View(column) => column.value(row).as_bytes(),
        }
    }

    fn nulls(&self) -> usize {
        match self {
            Self::Small(column) => column.null_count(),
            Self::Large(column) => column.null_count(),
            Self::View(column) => column.null_count(),
        }
    }
}
