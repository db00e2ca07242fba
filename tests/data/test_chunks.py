"""Runs of chunks scored as rankings of documents: every form of data, every order, and slow code as the oracle."""

import json

import numpy as np
import pandas
import polars
import pytest
from hypothesis import given
from hypothesis import strategies as st

import assay
from assay.errors import DataError, FormatError
from refusals import refused
from tables import for_each

QRELS = {"q1": {"a": 1, "c": 1}, "q2": {"b": 2}}
# Scattered rows, the best chunk of a document in any place, and an id without a separator.
ROWS = [
    *(("q1", "b#1", 0.9), ("q2", "a#1", 0.5), ("q1", "a#2", 0.4), ("q1", "a#1", 0.8), ("q2", "b#7", 0.7)),
    *(("q1", "c", 0.1), ("q2", "a#3", 0.6)),
]
RUN = {"q1": {"b#1": 0.9, "a#2": 0.4, "a#1": 0.8, "c": 0.1}, "q2": {"a#1": 0.5, "b#7": 0.7, "a#3": 0.6}}
COLLAPSED = {"q1": {"b": 0.9, "a": 0.8, "c": 0.1}, "q2": {"b": 0.7, "a": 0.6}}
MEASURES = ["ap", "rr", "num_ret", "ndcg@2"]
NOTES = [
    "2 chunks of documents that are ranked higher left out",
    "the rule before:# does not match 1 of 7 ids; kept as they are: 'c'",
]
FRAME = polars.DataFrame(ROWS, schema=["query_id", "doc_id", "score"], orient="row")
TREC = "".join(f"{query} Q0 {document} 1 {score} tag\n" for query, document, score in ROWS)
FILES = {"run.trec": lambda path: path.write_text(TREC), "run.json": lambda path: path.write_text(json.dumps(RUN))}
FILES |= {"run.jsonl": FRAME.write_ndjson, "run.csv": FRAME.write_csv, "run.parquet": FRAME.write_parquet}


def check_collapsed(result):
    expected = assay.evaluate(QRELS, COLLAPSED, MEASURES)
    for name in MEASURES:
        np.testing.assert_array_equal(result.scores[name], expected.scores[name])
    assert [str(note) for note in result.notes] == NOTES


OBJECTS = [RUN, assay.Run(RUN), FRAME, FRAME.lazy(), FRAME.to_arrow(), {**RUN, "q1": list(RUN["q1"].items())}]


@for_each("run", [*FILES, *OBJECTS])
def test_every_form_of_a_run(tmp_path, run):
    if isinstance(run, str):
        FILES[run](tmp_path / run)
        run = tmp_path / run
    check_collapsed(assay.evaluate(QRELS, run, MEASURES, doc_id="before:#"))
    check_collapsed(assay.evaluate_many(QRELS, {"one": run}, MEASURES, doc_id="before:#")["one"])


def test_lists_and_queries_without_results():
    run = [["b#1", "a#1", "a#2"], ["b#1", "b#2"], []]
    result = assay.evaluate([["a"], ["b"], ["c"]], run, ["rr", "num_ret"], doc_id="before:#")
    assert [result.scores[name].tolist() for name in ("rr", "num_ret")] == [[1 / 2, 1, 0], [2, 1, 0]]
    skipped = assay.evaluate({"q": ["a"], "r": ["b"]}, {"q": ["a#1"], "r": []}, "rr", missing="skip", doc_id="before:#")
    assert skipped.queries == ["q", "r"]


def test_scores_beside_a_given_order_do_not_count(tmp_path):
    scored = [("b#1", 0.1, 1), ("a#1", 0.2, 2), ("b#2", 0.9, 3), ("a#2", 1.0, 4)]
    run = assay.Run({"q": scored, "r": {"a#1": 1, "b#1": 2}})
    run.write(tmp_path / "run.parquet")
    for each in (run, tmp_path / "run.parquet"):
        result = assay.evaluate({"q": ["a"], "r": ["a"]}, each, ["rr", "num_ret"], doc_id="before:#", ties="input")
        assert result.per_query() == {"q": {"rr": 1 / 2, "num_ret": 2}, "r": {"rr": 1 / 2, "num_ret": 2}}


