use super::*;
use crate::memory::Lack;
use crate::rank::rows::{RowsBuilder, Span, Spans};

fn index(judged: &[&str]) -> Index {
    let mut builder = RowsBuilder::default();
    builder.query(b"q").unwrap();
    for document in judged {
        builder.row(document.as_bytes(), 1.0).unwrap();
    }
    Index::new(&builder.finish().unwrap(), Duplicates::Error).unwrap()
}

fn ranked(judged: &[&str], ranking: &[(&str, f64)], options: Options) -> Result<Judged, Fault> {
    let index = index(judged);
    let mut ranker = Ranker::new(&index, options);
    let mut text = Vec::new();
    let mut spans = Vec::new();
    for (document, _) in ranking {
        let start = text.len();
        text.extend_from_slice(document.as_bytes());
        spans.push(Span { start, end: text.len() });
    }
    let scores: Vec<f64> = ranking.iter().map(|&(_, score)| score).collect();
    ranker.rank(0, &Spans { text: &text, spans: &spans }, Some(&scores))?;
    Ok(ranker.judged)
}

fn with(duplicates: Duplicates) -> Options {
    Options { duplicates, ..Options::default() }
}

#[test]
fn repeats_follow_the_policy() {
    let ranking = [("a", 3.0), ("b", 2.0), ("a", 1.0)];
    let fault = ranked(&["a"], &ranking, with(Duplicates::Error)).unwrap_err();
    assert!(fault.message.contains("query 'q' lists document 'a'"));
    let first = ranked(&["a"], &ranking, with(Duplicates::First)).unwrap();
    assert_eq!((first.hits[0].higher, first.facts[0].retrieved, first.facts[0].repeats_dropped), (0, 2, 1));
    let last = ranked(&["a"], &ranking, with(Duplicates::Last)).unwrap();
    assert_eq!((last.hits.len(), last.hits[0].higher, last.facts[0].retrieved), (1, 1, 2));
    let count = ranked(&["a"], &ranking, with(Duplicates::Count)).unwrap();
    assert_eq!((count.hits.len(), count.hits[1].higher, count.facts[0].retrieved), (2, 2, 3));
}

#[test]
fn the_document_named_like_its_query_can_be_left_out() {
    let options = Options { exclude_query: true, ..Options::default() };
    let judged = ranked(&["a", "q"], &[("q", 9.0), ("a", 1.0)], options).unwrap();
    assert_eq!(
        (judged.hits.len(), judged.hits[0].higher, judged.facts[0].retrieved, judged.facts[0].excluded),
        (1, 0, 1, 1)
    );
}

#[test]
fn an_empty_ranking_is_a_ranking() {
    let judged = ranked(&["a"], &[], Options::default()).unwrap();
    assert_eq!((judged.hits.len(), judged.facts[0].retrieved), (0, 0));
}

#[test]
fn documents_that_other_queries_judged_are_found_on_request() {
    let mut builder = RowsBuilder::default();
    for (query, document) in [("q1", "a"), ("q2", "b")] {
        builder.query(query.as_bytes()).unwrap();
        builder.row(document.as_bytes(), 1.0).unwrap();
    }
    let index = Index::new(&builder.finish().unwrap(), Duplicates::Error).unwrap();
    let options = Options { foreign: true, ..Options::default() };
    let mut rankers = Rankers::new(&index, &[Options::default(), options]);
    let (text, spans) = (b"bxa", [0, 1, 2].map(|start| Span { start, end: start + 1 }));
    rankers.rank(0, &Spans { text, spans: &spans }, Some(&[3.0, 2.0, 1.0])).unwrap();
    let judged = rankers.judged();
    let found =
        |judged: &Judged| judged.hits.iter().map(|hit| (hit.document, hit.higher)).collect::<Vec<_>>();
    assert_eq!(found(&judged[0]), [(0, 2)]);
    assert_eq!(found(&judged[1]), [(FOREIGN, 0), (0, 2)]);
}

#[test]
fn the_spread_of_scores() {
    let options = Options { spread: true, ..Options::default() };
    let judged = ranked(&["a"], &[("x", 1.0), ("a", 4.0), ("y", 4.0)], options).unwrap();
    let spread = judged.facts[0].spread.unwrap();
    assert_eq!((spread.top, spread.second), (4.0, 4.0));
    assert!((spread.deviation - 2f64.sqrt()).abs() < 1e-12);
    assert_eq!(Spread::of(&[2.0]), Some(Spread { top: 2.0, second: 2.0, deviation: 0.0 }));
    assert_eq!(Spread::of(&[]), None);
}

/// Numbers that look random.
fn numbers() -> impl FnMut(usize) -> usize {
    let mut state = 11u64;
    move |below| {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 33) as usize % below
    }
}

