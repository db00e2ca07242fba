"""Data that changes while it is read, and objects whose methods raise."""

import threading
from collections import OrderedDict, UserDict
from operator import methodcaller
from typing import NamedTuple

import polars
import pytest

import assay
from tables import for_each

pytestmark = pytest.mark.attack("Objects that misbehave")

QRELS = {"q1": {"d1": 1, "d2": 0, "d3": 2}, "q2": {"d1": 1}}
RUN = {"q1": {"d1": 3.0, "d2": 2.0, "d3": 1.0}, "q2": {"d1": 1.0}}


class Acts:
    """A number that does something when it is read."""

    def __init__(self, act, value=7):
        self.act, self.value = act, value

    def __float__(self):
        self.act()
        return float(self.value)


class ActsAsId(Acts):
    """An id that does something when it is read."""

    def __index__(self):
        self.act()
        return self.value

    def __rshift__(self, bits):
        return self.value >> bits

    def __hash__(self):
        return self.value

    def __eq__(self, other):
        return self is other


CHANGES = {
    "add": lambda ranking: ranking.update(more=9.0),
    "remove": lambda ranking: ranking.pop("d3", None),
    "replace": lambda ranking: ranking.update(d3=5.0),
    "swap": lambda ranking: (ranking.pop("d3", None), ranking.update(d4=5.0)),
    "clear": lambda ranking: ranking.clear(),
    "grow": lambda ranking: ranking.update({f"n{number}": float(number) for number in range(10_000)}),
}
PLACES = ("score", "grade", "document", "query of the run", "query of the judgments")


def changing(place, change):
    """Judgments and a run, one of which changes itself while it is read."""
    qrels, run = {query: dict(grades) for query, grades in QRELS.items()}, {query: dict(RUN[query]) for query in RUN}
    if place == "score":
        run["q1"]["d1"] = Acts(lambda: change(run["q1"]))
    elif place == "grade":
        qrels["q1"]["d1"] = Acts(lambda: change(qrels["q1"]))
    elif place == "document":
        run["q1"] = {ActsAsId(lambda: change(run["q1"])): 1.0, **run["q1"]}
    else:
        outer = run if place == "query of the run" else qrels
        outer["d3"] = dict(outer["q1"])
        outer["q1"]["d1"] = Acts(lambda: change(outer))
    return qrels, run


@for_each("change", CHANGES)
@for_each("place", PLACES)
def test_a_dict_that_changes_while_it_is_read_is_an_error(place, change):
    qrels, run = changing(place, CHANGES[change])
    said = "changed while being read; pass a copy that nothing else changes$"
    with pytest.raises(assay.errors.DataError, match=said):
        assay.evaluate(qrels, run, ["ap"])


TABLES = [(assay.Qrels, "grade"), (assay.Qrels, "query of the judgments")]
TABLES += [(assay.Run, place) for place in ("score", "document", "query of the run")]


@for_each(("build", "place"), TABLES)
def test_a_table_of_a_changing_dict_is_an_error(build, place):
    build(changing(place, lambda _: None)[build is assay.Run])
    with pytest.raises(assay.errors.DataError, match="changed while being read"):
        build(changing(place, CHANGES["add"])[build is assay.Run])


LISTS = [
    *(methodcaller(name) for name in ("pop", "clear", "reverse")),
    *(methodcaller("append", ("d9", 0.5)), methodcaller("__setitem__", -1, ("d9", 0.5))),
]


@for_each("change", LISTS)
def test_a_list_that_changes_while_it_is_read_is_an_error(change):
    ranking = []
    ranking += [("d1", Acts(lambda: change(ranking))), ("d2", 2.0), ("d3", 0.5)]
    with pytest.raises(assay.errors.DataError, match="ranking of query 'q1' changed while being read"):
        assay.evaluate(QRELS, {"q1": ranking}, ["ap"], missing="skip")


