"""`audit`: scores a run the way each tool with this measure would, and shows the effect of each choice.

Two tools differ in a handful of choices: what a measure divides by, its gain, its ties, which queries count. The audit
starts at the first tool and changes one choice after another until it reaches the other; each step shows the
effect of that choice on this data.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping
from contextlib import nullcontext
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np

from assay._kernel import Progress
from assay.conventions import Chosen, find_convention, measure_names
from assay.core.errors import DuplicateError, MeasureError
from assay.core.judged import IntArray, Judged
from assay.core.measure import AGGREGATES, Definition, Measure
from assay.core.note import Note, NoteKind, loud_first
from assay.core.parameter import write_value
from assay.core.policies import Policies, policy_sentence
from assay.data.frames.frame import gather
from assay.data.qrels import Qrels
from assay.engine.ranking import rerank_ties, restrict
from assay.files.source import is_source, open_source
from assay.tasks.audit.readings import Reading, find_readings, start_note
from assay.tasks.audit.result import Account, Audit, Step, Ties, is_same
from assay.tasks.evaluate.api import Scorer, overlap_notes
from assay.tasks.evaluate.plan import Plan
from assay.tasks.evaluate.score import Scored, is_among, refused_notes, score, warned

# How the tools read each measure, by its name.
Readings = dict[str, list[Reading]]


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
    rule = {} if doc_id is None else {"doc_id": doc_id, "chunks": chunks}
    readings = {name: find_readings(name, start, rule) for name in names}
    notes = [note for name, each in readings.items() if (note := start_note(name, each[0])) is not None]
    data: Any = gather(run)
    # What can be read only once is put aside.
    with open_source(data) if is_source(data) else nullcontext(data) as again:
        how: Any = {"rule": rule, "threads": threads, "format": format, "columns": columns, "progress": progress}
        score_run = partial(AuditScores, qrels, again, **how)
        try:
            found = account_for(readings, score_run, notes)
        except DuplicateError as error:
            lenient, note = without_strict(readings, error)
            found = account_for(lenient, score_run, [*notes, note])
    return warned(found)


def without_strict(readings: Readings, error: DuplicateError) -> tuple[Readings, Note]:
    """The readings that allow duplicate documents, and a note on the others; raises if a measure has none."""
    lenient = {}
    for name, each in readings.items():
        lenient[name] = [reading for reading in each if reading.chosen.policies.duplicates != "error"]
    if not all(lenient.values()):
        raise error
    strict = dict.fromkeys(each.tool for name in readings for each in readings[name] if each not in lenient[name])
    return lenient, Note.of(NoteKind.STRICT, tools=", ".join(strict), reason=error)


def account_for(readings: Readings, score_run: Callable[..., AuditScores], notes: list[Note]) -> Audit:
    """Computes every reading and every step between them, in one pass over the run."""
    routes = {name: [find_steps(each[0].chosen, other.chosen) for other in each] for name, each in readings.items()}
    needed = [(reading.tool, reading.chosen) for each in readings.values() for reading in each]
    needed += [("assay", point) for each in routes.values() for route in each for _, point in route]
    scores = score_run(dict.fromkeys(needed))
    accounts, ties = {}, {}
    for name, each in readings.items():
        accounts[name] = tuple(scores.account(each[0], *pair) for pair in zip(each, routes[name], strict=True))
        ties[name] = scores.ties(each[0])
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
        self.refused = {"assay": set(), **{tool.name: by_name.get(name, set()) for name, tool in plan.tools.items()}}
        self.scored: dict[Chosen, Scored] = {}
        self.notes = [note for what, each in self.run.refused.items() for note in refused_notes(each, what)]
        self.notes += [*self.run.chunk_notes(0), *overlap_notes(self.run, plan.policies.doc_id)]
        for group in plan.groups:
            judged, found = self.run.judged(group.policies, group.number)
            for measure in dict.fromkeys(group.measures.values()):
                # Each is computed once, whatever the tools; what cannot be computed is a note.
                reading = Chosen(measure, group.policies)
                try:
                    self.scored[reading] = self.score(judged, reading, found)
                except MeasureError as error:
                    self.notes.append(Note.of(NoteKind.UNCOMPUTED, reason=error))

    def score(self, judged: Judged, chosen: Chosen, found: IntArray) -> Scored:
        queries = self.scorer.qrels.queries
        return score(judged, {"": chosen.measure}, chosen.policies, queries=queries, present=found >= 0)

    def overall(self, scored: Scored | None, tool: str) -> tuple[float, int]:
        """The number of a reading, NaN if it cannot be computed, and over how many queries that the tool can use."""
        if scored is None:
            return float("nan"), 0
        queries = self.scorer.qrels.queries
        blank = is_among([queries[number] for number in scored.keep], self.refused[tool])
        scores = np.where(blank, np.nan, scored.scores[""])
        aggregate = AGGREGATES[scored.measures[""].definition.aggregate]
        return scored.means[""] if scored.means else aggregate(scores), int((~np.isnan(scores)).sum())

    def account(self, start: Reading, reading: Reading, route: list[tuple[str, Chosen]]) -> Account:
        steps, idle = [], []
        value, _ = self.overall(self.scored.get(start.chosen), start.tool)
        for choice, chosen, tool in points(start, reading, route, self.refused):
            moved, _ = self.overall(self.scored.get(chosen), tool)
            if is_same(moved, value):
                idle.append(choice)
            else:
                steps.append(Step(choice, moved - value, moved))
            value = moved
        tool, name, chosen, beside = reading
        meant, number = (chosen.measure.full_name, str(chosen.policies)), self.overall(self.scored.get(chosen), tool)
        return Account(tool, name, beside, *meant, *number, tuple(steps), tuple(idle))

    def ties(self, reading: Reading) -> Ties:
        """Ties and unjudged documents up to the cutoff, and the measure under the best and the worst order of ties."""
        chosen = reading.chosen
        number = next(group.number for group in self.scorer.plan.groups if group.policies == chosen.policies)
        whole = replace(chosen.policies, depth=None, judged_only=False)
        # As counted: any order of ties will do.
        whole = replace(whole, ties="input") if whole.ties == "quicksort" else whole
        judged, found = self.run.judged(whole, number)
        rel = chosen.measure.values.get("rel", 1)
        extremes = []
        for best in (False, True):
            reordered = restrict(rerank_ties(judged, rel, best=best), chosen.policies)
            try:
                scored = self.score(reordered, chosen, found)
            except MeasureError:
                return Ties(0, 0, float("nan"), float("nan"), float("nan"))
            extremes.append(self.overall(scored, reading.tool)[0])
        k = chosen.measure.values.get("k") or chosen.policies.depth
        hits, retrieved = judged.hits.top(k), int(judged.cut(k).sum())
        unjudged = 1 - int(judged.judged().top(k).count().sum()) / retrieved if retrieved else 0.0
        return Ties(int((hits.tied > 0).sum()), len(hits.rank), unjudged, min(extremes), max(extremes))


def points(
    start: Reading, end: Reading, route: list[tuple[str, Chosen]], refused: Mapping[str, Collection[str]]
) -> list[tuple[str, Chosen, str]]:
    """The steps between two readings, each with the tool whose `refused` queries are NaN there: it cannot use them."""
    if start.tool == end.tool:
        return [(choice, chosen, start.tool) for choice, chosen in route]
    found = [(choice, chosen, "assay") for choice, chosen in route]
    if refused[start.tool]:
        found.insert(0, (f"queries that {start.tool} cannot use count", start.chosen, "assay"))
    if refused[end.tool]:
        found.append((f"queries that {end.tool} cannot use are NaN", end.chosen, end.tool))
    return found


def find_steps(start: Chosen, end: Chosen) -> list[tuple[str, Chosen]]:
    """The steps from one reading to another: each choice in words, and the reading after it."""
    steps: list[tuple[str, Chosen]] = []
    current = start

    def step(choice: str, **changes: Any) -> None:  # noqa: ANN401 - a measure or policies
        nonlocal current
        current = current._replace(**changes)
        steps.append((choice, current))

    def change_policies(names: Iterable[str]) -> None:
        for name in names:
            value = getattr(end.policies, name)
            if getattr(current.policies, name) != value:
                step(policy_sentence(name, value), policies=replace(current.policies, **{name: value}))

    # A run is cut before its measure loses the cutoff, and whole again after its measure has one: neither is a step.
    change_policies([] if end.policies.depth is None else ["depth"])
    definition, values = end.measure.definition, end.measure.values
    if start.measure.definition is not definition:
        step(definition.title, measure=Measure(definition, {**values, **kept_values(start.measure, definition)}))
    for name, value in values.items():
        if current.measure.values[name] != value:
            changed = Measure(definition, {**current.measure.values, name: value})
            step(parameter_sentence(changed, name, value), measure=changed)
    change_policies(Policies.__slots__)
    return steps


def kept_values(start: Measure, end: Definition) -> dict[str, Any]:
    """The parameters set in a measure that another measure can have too."""
    kept = {}
    for name, value in start.values.items():
        both = [each.parameters[name] for each in (start.definition, end) if name in each.parameters]
        mine, *theirs = [each._replace(help="", default=None) for each in both]
        if theirs == [mine] and value not in (None, both[0].default):
            kept[name] = value
    return kept


def parameter_sentence(measure: Measure, name: str, value: Any) -> str:  # noqa: ANN401 - a parameter may be of any kind
    """A parameter in the words of its annotation, or as the grammar writes it."""
    parameter = measure.definition.parameters[name]
    words = None if isinstance(value, dict) else dict(parameter.words).get(value)
    said = f"{name}={'none' if value is None else write_value(value)}"
    return words or (said if parameter.choices or not parameter.help else f"{said} ({parameter.help})")
