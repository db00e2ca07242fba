"""Judgments and runs that barely overlap are said loudly."""

import io
import warnings

import polars
import pytest
from ir_measures import ScoredDoc

import assay
from assay.compat import pytrec_eval
from assay.compat import ranx as compat_ranx
from tables import for_each

QRELS = {"q1": {"doc7": 1, "doc9": 0}, "q2": {"doc3": 2}}
CHUNKS = {"q1": {"doc7#3": 0.9, "doc9#0": 0.5}, "q2": {"doc3#1": 0.4}}
TEXT = (
    "no judged document was retrieved for any query: the judgments have 'doc7', 'doc9', 'doc3', "
    "the run has 'doc7#3', 'doc9#0', 'doc3#1'; likely the same ids: 'doc7' vs. 'doc7#3' (the chunk '#3' in the run); "
    'doc_id="before:#" joins them'
)
ROWS = [(query, document, score) for query, ranking in CHUNKS.items() for document, score in ranking.items()]
ANSWERED = {"answer": "a", "references": ["b"]}
RECORDS = [{"query_id": each, "gold": list(QRELS[each]), "retrieved": list(CHUNKS[each]), **ANSWERED} for each in QRELS]


def added():
    evaluator = assay.Evaluator(QRELS, "rr")
    for query, ranking in CHUNKS.items():
        evaluator.add(query, ranking)
    return evaluator.result()


CALLS = {
    "evaluate": lambda: assay.evaluate(QRELS, CHUNKS, "rr"),
    "evaluate_many": lambda: assay.evaluate_many(QRELS, {"one": CHUNKS}, "rr")["one"],
    "Evaluator.evaluate": lambda: assay.Evaluator(QRELS, "rr").evaluate(CHUNKS),
    "Evaluator.result": added,
    "compare": lambda: assay.compare(QRELS, {"one": CHUNKS, "two": CHUNKS}, "rr"),
    "gate": lambda: assay.gate(QRELS, CHUNKS, {"rr": 0}),
    "audit": lambda: assay.audit(QRELS, CHUNKS, "rr"),
    "evaluate_rag": lambda: assay.evaluate_rag(RECORDS, ["recall", "em"]),
    "probe": lambda: assay.probe(CHUNKS.get, {"q1": "q1", "q2": "q2"}, QRELS, "rr", progress=False),
}


@for_each("name", CALLS)
def test_every_task_warns_where_it_is_called_and_notes_it_first(name):
    with pytest.warns(assay.DataWarning) as said:
        result = CALLS[name]()
    assert {str(each.message).removeprefix("'one': ").removeprefix("'two': ") for each in said} == {TEXT}
    assert {each.filename for each in said} == {__file__}
    assert len(said) == (2 if name == "compare" else 1)
    assert str(result.notes[0]) == TEXT
    assert result.notes[0].kind == "overlap"


def test_it_is_printed_and_in_the_exports():
    result = assay.evaluate(QRELS, CHUNKS, "rr")
    assert f"note: {TEXT}" in str(result)
    assert "doc_id=&quot;before:#&quot; joins them" in result.to_html()
    assert "doc7#3" in result.to_json()
    assert assay.evaluate(QRELS, CHUNKS, "rr", doc_id="before:#")["rr"] == 1


def test_runs_in_memory_are_read_again():
    frame = polars.DataFrame(ROWS, schema=["query_id", "doc_id", "score"], orient="row")
    for data in (assay.Run(CHUNKS), frame, [ScoredDoc(*row) for row in ROWS]):
        assert str(assay.evaluate(QRELS, data, "rr").notes[0]) == TEXT


@for_each("ending", ["run", "run.gz", "json", "jsonl", "csv", "parquet"])
def test_runs_in_files_are_read_again_whole_or_in_parts(ending, tmp_path):
    assay.Run(CHUNKS).write(tmp_path / f"whole.{ending}", lossy=True)
    assert str(assay.evaluate(QRELS, tmp_path / f"whole.{ending}", "rr").notes[0]) == TEXT
    (tmp_path / "parts").mkdir()
    for number, (query, ranking) in enumerate(CHUNKS.items()):
        assay.Run({query: ranking}).write(tmp_path / f"parts/part-{number}.{ending}", lossy=True)
    note = str(assay.evaluate(QRELS, tmp_path / "parts", "rr").notes[0])
    assert "the run has 'doc7#3', 'doc9#0'" in note
    assert note.endswith('; doc_id="before:#" joins them')


def test_a_stream_cannot_be_read_again():
    stream = io.BytesIO(b"q1 Q0 doc7#3 1 0.9 t\nq2 Q0 doc3#1 1 0.4 t\n")
    assert str(assay.evaluate(QRELS, stream, "rr").notes[0]) == (
        "no judged document was retrieved for any query: the judgments have 'doc7', 'doc9', 'doc3', "
        "the run cannot be read again to show its ids; assay.check shows how the ids differ"
    )


OTHERS = [
    ({"q1": ["alpha"]}, {"q1": ["x9"]}, "use the judgments of the collection that was searched; assay.check looks at"),
    ({"q1": ["D1", "D2"]}, {"q1": ["d1", "d2"]}, "'D1' vs. 'd1' (letter case); write the ids the same way"),
    ({"q1": ["7"]}, {"q1": ["007"]}, "(leading zeros); write the ids the same way on both sides"),
    ({"q1": ["a#1"]}, {"q1": ["a"]}, "(the chunk '#1' in the judgments); write the ids the same way on both sides"),
    ({"q1": ["a"]}, {"q1": []}, "no document was retrieved for any judged query: the rankings are empty"),
    ({"q1": ["d"]}, {"q1": {"d\ud800": 1.0}}, "the judgments have 'd', the run has 'd\\ud800'"),
]


