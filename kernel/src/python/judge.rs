//! `Judge`: takes rankings in any form and keeps what the measures need of them.

use super::dict::{Scratch, rank_dict};
use super::table::{PyIndex, PyRows, duplicates_policy, string};
use super::walk::{each_query, with_id};
use super::work::{interruptible, pipeline};
use super::{bytes_of, data_error, frame};
use crate::fault::show;
use crate::index::Index;
use crate::judged::{Fact, Hit, Judged};
use crate::options::Options;
use crate::parallel::rank_rows;
use crate::rows::Names;
use crate::scan::{Plan, scan};
use crate::text::source::Source;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyList};
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

/// How far a long reading has come, for whoever watches it from another thread.
#[pyclass(module = "assay._kernel", frozen)]
#[derive(Default)]
pub struct Progress {
    bytes: Arc<AtomicU64>,
}

#[pymethods]
impl Progress {
    #[new]
    fn new() -> Self {
        Self::default()
    }

    /// Bytes of the file read so far.
    #[getter]
    fn bytes_read(&self) -> u64 {
        self.bytes.load(Ordering::Relaxed)
    }
}

#[pyclass(name = "Judge", module = "assay._kernel")]
pub struct PyJudge {
    index: Arc<Index>,
    options: Options,
    judged: Judged,
    /// The place of each query's fact, or -1.
    places: Vec<i64>,
    unknown: Names,
    scattered: usize,
    lines: usize,
}

#[pymethods]
impl PyJudge {
    #[new]
    #[pyo3(signature = (index, *, duplicates, single, given, exclude_query))]
    fn new(
        index: &PyIndex,
        duplicates: &str,
        single: bool,
        given: bool,
        exclude_query: bool,
    ) -> PyResult<Self> {
        let options = Options { duplicates: duplicates_policy(duplicates)?, single, given, exclude_query };
        let places = vec![-1; index.index.queries.len()];
        Ok(Self {
            index: Arc::clone(&index.index),
            options,
            judged: Judged::default(),
            places,
            unknown: Names::default(),
            scattered: 0,
            lines: 0,
        })
    }

    /// One ranking.
    fn add(&mut self, query: &Bound<'_, PyAny>, ranking: &Bound<'_, PyAny>) -> PyResult<()> {
        let single = PyDict::new(query.py());
        single.set_item(with_id(query, || "run".into(), |id| string(query.py(), id))?, ranking)?;
        self.add_rankings(single.as_any())
    }

    /// Rankings in a dict or a list.
    fn add_rankings(&mut self, data: &Bound<'_, PyAny>) -> PyResult<()> {
        let index = Arc::clone(&self.index);
        let judged = pipeline(&index, self.options, data.len().unwrap_or(0), |ranker, jobs| {
            let mut scratch = Scratch::default();
            each_query(data, "run", |query, value| {
                let named = with_id(query, || "run".into(), |id| (index.queries.find(id), id.to_vec()));
                let (known, name) = named?;
                if let (Some(known), Ok(dict)) = (known, value.cast::<PyDict>())
                    && rank_dict(ranker, known, dict, &mut scratch)?
                {
                    return Ok(());
                }
                let mut ranking = jobs.spare();
                ranking.read(&name, value)?;
                match known {
                    Some(known) => jobs.send(ranker, known, ranking)?,
                    None => {
                        self.unknown.add(&name);
                    }
                }
                Ok(())
            })
        })?;
        self.take(&judged, "run")
    }

    /// Rankings held as columns.
    fn add_rows(&mut self, py: Python<'_>, rows: &PyRows, name: &str, threads: usize) -> PyResult<()> {
        let (index, rows) = (Arc::clone(&self.index), Arc::clone(&rows.rows));
        for query in rows.queries.iter().filter(|query| index.queries.find(query).is_none()) {
            self.unknown.add(query);
        }
        let options = self.options;
        let judged =
            py.detach(|| rank_rows(&rows, &index, options, threads)).map_err(|fault| fault.at(name))?;
        self.take(&judged, name)
    }

    /// A frame with columns `query_id`, `doc_id` and `value`, the ids as text.
    fn add_frame(&mut self, frame: &Bound<'_, PyAny>, name: &str, threads: usize) -> PyResult<()> {
        let index = Arc::clone(&self.index);
        let found = frame::judge(frame, name, &index, self.options, threads)?;
        for query in found.unknown.iter() {
            self.unknown.add(query);
        }
        self.scattered += found.scattered;
        self.take(&found.judged, name)
    }

