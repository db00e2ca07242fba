"""What one search found, as a run holds it."""

import pytest

from assay.core.errors import DataError
from assay.tasks.probe.retrievers import Ranking, RankingReader, at_path, find_list

ANSWERS = [
    (["a", "b"], Ranking(["a", "b"])),
    ([], Ranking([])),
    ({}, Ranking([], [])),
    ([1, 2], Ranking(["1", "2"])),
    ({"a": 2, "b": 1}, Ranking(["a", "b"], [2.0, 1.0])),
    ({"a": 1, "b": 3, "c": 2, "d": 0}, Ranking(["b", "c", "a"], [3.0, 2.0, 1.0])),
    ({"b": 1, "a": 1}, Ranking(["b", "a"], [1.0, 1.0])),
    ([("b", 1.0), ("a", 1.0)], Ranking(["b", "a"])),
    ([("d", 4), ("c", 3), ("b", 2), ("a", 2)], Ranking(["d", "c", "b"], [4.0, 3.0, 2.0])),
    ([("a", 0.1), ("b", 0.2)], Ranking(["a", "b"], is_rising=True)),
    (["a", "b", "a", "c", "b", "d"], Ranking(["a", "b", "c"], duplicates=2)),
    ([("a", 3), ("a", 2), ("b", 1)], Ranking(["a", "b"], [3.0, 1.0], duplicates=1)),
    (["a", "b", "c", "d"], Ranking(["a", "b", "c"])),
    ({"documents": [{"id": "a"}]}, Ranking(["a"])),
    ({"results": []}, Ranking([])),
    ({"hits": {"hits": [{"_id": "a", "_score": 3}]}}, Ranking(["a"])),
    ({"took": 1, "data": {"items": [{"id": 7, "score": 0.5}]}}, Ranking(["7"], [0.5])),
]


@pytest.mark.parametrize(("found", "answer"), ANSWERS)
def test_answers(found, answer):
    assert RankingReader(3).read(found) == answer


def test_documents_may_count_as_often_as_they_come():
    assert RankingReader(3, once=False).read(["a", "a", "b", "c"]) == Ranking(["a", "a", "b"])


def test_an_id_stands_where_one_says():
    found = [{"id": "x", "meta": {"url": "a"}}, {"id": "y", "meta": {"url": "b"}}]
    assert RankingReader(3, "meta.url").read(found).ids == ["a", "b"]


@pytest.mark.parametrize(
    "found", [None, 7, "d1", {"message": "no"}, {"results": "d1"}, [None], [{"id": ""}], [{"id": 1.5}]]
)
def test_what_is_no_answer_is_an_error(found):
    with pytest.raises(DataError, match=r"^the response"):
        RankingReader(3).read(found)


@pytest.mark.parametrize("found", [{"code": 503}, {"total": 0}, {"took": 3, "count": 0}, {"status": 1}, {"error": 7}])
def test_word_of_how_it_went_is_no_ranking(found):
    with pytest.raises(DataError) as caught:
        RankingReader(3).read(found)
    names = ", ".join(f"'{name}'" for name in found)
    assert str(caught.value) == f"the response has no list of documents; its keys are {names}"


def test_a_document_may_have_such_a_name_beside_others():
    assert RankingReader(3).read({"total": 1, "d1": 2}) == Ranking(["d1", "total"], [2.0, 1.0])


def test_many_names_are_not_all_shown():
    with pytest.raises(DataError, match=r"its keys are 'n0', .*'n7' …$"):
        find_list({f"n{number}": "x" for number in range(20)})


def test_a_path_goes_through_names_and_places():
    assert at_path({"a": [{"b": ["x"]}]}, "a.0.b") == ["x"]
    assert at_path([["x"]], "0") == ["x"]
    assert at_path({"a": 1}, ".") == {"a": 1}
