//! Runs of any lines, plain, in UTF-16, compressed or damaged, scanned in tiny blocks on one thread and on three: the same result,
//! which is what comparing all pairs gives, or the same fault, which names a line that is wrong.

#![no_main]

use arbitrary::Arbitrary;
use assay_kernel::fault::{Fault, Kind};
use assay_kernel::rank::index::Index;
use assay_kernel::rank::options::{Duplicates, Options};
use assay_kernel::rank::rows::RowsBuilder;
use assay_kernel::read::scan::{Plan, scan};
use assay_kernel::read::source::Source;
use libfuzzer_sys::fuzz_target;
use naive::File;
use naive::compressed::{Damage, Format};
use naive::ranking::{Found, found};
use naive::text::{as_utf16, is_encoded};
use std::sync::atomic::AtomicBool;

const BYTE_ORDER_MARK: &[u8] = &[0xef, 0xbb, 0xbf];

#[derive(Debug, Arbitrary)]
struct Case {
    /// The judged documents of each query, a bit each.
    judged: [u64; 4],
    policy: u8,
    single: bool,
    given: bool,
    exclude_query: bool,
    block: u8,
    rows_held: u8,
    /// What follows the sixth field of a line is ignored.
    surplus: bool,
    byte_order_mark: bool,
    /// The file is UTF-16, of the order that this says.
    is_little: Option<bool>,
    compressed: Option<(Format, Option<Damage>)>,
    lines: Vec<Written>,
}

#[derive(Debug, Arbitrary)]
enum Written {
    Row {
        query: u8,
        document: u8,
        score: i8,
        blank: u8,
    },
    Scored {
        query: u8,
        document: u8,
        score: f64,
    },
    /// A row for each bit, with as many different scores as `levels` says.
    Rows {
        query: u8,
        documents: u64,
        levels: u8,
    },
    Bytes(Vec<u8>),
}

fuzz_target!(|case: Case| {
    let (text, index, options) = (case.text(), case.index(), case.options());
    if Format::is_one(&text) || is_encoded(&text) {
        return;
    }
    let file = File::new(&case.file(&text));
    let source = file.source("run");
    let stop = AtomicBool::new(false);
    let scanned = |threads| {
        let (block, rows_held) = (usize::from(case.block) + 1, usize::from(case.rows_held));
        scanned(
            &source,
            &index,
            options.clone(),
            Plan { block, rows_held, surplus: case.surplus, ..Plan::new(threads, &stop) },
        )
    };
    let one = scanned(1);
    assert_eq!(one, scanned(3));
    match (one, found(text.strip_prefix(BYTE_ORDER_MARK).unwrap_or(&text), &index, options, case.surplus)) {
        _ if matches!(case.compressed, Some((_, Some(_)))) => {}
        (Ok(one), Ok(expected)) => assert_eq!(one, expected),
        (Err(fault), Err(wrong)) if fault.kind == Kind::Duplicate => assert!(wrong.duplicate),
        (Err(fault), Err(wrong)) => assert!(wrong.lines.contains(&line(&fault)), "{fault} {wrong:?}"),
        (one, expected) => panic!("found {one:?}, expected {expected:?}"),
    }
});

fn scanned(source: &Source, index: &Index, options: Options, plan: Plan<'_>) -> Result<Found, Fault> {
    let scan = scan(source, index, &[options], plan)?;
    Ok(Found {
        unknown: scan.unknown.iter().map(<[u8]>::to_vec).collect(),
        scattered: scan.scattered,
        lines: scan.lines,
        surplus: scan.surplus,
        ..Found::of(&scan.judged[0])
    })
}

/// The line that a fault names.
fn line(fault: &Fault) -> usize {
    assert_eq!(fault.kind, Kind::Format);
    let place = fault.message.strip_prefix("run, line ").and_then(|rest| rest.split(':').next());
    place.and_then(|line| line.parse().ok()).unwrap_or_else(|| panic!("{fault} names no line"))
}

impl Case {
    fn index(&self) -> Index {
        let mut builder = RowsBuilder::default();
        for (query, documents) in (0..).zip(self.judged) {
            builder.query(query_name(query).as_bytes()).unwrap();
            for document in bits(documents) {
                builder.row(document_name(document).as_bytes(), 1.0).unwrap();
            }
        }
        Index::new(&builder.finish().unwrap(), Duplicates::Error).unwrap()
    }

    fn options(&self) -> Options {
        let policies = [Duplicates::Error, Duplicates::First, Duplicates::Last, Duplicates::Count];
        let duplicates = policies[usize::from(self.policy) % policies.len()];
        let (single, given, exclude_query) = (self.single, self.given, self.exclude_query);
        let top = u32::from(self.policy >> 4);
        Options { duplicates, single, given, exclude_query, top, ..Options::default() }
    }

    /// The text as the kernel gets it.
    fn file(&self, text: &[u8]) -> Vec<u8> {
        let encoded = self.is_little.and_then(|is_little| as_utf16(text, is_little));
        let text = encoded.unwrap_or_else(|| text.to_vec());
        let Some((format, damage)) = &self.compressed else {
            return text;
        };
        let mut file = format.compress(&text);
        damage.iter().for_each(|damage| format.damage(&mut file, damage));
        file
    }

    fn text(&self) -> Vec<u8> {
        let mut text = if self.byte_order_mark { BYTE_ORDER_MARK.to_vec() } else { Vec::new() };
        for line in &self.lines {
            line.write(&mut text);
        }
        text
    }
}

impl Written {
    fn write(&self, text: &mut Vec<u8>) {
        let mut row = |query: u8, document: u8, score: String, blank: &str| {
            let (query, document) = (query_name(query), document_name(document));
            text.extend(format!("{query}{blank}Q0 {document} 1 {score}{blank}tag\n").into_bytes());
        };
        match self {
            Self::Row { query, document, score, blank } => {
                let blank = [" ", "\t", "  ", "\x0b", "\x0c", "\r ", " \u{1}", ""][usize::from(*blank) % 8];
                row(*query, *document, score.to_string(), blank);
            }
            Self::Scored { query, document, score } => row(*query, *document, score.to_string(), " "),
            Self::Rows { query, documents, levels } => {
                let score = |bit| u32::from(bit) * 7 % (u32::from(*levels) + 1);
                bits(*documents).for_each(|bit| row(*query, bit, score(bit).to_string(), " "));
            }
            Self::Bytes(bytes) => text.extend_from_slice(bytes),
        }
    }
}

fn bits(of: u64) -> impl Iterator<Item = u8> {
    (0..64).filter(move |bit| of >> bit & 1 == 1)
}

/// Six queries, of which the first four have judgments.
fn query_name(number: u8) -> String {
    format!("q{}", number % 6)
}

/// Documents, of which the first few are named like queries.
fn document_name(number: u8) -> String {
    let letter = if number % 64 < 4 { 'q' } else { 'd' };
    format!("{letter}{}", number % 64)
}
