"""What `import assay` gives: every name on purpose, each with a word about it."""

import copy
import inspect
import pickle
import re
import types
from functools import cache
from importlib.metadata import version
from pathlib import Path

import pytest

import assay
from assay.measures import TABLE
from outcomes import run_python
from tables import for_each

ROOM = Path(assay.__file__).parent
MODULES = ("compat", "errors", "extend", "judges", "live", "spark", "terminal")


def test_the_list_holds_what_is_defined_on_purpose():
    assert assay.__all__ == sorted(set(assay.__all__)) == sorted(vars(assay)["_HOMES"])
    assert sorted({*assay.__all__, *MODULES}) == dir(assay)
    assert [name for name in assay.__all__ if getattr(assay, name, None) is None] == []
    rooms = {path.name.partition(".")[0] for path in ROOM.iterdir() if path.suffix in ("", ".py", ".so", ".pyd")}
    extra = {name for name in vars(assay) if not name.startswith("_")} - set(assay.__all__)
    assert {name for name in extra if not isinstance(getattr(assay, name), types.ModuleType)} == set()
    assert extra <= rooms
    # No module has the name of a function.
    assert {path.stem for path in ROOM.iterdir()}.isdisjoint(assay.__all__)


PUBLIC = [name for name in assay.__all__ if isinstance(getattr(assay, name), (type, types.FunctionType))]


@for_each("name", PUBLIC)
def test_what_is_public_belongs_to_assay(name):
    value = getattr(assay, name)
    assert value.__module__ == "assay"
    assert pickle.loads(pickle.dumps(value)) is value  # noqa: S301 - our own


ONE, TWO = {"q": ["a", "b"], "r": ["c"]}, {"q": ["b", "a"], "r": ["c"]}
JUDGED = {"q": {"a": 2, "b": 0}, "r": {"c": 1}}
ROW = {"query_id": "q", "gold": ["a"], "retrieved": ["a", "b"], "answer": "x y", "references": ["x"]}
RETURNED = {
    "evaluate": lambda: assay.evaluate(JUDGED, ONE, ["rr", "ranx:ndcg_burges@10", "gmap", "bpref"]),
    "evaluate_many": lambda: assay.evaluate_many(JUDGED, {"one": ONE, "two": TWO}, ["rr", "ndcg@3"]),
    "evaluate_answers": lambda: assay.evaluate_answers({"q": ["a b"]}, {"q": "a c"}, ["bleu", "f1", "rouge_l"]),
    "evaluate_rag": lambda: assay.evaluate_rag([ROW], ["recall", "em", "bleu"]),
    "compare": lambda: assay.compare(JUDGED, {"one": ONE, "two": TWO}, ["rr"]),
    "audit": lambda: assay.audit(JUDGED, ONE, "map"),
    "agree": lambda: assay.agree(JUDGED, {"q": {"a": 1}, "r": {"c": 1}}, runs={"one": ONE, "two": TWO}),
    "votes": lambda: assay.votes([{"query": "q", "document": "a", "voter": "v", "vote": "up"}]),
    "clicks": lambda: assay.clicks([{"query": "q", "document": "a", "position": 1, "clicked": 1}], min_impressions=1),
    "gate": lambda: assay.gate(JUDGED, ONE, {"rr": 0.5}),
    "diff": lambda: assay.diff(JUDGED, TWO, measure="rr"),
    "check": lambda: assay.check(JUDGED, ONE),
    "probe": lambda: assay.probe(ONE.get, {"q": "q", "r": "r"}, JUDGED, ["rr"]),
}
GRADED = '{"intent": "x", "fit": 2, "trust": 2, "grade": 2}'
VALUES = {
    **RETURNED,
    "Qrels": lambda: assay.Qrels(JUDGED),
    "Run": lambda: assay.Run(ONE, tag="one"),
    "Measure": lambda: assay.parse_measure("ndcg@10"),
    "Note": lambda: assay.evaluate(JUDGED, {"q": ["a"]}, ["rr"]).notes[0],
    "error": lambda: assay.errors.DataError("a message"),
    "Signature": lambda: assay.evaluate(JUDGED, ONE, ["rr"]).signature,
    "Chart": lambda: assay.plot("cutoff", JUDGED, {"one": ONE, "two": TWO}, ["rr@10"]),
    "RelevanceJudgments": lambda: assay.judges.judge_relevance({"q": "why?"}, {"one": {"q": ["a"]}}, {"a": "text"}, judge=assay.Judge(lambda _: GRADED, cache=False)),
}  # fmt: skip
WAYS = [
    *(copy.copy, copy.deepcopy),
    *(lambda value, number=number: pickle.loads(pickle.dumps(value, number)) for number in (2, 3, 4, 5)),  # noqa: S301 - our own
]


