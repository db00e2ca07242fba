//! Times reading and ranking a run file with each kind of vectors: `lanes QRELS RUN` prints vectors, threads and seconds.
//! `benchmarks/lanes.py` puts it beside `wc -w`.

use assay_kernel::fault::Fault;
use assay_kernel::rank::index::Index;
use assay_kernel::rank::options::{Duplicates, Options};
use assay_kernel::read::lanes::Lanes;
use assay_kernel::read::scan::{Plan, scan};
use assay_kernel::read::source::Source;
use assay_kernel::read::whole::read_qrels;
use std::path::PathBuf;
use std::sync::atomic::AtomicBool;
use std::time::Instant;

/// Seconds from the two files to ranks.
fn seconds(qrels: &Source, run: &Source, lanes: Lanes, threads: usize) -> Result<f64, Fault> {
    let stop = AtomicBool::new(false);
    let start = Instant::now();
    let index = Index::new(&read_qrels(qrels)?, Duplicates::Error)?;
    scan(run, &index, &[Options::default()], Plan { lanes, ..Plan::new(threads, &stop) })?;
    Ok(start.elapsed().as_secs_f64())
}

fn main() -> Result<(), String> {
    let paths: Vec<PathBuf> = std::env::args_os().skip(1).map(PathBuf::from).collect();
    let [qrels, run] = paths.as_slice() else { return Err("usage: lanes QRELS RUN".into()) };
    let (qrels, run) = (Source::new(qrels, "qrels"), Source::new(run, "run"));
    for &lanes in Lanes::ALL.iter().filter(|lanes| lanes.is_available()) {
        for threads in [1, 2] {
            let seconds = seconds(&qrels, &run, lanes, threads).map_err(|fault| fault.message)?;
            println!("{lanes:?} {threads} {seconds}");
        }
    }
    Ok(())
}
