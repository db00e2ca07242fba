"""Results in files: nothing is lost on the way, and nothing wrong is taken in."""

import gzip
import json
import math
from pathlib import Path

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import assay

QRELS = {"q1": {"a": 1, "b": 2}, "q2": {"c": 1}, "q3": {"d": 0}}
RUN = {"q1": ["a", "x", "b"], "q2": ["x", "c"], "q9": ["y"]}
NAMES = ["ap", "P@2", "auc", "num_rel_ret", "gm_ap", "err@10", "ndcg(gain=1:3;2:9.5)@10", "trec_eval:map"]


@pytest.fixture
def result():
    return assay.evaluate(QRELS, RUN, NAMES)


@pytest.fixture
def stored(result, tmp_path):
    """A stored result's path and its content, to be spoilt."""
    path = tmp_path / "baseline.json"
    result.save(path)
    return path, json.loads(path.read_text(encoding="utf-8"))


def again(result, path):
    result.save(path)
    return assay.load_result(path)


@pytest.mark.parametrize("name", ["baseline.json", "baseline.json.gz", "baseline.json.zst", "baseline"])
def test_what_is_saved_is_loaded(result, tmp_path, name):
    loaded = again(result, tmp_path / name)
    assert loaded.measures == result.measures
    assert loaded.queries == result.queries
    for key in result:
        np.testing.assert_array_equal(loaded.scores[key], result.scores[key])
    assert loaded.policies == result.policies
    assert loaded.own_policies == result.own_policies
    assert loaded.notes == result.notes
    assert loaded.signature == result.signature


def test_a_loaded_result_answers_as_the_first_one_did(result, tmp_path):
    loaded = again(result, tmp_path / "r.json")
    assert loaded["map"] == result["ap"]
    assert loaded["err@10"] == result["err@10"]
    assert loaded["precision@2"] == result["P@2"]
    assert loaded.interval("ap") == result.interval("ap")
    assert loaded.counted("auc") == 2
    assert str(loaded) == str(result)
    for export in ("to_json", "to_csv", "to_markdown", "to_latex", "to_html"):
        assert getattr(loaded, export)() == getattr(result, export)()
    assert loaded.to_polars().equals(result.to_polars(), null_equal=True)
    assert loaded.only(["ap"]).mean == {"ap": result["ap"]}


def test_a_loaded_result_can_be_compared(tmp_path):
    qrels = {f"q{n}": ["d"] for n in range(20)}
    old = assay.evaluate(qrels, {query: ["x", "d"] for query in qrels}, ["rr", "ap"])
    new = assay.evaluate(qrels, {query: ["d", "x"] for query in qrels}, ["rr", "ap"])
    pair = assay.compare(None, {"old": again(old, tmp_path / "old.json"), "new": new}, ["rr"]).pairs[0]
    assert (pair.difference, pair.wins) == (0.5, 20)


def test_results_that_were_computed_otherwise_are_not_compared(tmp_path):
    old = again(assay.evaluate(QRELS, RUN, ["ap"], ties="input"), tmp_path / "old.json")
    with pytest.raises(assay.MismatchError, match="the same by ap: ties=input and ties=docid_desc; compute both alike"):
        assay.compare(None, {"old": old, "new": assay.evaluate(QRELS, RUN, ["ap"])})
    cut = assay.evaluate(QRELS, RUN, ["ap@5"]).only(["ap@5"])
    other = assay.Result({"ap@5": old.measures["ap"]}, old.queries, {"ap@5": old.scores["ap"]}, "assay", cut.policies)
    with pytest.raises(
        assay.MismatchError, match=r"\)@5 and ap\(rel=1,norm=relevant,ties=rank,nothing=zero\); compute"
    ):
        assay.compare(None, {"a": cut, "b": other})


def test_the_file_is_small_and_has_a_line_for_each_query(tmp_path):
    assay.evaluate({"q1": ["a"], "q2": ["b"]}, {"q1": ["a"], "q2": ["x", "b"]}, ["rr"]).save(tmp_path / "r.json")
    lines = (tmp_path / "r.json").read_text().splitlines()
    assert lines[1:] == ['["q1",1.0],', '["q2",0.5]]}']
    assert lines[0].startswith('{"assay":"result","version":1,"written_by":"')
    assert len(lines[0]) < 600


