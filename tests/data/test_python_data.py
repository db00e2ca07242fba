"""Python data on the kernel's fast paths: the same hits, and the same errors, as on the slow ones."""

import math
from types import MappingProxyType

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

import assay
from assay._kernel import Index, Options, Ranker, Rows
from tables import for_each

JUDGED = {"q": dict.fromkeys(["a", "b", "é", "a document", "7", "\x00", "z" * 40], 1)}
INDEX = Index(Rows.from_judgments(JUDGED), "error")
OPTIONS = (
    [Options()],
    [Options(duplicates="count", top=3), Options(single=True)],
    [Options(single=True, spread=True)],
    [Options(spread=True, top=2, ties="input"), Options(given=True), Options(exclude_query=True)],
)


class Pair(tuple):
    """A tuple that the kernel has to look at in full."""

    __slots__ = ()


class Text(str):
    __slots__ = ()


class Number(float):
    __slots__ = ()


documents = st.sampled_from([*JUDGED["q"], "q", "c", "d", "ü", "😀", "a longer document id"])
floats = st.floats(allow_nan=False, allow_infinity=False)
scores = st.sampled_from([0.0, -0.0, 1.0, 1, 2, 0.1, 0.1 + 1e-12, -5, 1e300]) | floats
odd_documents = documents | st.sampled_from(["", "\ud800", 7, 12, True, None, 1.5, Text("a"), Text("x"), b"a"])
odd_numbers = [10**400, -(10**30), Number(2), np.float32(0.1), np.int64(3), np.bool_(True)]
odd_scores = scores | st.sampled_from([math.nan, math.inf, True, None, "1", *odd_numbers])


def found(ranking, options, index=INDEX):
    """What the kernel finds of one ranking, or its error."""
    ranker = Ranker(index, options)
    try:
        ranker.add_rankings({"q": ranking})
    except assay.AssayError as error:
        return type(error), str(error)
    return [(ranker.columns(number), ranker.tops(number)) for number in range(len(options))]


@given(st.dictionaries(documents, scores, max_size=15), st.sampled_from(OPTIONS))
@example(dict.fromkeys(["a", "c", "b", "d"], 1.0), OPTIONS[0])
@example({"a": 1, "d": 0.5, "b": 0.5, "é": 0.0, "ü": -0.0, **dict.fromkeys(map(str, range(40)), 9)}, OPTIONS[1])
def test_dicts(ranking, options):
    slow = found(MappingProxyType(ranking), options)
    assert found(ranking, options) == slow
    pairs = list(ranking.items())
    assert found([Pair(pair) for pair in pairs], options) == found(pairs, options)
    assert not pairs or found([list(pair) for pair in pairs], options) == found(pairs, options) == slow


@given(
    st.dictionaries(st.integers(0, 90).map(str), st.integers(0, 12), min_size=20, max_size=90),
    st.sets(st.integers(0, 90).map(str), min_size=1, max_size=20),
)
def test_many_ties(ranking, judged):
    index = Index(Rows.from_judgments({"q": dict.fromkeys(sorted(judged), 1)}), "error")
    slow = found(MappingProxyType(ranking), OPTIONS[1], index)
    pairs = list(ranking.items())
    assert found(ranking, OPTIONS[1], index) == slow
    assert found(pairs, OPTIONS[1], index) == found([Pair(pair) for pair in pairs], OPTIONS[1], index) == slow


@given(st.lists(st.tuples(documents, scores), max_size=9), st.lists(st.tuples(odd_documents, odd_scores), max_size=2))
@example([("a", 1.0)], [("a", 2.0)])
def test_pairs(plain, odd):
    pairs = [*plain, *odd, *plain[:1]]
    for options in OPTIONS:
        assert found(pairs, options) == found([Pair(pair) for pair in pairs], options)


@for_each("odd", [("a",), ("a", 1.0, 1), ["a"], "a", None, 1, {}, (), [("b", 1.0)]])
def test_what_is_not_a_pair(odd):
    pairs = [("a", 1.0), odd, ("b", 2.0)]
    fast, slow = (found(each, OPTIONS[0]) for each in (pairs, [Pair(pairs[0]), odd, pairs[2]]))
    assert fast == slow
    assert fast[0] is assay.errors.DataError


# A key that is not judged and ties with nothing is not looked at: it may be no Unicode.
@given(st.dictionaries(odd_documents.filter(lambda each: each != "\ud800"), odd_scores, max_size=9))
def test_odd_dicts(ranking):
    for options in OPTIONS:
        assert found(ranking, options) == found(MappingProxyType(ranking), options)


def test_many_rankings_are_ranked_on_both_threads():
    generator = np.random.default_rng(3)
    qrels = {f"q{query}": {f"d{each}": each % 4 for each in range(query % 50, 3000, 60)} for query in range(1000)}
    run = {query: [f"d{each}" for each in generator.permutation(3000)] for query in qrels}
    some = list(qrels)[::100]
    expected = [assay.evaluate({query: qrels[query]}, {query: run[query]}, "ap")["ap"] for query in some]
    result = assay.evaluate(qrels, run, "ap")
    assert result.queries == list(qrels)
    assert result.scores["ap"][::100].tolist() == expected


def test_the_first_query_that_is_wrong_is_named_on_whichever_thread_it_is():
    run = {f"q{query}": [f"d{each}" for each in range(2000)] for query in range(500)}
    qrels = {query: {"d1": 1} for query in run}
    for wrong in (3, 64, 65, 200, 499):
        broken = {**run, f"q{wrong}": ["d1", "d1"], "q499": ["d2", "d2"]}
        with pytest.raises(assay.errors.DuplicateError, match=f"'q{wrong}'"):
            assay.evaluate(qrels, broken, "ap")
