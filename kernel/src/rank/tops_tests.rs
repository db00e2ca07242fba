use super::*;
use crate::rank::index::Index;
use crate::rank::judged::Judged;
use crate::rank::options::Duplicates;
use crate::rank::ranker::{Ranker, Rankers};
use crate::rank::rows::{RowsBuilder, Spans};

fn index(queries: &[&str], judged: &[String]) -> Index {
    let mut builder = RowsBuilder::default();
    for query in queries {
        builder.query(query.as_bytes()).unwrap();
        judged.iter().for_each(|document| builder.row(document.as_bytes(), 1.0).unwrap());
    }
    Index::new(&builder.finish().unwrap(), Duplicates::Error).unwrap()
}

/// A ranking as the kernel takes it.
struct Given {
    text: Vec<u8>,
    spans: Vec<Span>,
    scores: Vec<f64>,
}

impl Given {
    fn new(ranking: &[(&str, f64)]) -> Self {
        let mut given = Self { text: Vec::new(), spans: Vec::new(), scores: Vec::new() };
        for (document, score) in ranking {
            let start = given.text.len();
            given.text.extend_from_slice(document.as_bytes());
            given.spans.push(Span { start, end: given.text.len() });
            given.scores.push(*score);
        }
        given
    }

    fn documents(&self) -> Spans<'_> {
        Spans { text: &self.text, spans: &self.spans }
    }
}

fn listed(tops: &Tops, query: u32) -> Vec<(String, f64)> {
    let list = tops.lists.iter().find(|list| list.query == query).unwrap();
    tops.of(list).map(|(id, score)| (String::from_utf8_lossy(id).into_owned(), score)).collect()
}

/// What is kept under the policies, by sorting all of it.
fn sorted(ranking: &[(&str, f64)], options: Options, query: &str) -> Vec<(String, f64)> {
    let mut rows: Vec<(usize, &str, f64)> = Vec::new();
    for (position, &(id, score)) in ranking.iter().enumerate() {
        let earlier = rows.iter().position(|row| row.1 == id);
        match (options.duplicates, earlier) {
            _ if options.exclude_query && id == query => continue,
            (Duplicates::First, Some(_)) => continue,
            (Duplicates::Last, Some(earlier)) => drop(rows.remove(earlier)),
            _ => {}
        }
        rows.push((position, id, options.score(score)));
    }
    if options.given {
        rows.iter_mut().enumerate().for_each(|(position, row)| row.2 = -(position as f64));
    }
    rows.sort_by(|one, other| {
        let by_id = match options.ties {
            Ties::Descending => other.1.cmp(one.1),
            Ties::Ascending => one.1.cmp(other.1),
            Ties::Input => Ordering::Equal,
        };
        other.2.partial_cmp(&one.2).unwrap().then(by_id).then(one.0.cmp(&other.0))
    });
    rows.truncate(options.top as usize);
    rows.into_iter().map(|(_, id, score)| (id.to_owned(), score)).collect()
}

/// Numbers that look random.
fn numbers() -> impl FnMut(usize) -> usize {
    let mut state = 5u64;
    move |below| {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 33) as usize % below
    }
}

const SCORES: [f64; 8] = [-1.0, -0.0, 0.0, 1.0, 1.0 + 1e-12, 2.5, 7.0, f64::MAX];

#[test]
#[cfg_attr(miri, ignore = "takes Miri minutes")]
fn the_first_documents_are_those_of_a_sort() {
    let mut number = numbers();
    let names: Vec<String> = (0..40).map(|number| format!("d{number}")).collect();
    let index = index(&["d7"], &names[..5]);
    for round in 0..4_000 {
        let (documents, levels) = (1 + number(names.len()), 1 + number(SCORES.len()));
        let ranking: Vec<(&str, f64)> =
            (0..number(80)).map(|_| (names[number(documents)].as_str(), SCORES[number(levels)])).collect();
        let options = Options {
            duplicates: [Duplicates::First, Duplicates::Last, Duplicates::Count][number(3)],
            single: number(2) == 1,
            given: number(4) == 0,
            exclude_query: number(2) == 1,
            top: 1 + number(30) as u32,
            ties: [Ties::Descending, Ties::Ascending, Ties::Input][number(3)],
            ..Options::default()
        };
        let (mut ranker, given) = (Ranker::new(&index, options.clone()), Given::new(&ranking));
        ranker.rank(0, &given.documents(), Some(&given.scores)).unwrap();
        let expected = sorted(&ranking, options.clone(), "d7");
        let kept = listed(&ranker.judged.tops, 0);
        assert_eq!(kept, expected, "{round}: {options:?}");
        check_hits(&ranker.judged, &kept, &names, options);
    }
}

