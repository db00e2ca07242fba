"""Gold without ids: texts and spans in records, what hits them, what counts once, and what is said about bad ones."""

import json
import pickle
from io import BytesIO

import numpy as np
import polars
import pytest

import assay

TEXTS = [
    {
        "user_input": "a?",
        "retrieved_contexts": ["The cat sat.", "Dogs bark loudly at night."],
        "reference_contexts": ["the  cat sat.", "It rained."],
    },
    {
        "user_input": "b?",
        "retrieved_contexts": ["unrelated", "Dogs bark loudly at nights."],
        "reference_contexts": ["Dogs bark loudly at night."],
    },
]


def span(start, end, document="g", **more):
    return {"document": document, "start": start, "end": end, **more}


def score(rows, *names, **how):
    result = assay.evaluate_rag(rows, names, **how)
    return {name: result.scores[name].tolist() for name in result}


def said(result):
    return [str(note) for note in result.notes if note.kind == "matched"]


class TestTexts:
    def test_texts_are_matched_by_default(self):
        result = assay.evaluate_rag(TEXTS)
        assert {name: values.tolist() for name, values in result.scores.items()} == {
            "recall": [0.5, 1],
            "ndcg": [pytest.approx(0.6131, abs=1e-4), pytest.approx(0.6309, abs=1e-4)],
            "rr": [1, 0.5],
        }
        assert said(result) == [
            "3 gold texts matched by text: 1 exactly, 1 by a similarity of at least 0.9, 1 by no retrieved text"
        ]

    def test_the_threshold_can_be_changed(self):
        assert score(TEXTS, "recall", match=0.99) == {"recall": [0.5, 0]}
        result = assay.evaluate_rag(TEXTS, "recall", match="exact")
        assert result.scores["recall"].tolist() == [0.5, 0]
        assert said(result) == ["3 gold texts matched by text: 1 exactly, 2 by no retrieved text"]

    def test_or_turned_off(self):
        with pytest.raises(
            assay.errors.DataError, match="the records have no gold documents and no retrieved documents"
        ):
            assay.evaluate_rag(TEXTS, "recall", match="off")

    def test_the_judgments_are_those_of_match_texts(self):
        lists = [[row[name] for row in TEXTS] for name in ("reference_contexts", "retrieved_contexts")]
        alone = assay.evaluate(*assay.match_texts(*lists, threshold=0.9), ["group_recall", "ndcg", "rr", "precision"])
        assert score(TEXTS, "recall", "ndcg", "rr", "precision") == {
            name.removeprefix("group_"): values.tolist() for name, values in alone.scores.items()
        }

    def test_answers_join_with_what_was_matched(self):
        rows = [{**row, "response": "x", "reference": "x"} for row in TEXTS]
        result = assay.evaluate_rag(rows, "answer_f1", match="exact")
        assert (result.found.tolist(), result.has_gold.tolist()) == ([True, False], [True, True])

    def test_ids_count_where_there_are_some(self):
        row = {"gold": ["d1"], "retrieved": ["d1"], "gold_texts": ["x"], "retrieved_texts": ["y"]}
        result = assay.evaluate_rag([row], "recall")
        assert (result["recall"], said(result)) == (1, [])

    @pytest.mark.parametrize("missing", ["gold", "retrieved"])
    def test_ids_on_one_side_only(self, missing):
        row = {"gold": ["d1"], "retrieved": ["d2"], "gold_texts": ["x"], "retrieved_texts": ["x"]}
        assert score([{name: value for name, value in row.items() if name != missing}], "recall") == {"recall": [1]}

    def test_passages_without_ids(self):
        row = {"gold_texts": ["one"], "retrieved": [{"page_content": "two"}, {"page_content": "One"}]}
        assert score([row], "rr") == {"rr": [0.5]}

    def test_records_with_ids_beside_records_with_texts(self):
        rows = [{"query_id": "t", "gold_texts": ["one"], "retrieved_texts": ["one"]}]
        rows += [{"query_id": "i", "gold": {"d1": 1, "d2": 1}, "retrieved": ["d1"]}, {"query_id": "e", "gold": []}]
        assert score(rows, "recall") == {"recall": [1, 0.5, 0]}

    def test_gold_objects_with_texts(self):
        row = {"gold": [{"text": "one"}, {"text": "two"}], "retrieved": [{"id": "c", "text": "ONE"}]}
        assert score([row], "recall", "precision") == {"recall": [0.5], "precision": [1]}

    def test_alternatives(self):
        row = {"gold_texts": [["one", "two"], ["three"]], "retrieved_texts": ["two"]}
        result = assay.evaluate_rag([row], "recall")
        assert (result["recall"], result.found.tolist()) == (0.5, [False])

    def test_a_question_that_nothing_was_retrieved_for(self):
        result = assay.evaluate_rag([*TEXTS, {"user_input": "c?", "reference_contexts": ["x"]}], "recall")
        assert result.scores["recall"].tolist() == [0.5, 1, 0]
        assert "missing" in [note.kind for note in result.notes]

    def test_texts_as_ragas_compares_them(self):
        lists = [[row[name] for row in TEXTS] for name in ("reference_contexts", "retrieved_contexts")]
        names = ["NonLLMContextRecall", "NonLLMContextPrecisionWithReference", "NonLLMContextRecall(threshold=0.99)"]
        alone = assay.evaluate(*assay.match_texts(*lists), names, convention="ragas")
        result = assay.evaluate_rag(TEXTS, names, convention="ragas")
        assert result.mean == alone.mean
        assert said(result) == ["3 gold texts compared with the retrieved texts; the similarity is the grade"]
        with pytest.raises(
            assay.errors.MeasureError, match="takes similarities as grades; compute it alone, with convention="
        ):
            assay.evaluate_rag(TEXTS, ["ragas:NonLLMContextRecall"])

    @pytest.mark.parametrize("match", [0, 2, "fuzzy", None, True])
    def test_a_bad_threshold(self, match):
        with pytest.raises(
            assay.errors.PolicyError, match="match must be 'exact', 'off', or a similarity above 0 and at"
        ):
            assay.evaluate_rag(TEXTS, "recall", match=match)


