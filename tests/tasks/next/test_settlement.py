"""When a comparison is settled: by hand, and against every way to complete the judgments."""

import itertools
import math

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

import assay
from tables import for_each

THIRD = 1 / math.log2(4)
SECOND = 1 / math.log2(3)
# Measure, judgments, run a, run b (one query, in rank order): difference, lowest, highest, settled, opposing, needed.
BY_HAND = [
    ("dcg@3", {}, "xyz", "xyz", 0, 0, 0, True, 0, 0),
    ("dcg@3", {}, "xy", "yx", 0, SECOND - 1, 1 - SECOND, False, 2, 2),
    ("dcg@3", {"y": 1}, "xy", "yx", 1 - SECOND, 0, 1 - SECOND, False, 1, 1),
    ("dcg@3", {"y": 2, "z": 0}, "xyz", "yxz", 2 - 2 * SECOND, 0, 2 - 2 * SECOND, False, 1, 1),
    ("dcg@3", {"y": 1, "x": 0}, "xy", "yx", 1 - SECOND, 1 - SECOND, 1 - SECOND, True, 0, 0),
    ("dcg@3", {"x": 1, "y": 0}, "xy", "yx", SECOND - 1, SECOND - 1, SECOND - 1, True, 0, 0),
    ("dcg@2", {"y": 1}, "axy", "yax", 1, SECOND - SECOND, 1 + SECOND - SECOND, False, 2, 1),
    ("dcg@1", {"y": 1}, "xy", "yx", 1, 0, 1, False, 1, 1),
    ("dcg@1", {"y": 1}, "ax", "yb", 1, 0, 1, False, 1, 1),
    ("dcg(gain=exp2)@1", {"y": 3, "a": 0}, "ax", "yb", 7, 7, 7, True, 0, 0),
    # A document below the cutoff moves nothing, nor one that both runs rank the same.
    ("dcg@2", {"x": 1}, "xyab", "xycd", 0, 0, 0, True, 0, 0),
    ("dcg@3", {"x": 1, "c": 1, "a": 0}, "xya", "xyc", THIRD, THIRD, THIRD, True, 0, 0),
    ("precision@2", {"c": 1, "d": 1}, "ab", "cd", 1, 0, 1, False, 2, 1),
    ("precision@2", {"c": 1, "d": 1, "a": 0}, "ab", "cd", 1, 0.5, 1, True, 1, 0),
    ("precision@2", {"c": 1}, "ab", "cd", 0.5, -0.5, 1, False, 2, 2),
    ("precision", {"c": 1}, "ab", "cdef", 0.25, -0.75, 1, False, 2, 2),
    ("precision(over=retrieved)@3", {"c": 1, "b": 0}, "ab", "cdef", 1 / 3, -1 / 6, 1, False, 1, 1),
    ("hits@2", {"c": 1, "a": 0}, "ab", "cd", 1, 0, 2, False, 1, 1),
    ("rbp(p=0.5)", {"c": 1}, "ab", "cd", 0.5, -0.25, 0.75, False, 2, 1),
    ("rbp(p=0.5)", {"c": 1, "a": 0}, "ab", "cd", 0.5, 0.25, 0.75, True, 1, 0),
    ("rbp(p=0.5)@1", {"c": 1, "b": 1}, "ab", "cd", 0.5, 0, 0.5, False, 1, 1),
    ("num_rel_ret", {"c": 1, "a": 0}, "ab", "cd", 1, 0, 2, False, 1, 1),
]


def settlement_of(measure, judged, a, b, **how):
    runs = {"a": {"q": list(a)}, "b": {"q": list(b)}}
    return assay.next_judgments({"q": judged} if judged else None, runs, measure, order="depth", **how).settlement


@for_each("row", BY_HAND)
def test_by_hand(row):
    measure, judged, a, b, difference, lowest, highest, *rest = row
    found = settlement_of(measure, judged, a, b)
    assert (found.difference, found.lowest, found.highest) == pytest.approx((difference, lowest, highest), abs=1e-12)
    assert [found.is_settled, found.opposing, found.needed] == rest


def test_a_difference_of_zero_is_not_settled_while_anything_moves():
    # Each of the two gains at rank 2 in one run and at rank 3 in the other; their sums are equal, not their digits.
    judged = {"x": 0.1, "y": 0.2, "z": 0.3}
    found = settlement_of("dcg", judged, "xyzuv", "xyzvu")
    assert (found.difference, found.is_settled, found.opposing, found.better) == (0, False, 2, None)
    even = settlement_of("dcg", {"x": 0.1, "y": 0.1, "u": 1, "v": 1}, "xyuv", "yxvu")
    assert (even.difference, even.is_settled, even.better) == (0, True, None)


