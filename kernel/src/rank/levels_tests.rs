use super::*;

fn row<'a>(query: &'a str, document: &'a str, score: f64, order: i64) -> Row<'a> {
    Row { run: None, query: query.as_bytes(), document: document.as_bytes(), score, order }
}

fn counter(options: Options, by_order: bool, levels: &[(&str, f64, i64)]) -> Counter {
    let mut counter = Counter::new(options, by_order).unwrap();
    for &(document, score, order) in levels {
        counter.add_level(row("q", document, score, order)).unwrap();
    }
    counter
}

fn filled_slots(counter: &Counter) -> Vec<(usize, u64)> {
    counter.slots().iter().copied().enumerate().filter(|&(_, count)| count > 0).collect()
}

#[test]
fn rows_fall_into_the_slots_of_their_gap() {
    // Levels b at 1, d and f at 2: gaps 0 to 3.
    let levels = [("b", 1.0, 0), ("d", 2.0, 0), ("f", 2.0, 0)];
    let cases = [
        ("x", 0.5, BETWEEN),
        ("a", 1.0, TIED_ABOVE),
        ("b", 1.0, ITSELF),
        ("c", 1.0, SLOTS + TIED_BELOW),
        ("x", 1.5, SLOTS + BETWEEN),
        ("c", 2.0, SLOTS + TIED_ABOVE),
        ("d", 2.0, SLOTS + ITSELF),
        ("e", 2.0, 2 * SLOTS + TIED_BELOW),
        ("f", 2.0, 2 * SLOTS + ITSELF),
        ("g", 2.0, 3 * SLOTS + TIED_BELOW),
        ("x", 2.5, 3 * SLOTS + BETWEEN),
    ];
    for (document, score, slot) in cases {
        let mut counter = counter(Options::default(), false, &levels);
        counter.add(row("q", document, score, 0)).unwrap();
        assert_eq!(filled_slots(&counter), [(slot, 1)], "{document} {score}");
    }
}

#[test]
fn ties_go_by_place_where_it_counts_and_scores_may_not() {
    let mut by_order = counter(Options::default(), true, &[("z", 1.0, 5)]);
    by_order.add(row("q", "a", 1.0, 4)).unwrap();
    by_order.add(row("q", "a", 1.0, 6)).unwrap();
    assert_eq!(filled_slots(&by_order), [(TIED_ABOVE, 1), (SLOTS + TIED_BELOW, 1)]);
    let mut given = counter(Options { given: true, ..Options::default() }, true, &[("z", 1.0, 5)]);
    given.add(row("q", "a", 9.0, 6)).unwrap();
    assert_eq!(filled_slots(&given), [(SLOTS + TIED_BELOW, 1)]);
}

#[test]
fn zeros_of_both_signs_tie_and_so_do_close_scores_in_32_bits() {
    let mut zero = counter(Options::default(), false, &[("b", -0.0, 0)]);
    zero.add(row("q", "a", 0.0, 0)).unwrap();
    assert_eq!(filled_slots(&zero), [(TIED_ABOVE, 1)]);
    let mut single = counter(Options { single: true, ..Options::default() }, false, &[("b", 0.1, 0)]);
    single.add(row("q", "a", 0.1 + 1e-12, 0)).unwrap();
    assert_eq!(filled_slots(&single), [(TIED_ABOVE, 1)]);
}

#[test]
fn other_queries_and_what_is_left_out_are_counted_apart() {
    let options = Options { exclude_query: true, ..Options::default() };
    let mut counter = counter(options, false, &[("b", 1.0, 0)]);
    for (query, document) in [("q", "q"), ("other", "x"), ("other", "other"), ("q", "a")] {
        counter.add(row(query, document, 1.0, 0)).unwrap();
    }
    assert_eq!(filled_slots(&counter), [(TIED_ABOVE, 1), (SLOTS + ITSELF, 1)]);
    let others: Vec<_> = counter.others().collect();
    assert_eq!(others, [(None, &b"other"[..], Tally { rows: 1, excluded: 1 })]);
}

#[test]
fn runs_are_told_apart_whatever_their_names() {
    let mut counter = Counter::new(Options::default(), false).unwrap();
    let names: [Option<&[u8]>; 4] = [None, Some(b""), Some(b"a"), Some(b"a\0")];
    for run in names {
        counter.add_level(Row { run, ..row("q", "b", 1.0, 0) }).unwrap();
    }
    counter.add(Row { run: Some(b"a"), ..row("q", "x", 2.0, 0) }).unwrap();
    counter.add(Row { run: Some(b"aq"), ..row("x", "x", 2.0, 0) }).unwrap();
    // Two gaps for each of the rankings before.
    assert_eq!(filled_slots(&counter), [(SLOTS * 5 + BETWEEN, 1)]);
    let others: Vec<_> = counter.others().collect();
    assert_eq!(others, [(Some(&b"aq"[..]), &b"x"[..], Tally { rows: 1, excluded: 0 })]);
}

#[test]
fn levels_out_of_order_and_unusable_rows_are_faults() {
    let mut levels = counter(Options::default(), false, &[("b", 1.0, 0)]);
    assert!(levels.add_level(row("q", "a", 1.0, 0)).is_err());
    assert!(levels.add_level(row("q", "b", 1.0, 0)).is_err());
    levels.add_level(row("r", "a", 0.0, 0)).unwrap();
    assert!(levels.add_level(row("q", "z", 9.0, 0)).is_err());
    for bad in [row("q", "a", f64::NAN, 0), row("", "a", 1.0, 0), row("q", "", 1.0, 0)] {
        assert!(levels.add(bad).is_err());
    }
}