    /// A TREC run, read while it is ranked and never held.
    #[pyo3(signature = (path, name, threads, progress=None))]
    fn add_file(
        &mut self,
        py: Python<'_>,
        path: PathBuf,
        name: &str,
        threads: usize,
        progress: Option<&Progress>,
    ) -> PyResult<()> {
        let mut source = Source::new(path, name);
        if let Some(progress) = progress {
            source.progress = Arc::clone(&progress.bytes);
        }
        let index = Arc::clone(&self.index);
        let options = self.options;
        let found = interruptible(py, |stop| scan(&source, &index, options, Plan::new(threads, stop)))?;
        for query in found.unknown.iter() {
            self.unknown.add(query);
        }
        self.scattered += found.scattered;
        self.lines += found.lines;
        self.take(&found.judged, name)
    }

    /// The columns of the hits and of the queries; see `_kernel.pyi`.
    fn columns<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let facts: Vec<(usize, &Fact)> = (0..self.places.len())
            .filter_map(|query| {
                usize::try_from(self.places[query]).ok().map(|place| (query, &self.judged.facts[place]))
            })
            .collect();
        let hits = || facts.iter().flat_map(|(_, fact)| self.judged.hits_of(fact));
        let counts =
            |pick: fn(&Hit) -> u32| bytes_of(py, hits().map(move |hit| i64::from(pick(hit)).to_ne_bytes()));
        let owners =
            facts.iter().flat_map(|(query, fact)| std::iter::repeat_n(*query as i64, fact.hits as usize));
        let mut retrieved = vec![-1i64; self.places.len()];
        for (query, fact) in &facts {
            retrieved[*query] = i64::from(fact.retrieved);
        }
        let columns = PyDict::new(py);
        columns.set_item("retrieved", bytes_of(py, retrieved.iter().map(|count| count.to_ne_bytes())))?;
        columns.set_item("query", bytes_of(py, owners.map(i64::to_ne_bytes)))?;
        columns.set_item("document", counts(|hit| hit.document))?;
        columns.set_item("score", bytes_of(py, hits().map(|hit| hit.score.to_ne_bytes())))?;
        columns.set_item("higher", counts(|hit| hit.higher))?;
        columns.set_item("tied", counts(|hit| hit.tied))?;
        columns.set_item("before_descending", counts(|hit| hit.before_descending))?;
        columns.set_item("before_ascending", counts(|hit| hit.before_ascending))?;
        columns.set_item("before_input", counts(|hit| hit.before_input))?;
        Ok(columns)
    }

    /// Queries of the run that have no judgments.
    fn unknown<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyList>> {
        PyList::new(py, self.unknown.iter().map(|name| string(py, name)))
    }

    #[getter]
    fn scattered(&self) -> usize {
        self.scattered
    }

    #[getter]
    fn repeats_dropped(&self) -> u64 {
        self.judged.facts.iter().map(|fact| u64::from(fact.repeats_dropped)).sum()
    }

    #[getter]
    fn excluded(&self) -> u64 {
        self.judged.facts.iter().map(|fact| u64::from(fact.excluded)).sum()
    }
}

impl PyJudge {
    /// Adds what was judged, all of it or, if a query was there before, nothing.
    fn take(&mut self, judged: &Judged, name: &str) -> PyResult<()> {
        let show_query = |query: u32| show(self.index.queries.name(query as usize));
        if let Some(fact) = judged.facts.iter().find(|fact| self.places[fact.query as usize] >= 0) {
            let query = show_query(fact.query);
            return Err(data_error(format!("{name}: query {query} was added before; add each query once")));
        }
        let mut queries: Vec<u32> = judged.facts.iter().map(|fact| fact.query).collect();
        queries.sort_unstable();
        if let Some(pair) = queries.windows(2).find(|pair| pair[0] == pair[1]) {
            let query = show_query(pair[0]);
            return Err(data_error(format!(
                "{name}: query {query} stands twice, as a string and as an integer"
            )));
        }
        let first = self.judged.facts.len();
        self.judged.append(judged);
        for (place, fact) in self.judged.facts.iter().enumerate().skip(first) {
            self.places[fact.query as usize] = place as i64;
        }
        Ok(())
    }
}