class TestSpans:
    GOLD = (span(100, 180), span(300, 310))

    def test_a_chunk_that_overlaps_hits(self):
        rows = [{"gold": list(self.GOLD), "retrieved": [span(0, 150), span(150, 300), span(300, 400)]}]
        assert score(rows, "recall", "recall@1", "rr", "precision", "precision(rel=0)", "f1") == {
            "recall": [1],
            "recall@1": [0.5],
            "rr": [1],
            "precision": [pytest.approx(2 / 3)],
            "precision(rel=0)": [1],
            "f1": [pytest.approx(0.8)],
        }

    def test_one_chunk_with_several_gold_spans(self):
        result = assay.evaluate_rag(
            [{"gold": [*self.GOLD, span(0, 5, "h")], "retrieved": [span(0, 400), span(400, 800)]}],
            ["recall", "recall@1", "f1@1"],
        )
        assert list(result.mean.values()) == [pytest.approx(2 / 3), pytest.approx(2 / 3), pytest.approx(0.8)]
        assert said(result) == ["3 gold spans matched by position: 2 hit by a chunk (any overlap), 1 not"]

    def test_shares(self):
        rows = [{"gold": [span(100, 180)], "retrieved": [span(0, 150)]}]
        for how, expected in [
            ({"overlap": 0.625}, 1),
            ({"overlap": 0.63}, 0),
            ({"overlap": 1 / 3, "overlap_of": "chunk"}, 1),
            ({"overlap": 0.34, "overlap_of": "chunk"}, 0),
            ({"overlap": 50 / 180, "overlap_of": "iou"}, 1),
            ({"overlap": 0.28, "overlap_of": "iou"}, 0),
        ]:
            assert score(rows, "recall", **how) == {"recall": [expected]}, how

    def test_a_single_span_needs_no_list(self):
        assert score([{"gold": span(0, 5), "retrieved": [span(4, 9)]}], "recall") == {"recall": [1]}

    def test_grades(self):
        row = {"gold": [span(0, 5, grade=2), span(10, 15)], "retrieved": [span(12, 20)]}
        assert score([row], "recall") == {"recall": [0.5]}
        assert score([row], "recall", rel=2) == {"recall": [0]}

    def test_alternatives(self):
        gold = [[span(0, 5), span(50, 55)], [span(90, 95), "c9"]]
        rows = [
            {"query_id": "both", "gold": gold, "retrieved": [span(52, 60, id="c1"), span(0, 9, id="c9")]},
            {"query_id": "one", "gold": gold, "retrieved": [span(0, 60, id="c1")]},
        ]
        result = assay.evaluate_rag(rows, ["recall", "ndcg"])
        assert result.scores["recall"].tolist() == [1, 0.5]
        assert result.scores["ndcg"].tolist() == [1, pytest.approx(1 / (1 + 1 / 1.584962500721156))]
        assert result.found.tolist() == [True, False]

    def test_groups_of_ids_beside_spans(self):
        rows = [
            {"query_id": "s", "gold": [span(0, 5)], "retrieved": [span(0, 5)]},
            {"query_id": "g", "gold": [["d1", "d2"], ["d3"]], "retrieved": ["d2"]},
        ]
        result = assay.evaluate_rag(rows, ["recall", "group_recall"])
        assert result.scores["group_recall"].tolist() == [1, 0.5]
        assert result.found.tolist() == [True, False]

    def test_fields_of_other_libraries(self):
        chunks = [
            {"page_content": "x" * 50, "metadata": {"source": "g", "start_index": 80}},
            {"node": {"id_": "n", "start_char_idx": 300, "end_char_idx": 310, "ref_doc_id": "g"}, "score": 0.5},
        ]
        assert score([{"gold": list(self.GOLD), "retrieved": chunks}], "recall") == {"recall": [1]}

    def test_own_fields(self):
        chunk = {"id": "c", "meta": {"file": "g", "from": 100, "to": 120}}
        paths = {"document": "meta.file", "start": "meta.from", "end": "meta.to"}
        row = {"gold": list(self.GOLD), "found": [chunk]}
        assert score([row], "recall", columns={"retrieved": "found", **paths}) == {"recall": [0.5]}

    def test_chunks_that_share_an_id_are_different_chunks(self):
        chunks = [{"doc_id": "g", "start": 100, "end": 120}, {"doc_id": "g", "start": 300, "end": 400}]
        assert score([{"gold": list(self.GOLD), "retrieved": chunks}], "recall@1", "recall@2") == {
            "recall@1": [0.5],
            "recall@2": [1],
        }

    def test_where_gold_is_ids_spans_do_not_matter(self):
        chunks = [{"id": "d1", "start": "10:30", "end": "10:20"}]
        assert score([{"gold": ["d1"], "retrieved": chunks}], "recall") == {"recall": [1]}

    def test_nothing_retrieved(self):
        rows = [{"query_id": name, "gold": [span(0, 5)]} for name in "ab"]
        rows[0]["retrieved"] = [span(0, 1)]
        assert score(rows, "recall") == {"recall": [1, 0]}

    @pytest.mark.parametrize("name", ["r.jsonl", "r.parquet", "r.csv"])
    def test_files(self, name, tmp_path):
        row = {"query_id": "q", "gold": list(self.GOLD), "retrieved": [span(0, 150)]}
        text = {key: value if key == "query_id" else json.dumps(value) for key, value in row.items()}
        if name == "r.jsonl":
            (tmp_path / name).write_text(json.dumps(row) + "\n")
        elif name == "r.csv":
            polars.DataFrame([text]).write_csv(tmp_path / name)
        else:
            polars.DataFrame([row]).write_parquet(tmp_path / name)
        assert score(tmp_path / name, "recall") == {"recall": [0.5]}

    def test_in_outputs(self):
        outputs = [{"query_id": "q", "retrieved": [span(0, 150)]}]
        result = assay.evaluate_rag([{"query_id": "q", "gold": list(self.GOLD)}], "recall", outputs=outputs)
        assert result["recall"] == 0.5

    @pytest.mark.parametrize("texts", [{"text": "x"}, {}])
    def test_a_run_of_chunks_with_their_spans_in_the_corpus(self, texts, tmp_path):
        (tmp_path / "c.jsonl").write_text(
            "\n".join(json.dumps(span(at, at + 100, id=f"c{at}", **texts)) for at in (0, 100, 300))
        )
        (tmp_path / "a.run").write_text("q Q0 c0 1 0.1 x\nq Q0 c300 2 0.9 x\nq Q0 c100 3 0.5 x\n")
        rows = [{"query_id": "q", "gold": list(self.GOLD)}]
        how = {"outputs": tmp_path / "a.run", "corpus": tmp_path / "c.jsonl"}
        assert score(rows, "recall@1", "recall@2", "precision", **how) == {
            "recall@1": [0.5],
            "recall@2": [1],
            "precision": [pytest.approx(2 / 3)],
        }
        with pytest.raises(
            assay.errors.DataError, match=r"a retrieved passage has none: 'c.*of all chunks by id \(corpus\)"
        ):
            score(rows, "recall", outputs=tmp_path / "a.run")
        with pytest.raises(
            assay.errors.DataError, match="the retrieved chunk 'c9' is not in the table of chunks; the run and"
        ):
            score(rows, "recall", outputs={"q": ["c0", "c9"]}, corpus=tmp_path / "c.jsonl")

    def test_the_table_of_chunks_is_read_once_and_has_its_own_ids(self):
        table = [
            {"chunk_id": f"c{at}", "doc_id": "g", "start": at, "end": at + 100, "text": f"at {at}"} for at in (0, 100)
        ]
        stream = BytesIO("".join(json.dumps(each) + "\n" for each in table).encode())
        rows = [{"query_id": "q", "gold": list(self.GOLD)}]
        result = assay.evaluate_rag(rows, "recall", outputs={"q": ["c0", "c100"]}, corpus=stream)
        assert result.records[0].retrieved_texts == ("at 0", "at 100")
        assert "c0    at 0" in str(result.worst(1))


