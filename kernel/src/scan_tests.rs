use super::*;
use crate::fault::Kind;
use crate::judged::Hit;
use crate::options::Duplicates;
use crate::rows::RowsBuilder;
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
    let mut scattered = lines(12);
    scattered.sort_by_key(|line| line.split(' ').nth(3).unwrap().parse::<u32>().unwrap());
    for (threads, block) in [(1, 1 << 20), (1, 64), (3, 300)] {
        let name = format!("s{threads}-{block}");
        let scan = scanned(&name, &scattered.concat(), Plan { threads, block, ..plan }).unwrap();
        assert_eq!(scan.scattered, 12);
        assert_eq!(hits(&scan), hits(&expected));
    }
}

#[test]
fn queries_without_judgments_are_named() {
    let stop = AtomicBool::new(false);
    let scan =
        scanned("unknown", "x Q0 d1 1 1 t\nq0 Q0 d0 1 1 t\ny Q0 d1 1 1 t\n", Plan::new(2, &stop)).unwrap();
    assert_eq!(scan.unknown.len(), 2);
    assert_eq!(scan.judged[0].facts.len(), 1);
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
fn a_repeat_is_found_even_where_lines_do_not_stand_together() {
    let stop = AtomicBool::new(false);
    let text = "q0 Q0 d1 1 3 t\nq1 Q0 d1 1 3 t\nq0 Q0 d1 2 1 t\n";
    let fault = scanned("repeat", text, Plan::new(2, &stop)).unwrap_err();
    assert_eq!(fault.kind, Kind::Duplicate);
    assert!(fault.message.contains("query 'q0' lists document 'd1'"));
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

#[test]
fn it_stops_when_told() {
    let stop = AtomicBool::new(true);
    assert_eq!(
        scanned("stop", &lines(12).concat(), Plan::new(2, &stop)).unwrap_err().kind,
        Kind::Interrupted
    );
}
