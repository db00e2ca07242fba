//! Dicts and lists that must stay as they are while they are read: a user's object or another thread may change them.

use super::data_error;
use super::dict::{is_inert, next_entry, with_pair, with_string};
use crate::memory::{Grow, Lack, collected};
use pyo3::exceptions::PyRuntimeError;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyList};

/// Ctrl-C is looked for after this many entries.
const STEP: usize = 1 << 12;

fn changed(place: &str) -> PyErr {
    data_error(format!("{place} changed while being read; pass a copy that nothing else changes"))
}

/// The error of a mapping that was copied, in assay's words if the mapping changed meanwhile.
pub fn explained(mapping: &Bound<'_, PyAny>, error: PyErr) -> PyErr {
    let py = mapping.py();
    // What Python says of a dict, and of the views of one.
    let is_change =
        error.is_instance_of::<PyRuntimeError>(py) && error.to_string().contains("during iteration");
    if is_change { changed("the data") } else { error }
}

/// Visits the entries of a dict as they are when the visit begins. Where only numbers are read nothing can change the dict,
/// but what handles Ctrl-C; from the first other entry on they are held.
pub fn each_entry<'py>(
    dict: &Bound<'py, PyDict>,
    place: impl Fn() -> String,
    mut visit: impl FnMut(Bound<'py, PyAny>, Bound<'py, PyAny>) -> PyResult<()>,
) -> PyResult<()> {
    let (count, mut visited, mut position) = (dict.len(), 0, 0);
    while let Some((key, value)) = next_entry(dict, &mut position) {
        if !is_inert(&key, &value) {
            return each_held(dict, visited, place, visit);
        }
        visit(key, value)?;
        visited += 1;
        if visited % STEP == 0 {
            look(dict.py(), || dict.len() == count, &place)?;
        }
    }
    if visited == count { Ok(()) } else { Err(changed(&place())) }
}

/// Visits entries, after those that were visited, that are held meanwhile, and looks at the end whether the dict still has
/// the same ones.
pub fn each_held<'py>(
    dict: &Bound<'py, PyDict>,
    visited: usize,
    place: impl Fn() -> String,
    mut visit: impl FnMut(Bound<'py, PyAny>, Bound<'py, PyAny>) -> PyResult<()>,
) -> PyResult<()> {
    let mut held = Vec::new();
    held.room(dict.len())?;
    let mut position = 0;
    while let Some(entry) = next_entry(dict, &mut position) {
        held.push(entry);
    }
    for (number, (key, value)) in held.iter().enumerate().skip(visited) {
        visit(key.clone(), value.clone())?;
        if number % STEP == 0 {
            dict.py().check_signals()?;
        }
    }
    position = 0;
    let is_same = held
        .iter()
        .all(|(key, value)| next_entry(dict, &mut position).is_some_and(|(k, v)| k.is(key) && v.is(value)));
    if is_same && dict.len() == held.len() { Ok(()) } else { Err(changed(&place())) }
}

/// Visits the elements of a list as long as they are strings that are not empty, and says whether all were.
pub fn each_string(
    list: &Bound<'_, PyList>,
    place: impl Fn() -> String,
    mut visit: impl FnMut(&[u8]) -> Result<(), Lack>,
) -> PyResult<bool> {
    each_place(list, place, |position| with_string(list, position, &mut visit))
}

/// Visits the elements of a list as long as they are pairs of a string that is not empty and a finite number, and says
/// whether all were.
pub fn each_pair(
    list: &Bound<'_, PyList>,
    place: impl Fn() -> String,
    mut visit: impl FnMut(&[u8], f64) -> Result<(), Lack>,
) -> PyResult<bool> {
    each_place(list, place, |position| with_pair(list, position, &mut visit))
}

/// Visits the places of a list until one is not visited, and says whether all were. Nothing can change the list meanwhile,
/// but what handles Ctrl-C.
fn each_place(
    list: &Bound<'_, PyList>,
    place: impl Fn() -> String,
    mut visit: impl FnMut(usize) -> PyResult<Option<Result<(), Lack>>>,
) -> PyResult<bool> {
    let count = list.len();
    for position in 0..count {
        let Some(visited) = visit(position)? else { return Ok(false) };
        visited?;
        if (position + 1) % STEP == 0 {
            look(list.py(), || list.len() == count, &place)?;
        }
    }
    Ok(true)
}

/// Looks for Ctrl-C, and whether what handles it changed the data.
fn look(py: Python<'_>, is_same: impl Fn() -> bool, place: impl Fn() -> String) -> PyResult<()> {
    py.check_signals()?;
    if is_same() { Ok(()) } else { Err(changed(&place())) }
}

/// The elements of a list as they were when it was taken.
pub struct Elements<'py> {
    list: Bound<'py, PyList>,
    pub held: Vec<Bound<'py, PyAny>>,
}

impl<'py> Elements<'py> {
    pub fn of(list: &Bound<'py, PyList>) -> Result<Self, Lack> {
        Ok(Self { list: list.clone(), held: collected(list.iter())? })
    }

    /// Raises if the list is not what it was.
    pub fn check(&self, place: impl Fn() -> String) -> PyResult<()> {
        let is_same =
            self.list.len() == self.held.len()
                && self.held.iter().enumerate().all(|(position, element)| {
                    self.list.get_item(position).is_ok_and(|other| other.is(element))
                });
        if is_same { Ok(()) } else { Err(changed(&place())) }
    }

    /// Visits the elements, and looks at the end whether the list still has the same ones.
    pub fn each(
        &self,
        place: impl Fn() -> String,
        mut visit: impl FnMut(usize, &Bound<'py, PyAny>) -> PyResult<()>,
    ) -> PyResult<()> {
        for (position, element) in self.held.iter().enumerate() {
            visit(position, element)?;
            if position % STEP == 0 {
                self.list.py().check_signals()?;
            }
        }
        self.check(place)
    }
}
