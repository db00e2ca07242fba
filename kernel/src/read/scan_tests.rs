use super::*;
use crate::rank::judged::Hit;
use crate::rank::options::Duplicates;
use crate::rank::rows::RowsBuilder;
use crate::read::gather::RETURNS;
use std::collections::BTreeMap;

fn index(queries: usize) -> Index {
    let mut builder = RowsBuilder::default();
    for query in 0..queries {
        builder.query(format!("q{query}").as_bytes()).unwrap();
        for document in (0..50).step_by(7) {
            builder.row(format!("d{document}").as_bytes(), 1.0).unwrap();
        }
    }
    Index::new(&builder.finish().unwrap(), Duplicates::Error).unwrap()
}

fn lines(queries: usize) -> Vec<String> {
    let rows = (0..queries).flat_map(|query| (0..50).map(move |rank| (query, rank)));
    rows.map(|(query, rank)| format!("q{query} Q0 d{} {rank} {} t\n", (rank * 11 + query) % 50, 100 - rank))
        .collect()
}

fn scanned(name: &str, text: &str, plan: Plan<'_>) -> Result<Scan, Fault> {
    let path = std::env::temp_dir().join(format!("assay-scan-{}-{name}", std::process::id()));
    std::fs::write(&path, text).unwrap();
    let source = Source::new(&path, name);
    let scan = scan(&source, &index(12), &[Options::default()], plan);
    std::fs::remove_file(path).unwrap();
    scan
}

fn hits(scan: &Scan) -> BTreeMap<u32, Vec<Hit>> {
    let judged = &scan.judged[0];
    judged.facts.iter().map(|fact| (fact.query, judged.hits_of(fact).to_vec())).collect()
}

#[test]
#[cfg_attr(miri, ignore = "takes Miri minutes")]
fn threads_blocks_and_order_of_lines_change_nothing() {
    let stop = AtomicBool::new(false);
    let plan = Plan { rows_held: 60, ..Plan::new(1, &stop) };
    let whole = lines(12).concat();
    let expected = scanned("whole", &whole, plan).unwrap();
    assert_eq!(expected.judged[0].facts.len(), 12);
    assert_eq!((expected.scattered, expected.lines), (0, 600));
    for (threads, block) in [(1, 64), (2, 64), (2, 5000), (4, 300)] {
        let scan = scanned(&format!("t{threads}-{block}"), &whole, Plan { threads, block, ..plan }).unwrap();
        assert_eq!(hits(&scan), hits(&expected));
        assert_eq!(scan.scattered, 0);
    }
    let scattered = rank_by_rank();
    // The file is read again, or its rows are kept.
    for rows_held in [60, 600] {
        for (threads, block) in [(1, 1 << 20), (1, 64), (3, 300), (2, 5000)] {
            let name = format!("s{threads}-{block}-{rows_held}");
            let plan = Plan { threads, block, rows_held, ..plan };
            let scan = scanned(&name, &scattered.concat(), plan).unwrap();
            assert_eq!((scan.scattered, scan.lines), (12, 600));
            assert_eq!(hits(&scan), hits(&expected));
        }
    }
}

/// The lines of twelve queries, rank by rank, of which the first begin such a file.
fn rank_by_rank() -> Vec<String> {
    let mut scattered = lines(12);
    scattered.sort_by_key(|line| line.split(' ').nth(3).unwrap().parse::<u32>().unwrap());
    scattered
}

#[test]
fn a_file_begins_scattered_if_it_goes_back_to_queries() {
    for (text, expected) in [
        (lines(12).concat(), false),
        (rank_by_rank().concat(), true),
        (rank_by_rank()[..12 + RETURNS].concat(), true),
        (rank_by_rank()[..12 + RETURNS - 1].concat(), false),
        (rank_by_rank().concat().replace("q0 Q0", "# Q0"), true),
        ("# a\n\n".repeat(100), false),
        ("a 1\nb 1\n".repeat(100), true),
        (String::new(), false),
    ] {
        assert_eq!(begins_scattered(text.as_bytes()), Ok(expected), "{text:.40}");
    }
}