CHUNK = span(0, 9)
BAD = [
    ([span(5, 5)], [CHUNK], "gold, number 0: '{'document': 'g', 'start': 5, 'end': 5}': the span is empty"),
    ([CHUNK, span(6, 5)], [CHUNK], "gold, number 1"),
    ([{"start": 0, "end": 5}], [CHUNK], "has no document; a span has document, start and end"),
    ([CHUNK], [span(9, 3)], "retrieved, number 0: '{'document': 'g', 'start': 9, 'end': 3}': the span ends before it"),
    (
        [CHUNK],
        ["c1"],
        "the gold is a span, but a retrieved passage has none: 'c1'; a passage needs document, start and",
    ),
    ([CHUNK], [CHUNK, {"id": "c"}], "the gold is a span, but a retrieved passage has none: '{'id': 'c'}'"),
    ([CHUNK, "d1"], [CHUNK], "a retrieved passage has no id under id, doc_id, _id or similar"),
    ([{"text": "x"}], ["c1"], "the gold is a text, but a retrieved passage has no text"),
    ([{"page": 3}], ["c1"], "gold, number 0 has no id, no span (document, start, end) and no text: '{'page': 3}'"),
    ([[CHUNK], []], [CHUNK], "gold, number 1: an empty group; remove it"),
    ([CHUNK, None], [CHUNK], "gold, number 1: the id of a document must be a string or an integer, not 'None'"),
    ([CHUNK, 1.5], [CHUNK], "gold, number 1: the id of a document must be a string or an integer, not '1.5'"),
    (["d1"], [{"text": "x"}], "a retrieved passage has no id under id, doc_id, _id or similar: '{'text': 'x'}'; say"),
]


