//! How long work is done: beside the interpreter, so that Ctrl-C ends it at once.
//!
//! Work owns what it uses. When the user presses Ctrl-C it is told to stop; what does not look in time is left behind, to
//! end by itself. Where no thread can be started, work is done on the thread that asks for it.

use super::passes;
use super::walk::Ranking;
use crate::fault::{Fault, Kind};
use crate::memory::{THREAD, has_memory, spare};
use crate::rank::index::Index;
use crate::rank::judged::Judged;
use crate::rank::options::Options;
use crate::rank::ranker::Rankers;
use pyo3::prelude::*;
use std::io::ErrorKind;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, TryRecvError, channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::Builder;
use std::time::Duration;

/// The time between two looks for Ctrl-C, and the time that work gets to notice that it is to stop.
const LOOK: Duration = Duration::from_millis(10);
const GRACE: Duration = Duration::from_millis(100);
/// Up to this many queries are ranked where they are read; of more, this many at most wait for the other thread.
const FEW_QUERIES: usize = 64;
/// What has more rows takes long enough to be worth a thread.
pub const MANY_ROWS: usize = 1 << 18;

/// Runs `work` without the GIL: here if it is short, else as `interruptible` does. To start a thread takes longer than what
/// is short, and nobody notices that Ctrl-C waits for it.
pub fn run<T: Send + 'static>(
    py: Python<'_>,
    is_short: bool,
    work: impl FnOnce(&Arc<AtomicBool>) -> Result<T, Fault> + Send + 'static,
) -> PyResult<T> {
    if is_short {
        return Ok(py.detach(|| work(&Arc::new(AtomicBool::new(false))))?);
    }
    interruptible(py, work)
}

/// Runs `work` without the GIL on another thread, until it is done or the user presses Ctrl-C.
pub fn interruptible<T: Send + 'static>(
    py: Python<'_>,
    work: impl FnOnce(&Arc<AtomicBool>) -> Result<T, Fault> + Send + 'static,
) -> PyResult<T> {
    spare()?;
    let stop = Arc::new(AtomicBool::new(false));
    // Shared, as a thread that cannot be started does not give back what it was to do.
    let work = Arc::new(Mutex::new(Some(work)));
    let take = |work: &Mutex<Option<_>>| work.lock().unwrap_or_else(PoisonError::into_inner).take();
    let (done, result) = channel();
    let result = Mutex::new(result);
    let (its_stop, its_work) = (Arc::clone(&stop), Arc::clone(&work));
    let run = move || {
        if let Some(work) = take(&its_work) {
            // Nobody waits once the user has pressed Ctrl-C.
            done.send(work(&its_stop)).ok();
        }
    };
    let is_started = has_memory(THREAD) && Builder::new().name("assay".into()).spawn(run).is_ok();
    if !is_started && let Some(work) = take(&work) {
        return Ok(py.detach(|| work(&stop))?);
    }
    let wait = |time| py.detach(|| result.lock().unwrap_or_else(PoisonError::into_inner).recv_timeout(time));
    loop {
        match wait(LOOK) {
            Ok(result) => return Ok(result?),
            Err(RecvTimeoutError::Disconnected) => return Err(lost().into()),
            Err(RecvTimeoutError::Timeout) => {}
        }
        if let Err(error) = py.check_signals() {
            stop.store(true, Ordering::Relaxed);
            wait(GRACE).ok();
            return Err(error);
        }
    }
}

fn lost() -> Fault {
    Fault::new(Kind::File, "the work stopped unexpectedly; please report this")
}

/// Where rankings go that were read from Python: to a thread that ranks them while the next ones are read.
pub struct Jobs<'a> {
    index: &'a Arc<Index>,
    options: &'a [Options],
    /// Whether every ranking is handed over, or only large ones.
    is_many: bool,
    worker: Option<Worker>,
    /// Whether a thread could not be started.
    is_alone: bool,
    /// Whether the thread has ended on a fault.
    is_broken: bool,
}

struct Worker {
    queue: Sender<(u32, Ranking)>,
    used: Receiver<Ranking>,
    judged: Receiver<Result<Vec<Judged>, Fault>>,
    waiting: usize,
    /// Buffers that came back while there was no room.
    spare: Option<Ranking>,
}

