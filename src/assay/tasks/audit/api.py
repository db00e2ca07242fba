"""`audit`: scores a run the way each tool with this measure would, and shows the effect of each choice.

Two tools differ in a handful of choices: what a measure divides by, its gain, its ties, which queries count. The audit
starts at the first tool and changes one choice after another until it reaches the other; each step shows the
effect of that choice on this data.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from assay.conventions import Chosen, find_convention, measure_names
from assay.core.errors import DuplicateError, MeasureError
from assay.core.measure import AGGREGATES
from assay.core.note import Note, NoteKind, loud_first
from assay.data.frames.frame import gather
from assay.data.qrels import Qrels
from assay.engine.ranking import rerank_ties, restrict
from assay.files.source import is_source, open_source
from assay.tasks.audit.readings import Reading, find_readings, start_note
from assay.tasks.audit.result import Account, Audit, Step, Ties, is_same
from assay.tasks.audit.steps import find_steps, points
from assay.tasks.evaluate.api import Scorer, overlap_notes
from assay.tasks.evaluate.plan import Plan
from assay.tasks.evaluate.score import Scored, is_among, refused_notes, score, warned

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from assay._kernel import Progress
    from assay.tasks.evaluate.plan import PolicyGroup


def audit(
    qrels: object,
    run: object,
    measures: str | Iterable[str] = ("map",),
    *,
    start: str = "assay",
    format: str | None = None,
    columns: Mapping[str, str] | None = None,
    doc_id: str | Callable[[str], str | None] | None = None,
    chunks: str = "best",
    threads: int | None = None,
    progress: Progress | None = None,
) -> Audit:
    """Scores a run the way each tool with this measure would, and shows the effect of each choice.

    >>> import assay
    >>> qrels = {"q1": {"d1": 1, "d2": 1, "d3": 1}, "q2": {"d4": 1}}
    >>> run = {"q1": {"d1": 0.9, "d9": 0.8, "d2": 0.7}}
    >>> for account in assay.audit(qrels, run, "map")["map"][:2]:
    ...     print(account.tool, account.name, round(account.value, 4), [step.choice for step in account.steps])
    assay ap 0.2778 []
    trec_eval map 0.5556 ['queries missing from the run are skipped']

    `start` is the tool that the steps start from. Parameters in the measure's name, such as `rel` or `p`, are passed on
    to every tool that has them. A tool without cutoffs gets a run that is cut there, and its row says so. `doc_id` and
    `chunks` score the documents of a run of chunks, as in `evaluate`.
    """
    names = [str(each) for each in measure_names(measures)]
    if not names:
        raise MeasureError("no measure to audit; name one, such as map")
    # Read once, as it may be needed twice.
    qrels = Qrels(qrels, duplicates=None) if is_source(qrels) else qrels
    readings = {name: find_readings(name, start) for name in names}
    rule = {} if doc_id is None else {"doc_id": doc_id, "chunks": chunks}
    if rule:
        readings = {name: [each.under(rule) for each in found] for name, found in readings.items()}
    notes = [note for name, each in readings.items() if (note := start_note(name, each[0])) is not None]
    with reread(run) as again:
        how = partial(AuditScores, rule=rule, threads=threads, format=format, columns=columns, progress=progress)
        score_run = partial(how, qrels, again)
        try:
            found = account_for(readings, score_run, notes)
        except DuplicateError as error:
            lenient, note = without_strict(readings, error)
            found = account_for(lenient, score_run, [*notes, note])
    return warned(found)


@contextmanager
def reread(run: Any) -> Iterator[Any]:  # noqa: ANN401 - any form of data
    """A run that can be read twice: what can be read only once is put aside, valid inside the context."""
    run = gather(run)
    if not is_source(run):
        yield run
        return
    with open_source(run) as source:
        yield source


def without_strict(
    readings: Mapping[str, list[Reading]], error: DuplicateError
) -> tuple[dict[str, list[Reading]], Note]:
    """The readings that allow duplicate documents, and a note on the others; raises if a measure has none."""
    lenient = {
        name: [reading for reading in each if reading.chosen.policies.duplicates != "error"]
        for name, each in readings.items()
    }
    if not all(lenient.values()):
        raise error
    strict = dict.fromkeys(
        reading.tool for name, each in readings.items() for reading in each if reading not in lenient[name]
    )
    return lenient, Note.of(NoteKind.STRICT, tools=", ".join(strict), reason=error)


def account_for(
    readings: Mapping[str, list[Reading]],
    score_run: Callable[[Iterable[tuple[str, Chosen]]], AuditScores],
    notes: list[Note],
) -> Audit:
    """Computes every reading and every step between them, in one pass over the run."""
    routes = {name: [find_steps(each[0].chosen, other.chosen) for other in each] for name, each in readings.items()}
    needed = [(reading.tool, reading.chosen) for each in readings.values() for reading in each]
    needed += [("assay", point) for each in routes.values() for route in each for _, point in route]
    scores = score_run(dict.fromkeys(needed))
    accounts = {
        name: tuple(scores.account(each[0], *pair) for pair in zip(each, routes[name], strict=True))
        for name, each in readings.items()
    }
    ties = {name: scores.ties(each[0]) for name, each in readings.items()}
    return Audit(accounts, ties, loud_first([*notes, *scores.notes]))


class AuditScores:
    """The scores of one run, read once, under every reading, each with the tool it belongs to."""

    def __init__(
        self,
        qrels: object,
        run: object,
        needed: Iterable[tuple[str, Chosen]],
        *,
        rule: Mapping[str, Any],
        threads: int | None,
        **how: Any,  # noqa: ANN401 - as in `audit`
    ) -> None:
        chosen = {f"{tool}:{number}": each for number, (tool, each) in enumerate(needed)}
        plan = Plan(chosen, "assay", find_convention("assay").policies.changed(rule), lenient=True)
        self.scorer = Scorer(plan, qrels, threads=threads)
        self.run = self.scorer.read(run, **how)
        by_name = plan.unusable(self.run)
        tools = plan.tools
        self.refused = {"assay": set(), **{tool.name: by_name.get(name, set()) for name, tool in tools.items()}}
        self.scored: dict[Chosen, Scored] = {}
        self.notes = [note for what, each in self.run.refused.items() for note in refused_notes(each, what)]
        self.notes += [*self.run.chunk_notes(0), *overlap_notes(self.run, plan.policies.doc_id)]
        for group in plan.groups:
            self.score_group(group)

    def score_group(self, group: PolicyGroup) -> None:
        """Computes the readings that share their policies, each once; what cannot be computed is a note."""
        judged, found = self.run.judged(group.policies, group.number)
        queries = self.scorer.qrels.queries
        for measure in dict.fromkeys(group.measures.values()):
            try:
                scored = score(judged, {"": measure}, group.policies, queries=queries, present=found >= 0)
            except MeasureError as error:
                self.notes.append(Note.of(NoteKind.UNCOMPUTED, reason=error))
            else:
                self.scored[Chosen(measure, group.policies)] = scored

    def as_tool(self, scored: Scored, tool: str) -> Scored:
        """The scores, with NaN for the queries that the tool cannot use."""
        refused = self.refused[tool]
        if not refused:
            return scored
        queries = self.scorer.qrels.queries
        blank = is_among([queries[number] for number in scored.keep], refused)
        return scored._replace(scores={"": np.where(blank, np.nan, scored.scores[""])})

    def value(self, chosen: Chosen, tool: str) -> float:
        """The mean of a reading, or its other aggregate; NaN if it cannot be computed."""
        scored = self.scored.get(chosen)
        return float("nan") if scored is None else overall(self.as_tool(scored, tool))

    def queries(self, chosen: Chosen, tool: str) -> int:
        """How many queries the number of a reading is made of."""
        scored = self.scored.get(chosen)
        return 0 if scored is None else int((~np.isnan(self.as_tool(scored, tool).scores[""])).sum())

    def account(self, start: Reading, reading: Reading, route: list[tuple[str, Chosen]]) -> Account:
        """A tool's number, and the steps to it."""
        steps, idle = [], []
        value = self.value(start.chosen, start.tool)
        for choice, chosen, tool in points(start, reading, route, self.refused):
            moved = self.value(chosen, tool)
            if is_same(moved, value):
                idle.append(choice)
            else:
                steps.append(Step(choice, moved - value, moved))
            value = moved
        chosen = reading.chosen
        return Account(
            reading.tool,
            reading.name,
            reading.beside,
            chosen.measure.full_name,
            str(chosen.policies),
            self.value(chosen, reading.tool),
            self.queries(chosen, reading.tool),
            tuple(steps),
            tuple(idle),
        )

    def ties(self, reading: Reading) -> Ties:
        """Ties and unjudged documents up to the cutoff, and the measure under the best and the worst order of ties."""
        chosen = reading.chosen
        number = next(group.number for group in self.scorer.plan.groups if group.policies == chosen.policies)
        whole = replace(chosen.policies, depth=None, judged_only=False)
        if whole.ties == "quicksort":
            # As counted: any order of ties will do.
            whole = replace(whole, ties="input")
        judged, found = self.run.judged(whole, number)
        rel = chosen.measure.values.get("rel", 1)
        extremes = []
        for best in (False, True):
            reordered = restrict(rerank_ties(judged, rel, best=best), chosen.policies)
            try:
                only = {"": chosen.measure}
                scored = score(reordered, only, chosen.policies, queries=self.scorer.qrels.queries, present=found >= 0)
            except MeasureError:
                return Ties(0, 0, float("nan"), float("nan"), float("nan"))
            extremes.append(overall(self.as_tool(scored, reading.tool)))
        k = chosen.measure.values.get("k") or chosen.policies.depth
        hits = judged.hits.top(k)
        retrieved = int(judged.cut(k).sum())
        judged_among_them = int(judged.judged().top(k).count().sum())
        return Ties(
            tied=int((hits.tied > 0).sum()),
            hits=len(hits.rank),
            unjudged=1 - judged_among_them / retrieved if retrieved else 0.0,
            low=min(extremes),
            high=max(extremes),
        )


def overall(scored: Scored) -> float:
    """The one number of the only measure that was computed."""
    aggregate = AGGREGATES[scored.measures[""].definition.aggregate]
    return scored.means[""] if scored.means else aggregate(scored.scores[""])
