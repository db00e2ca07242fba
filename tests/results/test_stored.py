"""Results in files: nothing is lost on the way."""

import json
import re

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import assay
from storing import NAMES, QRELS, RUN, stored_in, without_checksum
from tables import for_each


@pytest.fixture
def result():
    return assay.evaluate(QRELS, RUN, NAMES)


@pytest.fixture
def stored(tmp_path):
    return stored_in(tmp_path)


def again(result, path):
    result.save(path)
    return assay.load_result(path)


@for_each("name", ["baseline.json", "baseline.json.gz", "baseline.json.zst", "baseline"])
def test_what_is_saved_is_loaded(result, tmp_path, name):
    loaded = again(result, tmp_path / name)
    assert loaded.measures == result.measures
    assert loaded.queries == result.queries
    for key in result:
        np.testing.assert_array_equal(loaded.scores[key], result.scores[key])
    for field in ("policies", "own_policies", "notes", "signature"):
        assert getattr(loaded, field) == getattr(result, field)


def test_a_loaded_result_answers_as_the_first_one_did(result, tmp_path):
    loaded = again(result, tmp_path / "r.json")
    assert (loaded["map"], loaded["err@10"], loaded["precision@2"]) == (result["ap"], result["err@10"], result["P@2"])
    assert (loaded.interval("ap"), loaded.counted("auc"), str(loaded)) == (result.interval("ap"), 2, str(result))
    for export in ("to_json", "to_csv", "to_markdown", "to_latex", "to_html"):
        assert getattr(loaded, export)() == getattr(result, export)()
    assert loaded.to_polars().equals(result.to_polars(), null_equal=True)
    assert loaded.only(["ap"]).mean == {"ap": result["ap"]}


def test_the_file_is_small_and_has_a_line_for_each_query(tmp_path):
    assay.evaluate({"q1": ["a"], "q2": ["b"]}, {"q1": ["a"], "q2": ["x", "b"]}, ["rr"]).save(tmp_path / "r.json")
    lines = (tmp_path / "r.json").read_text().splitlines()
    assert lines[1] == '["q1",1.0],'
    assert re.fullmatch(r'\["q2",0\.5\]\],"rows":2,"checksum":"sha256:[0-9a-f]{64}"\}', lines[2])
    assert len(lines) == 3
    assert lines[0].startswith('{"assay":"result","version":3,"written_by":"')
    assert len(lines[0]) < 600


def test_the_version_that_computed_it_stays(stored):
    path, content = stored
    path.write_text(json.dumps({**content, "written_by": "9.8.7"}))
    loaded = assay.load_result(path)
    assert str(loaded.signature).startswith("assay 9.8.7 convention=assay")
    assert "assay 9.8.7, convention assay, details: result.signature" in str(loaded)
    assert again(loaded, path).version == "9.8.7"


