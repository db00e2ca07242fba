"""Human labels for a part of the queries: `human=` of `evaluate` and `evaluate_rag`."""

import json
import pickle
from io import BytesIO

import numpy as np
import polars
import pytest

import assay
from assay.stats.anchored import anchored_mean
from tables import for_each

QUERIES = [f"q{number:03}" for number in range(120)]
LABELLED = QUERIES[:60]
GENERATOR = np.random.default_rng(11)
# The one relevant document is somewhere in the ranking; the judge takes the next one for it now and then.
RUN = {query: [f"d{each}" for each in GENERATOR.permutation(6)] for query in QUERIES}
TRUTH = {query: {f"d{GENERATOR.integers(6)}": 1} for query in QUERIES}
JUDGE = {query: truth if GENERATOR.random() < 0.8 else {RUN[query][0]: 1, **truth} for query, truth in TRUTH.items()}
HUMAN = {query: TRUTH[query] for query in LABELLED}


@pytest.fixture(scope="module")
def anchored():
    return assay.evaluate(JUDGE, RUN, ["rr", "ndcg@10"], human=HUMAN)


def test_means_and_intervals_are_those_of_both_judgments(anchored):
    judge, people = (assay.evaluate(qrels, RUN, ["rr", "ndcg@10"]) for qrels in (JUDGE, HUMAN))
    for name in ("rr", "ndcg@10"):
        values = np.concatenate([people.scores[name], np.full(60, np.nan)])
        same = anchored_mean(judge.scores[name], values)
        assert anchored[name] == anchored.mean[name] == same.value
        assert anchored.interval(name) == same.interval
        assert anchored.interval(name, level=0.8) == anchored_mean(judge.scores[name], values, 0.8).interval
        assert anchored.anchored(name) == same
        assert anchored.scores[name].tolist() == judge.scores[name].tolist()
    # The judge is too generous; people put it right.
    assert anchored["rr"] < judge["rr"]
    assert anchored.anchored("rr").gain > 1


def test_it_is_shown(anchored):
    table = anchored.table()
    names = ["measure", "mean", "low", "high", "queries", "human", "lambda", "gain"]
    assert [column.name for column in table.columns] == names
    anchor = anchored.anchored("rr")
    assert table.rows[0][4:] == (120, 60, anchor.weight, anchor.gain)
    (run,) = json.loads(anchored.to_json())["runs"]
    score = run["measures"]["rr"]
    assert (score["human"], score["lambda"], score["gain"]) == (60, anchor.weight, anchor.gain)
    assert f"ppi[rr: human=60 lambda={anchor.weight:.4g}]" in str(anchored.signature)
    assert [str(note) for note in anchored.notes] == [
        "mean and interval are prediction-powered: 60 of 120 queries have human labels"
    ]
    assert "| queries | human | lambda | gain |" in anchored.to_markdown()
    assert anchored.to_mlflow()["rr"] == anchored["rr"]


def test_parts_copies_and_stored_results_keep_their_labels(anchored, tmp_path):
    plain = assay.evaluate(JUDGE, RUN, "rr")
    assert (plain.human, plain.anchored("rr")) == ({}, None)
    assert [column.name for column in plain.table().columns] == ["measure", "mean", "low", "high", "queries"]
    assert anchored.only(["nDCG@10"])["nDCG@10"] == anchored["ndcg@10"]
    anchored.save(tmp_path / "a.json")
    for again in (pickle.loads(pickle.dumps(anchored)), assay.load_result(tmp_path / "a.json")):  # noqa: S301 - our own
        assert (again.mean, again.interval("rr"), str(again)) == (anchored.mean, anchored.interval("rr"), str(anchored))
    content = (tmp_path / "a.json").read_text()
    changed = content.replace('"human":{"rr":[', '"human":{"rr":[0.125,', 1).replace("null,null]", "null]", 1)
    (tmp_path / "a.json").write_text(changed)
    with pytest.raises(assay.errors.FormatError, match="its checksum does not match"):
        assay.load_result(tmp_path / "a.json")


def test_labels_and_runs_in_every_form(anchored, tmp_path):
    names = ["rr", "ndcg@10"]
    people = assay.evaluate(HUMAN, RUN, names)
    people.save(tmp_path / "human.json")
    assay.Qrels(HUMAN).write(tmp_path / "human.txt")
    assay.Run(RUN).write(tmp_path / "run.jsonl")
    records = [{"query_id": query, "scores": scores} for query, scores in people.per_query().items()]
    files = [tmp_path / "human.txt", tmp_path / "human.json"]
    for human in (assay.Qrels(HUMAN), assay.Qrels(HUMAN).to_polars(), people, records, *files):
        assert assay.evaluate(JUDGE, RUN, names, human=human).mean == anchored.mean
    path, run = tmp_path / "run.jsonl", assay.Run(RUN)
    for each in (BytesIO(path.read_bytes()), path, run.to_polars(), run):
        assert assay.evaluate(JUDGE, each, names, human=HUMAN).mean == anchored.mean


def kinds(result):
    return [str(note) for note in result.notes if note.kind == "anchored"]


EASY = {query: TRUTH[query] for query in QUERIES if {*RUN[query][:2]} & {*TRUTH[query]}}
# Judgments, those of people, a note that is there, and how many labels count.
SAID = [
    (JUDGE, TRUTH, "every query has a human label; the other values are not used", 120),
    (JUDGE, {query: TRUTH[query] for query in QUERIES[:10]}, "10 human labels are few; with fewer than 50 the interval can be too narrow", 10),
    (JUDGE, {**HUMAN, "x1": {"a": 1}, "x2": {"b": 1}}, "2 queries with human labels are not among those scored; left out: 'x1', 'x2'", 60),
    (TRUTH, EASY, "queries with human labels score differently from the others (p <", len(EASY)),
    (JUDGE, {**HUMAN, "q000": {"d1": -1}}, "human judgments: 1 query has no relevant documents; scored 0: 'q000'", 60),
    (JUDGE, {**HUMAN, "q000": {"d1": -1}}, "human judgments: 1 grade below 0", 60),
]  # fmt: skip