@for_each("change", ["pop", "clear", "append"])
@for_each("form", ["documents", "queries", "judged", "groups", "alternatives"])
def test_a_list_of_documents_that_changes_is_an_error(form, change):
    holder = []
    each = ActsAsId(lambda: getattr(holder, change)(*([8] if change == "append" else [])))
    holder += [[each, 8], [9]] if form in ("queries", "groups") else [each, 8, 9]
    other = {"q1": ["7", "8"]}
    qrels, run = {
        "documents": (other, {"q1": holder}),
        "queries": ([["7"], ["9"]], holder),
        "alternatives": ({"q1": [holder, [10]]}, other),
    }.get(form, ({"q1": holder}, other))
    with pytest.raises(assay.errors.DataError, match="changed while being read"):
        assay.evaluate(qrels, run, ["ap"])


class Views(dict):
    """A dict that says something else than it stores, and changes meanwhile."""

    def items(self):
        for number, item in enumerate(list(super().items())):
            if number == 1:
                self["more"] = 1.0
            yield item


class Growing(UserDict):
    def __getitem__(self, key):
        self.data[f"{key}+"] = 1.0
        return super().__getitem__(key)


def test_mappings_that_change_in_their_own_methods():
    iterated = OrderedDict(RUN["q1"])
    iterated["d1"] = Acts(lambda: iterated.update(more=1.0))
    # What its own methods say is what is read, once.
    assert assay.Run({"q1": Growing(RUN["q1"])})["q1"] == list(RUN["q1"].items())
    assert assay.Run(Growing(RUN)).queries == ["q1", "q2"]
    assert assay.Run({"q1": Views(RUN["q1"])})["q1"] == list(RUN["q1"].items())
    assert assay.Run({"q1": iterated}).queries == ["q1"]


def test_another_thread_changes_the_data(tried):
    """Either all of a ranking is read, or the change is told: never a number in between."""
    qrels = {"q1": {f"d{number}": 1 for number in range(50)}}
    full = {f"d{number}": Acts(lambda: None, number) for number in range(50)}
    stop = threading.Event()
    ranking = dict(full)

    def change():
        while not stop.is_set():
            ranking.pop("d49", None)
            ranking["d49"] = full["d49"]

    other = threading.Thread(target=change)
    other.start()
    seen = set()
    times = 300
    try:
        for _ in range(times):
            try:
                seen.add(assay.evaluate(qrels, {"q1": ranking}, ["num_rel_ret"]).mean["num_rel_ret"])
            except assay.errors.DataError as error:
                assert "changed while being read" in str(error)
    finally:
        stop.set()
        other.join()
    assert seen <= {49.0, 50.0}
    tried(times)


class Raises:
    """A value whose every method raises."""

    def __init__(self, error):
        self.error = error

    def fail(self, *_):
        raise self.error

    __float__ = __index__ = __str__ = __repr__ = fail


def raising(error):
    """A function that raises."""

    def act(given):  # noqa: ARG001 - as it is called
        """Fails."""
        raise error

    return act


def without(kind, method, error):
    """A mapping with a method that raises."""
    return type("Own", (kind,), {method: lambda mapping, *_: raising(error)(mapping)})({"d1": 1.0})


def as_measure(error):
    assay.extend.measure("failing")(raising(error))
    try:
        return assay.evaluate(QRELS, RUN, ["failing"])
    finally:
        assay.extend.remove_measure("failing")


def as_search(search):
    return assay.probe(search, {"q1": "who"}, {"q1": ["d1"]}, ["rr"], retries=0, progress=False)


def as_async_search(error):
    async def search(question):
        raising(error)(question)

    return as_search(search)


def as_response(error):
    def search(question):
        yield "d1"
        raising(error)(question)

    return as_search(search)


class Row(NamedTuple):
    query_id: str
    doc_id: str
    score: object