#[test]
fn what_is_kept_tells_of_whole_queries_unknown_ones_faults_and_repeats() {
    let stop = AtomicBool::new(false);
    let plan = |threads| Plan { block: 300, ..Plan::new(threads, &stop) };
    let mut text = rank_by_rank();
    text.retain(|line| !line.starts_with("q3 "));
    let whole: Vec<String> = lines(12).into_iter().filter(|line| line.starts_with("q3 ")).collect();
    let all = text.concat() + &whole.concat() + "x Q0 d1 1 1 t\n";
    let expected = scanned("kept", &lines(12).concat(), plan(1)).unwrap();
    for threads in [1, 3] {
        let scan = scanned(&format!("kept{threads}"), &all, plan(threads)).unwrap();
        assert_eq!((scan.scattered, scan.lines, scan.unknown.len()), (11, 601, 1));
        assert_eq!(hits(&scan), hits(&expected));
        let twice = format!("{all}q5 Q0 d1 1 1 t\n");
        let fault = scanned(&format!("twice{threads}"), &twice, plan(threads)).unwrap_err();
        assert!(fault.message.contains("query 'q5' lists document 'd1'"), "{}", fault.message);
        let wrong = format!("{all}q5 Q0 d1 1 x t\n{twice}q5\n");
        let fault = scanned(&format!("wrong{threads}"), &wrong, plan(threads)).unwrap_err();
        assert!(fault.message.contains("line 602: the score 'x' is not a number"), "{}", fault.message);
    }
}

#[test]
fn what_follows_a_scattered_head_is_ranked_where_it_stands() {
    let stop = AtomicBool::new(false);
    let head: String = rank_by_rank()
        .into_iter()
        .filter(|line| line.starts_with("q0 ") || line.starts_with("q1 "))
        .collect();
    let tail: String =
        lines(12).into_iter().filter(|line| !line.starts_with("q0 ") && !line.starts_with("q1 ")).collect();
    let expected = scanned("tail", &lines(12).concat(), Plan::new(1, &stop)).unwrap();
    for (threads, rows_held) in [(1, 30), (3, 30), (3, 150), (2, 600)] {
        let plan = Plan { block: 150, rows_held, ..Plan::new(threads, &stop) };
        let scan = scanned(&format!("head{threads}-{rows_held}"), &(head.clone() + &tail), plan).unwrap();
        assert_eq!((scan.scattered, scan.lines), (2, 600));
        assert_eq!(hits(&scan), hits(&expected));
    }
    // What the file ends with is not read again.
    let plan = Plan { block: 150, rows_held: 30, ..Plan::new(1, &stop) };
    let later = ranked_later(&(head + &tail), plan);
    assert!(later.contains(&0) && later.contains(&1) && !later.contains(&11), "{later:?}");
}

/// The queries that are not ranked where they stand.
fn ranked_later(text: &str, plan: Plan<'_>) -> Vec<u32> {
    let path = std::env::temp_dir().join(format!("assay-scan-{}-later", std::process::id()));
    std::fs::write(&path, text).unwrap();
    let (source, index) = (Source::new(&path, "later"), index(12));
    let queries = Finder::new(&index.queries).unwrap();
    let gather =
        Gather { source: &source, index: &index, queries: &queries, options: &[Options::default()], plan };
    let mut worker = Worker::new(&gather, true).unwrap();
    let blocks = Feed::new(Blocks::open(&source, plan.block).unwrap(), 1);
    worker.work(&Shared::new(&blocks, plan));
    std::fs::remove_file(path).unwrap();
    (0..12).filter(|&query| !worker.states[query as usize].is_ranked()).collect()
}

#[test]
fn the_first_fault_of_the_file_is_the_one_that_is_told() {
    let stop = AtomicBool::new(false);
    let mut text = lines(12);
    text[77] = "q1 Q0 d1 1 x t\n".into();
    text[500] = "q10 Q0\n".into();
    for threads in [1, 2, 4] {
        let plan = Plan { block: 128, ..Plan::new(threads, &stop) };
        let fault = scanned(&format!("bad{threads}"), &text.concat(), plan).unwrap_err();
        assert!(fault.message.contains("line 78: the score 'x' is not a number"), "{}", fault.message);
    }
}

#[test]
fn which_repeat_is_told_does_not_depend_on_the_threads() {
    let stop = AtomicBool::new(false);
    let rows = ["q0 Q0 d1", "q1 Q0 d1", "q0 Q0 d2", "q0 Q0 d2", "q2 Q0 d3", "q2 Q0 d3", "q3 Q0 d1"];
    let text: String = rows.map(|row| format!("{row} 1 1 t\n")).concat();
    for (threads, round) in [(1, 0), (3, 1), (3, 2), (3, 3)] {
        let plan = Plan { block: 1, ..Plan::new(threads, &stop) };
        let fault = scanned(&format!("told{threads}-{round}"), &text, plan).unwrap_err();
        assert!(fault.message.contains("query 'q2' lists document 'd3'"), "{}", fault.message);
    }
}
