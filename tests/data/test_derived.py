"""Judgments and runs made by matching texts or spans."""

import re

import polars
import pytest
from hypothesis import given
from hypothesis import strategies as st

import assay
from assay.data.chunks.spans import Overlap, Span, read_span
from retrieved import LangChainDocument, LlamaIndexNode, NodeWithScore
from tables import for_each


def test_each_reference_is_a_group():
    qrels, run = assay.match_texts({"q1": ["abcd", "x"], "q2": []}, {"q1": ["abce", "y"], "q2": ["z"]})
    assert qrels.groups("q1") == {
        "0": {"reference-0": 1, "retrieved-0": 0.75, "retrieved-1": 0},
        "1": {"reference-1": 1, "retrieved-0": 0, "retrieved-1": 0},
    }
    assert qrels["q1"]["retrieved-0"] == 0.75
    assert qrels["q2"] == {"reference-none": 0}
    assert run.to_dict() == {"q1": ["retrieved-0", "retrieved-1"], "q2": ["retrieved-0"]}


def test_lists_pair_up():
    qrels, run = assay.match_texts([["a"], ["b"]], [["a"], []])
    assert (qrels.queries, run.queries) == (["0", "1"], ["0", "1"])


# 1 less the normalised distance, by hand.
ALIKE = [
    ("levenshtein", "kitten", "sitting", 1 - 3 / 7),
    ("hamming", "karolin", "kathrin", 1 - 3 / 7),
    ("hamming", "ab", "abcd", 1 / 2),
    ("jaro", "martha", "marhta", (1 + 1 + 5 / 6) / 3),
    ("jaro_winkler", "martha", "marhta", 17 / 18 + 3 / 10 * (1 - 17 / 18)),
    ("levenshtein", "", "", 1),
    ("levenshtein", "", "a", 0),
]


@for_each(("distance", "one", "other", "expected"), ALIKE)
def test_likeness(distance, one, other, expected):
    qrels, _ = assay.match_texts({"q": [one]}, {"q": [other]}, distance=distance)
    assert qrels["q"]["retrieved-0"] == pytest.approx(expected, rel=1e-14, abs=1e-15)


BAD = [
    ("abc", {"q": []}, "the references must be a dict or a list of lists of texts, not 'abc'"),
    ({"q": []}, 5, "the retrieved texts must be a dict or a list of lists of texts, not '5'"),
    ({}, {"q": []}, "no references"),
    ({"q": "abc"}, {"q": []}, "the references of query 'q' must be a list of texts, not 'abc'"),
    ({"q": ["a"]}, {"q": ["a", None]}, "the retrieved texts of query 'q' must be a list of texts, not '['a', None]'"),
    ({"q": None}, {"q": []}, "the references of query 'q' must be a list of texts, not 'None'"),
    ({1.5: []}, {"q": []}, "the references: an id must be a string or an integer, not '1.5'"),
    ([["a"]], [["a"], ["b"]], "1 list of references but 2 of retrieved texts; lists must have the same length"),
]


@for_each(("references", "retrieved", "message"), BAD)
def test_bad_texts(references, retrieved, message):
    with pytest.raises(assay.errors.DataError, match=f"^{re.escape(message)}$"):
        assay.match_texts(references, retrieved)


# References, retrieved texts, threshold, and per retrieved text its grade; None if it matches nothing.
MATCHES = {
    "case, blanks and width do not count": (["The  Cat\nsat."], ["the cat sat．"], 1, [1]),
    "a threshold of 1 is only for equal texts": (["abcdefghij"], ["abcdefghix"], 1, [None]),
    "as similar as the threshold": (["abcdefghij"], ["abcdefghix"], 0.9, [1]),
    "less similar": (["abcdefghij"], ["abcdefghxx"], 0.9, [None]),
    "a later text finds nothing more": (["abcdefghij"], ["abcdefghix", "abcdefghij"], 0.9, [None, 1]),
    "similar texts, the second finds nothing more": (["abcdefghij"], ["abcdefghix", "abcdefghxj"], 0.9, [1, 0]),
    "equal to one, not also similar to another": (["abcdefghij", "abcdefghix"], ["abcdefghij"], 0.9, [1]),
    "the most similar one": (["abcdefghij", "abcdefghxx"], ["abcdefghxy"], 0.8, [1]),
    "blank texts match nothing": (["", " "], ["", "x"], 0.5, [None, None]),
}


@for_each("case", MATCHES)
def test_texts_that_match(case):
    references, retrieved, threshold, expected = MATCHES[case]
    qrels, run = assay.match_texts({"q": references}, {"q": retrieved}, threshold=threshold)
    grades = qrels["q"]
    assert [grades.get(each) for each in run["q"]] == expected


def test_what_matches_nothing_stays_to_be_found():
    matched = assay.match_texts({"q": ["one", "two"]}, {"q": ["one", "x"]}, threshold=0.9)
    assert matched.qrels.groups("q") == {"0": {"retrieved-0": 1}, "1": {"reference-1": 1}}
    assert assay.evaluate(*matched, ["group_recall", "recall"]).mean == {"group_recall": 0.5, "recall": 0.5}