def test_many_files_are_one_run(tmp_path):
    for number in range(2):
        FRAME[number::2].write_parquet(tmp_path / f"part-{number}.parquet")
    assert assay.evaluate(QRELS, tmp_path, "num_ret", doc_id="before:#")["num_ret"] == 5


def test_an_evaluator():
    evaluator = assay.Evaluator(QRELS, MEASURES, doc_id="before:#")
    check_collapsed(evaluator.evaluate(RUN))
    for query, ranking in RUN.items():
        evaluator.add(query, ranking)
    check_collapsed(evaluator.result())
    evaluator.reset()
    evaluator.add("q1", ["a#1", "a#2"])
    assert evaluator.result().scores["num_ret"].tolist() == [1, 0]
    with pytest.raises(assay.errors.DataError, match="already added"):
        evaluator.add("q1", ["a#1"])


documents = st.sampled_from("abcd")
rankings = st.lists(st.tuples(documents, st.sampled_from([0.25, 0.5, 0.5 + 2**-40, 1.0])), max_size=9)


def collapse(ranking, *, key):
    """The obvious way: the chunks in the order of their ranks, and of each document the first."""
    best = {}
    for place, (document, score) in sorted(enumerate(ranking), key=lambda each: (-key(each[1][1]), each[0])):
        best.setdefault(document, (place, score))
    return [(document, score) for document, (place, score) in sorted(best.items(), key=lambda each: each[1][0])]


POLICIES = {
    "ties": ["docid_desc", "docid_asc", "input"],
    "order": ["score", "given"],
    "precision": ["float64", "float32"],
}


@given(rankings, st.fixed_dictionaries({name: st.sampled_from(choices) for name, choices in POLICIES.items()}))
def test_the_best_chunk_counts(ranking, policies):
    rounded = np.float32 if policies["precision"] == "float32" else np.float64
    key = (lambda _: 0) if policies["order"] == "given" else rounded
    chunks = [(f"{document}#{number}", score) for number, (document, score) in enumerate(ranking)]
    qrels, measures = {"q": {"a": 1, "b": 2}}, ["rr", "ndcg", "num_ret", "bpref"]
    result = assay.evaluate(qrels, {"q": chunks}, measures, doc_id="before:#", **policies)
    expected = assay.evaluate(qrels, {"q": collapse(ranking, key=key)}, measures, **policies)
    assert result.per_query() == expected.per_query()


@given(ranking=rankings, duplicates=st.sampled_from(["count", "once"]))
def test_chunks_that_are_kept_are_duplicate_documents(ranking, duplicates):
    chunks = [(f"{document}#{number}", score) for number, (document, score) in enumerate(ranking)]
    qrels, measures = {"q": {"a": 1, "b": 2}}, ["rr", "ap", "num_ret", "hits"]
    result = assay.evaluate(qrels, {"q": chunks}, measures, doc_id="before:#", chunks=duplicates, ties="input")
    expected = assay.evaluate(qrels, {"q": ranking}, measures, duplicates=duplicates, ties="input")
    assert result.per_query() == expected.per_query()


def test_measures_that_rank_chunks_differently_in_one_call():
    run = {"q": [("a#1", 0.1), ("b#1", 0.5), ("a#2", 0.9)]}
    result = assay.evaluate({"q": ["b"]}, run, ["rr", "llama_index:mrr"], doc_id="before:#")
    assert result.mean == {"rr": 1 / 2, "llama_index:mrr": 1 / 2}
    given_order = assay.evaluate({"q": ["a"]}, run, ["rr", "llama_index:mrr"], doc_id="before:#", order="given")
    assert given_order.mean == {"rr": 1, "llama_index:mrr": 1}
    later = {"q": [("b#1", 0.5), ("a#1", 0.1), ("b#2", 0.05), ("a#2", 0.9)]}
    both = assay.evaluate({"q": ["a"]}, later, ["rr", "llama_index:mrr"], doc_id="before:#")
    assert both.mean == {"rr": 1, "llama_index:mrr": 1 / 2}


TWICE = {"q": [("a#1", 0.1), ("b#1", 0.5), ("a#1", 0.9)]}


