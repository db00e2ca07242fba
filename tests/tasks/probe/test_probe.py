"""`assay.probe`: what it gives, what it notes, what it refuses."""

import json
import math
import time
from contextlib import contextmanager

import pytest

import assay
from assay.live import Latency
from assay.tasks.probe import api as probe_api
from tables import for_each

QUESTIONS = {"q1": "one", "q2": "two", "q3": "three"}
QRELS = {"q1": {"d1": 3, "d2": 1}, "q2": {"d1": 1}, "q3": {"d3": 1}}
FOUND = {"one": [("d1", 0.9), ("d2", 0.5)], "two": [("d9", 0.7), ("d1", 0.1)], "three": [("d9", 0.2)]}
MEASURES = ["ndcg@2", "recall@1"]


def failing(question):
    if question == "two":
        raise OSError("<b>gone</b>")
    return FOUND[question]


def test_the_result_is_that_of_the_run():
    probe = assay.probe(FOUND.get, QUESTIONS, QRELS, MEASURES, k=2)
    expected = assay.evaluate(QRELS, {query: FOUND[text] for query, text in QUESTIONS.items()}, MEASURES)
    assert probe.result.mean == assay.evaluate(QRELS, probe.run, MEASURES).mean == expected.mean
    assert (probe.result.signature, probe["nDCG@2"], probe.notes) == (expected.signature, expected["ndcg@2"], ())
    assert list(assay.probe(FOUND.get, QUESTIONS, QRELS, k=3).result) == ["ndcg@3", "rr@3", "recall@3"]
    assert (probe.failures, probe.asked, probe.resumed, set(probe.seconds)) == ({}, 3, 0, set(QUESTIONS))


@for_each("options", [{}, {"missing": "skip"}, {"convention": "trec_eval"}])
def test_a_failed_question_scores_0_whatever_becomes_of_missing_ones(options):
    name = "recip_rank" if "convention" in options else "rr"
    probe = assay.probe(failing, QUESTIONS, QRELS, name, retries=0, **options)
    assert probe.result.scores[name].tolist() == [1.0, 0.0, 0.0]
    assert (probe.failures, list(probe.run)) == ({"q2": "OSError: <b>gone</b>"}, ["q1", "q3"])
    kinds = [note.kind for note in probe.notes]
    assert ("failed" in kinds, "missing" in kinds) == (True, False)


def test_policies_are_those_of_evaluate():
    assert assay.probe(FOUND.get, QUESTIONS, QRELS, "recall", k=5, rel=3, depth=1).result.policies.depth == 1
    how = (lambda _: ["d1", "d1", "d2"], QUESTIONS, QRELS, "rr")
    assert assay.probe(*how, duplicates="count").run["q1"] == ["d1", "d1", "d2"]
    for error, policy in (("DuplicateError", {"duplicates": "error"}), ("PolicyError", {"ties": "x"})):
        with pytest.raises(getattr(assay.errors, error)):
            assay.probe(*how, **policy)


NOTES = {
    "unjudged": ({"questions": {**QUESTIONS, "q9": "nine"}}, "1 question has no judgments; not asked: 'q9'"),
    "unasked": ({"questions": {"q1": "one"}}, "2 queries in the judgments have no question: 'q2', 'q3'"),
    "duplicates": ({"search": lambda _: ["d1"] * 2}, "3 duplicate documents left out of the rankings of 'q1', 'q2'"),
    "order": ({"search": lambda _: [("d1", 1), ("d2", 2)]}, "scores of 3 rankings do not decrease; ignored, the order"),
    "short": ({"k": 3}, "no ranking has more than 2 documents (k is 3); the retriever may have its own limit"),
    "depth": ({"measures": ["recall@100", "rr"]}, "recall@100: rankings end at k=2"),
}


@for_each("kind", NOTES)
def test_notes(kind):
    options, text = NOTES[kind]
    usual = {"search": FOUND.get, "questions": QUESTIONS, "qrels": QRELS, "measures": "rr", "k": 2}
    probe = assay.probe(**{**usual, **options})
    assert {note.kind: str(note) for note in probe.notes}[kind].startswith(text)
    assert text in str(probe)


