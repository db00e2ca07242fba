"""Gold without ids: texts and spans in records, what hits them, what counts once, and what is said about bad ones."""

import json
import pickle
from io import BytesIO

import numpy as np
import polars
import pytest

import assay
from tables import for_each

WANTED = [["the  cat sat.", "It rained."], ["Dogs bark loudly at night."]]
RETRIEVED = [["The cat sat.", "Dogs bark loudly at night."], ["unrelated", "Dogs bark loudly at nights."]]
TEXTS = [
    {"user_input": question, "retrieved_contexts": found, "reference_contexts": wanted}
    for question, found, wanted in zip(("a?", "b?"), RETRIEVED, WANTED, strict=True)
]


def span(start, end, document="g", **more):
    return {"document": document, "start": start, "end": end, **more}


def score(rows, *names, **how):
    result = assay.evaluate_rag(rows, names, **how)
    return {name: result.scores[name].tolist() for name in result}


def said(result):
    return [str(note) for note in result.notes if note.kind == "matched"]


def one(gold, *retrieved, **more):
    return [{"gold": gold, "retrieved": list(retrieved), **more}]


approx = pytest.approx
BOTH_SIDES = {"gold": ["d1"], "retrieved": ["d2"], "gold_texts": ["x"], "retrieved_texts": ["x"]}
WITHOUT_IDS = {"gold_texts": ["one"], "retrieved": [{"page_content": "two"}, {"page_content": "One"}]}
MIXED = [
    {"query_id": "t", "gold_texts": ["one"], "retrieved_texts": ["one"]},
    {"query_id": "i", "gold": {"d1": 1, "d2": 1}, "retrieved": ["d1"]},
    {"query_id": "e", "gold": []},
]
GOLD = [span(100, 180), span(300, 310)]
SPANS = one(GOLD, span(0, 150), span(150, 300), span(300, 400))
SEVERAL = one([*GOLD, span(0, 5, "h")], span(0, 400), span(400, 800))
HALF = one([span(100, 180)], span(0, 150))
GRADED = one([span(0, 5, grade=2), span(10, 15)], span(12, 20))
SHARED_ID = one(GOLD, *({"doc_id": "g", "start": start, "end": end} for start, end in ((100, 120), (300, 400))))
OTHER_LIBRARIES = one(
    GOLD,
    {"page_content": "x" * 50, "metadata": {"source": "g", "start_index": 80}},
    {"node": {"id_": "n", "start_char_idx": 300, "end_char_idx": 310, "ref_doc_id": "g"}, "score": 0.5},
)
OWN = {"document": "meta.file", "start": "meta.from", "end": "meta.to", "retrieved": "found"}
OWN_FIELDS = [{"gold": GOLD, "found": [{"id": "c", "meta": {"file": "g", "from": 100, "to": 120}}]}]
CHUNKED = [
    {"query_id": "a", "gold": ["d1"], "retrieved": ["d2#1", "d2#2", "d1#7"]},
    {"query_id": "b", "gold": ["d3"], "retrieved": ["d3#1", "other"]},
]
BY_FIELD = one(["d1"], *({"id": str(n), "metadata": {"source": name}} for n, name in enumerate(["d2", "d2", "d1"])))
# Records, options, and the scores by measure.
SCORES = [
    (TEXTS, {}, {"recall": [0.5, 1], "rr": [1, 0.5]}),
    (TEXTS, {}, {"ndcg": [approx(0.6131, abs=1e-4), approx(0.6309, abs=1e-4)]}),
    (TEXTS, {"match": 0.99}, {"recall": [0.5, 0]}),
    (TEXTS, {"match": "exact"}, {"recall": [0.5, 0]}),
    # Ids on one side only are no help.
    ([{name: each for name, each in BOTH_SIDES.items() if name != "retrieved"}], {}, {"recall": [1]}),
    ([{name: each for name, each in BOTH_SIDES.items() if name != "gold"}], {}, {"recall": [1]}),
    ([WITHOUT_IDS], {}, {"rr": [0.5]}),
    (MIXED, {}, {"recall": [1, 0.5, 0]}),
    (one([{"text": "one"}, {"text": "two"}], {"id": "c", "text": "ONE"}), {}, {"recall": [0.5], "precision": [1]}),
    (SPANS, {}, {"recall": [1], "recall@1": [0.5], "rr": [1], "precision": [approx(2 / 3)], "precision(rel=0)": [1]}),
    (SPANS, {}, {"f1": [approx(0.8)]}),
    # Each gold span counts once, whatever the number of chunks.
    (SEVERAL, {}, {"recall": [approx(2 / 3)], "recall@1": [approx(2 / 3)], "f1@1": [approx(0.8)]}),
    (HALF, {"overlap": 0.625}, {"recall": [1]}),
    (HALF, {"overlap": 0.63}, {"recall": [0]}),
    (HALF, {"overlap": 1 / 3, "overlap_of": "chunk"}, {"recall": [1]}),
    (HALF, {"overlap": 0.34, "overlap_of": "chunk"}, {"recall": [0]}),
    (HALF, {"overlap": 50 / 180, "overlap_of": "iou"}, {"recall": [1]}),
    (HALF, {"overlap": 0.28, "overlap_of": "iou"}, {"recall": [0]}),
    (one([span(0, 10)], span(6, 20)), {"overlap": np.float32(0.25), "match": np.float32(0.5)}, {"rr": [1]}),
    (one(span(0, 5), span(4, 9)), {}, {"recall": [1]}),
    (GRADED, {}, {"recall": [0.5]}),
    (GRADED, {"rel": 2}, {"recall": [0]}),
    (OTHER_LIBRARIES, {}, {"recall": [1]}),
    (OWN_FIELDS, {"columns": OWN}, {"recall": [0.5]}),
    (SHARED_ID, {}, {"recall@1": [0.5], "recall@2": [1]}),
    # Where gold is ids, spans do not matter.
    (one(["d1"], {"id": "d1", "start": "10:30", "end": "10:20"}), {}, {"recall": [1]}),
    ([*one([span(0, 5)], span(0, 1)), {"gold": [span(0, 5)]}], {}, {"recall": [1, 0]}),
    (one([], span(0, 5)), {}, {"rr": [0]}),
    (CHUNKED, {"doc_id": lambda chunk: chunk[:2]}, {"rr": [0.5, 1]}),
    (BY_FIELD, {"doc_id": "metadata.source"}, {"rr": [0.5]}),
]


