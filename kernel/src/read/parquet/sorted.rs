//! One reading, for files in which the rows of each query stand together: a query is ranked as soon as it is read.
//!
//! Row groups are read in parallel. The rows of the first and of the last query of a group may go on in its neighbours;
//! they are held until those are read.

use super::batch::{Batch, Held};
use super::{Stop, Work};
use crate::fault::Fault;
use crate::memory::collected;
use crate::rank::judged::Judged;
use crate::rank::ranker::{Documents, Rankers, Stretch};
use crate::rank::rows::Names;
use crate::read::scan::Scan;
use std::collections::BTreeMap;
use std::mem::take;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, PoisonError};

pub fn rank(work: &Work<'_>) -> Result<Scan, Stop> {
    let seen = collected((0..work.index.queries.len()).map(|_| AtomicBool::new(false)))?;
    let make = || {
        Ok(Found { rankers: Rankers::new(work.index, work.options), unknown: Names::default(), seen: &seen })
    };
    let mut workers = work.workers(make)?;
    let border =
        Mutex::new(Border { found: make()?, next: 0, waiting: BTreeMap::new(), open: Held::default() });
    work.each_group(&mut workers, 1, |worker, number| {
        let task = work.tasks[number];
        let mut group = GroupReader { found: worker, head: None, held: Held::default() };
        work.files[task.file].read(task, |batch, _| {
            Fault::if_stopped(work.plan.stop)?;
            group.take(batch)
        })?;
        let edges = group.edges();
        border.lock().unwrap_or_else(PoisonError::into_inner).add(number, edges)
    })?;
    let border = border.into_inner().unwrap_or_else(PoisonError::into_inner);
    let mut scan = Scan { judged: vec![Judged::default(); work.options.len()], ..Scan::default() };
    for found in workers.into_iter().chain([border.finish()?]) {
        found.unknown.iter().try_for_each(|name| scan.unknown.add(name).map(|_| ()))?;
        Judged::append_all(&mut scan.judged, &found.rankers.judged())?;
    }
    Ok(scan)
}

/// What a worker found.
struct Found<'a> {
    rankers: Rankers<'a>,
    unknown: Names,
    /// Which queries were ranked, by whomever.
    seen: &'a [AtomicBool],
}

impl Found<'_> {
    fn rank(&mut self, query: &[u8], documents: &impl Documents, scores: &[f64]) -> Result<(), Stop> {
        let Some(known) = self.rankers.index.queries.find(query) else {
            self.unknown.add(query)?;
            return Ok(());
        };
        if self.seen[known as usize].swap(true, Ordering::Relaxed) {
            return Err(Stop::Scattered);
        }
        Ok(self.rankers.rank(known, documents, Some(scores))?)
    }

    fn rank_held(&mut self, held: &Held) -> Result<(), Stop> {
        if held.is_empty() { Ok(()) } else { self.rank(&held.query, &held.documents(), &held.scores) }
    }
}

/// The rows at both ends of a group: those of its first query and, if it has several, of its last.
struct Edges {
    head: Held,
    tail: Option<Held>,
}

/// Reads one row group.
struct GroupReader<'a, 'b> {
    found: &'b mut Found<'a>,
    /// The rows of the first query, once there is another.
    head: Option<Held>,
    /// The rows of a query that may go on in the next batch.
    held: Held,
}

impl GroupReader<'_, '_> {
    fn take(&mut self, batch: &Batch) -> Result<(), Stop> {
        let mut start = 0;
        while start < batch.len() {
            let end = batch.end_of_query(start);
            if !self.held.is_empty() && self.held.query != batch.query(start) {
                self.close()?;
            }
            if self.head.is_none() || !self.held.is_empty() || end == batch.len() {
                self.held.add(batch, start..end)?;
            } else {
                let documents = Stretch { column: batch, rows: start..end };
                self.found.rank(batch.query(start), &documents, &batch.scores[start..end])?;
            }
            start = end;
        }
        Ok(())
    }

    fn close(&mut self) -> Result<(), Stop> {
        if self.head.is_none() {
            self.head = Some(take(&mut self.held));
            return Ok(());
        }
        self.found.rank_held(&self.held)?;
        self.held.clear();
        Ok(())
    }

    fn edges(self) -> Edges {
        match self.head {
            Some(head) => Edges { head, tail: Some(self.held) },
            None => Edges { head: self.held, tail: None },
        }
    }
}

/// Puts together what stands on both sides of the borders between groups.
struct Border<'a> {
    found: Found<'a>,
    /// The group that is put on next; those after it wait.
    next: usize,
    waiting: BTreeMap<usize, Edges>,
    /// The rows of the query that may go on in the next group.
    open: Held,
}

impl<'a> Border<'a> {
    fn add(&mut self, number: usize, edges: Edges) -> Result<(), Stop> {
        self.waiting.insert(number, edges);
        while let Some(edges) = self.waiting.remove(&self.next) {
            self.next += 1;
            if self.open.query == edges.head.query {
                self.open.append(&edges.head)?;
            } else if !edges.head.is_empty() {
                self.found.rank_held(&self.open)?;
                self.open = edges.head;
            }
            if let Some(tail) = edges.tail {
                self.found.rank_held(&self.open)?;
                self.open = tail;
            }
        }
        Ok(())
    }

    fn finish(mut self) -> Result<Found<'a>, Stop> {
        self.found.rank_held(&self.open)?;
        Ok(self.found)
    }
}
