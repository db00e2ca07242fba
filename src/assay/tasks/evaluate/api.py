"""`evaluate`: judgments and a run in, a `Result` out."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from assay.core.errors import DataError
from assay.core.text import show
from assay.results.many import Results
from assay.results.result import Result
from assay.tasks.evaluate.evaluator import DEFAULT_MEASURES, Evaluator

if TYPE_CHECKING:
    from collections.abc import Iterable

    from assay._kernel import Progress
    from assay.core.measure import Measure


def evaluate(
    qrels: object,
    run: object,
    measures: str | Iterable[str | Measure] = DEFAULT_MEASURES,
    *,
    convention: str = "assay",
    format: str | None = None,
    columns: Mapping[str, str] | None = None,
    threads: int | None = None,
    progress: Progress | None = None,
    **policies: Any,  # noqa: ANN401 - checked by name
) -> Result:
    """Scores a run against judgments.

    Both may be dicts, lists, named tuples, frames, paths or file objects, or a `Qrels` and a `Run`. A run file is read
    while it is scored and never held whole.

    >>> import assay
    >>> qrels = {"q1": {"d1": 3, "d2": 0, "d3": 1}, "q2": {"d4": 1}}
    >>> run = {"q1": {"d1": 0.9, "d2": 0.8, "d3": 0.7}, "q2": {"d5": 0.4, "d4": 0.3}}
    >>> result = assay.evaluate(qrels, run, ["ndcg@10", "ap", "rr"])
    >>> round(result["ndcg@10"], 4), result["rr"], result.scores["ap"].tolist()
    (0.7974, 0.75, [0.8333333333333333, 0.5])

    `convention` sets all policies at once; each can be set by its own name too (see `assay.Policies`). `format` and
    `columns` tell how the run is read where that cannot be told from itself; judgments that need as much are read with
    `assay.read_qrels`. `threads` changes the speed and nothing else.
    """
    evaluator = Evaluator(qrels, measures, convention=convention, threads=threads, **policies)
    return evaluator.evaluate(run, format=format, columns=columns, progress=progress)


def evaluate_many(
    qrels: object,
    runs: Mapping[str, object],
    measures: str | Iterable[str | Measure] = DEFAULT_MEASURES,
    *,
    convention: str = "assay",
    threads: int | None = None,
    **policies: Any,  # noqa: ANN401 - checked by name
) -> Results:
    """Scores several runs against the same judgments.

    >>> import assay
    >>> runs = {"one": {"q1": ["a", "b"]}, "two": {"q1": ["b", "a"]}}
    >>> print(assay.evaluate_many({"q1": ["a"]}, runs, ["rr"]).to_csv())
    run,rr
    one,1.0
    two,0.5
    <BLANKLINE>
    """
    if not isinstance(runs, Mapping):
        raise DataError(f"the runs must be a dict of name and run, not {show(runs)}")
    if not runs:
        raise DataError("there is no run to evaluate")
    evaluator = Evaluator(qrels, measures, convention=convention, threads=threads, **policies)
    return Results({name: evaluator.evaluate(run) for name, run in runs.items()})