@for_each("rows, how, expected", SCORES)
def test_scores(rows, how, expected):
    assert score([{"query_id": str(at), **row} for at, row in enumerate(rows)], *expected, **how) == expected


# Records, options, and what is said of the match.
MATCHES = [
    (TEXTS, {}, ["3 gold texts matched by text: 1 exactly, 1 by a similarity of at least 0.9, 1 by no retrieved text"]),
    (TEXTS, {"match": "exact"}, ["3 gold texts matched by text: 1 exactly, 2 by no retrieved text"]),
    ([{**BOTH_SIDES, "retrieved": ["d1"], "retrieved_texts": ["y"]}], {}, []),
    (SEVERAL, {}, ["3 gold spans matched by position: 2 hit by a chunk (any overlap), 1 not"]),
]


@for_each("rows, how, notes", MATCHES)
def test_what_is_said_of_a_match(rows, how, notes):
    assert said(assay.evaluate_rag(rows, "recall", **how)) == notes


ALTERNATIVES = [{"gold_texts": [["one", "two"], ["three"]], "retrieved_texts": ["two"]}]
ANSWERED = [{**row, "response": "x", "reference": "x"} for row in TEXTS]
GROUPED = [
    {"query_id": "s", "gold": [span(0, 5)], "retrieved": [span(0, 5)]},
    {"query_id": "g", "gold": [["d1", "d2"], ["d3"]], "retrieved": ["d2"]},
]
# Records, a measure, its values, and which gold was found.
FOUND = [
    (ALTERNATIVES, "recall", [0.5], [False]),
    (ANSWERED, "answer_f1", [1, 1], [True, True]),
    (GROUPED, "group_recall", [1, 0.5], [True, False]),
    # Nothing was retrieved for the last.
    ([*TEXTS, {"user_input": "c?", "reference_contexts": ["x"]}], "recall", [0.5, 1, 0], [True, True, False]),
]


