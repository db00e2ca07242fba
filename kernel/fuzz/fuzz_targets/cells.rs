//! Any bytes as JSON Lines and as CSV: what is decoded is what a plain reader finds, and the same in one block as in two.

#![no_main]

use assay_kernel::read::cells::lines::JsonLines;
use assay_kernel::read::cells::separated::Separated;
use assay_kernel::read::cells::{Column, Columns, Form, Need, read_block};
use libfuzzer_sys::fuzz_target;
use naive::cells::{Row, json_row, separated_rows};

const NEEDS: [Need; 3] = [Need::Text(0), Need::Nothing, Need::Number(1)];
const KEYS: [&str; 3] = ["q", "text", "score"];
const LONGEST: usize = 300;

/// What some bytes that no table has stand for, so that whole rows are found soon.
const PIECES: [&str; 8] =
    ["{\"q\":", ",\"text\":", ",\"score\":", "}\n", "\"doc\"", "-1.5e3", "\\ud83d\\ude00", "\r\n"];

fuzz_target!(|bytes: &[u8]| {
    let Some((&cut, text)) = bytes.split_first() else { return };
    let written = |byte: &u8| match PIECES.get(usize::from(*byte).wrapping_sub(1)) {
        Some(piece) => piece.as_bytes().to_vec(),
        None => vec![*byte],
    };
    let text = &text.iter().flat_map(written).collect::<Vec<_>>()[..];
    let keys = KEYS.iter().map(|key| key.as_bytes().to_vec()).zip(NEEDS).collect();
    if let Some(rows) = rows(&JsonLines { keys, longest: LONGEST }, text, cut.into()) {
        let lines = str::from_utf8(text).unwrap().split_terminator('\n');
        let expected =
            lines.filter(|line| !line.trim_end_matches('\r').is_empty()).map(|line| json_row(line, KEYS));
        assert_eq!(rows, expected.collect::<Vec<_>>(), "{}", text.escape_ascii());
    }
    for separator in [b',', b'\t'] {
        let form = Separated { separator, needs: NEEDS.to_vec() };
        if let Some(rows) = rows(&form, text, cut.into()) {
            assert_eq!(rows, separated_rows(text, separator), "{}", text.escape_ascii());
        }
    }
});

/// The rows of a text; nothing where Python has to read it. The same in two blocks, if both can be read.
fn rows(form: &impl Form, text: &[u8], cut: usize) -> Option<Vec<Row>> {
    let read = |block, is_last| read_block(form, block, is_last, 1).unwrap();
    let whole = read(text, true).parts.map(|parts| rows_of(&parts));
    let first = read(&text[..cut.min(text.len())], false);
    assert!(first.size <= cut.min(text.len()));
    let last = read(&text[first.size..], true);
    if let (Some(first), Some(last)) = (first.parts, last.parts) {
        let together = [rows_of(&first), rows_of(&last)].concat();
        assert_eq!(whole.as_ref(), Some(&together), "{}", text.escape_ascii());
    }
    whole
}

fn rows_of(parts: &[Columns]) -> Vec<Row> {
    let of_part = |part: &Columns| match &part.columns[..] {
        [Column::Texts(ids), Column::Numbers(scores)] => {
            assert_eq!((ids.views.len(), scores.len()), (part.count, part.count));
            let id = |&view: &u128| String::from_utf8(text_of(view, &ids.text)).unwrap();
            ids.views.iter().map(id).zip(scores.iter().copied()).collect::<Vec<Row>>()
        }
        other => panic!("{other:?}"),
    };
    parts.iter().flat_map(of_part).collect()
}

/// The text of one of Arrow's views: up to twelve bytes in it, or where it begins.
fn text_of(view: u128, text: &[u8]) -> Vec<u8> {
    let (length, start) = (view as u32 as usize, (view >> 96) as usize);
    match length {
        0..=12 => view.to_le_bytes()[4..4 + length].to_vec(),
        _ => {
            assert_eq!(view.to_le_bytes()[4..8], text[start..start + 4]);
            text[start..start + length].to_vec()
        }
    }
}