# A run with what raises.
BAD_RUNS = {
    "score of a dict": lambda error: {"q1": {"d1": Raises(error)}},
    "score of a pair": lambda error: {"q1": [("d1", Raises(error))]},
    "document in a list": lambda error: {"q1": [Raises(error)]},
    "items of a dict": lambda error: {"q1": without(dict, "items", error)},
    "items of all": lambda error: without(dict, "items", error),
    "mapping": lambda error: {"q1": without(UserDict, "__getitem__", error)},
    "named tuples": lambda error: [Row("q1", "d1", Raises(error)), Row("q1", "d2", 1.0)],
    "frame of objects": lambda error: polars.DataFrame({"query_id": "q1", "doc_id": "d1", "score": polars.Series([Raises(error)], dtype=polars.Object)}),
    "file": lambda error: type("File", (), {"read": lambda file, _: raising(error)(file)})(),
}  # fmt: skip
USES = {
    **{name: lambda error, make=make: assay.evaluate(QRELS, make(error), ["ap"]) for name, make in BAD_RUNS.items()},
    "grade": lambda error: assay.evaluate({"q1": {"d1": Raises(error)}}, RUN, ["ap"]),
    "judged document": lambda error: assay.Qrels({"q1": [Raises(error)]}),
    "query": lambda error: assay.Run({Raises(error): ["d1"]}),
    "function as a score": lambda error: assay.evaluate_rag([{"query_id": "q1", "answer": "a", "reference": "a"}], [raising(error)]),
    "measure of one's own": as_measure,
    "function as doc_id": lambda error: assay.evaluate(QRELS, RUN, ["ap"], doc_id=raising(error)),
    "search": lambda error: as_search(raising(error)),
    "asynchronous search": as_async_search,
    "response that is generated": as_response,
}  # fmt: skip


@for_each("kind", [KeyboardInterrupt, MemoryError, SystemExit, RecursionError, GeneratorExit])
@for_each("use", USES)
def test_what_is_not_about_the_value_passes_through_unchanged(use, kind):
    error = kind("mine")
    with pytest.raises(kind) as caught:
        USES[use](error)
    assert caught.value is error


# What these raise is the user's own and is not assay's to explain.
OWN = ("items of a dict", "items of all", "mapping", "measure of one's own")


@for_each("kind", [ValueError, ZeroDivisionError, KeyError, OSError, StopIteration])
@for_each("use", USES)
def test_other_errors_are_assays_or_the_users_own(use, kind):
    error = kind("mine")
    with pytest.raises((assay.AssayError, *([kind] if use in OWN else []))) as caught:
        USES[use](error)
    assert "report" not in str(caught.value)


@for_each("wrap", [lambda each: [each], lambda each: {"a": each}, lambda each: (each,)])
@for_each("depth", [100, 100_000])
def test_data_nested_too_deeply_is_an_error(depth, wrap):
    value = "d1"
    for _ in range(depth):
        value = wrap(value)
    for use in (
        lambda: assay.evaluate(QRELS, {"q1": value}, ["ap"]),
        lambda: assay.evaluate(QRELS, {"q1": {"d1": value}}, ["ap"]),
        lambda: assay.evaluate({"q1": {"d1": value}}, RUN, ["ap"]),
        lambda: assay.Qrels({"q1": value}),
        lambda: assay.Run([value]),
        lambda: assay.evaluate_rag([{"query_id": "q1", "answer": value, "reference": "a"}]),
    ):
        with pytest.raises(assay.AssayError):
            use()


@for_each("name", ["run.json", "run.jsonl", "records.jsonl"])
def test_a_file_nested_too_deeply_is_an_error(tmp_path, name):
    path = tmp_path / name
    deep = "[" * 100_000 + "]" * 100_000
    path.write_text(f'{{"query_id": "q1", "answer": {deep}, "results": {deep}}}\n' if "l" in name[-1] else deep)
    for read in (lambda: assay.evaluate(QRELS, path, ["ap"]), lambda: assay.evaluate_rag(path)):
        with pytest.raises(assay.AssayError):
            read()