def test_lists_pair_up():
    probe = assay.probe(FOUND.get, ["one", "two"], [["d1"], ["d1"]], "rr")
    assert probe.result.scores["rr"].tolist() == [1.0, 0.5]
    with pytest.raises(assay.errors.MismatchError, match="3 queries in the judgments but 2 questions"):
        assay.probe(FOUND.get, ["one", "two"], [["d1"], ["d1"], ["d1"]], "rr")


REFUSED = [
    ({"k": 0}, "k must be a whole number at least 1, not '0'"),
    ({"k": True}, "k must be a whole number at least 1, not 'True'"),
    ({"concurrency": 0}, "concurrency must be a whole number from 1 to 1024, not '0'"),
    ({"concurrency": 2.5}, "concurrency must be a whole number from 1 to 1024"),
    ({"retries": -1}, "retries must be a whole number from 0 to 100, not '-1'"),
    ({"timeout": 0}, "timeout must be a positive number of seconds, not '0'"),
    ({"timeout": math.inf}, "timeout must be a positive number of seconds"),
    ({"timeout": "1"}, "timeout must be a positive number of seconds"),
    ({"questions": {"x": "one"}}, "no question has judgments: the questions have the ids 'x', the judgments 'q1'"),
    ({"questions": {"q1": "one"}, "missing": "error"}, "in the judgments have no question: 'q2', 'q3'; missing="),
    ({"measures": ["nonsense"]}, "unknown measure 'nonsense'"),
    ({"measures": ["f1"], "convention": "nonsense"}, "nonsense"),
]


@for_each("options, message", REFUSED)
def test_mistakes_are_found_before_anything_is_asked(options, message):
    asked = []
    usual = {"search": asked.append, "questions": QUESTIONS, "qrels": QRELS, "measures": "rr"}
    with pytest.raises(assay.AssayError) as caught:
        assay.probe(**{**usual, **options})
    assert message in str(caught.value)
    assert asked == []


def test_where_nothing_is_answered_the_first_failure_is_said():
    with pytest.raises(assay.errors.DataError) as caught:
        assay.probe(lambda _: 1 / 0, QUESTIONS, QRELS, "rr", retries=1)
    said = "no question was answered; for example 'q1': ZeroDivisionError: division by zero (2 attempts)"
    assert str(caught.value) == said


def test_a_search_that_answers_nothing_is_given_up_early():
    questions = {f"q{number}": str(number) for number in range(200)}
    qrels = {query: ["d"] for query in questions}
    asked = []
    with pytest.raises(assay.errors.DataError, match=r"none of the first 20 questions was answered; for example 'q\d'"):
        assay.probe(lambda question: asked.append(question) or 1 / 0, questions, qrels, "rr", retries=0, concurrency=4)
    # None begins after the twentieth has failed, when the others may be under way.
    assert 20 <= len(asked) <= 20 + 3


@for_each("found", [["d1", "d9"], ["d9", "d1"]])
@for_each("convention", ["assay", "trec_eval"])
def test_equal_scores_in_a_list_keep_the_given_order(found, convention):
    name = "rr" if convention == "assay" else "recip_rank"
    probe = assay.probe(lambda _: [(each, 0.5) for each in found], {"q2": "two"}, QRELS, name, convention=convention)
    assert probe.run["q2"] == found
    assert probe.result.per_query()["q2"][name] == 1 / (1 + found.index("d1"))


def test_finding_nothing_is_an_answer():
    probe = assay.probe(lambda _: [], QUESTIONS, QRELS, "rr", timeout=None)
    assert (probe["rr"], probe.failures, probe.run.to_dict()) == (0.0, {}, {"q1": [], "q2": [], "q3": []})
    texts = {"q1": "a\ud800", "q2": "\x00\x1b[31m", "q3": "x" * 1_000_000}
    assert assay.probe(lambda question: [str(len(question))], texts, QRELS, "rr").run["q3"] == ["1000000"]