@for_each("rows, name, scores, found", FOUND)
def test_what_is_found(rows, name, scores, found):
    result = assay.evaluate_rag(rows, name)
    assert (result.scores[name].tolist(), result.found.tolist()) == (scores, found)
    assert result.has_gold.all()


def test_the_judgments_are_those_of_match_texts():
    names = ["recall", "ndcg", "rr", "precision"]
    alone = assay.evaluate(*assay.match_texts(WANTED, RETRIEVED, threshold=0.9), ["group_recall", *names[1:]])
    assert list(score(TEXTS, *names).values()) == [values.tolist() for values in alone.scores.values()]


def test_texts_as_ragas_compares_them():
    names = ["NonLLMContextRecall", "NonLLMContextPrecisionWithReference", "NonLLMContextRecall(threshold=0.99)"]
    result = assay.evaluate_rag(TEXTS, names, convention="ragas")
    assert result.mean == assay.evaluate(*assay.match_texts(WANTED, RETRIEVED), names, convention="ragas").mean
    assert said(result) == ["3 gold texts compared with the retrieved texts; the similarity is the grade"]


def test_alternative_spans():
    gold = [[span(0, 5), span(50, 55)], [span(90, 95), "c9"]]
    rows = one(gold, span(52, 60, id="c1"), span(0, 9, id="c9"), query_id="both")
    rows += one(gold, span(0, 60, id="c1"), query_id="one")
    result = assay.evaluate_rag(rows, ["recall", "ndcg"])
    assert result.scores["recall"].tolist() == [1, 0.5]
    assert result.scores["ndcg"].tolist() == [1, approx(1 / (1 + 1 / 1.584962500721156))]
    assert result.found.tolist() == [True, False]


@for_each("name", ["r.jsonl", "r.parquet", "r.csv"])
def test_files(name, tmp_path):
    row = {"query_id": "q", "gold": GOLD, "retrieved": [span(0, 150)]}
    text = {key: value if key == "query_id" else json.dumps(value) for key, value in row.items()}
    if name == "r.jsonl":
        (tmp_path / name).write_text(json.dumps(row) + "\n")
    elif name == "r.csv":
        polars.DataFrame([text]).write_csv(tmp_path / name)
    else:
        polars.DataFrame([row]).write_parquet(tmp_path / name)
    assert score(tmp_path / name, "recall") == {"recall": [0.5]}
    outputs = [{"query_id": "q", "retrieved": row.pop("retrieved")}]
    assert score([row], "recall", outputs=outputs) == {"recall": [0.5]}


@for_each("texts", [{"text": "x"}, {}])
def test_a_run_of_chunks_with_their_spans_in_the_corpus(texts, tmp_path):
    chunks = [span(at, at + 100, id=f"c{at}", **texts) for at in (0, 100, 300)]
    (tmp_path / "c.jsonl").write_text("\n".join(map(json.dumps, chunks)))
    (tmp_path / "a.run").write_text("q Q0 c0 1 0.1 x\nq Q0 c300 2 0.9 x\nq Q0 c100 3 0.5 x\n")
    rows = [{"query_id": "q", "gold": GOLD}]
    expected = {"recall@1": [0.5], "recall@2": [1], "precision": [approx(2 / 3)]}
    assert score(rows, *expected, outputs=tmp_path / "a.run", corpus=tmp_path / "c.jsonl") == expected
    with pytest.raises(assay.errors.DataError, match=r"a retrieved passage has none: 'c.*of all chunks by id \(corpus"):
        score(rows, "recall", outputs=tmp_path / "a.run")
    with pytest.raises(assay.errors.DataError, match="the retrieved chunk 'c9' is not in the table of chunks; the run"):
        score(rows, "recall", outputs={"q": ["c0", "c9"]}, corpus=tmp_path / "c.jsonl")


