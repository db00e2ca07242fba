//! How long work is done: rankings read from Python are ranked on a second thread, and Ctrl-C stops a long reading.

use super::walk::Ranking;
use crate::fault::{Fault, Kind};
use crate::index::Index;
use crate::judged::Judged;
use crate::options::Options;
use crate::rank::Rankers;
use pyo3::prelude::*;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, SyncSender, channel, sync_channel};
use std::time::Duration;

/// Where rankings go that were read from Python: to a thread that ranks them while the next ones are read.
pub struct Jobs {
    queue: Option<SyncSender<(u32, Ranking)>>,
    used: Receiver<Ranking>,
}

impl Jobs {
    /// Buffers that were used before, or new ones.
    pub fn spare(&self) -> Ranking {
        self.used.try_recv().unwrap_or_default()
    }

    pub fn send(&self, rankers: &mut Rankers<'_>, query: u32, ranking: Ranking) -> Result<(), Fault> {
        match &self.queue {
            None => ranking.rank(rankers, query),
            // It fails only when the thread has ended on a fault, which is told when it is joined.
            Some(queue) => queue.send((query, ranking)).map_err(|_| Fault::new(Kind::Interrupted, "stopped")),
        }
    }
}

/// Runs `walk`, which reads rankings on this thread, beside a thread that ranks them where there are many.
pub fn pipeline(
    index: &Index,
    options: &[Options],
    queries: usize,
    walk: impl FnOnce(&mut Rankers<'_>, &Jobs) -> PyResult<()>,
) -> PyResult<Vec<Judged>> {
    let mut rankers = Rankers::new(index, options);
    let (give_back, used) = channel();
    if queries <= FEW_QUERIES {
        walk(&mut rankers, &Jobs { queue: None, used })?;
        return Ok(rankers.judged());
    }
    let (queue, waiting) = sync_channel::<(u32, Ranking)>(FEW_QUERIES);
    let (walked, ranked) = std::thread::scope(|scope| {
        let worker = scope.spawn(move || {
            let mut rankers = Rankers::new(index, options);
            for (query, ranking) in waiting {
                ranking.rank(&mut rankers, query)?;
                // Nobody takes the buffers back once all is read.
                give_back.send(ranking).ok();
            }
            Ok::<_, Fault>(rankers.judged())
        });
        let walked = walk(&mut rankers, &Jobs { queue: Some(queue), used });
        (walked, worker.join())
    });
    // A fault found by the thread comes before one that the walk met afterwards.
    let others = ranked
        .map_err(|_| Fault::new(Kind::Format, "ranking stopped unexpectedly; please report this"))??;
    walked?;
    let mut judged = rankers.judged();
    Judged::append_all(&mut judged, &others)?;
    Ok(judged)
}

/// Up to this many queries are ranked where they are read; more are handed over, this many at most at a time.
const FEW_QUERIES: usize = 64;

/// Runs `work` without the GIL and stops it when the user presses Ctrl-C.
pub fn interruptible<T: Send>(
    py: Python<'_>,
    work: impl FnOnce(&AtomicBool) -> Result<T, Fault> + Send,
) -> PyResult<T> {
    let stop = AtomicBool::new(false);
    let mut interrupt = None;
    let result = std::thread::scope(|scope| {
        let stop = &stop;
        let worker = scope.spawn(move || work(stop));
        let mut pause = Duration::from_micros(50);
        while !worker.is_finished() {
            py.detach(|| std::thread::sleep(pause));
            pause = (2 * pause).min(Duration::from_millis(2));
            if let Err(error) = py.check_signals() {
                stop.store(true, Ordering::Relaxed);
                interrupt = Some(error);
            }
        }
        worker.join()
    });
    match (interrupt, result) {
        (Some(error), _) => Err(error),
        (None, Ok(result)) => Ok(result?),
        (None, Err(_)) => {
            Err(Fault::new(Kind::File, "reading stopped unexpectedly; please report this").into())
        }
    }
}