impl Worker {
    fn start(index: Arc<Index>, options: Vec<Options>) -> std::io::Result<Self> {
        if !has_memory(THREAD) {
            return Err(ErrorKind::OutOfMemory.into());
        }
        let (queue, waiting) = channel::<(u32, Ranking)>();
        let (give_back, used) = channel();
        let (done, judged) = channel();
        Builder::new().name("assay".into()).spawn(move || {
            let mut rankers = Rankers::new(&index, &options);
            let rank = || {
                for (query, ranking) in waiting {
                    ranking.rank(&mut rankers, query)?;
                    // Nobody takes the buffers back once all is read.
                    give_back.send(ranking).ok();
                }
                Ok::<_, Fault>(())
            };
            let ranked = rank();
            done.send(ranked.map(|()| rankers.judged())).ok();
        })?;
        Ok(Self { queue, used, judged, waiting: 0, spare: None })
    }

    /// Whether it has as much to do as it may have; then a ranking is ranked where it was read.
    fn is_full(&mut self) -> bool {
        while self.waiting >= FEW_QUERIES {
            match self.used.try_recv() {
                Ok(used) => (self.waiting, self.spare) = (self.waiting - 1, Some(used)),
                Err(TryRecvError::Empty) => return true,
                // The thread has ended on a fault, which sending to it brings to light.
                Err(TryRecvError::Disconnected) => return false,
            }
        }
        false
    }

    /// Waits until it has nothing to do.
    fn wait(&mut self, py: Python<'_>) -> PyResult<()> {
        while self.waiting > 0 {
            // The GIL is kept: what is being read must not change.
            match self.used.recv_timeout(LOOK) {
                Ok(used) => (self.waiting, self.spare) = (self.waiting - 1, Some(used)),
                Err(RecvTimeoutError::Timeout) => py.check_signals()?,
                // The thread has ended on a fault, which `finish` gives.
                Err(RecvTimeoutError::Disconnected) => break,
            }
        }
        Ok(())
    }
}

impl Jobs<'_> {
    /// Buffers that were used before, or new ones.
    pub fn spare(&mut self) -> Ranking {
        let used = self.worker.as_mut().and_then(|worker| {
            worker.spare.take().or_else(|| {
                let used = worker.used.try_recv().ok();
                worker.waiting -= usize::from(used.is_some());
                used
            })
        });
        used.unwrap_or_default()
    }

    pub fn send(
        &mut self,
        py: Python<'_>,
        rankers: &mut Rankers<'_>,
        query: u32,
        ranking: Ranking,
    ) -> PyResult<()> {
        let is_large = ranking.documents.len() > MANY_ROWS;
        if (self.is_many || is_large) && self.worker.is_none() && !self.is_alone {
            self.worker = Worker::start(Arc::clone(self.index), self.options.to_vec()).ok();
            self.is_alone = self.worker.is_none();
        }
        let Some(worker) = self.worker.as_mut().filter(|_| self.is_many || is_large) else {
            return Ok(ranking.rank(rankers, query)?);
        };
        if is_large {
            worker.wait(py)?;
        } else if worker.is_full() {
            ranking.rank(rankers, query)?;
            worker.spare = Some(ranking);
            return Ok(());
        }
        worker.waiting += 1;
        worker.queue.send((query, ranking)).map_err(|_| {
            self.is_broken = true;
            lost().into()
        })
    }

    /// What the thread found, once it has ranked everything.
    fn finish(self, py: Python<'_>) -> PyResult<Vec<Judged>> {
        let Some(worker) = self.worker else { return Ok(vec![Judged::default(); self.options.len()]) };
        drop(worker.queue);
        let judged = Mutex::new(worker.judged);
        loop {
            let wait = || judged.lock().unwrap_or_else(PoisonError::into_inner).recv_timeout(LOOK);
            match py.detach(wait) {
                Ok(judged) => return Ok(judged?),
                Err(RecvTimeoutError::Disconnected) => return Err(lost().into()),
                Err(RecvTimeoutError::Timeout) => py.check_signals()?,
            }
        }
    }
}

/// Runs `walk`, which reads rankings on this thread, beside a thread that ranks them where there are many, or large ones.
pub fn pipeline(
    py: Python<'_>,
    index: &Arc<Index>,
    options: &[Options],
    queries: usize,
    walk: impl FnOnce(&mut Rankers<'_>, &mut Jobs<'_>) -> PyResult<()>,
) -> PyResult<Vec<Judged>> {
    spare()?;
    let mut rankers = Rankers::new(index, options);
    let is_many = queries > FEW_QUERIES;
    let mut jobs = Jobs { index, options, is_many, worker: None, is_alone: false, is_broken: false };
    let walked = walk(&mut rankers, &mut jobs);
    if let Err(error) = &walked
        && !jobs.is_broken
        && passes(py, error)
    {
        return walked.map(|()| Vec::new());
    }
    // A fault found by the thread comes before one that the walk met afterwards.
    let others = jobs.finish(py)?;
    walked?;
    let mut judged = rankers.judged();
    Judged::append_all(&mut judged, &others)?;
    Ok(judged)
}