DISTANCE = "distance must be 'levenshtein' or 'hamming' or 'jaro' or 'jaro_winkler', not 'cosine'"
OF = "overlap_of must be 'gold' or 'chunk' or 'iou', not 'both'"
SHARE = "above 0 and at most 1, not"
BAD_HOW = [
    (assay.match_texts, {"distance": "cosine"}, DISTANCE),
    *((assay.match_texts, {"threshold": n}, f"threshold must be a number {SHARE}") for n in (0, -1, 1.5, "high", True)),
    *((assay.match_spans, {"overlap": n}, f"overlap must be 'any' or a number {SHARE}") for n in (0, "most", 50)),
    (assay.match_spans, {"overlap": 0.5, "overlap_of": "both"}, OF),
]


@for_each(("match", "how", "message"), BAD_HOW)
def test_bad_ways_to_match(match, how, message):
    with pytest.raises(assay.errors.PolicyError, match=f"^{re.escape(message)}"):
        match([[]], [[]], **how)


GOLD = Span("d", 10, 20)
# A chunk, and its share of the gold span, of itself, and of both together.
SHARES = [
    *((Span("d", 10, 20), 1, 1, 1), (Span("d", 0, 30), 1, 10 / 30, 10 / 30), (Span("d", 12, 14), 0.2, 1, 0.2)),
    *((Span("d", 15, 25), 0.5, 0.5, 5 / 15), (Span("d", 19, 29), 0.1, 0.1, 1 / 19)),
    *((span, 0, 0, 0) for span in (Span("d", 20, 30), Span("d", 0, 10), Span("e", 10, 20))),
]


@for_each(("chunk", "of_gold", "of_chunk", "of_both"), SHARES)
def test_shares(chunk, of_gold, of_chunk, of_both):
    for of, share in (("gold", of_gold), ("chunk", of_chunk), ("iou", of_both)):
        assert Overlap(None, of).holds(GOLD, chunk) == (share > 0)
        for least in (0.1, 0.2, 1 / 3, 0.5, 1.0):
            assert Overlap(least, of).holds(GOLD, chunk) == (share >= least)


parts = st.tuples(st.sampled_from("de"), st.integers(0, 12), st.integers(1, 6))
spans = parts.map(lambda each: Span(each[0], each[1], each[1] + each[2]))


@given(gold=spans, chunk=spans, least=st.sampled_from([0.25, 0.5, 1.0]), of=st.sampled_from(["gold", "chunk", "iou"]))
def test_a_share_is_one_of_characters(gold, chunk, least, of):
    one, other = ({(each.document, at) for at in range(each.start, each.end)} for each in (gold, chunk))
    whole = {"gold": one, "chunk": other, "iou": one | other}[of]
    assert Overlap(least, of).holds(gold, chunk) == (len(one & other) >= least * len(whole))
    assert Overlap().holds(gold, chunk) == bool(one & other)


ONCE = [("d", 0, 10), ("e", 0, 10)], [("d", 0, 5), ("d", 5, 10), ("d", 9, 12)]
SEVERAL = [("d", 0, 5), ("d", 8, 10), ("e", 0, 10)], [("d", 0, 10), ("x", 0, 10)]
LATER = [("d", 0, 5), ("d", 8, 12)], [("d", 0, 5), ("d", 4, 12)]
SMALL, LARGE = ([("d", at, at + size) for at in range(0, 400, size)] for size in (50, 200))
# Gold spans and chunks, and what they score.
SCORES = {
    "a gold span counts once": (*ONCE, {"group_recall": 1 / 2, "precision": 1 / 3, "precision(rel=0)": 1, "rr": 1}),
    "a chunk may hit several": (*SEVERAL, {"group_recall": 2 / 3, "group_recall@1": 2 / 3, "precision": 1 / 2}),
    "the first hides nothing": (*LATER, {"group_recall@1": 0.5, "group_recall": 1, "precision": 1}),
    "small chunks": ([("d", 100, 140)], SMALL, {"group_recall": 1, "rr": 1 / 3}),
    "large chunks": ([("d", 100, 140)], LARGE, {"group_recall": 1, "rr": 1}),
}


@for_each("case", SCORES)
def test_chunks_that_hit_gold_spans(case):
    gold, chunks, expected = SCORES[case]
    matched = assay.match_spans({"q": gold}, {"q": chunks})
    assert assay.evaluate(*matched, list(expected)).mean == pytest.approx(expected)


def test_a_query_that_nothing_was_retrieved_for():
    result = assay.evaluate(*assay.match_spans({"q": [("d", 0, 1)], "p": []}, {"q": [], "p": []}), ["group_recall"])
    assert result.scores["group_recall"].tolist() == [0, 0]


