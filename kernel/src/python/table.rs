//! `Rows`, judgments or rankings held as columns, and `Index`, judgments made ready for ranking.

use super::walk::{Ranking, add_judgments, each_query, has_groups, with_id};
use super::work::{MANY_ROWS, interruptible};
use super::{bytes_of, data_error, frame, string, texts};
use crate::fault::{Fault, show};
use crate::limits::Limits;
use crate::rank::index::Index;
use crate::rank::options::{Duplicates, Ties};
use crate::rank::rows::{Rows, RowsBuilder};
use crate::read::source::Source;
use crate::read::whole::{read_qrels, read_run};
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyCapsule, PyList, PyString};
use std::path::PathBuf;
use std::sync::Arc;

#[pyclass(name = "Rows", module = "assay._kernel", frozen)]
pub struct PyRows {
    pub rows: Arc<Rows>,
}

impl PyRows {
    fn new(rows: Rows) -> Self {
        Self { rows: Arc::new(rows) }
    }
}

#[pymethods]
impl PyRows {
    /// Judgments from a dict or a list.
    #[staticmethod]
    fn from_judgments(data: &Bound<'_, PyAny>) -> PyResult<Self> {
        let mut grouped = false;
        each_query(data, "judgments", |_, value| {
            grouped |= has_groups(value)?;
            Ok(())
        })?;
        let mut builder = RowsBuilder::default();
        each_query(data, "judgments", |query, value| {
            let name = with_id(query, || "judgments".into(), <[u8]>::to_vec)?;
            if builder.query(&name)? {
                return Err(data_error(format!(
                    "judgments: duplicate query id {}, as a string and as an integer",
                    show(&name)
                )));
            }
            add_judgments(&mut builder, &name, value, grouped)
        })?;
        Ok(Self::new(builder.finish()?))
    }

    /// Rankings from a dict, a list, or pairs of a query and its ranking.
    #[staticmethod]
    fn from_rankings(data: &Bound<'_, PyAny>) -> PyResult<Self> {
        let mut builder = RowsBuilder::default();
        let mut ranking = Ranking::default();
        each_query(data, "run", |query, value| {
            let name = with_id(query, || "run".into(), <[u8]>::to_vec)?;
            if builder.query(&name)? {
                return Err(data_error(format!(
                    "run: duplicate query id {}, as a string and as an integer",
                    show(&name)
                )));
            }
            ranking.read(&name, value)?;
            if ranking.ordered {
                builder.set_ordered();
            }
            for (position, span) in ranking.documents.iter().enumerate() {
                let score = ranking.scores.get(position).copied().unwrap_or(0.0);
                builder.row(span.of(&ranking.text), score)?;
            }
            Ok(())
        })?;
        Ok(Self::new(builder.finish()?))
    }

    /// TREC text in one file or several, each with its name in messages, that are read as one.
    #[staticmethod]
    #[pyo3(signature = (parts, name, judgments, limits=None))]
    fn from_files(
        py: Python<'_>,
        parts: Vec<(PathBuf, String)>,
        name: &str,
        judgments: bool,
        limits: Option<Limits>,
    ) -> PyResult<Self> {
        let mut source = Source::of_parts(parts, name).within(limits);
        let rows = interruptible(py, move |stop| {
            source.stop = Arc::clone(stop);
            if judgments { read_qrels(&source) } else { read_run(&source) }
        })?;
        Ok(Self::new(rows))
    }

    /// A frame with columns `query_id`, `doc_id`, `value` and perhaps `group`, the ids as text.
    #[staticmethod]
    fn from_frame(frame: &Bound<'_, PyAny>, name: &str) -> PyResult<Self> {
        Ok(Self::new(frame::rows(frame, name)?))
    }

    /// The same rankings under another tag.
    fn with_tag(&self, tag: &str) -> PyResult<Self> {
        Ok(Self::new(Rows { tag: tag.as_bytes().to_vec(), ..self.rows.copy()? }))
    }

    /// The same rankings, with those of some queries given as an order, and with these scores; 0 where there is none.
    fn with_order(&self, queries: Vec<usize>, scores: Vec<f64>) -> PyResult<Self> {
        let mut rows = self.rows.copy()?;
        if scores.len() != rows.values.len() {
            return Err(data_error(format!("{} scores for {} rows", scores.len(), rows.values.len())));
        }
        rows.values = scores;
        for query in queries {
            if let Some(ordered) = rows.ordered.get_mut(query) {
                *ordered = true;
            }
        }
        Ok(Self::new(rows))
    }

    fn queries<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyList>> {
        texts(py, self.rows.queries.iter())
    }

    /// Where each query's rows begin, as int64.
    fn starts<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyBytes>> {
        bytes_of(py, self.rows.starts.iter().map(|&start| (start as i64).to_ne_bytes()))
    }

