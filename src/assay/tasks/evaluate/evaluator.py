"""`Evaluator`: judgments and measures for many runs, or for rankings that come one by one."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from assay.tasks.evaluate.score import warned
from assay.tasks.evaluate.scorer import DEFAULT_MEASURES, RunRead, make_scorer

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from assay._kernel import Progress
    from assay.core.measure import Measure
    from assay.core.policies import Policies
    from assay.data.qrels import Qrels
    from assay.results.result import Result


class Evaluator:
    """Judgments and measures prepared once, for many runs or for rankings that arrive query by query.

    >>> evaluator = Evaluator({"q1": ["d1"], "q2": ["d2"]}, ["rr"])
    >>> evaluator.evaluate({"q1": ["d1"], "q2": ["d9", "d2"]})["rr"]
    0.75
    >>> evaluator.add("q1", ["d1", "d9"])
    >>> evaluator.add("q2", {"d2": 0.7})
    >>> evaluator.result()["rr"]
    1.0

    Queries that have not been added yet count as missing; with `missing="skip"` the result covers the queries added so
    far.
    """

    def __init__(
        self,
        qrels: object,
        measures: str | Iterable[str | Measure] = DEFAULT_MEASURES,
        *,
        convention: str = "assay",
        threads: int | None = None,
        **policies: Any,  # noqa: ANN401 - checked by name
    ) -> None:
        self._scorer = make_scorer(qrels, measures, convention=convention, threads=threads, **policies)
        self._added: RunRead | None = None

    @property
    def qrels(self) -> Qrels:
        """The judgments."""
        return self._scorer.qrels

    @property
    def measures(self) -> dict[str, Measure]:
        """The measures, by their names in the result."""
        return {name: each.measure for name, each in self._scorer.measures.items()}

    @property
    def convention(self) -> str:
        """The name of the convention."""
        return self._scorer.convention.name

    @property
    def policies(self) -> Policies:
        """The policies of all measures that have none of their own."""
        return self._scorer.policies

    def evaluate(
        self,
        run: object,
        *,
        format: str | None = None,
        columns: Mapping[str, str] | None = None,
        progress: Progress | None = None,
    ) -> Result:
        """The result of one run; rankings added query by query are not affected."""
        return warned(self._scorer.evaluate(run, format=format, columns=columns, progress=progress))

    def add(self, query: object, ranking: object) -> None:
        """Adds the ranking of one query, in any form that a run's queries can have."""
        if self._added is None:
            self._added = self._scorer.start()
        self._scorer.add(self._added, query, ranking)

    def reset(self) -> None:
        """Forgets the rankings that were added."""
        self._added = None

    def result(self) -> Result:
        """The result of the rankings added so far."""
        return warned(self._scorer.score(self._added or self._scorer.start()))
