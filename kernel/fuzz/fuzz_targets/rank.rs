//! Rankings of two queries, one after the other: the counts that comparing all pairs gives, under every policy, the same
//! with the ids of those that tie alone, and the first documents as by sorting.

#![no_main]

use arbitrary::Arbitrary;
use assay_kernel::memory::Lack;
use assay_kernel::rank::index::Index;
use assay_kernel::rank::judged::Judged;
use assay_kernel::rank::options::{Duplicates, Options, Ties};
use assay_kernel::rank::ranker::Ranker;
use assay_kernel::rank::rows::{RowsBuilder, Span, Spans};
use libfuzzer_sys::fuzz_target;
use naive::ranking::{Found, rank};
use naive::text::Row;

/// Ids and queries; one byte each, so that a byte of the text is an id.
const IDS: &[u8; 32] = b"dcbaqpDCBAQP0123456789ZYXWVU~!$%";
const QUERIES: [&[u8]; 2] = [b"q", b"p"];

/// Scores that are equal, equal in single precision, extreme, or none of these.
const SCORES: [f64; 16] = [
    0.0,
    -0.0,
    1.0,
    1.0 + f64::EPSILON,
    1.0 + 1e-9,
    -1.0,
    2.5,
    2.500_000_1,
    f64::MAX,
    f64::MIN,
    f64::MIN_POSITIVE,
    5e-324,
    1e39,
    2e39,
    -7.0,
    3.0,
];

#[derive(Debug, Arbitrary)]
struct Case<'a> {
    policies: u8,
    /// The order of ties among the first documents in two bits, and how many of these are kept.
    top: u8,
    /// The judged documents of each query, a bit each.
    judged: [u32; 2],
    /// Two bytes a row: the document and, in the highest bit, the query; the score.
    rows: &'a [u8],
}

fuzz_target!(|case: Case<'_>| {
    let (index, options) = (case.index(), case.options());
    let mut ranker = Ranker::new(&index, options.clone());
    let mut expected = Found::default();
    for query in 0..2 {
        let rows = case.rows(query);
        let spans: Vec<Span> =
            rows.iter().map(|&(document, _)| Span { start: document, end: document + 1 }).collect();
        let scores: Vec<f64> = rows.iter().map(|&(_, score)| score).collect();
        let before = ranker.judged.facts.len();
        let ranked =
            ranker.rank(query, &Spans { text: IDS, spans: &spans }, case.is_scored().then_some(&scores));
        let own = || rows.iter().map(|&(document, score)| row(query, document, score));
        let naive =
            if case.is_scored() { options.clone() } else { Options { given: true, ..options.clone() } };
        let fits = rank(&mut expected, query, own().collect(), &index, naive);
        assert_eq!(ranked.is_ok(), fits);
        assert_eq!(ranker.judged.facts.len() - before, usize::from(fits));
        if fits && case.is_scored() {
            check_spread(&ranker.judged, &expected, &options);
            check_known(&ranker.judged, &index, &rows, query, &options);
        }
    }
    assert_eq!(Found::of(&ranker.judged), expected);
});

/// The first figures of the last query's scores are the two highest, or there are none.
fn check_spread(judged: &Judged, expected: &Found, options: &Options) {
    let Some(fact) = judged.facts.last() else { return };
    let expected = expected.highest.filter(|_| options.spread && !options.given);
    assert_eq!(fact.spread.map(|spread| (spread.top, spread.second)), expected);
}

/// The way that looks at no ids but the judged ones, and those that tie with one, counts the same.
fn check_known(judged: &Judged, index: &Index, rows: &[(usize, f64)], query: u32, options: &Options) {
    let Some(fact) = judged.facts.last() else { return };
    let is_plain = fact.repeats_kept + fact.repeats_dropped + fact.excluded == 0;
    if !is_plain || options.given || options.foreign {
        return;
    }
    let hits = judged.hits_of(fact);
    let (first, end) = (index.starts[query as usize], index.starts[query as usize + 1]);
    let found: Vec<(u32, f64)> = (first..end)
        .filter_map(|document| {
            let (_, score) = rows.iter().find(|&&(row, _)| index.document(document) == &IDS[row..=row])?;
            Some((document as u32, options.score(*score)))
        })
        .collect();
    let scores: Vec<f64> = rows.iter().map(|&(_, score)| options.score(score)).collect();
    let mut known = Ranker::new(index, options.clone());
    let is_ranked = known.rank_known(query, &found, &scores, |_| Ok::<_, Lack>(None));
    assert_eq!(is_ranked, Ok(hits.iter().all(|hit| hit.tied == 0)));
    if is_ranked == Ok(true) {
        known.undo();
    }
    assert!(known.judged.facts.is_empty() && known.judged.hits.is_empty());
    let (scores, spans, tied) = (&scores, &mut Vec::new(), &mut Vec::new());
    let is_ranked = known.rank_known(query, &found, scores, move |levels| {
        for (&(row, _), score) in rows.iter().zip(scores).filter(|(_, score)| levels.contains(score)) {
            spans.push(Span { start: row, end: row + 1 });
            tied.push(*score);
        }
        Ok::<_, Lack>(Some((Spans { text: IDS, spans }, tied.as_slice())))
    });
    assert_eq!(is_ranked, Ok(true));
    assert_eq!(known.judged.facts.last().map(|fact| known.judged.hits_of(fact)), Some(hits));
}

fn row(query: u32, document: usize, score: f64) -> Row<'static> {
    Row { query: QUERIES[query as usize], document: &IDS[document..=document], score }
}

impl Case<'_> {
    fn index(&self) -> Index {
        let mut builder = RowsBuilder::default();
        for (query, documents) in QUERIES.iter().zip(self.judged) {
            builder.query(query).unwrap();
            for bit in (0..32).filter(|bit| documents >> bit & 1 == 1) {
                builder.row(&IDS[bit..=bit], 1.0).unwrap();
            }
        }
        Index::new(&builder.finish().unwrap(), Duplicates::Error).unwrap()
    }

    fn options(&self) -> Options {
        let policies = [Duplicates::Error, Duplicates::First, Duplicates::Last, Duplicates::Count];
        let is = |bit: u8| self.policies >> bit & 1 == 1;
        Options {
            duplicates: policies[usize::from(self.policies & 3)],
            single: is(2),
            given: is(3),
            exclude_query: is(4),
            foreign: is(5),
            spread: is(6),
            top: u32::from(self.top >> 2),
            ties: [Ties::Descending, Ties::Ascending, Ties::Input][usize::from(self.top & 3) % 3],
            chunks: None,
        }
    }

    fn is_scored(&self) -> bool {
        self.policies < 128
    }

    fn rows(&self, query: u32) -> Vec<(usize, f64)> {
        let own = self.rows.as_chunks().0.iter().filter(|[place, _]| u32::from(place >> 7) == query);
        own.map(|&[place, score]| (usize::from(place % 32), SCORES[usize::from(score % 16)])).collect()
    }
}
