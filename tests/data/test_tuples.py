"""Lists of named tuples, and iterations as groups: the same numbers as from the TREC files that say the same."""

import io
from collections import namedtuple
from typing import NamedTuple

import ir_measures
import pandas
import polars
import pytest

import assay
from assay.data.frames.frame import is_tuples
from tables import for_each

SUBTOPICS = "1 x a 1\n1 y b 1\n1 y a 1\n2 x b 0\n2 y c 1\n2 z d 1\n"
RANKED = "1 Q0 b 1 1.0 t\n1 Q0 a 2 0.5 t\n2 Q0 a 1 0.5 t\n2 Q0 d 1 0.45 t\n2 Q0 c 2 0.4 t\n"
PLAIN = SUBTOPICS.replace("x", "0").replace("y", "0").replace("z", "0").replace("1 0 b 1\n1 0 a 1\n", "1 0 b 1\n", 1)
MEASURES = ["alpha_nDCG@10", "ERR_IA@10", "StRecall@1", "AP", "RR"]
FORMS = [list, tuple, iter, pandas.DataFrame, polars.DataFrame, polars.LazyFrame]
FORMS.append(lambda rows: polars.DataFrame(rows).to_arrow())


def judged(text=SUBTOPICS):
    return list(ir_measures.read_trec_qrels(text))


def retrieved():
    return list(ir_measures.read_trec_run(RANKED))


@for_each("form", FORMS)
@for_each("convention", ["assay", "ir_measures"])
def test_the_same_numbers_as_from_trec_files(form, convention):
    expected = assay.evaluate(io.StringIO(SUBTOPICS), io.StringIO(RANKED), MEASURES, convention=convention)
    found = assay.evaluate(form(judged()), form(retrieved()), MEASURES, convention=convention)
    assert found.mean == expected.mean
    assert found.per_query() == expected.per_query()


@for_each("form", FORMS)
def test_iterations_become_groups_unless_there_is_only_one(form):
    qrels = assay.Qrels(form(judged()))
    assert qrels.groups("1") == {"x": {"a": 1.0}, "y": {"b": 1.0, "a": 1.0}}
    assert qrels["2"] == {"b": 0.0, "c": 1.0, "d": 1.0}
    plain = assay.Qrels(form(judged(PLAIN)))
    assert not plain.rows.has_groups()
    assert plain.to_dict() == assay.Qrels(io.StringIO(PLAIN)).to_dict()


def frame(**more):
    return pandas.DataFrame({"query_id": ["1", "1"], "doc_id": ["a", "b"], "relevance": [1, 2], **more})


def test_a_group_comes_before_an_iteration():
    qrels = assay.Qrels(frame(iteration=["x", "y"], subtopic=["s", "s"]))
    assert qrels.groups("1") == {"s": {"a": 1.0, "b": 2.0}}
    assert list(assay.Qrels(frame(iteration=["x", "y"])).groups("1")) == ["x", "y"]
    assert list(assay.Qrels(frame(Iteration=[3, 4])).groups("1")) == ["3", "4"]
    named = assay.Qrels(frame(iteration=["x", "x"]), columns={"group": "iteration"})
    assert named.groups("1") == {"x": {"a": 1.0, "b": 2.0}}
    assert named.rows.has_groups()

    assert not assay.Qrels(frame(iteration=[None, None])).rows.has_groups()
    with pytest.raises(assay.errors.FormatError, match="row 1: the column 'iteration' is empty"):
        assay.Qrels(frame(iteration=["x", None]))


TABLES = {
    "qrels.csv": "query_id,doc_id,relevance,iteration\n1,a,1,x\n1,b,2,LAST\n",
    "qrels.jsonl": (
        '{"query_id": "1", "doc_id": "a", "relevance": 1, "iteration": "x"}\n'
        '{"query_id": "1", "doc_id": "b", "relevance": 2, "iteration": "LAST"}\n'
    ),
}


@for_each(("name", "text"), TABLES.items())
def test_tables_in_files(tmp_path, name, text):
    path = tmp_path / name
    path.write_text(text.replace("LAST", "y"))
    assert assay.read_qrels(path).groups("1") == {"x": {"a": 1.0}, "y": {"b": 2.0}}
    path.write_text(text.replace("LAST", "x"))
    assert not assay.read_qrels(path).rows.has_groups()
    path.write_text(text.replace("relevance", "score").replace("LAST", "y"))
    assert assay.Run(path)["1"] == [("a", 1.0), ("b", 2.0)]


class Judgment(NamedTuple):
    """Fields by other usual names, with one that says nothing."""

    qid: int
    docno: str
    note: object
    label: float


def test_other_named_tuples():
    qrels = assay.Qrels([Judgment(7, "a", None, 1), Judgment(7, "b", "x", 0.5), Judgment(8, "a", 1, True)])
    assert qrels.to_dict() == {"7": {"a": 1.0, "b": 0.5}, "8": {"a": 1.0}}


Pair = namedtuple("Pair", "document score")  # noqa: PYI024 - a named tuple of the older kind


def test_other_lists_stay_lists_of_queries():
    assert assay.Run([[Pair("a", 1.0), Pair("b", 2.0)], [Pair("c", 1.0)]])["0"] == [("a", 1.0), ("b", 2.0)]
    for data in ([], [["a"]], [{"a": 1}], [("a", "b")], {"q": 1}, "path", [Pair("a", 1.0)]):
        assert not is_tuples(data)


BAD = [
    ([ir_measures.Qrel("1", "a", 1), ("1", "b", 1, "0")], r"row 1: .* has other fields than the first row \(query_id"),
    ([ir_measures.Qrel("1", "a", "high")], "the list, row 0: 'high' in the column 'relevance' is not a number"),
    ([ir_measures.Qrel("1", None, 1)], "the list, row 0: the column 'doc_id' is empty"),
    ([ir_measures.Qrel(1.5, "a", 1)], "must hold strings or integers"),
    ([ir_measures.ScoredDoc("1", "a", float("nan"))], "the list, row 0: 'nan' in the column 'score' is not finite"),
]


@for_each(("rows", "message"), BAD)
def test_bad_rows_are_named(rows, message):
    with pytest.raises(assay.errors.FormatError, match=message):
        assay.Qrels(rows)


@for_each("form", [list, iter])
@for_each("convention", ["assay", "ranx", "autorag"])
def test_bad_rows_of_runs_are_named(form, convention):
    rows = [ir_measures.ScoredDoc("1", "a", 1.0), ir_measures.ScoredDoc("1", "b", "x")]
    for read in (lambda run: assay.evaluate({"1": ["a"]}, run, "ap", convention=convention), assay.Run):
        with pytest.raises(assay.errors.FormatError, match="row 1: 'x' in the column 'score' is not a number"):
            read(form(rows))


def test_generators_of_ir_measures_and_others():
    qrels, run = ir_measures.read_trec_qrels(SUBTOPICS), ir_measures.read_trec_run(RANKED)
    results = assay.evaluate_many(qrels, {"one": run, "two": tuple(retrieved())}, "RR")
    assert results["one"].mean == results["two"].mean == {"RR": 0.75}
    assert assay.Run(ir_measures.read_trec_run(RANKED)).queries == ["1", "2"]
    for data in ((["a"] for _ in range(2)), iter([]), map(str, range(2))):
        with pytest.raises(assay.errors.DataError, match="must be a dict, a list, a frame or a file, not"):
            assay.Qrels(data)