def test_progress_is_told_or_shown(monkeypatch):
    shown = []

    @contextmanager
    def show(what):
        shown.append(what)
        yield shown.append

    monkeypatch.setattr(probe_api, "progress_bar", show)
    for progress in (shown.append, False, True):
        assay.probe(FOUND.get, QUESTIONS, QRELS, "rr", progress=progress, name="my search")
    assert shown == [1 / 3, 2 / 3, 1.0, "asking my search", 1 / 3, 2 / 3, 1.0]


def test_latency_is_that_of_the_calls(monkeypatch):
    pauses, tried, now = {"one": 2, "two": 4, "three": 6}, set(), [0.0]

    def search(question):
        # A failed attempt is no latency, nor is waiting for the calls before.
        now[0] += pauses[question] if question in tried else 100
        if question not in tried:
            tried.add(question)
            raise OSError
        return FOUND[question]

    monkeypatch.setattr(time, "perf_counter", lambda: now[0])
    probe = assay.probe(search, QUESTIONS, QRELS, "rr", concurrency=1, timeout=9999)
    assert (probe.seconds, probe.elapsed, probe.throughput) == ({"q1": 2, "q2": 4, "q3": 6}, 312, 3 / 312)
    assert probe.latency == pytest.approx(Latency(4, 5.8, 5.96, 4))


@pytest.fixture
def probe():
    return assay.probe(failing, QUESTIONS, QRELS, ["rr"], retries=0, k=2)


def test_it_prints_quality_then_pace_then_failures(probe):
    lines = str(probe).splitlines()
    assert lines[0].split() == ["measure", "mean", "low", "high", "queries"]
    assert lines[2].split()[:2] == ["rr", "0.3333"]
    assert lines[4] == "assay 0.1.0, convention assay, details: result.signature".replace("0.1.0", assay.__version__)
    assert lines[5].startswith("latency ")
    assert "2 of 3 questions answered in " in lines[5]
    assert lines[6:] == ["note: 1 question failed; counted as empty: 'q2'", "failed: q2: OSError: <b>gone</b>"]
    assert repr(probe).startswith("<Probe: rr=0.3333; 2 answers, 1 failed; p50 ")


def test_exports(probe):
    (run,) = json.loads(probe.to_json())["runs"]
    data = run["probe"]
    assert (data["failures"], data["latency"]) == ({"q2": "OSError: <b>gone</b>"}, probe.latency._asdict())
    assert (data["asked"], data["resumed"], data["throughput"]) == (3, 0, probe.throughput)
    assert run["measures"]["rr"]["mean"] == probe["rr"]
    frame = probe.to_polars()
    assert frame.columns == ["query_id", "rr", "seconds", "failure"]
    assert frame["failure"].to_list() == [None, "OSError: <b>gone</b>", None]
    assert frame["seconds"].is_null().to_list() == [False, True, False]
    assert probe.to_pandas().shape == (3, 4)
    assert probe.to_csv().splitlines()[0] == "measure,mean,low,high,queries"
    assert "latency" in probe.to_markdown()
    assert ["latency" in probe._repr_html_(), "<b>" in probe._repr_html_()] == [True, False]
    assert r"\begin{table}" in probe.to_latex()


def test_many_failures_are_not_all_shown():
    questions = {f"q{number}": str(number) for number in range(30)}
    qrels = {query: ["d"] for query in questions}

    answers = {"7": ["d"]}
    probe = assay.probe(answers.__getitem__, questions, qrels, "rr", retries=0, concurrency=1)
    assert list(probe.failures) == [query for query in questions if query != "q7"]
    assert str(probe).count("failed: ") == 11
    assert str(probe).endswith("failed: and 19 more")


def test_completion_offers_what_users_need(probe):
    exports = "table to_csv to_dict to_html to_json to_latex to_markdown to_pandas to_polars to_tsv"
    own = "asked elapsed failures latency notes records result resumed run seconds failure_lines pace plot report"
    own += " throughput to_text"
    assert {name for name in dir(probe) if not name.startswith("_")} == {*exports.split(), *own.split()}