def test_the_version_that_computed_it_stays(stored):
    path, content = stored
    path.write_text(json.dumps({**content, "written_by": "9.8.7"}))
    loaded = assay.load_result(path)
    assert loaded.signature.startswith("assay 9.8.7 convention=assay")
    assert "assay 9.8.7, convention assay" in str(loaded)
    assert again(loaded, path).version == "9.8.7"


@settings(max_examples=50)
@given(values=st.lists(st.floats(), min_size=1, max_size=8), ids=st.data())
def test_every_bit_of_every_number_stays(tmp_path_factory, values, ids):
    text = st.text(st.characters(codec="utf-8"), max_size=5)
    queries = ids.draw(st.lists(text, min_size=len(values), max_size=len(values), unique=True))
    measures = {"rr": assay.parse_measure("rr")}
    result = assay.Result(measures, queries, {"rr": np.array(values)}, "assay", assay.Policies())
    loaded = again(result, tmp_path_factory.mktemp("bits") / "r.json")
    assert loaded.queries == queries
    np.testing.assert_array_equal(loaded.scores["rr"], values)
    np.testing.assert_array_equal(
        np.signbit(loaded.scores["rr"]) & ~np.isnan(values), np.signbit(values) & ~np.isnan(values)
    )


@pytest.mark.parametrize("query", ["\udcff", "x" * 100_001])
def test_an_id_that_cannot_be_stored_is_refused_when_it_is_saved(tmp_path, query):
    measures, scores = {"rr": assay.parse_measure("rr")}, {"rr": np.array([1.0])}
    with pytest.raises(assay.DataError, match="cannot be stored; give ids that are short and valid Unicode"):
        assay.Result(measures, [query], scores, "assay", assay.Policies()).save(tmp_path / "r.json")


def test_a_result_that_could_not_be_loaded_is_not_saved(result, tmp_path, monkeypatch):
    monkeypatch.setattr("assay.stored.MOST_BYTES", 1000)
    with pytest.raises(assay.DataError, match="a stored result has at most 0 MB"):
        result.save(tmp_path / "r.json")
    assert not (tmp_path / "r.json").exists()


NAMED = [
    (
        "assay",
        ["ap(rel=2)", "P@5", "judged@10", "ndcg(gain=exp2)@10", "err@10", "rbp", "trec_eval:map", "ranx:ndcg@10"],
        {},
    ),
    ("assay", ["ap", "P@5", "ndcg@10"], {"rel": 2}),
    ("trec_eval", ["map", "P.5,10", "official", "ndcg_cut.10", "iprec_at_recall"], {"rel": 2}),
    ("ranx", ["map", "ndcg@10", "mrr", "precision@5", "map-l2"], {}),
    ("ir_measures", ["AP(rel=2)", "nDCG@10", "P@5", "ERR@20"], {}),
    ("gdeval", ["ndcg@10", "err@20"], {}),
    ("beir", ["NDCG@10", "MAP@100"], {}),
]


@pytest.mark.parametrize(("convention", "names", "options"), NAMED)
def test_names_of_every_tool_can_be_loaded(tmp_path, convention, names, options):
    result = assay.evaluate({**QRELS, "q3": {"d": 1}}, RUN, names, convention=convention, **options)
    assert again(result, tmp_path / "r.json").measures == result.measures


def test_a_file_object_can_be_loaded(stored, result):
    with stored[0].open("rb") as file:
        assert assay.load_result(file).mean.keys() == result.mean.keys()


def test_a_file_that_a_formatter_has_rewritten_can_be_loaded(stored, result):
    path, content = stored
    path.write_text("\ufeff" + json.dumps(content, indent=4, sort_keys=True), encoding="utf-8")
    assert assay.load_result(path).mean == result.mean


@pytest.fixture
def own(tmp_path):
    """A stored result of measures that are not defined any more; their names and what is saved."""

    @assay.measure("cost", formula="x", higher_is_better=False, range=(0, 9), aggregate="sum")
    def cost(judged, *, k: assay.Cutoff = None, price: float = 2.0):
        return price * judged.cut(k)

    @assay.measure("whole", formula="x", corpus=lambda judged: judged.size / 7)
    def whole(judged):
        return np.full(judged.size, np.nan)

    result = assay.evaluate(QRELS, RUN, ["cost@2", "cost(price=3)", "whole", "ap"])
    result.save(tmp_path / "own.json")
    yield tmp_path / "own.json", result
    for name in ("cost", "whole"):
        if name in assay.core.measure.TABLE:
            assay.remove_measure(name)


