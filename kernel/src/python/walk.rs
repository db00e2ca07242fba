//! Walks judgments and rankings that are Python objects.

use super::steady::{Elements, each_entry, each_held, each_pair, each_string, explained};
use super::{data_error, unless_wrong};
use crate::fault::{Fault, show};
use crate::memory::{Grow, Lack};
use crate::rank::ranker::Rankers;
use crate::rank::rows::{RowsBuilder, Span, Spans};
use pyo3::exceptions::PyRecursionError;
use pyo3::prelude::*;
use pyo3::types::{PyBool, PyDict, PyFloat, PyFrozenSet, PyInt, PyList, PySet, PyString, PyTuple};

/// An id: a string as it is, an integer as its decimal string.
pub fn with_id<T>(
    object: &Bound<'_, PyAny>,
    place: impl Fn() -> String,
    act: impl FnOnce(&[u8]) -> T,
) -> PyResult<T> {
    if let Ok(text) = object.cast::<PyString>() {
        return match unless_wrong(object.py(), text.to_str())? {
            Some(text) => check_id(text, &place).map(|()| act(text.as_bytes())),
            None => Err(data_error(format!("{}: an id is not valid Unicode", place()))),
        };
    }
    let number = match object.is_instance_of::<PyFloat>() || object.is_instance_of::<PyBool>() {
        true => None,
        false => unless_wrong(object.py(), object.extract::<i128>())?,
    };
    match number {
        Some(number) => Ok(act(number.to_string().as_bytes())),
        None if object.is_instance_of::<PyInt>() && !object.is_instance_of::<PyBool>() => {
            match unless_wrong(object.py(), object.str())? {
                Some(digits) => Ok(act(digits.to_str()?.as_bytes())),
                None => Err(data_error(format!(
                    "{}: an id has thousands of digits; pass it as a string",
                    place()
                ))),
            }
        }
        None => {
            let kind = kind(object)?;
            Err(data_error(format!("{}: an id must be a string or an integer, not {kind}", place())))
        }
    }
}

fn check_id(text: &str, place: &impl Fn() -> String) -> PyResult<()> {
    if text.is_empty() {
        return Err(data_error(format!("{}: an id is the empty string", place())));
    }
    Ok(())
}

/// A finite number: a float, an integer, or what Python can make a float of. A truth value is a grade but no score.
fn number(object: &Bound<'_, PyAny>, name: &str, place: impl Fn() -> PyResult<String>) -> PyResult<f64> {
    // Integers are common as grades; most fit in 64 bits, which are read fastest.
    let whole = if object.is_exact_instance_of::<PyInt>() { object.extract::<i64>().ok() } else { None };
    let value = match (whole, object.cast_exact::<PyFloat>()) {
        (Some(whole), _) => whole as f64,
        (None, Ok(float)) => float.value(),
        (None, Err(_)) => {
            let converted = unless_wrong(object.py(), object.extract::<f64>())?;
            match converted.filter(|_| name != "score" || !is_truth_value(object)) {
                Some(value) => value,
                None if object.is_instance_of::<PyInt>() && !is_truth_value(object) => {
                    return Err(data_error(format!("{}: the {name} is too large for a float", place()?)));
                }
                None => {
                    let kind = kind(object)?;
                    return Err(data_error(format!("{}: the {name} must be a number, not {kind}", place()?)));
                }
            }
        }
    };
    if value.is_finite() {
        return Ok(value);
    }
    Err(data_error(format!("{}: the {name} is {value}; every {name} must be finite", place()?)))
}

/// Whether an object is Python's or NumPy's true or false.
fn is_truth_value(object: &Bound<'_, PyAny>) -> bool {
    object.is_instance_of::<PyBool>()
        || object.get_type().name().is_ok_and(|name| name == "bool" || name == "bool_")
}

/// The type of an object, with its value where that is short.
pub fn kind(object: &Bound<'_, PyAny>) -> PyResult<String> {
    let name = object.get_type().name().map_or_else(|_| "object".into(), |name| name.to_string());
    if object.is_none() {
        return Ok("None".into());
    }
    // Data that is nested too deeply to be shown is wrong all the same.
    let too_deep = |error: &PyErr| error.is_instance_of::<PyRecursionError>(object.py());
    let repr = object.repr().map(Some).or_else(|error| if too_deep(&error) { Ok(None) } else { Err(error) });
    Ok(match unless_wrong(object.py(), repr)?.flatten() {
        Some(repr) if repr.len().is_ok_and(|length| length <= 40) => {
            let printable: String = repr.to_string_lossy().chars().flat_map(escape_control).collect();
            format!("{name} {printable}")
        }
        _ => name,
    })
}