@for_each(("qrels", "run", "text"), OTHERS)
def test_what_no_rule_joins(qrels, run, text):
    note = assay.evaluate(qrels, run, "rr").notes[0]
    assert note.kind == "overlap"
    assert text in str(note)


def test_a_rule_that_does_not_fit():
    qrels, run = {"q1": ["a_7", "a_8"]}, {"q1": ["a_7_0", "a_8_1"]}
    said = str(assay.evaluate(qrels, run, "rr", doc_id="before:_").notes[0])
    assert "the run has 'a', 'a' with doc_id=\"before:_\"" in said
    assert said.endswith('doc_id="before_last:_" joins them')
    said = str(assay.evaluate(qrels, {"q1": ["a_7"]}, "rr", doc_id="before:_").notes[0])
    assert said.endswith("without doc_id the ids meet")
    other = assay.evaluate({"q": {"Doc7": 1, "Doc8": 0}}, {"q": ["doc7", "doc8"]}, "rr", doc_id="before:#")
    said = str(other.notes[0])
    assert "with doc_id=\"before:#\", before it: 'Doc7' vs. 'doc7' (letter case)" in said
    assert "; write the ids the same way on both sides; " in said


@for_each(("found", "text"), [(0, "no judged document"), (9, "only 9 of 1,000 judged documents"), (10, ""), (500, "")])
def test_fewer_than_one_percent(found, text):
    run = {f"q{n}": ["d" if n < found else "x"] for n in range(1000)}
    notes = assay.evaluate({f"q{n}": ["d"] for n in range(1000)}, run, "rr").notes
    assert [str(note).startswith(text) for note in notes] == ([True] if text else [])


QUIET = [
    # A query of which nothing is found, and one without results.
    ({"q1": ["a"], "q2": ["b"]}, {"q1": ["a"], "q2": ["x"]}, {}),
    ({"q1": ["a"], "q2": ["b"]}, {"q1": ["a"], "q2": []}, {}),
    # Only a document that is not relevant: the ids meet.
    ({"q1": {"a": 1, "b": 0}}, {"q1": ["b", "c"]}, {}),
    # Judgments of far more queries, or of far more documents, than the run has.
    ({f"q{n}": ["a"] for n in range(500)}, {"q7": ["a"]}, {}),
    ({"q1": [f"d{n}" for n in range(5000)]}, {"q1": ["d4999", "x"]}, {}),
    # Most queries of the run have no judgments.
    ({"q1": ["a"]}, {f"q{n}": ["a"] for n in range(500)}, {}),
    # No document is judged at all, which is another note.
    ({"q1": {}}, {"q1": ["a"]}, {}),
    # A cutoff is no reason.
    ({"q1": ["a"]}, {"q1": ["x", "a"]}, {"depth": 1}),
    ({"q1": ["a"]}, {"q1": ["x", "a"]}, {"judged_only": True, "depth": 1}),
]


@for_each("qrels, run, policies", QUIET)
def test_no_false_alarm(qrels, run, policies):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        result = assay.evaluate(qrels, run, "rr", **policies)
    assert "overlap" not in [note.kind for note in result.notes]


def test_hardly_a_query_meets():
    qrels = {f"q{n}": ["a"] for n in range(300)}
    run = {"q0": ["a"], **{f"{n}": ["a"] for n in range(1, 300)}}
    note = assay.evaluate(qrels, run, "rr").notes[0]
    said = "only 1 of 300 queries in the run has judgments: the judgments have 'q1', 'q2', 'q3', …"
    assert (note.kind, str(note).startswith(said)) == ("overlap", True)
    assert "(the prefix 'q' in the judgments); write the ids the same way on both sides" in str(note)
    said = r"likely the same ids: 'q1' vs. '1' \(the prefix 'q' in the judgments\)"
    with pytest.raises(assay.errors.MismatchError, match=said):
        assay.evaluate(QRELS, {"1": ["doc7"], "2": ["doc3"]}, "rr")


def test_drop_ins_are_silent():
    with warnings.catch_warnings():
        warnings.simplefilter("error", assay.DataWarning)
        assert pytrec_eval.RelevanceEvaluator(QRELS, {"map"}).evaluate(CHUNKS)["q1"]["map"] == 0
        assert compat_ranx.evaluate(compat_ranx.Qrels(QRELS), compat_ranx.Run(CHUNKS), "mrr") == 0


@for_each("side", ["run", "baseline"])
def test_a_gate_fails_whatever_its_limits(side):
    good = {"q1": ["doc7"], "q2": ["doc3"]}
    data = {"run": (CHUNKS, good), "baseline": (good, CHUNKS)}[side]
    report = assay.gate(QRELS, data[0], {"rr": 0}, baseline=data[1], max_drop={"rr": 1})
    assert not report.passed
    check = report.failed[0]
    assert (check.check, check.measure, check.value, check.limit) == ("overlap", "judged documents", 0, None)
    assert check.reason == f"{side}: {TEXT}"
    assert "FAIL  judged documents" in str(report)
    assert f"| FAIL | judged documents | {side}: no judged document was retrieved" in report.to_markdown()
    assert report.to_polars()["check"][0] == "overlap"


def test_a_stored_result_keeps_the_warning(tmp_path):
    assay.evaluate(QRELS, CHUNKS, "rr").save(tmp_path / "a.json")
    stored = assay.load_result(tmp_path / "a.json")
    assert str(stored.notes[0]) == TEXT
    assert [check.check for check in assay.gate(None, stored, {"rr": 0}).failed] == ["overlap"]
