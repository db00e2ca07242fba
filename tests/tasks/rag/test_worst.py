"""The worst questions: what of them is shown, and how."""

import json
import pickle

import assay
from assay.tasks.rag.worst import describe_verdicts
from tables import for_each

FAR = {"query_id": "far", "question": "Where?", "gold": ["d3"], "answer": "no", "references": ["there"]}
NEAR = {"query_id": "near", "gold": {"d1": 1, "d2": 0, "d4": 2}, "answer": "there", "references": ["there"]}
ROWS = [
    FAR | {"retrieved": ["d1", "d2"], "retrieved_texts": ["\n  A title \nand the text", "x" * 200]},
    NEAR | {"retrieved": ["d2", "d1", "d5"], "retrieved_texts": ["two", "one", "five"]},
]


def test_texts_of_what_was_retrieved_with_marks():
    shown = """\
far  answer_f1 0.0000  gold passage: not retrieved
  question   Where?
  answer     no
  reference  there
  gold       d3
  retrieved  d1  A title
             d2  xxxxxxxxxxxxxxxxxxx…

near  answer_f1 1.0000  gold passage: retrieved
  question   (none)
  answer     there
  reference  there
  gold       d1  one
             d4
  retrieved    d2  two
             ✓ d1  one
               d5  five"""
    assert str(assay.evaluate_rag(ROWS, ["answer_f1", "recall"]).worst(width=20)) == shown


WITHOUT_TEXTS = [{key: value for key, value in row.items() if key != "retrieved_texts"} for row in ROWS]


def test_fewer_passages_and_only_ids():
    result = assay.evaluate_rag(WITHOUT_TEXTS, "recall")
    assert "  gold       d1, d4\n  retrieved  d2, ✓ d1, d5" in str(result.worst())
    assert "  retrieved  d2, … 2 more passages" in str(result.worst(passages=1))
    nothing = assay.evaluate_rag([{"gold": ["a"], "retrieved": []}], "recall")
    assert str(nothing.worst()).endswith("  gold       a\n  retrieved  (none)")


def test_texts_of_the_corpus():
    corpus = {f"d{n}": f"text {n}" for n in range(1, 6)}
    shown = str(assay.evaluate_rag(WITHOUT_TEXTS, "answer_f1", corpus=corpus).worst(1))
    assert shown.endswith("  gold       d3  text 3\n  retrieved  d1  text 1\n             d2  text 2")


def test_texts_alone():
    row = {"retrieved_contexts": ["one\ntwo", "three"], "reference_contexts": ["three"], "response": "x"}
    shown = str(assay.evaluate_rag([row | {"reference": "c"}], ["answer_f1", "recall"]).worst())
    assert shown.endswith("  gold       three\n  retrieved    one\n             ✓ three")
    answers = str(assay.evaluate_rag([{"answer": "a b", "references": ["c"]}], "answer_f1").worst())
    assert "retrieved" not in answers.replace("gold passage", "")


def test_export():
    view = assay.evaluate_rag(ROWS, ["answer_f1", "recall"]).worst(passages=2)
    frame = view.to_polars()
    assert frame["gold"].to_list() == ["d3", "d1 one; d4"]
    assert frame["retrieved"][1] == "d2 two; ✓ d1 one"
    assert str(pickle.loads(pickle.dumps(view))) == str(view)  # noqa: S301 - our own


def test_nothing_in_a_passage_reaches_the_terminal():
    row = {"gold": ["\x1b]0;x"], "retrieved": ["\x1b]0;x"], "retrieved_texts": ["\x1b[31mred\u202e"]}
    view = assay.evaluate_rag([row], "recall").worst()
    assert not {"\x1b", "\u202e"} & {*str(view)}
    assert "\x1b" not in view.to_html()


RECORDS = [
    {"query_id": "good", "question": "?", "answer": "fine", "retrieved_texts": ["x"], "references": ["fine"]},
    {"query_id": "bad", "question": "?", "answer": "wrong", "retrieved_texts": ["x"], "references": ["fine"]},
]


def judge(messages):
    content = messages[1]["content"]
    if "<statement" not in content:
        return json.dumps({"statements": ["One.", "Two.\nmore"] if "wrong" in content else ["Three."]})
    verdicts = [{"reason": "Stated.", "verdict": True}, {"reason": "It says\nthree.", "verdict": False}]
    return json.dumps({"verdicts": verdicts if "Two." in content else verdicts[:1]})


def test_the_worst_by_a_judged_measure_have_the_verdicts_that_lowered_the_value():
    result = assay.evaluate_rag(RECORDS, ["answer_em", "faithfulness"], judge=assay.Judge(judge, cache=False))
    worst = result.worst(by="faithfulness")
    assert "bad  faithfulness 0.5000" in str(worst)
    assert "  verdicts   0  Two. (It says)" in str(worst)
    assert ["One." in str(worst), "Three." in str(worst)] == [False, False]
    assert [column.name for column in worst.table().columns][-1] == "verdicts"
    assert [row[-1] for row in worst.table().rows] == ["0  Two. (It says)", None]
    assert "verdicts" not in [column.name for column in result.worst(by="answer_em").table().columns]


VERDICTS = [
    ([("a", 1.0), ("b", 0.0)], 0.5, 1, ["0  b"]),
    ([("a", 1.0), ("b", 0.0)], 0.5, 0, ["1  a"]),
    ([("a", 1.0), ("b", 0.5), ("c", 0.0)], 0.5, 1, ["0  c", "0.5  b"]),
    ([("a", 1.0), ("b", 1.0)], 1.0, 1, []),
    # Grades and ratings: what is best for one measure is poor for another.
    ([("a", 1.0)], 1.0, 5, ["1  a"]),
    ([("a", 4.5)], 4.5, 5, ["4.5  a"]),
    ([("a", 5.0)], 5.0, 5, []),
    ([("a", 1.0), ("b", 1.0)], 0.5, 1, ["1  a", "1  b"]),
    ([("a", "none"), ("b", 0.0)], 0.5, 1, ["none  a", "0  b"]),
    ([(str(at), 0.0) for at in range(7)], 0.0, 1, [*(f"0  {at}" for at in range(5)), "… 2 more verdicts"]),
]


@for_each("verdicts, score, best, expected", VERDICTS)
def test_which_verdicts_are_shown(verdicts, score, best, expected):
    found = [assay.extend.Verdict(*each) for each in verdicts]
    assert list(describe_verdicts(found, score, best, higher_is_better=best > 0, width=None)) == expected