@for_each(("duplicates", "rr", "given"), [("first", 1 / 2, 1), ("last", 1, 1 / 2), ("count", 1, 1), ("once", 1, 1)])
def test_duplicates_decide_about_chunks(duplicates, rr, given):
    said = r"query 'q' lists chunk 'a#1' more than once; remove .* duplicates=\"first\" or \"last\" \(--policy"
    with pytest.raises(assay.errors.DuplicateError, match=said):
        assay.evaluate({"q": ["a"]}, TWICE, "rr", doc_id="before:#")
    result = assay.evaluate({"q": ["a"]}, TWICE, "rr", doc_id="before:#", duplicates=duplicates)
    assert result["rr"] == rr
    left_out = "1 chunk of a document that is ranked higher left out", "1 duplicate document left out"
    assert [str(note) for note in result.notes] == [left_out[duplicates in ("first", "last")]]
    in_order = {"q": ["a#1", "b#1", "a#1"]}
    assert assay.evaluate({"q": ["a"]}, in_order, "rr", doc_id="before:#", duplicates=duplicates)["rr"] == given


def test_judgments_are_not_changed_and_a_rule_may_match_nothing():
    assert assay.evaluate({"q": ["a#1"]}, {"q": ["a#1"]}, "num_rel_ret", doc_id="before:#")["num_rel_ret"] == 0
    result = assay.evaluate({"q": ["a"]}, {"q": ["a", "b"]}, "rr", doc_id="before:#")
    said = "the rule before:# does not match a single id; all are kept as they are: 'a', 'b'"
    assert [str(note) for note in result.notes] == [said]


# How the rows of a run name a document beside the chunk, and the path to it.
FIELDS = [
    ("source", lambda document: {"source": document}),
    ("metadata.source", lambda document: {"metadata": {"source": document}}),
    ("field:metadata.source", lambda document: {"metadata.source": document}),
]