def test_measures_that_are_still_defined_are_themselves(own):
    path, result = own
    loaded = assay.load_result(path)
    assert loaded.measures == result.measures
    assert loaded["whole"] == result["whole"] == 3 / 7
    assert loaded.notes == result.notes


def test_measures_that_are_not_defined_any_more_keep_their_names_and_values(own):
    path, result = own
    assay.remove_measure("cost")
    assay.remove_measure("whole")
    loaded = assay.load_result(path)
    assert loaded.mean == result.mean
    assert loaded.signature == result.signature
    assert str(loaded.measures["cost@2"]) == "cost(price=2)@2"
    assert not loaded.measures["cost@2"].definition.higher_is_better
    assert loaded.interval("cost@2") == result.interval("cost@2")
    assert [str(note) for note in loaded.notes if note.kind == "not_defined"] == [
        "cost@2 is not defined here; its stored values stand",
        "cost(price=3) is not defined here; its stored values stand",
        "whole is not defined here; its stored values stand",
    ]
    with pytest.raises(assay.MeasureError, match=r"'cost\(price=2\)@2' is known from a stored result only"):
        assay.evaluate(QRELS, RUN, [loaded.measures["cost@2"]])


def test_a_measure_that_is_not_defined_can_be_compared_and_saved_again(own, tmp_path):
    path, result = own
    assay.remove_measure("cost")
    one, two = assay.load_result(path), again(assay.load_result(path), tmp_path / "again.json")
    assert two.notes == one.notes
    pair = assay.compare(None, {"one": one, "two": two}, ["cost@2"]).pairs[0]
    assert (pair.ties, pair.mean_a) == (3, result["cost@2"])


def test_a_name_that_means_another_measure_by_now_keeps_what_it_meant(own):
    path, _ = own
    assay.remove_measure("cost")

    @assay.measure("cost", formula="x", higher_is_better=True)
    def cost(judged, *, k: assay.Cutoff = None, price: float = 2.0):
        return price * judged.cut(k)

    loaded = assay.load_result(path)
    assert not loaded.measures["cost@2"].definition.higher_is_better
    assert loaded.measures["cost@2"] != cost(k=2)


BROKEN = [
    (b"", "line 1: the file is cut off"),
    (b"{", "line 1: the file is cut off"),
    (b'{"assay":"result","version":1,\n"convention":"ass', "line 2: the file is cut off"),
    (b'{"assay":"result" "version":1}', "line 1: this is not JSON"),
    (b'{"assay":"result","version":1,"version":1}', "a name stands twice in one object"),
    (b'{"assay":"result","version":NaN}', "NaN is not JSON; a missing value is null"),
    (b'{"assay":"result","version":' + b"1" * 5000 + b"}", "a number has too many digits"),
    (b'{"assay":"result","version":' + b"[" * 200_000 + b"}", "the values are nested too deeply"),
    (b'{"assay":"\xff"}', "bytes that are not UTF-8"),
    (b'{"q1":{"d1":1.0}}', "this is not a stored result; write"),
    (b"[1,2]", "this is not a stored result; write"),
    (b'{"assay":"results"}', "this is not a stored result; write"),
    (b'{"signature":"","measures":{},"queries":{},"notes":[]}', "it looks like what `to_json` gives"),
]


@pytest.mark.parametrize(("content", "message"), BROKEN)
def test_a_file_that_cannot_be_read_is_named_with_the_reason(tmp_path, content, message):
    path = tmp_path / "b.json"
    path.write_bytes(content)
    with pytest.raises(assay.FormatError, match=r"b\.json: ") as caught:
        assay.load_result(path)
    assert message in str(caught.value)
    assert str(caught.value).endswith("; write the file again with `result.save`")


def test_a_file_that_was_cut_off_anywhere_is_refused(stored):
    path, _ = stored
    content = path.read_bytes()
    for end in range(0, len(content) - 2, 37):
        path.write_bytes(content[:end])
        with pytest.raises(assay.FormatError):
            assay.load_result(path)