@cache
def made(name):
    return VALUES[name]()


@for_each("way", WAYS)
@for_each("name", VALUES)
def test_a_copy_is_as_the_original(name, way):
    value = made(name)
    again = way(value)
    assert type(again) is type(value)
    assert (str(again), repr(again)) == (str(value), repr(value))
    assert getattr(again, "mean", None) == getattr(value, "mean", None)
    for export in {"to_dict", "to_json"} & {*dir(value)}:
        assert getattr(again, export)() == getattr(value, export)()


@for_each("way", [copy.copy, copy.deepcopy])
def test_a_copied_comparison_keeps_its_documents(way):
    comparison = made("compare")
    moved = str(comparison.queries("rr", "one", "two"))
    assert str(pickle.loads(pickle.dumps(comparison)).queries("rr", "one", "two")) != moved  # noqa: S301 - our own
    assert str(way(comparison).queries("rr", "one", "two")) == moved
    kept = pickle.loads(pickle.dumps(comparison.queries("rr", "one", "two")))  # noqa: S301 - our own
    assert str(kept) == moved


def check_names(value):
    """Completion offers only names with a meaning."""
    offered = [each for each in dir(value) if not each.startswith("_")]
    assert [each for each in offered if not hasattr(value, each)] == []
    methods = [getattr(type(value), each, None) for each in offered]
    assert [each for each in methods if callable(each) and not inspect.getdoc(each)] == []
    assert [each for each in offered if inspect.ismodule(getattr(value, each))] == []
    assert "to_run_dict" not in offered


@for_each("name", RETURNED)
def test_what_a_public_function_returns_is_pickled_as_a_public_name(name):
    value = made(name)
    check_names(value)
    check_names(assay.Evaluator(JUDGED, "rr"))
    kind = type(value).__name__
    assert f"\x8c\x05assay\x94\x8c{chr(len(kind))}{kind}".encode("latin-1") in pickle.dumps(value)


def test_measures_and_runs_are_pickled():
    result = assay.evaluate(JUDGED, ONE, ["ndcg@3"])
    for again in (pickle.loads(pickle.dumps(result)), copy.deepcopy(result)):  # noqa: S301 - our own
        assert again.measures == result.measures
        assert again["nDCG@3"] == result["ndcg@3"]
    for definition in TABLE.values():
        assert pickle.loads(pickle.dumps(definition)) is definition  # noqa: S301 - our own
    run = assay.Run({"q": {"a": 0.5, "b": 0.1}, "r": ["c", "d"], "s": [("a", 2.0), ("a", 1.0)], "t": []}, tag="mine")
    again = pickle.loads(pickle.dumps(run))  # noqa: S301 - our own
    assert (again.to_dict(), again.tag, again.queries) == (run.to_dict(), "mine", ["q", "r", "s", "t"])


def test_a_measure_without_a_home_is_not_pickled():
    @assay.extend.measure("homeless")
    def homeless(judged):
        return judged.relevant(1).count()

    try:
        result = assay.evaluate(JUDGED, ONE, ["homeless"])
    finally:
        assay.extend.remove_measure("homeless")
    assert copy.deepcopy(result).mean == result.mean
    said = "the measure 'homeless' cannot be pickled; define it at the top lev"
    with pytest.raises(assay.errors.MeasureError, match=said):
        pickle.dumps(result)


def test_a_measure_in_a_users_module_is_pickled(tmp_path):
    (tmp_path / "mine.py").write_text(
        "import assay\n\n@assay.extend.measure('mine')\ndef mine(judged):\n    return judged.relevant(1).count()\n"
    )
    write = "import assay, mine, pickle, sys; result = assay.evaluate({'q': ['a']}, {'q': ['a']}, ['mine'])\n"
    write += "sys.stdout.buffer.write(pickle.dumps(result))"
    read = "import pickle, sys; print(pickle.load(sys.stdin.buffer).mean)"
    stored = run_python("-c", write, cwd=tmp_path, check=True).stdout
    found = run_python("-c", read, cwd=tmp_path, check=True, input=stored)
    assert found.stdout.decode().split() == ["{'mine':", "1.0}"]


def test_a_result_with_a_measure_known_by_name_only_is_pickled(tmp_path):
    @assay.extend.measure("gone")
    def gone(judged):
        return judged.relevant(1).count()

    assay.evaluate(JUDGED, ONE, ["gone"]).save(tmp_path / "old.json")
    assay.extend.remove_measure("gone")
    loaded = assay.load_result(tmp_path / "old.json")
    again = pickle.loads(pickle.dumps(loaded))  # noqa: S301 - our own
    assert (again.measures, again.mean, str(again)) == (loaded.measures, loaded.mean, str(loaded))


