//! `Ranker`: takes rankings in any form and keeps what the measures need of them.

use super::dict::{Scratch, rank_dict};
use super::table::{PyIndex, PyRows, duplicates_policy, ties_policy};
use super::walk::{each_query, with_id};
use super::work::{interruptible, pipeline};
use super::{bytes, bytes_of, data_error, frame, string, texts, unless_wrong};
use crate::fault::show;
use crate::limits::Limits;
use crate::memory::{Grow, collected, copied, filled};
use crate::parallel::rank_rows;
use crate::rank::chunks::{Chunks, Rule};
use crate::rank::index::Index;
use crate::rank::judged::{FOREIGN, Fact, Hit, Judged, Spread};
use crate::rank::options::Options;
use crate::rank::rows::Names;
use crate::read::parquet::{self, Part};
use crate::read::scan::{Plan, Scan, scan};
use crate::read::source::Source;
use crate::read::surplus::Surplus;
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

/// The names of the columns of a Parquet file; none if the file is not for the kernel.
#[pyfunction]
pub fn parquet_names(py: Python<'_>, path: PathBuf) -> PyResult<Option<Vec<String>>> {
    interruptible(py, move |_| Ok(parquet::column_names(&path)))
}

/// How rankings are read; one `Ranker` can follow several at once.
#[pyclass(name = "Options", module = "assay._kernel", frozen, eq, hash)]
#[derive(Clone, PartialEq, Eq, Hash)]
pub struct PyOptions {
    pub options: Options,
}

#[pymethods]
impl PyOptions {
    #[new]
    #[pyo3(signature = (
        *, duplicates="error", single=false, given=false, exclude_query=false, foreign=false, spread=false, top=0,
        ties="docid_desc", rule=None, best=true, chunk_duplicates="error"
    ))]
    #[expect(clippy::too_many_arguments, reason = "all are named")]
    fn new(
        duplicates: &str,
        single: bool,
        given: bool,
        exclude_query: bool,
        foreign: bool,
        spread: bool,
        top: u32,
        ties: &str,
        rule: Option<(String, String)>,
        best: bool,
        chunk_duplicates: &str,
    ) -> PyResult<Self> {
        let (duplicates, ties) = (duplicates_policy(duplicates)?, ties_policy(ties)?);
        let chunks = match rule {
            None => None,
            Some((kind, argument)) => {
                let unusable = || data_error(format!("the kernel cannot use the rule {kind}:{argument}"));
                let rule = Rule::new(&kind, &argument).ok_or_else(unusable)?;
                Some(Arc::new(Chunks { rule, duplicates: duplicates_policy(chunk_duplicates)?, best }))
            }
        };
        Ok(Self {
            options: Options { duplicates, single, given, exclude_query, foreign, spread, top, ties, chunks },
        })
    }
}

#[pyclass(name = "Ranker", module = "assay._kernel")]
pub struct PyRanker {
    index: Arc<Index>,
    options: Vec<Options>,
    /// What each of the options found; the same queries in the same order.
    judged: Vec<Judged>,
    /// The place of each query's fact, or -1.
    places: Vec<i64>,
    unknown: Names,
    scattered: usize,
    lines: usize,
    /// Whether what follows the sixth field of a TREC line is ignored, and how many lines have more than six.
    surplus: Surplus,
}

#[pymethods]
impl PyRanker {
    #[new]
    #[pyo3(signature = (index, options, *, surplus=false))]
    fn new(index: &PyIndex, options: Vec<PyRef<'_, PyOptions>>, surplus: bool) -> PyResult<Self> {
        let options: Vec<Options> = options.iter().map(|each| each.options.clone()).collect();
        Ok(Self {
            index: Arc::clone(&index.index),
            judged: vec![Judged::default(); options.len()],
            options,
            places: filled(index.index.queries.len(), -1)?,
            unknown: Names::default(),
            scattered: 0,
            lines: 0,
            surplus: Surplus::ignored(surplus),
        })
    }

