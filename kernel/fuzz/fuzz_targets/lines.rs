//! Any bytes as a block of lines: the same lines, words and numbers as the plain way finds, and the same faults.

#![no_main]

use assay_kernel::text::block::each_line;
use assay_kernel::text::line::{Line, QrelsLine, RunLine, Words, qrels_line, run_line};
use assay_kernel::text::surplus::Surplus;
use libfuzzer_sys::fuzz_target;
use naive::text::{is_text, lines, number, row, says_nothing, words};

fuzz_target!(|text: &[u8]| {
    let all = lines(text);
    let mut seen = Vec::new();
    let result = each_line(text, 1 << 20, |line| {
        check(&line, seen.last().copied().unwrap_or_default());
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
});

/// Checks what is read from one line; `before` is the line that says something before it.
fn check<'a>(line: &Line<'a>, before: &'a [u8]) {
    let expected = words(line.bytes());
    assert_eq!(line.words().collect::<Vec<_>>(), expected);
    expected.iter().for_each(|word| check_number(word));
    check_accept(line, expected[0]);
    check_accept(line, words(before).first().copied().unwrap_or_default());

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

/// A word is accepted only if it is the first one, and the others follow.
fn check_accept(line: &Line<'_>, word: &[u8]) {
    let expected = words(line.bytes());
    let mut rest = line.words();
    if rest.accept(word) {
        assert_eq!(word, expected[0]);
        assert_eq!(rest.collect::<Vec<_>>(), expected[1..]);
    }
}
