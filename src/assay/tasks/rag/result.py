"""`RagResult`: the scores of a RAG evaluation, and how answers depend on retrieval."""

from __future__ import annotations

import math
import os
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from assay.core.errors import MeasureError, PolicyError
from assay.core.judged import BoolArray
from assay.core.measure import Measure
from assay.core.policies import check_whole
from assay.core.ruling import Rulings
from assay.core.text import Option, count, show
from assay.data.records.record import Record
from assay.render import Cell, Column, Table, View, json_fields, records
from assay.results.result import Result
from assay.results.results import select_queries
from assay.stats.intervals import SAMPLES, percentiles, resampled_totals
from assay.tasks.rag.worst import GOLD, WorstAnswers, describe_question, describe_verdicts

if TYPE_CHECKING:
    from assay.render.charts import Chart
    from assay.render.charts.kinds import Choice

WORST = 10
WIDTH = 100
PASSAGES = 5
# Fewer questions on a side say nothing about a difference.
FEWEST = 2
LEVEL = 0.95


@dataclass(frozen=True, repr=False, eq=False)
class RagResult(Result):
    """A `Result` of retrieval and answers together, with its records.

    `found` says for each question whether a gold passage was retrieved, and `has_gold` whether it has any.
    """

    records: list[Record] = field(default_factory=list)
    found: BoolArray = field(default_factory=lambda: np.zeros(0, dtype=np.bool_))
    has_gold: BoolArray = field(default_factory=lambda: np.zeros(0, dtype=np.bool_))
    _gold: list[Collection[str]] = field(default_factory=list)
    rulings: Mapping[str, Rulings] = field(default_factory=dict)

    def __str__(self) -> str:
        return super().__str__() + (f"\n\n{self.blame()}" if self.is_joined else "")

    def _repr_html_(self) -> str:
        return self.to_html() + (self.blame().to_html() if self.is_joined else "")

    @property
    def answer_measures(self) -> list[str]:
        """The measures of answers, exact match last."""
        names = [name for name, each in self.measures.items() if each.definition.of == "answers"]
        # All or nothing says little about long answers, so measures that grade them come first.
        return sorted(names, key=lambda name: self.measures[name].definition.name == "answer_em")

    @property
    def is_joined(self) -> bool:
        """Whether there are both scored answers and gold passages."""
        return bool(self.answer_measures) and bool(self.has_gold.any())

    def faults(self, measure: str | Measure | None = None, *, right: float | None = None) -> dict[str, list[str]]:
        """The questions with wrong answers: those that are the fault of the `generator`, and of the `retriever`.

        An answer is wrong if its `measure` (by default the first of `answer_measures`) does not reach `right` (by
        default half of its maximum). If a gold passage was retrieved, that is the generator's fault, otherwise the
        retriever's.
        """
        key, limit = self._standard(measure, right)
        sign = 1 if self.measures[key].definition.higher_is_better else -1
        wrong = (sign * self.scores[key] < sign * limit) & self.has_gold
        return {
            "generator": [self.queries[at] for at in np.flatnonzero(wrong & self.found)],
            "retriever": [self.queries[at] for at in np.flatnonzero(wrong & ~self.found)],
        }

    def blame(self, measure: str | Measure | None = None, *, right: float | None = None) -> View:
        """How good answers are with and without a retrieved gold passage, and whose fault the wrong ones are.

        `measure` and `right` say when an answer is wrong, as in `faults`.
        """
        key = self._answer_key(measure)
        names = list(dict.fromkeys([*self.answer_measures, key]))
        columns = [Column("gold passage", is_text=True), Column("questions")]
        rows: list[tuple[Cell, ...]] = []
        for name, chosen in self._by_gold().items():
            part = replace(select_queries(self, np.flatnonzero(chosen).tolist()), human={})
            rows.append((name, len(part.queries), *(part[each] for each in names)))
        notes = (*self._accused(key, right), *self._gain(key))
        return View(Table((*columns, *map(Column, names)), tuple(rows), notes=notes))

    def worst(
        self,
        number: int = WORST,
        *,
        by: str | Measure | None = None,
        width: int | None = WIDTH,
        passages: int = PASSAGES,
    ) -> WorstAnswers:
        """The questions with the worst values of a measure: question, answer, reference, gold and what was retrieved.

        `by` is by default the first of `answer_measures`, or else the first measure. Texts are cut to `width`
        characters unless it is None. Of the first `passages` retrieved it shows the first line, if their texts are in
        the records or in `corpus`; gold passages are marked. For a judged measure it shows the verdicts that lowered
        the value, with the judge's reasons.
        """
        check_whole("the number of questions", number, 0)
        check_whole("the number of passages", passages, 0)
        key = [*self.answer_measures, *self.measures][0] if by is None else self.key(by)
        scores, higher = self.scores[key], self.measures[key].definition.higher_is_better
        rows = []
        for at in self.places_of_worst(key, number):
            gold, wanted = self.gold_of(at)
            row = describe_question(self.records[at], float(scores[at]), gold, wanted, width=width, passages=passages)
            if key in self.rulings:
                best = self.measures[key].definition.range[higher]
                found = self.rulings[key][at].verdicts
                said = describe_verdicts(found, float(scores[at]), best, higher_is_better=higher, width=width)
                row = row._replace(verdicts=said)
            rows.append(row)
        return WorstAnswers(key, rows)

    def places_of_worst(self, key: str, most: int) -> list[int]:
        """The places of the questions with the worst values of a measure; those without a value are left out."""
        scores = self.scores[key]
        sign = 1 if self.measures[key].definition.higher_is_better else -1
        order: list[int] = np.argsort(sign * scores, kind="stable").tolist()
        return order[: min(most, int(np.count_nonzero(~np.isnan(scores))))]

    def gold_of(self, place: int) -> tuple[str, Collection[str]]:
        """Whether a gold passage of a question was retrieved, in words, and its gold documents."""
        said = GOLD[0 if self.found[place] else 1 if self.has_gold[place] else 2] if len(self.found) else ""
        return said, self._gold[place] if self._gold else frozenset()

    def verdicts(self, name: str | Measure) -> View:
        """What the judge said: one row per verdict, with its reason; questions without one say why."""
        key = self.key(name)
        if key not in self.rulings:
            raise MeasureError(f"{key} has no verdicts; those of a judge are kept with the result it was asked for")
        names = ("query", "outcome", "subject", "verdict", "reason", "against")
        rows: list[tuple[Cell, ...]] = []
        for query, ruling in zip(self.queries, self.rulings[key], strict=True):
            outcome = str(ruling.kind)
            if not ruling.verdicts:
                rows.append((query, outcome, None, None, ruling.detail or None, None))
            said = ((each.subject, each.shown, each.reason or None, each.against or None) for each in ruling.verdicts)
            rows += [(query, outcome, *each) for each in said]
        return View(Table(tuple(Column(name, is_text=True) for name in names), tuple(rows)))

    def report(  # type: ignore[override]  # a page of its own
        self,
        path: str | os.PathLike[str],
        *,
        by: str | Measure | None = None,
        right: float | None = None,
        slices: Sequence[str] = (),
        title: str = "assay report",
        reproduce: str = "",
    ) -> None:
        """Writes a self-contained HTML page: blame, the worst questions, and every question with its passages.

        `by` chooses the worst questions as in `worst`, `right` says when an answer is wrong as in `faults`. `slices`
        are fields of the records whose values divide the questions; `length` needs no field. `reproduce` is the code
        or the command that made it, to be shown.
        """
        from assay.report.content import CHUNK, answer_parts, base_core
        from assay.report.page import Content, write_page
        from assay.results.results import Results
        from assay.tasks.rag.report import RUN, add_record_slices, answer_of, rag_core

        results = Results({RUN: self})
        core = base_core(results, title) | {"reproduce": reproduce, "answers": CHUNK}
        core["questions"] = [record.question for record in self.records]
        core["rag"] = rag_core(self, by, right)
        add_record_slices(core, self, slices)
        answers = (answer_of(self, place) for place in range(len(self.queries)))
        write_page(Content(core, results.results, answer_parts(answers)), path)

    def plot(self, kind: str = "means", *, measure: str | Measure | None = None, right: float | None = None) -> Chart:
        """A chart: `means` with intervals, or `blame`, wrong answers by their cause; `right` as in `faults`.

        >>> import assay
        >>> record = {"query_id": "q1", "gold": ["d1"], "retrieved": ["d1"], "answer": "Oslo", "references": ["Rome"]}
        >>> assay.evaluate_rag([record], ["answer_f1"]).plot("blame").caption
        "1 question. Of 1 answer with answer_f1 below 0.5, 1 had a gold passage (the generator's fault) and 0 had none
        (the retriever's)."
        """
        from assay.render.charts.kinds import Choice, draw
        from assay.results.plot import mean_rows

        has = {"means": partial(mean_rows, {"": self}), "answers": self}
        return draw(kind, "a RAG result", has, Choice(measure, right=right))

    def to_dict(self, measure: str | Measure | None = None, *, right: float | None = None) -> dict[str, Any]:
        """What `to_json` writes, as Python objects; docs/json.md describes it.

        `measure` and `right` say when an answer is wrong, as in `faults`.
        """
        return json_fields("results") | {"runs": [self.to_run_dict(None, measure, right=right)]}

    def to_run_dict(
        self, name: str | None = None, measure: str | Measure | None = None, *, right: float | None = None
    ) -> dict[str, Any]:
        """The result as one of the runs in `to_dict`: also what was found, and whose fault wrong answers are."""
        plain = super().to_run_dict(name)
        if self.is_joined:
            key = self._answer_key(measure)
            found = zip(self.queries, self.has_gold.tolist(), self.found.tolist(), strict=True)
            plain["found"] = {query: is_found if has_gold else None for query, has_gold, is_found in found}
            plain["blame"] = records(self.blame(key, right=right).table())
            if (limit := self._limit(key, right)) is not None:
                plain["faults"] = {"measure": key, "right": limit, **self.faults(key, right=limit)}
        return plain

    def _answer_key(self, measure: str | Measure | None) -> str:
        """The result's own spelling of a measure of answers; the first if none is named."""
        if not self.has_gold.any() or (measure is None and not self.answer_measures):
            raise MeasureError("nothing to join; that needs gold documents and a measure of answers")
        key = self.answer_measures[0] if measure is None else self.key(measure)
        if self.measures[key].definition.of not in ("answers", "scores", "judged"):
            raise MeasureError(f"{key} is not a measure of answers; this result has {', '.join(self.answer_measures)}")
        return key

    def _limit(self, key: str, right: float | None) -> float | None:
        """The value from which an answer counts as correct; None if there is no default."""
        low, high = self.measures[key].definition.range
        if right is None:
            return (low + high) / 2 if math.isfinite(high - low) else None
        if not isinstance(right, (int, float)) or isinstance(right, bool) or math.isnan(right):
            raise PolicyError(f"right must be a number, not {show(right)}")
        return float(right)

    def _standard(self, measure: str | Measure | None, right: float | None) -> tuple[str, float]:
        """The measure that answers are judged by, and the value from which they count as correct."""
        key = self._answer_key(measure)
        if (limit := self._limit(key, right)) is None:
            said = "say from which value an answer counts as correct"
            raise PolicyError(f"{key} has no maximum; {said}: {Option('right')}")
        return key, limit

    def _accused(self, key: str, right: float | None) -> list[str]:
        """A sentence on whose fault wrong answers are; none without a limit."""
        if (limit := self._limit(key, right)) is None:
            return []
        generator, retriever = map(len, self.faults(key, right=limit).values())
        worse = "below" if self.measures[key].definition.higher_is_better else "above"
        if not generator + retriever:
            which = "" if self.has_gold.all() else " to a question with gold passages"
            return [f"no answer{which} has {key} {worse} {limit:g}"]
        said = f"of {count(generator + retriever, 'answer')} with {key} {worse} {limit:g}"
        whose = f"{generator:,} had a gold passage (the generator's fault) and {retriever:,} had none (the retriever's)"
        return [f"{said}, {whose}"]

    def _by_gold(self) -> dict[str, BoolArray]:
        """The questions by whether a gold passage was retrieved, where there are some."""
        parts = (self.found, self.has_gold & ~self.found, ~self.has_gold)
        return {name: chosen for name, chosen in zip(GOLD, parts, strict=True) if chosen.any()}

    def _gain(self, key: str) -> list[str]:
        """A sentence on how much better answers are with a gold passage; none for scores of summed statistics."""
        defined = self.has_gold & ~np.isnan(self.scores[key])
        parts = [self.scores[key][defined & self.found], self.scores[key][defined & ~self.found]]
        if key in self.statistics or min(map(len, parts)) < FEWEST:
            return []
        means = [resampled_totals(part[:, None], SAMPLES, seed)[:, 0] / len(part) for seed, part in enumerate(parts)]
        low, high = percentiles(means[0] - means[1], LEVEL)
        gain = float(parts[0].mean() - parts[1].mean())
        how = "higher" if gain >= 0 else "lower"
        interval = f"95 % interval of the difference {low:+.4f} to {high:+.4f}"
        return [f"{key} is {abs(gain):.4f} {how} where a gold passage was retrieved ({interval})"]


def draw_blame(result: RagResult, choice: Choice) -> Chart:
    """Correct and wrong answers by whether a gold passage was retrieved, as `faults` counts them."""
    from assay.render.charts.queries import ANSWERS, blame

    key, limit = result._standard(choice.measure, choice.right)  # noqa: SLF001 - as its own table
    sign = 1 if result.measures[key].definition.higher_is_better else -1
    scores = result.scores[key]
    states = [sign * scores >= sign * limit, sign * scores < sign * limit, np.isnan(scores)]
    counts = {
        gold: {answer: int((state & chosen).sum()) for answer, state in zip(ANSWERS, states, strict=True)}
        for gold, chosen in result._by_gold().items()  # noqa: SLF001 - as its own table
    }
    said = "; ".join(result._accused(key, limit))  # noqa: SLF001 - the sentence of its own table
    return blame(counts, f"{count(len(result.queries), 'question')}. {said[:1].upper()}{said[1:]}.")