    /// One ranking.
    fn add(&mut self, query: &Bound<'_, PyAny>, ranking: &Bound<'_, PyAny>) -> PyResult<()> {
        let single = PyDict::new(query.py());
        single.set_item(with_id(query, || "run".into(), |id| string(query.py(), id))??, ranking)?;
        self.add_rankings(single.as_any())
    }

    /// Rankings in a dict or a list.
    fn add_rankings(&mut self, data: &Bound<'_, PyAny>) -> PyResult<()> {
        let index = Arc::clone(&self.index);
        let py = data.py();
        let queries = unless_wrong(py, data.len())?.unwrap_or(0);
        let judged = pipeline(py, &index, &self.options, queries, |rankers, jobs| {
            let mut scratch = Scratch::default();
            each_query(data, "run", |query, value| {
                let named = with_id(query, || "run".into(), |id| (index.queries.find(id), copied(id)));
                let (known, name) = named?;
                if let (Some(known), Ok(dict)) = (known, value.cast::<PyDict>())
                    && rank_dict(rankers, known, dict, &mut scratch)?
                {
                    return Ok(());
                }
                let name = name?;
                let mut ranking = jobs.spare();
                ranking.read(&name, value)?;
                match known {
                    Some(known) => jobs.send(py, rankers, known, ranking)?,
                    None => {
                        self.unknown.add(&name)?;
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
            self.unknown.add(query)?;
        }
        let (options, place) = (self.options.clone(), name.to_owned());
        let judged = interruptible(py, move |stop| {
            rank_rows(&rows, &index, &options, threads, stop).map_err(|fault| fault.at(&place))
        })?;
        self.take(&judged, name)
    }

    /// A frame with columns `query_id`, `doc_id` and `value`, the ids as text.
    fn add_frame(&mut self, frame: &Bound<'_, PyAny>, name: &str, threads: usize) -> PyResult<()> {
        let index = Arc::clone(&self.index);
        let found = frame::judge(frame, name, index, self.options.clone(), threads)?;
        self.add_scan(&found, name)
    }

    /// A frame as it came, whose three columns are queries, documents and scores; false if it has to be
    /// prepared: another type, or something missing, empty or not finite.
    fn add_plain_frame(&mut self, frame: &Bound<'_, PyAny>, name: &str, threads: usize) -> PyResult<bool> {
        let index = Arc::clone(&self.index);
        let found = frame::judge_plain(frame, name, index, self.options.clone(), threads)?;
        found.map(|found| self.add_scan(&found, name)).transpose().map(|taken| taken.is_some())
    }

    /// A TREC run in one file or several, each with its name in messages, that are read as one: it is ranked while it is
    /// read and never held.
    #[pyo3(signature = (parts, name, threads, progress=None, limits=None))]
    fn add_files(
        &mut self,
        py: Python<'_>,
        parts: Vec<(PathBuf, String)>,
        name: &str,
        threads: usize,
        progress: Option<&Progress>,
        limits: Option<Limits>,
    ) -> PyResult<()> {
        let mut source = Source::of_parts(parts, name).within(limits);
        if let Some(progress) = progress {
            source.progress = Arc::clone(&progress.bytes);
        }
        let (index, options, surplus) = (Arc::clone(&self.index), self.options.clone(), self.surplus.ignored);
        let found = interruptible(py, move |stop| {
            source.stop = Arc::clone(stop);
            scan(&source, &index, &options, Plan { surplus, ..Plan::new(threads, stop) })
        })?;
        self.add_scan(&found, name)
    }

    /// A run in Parquet files, each with the names of its columns, that are read as one. False if they are not for the
    /// kernel: nothing is added then, and another reader says what they are.
    #[pyo3(signature = (parts, name, threads, kept_rows, progress=None))]
    fn add_parquet(
        &mut self,
        py: Python<'_>,
        parts: Vec<(PathBuf, [String; 3])>,
        name: &str,
        threads: usize,
        kept_rows: u64,
        progress: Option<&Progress>,
    ) -> PyResult<bool> {
        let parts: Vec<Part> = parts.into_iter().map(|(path, columns)| Part { path, columns }).collect();
        let (index, options) = (Arc::clone(&self.index), self.options.clone());
        let bytes = progress.map_or_else(Arc::default, |progress| Arc::clone(&progress.bytes));
        let place = name.to_owned();
        let found = interruptible(py, move |stop| {
            let plan = parquet::Plan { threads, kept_rows, progress: &bytes, stop };
            parquet::rank(&parts, &index, &options, plan).map_err(|fault| fault.at(&place))
        })?;
        let Some(found) = found else { return Ok(false) };
        self.add_scan(&found, name)?;
        Ok(true)
    }

    /// The columns of the hits and of the queries under one of the options; see `_kernel.pyi`.
    fn columns<'py>(&self, py: Python<'py>, number: usize) -> PyResult<Bound<'py, PyDict>> {
        let judged = self.of(number)?;
        let fact_of =
            |query| usize::try_from(self.places[query]).ok().map(|place| (query, &judged.facts[place]));
        let facts: Vec<(usize, &Fact)> = collected((0..self.places.len()).filter_map(fact_of))?;
        let hits = || facts.iter().flat_map(|(_, fact)| judged.hits_of(fact));
        let counts =
            |pick: fn(&Hit) -> u32| bytes_of(py, hits().map(move |hit| i64::from(pick(hit)).to_ne_bytes()));
        let owners =
            facts.iter().flat_map(|(query, fact)| std::iter::repeat_n(*query as i64, fact.hits as usize));
        let of_queries = |missing: i64, pick: fn(&Fact) -> u32| {
            let mut counts = filled(self.places.len(), missing)?;
            facts.iter().for_each(|(query, fact)| counts[*query] = i64::from(pick(fact)));
            bytes_of(py, counts.into_iter().map(i64::to_ne_bytes))
        };
        let figures = |pick: fn(&Spread) -> f64| {
            let mut figures = filled(self.places.len(), f64::NAN)?;
            for (query, fact) in &facts {
                figures[*query] = fact.spread.as_ref().map_or(f64::NAN, pick);
            }
            bytes_of(py, figures.into_iter().map(f64::to_ne_bytes))
        };
        let columns = PyDict::new(py);
        columns.set_item("retrieved", of_queries(-1, |fact| fact.retrieved)?)?;
        columns.set_item("repeats", of_queries(0, |fact| fact.repeats_kept)?)?;
        columns.set_item("top", figures(|spread| spread.top)?)?;
        columns.set_item("second", figures(|spread| spread.second)?)?;
        columns.set_item("deviation", figures(|spread| spread.deviation)?)?;
        columns.set_item("query", bytes_of(py, owners.map(i64::to_ne_bytes))?)?;
        let number = |hit: &Hit| if hit.document == FOREIGN { -1 } else { i64::from(hit.document) };
        columns.set_item("document", bytes_of(py, hits().map(|hit| number(hit).to_ne_bytes()))?)?;
        columns.set_item("score", bytes_of(py, hits().map(|hit| hit.score.to_ne_bytes()))?)?;
        columns.set_item("higher", counts(|hit| hit.higher)?)?;
        columns.set_item("tied", counts(|hit| hit.tied)?)?;
        columns.set_item("before_descending", counts(|hit| hit.before_descending)?)?;
        columns.set_item("before_ascending", counts(|hit| hit.before_ascending)?)?;
        columns.set_item("before_input", counts(|hit| hit.before_input)?)?;
        Ok(columns)
    }

    /// The first documents of each query under one of the options; see `_kernel.pyi`.
    fn tops<'py>(&self, py: Python<'py>, number: usize) -> PyResult<Bound<'py, PyDict>> {
        let tops = &self.of(number)?.tops;
        let mut lists = filled(self.places.len(), None)?;
        tops.lists.iter().for_each(|list| lists[list.query as usize] = Some(list));
        let (mut starts, mut offsets, mut ids, mut scores) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
        starts.add(0i64)?;
        offsets.add(0i64)?;
        for list in lists {
            for (id, score) in list.into_iter().flat_map(|list| tops.of(list)) {
                ids.add_all(String::from_utf8_lossy(id).as_bytes())?;
                offsets.add(ids.len() as i64)?;
                scores.add(score)?;
            }
            starts.add(scores.len() as i64)?;
        }
        let columns = PyDict::new(py);
        columns.set_item("starts", bytes_of(py, starts.into_iter().map(i64::to_ne_bytes))?)?;
        columns.set_item("offsets", bytes_of(py, offsets.into_iter().map(i64::to_ne_bytes))?)?;
        columns.set_item("ids", bytes(py, &ids)?)?;
        columns.set_item("scores", bytes_of(py, scores.into_iter().map(f64::to_ne_bytes))?)?;
        Ok(columns)
    }

    /// Queries of the run that have no judgments.
    fn unknown<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyList>> {
        texts(py, self.unknown.iter())
    }

    #[getter]
    fn scattered(&self) -> usize {
        self.scattered
    }

    /// Lines with more than six fields, if what follows these is ignored.
    #[getter]
    fn surplus(&self) -> usize {
        self.surplus.lines
    }

    fn repeats_dropped(&self, number: usize) -> PyResult<u64> {
        let dropped = |fact: &Fact| u64::from(fact.repeats_dropped) + u64::from(fact.chunks.repeats);
        Ok(self.of(number)?.facts.iter().map(dropped).sum())
    }

    /// Of rankings of chunks: how many were retrieved, left out for another one of their document, and not matched.
    fn chunks(&self, number: usize) -> PyResult<(u64, u64, u64)> {
        let facts = self.of(number)?.facts.iter().map(|fact| fact.chunks);
        Ok(facts.fold((0, 0, 0), |(retrieved, dropped, unmatched), fact| {
            let add = |sum: u64, more: u32| sum + u64::from(more);
            (add(retrieved, fact.retrieved), add(dropped, fact.dropped), add(unmatched, fact.unmatched))
        }))
    }

    /// Some ids of chunks that the rule does not match, the first few of each query, by query.
    fn unmatched<'py>(&self, py: Python<'py>, number: usize) -> PyResult<Bound<'py, PyList>> {
        let mut ids: Vec<&(u32, Vec<u8>)> = collected(self.of(number)?.unmatched.iter())?;
        ids.sort_by_key(|(query, _)| *query);
        texts(py, ids.into_iter().map(|(_, id)| id.as_slice()))
    }

    fn excluded(&self, number: usize) -> PyResult<u64> {
        Ok(self.of(number)?.facts.iter().map(|fact| u64::from(fact.excluded)).sum())
    }
}

