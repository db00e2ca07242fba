"""ranx's `Qrels`, `Run`, `evaluate` and `compare`, computed by assay.

>>> from assay.compat.ranx import Qrels, Run, evaluate
>>> qrels, run = Qrels({"q1": {"d1": 1, "d2": 2}}), Run({"q1": {"d2": 0.9, "d7": 0.5, "d1": 0.3}})
>>> round(float(evaluate(qrels, run, "map")), 4), run.mean_scores.keys()
(0.8333, dict_keys(['map']))

The numbers are those of the convention `ranx`. Plain dicts are paired by query id. Errors are of ranx's types, and
AssayErrors too. Infinite scores rank first or last and tie with each other. NaN scores rank where ranx puts them: last
in a `Run`, first in a plain dict. The rest of ranx (`fuse`, `normalize`, `optimize_fusion`, `plot`, ranxhub) is not
available, and says so when called.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NoReturn

import numpy as np

from assay.compat._ranx_data import Qrels, RanxTable, Run
from assay.compat._ranx_errors import MetricError, QueriesError, refuse
from assay.compat._ranx_report import Report
from assay.compat._scores import best_first, is_finite
from assay.core.errors import DataError, MeasureError
from assay.core.text import show, some
from assay.tasks.evaluate.api import evaluate as evaluate_with_assay

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from assay.core.judged import FloatArray

__all__ = ["Qrels", "Report", "Run", "compare", "evaluate"]

ELSEWHERE = ("fuse", "normalize", "optimize_fusion", "plot")
ADVICE = "it only measures and compares runs; use ranx itself, whose Run accepts `run.to_dict()`"


def __getattr__(name: str) -> Callable[..., NoReturn]:
    if name not in ELSEWHERE:
        raise AttributeError(f"assay.compat.ranx has no {name!r}; it has {', '.join(__all__)}. The rest is in ranx")

    def unavailable(*_arguments: object, **_options: object) -> NoReturn:
        refuse(name, ADVICE)

    return unavailable


def evaluate(  # noqa: PLR0917 - as ranx has it
    qrels: Qrels | Mapping[str, Mapping[str, float]],
    run: Run | Mapping[str, Mapping[str, float]],
    metrics: Sequence[str] | str,
    return_mean: bool = True,
    return_std: bool = False,
    threads: int = 0,
    save_results_in_run: bool = True,
    make_comparable: bool = False,
) -> Any:  # noqa: ANN401 - one number or many, depending on the arguments
    """The mean of each metric, optionally with its standard deviation; or the scores of the queries, by query id.

    For a single metric these are returned directly, for several as a dict.
    """
    names = check_metrics(metrics)
    if make_comparable and isinstance(qrels, Qrels) and isinstance(run, Run):
        run.make_comparable(qrels)
    judgments = values_by_query(qrels, "qrels")
    rankings = values_by_query(run, "run")
    is_cut, nan_first = isinstance(qrels, Qrels), not isinstance(run, Run)
    scores = score_queries(judgments, rankings, names, threads, is_cut=is_cut, nan_first=nan_first)
    if isinstance(run, Run) and save_results_in_run:
        keep_scores(run, scores, list(judgments), with_deviation=return_mean and return_std)
    found: dict[str, Any] = dict(scores)
    if return_mean:
        found = {name: summarize_scores(values, with_deviation=return_std) for name, values in scores.items()}
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
    """Evaluates runs and tests the difference of each pair.

    The tests are assay's: the randomization test depends only on its seed, and Tukey's treats queries as blocks. As in
    ranx, p-values are not corrected; `assay.compare` corrects them.

    >>> qrels = Qrels({"q1": {"d1": 1}, "q2": {"d2": 1}})
    >>> good = Run({"q1": {"d1": 2.0}, "q2": {"d2": 1.0}}, name="good")
    >>> bad = Run({"q1": {"x": 1.0}, "q2": {"d2": 1.0}}, name="bad")
    >>> compare(qrels, [good, bad], ["mrr"]).win_tie_loss["good", "bad"]
    {'mrr': {'W': 1, 'T': 1, 'L': 0}}
    """
    names = check_metrics(metrics)
    scores: dict[str, dict[str, FloatArray]] = {}
    for number, run in enumerate(runs, start=1):
        name = run.name if isinstance(run, Run) and run.name is not None else f"run_{number}"
        if name in scores:
            raise DataError(f"two runs are named {show(name)}; give each its own name")
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


def check_metrics(metrics: Sequence[str] | str) -> list[str]:
    """The names of the metrics."""
    names = [metrics] if isinstance(metrics, str) else list(metrics)
    wrong = next((name for name in names if not isinstance(name, str)), None)
    if wrong is not None:
        raise MetricError(f"a metric must be a string such as 'ndcg@10', not {show(wrong)}")
    return names


def values_by_query(data: object, name: str) -> Mapping[str, Mapping[str, float]]:
    """The data as a dict by query."""
    if isinstance(data, RanxTable):
        return data.data
    if isinstance(data, dict):
        return data
    raise DataError(f"{name} must be a {name.capitalize()} or a dict, not {show(data)}")


def score_queries(
    qrels: Mapping[str, Mapping[str, float]],
    run: Mapping[str, Mapping[str, float]],
    names: Sequence[str],
    threads: int,
    *,
    is_cut: bool,
    nan_first: bool,
) -> dict[str, FloatArray]:
    """The scores of the queries, in the order of the judgments."""
    if qrels.keys() != run.keys():
        alone = sorted(map(str, qrels.keys() ^ run.keys()))
        advice = "pass Qrels and Run with make_comparable=True to drop unjudged queries and add missing ones"
        raise QueriesError(f"qrels and run have different queries: {some(alone)} on one side only; {advice}")
    if not names:
        return {}
    # ranx truncates grades to whole numbers in a Qrels, and only there.
    grades = "whole" if is_cut else "as_given"
    options: dict[str, Any] = {"convention": "ranx", "grades": grades, "threads": threads or None}
    # Only ranx's own names; assay knows others, and the spellings of other tools.
    spelled = [f"ranx:{name}" for name in names]
    try:
        result = evaluate_with_assay(qrels, run, spelled, **options)
    except MeasureError as error:
        raise MetricError(str(error)) from None
    except DataError:
        odd = [query for query, ranking in run.items() if not is_finite(ranking)]
        if not odd:
            raise
        # ranx's metrics depend only on the order of the documents, so it can replace scores that assay rejects.
        ranked = {**run, **{query: best_first(run[query], nan_first=nan_first) for query in odd}}
        result = evaluate_with_assay(qrels, ranked, spelled, **options)
    for name, each in zip(names, spelled, strict=True):
        if each not in result.scores:
            raise MetricError(f"{show(name)} names several metrics; name one, such as 'map'")
    return {name: result.scores[each] for name, each in zip(names, spelled, strict=True)}


def summarize_scores(values: FloatArray, *, with_deviation: bool) -> np.floating[Any] | dict[str, np.floating[Any]]:
    """The mean, NaN if a query has no value; or a dict of the mean and the standard deviation."""
    return {"mean": np.mean(values), "std": np.std(values)} if with_deviation else np.mean(values)


def keep_scores(run: Run, scores: Mapping[str, FloatArray], queries: Sequence[str], *, with_deviation: bool) -> None:
    """Keeps the scores in the run."""
    for name, values in scores.items():
        run.mean_scores[name] = np.mean(values)
        if with_deviation:
            run.std_scores[name] = np.std(values)
        run.scores[name].update(zip(queries, values, strict=True))