def test_what_can_be_lost():
    """Grades below 0 gain less than nothing only by a signed gain, under the policy that keeps them."""
    judged = {"c": 1, "a": 0}
    plain = settlement_of("dcg@1", judged, "ab", "cd", lowest_grade=-2)
    assert (plain.difference, plain.lowest, plain.is_settled) == (1, 1, True)
    ignored = settlement_of("dcg(gain=signed)@1", {"c": 1}, "ab", "cd", lowest_grade=-2)
    assert (ignored.lowest, ignored.highest) == (0, 1)
    signed = settlement_of("dcg(gain=signed)@1", {"c": 1}, "ab", "cd", lowest_grade=-2, negative="nonrelevant")
    assert (signed.lowest, signed.highest, signed.opposing) == (0, 3, 1)
    seen = settlement_of("dcg(gain=signed)@1", {"c": 1, "z": -3}, "ab", "cd", negative="nonrelevant")
    assert (seen.lowest, seen.highest) == (0, 4)


# Measure, judgments, options, and the highest difference.
RANGES = [
    ("dcg@1", {}, {}, 1),
    ("dcg@1", {"z": 3}, {}, 3),
    ("dcg@1", {"z": 3}, {"top_grade": 5}, 5),
    # Without a grade that counts, nothing could move, and all would be settled.
    ("precision(rel=2)@1", {}, {}, 1),
    ("precision@1", {}, {"rel": 0.5}, 1),
    ("precision(rel=2)@1", {}, {"top_grade": 1}, 0),
    ("dcg(gain=1:7;2:9)@1", {}, {}, 9),
    # A grade beside 3 gains itself.
    ("dcg(gain=3:0)@1", {}, {}, 3),
]


@for_each("measure, judged, how, highest", RANGES)
def test_the_range_of_grades(measure, judged, how, highest):
    found = settlement_of(measure, judged, "a", "b", **how)
    assert (found.highest, found.is_settled) == (pytest.approx(highest, abs=1e-12), highest == 0)


BAD_RANGES = [
    ({"a": 3}, {"top_grade": 2}, "grade 3 is not from 0 to 2; set top_grade=3"),
    ({}, {"top_grade": math.nan}, "top_grade must be a finite number, not nan"),
    ({}, {"lowest_grade": 0.5}, "lowest_grade must be at most 0"),
]


@for_each("judged, how, message", BAD_RANGES)
def test_grades_out_of_range(judged, how, message):
    with pytest.raises((assay.errors.DataError, assay.errors.PolicyError), match=message):
        settlement_of("dcg@1", judged, "a", "b", **how)


def test_sentences():
    assert str(settlement_of("dcg@1", {"y": 1}, "xy", "yx")) == (
        "not settled: dcg@1, b - a: +1.0000 over 1 query; further judgments can lead to +0.0000 to +1.0000; 1 unjudged "
        "document can still move it the other way; 1 more judgment settles it if none finds a relevant document"
    )
    assert str(settlement_of("precision@2", {"c": 1, "d": 1, "a": 0}, "ab", "cd")) == (
        "settled: no further judgment can change the sign (precision@2, b - a: +1.0000 over 1 query; further judgments "
        "can lead to +0.5000 to +1.0000)"
    )
    assert str(settlement_of("dcg@1", {}, "x", "x")) == (
        "settled: no further judgment can change the sign (dcg@1, b - a: +0.0000 over 1 query)"
    )
    assert settlement_of("dcg@1", {}, "x", "y").to_dict()["better"] is None


def test_queries_without_documents_count_and_nothing_is_settled_over_no_query():
    """As in `evaluate` and `compare`, where only a query that a run does not have is missing."""
    runs = {"a": {"q1": ["u"], "q2": []}, "b": {"q1": ["u"], "q2": ["v"]}}
    for how in ({"missing": "skip"}, {"convention": "mteb"}):
        found = assay.next_judgments({"q1": {"u": 1}}, runs, "dcg@3", **how).settlement
        assert (found.queries, found.is_settled, found.opposing) == (2, False, 1)
        complete = {"q1": {"u": 1}, "q2": {"v": 1}}
        assert found.highest == assay.compare(complete, runs, "dcg@3", **how).pair("dcg@3", "a", "b").difference
    left_out = assay.next_judgments({"q1": {"u": 1}}, runs, "dcg@3", missing="skip", no_results="skip").settlement
    assert (left_out.queries, left_out.is_settled) == (1, True)
    runs = {"a": {"q1": ["u"]}, "b": {"q2": ["u"]}}
    found = assay.next_judgments(None, runs, "dcg@3", missing="skip", order="depth")
    assert found.settlement is None
    assert found.reason == 'no query of the two runs counts under missing="skip"; there is nothing to compare'
    with pytest.raises(assay.errors.MeasureError, match="cannot order by worth: no query of the two runs counts"):
        assay.next_judgments(None, runs, "dcg@3", missing="skip", no_results="nan")


