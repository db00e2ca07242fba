"""ranx's `Qrels`, `Run`, `evaluate` and `compare`, computed by assay.

>>> from assay.compat.ranx import Qrels, Run, evaluate
>>> qrels, run = Qrels({"q1": {"d1": 1, "d2": 2}}), Run({"q1": {"d2": 0.9, "d7": 0.5, "d1": 0.3}})
>>> round(float(evaluate(qrels, run, "map")), 4), run.mean_scores.keys()
(0.8333, dict_keys(['map']))

The numbers are those of the convention `ranx`. Plain dicts are paired by query id.
"""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING, Any

import numpy as np

from assay.compat._ranx_report import Report
from assay.compat._ranx_table import Table
from assay.core.errors import DataError, MismatchError
from assay.core.spelling import UNCUT
from assay.core.text import show, some
from assay.evaluation import evaluate as evaluate_with_assay

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from assay.core.judged import FloatArray

__all__ = ["Qrels", "Report", "Run", "compare", "evaluate"]


class Qrels(Table[int]):
    """Judgments: for each query its documents and their grades, which are whole numbers."""

    number = int
    is_judgments = True
    default_path = "qrels.json"

    @property
    def qrels(self) -> dict[str, dict[str, int]]:
        """`{query: {document: grade}}`."""
        return self.data

    def set_relevance_level(self, rel_lvl: int = 1) -> None:
        """Makes `rel_lvl` the grade 1, and moves all others with it."""
        for documents in self._data.values():
            documents.update({document: grade - (rel_lvl - 1) for document, grade in documents.items()})

    @classmethod
    def from_ir_datasets(cls, dataset_id: str) -> Qrels:
        """The judgments of a data set of the package ir_datasets."""
        from importlib import import_module

        return cls(import_module("ir_datasets").load(dataset_id).qrels_dict(), dataset_id)

    def _lines(self) -> Iterator[str]:
        for query, documents in self.data.items():
            for document, grade in documents.items():
                yield f"{query} 0 {document} {grade}"


class Run(Table[float]):
    """Rankings: for each query its documents and their scores, and what `evaluate` found."""

    number = float
    is_judgments = False
    default_path = "run.json"

    def __init__(self, run: Mapping[str, Mapping[str, Any]] | None = None, name: str | None = None) -> None:
        super().__init__(run, name)
        self.metadata: dict[str, Any] = {}
        self.scores: dict[str, dict[str, np.floating[Any]]] = defaultdict(dict)
        self.mean_scores: dict[str, np.floating[Any]] = {}
        self.std_scores: dict[str, np.floating[Any]] = {}

    @property
    def run(self) -> dict[str, dict[str, float]]:
        """`{query: {document: score}}`."""
        return self.data

    def make_comparable(self, qrels: Qrels) -> Run:
        """Adds an empty ranking for each judged query that is missing, and drops the queries without judgments."""
        self._data = {query: self._data.get(query, {}) for query in qrels.keys()}  # noqa: SIM118 - no mapping
        self._unsorted = set(self._data)
        return self

    def _lines(self) -> Iterator[str]:
        for query, documents in self.data.items():
            for rank, (document, score) in enumerate(documents.items(), start=1):
                yield f"{query} Q0 {document} {rank} {score} {self.name}"


def evaluate(  # noqa: PLR0917 - as ranx has it
    qrels: Qrels | Mapping[str, Mapping[str, float]],
    run: Run | Mapping[str, Mapping[str, float]],
    metrics: Sequence[str] | str,
    return_mean: bool = True,
    return_std: bool = False,
    threads: int = 0,
    save_results_in_run: bool = True,
    make_comparable: bool = False,
) -> Any:  # noqa: ANN401 - one number or many, by what is asked for
    """The mean of each metric; or with its standard deviation; or the score of each query, by query id.

    With one metric its number or numbers alone, with several a dict of them.
    """
    names = [metrics] if isinstance(metrics, str) else list(metrics)
    if make_comparable and isinstance(qrels, Qrels) and isinstance(run, Run):
        run.make_comparable(qrels)
    judgments = check(qrels, "qrels")
    scores = score(judgments, check(run, "run"), names, threads, is_cut=isinstance(qrels, Qrels))
    if isinstance(run, Run) and save_results_in_run:
        save(run, scores, list(judgments), with_deviation=return_mean and return_std)
    found: dict[str, Any] = dict(scores)
    if return_mean:
        found = {name: summary(values, with_deviation=return_std) for name, values in scores.items()}
    return found[names[0]] if len(names) == 1 else found