    /// All grades or scores, as float64.
    fn values<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyBytes>> {
        bytes_of(py, self.rows.values.iter().map(|value| value.to_ne_bytes()))
    }

    fn find(&self, query: &str) -> Option<u32> {
        self.rows.queries.find(query.as_bytes())
    }

    /// Whether the query's documents were given as an order.
    fn is_ordered(&self, query: usize) -> bool {
        self.rows.ordered.get(query).copied().unwrap_or(false)
    }

    /// The documents of one query, in input order.
    fn documents<'py>(&self, py: Python<'py>, query: usize) -> PyResult<Bound<'py, PyList>> {
        texts(py, self.rows.range(query).map(|row| self.rows.document(row)))
    }

    /// The groups of one query's rows, or nothing where the data has none.
    fn groups<'py>(&self, py: Python<'py>, query: usize) -> PyResult<Option<Bound<'py, PyList>>> {
        let Some(groups) = self.rows.groups.get(self.rows.range(query)).filter(|_| self.has_groups()) else {
            return Ok(None);
        };
        Ok(Some(texts(py, groups.iter().map(|&group| self.rows.group_names.name(group as usize)))?))
    }

    /// The number of each row's group, as int64; empty where the data has none.
    fn group_numbers<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyBytes>> {
        bytes_of(py, self.rows.groups.iter().map(|&group| i64::from(group).to_ne_bytes()))
    }

    fn group_names<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyList>> {
        texts(py, self.rows.group_names.iter())
    }

    fn has_groups(&self) -> bool {
        !self.rows.groups.is_empty()
    }

    fn has_order(&self) -> bool {
        self.rows.ordered.contains(&true)
    }

    #[getter]
    fn tag<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyString>> {
        string(py, &self.rows.tag)
    }

    fn __len__(&self) -> usize {
        self.rows.values.len()
    }

    #[pyo3(signature = (requested_schema=None))]
    fn __arrow_c_stream__<'py>(
        &self,
        py: Python<'py>,
        requested_schema: Option<Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyCapsule>> {
        let _ = requested_schema;
        frame::export(py, Arc::clone(&self.rows))
    }
}

#[pyclass(name = "Index", module = "assay._kernel", frozen)]
pub struct PyIndex {
    pub index: Arc<Index>,
}

#[pymethods]
impl PyIndex {
    #[new]
    fn new(py: Python<'_>, rows: &PyRows, duplicates: &str) -> PyResult<Self> {
        let duplicates = duplicates_policy(duplicates)?;
        let rows = Arc::clone(&rows.rows);
        let make =
            move |rows: &Rows| Index::new(rows, duplicates).map_err(|fault: Fault| fault.at("judgments"));
        let index = match rows.values.len() > MANY_ROWS {
            true => interruptible(py, move |_| make(&rows))?,
            false => make(&rows)?,
        };
        Ok(Self { index: Arc::new(index) })
    }

    /// Where each query's documents begin, as int64.
    fn starts<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyBytes>> {
        bytes_of(py, self.index.starts.iter().map(|&start| (start as i64).to_ne_bytes()))
    }

    /// The grade of each document, as float64.
    fn grades<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyBytes>> {
        bytes_of(py, self.index.grades.iter().map(|grade| grade.to_ne_bytes()))
    }

    /// All grades, from high to low inside each query, as float64.
    fn best_first<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyBytes>> {
        let index = Arc::clone(&self.index);
        let grades = match index.grades.len() > MANY_ROWS {
            true => interruptible(py, move |_| Ok(index.best_first()?))?,
            false => index.best_first()?,
        };
        bytes_of(py, grades.iter().map(|grade| grade.to_ne_bytes()))
    }

    /// The document of each row of the judgments, as int64.
    fn row_documents<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyBytes>> {
        bytes_of(py, self.index.row_documents.iter().map(|&document| i64::from(document).to_ne_bytes()))
    }

    fn document<'py>(&self, py: Python<'py>, number: usize) -> PyResult<Bound<'py, PyString>> {
        string(py, self.index.document(number))
    }
}

pub fn duplicates_policy(name: &str) -> PyResult<Duplicates> {
    match name {
        "error" => Ok(Duplicates::Error),
        "first" => Ok(Duplicates::First),
        "last" => Ok(Duplicates::Last),
        "count" => Ok(Duplicates::Count),
        other => Err(data_error(format!("unknown policy for duplicates: {other}"))),
    }
}

pub fn ties_policy(name: &str) -> PyResult<Ties> {
    match name {
        "docid_desc" => Ok(Ties::Descending),
        "docid_asc" => Ok(Ties::Ascending),
        "input" => Ok(Ties::Input),
        other => Err(data_error(format!("unknown policy for ties: {other}"))),
    }
}