def test_the_table_of_chunks_is_read_once_and_has_its_own_ids():
    chunk = {"doc_id": "g", "start": 0, "end": 100, "chunk_id": "c0", "text": "at 0"}
    table = [chunk, {**chunk, "start": 100, "end": 200, "chunk_id": "c100", "text": "at 100"}]
    stream = BytesIO("".join(json.dumps(each) + "\n" for each in table).encode())
    rows = [{"query_id": "q", "gold": GOLD}]
    result = assay.evaluate_rag(rows, "recall", outputs={"q": ["c0", "c100"]}, corpus=stream)
    assert result.records[0].retrieved_texts == ("at 0", "at 100")
    assert "c0    at 0" in str(result.worst(1))


CHUNK = span(0, 9)
NO_ID = "a retrieved passage has no id under id, doc_id, _id or similar"
BAD = [
    ([span(5, 5)], [CHUNK], "gold, number 0: '{'document': 'g', 'start': 5, 'end': 5}': the span is empty"),
    ([CHUNK, span(6, 5)], [CHUNK], "gold, number 1"),
    ([{"start": 0, "end": 5}], [CHUNK], "has no document; a span has document, start and end"),
    ([CHUNK], [span(9, 3)], "retrieved, number 0: '{'document': 'g', 'start': 9, 'end': 3}': the span ends before it"),
    ([CHUNK], ["c1"], "the gold is a span, but a retrieved passage has none: 'c1'; a passage needs document, start"),
    ([CHUNK], [CHUNK, {"id": "c"}], "the gold is a span, but a retrieved passage has none: '{'id': 'c'}'"),
    ([CHUNK, "d1"], [CHUNK], NO_ID),
    ([{"text": "x"}], ["c1"], "the gold is a text, but a retrieved passage has no text"),
    ([{"page": 3}], ["c1"], "gold, number 0 has no id, no span (document, start, end) and no text: '{'page': 3}'"),
    ([[CHUNK], []], [CHUNK], "gold, number 1: an empty group; remove it"),
    ([CHUNK, None], [CHUNK], "gold, number 1: the id of a document must be a string or an integer, not 'None'"),
    ([CHUNK, 1.5], [CHUNK], "gold, number 1: the id of a document must be a string or an integer, not '1.5'"),
    (["d1"], [{"text": "x"}], f"{NO_ID}: '{{'text': 'x'}}'; say"),
]


@for_each("gold, retrieved, message", BAD)
def test_bad_gold_is_named(gold, retrieved, message):
    good = {"query_id": "p", "gold": ["d"], "retrieved": ["d"]}
    with pytest.raises(assay.errors.DataError) as caught:
        assay.evaluate_rag([good, {"query_id": "q", "gold": gold, "retrieved": retrieved}], "recall")
    assert str(caught.value).startswith("the records, record 1 ('q')")
    assert message in str(caught.value)


THRESHOLD = "match must be 'exact', 'off', or a similarity above 0 and at"
REFUSED = [
    (TEXTS, "recall", {"match": "off"}, "the records have no gold documents and no retrieved documents"),
    (TEXTS, "ragas:NonLLMContextRecall", {}, "takes similarities as grades; compute it alone, with convention="),
    *((TEXTS, "rr", {"match": bad}, THRESHOLD) for bad in (0, 2, "fuzzy", None, True)),
    (CHUNKED, "rr", {"chunks": "count"}, "chunks has no effect without doc_id"),
    (CHUNKED, "rr", {"doc_id": "#"}, "'#' is not a rule"),
]


@for_each("rows, name, how, message", REFUSED)
def test_what_cannot_be_matched(rows, name, how, message):
    with pytest.raises((assay.errors.DataError, assay.errors.MeasureError, assay.errors.PolicyError), match=message):
        assay.evaluate_rag(rows, name, **how)