@settings(max_examples=settings.default.max_examples // 4)
@given(values=st.lists(st.floats(), min_size=1, max_size=8), ids=st.data())
def test_every_bit_of_every_number_stays(tmp_path_factory, values, ids):
    text = st.text(st.characters(codec="utf-8"), max_size=5)
    queries = ids.draw(st.lists(text, min_size=len(values), max_size=len(values), unique=True))
    measures = {"dcg": assay.parse_measure("dcg")}
    result = assay.Result(measures, queries, {"dcg": np.array(values)}, "assay", assay.Policies())
    loaded = again(result, tmp_path_factory.mktemp("bits") / "r.json")
    assert loaded.queries == queries
    np.testing.assert_array_equal(loaded.scores["dcg"], values)
    is_negative, known = np.signbit(loaded.scores["dcg"]), ~np.isnan(values)
    np.testing.assert_array_equal(is_negative & known, np.signbit(values) & known)


def of_one_query(query):
    return assay.Result({"rr": assay.parse_measure("rr")}, [query], {"rr": np.array([1.0])}, "assay", assay.Policies())


NOT_SAVED = [
    ({}, of_one_query("\udcff"), "cannot be stored; use ids that are valid Unicode and not too long"),
    ({}, of_one_query("x" * 100_001), "cannot be stored; use ids that are valid Unicode and not too long"),
    ({"stored": 300}, of_one_query("q"), "the result is larger than 300 bytes; store fewer measures"),
    ({"values": 1}, of_one_query("q"), "the result has more than 1 values; store fewer measures"),
]


@for_each("limits, result, message", NOT_SAVED)
def test_a_result_that_could_not_be_loaded_is_not_saved(tmp_path, limits, result, message):
    with assay.limits(**limits), pytest.raises(assay.errors.DataError, match=message):
        result.save(tmp_path / "r.json")
    assert not (tmp_path / "r.json").exists()


NAMED = [
    ("assay", ["ap(rel=2)", "P@5", "judged@10", "ndcg(gain=exp2)@10", "err@10", "rbp", "trec_eval:map", "ranx:ndcg@10"], {}),
    ("assay", ["ap", "P@5", "ndcg@10"], {"rel": 2}),
    ("trec_eval", ["map", "P.5,10", "official", "ndcg_cut.10", "iprec_at_recall"], {"rel": 2}),
    ("ranx", ["map", "ndcg@10", "mrr", "precision@5", "map-l2"], {}),
    ("ir_measures", ["AP(rel=2)", "nDCG@10", "P@5", "ERR@20"], {}),
    ("gdeval", ["ndcg@10", "err@20"], {}),
    ("beir", ["NDCG@10", "MAP@100"], {}),
]  # fmt: skip


@for_each(("convention", "names", "options"), NAMED)
def test_names_of_every_tool_can_be_loaded(tmp_path, convention, names, options):
    result = assay.evaluate({**QRELS, "q3": {"d": 1}}, RUN, names, convention=convention, **options)
    assert again(result, tmp_path / "r.json").measures == result.measures


def test_a_file_that_a_formatter_has_rewritten_can_be_loaded(stored, result):
    path, content = stored
    text = json.dumps(json.loads(path.read_text(encoding="utf-8")), indent=4, sort_keys=True)
    # As tools do that know one kind of number only.
    for written in (text, re.sub(r"(?m)\b(\d+)\.0(?=,?$)", r"\1", text), json.dumps(content, indent=4)):
        path.write_text("\ufeff" + written, encoding="utf-8")
        with path.open("rb") as file:
            assert assay.load_result(path).mean == assay.load_result(file).mean == result.mean


@pytest.fixture
def own(tmp_path):
    """A stored result of measures that are not defined any more; their names and what is saved."""

    # Its scores are out of its range, which is nobody's business but its author's.
    @assay.extend.measure("cost", formula="x", higher_is_better=False, range=(0, 1), aggregate="sum")
    def cost(judged, *, k: assay.extend.Cutoff = None, price: float = 2.0):
        return price * judged.cut(k)

    @assay.extend.measure("whole", formula="x", corpus=lambda judged: judged.size / 7)
    def whole(judged):
        return np.full(judged.size, np.nan)

    result = assay.evaluate(QRELS, RUN, ["cost@2", "cost(price=3)", "whole", "ap"])
    result.save(tmp_path / "own.json")
    yield tmp_path / "own.json", result
    for name in ("cost", "whole"):
        if name in assay.measures.TABLE:
            assay.extend.remove_measure(name)


def test_measures_that_are_not_defined_any_more_keep_their_names_and_values(own, tmp_path):
    path, result = own
    defined = assay.load_result(path)
    assert (defined.measures, defined.notes) == (result.measures, result.notes)
    assert defined["whole"] == result["whole"] == 3 / 7
    assay.extend.remove_measure("cost")
    assay.extend.remove_measure("whole")
    loaded = assay.load_result(path)
    assert loaded.mean == result.mean
    assert loaded.signature == result.signature
    assert str(loaded.measures["cost@2"]) == "cost(price=2)@2"
    assert not loaded.measures["cost@2"].definition.higher_is_better
    assert loaded.interval("cost@2") == result.interval("cost@2")
    said = [f"{name}: not defined here; its stored values are kept" for name in ("cost@2", "cost(price=3)", "whole")]
    assert [str(note) for note in loaded.notes if note.kind == "not_defined"] == said
    with pytest.raises(assay.errors.MeasureError, match=r"'cost\(price=2\)@2' is known only from a stored result"):
        assay.evaluate(QRELS, RUN, [loaded.measures["cost@2"]])
    twice = again(assay.load_result(path), tmp_path / "again.json")
    assert twice.notes == loaded.notes
    pair = assay.compare(None, {"one": loaded, "two": twice}, ["cost@2"]).pairs[0]
    assert (pair.ties, pair.mean_a) == (3, result["cost@2"])


def test_a_name_that_means_another_measure_by_now_keeps_what_it_meant(own):
    path, _ = own
    assay.extend.remove_measure("cost")

    @assay.extend.measure("cost", formula="x", higher_is_better=True)
    def cost(judged, *, k: assay.extend.Cutoff = None, price: float = 2.0):
        return price * judged.cut(k)

    loaded = assay.load_result(path)
    assert not loaded.measures["cost@2"].definition.higher_is_better
    assert loaded.measures["cost@2"] != cost(k=2)


@for_each("measures", [["em", "f1", "recall"], ["F1(normalize=none)", "bleu", "chrf(aggregate=mean)", "ter"]])
def test_results_of_answers_are_loaded_as_they_were(tmp_path, measures):
    first = assay.evaluate_answers(["the cat sat on the mat", "a dog"], ["the cat sat on a mat", "a cat"], measures)
    loaded = again(first, tmp_path / "answers.json")
    for field in ("measures", "mean", "signature", "notes"):
        assert getattr(loaded, field) == getattr(first, field)
    assert loaded.per_query() == first.per_query()
    assert again(loaded, tmp_path / "twice.json").mean == first.mean


def test_a_score_of_summed_statistics_that_were_not_stored_has_no_interval(tmp_path):
    first = assay.evaluate_answers(["the cat sat on the mat", "a dog"], ["the cat sat on a mat", "a cat"], ["bleu"])
    assert first.interval("bleu").low < first["bleu"]
    first.save(tmp_path / "answers.json")
    content = without_checksum(tmp_path / "answers.json")
    del content["statistics"]
    (tmp_path / "answers.json").write_text(json.dumps(content))
    loaded = assay.load_result(tmp_path / "answers.json")
    with pytest.raises(assay.errors.MeasureError, match="bleu is one number for all queries and has no interval"):
        loaded.interval("bleu")
    (run,) = loaded.to_dict()["runs"]
    assert (run["measures"]["bleu"]["mean"], run["measures"]["bleu"]["low"]) == (first["bleu"], None)


NOTES = [
    (["missing", "ap: 2 queries …"], assay.Note("missing", "ap: 2 queries …")),
    (["brand_new", "a sentence"], assay.Note("other", "a sentence")),
    ({"kind": "brand_new", "text": "a sentence", "count": 3}, assay.Note("other", "a sentence", 3)),
    ({"kind": "missing", "text": "x", "count": 1, "queries": ["q1"], "measures": ["ap"]}, assay.Note("missing", "x", 1, ("q1",), ("ap",))),
]  # fmt: skip


@for_each(("written", "note"), NOTES)
def test_notes_are_read_as_pairs_and_as_objects(written, note, tmp_path):
    path = tmp_path / "result.json"
    assay.evaluate({"q1": ["a"]}, {"q1": ["a"]}, "ap").save(path)
    content = without_checksum(path)
    assert content["notes"] == []
    path.write_text(json.dumps(content | {"notes": [written]}), encoding="utf-8")
    assert assay.load_result(path).notes == (note,)


def test_of_very_many_queries_of_a_note_the_first_are_stored(tmp_path):
    run = {f"q{number}": ["a"] for number in range(3000)}
    result = assay.evaluate({"q0": ["a"]}, run, "ap")
    result.save(tmp_path / "result.json")
    (note,) = assay.load_result(tmp_path / "result.json").notes
    assert (note.kind, note.text, note.count) == ("unjudged", result.notes[0].text, 2999)
    assert note.queries == result.notes[0].queries[:1000]
