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
    assert [column.name for column in table.columns] == [
        *("measure", "mean", "low", "high", "queries", "human", "lambda", "gain")
    ]
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


def test_without_labels_nothing_changes():
    plain = assay.evaluate(JUDGE, RUN, "rr")
    assert (plain.human, plain.anchored("rr")) == ({}, None)
    assert [column.name for column in plain.table().columns] == ["measure", "mean", "low", "high", "queries"]


def test_parts_keep_their_labels(anchored):
    assert anchored.only(["nDCG@10"])["nDCG@10"] == anchored["ndcg@10"]
    again = pickle.loads(pickle.dumps(anchored))  # noqa: S301 - our own
    assert (again.mean, str(again)) == (anchored.mean, str(anchored))


def test_a_stored_result_keeps_its_labels(anchored, tmp_path):
    anchored.save(tmp_path / "a.json")
    again = assay.load_result(tmp_path / "a.json")
    assert (again.mean, again.interval("rr"), str(again)) == (anchored.mean, anchored.interval("rr"), str(anchored))
    content = (tmp_path / "a.json").read_text()
    changed = content.replace('"human":{"rr":[', '"human":{"rr":[0.125,', 1).replace("null,null]", "null]", 1)
    (tmp_path / "a.json").write_text(changed)
    with pytest.raises(assay.errors.FormatError, match="its checksum does not match"):
        assay.load_result(tmp_path / "a.json")


FORMS = {
    "Qrels": lambda _: assay.Qrels(HUMAN),
    "frame": lambda _: assay.Qrels(HUMAN).to_polars(),
    "file": lambda path: written(path / "human.txt"),
    "result": lambda _: assay.evaluate(HUMAN, RUN, ["rr", "ndcg@10"]),
    "stored result": lambda path: saved(path / "human.json"),
    "records": lambda _: [{"query_id": query, "scores": scores} for query, scores in assay.evaluate(HUMAN, RUN, ["rr", "ndcg@10"]).per_query().items()],
}  # fmt: skip


def written(path):
    assay.Qrels(HUMAN).write(path)
    return path


def saved(path):
    assay.evaluate(HUMAN, RUN, ["rr", "ndcg@10"]).save(path)
    return path


@for_each("form", FORMS)
def test_every_form_of_labels(anchored, form, tmp_path):
    result = assay.evaluate(JUDGE, RUN, ["rr", "ndcg@10"], human=FORMS[form](tmp_path))
    assert result.mean == anchored.mean


RUNS = {
    "file object": lambda path: BytesIO(path.read_bytes()),
    "path": lambda path: path,
    "frame": lambda _: assay.Run(RUN).to_polars(),
    "Run": lambda _: assay.Run(RUN),
}


@for_each("form", RUNS)
def test_the_run_is_scored_under_both(anchored, form, tmp_path):
    assay.Run(RUN).write(tmp_path / "run.jsonl")
    assert (
        assay.evaluate(JUDGE, RUNS[form](tmp_path / "run.jsonl"), ["rr", "ndcg@10"], human=HUMAN).mean == anchored.mean
    )


def kinds(result):
    return [str(note) for note in result.notes if note.kind == "anchored"]


def test_every_query_has_a_label():
    result = assay.evaluate(JUDGE, RUN, "rr", human=TRUTH)
    assert result["rr"] == pytest.approx(assay.evaluate(TRUTH, RUN, "rr")["rr"])
    assert result.anchored("rr").weight == 0
    assert kinds(result) == ["every query has a human label; the other values are not used"]


def test_few_labels_are_said():
    result = assay.evaluate(JUDGE, RUN, "rr", human={query: TRUTH[query] for query in QUERIES[:10]})
    assert "10 human labels are few; with fewer than 50 the interval can be too narrow" in kinds(result)


def test_labels_of_other_queries_are_said():
    result = assay.evaluate(JUDGE, RUN, "rr", human={**HUMAN, "x1": {"a": 1}, "x2": {"b": 1}})
    assert "2 queries with human labels are not among those scored; left out: 'x1', 'x2'" in kinds(result)
    assert result.anchored("rr").human == 60


def test_labels_without_another_value_are_said():
    rows = [{**row, "scores": {"faithful": None}} if row["query_id"] == "q003" else row for row in RECORDS]
    result = assay.evaluate_rag(rows, "score:faithful", human=LABELS)
    assert result.anchored("score:faithful").human == 59
    assert kinds(result) == [
        "mean and interval are prediction-powered: 59 of 119 queries have human labels",
        "1 query with human labels has no other value; left out: 'q003'",
    ]


def test_labels_that_are_no_random_part_are_said():
    easy = {query: TRUTH[query] for query in QUERIES if RUN[query][0] in TRUTH[query] or RUN[query][1] in TRUTH[query]}
    result = assay.evaluate(TRUTH, RUN, "rr", human=easy)
    assert any(
        each.startswith("queries with human labels score differently from the others (p <") for each in kinds(result)
    )


def test_what_is_not_a_mean_is_not_anchored():
    result = assay.evaluate(JUDGE, RUN, ["rr", "gm_ap", "num_rel"], human=HUMAN)
    plain = assay.evaluate(JUDGE, RUN, ["gm_ap", "num_rel"])
    assert (result["gm_ap"], result["num_rel"]) == (plain["gm_ap"], plain["num_rel"])
    assert "gm_ap, num_rel: not anchored by human labels: it is not a mean over queries" in kinds(result)
    assert result.table().rows[1][5:] == (None, None, None)


def test_notes_on_human_judgments():
    result = assay.evaluate(JUDGE, RUN, "rr", human={**HUMAN, "q000": {"d1": -1}})
    said = [str(note) for note in result.notes]
    assert "human judgments: 1 query has no relevant documents; scored 0: 'q000'" in said
    assert any(each.startswith("human judgments: 1 grade below 0") for each in said)


def test_a_scale_that_the_judgments_set_is_the_same_for_both():
    strict = {query: dict.fromkeys(grades, 3) for query, grades in HUMAN.items()}
    with pytest.raises(
        assay.errors.MismatchError, match=r"err@5 is err\(max=1,.* by all judgments and err\(max=3,.* name the"
    ):
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


def test_numbers_by_question_are_those_of_the_only_measure():
    result = assay.evaluate_rag(RECORDS, "score:faithful", human=LABELS)
    assert (
        result["score:faithful"]
        == assay.evaluate_rag(RECORDS, "score:faithful", human=RAG_FORMS["records"])["score:faithful"]
    )


def test_what_is_said_of_wrong_answers_is_not_anchored():
    rows = [
        {
            "query_id": query,
            "gold": ["d1"],
            "retrieved": ["d1"],
            "answer": "x" if place % 3 else "y",
            "references": ["x"],
        }
        for place, query in enumerate(QUERIES)
    ]
    human = {query: {"answer_em": 1} for query in LABELLED}
    result = assay.evaluate_rag(rows, ["recall", "answer_em"], human=human)
    assert result["answer_em"] == 1
    assert result.blame().table().rows == assay.evaluate_rag(rows, ["recall", "answer_em"]).blame().table().rows
