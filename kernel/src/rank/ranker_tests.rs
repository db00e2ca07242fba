use super::*;
use crate::rank::rows::{RowsBuilder, Span, Spans};

/// The hits of a ranking whose repeats all count.
fn ranked(judged: &[&str], ranking: &[(&str, f64)]) -> Vec<Hit> {
    let mut builder = RowsBuilder::default();
    builder.query(b"q").unwrap();
    for document in judged {
        builder.row(document.as_bytes(), 1.0).unwrap();
    }
    let index = Index::new(&builder.finish().unwrap(), Duplicates::Error).unwrap();
    let mut ranker = Ranker::new(&index, Options { duplicates: Duplicates::Count, ..Options::default() });
    let mut text = Vec::new();
    let mut spans = Vec::new();
    for (document, _) in ranking {
        let start = text.len();
        text.extend_from_slice(document.as_bytes());
        spans.push(Span { start, end: text.len() });
    }
    let scores: Vec<f64> = ranking.iter().map(|&(_, score)| score).collect();
    ranker.rank(0, &Spans { text: &text, spans: &spans }, Some(&scores)).unwrap();
    ranker.judged.hits
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
        assert_eq!(ranked(&judged, &ranking), expected, "{round}");
    }
}

#[test]
#[cfg_attr(miri, ignore = "takes Miri minutes")]
fn a_hundred_thousand_ties_take_no_square_of_the_time() {
    let names: Vec<String> = (0..200_000).map(|number| format!("d{}", number * 7919 % 200_000)).collect();
    let all: Vec<&str> = names.iter().map(String::as_str).collect();
    let pairs: Vec<(&str, f64)> = all.iter().enumerate().map(|(at, name)| (*name, (at / 2) as f64)).collect();
    let begun = std::time::Instant::now();
    let hits = ranked(&all, &pairs);
    assert!(hits.iter().all(|hit| hit.tied == 1 && hit.before_ascending + hit.before_descending == 1));
    let one = vec![("d0", 1.0); 200_000];
    let hits = ranked(&["d0"], &one);
    assert!(hits.iter().enumerate().all(|(at, hit)| hit.before_ascending == at as u32));
    // By comparing all pairs it would be more than a minute, many times that in a build without optimization.
    assert!(begun.elapsed().as_secs() < 30, "{:?}", begun.elapsed());
}