SPOILT = [
    ({"version": 2}, "a newer assay wrote this file: it has version 2, and this assay reads up to version 1; update"),
    ({"version": 0}, "the version must be a whole number, not '0'"),
    ({"version": True}, "the version must be a whole number, not 'True'"),
    ({"version": "1"}, "the version must be a whole number, not '1'"),
    ({"extra": 1}, "the file has a field 'extra', which means nothing"),
    ({"written_by": ""}, "written_by must be a word, not ''"),
    ({"written_by": "1\x1b[31m"}, r"written_by must be a word, not '1\x1b[31m'"),
    ({"convention": "nobody"}, "this assay has no convention 'nobody'; update assay"),
    ({"convention": ["assay"]}, "convention must be a word"),
    ({"policies": []}, "policies must be an object"),
    ({"policies": {"ties": "maybe"}}, "ties must be 'docid_desc' or"),
    ({"policies": {"colour": "red"}}, "there is no option 'colour'"),
    ({"policies": {"rel": 10**400}}, "rel must be a number"),
    ({"measures": {}}, "measures must be a list"),
    ({"measures": ["ap"]}, "measure 1 must be an object, not 'ap'"),
    ({"measures": [{}]}, "measure 1 lacks 'name'"),
    ({"notes": {}}, "notes must be a list"),
    ({"notes": ["x"]}, "a note must be a word and a sentence, not 'x'"),
    ({"notes": [["a", 1]]}, "a note must be a word and a sentence"),
    ({"notes": [["", "x"]]}, "a note must be a word and a sentence"),
    ({"notes": [["kind", "red\x1b[31m"]]}, "a note must be a word and a sentence"),
    ({"notes": [["kind", "half \ud800"]]}, "a note must be a word and a sentence"),
    ({"notes": [["kind", "x" * 100_001]]}, "a note must be a word and a sentence"),
    ({"queries": {}}, "queries must be a list"),
    ({"queries": [["\udcff", 0, 0, 0, 0, 0, 0, 0, 0]]}, "row 1 of the queries has an id that cannot be one: '\\udcff'"),
    ({"queries": [["x" * 100_001, 0, 0, 0, 0, 0, 0, 0, 0]]}, "row 1 of the queries has an id that cannot be one: 'xxx"),
    ({"queries": [["q1"]]}, "row 1 of the queries must be an id and 8 values"),
    ({"queries": [[1, 0, 0, 0, 0, 0, 0, 0, 0]]}, "row 1 of the queries must be an id and 8 values"),
    ({"queries": [["q", 0, 0, 0, 0, 0, 0, 0, 0]] * 2}, "query 'q' stands twice"),
    ({"queries": [["q", "0", 0, 0, 0, 0, 0, 0, 0]]}, "ap of query 'q' must be a number that a float can hold"),
    ({"queries": [["q", True, 0, 0, 0, 0, 0, 0, 0]]}, "or null, not 'True'"),
    ({"queries": [["q", 10**400, 0, 0, 0, 0, 0, 0, 0]]}, "must be a number that a float can hold"),
    ({"queries": [["q", 2**53 + 1, 0, 0, 0, 0, 0, 0, 0]]}, "must be a number that a float can hold"),
    ({"queries": [["q", [], 0, 0, 0, 0, 0, 0, 0]]}, "or null, not '[]'"),
]


@pytest.mark.parametrize(("change", "message"), SPOILT)
def test_every_field_is_checked(stored, change, message):
    path, content = stored
    path.write_text(json.dumps({**content, **change}))
    with pytest.raises(assay.FormatError, match=r"baseline\.json: ") as caught:
        assay.load_result(path)
    assert message in str(caught.value)


ABOUT = [
    ({"measure": ""}, "measure 1 must have a name, not 'ap' and ''"),
    ({"measure": "x" * 1001}, "measure 1 must have a name"),
    ({"measure": 1}, "measure 1 must have a name, not 'ap' and '1'"),
    ({"name": None}, "measure 1 must have a name, not 'None' and"),
    ({"name": "P@2", "measure": "precision(rel=1,over=k)@2"}, "measure 'P@2' stands twice"),
    ({"name": ""}, "measure 1 must have a name, not ''"),
    ({"name": "x" * 1001}, "measure 1 must have a name, not 'xxx"),
    ({"name": "red\x1b[31m"}, "measure 1 must have a name, not 'red"),
    ({"name": "half \ud800"}, "measure 1 must have a name, not 'half"),
    ({"name": "ndcg@10"}, "'ndcg@10' means ndcg("),
    ({"name": "map@10"}, "'map@10' means ap(rel=1,norm=relevant,ties=rank,nothing=zero)@10, and ap(rel=1,"),
    ({"name": "rr"}, "and ap(rel=1,norm=relevant,ties=rank,nothing=zero) is stored under it"),
    ({"aggregate": "median"}, "measure 1: aggregate must be mean or geometric or sum, not 'median'"),
    ({"aggregate": ["mean"]}, "aggregate must be mean or"),
    ({"higher_is_better": 1}, "measure 1: higher_is_better must be true or false, not '1'"),
    ({"mean": "x"}, "the mean of 'ap' must be a number"),
    ({"policies": 1}, "policies must be an object"),
    ({"function": "os.system"}, "measure 1 has a field 'function', which means nothing"),
]