impl PyRanker {
    fn add_scan(&mut self, found: &Scan, name: &str) -> PyResult<()> {
        for query in found.unknown.iter() {
            self.unknown.add(query)?;
        }
        self.scattered += found.scattered;
        self.lines += found.lines;
        self.surplus.lines += found.surplus;
        self.take(&found.judged, name)
    }

    /// Adds what was judged, all of it or, if a query was there before, nothing.
    fn take(&mut self, judged: &[Judged], name: &str) -> PyResult<()> {
        let Some(first) = judged.first() else { return Ok(()) };
        let show_query = |query: u32| show(self.index.queries.name(query as usize));
        if let Some(fact) = first.facts.iter().find(|fact| self.places[fact.query as usize] >= 0) {
            let query = show_query(fact.query);
            return Err(data_error(format!("{name}: query {query} was already added; add each query once")));
        }
        let mut queries = collected(first.facts.iter().map(|fact| fact.query))?;
        queries.sort_unstable();
        if let Some(pair) = queries.windows(2).find(|pair| pair[0] == pair[1]) {
            let query = show_query(pair[0]);
            return Err(data_error(format!(
                "{name}: duplicate query id {query}, as a string and as an integer"
            )));
        }
        let before = self.judged.first().map_or(0, |judged| judged.facts.len());
        Judged::append_all(&mut self.judged, judged)?;
        for (place, fact) in first.facts.iter().enumerate() {
            self.places[fact.query as usize] = (before + place) as i64;
        }
        Ok(())
    }

    /// What one of the options found.
    fn of(&self, number: usize) -> PyResult<&Judged> {
        let missing = || data_error(format!("this ranker has no options number {number}"));
        self.judged.get(number).ok_or_else(missing)
    }
}
