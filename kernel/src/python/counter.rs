//! `Counter`: counts rows of a run, in any number of frames, against judged documents whose scores are known.

use super::frame::{Texts, batches, column, floats, text};
use super::ranker::PyOptions;
use super::{bytes_of, data_error, texts};
use crate::fault::Fault;
use crate::memory::{Grow, collected};
use crate::rank::levels::{Counter, Row, Tally};
use crate::rank::ranker::Column;
use arrow_array::cast::AsArray;
use arrow_array::types::Int64Type;
use arrow_array::{Array, Float64Array, Int64Array, RecordBatch};
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
        let order =
            if by_order { Some(column(batch, "order")?.as_primitive_opt::<Int64Type>()) } else { None };
        let whole = |column: Option<&Int64Array>| {
            column.cloned().ok_or_else(|| data_error("column order must be int64".into()))
        };
        Ok(Self {
            run: if batch.column_by_name("run").is_some() { Some(text(batch, "run")?) } else { None },
            query: text(batch, "query_id")?,
            document: text(batch, "doc_id")?,
            score: floats(batch, "value")?,
            order: order.map(whole).transpose()?,
        })
    }

    fn check(&self) -> Result<(), Fault> {
        let run = self.run.as_ref().map(|run| ("run", run.array().null_count()));
        let order = self.order.as_ref().map(|order| ("place in the run", order.null_count()));
        let nulls = |texts: &Texts| texts.array().null_count();
        let ids = [("query id", nulls(&self.query)), ("document id", nulls(&self.document))];
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
            run: self.run.as_ref().map(|run| run.id(row)),
            query: self.query.id(row),
            document: self.document.id(row),
            score: self.score.value(row),
            order: self.order.as_ref().map_or(0, |order| order.value(row)),
        }
    }
}
