//! Every allocation, reading and writing of the file paths fails once, each in turn: the fault must be clean, no number may
//! be wrong, and the next call must work. One test, since the points are counted for the whole process.

#![allow(clippy::unwrap_used)]

use assay_kernel::failure::{count, fail_at};
use assay_kernel::fault::{Fault, Kind};
use assay_kernel::rank::index::Index;
use assay_kernel::rank::judged::{Fact, Hit};
use assay_kernel::rank::options::{Duplicates, Options};
use assay_kernel::rank::rows::Rows;
use assay_kernel::rank::tops::TopList;
use assay_kernel::read::scan::{Plan, Scan, scan};
use assay_kernel::read::source::Source;
use assay_kernel::read::whole::{read_qrels, read_run};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicBool;

const QUERIES: usize = 8;

/// What a call gave, so that it can be compared with what it should give.
#[derive(Debug, PartialEq)]
struct Found {
    ranked: Vec<(u32, Fact, Vec<Hit>)>,
    /// The first documents of each query, with their scores.
    tops: Vec<(u32, Vec<(Vec<u8>, f64)>)>,
    values: Vec<f64>,
    unknown: usize,
    lines: usize,
    bytes: u64,
}

type Call<'a> = Box<dyn Fn() -> Result<Found, Fault> + 'a>;

fn found(scan: &Scan) -> Found {
    let (mut ranked, mut tops) = (Vec::new(), Vec::new());
    for judged in &scan.judged {
        let mut facts: Vec<&Fact> = judged.facts.iter().collect();
        facts.sort_by_key(|fact| fact.query);
        // Where a query's hits stand among the others depends on the threads.
        let own = |fact: &&Fact| (fact.query, Fact { first_hit: 0, ..**fact }, judged.hits_of(fact).to_vec());
        ranked.extend(facts.iter().map(own));
        let mut lists: Vec<&TopList> = judged.tops.lists.iter().collect();
        lists.sort_by_key(|list| list.query);
        let kept = |list: &TopList| judged.tops.of(list).map(|(id, score)| (id.to_vec(), score)).collect();
        tops.extend(lists.into_iter().map(|list| (list.query, kept(list))));
    }
    Found { ranked, tops, values: Vec::new(), unknown: scan.unknown.len(), lines: scan.lines, bytes: 0 }
}

fn held(rows: Rows) -> Found {
    Found {
        ranked: Vec::new(),
        tops: Vec::new(),
        unknown: rows.queries.len(),
        lines: rows.documents.len(),
        bytes: rows.text.len() as u64,
        values: rows.values,
    }
}

fn run_lines() -> Vec<String> {
    let row = |query: usize, rank: usize| {
        // Ties, and a query without judgments.
        format!("q{query} Q0 d{} {rank} {} tag\n", (rank * 7 + query) % 60, 100 - rank / 3)
    };
    (0..=QUERIES).flat_map(|query| (0..60).map(move |rank| row(query, rank))).collect()
}

fn qrels_text() -> String {
    let row = |query: usize, number: usize| format!("q{query} {} d{} 1\n", number % 2, number * 2);
    (0..QUERIES).flat_map(|query| (0..24).map(move |number| row(query, number))).collect()
}

fn written(folder: &Path, name: &str, content: &[u8]) -> PathBuf {
    let path = folder.join(name);
    std::fs::write(&path, content).unwrap();
    path
}

fn compressed(text: &[u8]) -> Vec<(&'static str, Vec<u8>)> {
    let mut gz = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    gz.write_all(text).unwrap();
    let mut bz2 = bzip2::write::BzEncoder::new(Vec::new(), bzip2::Compression::fast());
    bz2.write_all(text).unwrap();
    let mut xz = liblzma::write::XzEncoder::new(Vec::new(), 1);
    xz.write_all(text).unwrap();
    vec![
        ("plain", text.to_vec()),
        ("gz", gz.finish().unwrap()),
        ("bz2", bz2.finish().unwrap()),
        ("xz", xz.finish().unwrap()),
        ("zst", zstd::encode_all(text, 1).unwrap()),
    ]
}