@for_each(("path", "field"), FIELDS)
@for_each("form", ["jsonl", "parquet", "polars", "lazy"])
def test_a_field_of_the_rows(tmp_path, path, field, form):
    rows = [
        {"query_id": query, "doc_id": f"chunk{number}", **field(chunk.partition("#")[0]), "score": score}
        for number, (query, chunk, score) in enumerate(ROWS)
    ]
    frame = polars.DataFrame(rows)
    (tmp_path / "run.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    frame.write_parquet(tmp_path / "run.parquet")
    run = {"polars": frame, "lazy": frame.lazy()}.get(form, tmp_path / f"run.{form}")
    result = assay.evaluate(QRELS, run, MEASURES, doc_id=path)
    expected = assay.evaluate(QRELS, COLLAPSED, MEASURES)
    assert result.mean == expected.mean
    assert [str(note) for note in result.notes] == NOTES[:1]
    assert result.signature.summary.endswith(f"doc_id=field:{path.removeprefix('field:')}")


def test_a_field_that_some_rows_lack(tmp_path):
    target = tmp_path / "run.csv"
    target.write_text("query_id,doc_id,source,score\nq,c1,a,3\nq,c2,,2\nq,c3,a,1\n")
    result = assay.evaluate({"q": ["c2"]}, target, ["rr", "num_ret"], doc_id="source")
    assert result.mean == {"rr": 1 / 2, "num_ret": 2}
    assert str(result.notes[-1]) == "the rule field:source does not match 1 of 3 ids; kept as they are: 'c2'"


def test_rows_that_name_only_the_document_and_those_of_pandas(tmp_path):
    target = tmp_path / "run.jsonl"
    target.write_text('{"query_id": "q", "source": 7, "score": 2}\n{"query_id": "q", "source": 7, "score": 1}\n')
    frame = pandas.DataFrame({"qid": ["q", "q"], "docno": ["c1", "c2"], "score": [2.0, 1.0], "source": ["7", "7"]})
    for run in (target, frame):
        assert assay.evaluate({"q": ["7"]}, run, ["num_ret"], doc_id="source")["num_ret"] == 1


NO_FIELDS = "has only ids; use a rule for ids, such as before:#, or rows with this field (JSON Lines, CSV, TSV, Parquet, a frame)"
NO_ROWS = [("data", RUN), ("run", assay.Run(RUN)), ("data", [["a"], ["b"]])]
BAD_FIELDS = [
    *((run, "source", f'doc_id="field:source" reads a field, and the {what} {NO_FIELDS}') for what, run in NO_ROWS),
    (FRAME, "path", "the frame has no column 'path' for doc_id; it has 'query_id', 'doc_id', 'score'"),
    (FRAME, "doc_id.source", "the frame: the column 'doc_id' has no fields, so no 'doc_id.source' for doc_id"),
    (FRAME, "score", "the frame: the field 'score' must hold strings or integers, not Float64"),
]


@for_each(("run", "path", "message"), BAD_FIELDS)
def test_fields_that_cannot_be_read(run, path, message):
    error = FormatError if run is FRAME else DataError
    refused(lambda: assay.evaluate(QRELS, run, "rr", doc_id=path), error, [message])


@for_each("name", ["run.trec", "run.json"])
def test_files_without_fields(tmp_path, name):
    FILES[name](tmp_path / name)
    said = f"reads a field, and {tmp_path / name} ({name.partition('.')[2]}) {NO_FIELDS}"
    refused(lambda: assay.evaluate(QRELS, tmp_path / name, "rr", doc_id="source"), DataError, [said])


def before_dash(chunk):
    return chunk.partition("#")[0]


def test_a_rule_survives_saving_and_is_compared(tmp_path):
    for number, rule in enumerate(["before:#", before_dash]):
        result = assay.evaluate(QRELS, RUN, MEASURES, doc_id=rule, chunks="once")
        result.save(tmp_path / f"{number}.json")
        loaded = assay.load_result(tmp_path / f"{number}.json")
        assert loaded.signature == result.signature
        assert assay.compare(None, {"a": result, "b": loaded}, ["ap"]).pairs[0].difference == 0
    first, second = (assay.load_result(tmp_path / f"{number}.json") for number in range(2))
    with pytest.raises(assay.errors.MismatchError, match=r"doc_id=before:# in one result, doc_id=function:"):
        assay.compare(None, {"a": first, "b": second})
    plain = assay.evaluate(QRELS, RUN, MEASURES)
    with pytest.raises(assay.errors.MismatchError, match=r"chunks=once in one result, doc_id=none chunks=best"):
        assay.compare(None, {"a": first, "b": plain})
    plain.save(tmp_path / "plain.json")
    assert "doc_id" not in (tmp_path / "plain.json").read_text().partition("queries")[0]


def test_a_stored_function_without_a_name_of_its_own_cannot_be_compared(tmp_path):
    own = assay.evaluate(QRELS, RUN, MEASURES, doc_id=lambda chunk: chunk.partition("#")[0], chunks="once")
    assert assay.compare(None, {"a": own, "b": own}, ["ap"]).pairs[0].difference == 0
    own.save(tmp_path / "own.json")
    message = r"the stored result has doc_id=function:.*<lambda>, and it is not known which function that was; evaluate"
    for other in (own, tmp_path / "own.json"):
        with pytest.raises(assay.errors.MismatchError, match=message):
            assay.compare(None, {"a": tmp_path / "own.json", "b": other}, ["ap"])
        with pytest.raises(assay.errors.MismatchError, match=message):
            assay.gate(None, other, baseline=tmp_path / "own.json", max_drop={"ap": 0.1})


def test_compare_gate_and_audit():
    comparison = assay.compare(QRELS, {"a": RUN, "b": COLLAPSED}, MEASURES, doc_id="before:#")
    assert [pair.difference for pair in comparison.pairs] == [0] * len(comparison.pairs)
    assert "doc_id=before:#" in str(comparison.signature)
    report = assay.gate(QRELS, RUN, {"rr": 0.7}, baseline=COLLAPSED, max_drop={"rr": 0}, doc_id="before:#")
    assert report.passed
    # Some tools rank documents as they are listed.
    best_first = {query: dict(sorted(ranking.items(), key=lambda each: -each[1])) for query, ranking in RUN.items()}
    audit = assay.audit(QRELS, best_first, "map", doc_id="before:#")
    expected = assay.audit(QRELS, COLLAPSED, "map")
    assert [each.value for each in audit["map"]] == [each.value for each in expected["map"]]
    assert [str(note) for note in audit.notes] == NOTES


def test_ties_of_chunks_in_the_order_of_ranx_are_said():
    run = {"q": [(f"d{number}#1", 1.0) for number in range(20)]}
    result = assay.evaluate({"q": {"d3": 1}}, run, "rr", convention="ranx", doc_id="before:#")
    assert "ties of 1 query with 16 documents or more keep the order of their chunks" in str(result.notes[0])