/// An id as messages show it, whatever it is.
fn named(object: &Bound<'_, PyAny>) -> PyResult<String> {
    match object.cast::<PyString>() {
        Ok(text) => Ok(show(text.to_string_lossy().as_bytes())),
        Err(_) => kind(object),
    }
}

/// A character as it is, or escaped where it would do something to a terminal.
fn escape_control(character: char) -> impl Iterator<Item = char> {
    let escaped = character.is_control().then(|| character.escape_default());
    let plain = if character.is_control() { None } else { Some(character) };
    escaped.into_iter().flatten().chain(plain)
}

/// The object as a dict or a list: other mappings and arrays are turned into one.
fn plain<'py>(object: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
    let is_plain = object.is_instance_of::<PyDict>() || object.is_instance_of::<PyList>();
    if is_plain || object.is_instance_of::<PyTuple>() || object.is_instance_of::<PyString>() {
        return Ok(object.clone());
    }
    // A pandas Series has both: its index are the documents.
    if object.hasattr("keys")? {
        return object.py().get_type::<PyDict>().call1((object,)).map_err(|error| explained(object, error));
    }
    if object.hasattr("tolist")? {
        return object.call_method0("tolist");
    }
    Ok(object.clone())
}

/// The elements of a list or a tuple.
fn elements<'py>(object: &Bound<'py, PyAny>) -> Option<Bound<'py, PyList>> {
    match object.cast::<PyList>() {
        Ok(list) => Some(list.clone()),
        Err(_) => object.cast::<PyTuple>().ok().map(|tuple| tuple.to_list()),
    }
}

/// Visits the queries of a mapping, or of a list whose places are the ids.
pub fn each_query<'py>(
    data: &Bound<'py, PyAny>,
    what: &str,
    mut visit: impl FnMut(&Bound<'py, PyAny>, &Bound<'py, PyAny>) -> PyResult<()>,
) -> PyResult<()> {
    let data = plain(data)?;
    let all = || format!("the {what}");
    if let Ok(mapping) = data.cast::<PyDict>() {
        return each_held(mapping, 0, all, |query, value| visit(&query, &value));
    }
    let Some(list) = elements(&data) else {
        let kind = kind(&data)?;
        return Err(data_error(format!("the {what} must be a dict, a list, a frame or a file, not {kind}")));
    };
    Elements::of(&list)?
        .each(all, |position, value| visit(&position.into_pyobject(data.py())?.into_any(), value))
}

/// Adds one query's judgments: `{document: grade}`, `[document]` or `[[document]]`.
pub fn add_judgments(
    builder: &mut RowsBuilder,
    query: &[u8],
    value: &Bound<'_, PyAny>,
    grouped: bool,
) -> PyResult<()> {
    let in_query = || format!("judgments of query {}", show(query));
    let mut add = |document: &Bound<'_, PyAny>, grade: f64, group: usize| {
        with_id(document, in_query, |id| {
            builder.row(id, grade)?;
            if grouped {
                builder.group(group.to_string().as_bytes())?;
            }
            Ok(())
        })?
    };
    let value = match value.is_instance_of::<PySet>() || value.is_instance_of::<PyFrozenSet>() {
        true => value.py().get_type::<PyList>().call1((value,))?.into_any(),
        false => plain(value)?,
    };
    if let Ok(mapping) = value.cast::<PyDict>() {
        // Where other queries have groups, each single document is one.
        let mut group = 0;
        return each_entry(mapping, in_query, |document, grade| {
            let of_document = || Ok(format!("{}, document {}", in_query(), named(&document)?));
            group += 1;
            add(&document, number(&grade, "grade", of_document)?, group - 1)
        });
    }
    let Some(list) = elements(&value) else {
        let kind = kind(&value)?;
        let message = format!("{} must be a dict of grades or a list of documents, not {kind}", in_query());
        return Err(data_error(message));
    };
    let list = Elements::of(&list)?;
    let mut groups = Vec::new();
    for entry in &list.held {
        groups.add(elements(&plain(entry)?))?;
    }
    if groups.iter().any(Option::is_some) && groups.iter().any(Option::is_none) {
        let message =
            format!("{}: documents and groups of documents are mixed; use one or the other", in_query());
        return Err(data_error(message));
    }
    list.each(in_query, |number, entry| {
        let Some(alternatives) = &groups[number] else { return add(entry, 1.0, number) };
        if alternatives.is_empty() {
            let message = format!("{}: group {number} is empty; remove it", in_query());
            return Err(data_error(message));
        }
        let alternatives = Elements::of(alternatives)?;
        let strings =
            alternatives.held.iter().filter(|document| document.is_instance_of::<PyString>()).count();
        if strings > 0 && strings < alternatives.held.len() {
            let kind = kind(entry)?;
            let message = format!("{}: {kind} mixes text and numbers; for grades, use a dict", in_query());
            return Err(data_error(message));
        }
        alternatives.each(in_query, |_, document| add(document, 1.0, number))
    })
}