@pytest.mark.parametrize(("gold", "retrieved", "message"), BAD)
def test_bad_gold_is_named(gold, retrieved, message):
    rows = [
        {"query_id": "p", "gold": ["d"], "retrieved": ["d"]},
        {"query_id": "q", "gold": gold, "retrieved": retrieved},
    ]
    with pytest.raises(assay.errors.DataError) as caught:
        assay.evaluate_rag(rows, "recall")
    assert str(caught.value).startswith("the records, record 1 ('q')")
    assert message in str(caught.value)


def test_the_worst_show_gold_as_it_was_given():
    rows = [{"gold": [span(0, 5), span(9, 12)], "retrieved": [span(3, 8)]}]
    assert "gold       g[0:5], g[9:12]\n  retrieved  ✓ g[3:8]" in str(assay.evaluate_rag(rows, "rr").worst(1))
    texts = str(assay.evaluate_rag(TEXTS[1:], "rr").worst(1))
    assert "gold       Dogs bark loudly at night.\n" in texts
    assert "✓ Dogs bark loudly at nights." in texts


def test_questions_with_nothing_to_find_among_spans():
    rows = [{"gold": [], "retrieved": [span(0, 5)]}, {"gold": [span(0, 5)], "retrieved": [span(3, 8)]}]
    result = assay.evaluate_rag(rows, "rr")
    assert result.scores["rr"].tolist() == [0, 1]
    assert "1 query has no relevant documents; scored 0: '0'" in map(str, result.notes)
    assert score(rows[:1], "rr") == {"rr": [0]}


@pytest.mark.parametrize("gold", [[span(0, 5)], span(0, 5), [{"text": "The cat sat."}]])
def test_answers_are_scored_if_nothing_was_retrieved(gold):
    rows = [{"gold": gold, "answer": "a", "references": ["a"]}]
    result = assay.evaluate_rag(rows, ["rr", "answer_em"])
    assert result.mean == {"answer_em": 1}
    assert [str(note) for note in result.notes] == ["rr: left out; the records have no retrieved documents"]