MEASURES = """
    dcg@3 dcg dcg(gain=exp2)@2 dcg(gain=binary)@3 dcg(gain=1:3;2:1)@3 dcg(gain=signed)@3 dcg(rel=2)@3 precision@2
    precision precision(rel=2)@3 precision(over=retrieved)@3 rbp(p=0.5) rbp(p=0.7,gain=grade)@3 rbp(p=0.5,limit=3)
    sdcg(max=2)@3 hits@2
"""
POLICIES = {
    "ties": ["docid_desc", "docid_asc", "input"],
    "negative": ["unjudged", "nonrelevant"],
    "missing": ["zero", "skip"],
    "no_results": ["zero", "zero", "skip", "nan"],
}
EMPTY_IN_A = ({"q1": {"u": 1}, "q2": {}}, {"q1": {"u": 1}, "q2": {"v": 1}}, {"q1": {"u": 1}}, [("q2", "v")])
DOCUMENTS = "uvwxyz"
rankings = st.dictionaries(st.sampled_from(DOCUMENTS), st.sampled_from([1.0, 2.0, 3.0]), max_size=3)


@st.composite
def comparisons(draw):
    """Two runs of one or two queries with tied scores, some without results, and judgments of some documents."""
    queries = ["q1", "q2"][: draw(st.integers(1, 2))]
    a = draw(st.fixed_dictionaries(dict.fromkeys(queries, rankings)))
    b = draw(st.fixed_dictionaries(dict.fromkeys(draw(st.sampled_from([queries, queries[:1]])), rankings)))
    pairs = sorted({(query, document) for run in (a, b) for query in run for document in run[query]})
    known = draw(st.lists(st.sampled_from([None, None, -1, 0, 1, 2]), min_size=len(pairs), max_size=len(pairs)))
    judged = {}
    for (query, document), grade in zip(pairs, known, strict=True):
        if grade is not None:
            judged.setdefault(query, {})[document] = grade
    open_pairs = [pair for pair, grade in zip(pairs, known, strict=True) if grade is None][:4]
    # The others are judged too, so that all ways to go on can be tried.
    for query, document in [pair for pair, grade in zip(pairs, known, strict=True) if grade is None][4:]:
        judged.setdefault(query, {})[document] = 0
    return a, b, judged, open_pairs


def differences(measure, runs, judged, pairs, **how):
    """The difference under every way to go on judging, documents left out included; nothing if no query counts."""
    found = []
    # A grade just beside 2 gains itself where 2 has a gain of its own.
    choices = [None, -1, 0, 1, 2, *([math.nextafter(2, 0)] if "2:1" in measure else [])]
    for values in itertools.product(choices, repeat=len(pairs)):
        complete = {query: dict(judged.get(query, {})) for query in {*runs["a"], *runs["b"]}}
        for (query, document), grade in zip(pairs, values, strict=True):
            if grade is not None:
                complete[query][document] = grade
        a, b = (scores_of(assay.evaluate(complete, runs[name], measure, **how), measure) for name in "ab")
        if both := a.keys() & b.keys():
            found.append(sum(b[query] - a[query] for query in both) / len(both))
    return found


def scores_of(result, measure):
    """The queries that count, with their values."""
    scores = zip(result.queries, result.scores[measure].tolist(), strict=True)
    return {query: score for query, score in scores if not math.isnan(score)}


@settings(max_examples=settings.default.max_examples // 4)
@given(
    comparisons(),
    st.sampled_from(MEASURES.split()),
    st.fixed_dictionaries({name: st.sampled_from(values) for name, values in POLICIES.items()}),
)
@example(EMPTY_IN_A, "dcg@3", {"missing": "skip"})
@pytest.mark.filterwarnings("ignore::assay.DataWarning")
def test_no_completion_is_outside_the_interval(comparison, measure, how):
    a, b, judged, pairs = comparison
    runs = {"a": a, "b": b}
    found = assay.next_judgments(judged, runs, measure, order="depth", top_grade=2, lowest_grade=-1, **how).settlement
    possible = differences(measure, runs, judged, pairs, **how)
    if not possible:
        assert found is None
        return
    now = possible[0]
    assert found.difference == pytest.approx(now, abs=1e-12)
    assert found.lowest == pytest.approx(min(possible), abs=1e-12)
    assert found.highest == pytest.approx(max(possible), abs=1e-12)
    signs = {0 if abs(each) < 1e-12 else math.copysign(1, each) for each in possible}
    assert found.is_settled == (len(signs) == 1)


@settings(max_examples=settings.default.max_examples // 4)
@given(comparisons(), st.sampled_from(["dcg@3", "precision@2", "rbp(p=0.5)", "dcg(gain=exp2)@2"]))
def test_as_many_judgments_are_needed_as_it_says(comparison, measure):
    a, b, judged, pairs = comparison
    how = {"order": "depth", "top_grade": 2}
    judged = {query: {document: max(grade, 0) for document, grade in each.items()} for query, each in judged.items()}
    found = assay.next_judgments(judged, {"a": a, "b": b}, measure, **how).settlement

    def settles(chosen):
        more = {query: dict(each) for query, each in judged.items()}
        for query, document in chosen:
            more.setdefault(query, {})[document] = 0
        return assay.next_judgments(more, {"a": a, "b": b}, measure, **how).settlement.is_settled

    fewest = min(
        size for size in range(len(pairs) + 1) if any(settles(chosen) for chosen in itertools.combinations(pairs, size))
    )
    assert found.needed == fewest
