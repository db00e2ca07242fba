"""Which measures are sums over ranks: every measure of the table says so exactly where it is true."""

import inspect

import numpy as np
import pytest

import assay
from assay.conventions import parse_measure
from assay.core.judged import Groups, Hits, Judged, Spread
from assay.measures import TABLE
from assay.tasks.next.additive import make_additive
from tables import for_each

RANKINGS = [each for each in TABLE.values() if each.of == "rankings"]
# Parameters other than the defaults that decide whether a measure adds up.
VARIANTS = """
    precision@3 precision(over=retrieved)@3 precision(rel=2) hits@3 dcg@3 dcg(gain=exp2)@3 dcg(gain=binary)@3
    dcg(gain=signed)@3 dcg(gain=1:3;2:1)@3 dcg(rel=2)@3 dcg(base=3) dcg(ties=average)@3 dcg(fewest=3)@3 rbp(p=0.5)@3
    rbp(gain=grade) rbp(gain=max) rbp(gain=1:0.5;2:1) rbp(limit=3) sdcg@3 sdcg(max=3)@3 sdcg(max=2,min=1)@3 insq
    insq(max=3,limit=10) inst(max=3,limit=10) bpm(max=3)@3 recall@3 ndcg@3 judged@3 err(max=3)
"""
# These may add up, but not by rank and grade alone: they need to know the ties, that a query does not count, or groups.
NEED_MORE = {"dcg(ties=average)@3", "dcg(fewest=3)@3", "judges_precision", "precision_ia"}
DEPTH = 6


def default_names():
    for definition in RANKINGS:
        at = definition.parameters.get(definition.at)
        is_needed = at is not None and at.default is inspect.Parameter.empty
        yield definition.name + (("@5" if at.kind is int else "@0.5") if is_needed else "")


def judged_of(queries, retrieved):
    """Rankings of so many documents, of which those at some ranks are judged; rank 0 is judged but not retrieved."""
    hits = [(query, rank, grade) for query, ranks in enumerate(queries) for rank, grade in sorted(ranks) if rank]
    query, rank, grade = (np.array([hit[place] for hit in hits]) for place in range(3))
    rows = [(query, grade) for query, ranks in enumerate(queries) for _, grade in ranks]
    owner, grades = np.array([row[0] for row in rows], dtype=np.int64), np.array([float(row[1]) for row in rows])
    order = np.lexsort((-grades, owner))
    number = np.arange(len(hits))
    size, zeros = len(queries), np.zeros(len(hits), dtype=np.int64)
    query, rank, grade = query.astype(np.int64), rank.astype(np.int64), grade.astype(float)
    return Judged(
        size=size,
        retrieved=np.full(size, retrieved),
        owner=owner[order],
        grades=grades[order],
        hits=Hits(size, query, grade, rank, -rank.astype(float), rank - 1, zeros, number),
        repeats=np.zeros(size, dtype=np.int64),
        spread=Spread(np.zeros(size), np.zeros(size) - 1, np.ones(size)),
        make_groups=lambda: Groups(owner, np.arange(len(rows)), grades, None),
    )


def adds_up(measure):
    """Whether, on random rankings, the whole is the sum of its hits, and each is a weight by rank times a gain."""
    generator = np.random.default_rng(5)
    for _ in range(60):
        count = generator.integers(1, DEPTH + 1)
        ranks = (generator.permutation(DEPTH)[:count] + 1).tolist()
        grades = generator.integers(0, 4, count).tolist()
        whole = [list(zip(ranks, grades, strict=True))]
        with_missing = [[*whole[0], (0, 3)]]
        single = [[hit] for hit in whole[0]]
        swapped = [[(ranks[one], grades[other])] for one, other in ((0, -1), (-1, 0), (0, 0), (-1, -1))]
        try:
            value, more, parts, cross = (
                measure(judged_of(queries, DEPTH)) for queries in (whole, with_missing, single, swapped)
            )
        except assay.AssayError:
            return False
        sums = np.allclose([parts.sum(), more[0]], value[0], rtol=1e-12, atol=1e-12)
        if not sums or not np.isclose(cross[0] * cross[1], cross[2] * cross[3], rtol=1e-9, atol=1e-12):
            return False
    return True


