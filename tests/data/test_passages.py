"""What retrievers give, in the forms that they give it."""

import re

import numpy as np
import pytest

from assay.core.errors import DataError
from assay.data.passages import Passages, read_passages
from retrieved import HaystackDocument, LangChainDocument, LlamaIndexNode, NodeWithScore
from tables import for_each

PLACE = "question 'q1'"


FORMS = [
    ([], Passages([])),
    (["d1", "d2"], Passages(["d1", "d2"])),
    ((1, 2), Passages(["1", "2"])),
    (np.array(["d1", "d2"]), Passages(["d1", "d2"])),
    ({"d1": 0.5, "d2": 2}, Passages(["d2", "d1"], [2.0, 0.5], is_list=False)),
    ([("d1", 2.0), ["d2", 1]], Passages(["d1", "d2"], [2.0, 1.0])),
    ([(7, 2.0)], Passages(["7"], [2.0])),
    ([("d1", np.float32(0.5))], Passages(["d1"], [0.5])),
    ([{"doc_id": 3}], Passages(["3"])),
    ([{"_id": "d", "contents": "x", "score": 1}], Passages(["d"], [1.0], ["x"])),
    ([{"id": "a", "score": 1, "text": "x"}, {"id": "b"}], Passages(["a", "b"])),
    ([{"id": "a", "score": 1}, {"id": "b", "score": None}], Passages(["a", "b"])),
    ([LangChainDocument("x", id="a")], Passages(["a"], None, ["x"])),
    ([LangChainDocument("x", {"doc_id": "a"})], Passages(["a"], None, ["x"])),
    ([(LangChainDocument("x", id="a"), 0.25)], Passages(["a"], [0.25], ["x"])),
    ([HaystackDocument("a", "x", 0.5)], Passages(["a"], [0.5], ["x"])),
    ([NodeWithScore(LlamaIndexNode("a", "x"), 0.5)], Passages(["a"], [0.5], ["x"])),
    ([NodeWithScore(LlamaIndexNode("a", "x"))], Passages(["a"], None, ["x"])),
    (iter(["d1"]), Passages(["d1"])),
]


@for_each(("found", "expected"), FORMS)
def test_every_form_gives_ids_scores_and_texts(found: object, expected: Passages) -> None:
    assert read_passages(found, PLACE)._replace(items=None) == expected


def test_an_id_is_taken_from_where_the_caller_says() -> None:
    document = LangChainDocument("x", {"source": {"path": "a.md"}}, id="other")
    assert read_passages([document], PLACE, doc_id="metadata.source.path").ids == ["a.md"]


def test_a_ranking_has_scores_only_where_there_are_some() -> None:
    assert Passages(["a"]).ranking == ["a"]
    assert Passages(["a"], [1.0]).ranking == [("a", 1.0)]

    # Equal scores of a dict are left to the policy.
    assert read_passages({"a": 1, "b": 1}, PLACE).ranking == [("a", 1.0), ("b", 1.0)]


@for_each(("scores", "rises"), [(None, False), ([2.0, 2.0, 1.0], False), ([0.1, 0.2, 0.3], True)])
def test_scores_that_rise_are_seen(scores: list[float] | None, rises: bool) -> None:
    passages = Passages(["a", "b", "c"], scores)
    assert passages.rises is rises
    assert passages.ranking == ["a", "b", "c"]


BAD = [
    *((found, f"must be a list of ids or passages, not '{found}'") for found in ("d1", None, 5)),
    *(([found], "a retrieved passage has no id under id, doc_id, _id or") for found in ({"text": "x"}, 1.5, None)),
    ([""], "a retrieved document has an empty id"),
    ([{"id": ["a"]}], "the id of a document must be a string or an integer"),
    ([{"id": "a", "text": 5}], "the text of passage 'a' must be a string, not '5'"),
    ({"d1": None}, "a score must be a finite number, not 'None'"),
    ([("d1", float("nan"))], "a score must be a finite number, not 'nan'"),
    ([{"id": "a", "score": "high"}], "a score must be a finite number, not 'high'"),
    ({"d1": True}, "a score must be a finite number"),
    ([("d1", 10**400)], "a score must be a finite number"),
    ({"d1", "d2"}, "the retrieved documents are a set, which has no order; pass a list"),
]


@for_each(("found", "message"), BAD)
def test_what_cannot_be_used_is_named_with_its_place(found: object, message: str) -> None:
    with pytest.raises(DataError, match=f"^question 'q1': .*{re.escape(message)}"):
        read_passages(found, PLACE)


def test_an_id_that_is_not_where_it_was_said_to_be_is_an_error() -> None:
    with pytest.raises(DataError, match=r"has no id at 'metadata\.source'"):
        read_passages([{"id": "a"}], PLACE, doc_id="metadata.source")