/// How many other positions of the ranking satisfy `before`.
fn count(ranking: &[(&str, f64)], before: impl Fn(usize) -> bool) -> u32 {
    (0..ranking.len()).filter(|&other| before(other)).count() as u32
}

#[test]
#[cfg_attr(miri, ignore = "takes Miri minutes")]
fn ties_and_repeats_are_placed_as_by_comparing_all_pairs() {
    let mut number = numbers();
    let names: Vec<String> = (0..40).map(|number| format!("d{number}")).collect();
    for round in 0..2_000 {
        let (documents, levels) = (1 + number(names.len()), 1 + number(6));
        let scores = [-1.0, -0.0, 0.0, 1e-9, 2.5, 7.0];
        let ranking: Vec<(&str, f64)> =
            (0..number(60)).map(|_| (names[number(documents)].as_str(), scores[number(levels)])).collect();
        let judged: Vec<&str> = names[..number(documents + 1)].iter().map(String::as_str).collect();
        let expected = (0..ranking.len()).filter_map(|at| {
            let (id, score) = ranking[at];
            let tied = |other: usize| other != at && ranking[other].1 == score;
            let repeat = |other: usize| ranking[other].0 == id && other < at;
            Some(Hit {
                document: judged.iter().position(|document| *document == id)? as u32,
                score,
                higher: count(&ranking, |other| ranking[other].1 > score),
                tied: count(&ranking, tied),
                before_descending: count(&ranking, |other| {
                    tied(other) && (ranking[other].0 > id || repeat(other))
                }),
                before_ascending: count(&ranking, |other| {
                    tied(other) && (ranking[other].0 < id || repeat(other))
                }),
                before_input: count(&ranking, |other| tied(other) && other < at),
            })
        });
        let mut expected: Vec<Hit> = expected.collect();
        expected.sort_by_key(|hit| hit.higher);
        assert_eq!(ranked(&judged, &ranking, with(Duplicates::Count)).unwrap().hits, expected, "{round}");
    }
}

#[test]
fn a_dict_is_counted_as_any_other_ranking() {
    let names: Vec<String> = (0..60).map(|number| format!("d{number}")).collect();
    for (judged, different) in
        [3, 16, 17, 60].into_iter().flat_map(|count| [(count, 61), (count, 7), (count, 1)])
    {
        let score = |number: usize| (number * 37 % different) as f64;
        let ranking: Vec<(&str, f64)> =
            names.iter().enumerate().map(|(number, name)| (name.as_str(), score(number))).collect();
        let scores: Vec<f64> = ranking.iter().map(|&(_, score)| score).collect();
        let all: Vec<&str> = names[..judged].iter().map(String::as_str).collect();
        let index = index(&all);
        let mut ranker = Ranker::new(&index, Options::default());
        let known: Vec<(u32, f64)> = (0..judged).map(|at| (at as u32, scores[at])).collect();
        let (text, spans, tied) = (&mut Vec::new(), &mut Vec::new(), &mut Vec::new());
        let ranking = &ranking;
        let is_ranked = ranker.rank_known(0, &known, &scores, move |levels| {
            for (name, score) in ranking.iter().filter(|(_, score)| levels.contains(score)) {
                spans.push(Span { start: text.len(), end: text.len() + name.len() });
                text.extend_from_slice(name.as_bytes());
                tied.push(*score);
            }
            Ok::<_, Lack>(Some((Spans { text, spans }, tied.as_slice())))
        });
        assert!(is_ranked.unwrap());
        assert_eq!(ranker.judged.hits, ranked(&all, ranking, Options::default()).unwrap().hits);
        let none = |_: &[f64]| Ok::<_, Lack>(None);
        assert_eq!(ranker.rank_known(0, &known, &scores, none).unwrap(), different == 61);
    }
}

#[test]
#[cfg_attr(miri, ignore = "takes Miri minutes")]
fn a_hundred_thousand_ties_take_no_square_of_the_time() {
    let names: Vec<String> = (0..200_000).map(|number| format!("d{}", number * 7919 % 200_000)).collect();
    let all: Vec<&str> = names.iter().map(String::as_str).collect();
    let pairs: Vec<(&str, f64)> = all.iter().enumerate().map(|(at, name)| (*name, (at / 2) as f64)).collect();
    let begun = std::time::Instant::now();
    let judged = ranked(&all, &pairs, Options::default()).unwrap();
    assert!(judged.hits.iter().all(|hit| hit.tied == 1 && hit.before_ascending + hit.before_descending == 1));
    let one = vec![("d0", 1.0); 200_000];
    let judged = ranked(&["d0"], &one, with(Duplicates::Count)).unwrap();
    assert!(judged.hits.iter().enumerate().all(|(at, hit)| hit.before_ascending == at as u32));
    // By comparing all pairs it would be more than a minute, many times that in a build without optimization.
    assert!(begun.elapsed().as_secs() < 30, "{:?}", begun.elapsed());
}
