//! The judged documents of a run, ranked by comparing all pairs.

use crate::text::{Row, has_surplus, is_text, lines, row, says_nothing};
use assay_kernel::rank::index::Index;
use assay_kernel::rank::judged::{FOREIGN, Fact, Hit, Judged};
use assay_kernel::rank::options::{Duplicates, Options, Ties};
use assay_kernel::rank::tops::TopList;
use std::cmp::Ordering;
use std::collections::{BTreeMap, BTreeSet};

/// What a run holds, in an order that no thread decides.
#[derive(Debug, Default)]
pub struct Found {
    /// By query: how much it retrieved, and its hits.
    pub rankings: BTreeMap<u32, (u32, Vec<Hit>)>,
    /// By query: the first documents with their scores.
    pub tops: BTreeMap<u32, Vec<(Vec<u8>, f64)>>,
    pub unknown: BTreeSet<Vec<u8>>,
    pub scattered: usize,
    pub lines: usize,
    /// Lines with more than six fields.
    pub surplus: usize,
    pub repeats_kept: u64,
    pub repeats_dropped: u64,
    pub excluded: u64,
    /// The two highest scores of the query ranked last; the only one twice.
    pub highest: Option<(f64, f64)>,
}

impl Found {
    /// What the kernel found, without what concerns the file.
    pub fn of(judged: &Judged) -> Self {
        let facts = &judged.facts;
        let ranking = |fact: &Fact| (fact.query, (fact.retrieved, judged.hits_of(fact).to_vec()));
        let id = |(id, score): (&[u8], f64)| (id.to_vec(), score);
        let top = |list: &TopList| (list.query, judged.tops.of(list).map(id).collect());
        let sum = |of: fn(&Fact) -> u32| facts.iter().map(|fact| u64::from(of(fact))).sum();
        let found = Self {
            rankings: facts.iter().map(ranking).collect(),
            tops: judged.tops.lists.iter().map(top).collect(),
            repeats_kept: sum(|fact| fact.repeats_kept),
            repeats_dropped: sum(|fact| fact.repeats_dropped),
            excluded: sum(|fact| fact.excluded),
            ..Self::default()
        };
        assert_eq!(found.rankings.len(), facts.len(), "a query is ranked twice");
        found
    }
}

/// Two things are the same if all but the scores of the last query are, which only some ask for.
impl PartialEq for Found {
    fn eq(&self, other: &Self) -> bool {
        let counts = |of: &Self| {
            [
                of.scattered as u64,
                of.lines as u64,
                of.surplus as u64,
                of.repeats_kept,
                of.repeats_dropped,
                of.excluded,
            ]
        };
        (&self.rankings, &self.tops, &self.unknown, counts(self))
            == (&other.rankings, &other.tops, &other.unknown, counts(other))
    }
}

/// What is wrong with a run.
#[derive(Debug, Default)]
pub struct Wrong {
    /// The numbers of the malformed lines, from one.
    pub lines: Vec<usize>,
    /// A query lists a document twice, and may not.
    pub duplicate: bool,
}

/// Ranks the run that stands in `text`. What follows the sixth field of a line is ignored if `surplus` says so.
pub fn found(text: &[u8], index: &Index, options: Options, surplus: bool) -> Result<Found, Wrong> {
    let all = lines(text);
    let mut found = Found { lines: all.len(), ..Found::default() };
    let mut wrong = Wrong::default();
    let mut rows = Vec::new();
    for (number, line) in all.into_iter().enumerate() {
        match row(line, surplus).filter(|_| is_text(line)) {
            _ if says_nothing(line) && is_text(line) => {}
            Some(row) => {
                found.surplus += usize::from(has_surplus(line));
                rows.push(row);
            }
            None => wrong.lines.push(number + 1),
        }
    }
    let names: BTreeSet<&[u8]> = rows.iter().map(|row| row.query).collect();
    for name in names {
        let Some(query) = index.queries.iter().position(|known| known == name) else {
            found.unknown.insert(name.to_vec());
            continue;
        };
        let segments =
            rows.chunk_by(|one, next| one.query == next.query).filter(|rows| rows[0].query == name);
        found.scattered += usize::from(segments.count() > 1);
        let own: Vec<Row<'_>> = rows.iter().filter(|row| row.query == name).copied().collect();
        wrong.duplicate |= !rank(&mut found, query as u32, own, index, options.clone());
    }
    if wrong.duplicate || !wrong.lines.is_empty() { Err(wrong) } else { Ok(found) }
}