@for_each("qrels, human, said, number", SAID)
def test_what_is_said_of_labels(qrels, human, said, number):
    result = assay.evaluate(qrels, RUN, "rr", human=human)
    assert any(str(note).startswith(said) for note in result.notes)
    assert result.anchored("rr").human == number


def test_labels_of_all_queries_are_all_that_counts():
    result = assay.evaluate(JUDGE, RUN, "rr", human=TRUTH)
    assert result["rr"] == pytest.approx(assay.evaluate(TRUTH, RUN, "rr")["rr"])
    assert result.anchored("rr").weight == 0
    assert len(kinds(result)) == 1


def test_labels_without_another_value_are_said():
    rows = [{**row, "scores": {"faithful": None}} if row["query_id"] == "q003" else row for row in RECORDS]
    result = assay.evaluate_rag(rows, "score:faithful", human=LABELS)
    assert result.anchored("score:faithful").human == 59
    assert kinds(result) == [
        "mean and interval are prediction-powered: 59 of 119 queries have human labels",
        "1 query with human labels has no other value; left out: 'q003'",
    ]


def test_what_is_not_a_mean_is_not_anchored():
    result = assay.evaluate(JUDGE, RUN, ["rr", "gm_ap", "num_rel"], human=HUMAN)
    plain = assay.evaluate(JUDGE, RUN, ["gm_ap", "num_rel"])
    assert (result["gm_ap"], result["num_rel"]) == (plain["gm_ap"], plain["num_rel"])
    assert "gm_ap, num_rel: not anchored by human labels: it is not a mean over queries" in kinds(result)
    assert result.table().rows[1][5:] == (None, None, None)


def test_a_scale_that_the_judgments_set_is_the_same_for_both():
    strict = {query: dict.fromkeys(grades, 3) for query, grades in HUMAN.items()}
    said = r"err@5 is err\(max=1,.* by all judgments and err\(max=3,.* name the"
    with pytest.raises(assay.errors.MismatchError, match=said):
        assay.evaluate(JUDGE, RUN, "err@5", human=strict)
    assert assay.evaluate(JUDGE, RUN, "err(max=3)@5", human=strict).anchored("err(max=3)@5").human == 60


ERRORS = {
    "no query": ({"human": {"x": {"a": 1}}}, "no scored query has a human label: people labelled 'x', the scored queri"),
    "one query": ({"human": {"q000": {"d1": 1}}}, "rr: a single query has a human label; it takes at least 2, better 50"),
    "no measure": ({"human": [{"query_id": q, "scores": {"f": 1}} for q in LABELLED]}, "human labels anchor no measure"),
    "only a sum": ({"human": HUMAN, "measures": "num_rel"}, r"human labels anchor no measure \(num_rel: it is not a mean"),
    "no judgments": ({"human": {}}, "has no judgments"),
}  # fmt: skip


@for_each("name", ERRORS)
def test_errors(name):
    options, message = ERRORS[name]
    with pytest.raises(assay.AssayError, match=message):
        assay.evaluate(JUDGE, RUN, **{"measures": "rr", **options})


RECORDS = [
    {"query_id": query, "scores": {"faithful": place % 5 / 4, "other": 1}} for place, query in enumerate(QUERIES)
]
LABELS = {query: (place % 5 / 4 > 0.4) * 1.0 for place, query in enumerate(LABELLED)}
RAG_FORMS = {
    "records": [{"query_id": query, "scores": {"faithful": value}} for query, value in LABELS.items()],
    "fields": [{"query_id": query, "faithful": value, "comment": "ok"} for query, value in LABELS.items()],
    "mapping": {query: {"faithful": value} for query, value in LABELS.items()},
    "frame": polars.DataFrame({"query_id": list(LABELS), "faithful": list(LABELS.values())}),
}


@for_each("form", [*RAG_FORMS, "file", "result"])
def test_scores_of_people_anchor_those_of_records(form, tmp_path):
    human = RAG_FORMS.get(form)
    if form == "file":
        human = tmp_path / "labels.jsonl"
        human.write_text("".join(json.dumps(row) + "\n" for row in RAG_FORMS["records"]))
    if form == "result":
        human = assay.evaluate_rag(RAG_FORMS["records"], "score:faithful")
    result = assay.evaluate_rag(RECORDS, ["score:faithful", "score:other"], human=human)
    values = np.array([*LABELS.values(), *[np.nan] * 60])
    assert result["score:faithful"] == anchored_mean(result.scores["score:faithful"], values).value
    assert result["score:other"] == 1
    assert "score:other: not anchored by human labels: no query has a human value" in kinds(result)
    # Numbers by question are those of the only measure.
    alone = assay.evaluate_rag(RECORDS, "score:faithful", human=LABELS)
    assert alone["score:faithful"] == result["score:faithful"]


def test_what_is_said_of_wrong_answers_is_not_anchored():
    same = {"gold": ["d1"], "retrieved": ["d1"], "references": ["x"]}
    rows = [{"query_id": query, "answer": "x" if place % 3 else "y", **same} for place, query in enumerate(QUERIES)]
    human = {query: {"answer_em": 1} for query in LABELLED}
    result = assay.evaluate_rag(rows, ["recall", "answer_em"], human=human)
    assert result["answer_em"] == 1
    assert result.blame().table().rows == assay.evaluate_rag(rows, ["recall", "answer_em"]).blame().table().rows