COMMON = ["has_empty_queries", "has_repeats", "queries", "to_dict", "to_polars", "values", "write"]
OFFERED = {
    "Qrels": (assay.Qrels, [*COMMON, "duplicates", "grades", "groups", "has_equal_grades", "repeats", "source"]),
    "Run": (assay.Run, [*COMMON, "tag"]),
}


@for_each("name", OFFERED)
def test_completion_offers_what_is_public(name):
    kind, names = OFFERED[name]
    value = kind({"q": {"a": 1}})
    assert [each for each in dir(value) if not each.startswith("__")] == sorted(names)
    assert all(hasattr(value, each) for each in dir(value))


@for_each("name", [name for name in MODULES if name != "compat"])
def test_a_module_offers_what_is_public(name):
    module = getattr(assay, name)
    assert [each for each in dir(module) if not each.startswith("__")] == sorted(module.__all__)


def test_what_is_not_there_is_said_so():
    with pytest.raises(AttributeError, match="module 'assay' has no attribute 'evaluat'"):
        assay.evaluat  # noqa: B018 - the attribute is what is tested


def test_no_class_name_stands_twice():
    """But for those of a drop-in, which are the other tool's."""
    texts = [path.read_text(encoding="utf-8") for path in ROOM.rglob("*.py") if path.parent.name != "compat"]
    names = re.findall(r"^class (\w+)", "\n".join(texts), re.MULTILINE)
    assert len(names) > 200
    assert [name for name in names if names.count(name) > 1] == []


HEAVY = ["polars", "pandas", "pyarrow", "scipy", "rich", "click", "sacrebleu", "numpy", "assay.core.measure"]
LOADED = f"[name for name in {HEAVY} if name in __import__('sys').modules]"
NEEDED = ["numpy", "assay.core.measure"]
ROOMS = {
    "'live' in dir(assay) and 'ranx' in dir(assay.compat)": "True",
    "hasattr(assay.compat, 'nothing')": "False",
    "assay.live.HttpSearch('http://h/').name": "http://h/",
    "assay.live.probe is assay.probe": "True",
    "assay.compat.ranx.Run.__name__": "Run",
    "assay.compat.pytrec_eval.__name__": "assay.compat.pytrec_eval",
    "assay.compat.ir_measures.__name__": "assay.compat.ir_measures",
}
# Importing assay loads nothing heavy, evaluating dicts only what it needs.
LOADS = {LOADED: "[]", "assay.evaluate({'q': ['a']}, {'q': ['a']}, ['rr'])['rr']": "1.0", f"{LOADED} ": str(NEEDED)}


@for_each("expressions", [ROOMS, LOADS])
def test_a_room_is_there_when_it_is_named(expressions):
    code = f"import assay; print({', '.join(expressions)}, sep='\\n')"
    assert run_python("-c", code, check=True, text=True).stdout.splitlines() == [*expressions.values()]


@for_each("name", [name for name in assay.__all__ if callable(getattr(assay, name))])
def test_every_name_has_a_docstring_of_its_own(name):
    value = getattr(assay, name)
    assert value.__doc__, name
    assert value.__doc__.strip()
    if inspect.isclass(value):
        parents = [parent.__doc__ for parent in value.__mro__[1:]]
        assert value.__doc__ not in parents
        # A dataclass or a named tuple without one is given its signature.
        assert not value.__doc__.startswith(f"{name}(")


DOCUMENTED = "Qrels Run Result Results Comparison Evaluator Measure CheckReport GateReport Agreement Probe"


@for_each("owner", [*(getattr(assay, name) for name in DOCUMENTED.split()), assay.extend.Judged, assay.extend.Hits])
def test_every_public_method_has_a_docstring(owner):
    methods = {
        name: value
        for name, value in inspect.getmembers(owner)
        if not name.startswith("_") and (inspect.isfunction(value) or isinstance(value, property))
    }
    assert [name for name, value in methods.items() if not inspect.getdoc(value)] == []


def test_errors_form_one_tree():
    errors = [getattr(assay.errors, name) for name in assay.errors.__all__]
    assert len(errors) == 11
    assert all(issubclass(error, assay.errors.AssayError) for error in errors)
    assert {error.__module__ for error in errors} == {"assay", "assay.errors"}


def test_the_version_is_that_of_the_package():
    assert assay.__version__ == version("assay")