FORMS = [
    ("d", 3, 7),
    ["d", 3, 7],
    {"document": "d", "start": 3, "end": 7},
    {"document": "d", "start": 3.0, "end": 7.0},
    {"doc_id": "d", "start_char": 3, "end_char": 7},
    {"page_content": "four", "metadata": {"source": "d", "start_index": 3}},
    {"content": "four", "meta": {"source_id": "d", "split_idx_start": 3}},
    LangChainDocument("four", {"source": "d", "start_index": 3}),
    LlamaIndexNode("n", "four", 3, 7, "d"),
    NodeWithScore(LlamaIndexNode("n", "four", 3, 7, "d"), 0.5),
]


@for_each("form", FORMS)
def test_every_form_of_a_span(form):
    assert read_span(form, "here") == Span("d", 3, 7)


def test_own_paths():
    item = {"meta": {"file": "d", "from": 3, "to": 7}, "start": "10 o'clock"}
    paths = {"document": "meta.file", "start": "meta.from", "end": "meta.to"}
    assert read_span(item, "here", paths) == Span("d", 3, 7)


def test_ids_of_chunks():
    chunks = [{"id": "c1", "document": "d", "start": 0, "end": 5}, {"id": "c2", "document": "d", "start": 5, "end": 9}]
    assert assay.match_spans({"q": [("d", 0, 3)]}, {"q": chunks}).run["q"] == ["c1", "c2"]
    assert assay.match_spans({"q": [("d", 0, 3)]}, {"q": [("d", 0, 5)] * 2}).run["q"] == ["d[0:5]", "d[0:5] (1)"]


PLACES = [
    {"id": "c1", "document": "d", "start": 0, "end": 5, "text": "[x]"},
    {"id": "c2", "document": "d", "start": 5, "end": 9, "text": "{"},
]
TABLES = {
    "list": PLACES,
    "dict": {each["id"]: (each["document"], each["start"], each["end"]) for each in PLACES},
    "frame": polars.DataFrame(PLACES),
}
FILES = {kind: getattr(polars.DataFrame, f"write_{kind}") for kind in ("ndjson", "csv", "parquet")}


@for_each("form", [*TABLES, *FILES])
def test_a_run_of_ids_with_a_table_of_chunks(form, tmp_path):
    chunks = TABLES.get(form, tmp_path / f"chunks.{form}")
    if form in FILES:
        FILES[form](TABLES["frame"], chunks)
    (tmp_path / "a.run").write_text("q Q0 c1 1 0.2 x\nq Q0 c2 2 0.9 x\n")
    gold = {"q": [("d", 0, 4), ("d", 3, 8)]}
    matched = assay.match_spans(gold, tmp_path / "a.run", chunks=chunks)
    assert matched.run["q"] == [("c1", 0.2), ("c2", 0.9)]
    assert matched.qrels.groups("q") == {"1": {"c2": 1}, "0": {"c1": 1}}
    assert list(assay.evaluate(*matched, ["group_recall@1", "group_recall"]).mean.values()) == [0.5, 1]


BAD_TABLES = [
    ([*PLACES[:1]], "1 retrieved id not in the table of chunks: 'c2'; the run and the table must be of the same"),
    ([*PLACES, PLACES[0]], "the chunks, record 2: duplicate chunk id 'c1'"),
    ([{"document": "d", "start": 0, "end": 5}], "the chunks, record 0: a chunk has no id under id, chunk_id, node_id"),
    ({"c1": ("d", 3, 3)}, "chunk 'c1': '('d', 3, 3)': the span is empty"),
    ({"c1": "its text"}, "chunk 'c1': 'its text' has no document and no start and no end"),
]


@for_each(("chunks", "message"), BAD_TABLES)
def test_bad_tables_of_chunks(chunks, message):
    with pytest.raises(assay.errors.DataError, match=f"^{re.escape(message)}"):
        assay.match_spans({"q": [("d", 0, 4)]}, {"q": ["c1", "c2"]}, chunks=chunks)


BAD_SPANS = [
    (("d", 5, 5), "the span is empty; end is the position after the last character"),
    (("d", 6, 5), "the span ends before it starts"),
    *((("d", start, 9), "start must be a whole number from 0, not") for start in (-1, "1" * 5000)),
    *((("d", 0, end), "end must be a whole number from 0, not") for end in (1.5, True, 10**400, float("inf"))),
    (("d", 0), "a span is a document, a start and an end"),
    (("", 0, 1), "the document of a span must be a string or an integer, not ''"),
    ({"start": 0, "end": 4}, "has no document; a span has document, start and end"),
    ({"document": "d", "start": 0}, "has no end"),
    ("d1", "has no document and no start and no end"),
]


@for_each(("span", "message"), BAD_SPANS)
def test_bad_spans(span, message):
    said = f"^the gold spans of query 'q', number 0: .*{re.escape(message)}"
    with pytest.raises(assay.errors.DataError, match=said):
        assay.match_spans({"q": [list(span) if isinstance(span, tuple) else span]}, {"q": []})