/// The judged documents among the first have the ranks that their counts give.
fn check_hits(judged: &Judged, kept: &[(String, f64)], names: &[String], options: Options) {
    let mut judged_among = 0;
    for hit in &judged.hits {
        let before = match options.ties {
            Ties::Descending => hit.before_descending,
            Ties::Ascending => hit.before_ascending,
            Ties::Input => hit.before_input,
        };
        if let Some(at) = kept.get((hit.higher + before) as usize) {
            assert_eq!(at, &(names[hit.document as usize].clone(), hit.score));
            judged_among += 1;
        }
    }
    assert_eq!(kept.iter().filter(|(id, _)| names[..5].contains(id)).count(), judged_among);
}

#[test]
fn nothing_is_kept_unless_it_is_asked_for() {
    let (index, given) = (index(&["q"], &["a".into()]), Given::new(&[("a", 1.0)]));
    let mut ranker = Ranker::new(&index, Options::default());
    ranker.rank(0, &given.documents(), Some(&given.scores)).unwrap();
    assert!(ranker.judged.tops.lists.is_empty() && ranker.judged.tops.text.capacity() == 0);
}

#[test]
fn an_empty_ranking_has_an_empty_list() {
    let (index, given) = (index(&["q"], &["a".into()]), Given::new(&[]));
    let mut ranker = Ranker::new(&index, Options { top: 3, ..Options::default() });
    ranker.rank(0, &given.documents(), Some(&given.scores)).unwrap();
    assert_eq!(listed(&ranker.judged.tops, 0), []);
}

#[test]
fn what_others_saw_is_taken_over_without_what_was_left_out() {
    let index = index(&["q", "r", "s"], &["a".into()]);
    let options = [Options { top: 2, ..Options::default() }, Options::default()];
    let given =
        ["abc", "xyz", "klm"].map(|ids| Given::new(&[(&ids[..1], 1.0), (&ids[1..2], 3.0), (&ids[2..], 2.0)]));
    let seen = |queries: &[u32]| {
        let mut rankers = Rankers::new(&index, &options);
        for &query in queries {
            let given = &given[query as usize];
            rankers.rank(query, &given.documents(), Some(&given.scores)).unwrap();
        }
        rankers.judged()
    };
    let (mut all, mut others) = (seen(&[2]), seen(&[0, 1]));
    others[0].tops.lists.retain(|list| list.query == 1);
    Judged::append_all(&mut all, &others).unwrap();
    assert_eq!(listed(&all[0].tops, 2), [("l".into(), 3.0), ("m".into(), 2.0)]);
    assert_eq!(listed(&all[0].tops, 1), [("y".into(), 3.0), ("z".into(), 2.0)]);
    assert_eq!((all[0].tops.text.as_slice(), all[1].tops.lists.len()), (b"lmyz".as_slice(), 0));
}

#[test]
fn the_last_query_can_be_forgotten() {
    let (index, given) = (index(&["q", "r"], &["a".into()]), Given::new(&[("a", 1.0), ("b", 2.0)]));
    let mut ranker = Ranker::new(&index, Options { top: 1, ..Options::default() });
    for query in 0..2 {
        ranker.rank(query, &given.documents(), Some(&given.scores)).unwrap();
    }
    ranker.undo();
    let tops = &ranker.judged.tops;
    assert_eq!((tops.lists.len(), tops.documents.len(), tops.text.as_slice()), (1, 1, b"b".as_slice()));
}

#[test]
fn the_least_score_of_the_first() {
    let scores = [2.0, 5.0, 5.0, 1.0, 4.0];
    let found = [1, 2, 3, 5].map(|most| least(&scores, most).unwrap());
    assert_eq!(found, [5.0, 5.0, 4.0, 1.0]);
    assert_eq!(least(&scores, 6).unwrap(), f64::NEG_INFINITY);
    assert_eq!(least(&[], 1).unwrap(), f64::NEG_INFINITY);
}

#[test]
#[cfg_attr(miri, ignore = "takes Miri minutes")]
fn rising_scores_take_no_square_of_the_time() {
    let scores: Vec<f64> = (0..2_000_000).map(f64::from).collect();
    let begun = std::time::Instant::now();
    let chosen = choose(&scores, 50_000, &|one, other| one.cmp(&other)).unwrap();
    assert_eq!((chosen.len(), chosen[0], chosen[49_999]), (50_000, 1_999_999, 1_950_000));
    // Inserting each into a sorted list would take minutes in a build without optimization.
    assert!(begun.elapsed().as_secs() < 30, "{:?}", begun.elapsed());
}