def compare(  # noqa: PLR0917 - as ranx has it
    qrels: Qrels,
    runs: Sequence[Run],
    metrics: Sequence[str] | str,
    stat_test: str = "student",
    n_permutations: int = 1000,
    max_p: float = 0.01,
    random_seed: int = 42,
    threads: int = 0,
    rounding_digits: int = 3,
    show_percentages: bool = False,
    make_comparable: bool = False,
) -> Report:
    """Evaluates runs and tests their differences, two by two.

    The tests are assay's: the randomization test depends on its seed alone, and Tukey's takes queries as blocks. As in
    ranx, p-values are not corrected; `assay.compare` does that.

    >>> qrels = Qrels({"q1": {"d1": 1}, "q2": {"d2": 1}})
    >>> good = Run({"q1": {"d1": 2.0}, "q2": {"d2": 1.0}}, name="good")
    >>> bad = Run({"q1": {"x": 1.0}, "q2": {"d2": 1.0}}, name="bad")
    >>> compare(qrels, [good, bad], ["mrr"]).win_tie_loss["good", "bad"]
    {'mrr': {'W': 1, 'T': 1, 'L': 0}}
    """
    names = [metrics] if isinstance(metrics, str) else list(metrics)
    scores: dict[str, dict[str, FloatArray]] = {}
    for number, run in enumerate(runs, start=1):
        name = run.name if isinstance(run, Run) and run.name is not None else f"run_{number}"
        if name in scores:
            raise DataError(f"two runs are named {show(name)}; give each a name of its own")
        found = evaluate(qrels, run, names, return_mean=False, threads=threads, make_comparable=make_comparable)
        scores[name] = {names[0]: found} if len(names) == 1 else found
    return Report(
        scores,
        names,
        stat_test=stat_test,
        n_permutations=n_permutations,
        max_p=max_p,
        random_seed=random_seed,
        rounding_digits=rounding_digits,
        show_percentages=show_percentages,
    )


def check(data: object, name: str) -> Mapping[str, Mapping[str, float]]:
    """The data as a dict by query."""
    if isinstance(data, Table):
        return data.data
    if isinstance(data, dict):
        return data
    raise DataError(f"{name} must be a {name.capitalize()} or a dict, not {show(data)}")


def score(
    qrels: Mapping[str, Mapping[str, float]],
    run: Mapping[str, Mapping[str, float]],
    names: Sequence[str],
    threads: int,
    *,
    is_cut: bool,
) -> dict[str, FloatArray]:
    """The scores of the queries, in the order of the judgments."""
    if qrels.keys() != run.keys():
        alone = sorted(map(str, qrels.keys() ^ run.keys()))
        advice = "pass Qrels and Run with make_comparable=True to leave out what is not judged and add what is missing"
        raise MismatchError(f"qrels and run do not have the same queries: {some(alone)} on one side only; {advice}")
    if not names:
        return {}
    # ranx cuts grades to whole numbers where it makes a Qrels of them, and only there.
    grades = "whole" if is_cut else "as_given"
    ours = {name: without_idle_cutoff(name) for name in names}
    result = evaluate_with_assay(
        qrels, run, list(ours.values()), convention="ranx", grades=grades, threads=threads or None
    )
    return {name: result.scores[result.key(our)] for name, our in ours.items()}


def without_idle_cutoff(name: str) -> str:
    """A metric's name without a cutoff that means nothing: @0 is all documents.

    >>> without_idle_cutoff("map@0-l2"), without_idle_cutoff("bpref@5"), without_idle_cutoff("map@10")
    ('map-l2', 'bpref', 'map@10')
    """
    base, at, rest = name.partition("@")
    cutoff, dash, level = rest.partition("-")
    return base + dash + level if at and (cutoff == "0" or base in UNCUT) and base != "rbp" else name


def summary(values: FloatArray, *, with_deviation: bool) -> np.floating[Any] | dict[str, np.floating[Any]]:
    """The mean, NaN where a query has no value; or a dict of it and the standard deviation."""
    return {"mean": np.mean(values), "std": np.std(values)} if with_deviation else np.mean(values)


def save(run: Run, scores: Mapping[str, FloatArray], queries: Sequence[str], *, with_deviation: bool) -> None:
    """Keeps the scores in the run."""
    for name, values in scores.items():
        run.mean_scores[name] = np.mean(values)
        if with_deviation:
            run.std_scores[name] = np.std(values)
        run.scores[name].update(zip(queries, values, strict=True))
