"""ranx's `Qrels`, `Run`, `evaluate` and `compare`, computed by assay.

>>> from assay.compat.ranx import Qrels, Run, evaluate
>>> qrels, run = Qrels({"q1": {"d1": 1, "d2": 2}}), Run({"q1": {"d2": 0.9, "d7": 0.5, "d1": 0.3}})
>>> round(float(evaluate(qrels, run, "map")), 4), run.mean_scores.keys()
(0.8333, dict_keys(['map']))

The numbers are those of the convention `ranx`. Plain dicts are paired by query id; arrays and typed lists, whose rows
are a document's number and its value, by their place. Ties are in ranx's order, for a `Run` and for a plain dict.
Errors are of ranx's types, and AssayErrors too. NaN scores rank where ranx puts them: last in a `Run`, first in a plain
dict. The rest of ranx (`fuse`, `normalize`, `optimize_fusion`, `plot`, ranxhub) is not available, and says so when
called.
"""

from collections.abc import Callable, Mapping, Sequence
from typing import Any, NoReturn

import numpy as np

from assay.compat._ranx_data import Qrels, RanxTable, Run, ranx_order
from assay.compat._ranx_files import MetricError, QueriesError, ValueOfWrongTypeError, refuse
from assay.compat._ranx_report import Report
from assay.core.errors import DataError, MeasureError
from assay.core.judged import FloatArray
from assay.core.text import show, some
from assay.tasks.evaluate.api import Scorer
from assay.tasks.evaluate.plan import make_plan

__all__ = ["Qrels", "Report", "Run", "compare", "evaluate"]

# An array has a column of documents and one of values.
COLUMNS = 2
ELSEWHERE = ("fuse", "normalize", "optimize_fusion", "plot")
ADVICE = "it only measures and compares runs; use ranx itself, whose Run accepts `run.to_dict()`"


def __getattr__(name: str) -> Callable[..., NoReturn]:
    if name not in ELSEWHERE:
        raise AttributeError(f"assay.compat.ranx has no {name!r}; it has {', '.join(__all__)}. The rest is in ranx")

    def unavailable(*_arguments: object, **_options: object) -> NoReturn:
        refuse(name, ADVICE)

    return unavailable


def evaluate(  # noqa: PLR0917 - as ranx has it
    qrels: Qrels | Mapping[str, Mapping[str, float]] | Sequence[FloatArray] | FloatArray,
    run: Run | Mapping[str, Mapping[str, float]] | Sequence[FloatArray] | FloatArray,
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
    judgments, rankings = values_by_query(qrels, "qrels"), values_by_query(run, "run")
    queries = list(rankings) if is_arrays(qrels) else list(judgments)
    if is_arrays(qrels) != is_arrays(run):
        judgments = judgments if is_arrays(qrels) else hashed(judgments)
        rankings = rankings if is_arrays(run) else hashed(rankings)
    # ranx truncates grades to whole numbers in a Qrels, and only there.
    scores = score_queries(judgments, rankings, names, threads, "whole" if isinstance(qrels, Qrels) else "as_given")
    if isinstance(run, Run) and save_results_in_run:
        for name, values in scores.items():
            run.mean_scores[name] = np.mean(values)
            if return_mean and return_std:
                run.std_scores[name] = np.std(values)
            run.scores[name].update(zip(queries, values, strict=True))
    found: dict[str, Any] = dict(scores)
    if return_mean:
        found = {name: np.mean(values) for name, values in scores.items()}
        if return_std:
            found = {name: {"mean": mean, "std": np.std(scores[name])} for name, mean in found.items()}
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


def values_by_query(data: Any, name: str) -> Mapping[str, Mapping[str, float]]:  # noqa: ANN401 - as ranx has it
    """The data as a dict by query, the documents as ranx ranks them; arrays of ids and values by their place."""
    if isinstance(data, RanxTable):
        return data.in_order()
    if isinstance(data, dict):
        return {query: ranked_dict(query, documents) for query, documents in data.items()} if name == "run" else data
    if not is_arrays(data):
        raise DataError(f"{name} must be a {name.capitalize()}, a dict or a list of arrays, not {show(data)}")
    found = {}
    for place, rows in enumerate(data):
        # In the order of the array, which ranx does not sort.
        array = np.asarray(rows)
        if array.ndim != COLUMNS or (array.size and array.shape[1] != COLUMNS) or array.dtype.kind not in "iuf":
            wanted = f"query {place} must be an array of two columns: documents, values"
            raise DataError(f"{name}: {wanted}; got {show(rows)}")
        found[str(place)] = {repr(float(document)): float(value) for document, value in array}
    return found


def is_arrays(data: object) -> bool:
    """Whether it is an array, a numba list or a list: per query rows of a document's number and its value."""
    return isinstance(data, (list, tuple, np.ndarray)) or type(data).__module__.startswith("numba.typed")


def ranked_dict(query: object, documents: Mapping[str, Any]) -> dict[str, Any]:
    """The documents of a plain dict as ranx ranks them: from the highest value down, NaN first, ties in reverse."""
    rows = list(documents.items())
    try:
        order = ranx_order(np.array(list(documents.values()), dtype=np.float64))[::-1]
        return dict(rows[place] for place in order.tolist())
    except (TypeError, ValueError) as error:
        raise ValueOfWrongTypeError(f"query {show(query)}: a score is not a number: {error}") from None


def hashed(data: Mapping[str, Mapping[str, float]]) -> dict[str, dict[str, float]]:
    """Queries by their place and documents by their hash, as ranx has them in arrays."""
    return {
        str(place): {repr(float(hash(document))): value for document, value in documents.items()}
        for place, documents in enumerate(data.values())
    }


def score_queries(
    qrels: Mapping[str, Mapping[str, float]],
    run: Mapping[str, Mapping[str, float]],
    names: Sequence[str],
    threads: int,
    grades: str,
) -> dict[str, FloatArray]:
    """The scores of the queries, in the order of the judgments; the documents of the run are in order."""
    if qrels.keys() != run.keys():
        alone = sorted(map(str, qrels.keys() ^ run.keys()))
        advice = "pass Qrels and Run with make_comparable=True to drop unjudged queries and add missing ones"
        raise QueriesError(f"qrels and run have different queries: {some(alone)} on one side only; {advice}")
    if not names:
        return {}
    # Only ranx's own names; assay knows others, and the spellings of other tools.
    spelled = {name: f"ranx:{name}" for name in names}
    try:
        plan = make_plan(list(spelled.values()), convention="ranx", grades=grades)
        ranked = {query: list(documents) for query, documents in run.items()}
        scores = Scorer(plan, qrels, threads=threads or None).evaluate(ranked).scores
    except MeasureError as error:
        raise MetricError(str(error)) from None
    if several := [name for name, each in spelled.items() if each not in scores]:
        raise MetricError(f"{show(several[0])} names several metrics; name one, such as 'map'")
    return {name: scores[each] for name, each in spelled.items()}
