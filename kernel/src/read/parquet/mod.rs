//! Ranks the judged documents of runs in Parquet files, without holding them.
//!
//! Where the rows of a query stand together, one reading is enough (`sorted.rs`). Otherwise rows are counted in two
//! (`counted.rs`). Only plain columns of ids and numbers are read here, each with a value in every row. All else, damaged
//! files among it, is left to a reader that understands more or says what is wrong.

mod batch;
mod counted;
mod file;
mod footer;
mod levels;
mod numbers;
mod pages;
mod panics;
mod repeats;
mod sorted;

pub use file::column_names;

use crate::fault::Fault;
use crate::memory::{Grow, Lack};
use crate::parallel::on_threads;
use crate::rank::index::Index;
use crate::rank::options::Options;
use crate::read::scan::Scan;
use ::parquet::errors::ParquetError;
use arrow_schema::ArrowError;
use file::{Known, Task};
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};

/// Why a reading ended early.
#[derive(Debug, Clone)]
pub(crate) enum Stop {
    /// The file is not one that this reader understands.
    Unfit,
    /// The rows of a query do not stand together.
    Scattered,
    Fault(Fault),
}

impl From<Fault> for Stop {
    fn from(fault: Fault) -> Self {
        Self::Fault(fault)
    }
}

impl From<Lack> for Stop {
    fn from(lack: Lack) -> Self {
        Self::Fault(lack.into())
    }
}

impl From<ParquetError> for Stop {
    fn from(_: ParquetError) -> Self {
        Self::Unfit
    }
}

impl From<ArrowError> for Stop {
    fn from(_: ArrowError) -> Self {
        Self::Unfit
    }
}

/// A file, and the columns of its queries, documents and scores.
#[derive(Debug, Clone)]
pub struct Part {
    pub path: PathBuf,
    pub columns: [String; 3],
}

/// How files are read.
#[derive(Debug, Clone, Copy)]
pub struct Plan<'a> {
    pub threads: usize,
    /// Of so many scattered rows keys are kept at a time, to find repeats; for more rows the files are read more often.
    pub kept_rows: u64,
    /// Bytes of the row groups done so far; of each reading a share, where files are read more than once.
    pub progress: &'a AtomicU64,
    /// Set from outside to give up.
    pub stop: &'a AtomicBool,
}

/// What is read, against which judgments, and how.
#[derive(Clone, Copy)]
pub(crate) struct Work<'a> {
    pub files: &'a [Known],
    pub tasks: &'a [Task],
    pub index: &'a Index,
    pub options: &'a [Options],
    pub plan: Plan<'a>,
}

/// Ranks the files, which are read as one; none if they are not for this reader.
pub fn rank(
    parts: &[Part],
    index: &Index,
    options: &[Options],
    plan: Plan<'_>,
) -> Result<Option<Scan>, Fault> {
    let (files, tasks) = match panics::caught(|| file::open_all(parts)) {
        Ok(opened) => opened,
        Err(stop) => return refused(stop),
    };
    let work = Work { files: &files, tasks: &tasks, index, options, plan };
    let ranked = match sorted::rank(&work) {
        Err(Stop::Scattered) => counted::rank(&work),
        other => other,
    };
    Fault::if_stopped(plan.stop)?;
    ranked.map_or_else(refused, |scan| Ok(Some(scan)))
}

fn refused<T>(stop: Stop) -> Result<Option<T>, Fault> {
    match stop {
        Stop::Unfit | Stop::Scattered => Ok(None),
        Stop::Fault(fault) => Err(fault),
    }
}

impl Work<'_> {
    /// Calls `read` with each of the row groups in turn, on all threads, in one of so many readings. Where one stops, those
    /// after it are not begun; the first of them all in the order of the files is what counts.
    fn each_group<W: Send>(
        &self,
        workers: &mut [W],
        readings: u64,
        read: impl Fn(&mut W, usize) -> Result<(), Stop> + Sync,
    ) -> Result<(), Stop> {
        let (next, end) = (AtomicUsize::new(0), AtomicUsize::new(self.tasks.len()));
        let (stops, added) = (std::sync::Mutex::new(Vec::new()), AtomicU64::new(0));
        on_threads(workers, |worker| {
            loop {
                let number = next.fetch_add(1, Ordering::Relaxed);
                if number >= end.load(Ordering::Relaxed) || self.plan.stop.load(Ordering::Relaxed) {
                    return;
                }
                if let Err(stop) = panics::caught(|| read(worker, number)) {
                    end.fetch_min(number, Ordering::Relaxed);
                    stops.lock().unwrap_or_else(std::sync::PoisonError::into_inner).push((number, stop));
                }
                let task = self.tasks[number];
                let bytes = self.files[task.file].bytes(task.group) / readings;
                self.plan.progress.fetch_add(bytes, Ordering::Relaxed);
                added.fetch_add(bytes, Ordering::Relaxed);
            }
        });
        Fault::if_stopped(self.plan.stop)?;
        let mut stops = stops.into_inner().unwrap_or_else(std::sync::PoisonError::into_inner);
        stops.sort_unstable_by_key(|&(number, _)| number);
        let Some((_, stop)) = stops.into_iter().next() else { return Ok(()) };
        // Another reading begins from the start.
        self.plan.progress.fetch_sub(added.into_inner(), Ordering::Relaxed);
        Err(stop)
    }

    /// One worker for each thread that has something to do.
    fn workers<W>(&self, make: impl Fn() -> Result<W, Lack>) -> Result<Vec<W>, Lack> {
        let mut workers = Vec::new();
        for _ in 0..self.plan.threads.clamp(1, self.tasks.len().max(1)) {
            workers.add(make()?)?;
        }
        Ok(workers)
    }
}