@for_each("name", [*default_names(), *VARIANTS.split()])
def test_a_measure_says_exactly_whether_it_adds_up(name):
    measure = parse_measure(name)
    if name in NEED_MORE:
        assert not measure.is_additive
    elif measure.definition.bind is not None and measure.values["max"] is None:
        # The scale is the highest grade of the judgments.
        assert not measure.is_additive
    else:
        assert measure.is_additive == adds_up(measure)


def test_some_add_up_and_most_do_not():
    found = [name for name in default_names() if parse_measure(name).is_additive]
    assert found == ["hits", "precision", "dcg", "rbp", "judged", "num_rel_ret", "num_nonrel_judged_ret"]


def weights_of(name, ranks, retrieved, **grades):
    chosen = parse_measure(name)
    additive = make_additive(chosen, assay.Policies(), np.zeros(0), grades.get("lowest"), grades.get("top"))
    low, high = additive.bounds
    return (additive.weights(np.array(ranks), np.array(retrieved)) * high).tolist(), low


def test_weights_are_those_of_the_formula():
    assert weights_of("dcg@2", [1, 2, 3], [3, 3, 3], top=2) == (pytest.approx([2, 2 / np.log2(3), 0]), 0)
    assert weights_of("dcg(gain=exp2)@2", [1, 2, 3], [3, 3, 3], top=2)[0] == pytest.approx([3, 3 / np.log2(3), 0])
    assert weights_of("precision@4", [1, 4, 5], [9, 9, 9])[0] == pytest.approx([0.25, 0.25, 0])
    assert weights_of("precision", [1, 4, 2], [9, 9, 2])[0] == pytest.approx([1 / 9, 1 / 9, 1 / 2])
    assert weights_of("rbp(p=0.5)", [1, 2, 10], [10, 10, 10])[0] == pytest.approx([0.5, 0.25, 2**-10])


INSTEAD = {
    "ndcg@7": "dcg@7",
    "ndcg": "dcg",
    "ap": "precision@10",
    "ap@100": "precision@100",
    "rr@10": "precision@10",
    "recall@50": "precision@50",
    "err": "rbp",
    "inst": "insq(max=3)",
    "sdcg@5": "sdcg(max=3)@5",
    "rbp(gain=max)": "rbp",
}


@for_each("measure", INSTEAD)
def test_a_measure_that_does_not_add_up_names_one_that_does(measure):
    runs = {"a": {"q": ["x"]}, "b": {"q": ["y"]}}
    found = assay.next_judgments(None, runs, measure, order="depth")
    assert found.settlement is None
    assert found.reason.startswith(f"{parse_measure(measure)} is not a sum over ranks")
    assert found.reason.endswith(f"use {INSTEAD[measure]}")
    assert [pair.worth for pair in found.pairs] == [None, None]
    assert assay.next_judgments(None, runs, INSTEAD[measure]).settlement is not None
    with pytest.raises(assay.errors.MeasureError, match=r"cannot order by worth: .* is not a sum over ranks"):
        assay.next_judgments(None, runs, measure)


def test_a_measure_of_ones_own():
    @assay.extend.measure("half", formula="r / 2", additive=lambda _: True)
    def half(judged, *, rel: assay.extend.Rel = 1):
        return judged.relevant(rel).count() / 2

    try:
        found = assay.next_judgments(None, {"a": {"q": ["x"]}, "b": {"q": ["y", "z"]}}, "half").settlement
    finally:
        assay.extend.remove_measure("half")
    assert (found.lowest, found.highest) == (-0.5, 1)