/// Ranks one query; false if it has a document twice and may not.
pub fn rank(found: &mut Found, query: u32, mut rows: Vec<Row<'_>>, index: &Index, options: Options) -> bool {
    let count = rows.len();
    rows.retain(|row| !(options.exclude_query && row.document == row.query));
    let excluded = count - rows.len();

    let is_in = |rows: &[Row<'_>], document| rows.iter().any(|row| row.document == document);
    let repeats = |at: usize| match options.duplicates {
        Duplicates::Error | Duplicates::First => is_in(&rows[..at], rows[at].document),
        Duplicates::Last => is_in(&rows[at + 1..], rows[at].document),
        Duplicates::Count => false,
    };
    let kept: Vec<Row<'_>> = (0..rows.len()).filter(|&at| !repeats(at)).map(|at| rows[at]).collect();
    let dropped = rows.len() - kept.len();
    if dropped > 0 && options.duplicates == Duplicates::Error {
        return false;
    }
    found.excluded += excluded as u64;
    found.repeats_dropped += dropped as u64;
    found.repeats_kept += (0..kept.len()).filter(|&at| is_in(&kept[..at], kept[at].document)).count() as u64;

    let score = |(position, row): (usize, &Row<'_>)| match options {
        Options { given: true, .. } => -(position as f64),
        Options { single: true, .. } => f64::from(row.score as f32),
        _ => row.score,
    };
    let scores: Vec<f64> = kept.iter().enumerate().map(score).collect();
    let ids: Vec<&[u8]> = kept.iter().map(|row| row.document).collect();
    let hit = |at: usize| {
        let document = number(index, query, ids[at], options.foreign)?;
        let mut hit = Hit {
            document,
            score: scores[at],
            higher: 0,
            tied: 0,
            before_descending: 0,
            before_ascending: 0,
            before_input: 0,
        };
        for other in (0..scores.len()).filter(|&other| other != at) {
            if scores[other] == scores[at] {
                let order = ids[other].cmp(ids[at]).then(other.cmp(&at));
                hit.tied += 1;
                hit.before_ascending += u32::from(order.is_lt());
                hit.before_descending +=
                    u32::from(if ids[other] == ids[at] { order.is_lt() } else { order.is_gt() });
                hit.before_input += u32::from(other < at);
            }
            hit.higher += u32::from(scores[other] > scores[at]);
        }
        Some(hit)
    };
    let mut hits: Vec<Hit> = (0..kept.len()).filter_map(hit).collect();
    hits.sort_by_key(|hit| hit.higher);
    found.rankings.insert(query, (kept.len() as u32, hits));
    if options.top > 0 {
        found.tops.insert(query, first(&ids, &scores, options));
    }
    let mut highest: Vec<f64> = kept.iter().map(|row| row.score).collect();
    highest.sort_by(|left, right| right.total_cmp(left));
    found.highest = highest.first().map(|&top| (top, highest.get(1).copied().unwrap_or(top)));
    true
}

/// The first documents of a ranking, by sorting it.
fn first(ids: &[&[u8]], scores: &[f64], options: Options) -> Vec<(Vec<u8>, f64)> {
    let mut order: Vec<usize> = (0..ids.len()).collect();
    order.sort_by(|&one, &other| {
        let by_id = match options.ties {
            Ties::Descending => ids[other].cmp(ids[one]),
            Ties::Ascending => ids[one].cmp(ids[other]),
            Ties::Input => Ordering::Equal,
        };
        scores[other].partial_cmp(&scores[one]).unwrap_or(Ordering::Equal).then(by_id)
    });
    order.truncate(options.top as usize);
    order.into_iter().map(|at| (ids[at].to_vec(), scores[at])).collect()
}

/// The number of a document among those that the query judged, or `FOREIGN` if others did and that counts.
fn number(index: &Index, query: u32, document: &[u8], foreign: bool) -> Option<u32> {
    let own = index.starts[query as usize]..index.starts[query as usize + 1];
    let is_it = |number: &usize| index.document(*number) == document;
    match own.clone().find(is_it) {
        Some(number) => Some(number as u32),
        None => (foreign && (0..index.grades.len()).any(|number| is_it(&number))).then_some(FOREIGN),
    }
}