def test_the_worst_show_gold_as_it_was_given():
    rows = [{"gold": [span(0, 5), span(9, 12)], "retrieved": [span(3, 8)]}]
    assert "gold       g[0:5], g[9:12]\n  retrieved  ✓ g[3:8]" in str(assay.evaluate_rag(rows, "rr").worst(1))
    texts = str(assay.evaluate_rag(TEXTS[1:], "rr").worst(1))
    assert "gold       Dogs bark loudly at night.\n" in texts
    assert "✓ Dogs bark loudly at nights." in texts
    # Of the chunks of a document the text of the best one.
    row = {"gold": ["c"], "retrieved": ["a#1", "a#2", "b#1"], "retrieved_texts": ["one", "two", "three"]}
    shown = str(assay.evaluate_rag([row], "rr", doc_id="before:#").worst(1))
    assert [part in shown for part in ("a  one", "b  three", "two")] == [True, True, False]


def test_questions_with_nothing_to_find_among_spans():
    rows = [{"gold": [], "retrieved": [span(0, 5)]}, {"gold": [span(0, 5)], "retrieved": [span(3, 8)]}]
    result = assay.evaluate_rag(rows, "rr")
    assert result.scores["rr"].tolist() == [0, 1]
    assert "1 query has no relevant documents; scored 0: '0'" in map(str, result.notes)


@for_each("gold", [[span(0, 5)], span(0, 5), [{"text": "The cat sat."}]])
def test_answers_are_scored_if_nothing_was_retrieved(gold):
    result = assay.evaluate_rag([{"gold": gold, "answer": "a", "references": ["a"]}], ["rr", "answer_em"])
    assert result.mean == {"answer_em": 1}
    assert [str(note) for note in result.notes] == ["rr: left out; the records have no retrieved documents"]


def test_a_result_can_be_pickled_whatever_the_passages_are():
    class Local:
        id = "c"
        text = "one"

    for row in ({"gold": ["c"], "retrieved": [Local()]}, {"gold_texts": ["one"], "retrieved": [Local()]}):
        result = assay.evaluate_rag([row], "rr")
        assert pickle.loads(pickle.dumps(result))["rr"] == 1  # noqa: S301 - its own bytes


def test_a_rule_for_ids():
    result = assay.evaluate_rag(CHUNKED, "rr", doc_id="before:#")
    assert result.scores["rr"].tolist() == [0.5, 1]
    left_out = "1 chunk of a document that is ranked higher left out"
    kept = "the rule before:# does not match 1 of 5 ids; kept as they are: 'other'"
    assert [str(note) for note in result.notes if note.kind == "chunks"] == [left_out, kept]


def test_duplicates_are_as_the_policy_says():
    rows = [{"query_id": "q", "gold": ["b"], "retrieved": ["a", "a", "b"]}]
    result = assay.evaluate_rag(rows, "rr")
    assert result["rr"] == 0.5
    assert "1 duplicate document left out of the rankings of 'q'" in map(str, result.notes)
    for duplicates, expected in (("first", 0.5), ("count", 1 / 3), ("once", 1 / 3)):
        assert score(rows, "rr", duplicates=duplicates) == {"rr": [approx(expected)]}
    with pytest.raises(assay.errors.DuplicateError):
        score(rows, "rr", duplicates="error")


@for_each("chunks, hits, rank", [("best", 1, 1 / 2), ("count", 2, 1 / 3), ("once", 1, 1 / 3)])
def test_chunks_of_a_document_as_the_policy_says(chunks, hits, rank):
    rows = [{"query_id": "q", "gold": ["b"], "retrieved": ["a#1", "a#2", "b#1", "b#2"]}]
    how = {"doc_id": "before:#", "chunks": chunks}
    assert score(rows, "hits", "rr", **how) == {"hits": [hits], "rr": [approx(rank)]}
    plain = assay.evaluate({"q": ["b"]}, {"q": rows[0]["retrieved"]}, ["hits", "rr"], **how)
    assert list(plain.mean.values()) == [hits, approx(rank)]
    assert "doc_id" in str(assay.evaluate_rag(rows, "rr", **how).signature)