@pytest.mark.parametrize(("change", "message"), ABOUT)
def test_every_field_of_a_measure_is_checked(stored, change, message):
    path, content = stored
    content["measures"][0].update(change)
    path.write_text(json.dumps(content))
    with pytest.raises(assay.FormatError, match=r"baseline\.json: ") as caught:
        assay.load_result(path)
    assert message in str(caught.value)


@pytest.mark.parametrize("field", ["written_by", "convention", "policies", "measures", "notes", "queries"])
def test_a_field_that_is_missing_is_named(stored, field):
    path, content = stored
    del content[field]
    path.write_text(json.dumps(content))
    with pytest.raises(assay.FormatError, match=f"the file lacks '{field}'; write the file again"):
        assay.load_result(path)


def test_a_number_too_large_for_a_float_is_refused(stored):
    path, content = stored
    path.write_text(json.dumps(content).replace('["q1", 0.8333333333333333', '["q1", 1e999'))
    with pytest.raises(
        assay.FormatError, match="ap of query 'q1' must be a number that a float can hold, or null, not 'inf'"
    ):
        assay.load_result(path)


@settings(max_examples=100, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(data=st.data())
def test_a_file_with_anything_else_in_it_is_loaded_or_refused(stored, data):
    """Any value of the JSON is replaced by any other."""
    path, content = stored
    spoilt = json.loads(json.dumps(content))
    anything = st.recursive(
        st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=5),
        lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
        max_leaves=5,
    )
    place = spoilt
    while True:
        key = data.draw(st.sampled_from(range(len(place)) if isinstance(place, list) else sorted(place)))
        if not isinstance(place[key], (dict, list)) or not place[key] or data.draw(st.booleans()):
            break
        place = place[key]
    place[key] = data.draw(anything)
    path.write_text(json.dumps(spoilt).replace("Infinity", "1e999"), encoding="utf-8")
    try:
        loaded = assay.load_result(path)
    except assay.FormatError as error:
        assert "baseline.json: " in str(error)
    else:
        assert len(str(loaded)) > 0
        assert len(loaded.to_json()) > 0


def test_infinite_scores_are_kept(tmp_path):
    scores = {"rr": np.array([math.inf, -math.inf, math.nan])}
    result = assay.Result({"rr": assay.parse_measure("rr")}, ["a", "b", "c"], scores, "assay", assay.Policies())
    np.testing.assert_array_equal(again(result, tmp_path / "r.json").scores["rr"], scores["rr"])


def test_a_policy_without_a_name_at_the_time_is_as_it_was(stored):
    path, content = stored
    del content["policies"]["grades"]
    path.write_text(json.dumps(content))
    assert assay.load_result(path).policies == assay.Policies()


def test_a_small_file_that_unpacks_into_a_huge_one_is_refused(tmp_path, monkeypatch):
    monkeypatch.setattr("assay.stored.MOST_BYTES", 1 << 20)
    path = tmp_path / "bomb.json.gz"
    path.write_bytes(gzip.compress(b" " * (2 << 20)))
    with pytest.raises(assay.FormatError, match=r"bomb.json.gz: more than 1 MB is no stored result"):
        assay.load_result(path)


def test_files_that_are_not_there(tmp_path, result):
    with pytest.raises(assay.FileError, match="there is no file"):
        assay.load_result(tmp_path / "none.json")
    with pytest.raises(assay.FileError, match="is a directory"):
        assay.load_result(tmp_path)
    with pytest.raises(assay.FileError, match="cannot be written"):
        result.save(tmp_path / "none" / "r.json")


def test_a_file_stays_as_it_is_until_the_new_one_is_whole(stored, monkeypatch):
    path, _ = stored
    before = path.read_bytes()
    monkeypatch.setattr("assay.stored.compact", lambda _: 1 / 0)
    with pytest.raises(ZeroDivisionError):
        assay.load_result(path).save(path)
    assert path.read_bytes() == before
    assert [each.name for each in Path(path.parent).iterdir()] == ["baseline.json"]
