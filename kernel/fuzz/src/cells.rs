//! Rows of JSON Lines and CSV, read the plain way.

use serde_json::value::RawValue;
use std::collections::BTreeMap;

/// An id and a score.
pub type Row = (String, f64);

/// The row of a line that the kernel took, which has to be an object with these keys: an id, anything, and a score.
pub fn json_row(line: &str, [id, other, score]: [&str; 3]) -> Row {
    let cells: BTreeMap<String, &RawValue> = serde_json::from_str(line).unwrap();
    assert!(cells.keys().all(|key| [id, other, score].contains(&key.as_str())));
    (json_id(cells[id].get()), cells[score].get().parse().unwrap())
}

/// A string, or a whole number in digits.
fn json_id(raw: &str) -> String {
    serde_json::from_str(raw).unwrap_or_else(|_| raw.parse::<i64>().unwrap().to_string())
}

/// The rows of a table of three columns without a header: an id, anything, and a score.
pub fn separated_rows(text: &[u8], separator: u8) -> Vec<Row> {
    let mut rows = Vec::new();
    let mut rest = text;
    while !blank(rest) {
        let cells: [Vec<u8>; 3] = std::array::from_fn(|place| {
            let (cell, after, is_last) = cell(rest, separator);
            assert_eq!(is_last, place == 2);
            rest = after;
            cell
        });
        let [id, _, score] = cells.map(|cell| String::from_utf8(cell).unwrap());
        rows.push((id, score.parse().unwrap()));
    }
    rows
}

fn blank(text: &[u8]) -> bool {
    text.iter().all(|byte| matches!(byte, b'\r' | b'\n'))
}

/// The first cell, what follows it, and whether it ended a row.
fn cell(text: &[u8], separator: u8) -> (Vec<u8>, &[u8], bool) {
    let (mut cell, mut at) = (Vec::new(), 0);
    if text.first() == Some(&b'"') {
        at = 1;
        loop {
            let (byte, next) = (text[at], text.get(at + 1));
            at += 1;
            if byte != b'"' {
                cell.push(byte);
            } else if next == Some(&b'"') {
                cell.push(b'"');
                at += 1;
            } else {
                break;
            }
        }
    } else {
        let is_end = |at: usize| at == text.len() || text[at] == separator || text[at] == b'\n';
        while !is_end(at) && !text[at..].starts_with(b"\r\n") {
            cell.push(text[at]);
            at += 1;
        }
    }
    match text[at..] {
        [] => (cell, &[], true),
        [b'\r', b'\n', ..] => (cell, &text[at + 2..], true),
        [b'\n', ..] => (cell, &text[at + 1..], true),
        [byte, ..] if byte == separator => (cell, &text[at + 1..], false),
        _ => panic!("text after a quote: {}", text.escape_ascii()),
    }
}
