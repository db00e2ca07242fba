//! Any bytes as a block of lines: the same lines, words and numbers as the plain way finds, and the same faults.

#![no_main]

use assay_kernel::read::block::{LineFault, each_line};
use assay_kernel::read::lanes::{Lanes, Level, Task};
use assay_kernel::read::line::{Line, QrelsLine, RunLine, Words, qrels_line, run_line};
use assay_kernel::read::run::each_row;
use assay_kernel::read::surplus::Surplus;
use libfuzzer_sys::fuzz_target;
use naive::text::{is_text, lines, number, row, says_nothing, words};

fuzz_target!(|text: &[u8]| {
    let all = lines(text);
    let mut seen = Vec::new();
    let result = each_line(text, 1 << 20, |line| {
        check(&line);
        seen.push(line.bytes());
        Ok(())
    });
    match result {
        Ok(count) => {
            assert!(all.iter().all(|line| is_text(line)));
            assert_eq!(count, all.len());
            assert_eq!(seen, all.into_iter().filter(|line| !says_nothing(line)).collect::<Vec<_>>());
        }
        Err((line, _)) => assert!(!is_text(all[line])),
    }
    check_run(text);
});

/// The rows of a run up to the first malformed line, and the number of lines or the fault.
type Rows<'a> = (Vec<(&'a [u8], RunLine<'a>)>, Result<usize, LineFault>);

/// Reads rows the way that is given, in which a line is cut at one look.
struct Read<'a>(&'a [u8]);

impl<'a> Task for Read<'a> {
    type Output = Rows<'a>;

    #[inline(always)]
    fn run(self, level: impl Level) -> Self::Output {
        let mut surplus = Surplus::default();
        let mut rows: Vec<(&[u8], RunLine<'_>)> = Vec::new();
        let read = each_row(level, self.0, 1 << 20, &mut surplus, |row| {
            assert!(!row.goes_on || rows.last().is_some_and(|(query, _)| *query == row.query));
            rows.push((row.query, row.retrieved));
            Ok(())
        });
        (rows, read)
    }
}

/// Every way of reading rows gives what reading word by word gives.
fn check_run(text: &[u8]) {
    let mut rows = Vec::new();
    let read = each_line(text, 1 << 20, |line| {
        let retrieved = run_line(&mut after_query(&line), &mut Surplus::default())?;
        rows.push((line.words().next().unwrap_or_default(), retrieved));
        Ok(())
    });
    let expected = (rows, read);
    for lanes in Lanes::ALL {
        assert_eq!(lanes.run(Read(text)), expected, "{lanes:?} {}", text.escape_ascii());
    }
}

/// Checks what is read from one line.
fn check(line: &Line<'_>) {
    let expected = words(line.bytes());
    assert_eq!(line.words().collect::<Vec<_>>(), expected);
    expected.iter().for_each(|word| check_number(word));
    let run = run_line(&mut after_query(line), &mut Surplus::default()).ok();
    let expected_run = row(line.bytes(), false).map(|row| RunLine {
        iteration: expected[1],
        document: row.document,
        score: row.score,
        tag: expected[5],
    });
    assert_eq!(run, expected_run, "{}", line.bytes().escape_ascii());

    let qrels = qrels_line(&mut after_query(line)).ok();
    let judgment = match expected[..] {
        [_, group, document, grade] => number(grade).map(|grade| QrelsLine { group, document, grade }),
        _ => None,
    };
    assert_eq!(qrels, judgment, "{}", line.bytes().escape_ascii());
}

/// A word is a score if Rust reads it as a finite number.
fn check_number(word: &[u8]) {
    let line = [b"query Q0 document 1 ", word, b" tag"].concat();
    let score = run_line(&mut after_query(&Line::first(&line)), &mut Surplus::default())
        .ok()
        .map(|run| run.score.to_bits());
    assert_eq!(score, number(word).map(f64::to_bits), "{}", word.escape_ascii());
}

fn after_query<'a>(line: &Line<'a>) -> Words<'a> {
    let mut words = line.words();
    words.next();
    words
}