/// Runs `call` once for each point it passes, with that point failing; gives their number.
fn attack(name: &str, call: &Call<'_>) -> u64 {
    fail_at(None);
    let right = call().unwrap();
    let points = count();
    for point in 0..points {
        fail_at(Some(point));
        let result = call();
        let reached = count() > point;
        fail_at(None);
        match result {
            Err(fault) => {
                assert!(matches!(fault.kind, Kind::Memory | Kind::File), "{name}, point {point}: {fault}");
                assert!(!fault.message.contains("corrupt"), "{name}, point {point}: {fault}");
            }
            // Threads may take another way, on which fewer points are passed.
            Ok(found) => {
                // A thread that cannot be started is the one failure that others make up for.
                let is_made_up = name.contains("threads");
                assert!(!reached || is_made_up, "{name}, point {point}: the failure was swallowed");
                assert_eq!(found, right, "{name}, point {point}");
            }
        }
        assert_eq!(call().unwrap(), right, "{name}: after the failure of point {point}");
    }
    points
}

#[test]
fn every_point_fails_cleanly() {
    let folder = std::env::temp_dir().join(format!("assay-faults-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    let qrels = Source::new(written(&folder, "qrels", qrels_text().as_bytes()), "qrels");
    let judgments = read_qrels(&qrels).unwrap();
    let index = Index::new(&judgments, Duplicates::Error).unwrap();
    let stop = AtomicBool::new(false);
    let every = [
        Options { spread: true, top: 5, ..Options::default() },
        Options { foreign: true, single: true, duplicates: Duplicates::First, ..Options::default() },
    ];
    let lines = run_lines();
    let mut scattered = lines.clone();
    scattered.sort_by_key(|line| line.split(' ').nth(3).map(str::to_owned));
    let mut calls: Vec<(String, Call<'_>)> = Vec::new();
    let scanned = |source: Source, threads: usize, rows_held: usize| -> Call<'_> {
        let (index, every, stop) = (&index, &every, &stop);
        Box::new(move || {
            let plan = Plan { block: 4096, rows_held, ..Plan::new(threads, stop) };
            scan(&source, index, every, plan).map(|scan| found(&scan))
        })
    };
    for (name, content) in compressed(lines.concat().as_bytes()) {
        let path = written(&folder, name, &content);
        calls.push((format!("scan {name}"), scanned(Source::new(&path, name), 1, 1 << 21)));
        let (source, target) = (Source::new(&path, name), folder.join("copy"));
        let copied = move || {
            let bytes = source.copy_to(&target)?;
            Ok(Found {
                ranked: Vec::new(),
                tops: Vec::new(),
                values: Vec::new(),
                unknown: 0,
                lines: 0,
                bytes,
            })
        };
        calls.push((format!("decompress {name}"), Box::new(copied)));
    }
    let path = written(&folder, "scattered", scattered.concat().as_bytes());
    calls.push(("scan scattered".into(), scanned(Source::new(&path, "scattered"), 1, 200)));
    calls.push(("scan scattered, three threads".into(), scanned(Source::new(&path, "scattered"), 3, 200)));
    let path = written(&folder, "threads", lines.concat().as_bytes());
    calls.push(("scan, four threads".into(), scanned(Source::new(&path, "threads"), 4, 1 << 21)));
    let parts =
        vec![(path.clone(), "one".into()), (written(&folder, "two", b"qx Q0 d1 1 1 tag\n"), "two".into())];
    calls.push(("scan parts".into(), scanned(Source::of_parts(parts, "parts"), 1, 1 << 21)));
    let source = Source::new(&path, "run");
    calls.push(("read run".into(), Box::new(move || read_run(&source).map(held))));
    calls.push(("read judgments".into(), Box::new(|| read_qrels(&qrels).map(held))));
    let indexed = || {
        let index = Index::new(&judgments, Duplicates::Error)?;
        Ok(Found {
            ranked: Vec::new(),
            tops: Vec::new(),
            unknown: 0,
            lines: 0,
            bytes: 0,
            values: index.best_first()?,
        })
    };
    calls.push(("index".into(), Box::new(indexed)));
    let mut total = 0;
    for (name, call) in &calls {
        total += attack(name, call);
    }
    std::fs::remove_dir_all(&folder).unwrap();
    println!("failure injection: {total} points in {} calls, each failed once", calls.len());
    assert!(total > 1000, "{total} points");
}