/// Whether a query's judgments are groups of alternatives.
pub fn has_groups(value: &Bound<'_, PyAny>) -> PyResult<bool> {
    let Some(list) = elements(&plain(value)?) else { return Ok(false) };
    match list.get_item(0) {
        Ok(first) => Ok(elements(&plain(&first)?).is_some()),
        Err(_) => Ok(false),
    }
}

/// The documents of one ranking, copied out of Python.
#[derive(Debug, Default)]
pub struct Ranking {
    pub text: Vec<u8>,
    pub documents: Vec<Span>,
    pub scores: Vec<f64>,
    pub ordered: bool,
}

impl Ranking {
    fn push(&mut self, id: &[u8]) -> Result<(), Lack> {
        let start = self.text.len();
        self.text.add_all(id)?;
        self.documents.add(Span { start, end: self.text.len() })
    }

    fn clear(&mut self) {
        self.text.clear();
        self.documents.clear();
        self.scores.clear();
    }

    /// Reads `{document: score}`, `[document]`, `[(document, score)]` or, for an order that keeps the scores,
    /// `[(document, score, rank)]`.
    pub fn read(&mut self, query: &[u8], value: &Bound<'_, PyAny>) -> PyResult<()> {
        let in_query = || format!("ranking of query {}", show(query));
        self.clear();
        let value = plain(value)?;
        if let Ok(mapping) = value.cast::<PyDict>() {
            self.ordered = false;
            return each_entry(mapping, in_query, |document, score| {
                self.scored(&document, &score, &in_query)
            });
        }
        let Some(list) = elements(&value) else {
            let kind = kind(&value)?;
            return Err(data_error(format!(
                "{} must be a dict of scores, a list of documents or a list of (document, score), not {kind}",
                in_query(),
            )));
        };
        self.ordered = true;
        if each_string(&list, in_query, |id| self.push(id))? {
            return Ok(());
        }
        self.clear();
        self.ordered = false;
        let keep = |id: &[u8], score| self.scores.add(score).and_then(|()| self.push(id));
        if each_pair(&list, in_query, keep)? {
            return Ok(());
        }
        self.clear();
        let list = Elements::of(&list)?;
        let first = list.held.first().and_then(elements);
        let ranked = first.as_ref().is_some_and(|entry| entry.len() == 3);
        self.ordered = first.is_none() || ranked;
        list.each(in_query, |position, entry| match (self.ordered, elements(entry)) {
            (true, Some(triple)) if ranked && triple.len() == 3 => {
                let of_document = || Ok(format!("{}, document {}", in_query(), kind(entry)?));
                let rank = number(&triple.get_item(2)?, "rank", of_document)?;
                if rank != (position + 1) as f64 {
                    return Err(data_error(format!(
                        "{}: rank {rank} at position {}; ranks must be 1, 2, 3 and so on, in order",
                        in_query(),
                        position + 1
                    )));
                }
                self.scored(&triple.get_item(0)?, &triple.get_item(1)?, &in_query)
            }
            (true, None) if !ranked => Ok(with_id(entry, in_query, |id| self.push(id))??),
            (false, Some(pair)) if pair.len() == 2 => {
                self.scored(&pair.get_item(0)?, &pair.get_item(1)?, &in_query)
            }
            _ => {
                let form = match (self.ordered, ranked) {
                    (_, true) => "a triple (document, score, rank)",
                    (true, _) => "a document id",
                    (false, _) => "a pair (document, score)",
                };
                let kind = kind(entry)?;
                Err(data_error(format!("{}: expected {form}, found {kind}", in_query())))
            }
        })
    }

    fn scored(
        &mut self,
        document: &Bound<'_, PyAny>,
        score: &Bound<'_, PyAny>,
        in_query: &impl Fn() -> String,
    ) -> PyResult<()> {
        let of_document = || Ok(format!("{}, document {}", in_query(), named(document)?));
        self.scores.add(number(score, "score", of_document)?)?;
        Ok(with_id(document, in_query, |id| self.push(id))??)
    }

    pub fn rank(&self, rankers: &mut Rankers<'_>, query: u32) -> Result<(), Fault> {
        let scores = if self.ordered { None } else { Some(self.scores.as_slice()) };
        rankers.rank(query, &Spans { text: &self.text, spans: &self.documents }, scores)
    }
}
