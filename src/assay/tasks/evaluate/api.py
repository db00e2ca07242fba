"""`evaluate` and `evaluate_many`: judgments and runs in, results out."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from assay.core.errors import DataError, PolicyError
from assay.data.run import name_runs
from assay.results.results import Results
from assay.tasks.evaluate.score import warned
from assay.tasks.evaluate.scorer import DEFAULT_MEASURES, make_scorer

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from assay._kernel import Progress
    from assay.core.measure import Measure
    from assay.results.result import Result


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
    human: object = None,
    votes: object = None,
    **policies: Any,  # noqa: ANN401 - checked by name
) -> Result:
    """Scores a run against judgments.

    Both may be dicts, lists, named tuples, frames, paths or file objects, or a `Qrels` and a `Run`. A run file is
    scored while it is read and never held in memory.

    >>> import assay
    >>> qrels = {"q1": {"d1": 3, "d2": 0, "d3": 1}, "q2": {"d4": 1}}
    >>> run = {"q1": {"d1": 0.9, "d2": 0.8, "d3": 0.7}, "q2": {"d5": 0.4, "d4": 0.3}}
    >>> result = assay.evaluate(qrels, run, ["ndcg@10", "ap", "rr"])
    >>> round(result["ndcg@10"], 4), result["rr"], result.scores["ap"].tolist()
    (0.7974, 0.75, [0.8333333333333333, 0.5])

    `convention` sets all policies at once; each can also be set by its own name (see `assay.Policies`). `format` and
    `columns` say how to read the run if that cannot be inferred; use `assay.read_qrels` for judgments that need the
    same. `threads` changes only the speed. `doc_id` finds the documents of a run of chunks: `doc_id="before:#"`. An
    `assay.DataWarning` says if hardly a judged document was retrieved.

    `human` are people's judgments (or scores) of a random part of the queries: means and intervals are then
    prediction-powered, and right even if `qrels`, made by an LLM say, err.

    `votes` are people's votes, or an `assay.Votes`: their judgments count in place of those in `qrels`, which may be
    None, and the intervals include that other people might have voted otherwise. An `assay.Votes` in place of `qrels`
    does the same.
    """
    if votes is None and hasattr(type(qrels), "drawn_grades"):
        qrels, votes = None, qrels
    if votes is not None:
        from assay.tasks.evaluate.voted import evaluate_voted

        if human is not None:
            raise PolicyError("votes are people's judgments already; leave out human")
        how: Any = {"format": format, "columns": columns, "progress": progress}
        scored: Any = {"convention": convention, "threads": threads, **policies}
        return warned(evaluate_voted(qrels, run, measures, votes, how=how, scored=scored))
    scorer = make_scorer(qrels, measures, convention=convention, threads=threads, **policies)
    if human is not None:
        from assay.tasks.evaluate.human import evaluate_anchored

        return warned(evaluate_anchored(scorer, run, human, format=format, columns=columns, progress=progress))
    return warned(scorer.evaluate(run, format=format, columns=columns, progress=progress))


def evaluate_many(
    qrels: object,
    runs: Mapping[str, object] | Sequence[object],
    measures: str | Iterable[str | Measure] = DEFAULT_MEASURES,
    *,
    convention: str = "assay",
    threads: int | None = None,
    **policies: Any,  # noqa: ANN401 - checked by name
) -> Results:
    """Scores several runs against the same judgments: runs by name, or a list of paths, each named after its file.

    >>> import assay
    >>> runs = {"one": {"q1": ["a", "b"]}, "two": {"q1": ["b", "a"]}}
    >>> print(assay.evaluate_many({"q1": ["a"]}, runs, ["rr"]).to_csv())
    run,rr
    one,1.0
    two,0.5
    <BLANKLINE>
    """
    named = name_runs(runs)
    if not named:
        raise DataError("no run to evaluate; pass at least one")
    scorer = make_scorer(qrels, measures, convention=convention, threads=threads, **policies)
    results = {name: scorer.evaluate(run) for name, run in named.items()}
    for name, result in results.items():
        warned(result, name)
    return Results(results)
