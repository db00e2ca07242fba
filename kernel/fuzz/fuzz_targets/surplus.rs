//! Lines of a run with any number of fields: more than six are refused with their number and a cause, or ignored and
//! counted; what the first six say is read all the same.

#![no_main]

use arbitrary::Arbitrary;
use assay_kernel::read::line::{Line, RunLine, run_line};
use assay_kernel::read::surplus::Surplus;
use libfuzzer_sys::fuzz_target;
use naive::text::{has_inner_return, has_surplus, row, words};

/// What lines are made of; a newline would end one.
const PIECES: [&str; 16] = [
    " ", "\u{1e}", "q1", "Q0", "1", "2.5", "tag", "-1e3", "\r", "\u{b}", "\u{c}", "\u{85}", "\u{2028}",
    "\u{2029}", "nan", "é",
];

#[derive(Debug, Arbitrary)]
struct Case<'a> {
    /// Two pieces a byte, with a blank between them.
    pieces: &'a [u8],
}

fuzz_target!(|case: Case<'_>| {
    let mut text = String::with_capacity(8 * case.pieces.len());
    for piece in case.pieces {
        text.push_str(PIECES[usize::from(piece >> 4)]);
        text.push(' ');
        text.push_str(PIECES[usize::from(piece & 15)]);
    }
    let line = text.as_bytes();
    let fields = words(line);
    for ignored in [false, true] {
        let mut surplus = Surplus::ignored(ignored);
        let mut rest = Line::first(line).words();
        let query = rest.next();
        assert_eq!(query, fields.first().copied());
        let read = run_line(&mut rest, &mut surplus);
        let expected = row(line, ignored).map(|row| RunLine {
            iteration: fields[1],
            document: row.document,
            score: row.score,
            tag: fields[5],
        });
        if let (Err(fault), true) = (&read, has_surplus(line)) {
            let found = format!("found {};", fields.len());
            let is_return = has_inner_return(line) && fault.message.starts_with("carriage return inside");
            let is_score = ignored && fault.message.starts_with("the score");
            assert!(is_return || is_score || !ignored && fault.message.contains(&found), "{fault}: {line:?}");
        }
        assert_eq!(read.ok(), expected, "{text:?}");
        let is_counted = ignored && has_surplus(line) && !has_inner_return(line);
        assert_eq!(surplus, Surplus { ignored, lines: usize::from(is_counted) });
    }
});