def test_the_numbers_of_numpy_are_shares():
    rows = [{"gold": [span(0, 10)], "retrieved": [span(6, 20)]}]
    assert score(rows, "rr", overlap=np.float32(0.25), match=np.float32(0.5)) == {"rr": [1]}


def test_a_result_can_be_pickled_whatever_the_passages_are():
    class Local:
        id = "c"
        text = "one"

    for row in ({"gold": ["c"], "retrieved": [Local()]}, {"gold_texts": ["one"], "retrieved": [Local()]}):
        result = assay.evaluate_rag([row], "rr")
        assert pickle.loads(pickle.dumps(result))["rr"] == 1  # noqa: S301 - its own bytes


class TestDocuments:
    ROWS = (
        {"query_id": "a", "gold": ["d1"], "retrieved": ["d2#1", "d2#2", "d1#7"]},
        {"query_id": "b", "gold": ["d3"], "retrieved": ["d3#1", "other"]},
    )

    def test_a_rule_for_ids(self):
        result = assay.evaluate_rag(self.ROWS, "rr", doc_id="before:#")
        assert result.scores["rr"].tolist() == [0.5, 1]
        assert [str(note) for note in result.notes if note.kind == "chunks"] == [
            "1 chunk of a document that is ranked higher left out",
            "the rule before:# does not match 1 of 5 ids; kept as they are: 'other'",
        ]

    def test_the_worst_show_the_text_of_the_best_chunk(self):
        row = {"gold": ["c"], "retrieved": ["a#1", "a#2", "b#1"], "retrieved_texts": ["one", "two", "three"]}
        shown = str(assay.evaluate_rag([row], "rr", doc_id="before:#").worst(1))
        assert "a  one" in shown
        assert "b  three" in shown
        assert "two" not in shown

    def test_a_function(self):
        assert score(self.ROWS, "rr", doc_id=lambda chunk: chunk[:2]) == {"rr": [0.5, 1]}

    def test_a_field(self):
        chunks = [{"id": str(n), "metadata": {"source": name}} for n, name in enumerate(["d2", "d2", "d1"])]
        assert score([{"gold": ["d1"], "retrieved": chunks}], "rr", doc_id="metadata.source") == {"rr": [0.5]}

    def test_duplicates_are_left_out_with_a_note(self):
        result = assay.evaluate_rag([{"query_id": "q", "gold": ["b"], "retrieved": ["a", "a", "b"]}], "rr")
        assert result["rr"] == 0.5
        assert "1 duplicate document left out of the rankings of 'q'" in map(str, result.notes)

    @pytest.mark.parametrize(("duplicates", "expected"), [("first", 0.5), ("count", 1 / 3), ("once", 1 / 3)])
    def test_or_as_the_policy_says(self, duplicates, expected):
        rows = [{"query_id": "q", "gold": ["b"], "retrieved": ["a", "a", "b"]}]
        assert score(rows, "rr", duplicates=duplicates) == {"rr": [pytest.approx(expected)]}
        with pytest.raises(assay.errors.DuplicateError):
            score(rows, "rr", duplicates="error")

    @pytest.mark.parametrize(("chunks", "hits", "rank"), [("best", 1, 1 / 2), ("count", 2, 1 / 3), ("once", 1, 1 / 3)])
    def test_chunks_of_a_document_as_the_policy_says(self, chunks, hits, rank):
        rows = [{"query_id": "q", "gold": ["b"], "retrieved": ["a#1", "a#2", "b#1", "b#2"]}]
        expected = {"hits": [hits], "rr": [pytest.approx(rank)]}
        assert score(rows, "hits", "rr", doc_id="before:#", chunks=chunks) == expected
        run = {row["query_id"]: row["retrieved"] for row in rows}
        plain = assay.evaluate({"q": ["b"]}, run, ["hits", "rr"], doc_id="before:#", chunks=chunks)
        assert list(plain.mean.values()) == [hits, pytest.approx(rank)]
        assert "doc_id" in str(assay.evaluate_rag(rows, "rr", doc_id="before:#", chunks=chunks).signature)

    def test_chunks_without_a_rule(self):
        with pytest.raises(assay.errors.PolicyError, match="chunks has no effect without doc_id"):
            score(self.ROWS, "rr", chunks="count")

    def test_a_rule_that_is_none(self):
        with pytest.raises(assay.errors.PolicyError, match="'#' is not a rule"):
            score(self.ROWS, "rr", doc_id="#")
