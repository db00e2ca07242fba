"""Computes the values of every topic, in the order of the topics and as trec_eval adds them up."""

from __future__ import annotations

import math
from dataclasses import dataclass
from itertools import groupby
from operator import attrgetter
from typing import TYPE_CHECKING

import numpy as np

from assay.compat.trec_eval.beyond import compute_beyond
from assay.compat.trec_eval.catalogue import Parameters, Source
from assay.compat.trec_eval.failure import Failure, of_data, of_measures, of_preferences
from assay.compat.trec_eval.recall_points import recall_points
from assay.compat.trec_eval.spelling import beyond_bounds, spelled
from assay.compat.trec_eval.write import summarize
from assay.conventions import Chosen, find_convention
from assay.conventions.choosing import choose_one
from assay.core.measure import SMALLEST_AVERAGE
from assay.engine.local import floats, integers, only_judged, only_top, rank_hits, select

if TYPE_CHECKING:
    from assay.compat.trec_eval.judgments import Judgments
    from assay.compat.trec_eval.options import Settings
    from assay.compat.trec_eval.run import JudgedRun
    from assay.compat.trec_eval.values import Value
    from assay.core.judged import FloatArray, IntArray, Judged
    from assay.core.policies import Policies

# What trec_eval ranks for a topic that the run lacks, under -c; afterwards it sets these values to 0.
STAND_IN = {"ceci_nest_pas_un_docno": 1.0}
CLEARED = ("num_ret", "utility", "rbp_resid")
CLEARED_BEGINNING = "unj"
HIGHEST_SHOWN = 9
SOURCES = {
    "qrels": Source.RANKING,
    "qrels_jg": Source.GROUPS,
    "prefs": Source.PREFERENCES,
    "qrels_prefs": Source.PREFERENCES,
}


@dataclass
class Evaluation:
    """The topics that are evaluated, and for each value a column of theirs. Texts stand apart."""

    topics: list[bytes]
    values: list[Value]
    columns: list[FloatArray]
    strings: list[str]


class Evaluator:
    """Judgments and run made ready for the measures, under the settings of the command line.

    The topics are those that are evaluated, in order. The kernel has them in another one; `order` tells where.
    """

    def __init__(self, settings: Settings, judgments: Judgments, run: JudgedRun) -> None:
        self.settings = settings
        self.judgments = judgments
        self.run = run
        self.convention = find_convention("trec_eval")
        known = [query.encode(run.encoding) for query in run.rows.queries()]
        self.missing = self.stand_in(known) if settings.complete else set()
        is_wanted = np.array([settings.only_query in (None, topic) for topic in known], dtype=np.bool_)
        self.keep: IntArray = np.flatnonzero((self.retrieved() >= 0) & is_wanted)
        kept = [known[number] for number in self.keep]
        self.order: IntArray = np.array(sorted(range(len(kept)), key=kept.__getitem__), dtype=np.int64)
        self.topics = [kept[number] for number in self.order]
        self.ranked: dict[Policies, Judged] = {}

    def retrieved(self) -> IntArray:
        """How many documents each topic retrieved, -1 where the run lacks it."""
        return integers(self.run.ranker.columns(0)["retrieved"])

    def stand_in(self, topics: list[bytes]) -> set[bytes]:
        """Gives the topics that the run lacks a ranking of one document that nobody judged."""
        missing = {topics[number] for number in np.flatnonzero(self.retrieved() < 0)}
        self.run.ranker.add_rankings({topic.decode(self.run.encoding): STAND_IN for topic in missing})
        return missing

    def failure(self, values: list[Value]) -> Failure | None:
        """The first thing that cannot be computed, topic by topic and for each in the order of the measures."""
        source = SOURCES[self.settings.rel_format]
        failures = [*of_measures(values, source), *of_data(self.topics, values, self.judgments, self.run, source)]
        preferences = next((value for value in values if value.entry.source is source is Source.PREFERENCES), None)
        if preferences is not None:
            judged = self.judged(self.choose([preferences])[0].policies)
            failures += of_preferences(judged, self.order, values, self.run)
        return min(failures, default=None) if self.topics else None

    def evaluate(self, values: list[Value], size: int | None) -> Evaluation:
        """All values of the first `size` topics; where a measure gives texts their column is 0."""
        topics = self.topics[:size]
        if not topics:
            return Evaluation([], values, [np.zeros(0)] * len(values), [])
        groups = [list(group) for _, group in groupby(values, attrgetter("measure"))]
        columns = [column[self.order[:size]] for group in groups for column in self.columns(group)]
        self.clear_missing(topics, values, columns)
        relstring = next((value for value in values if value.measure == "relstring"), None)
        is_shown = relstring is not None and self.settings.by_query
        return Evaluation(topics, values, columns, self.relstrings(relstring) if relstring and is_shown else [])

    def columns(self, values: list[Value]) -> list[FloatArray]:
        """The values of one measure for each topic."""
        size, first = len(self.topics), values[0]
        if first.measure in ("runid", "relstring"):
            return [np.zeros(size)]
        if first.measure == "num_q":
            return [np.ones(size)]
        if first.measure in ("iprec_at_recall", "11pt_avg"):
            judged = self.judged(self.convention.policies)
            return [recall_points(judged, each.numbers, self.settings.level) / len(each.numbers) for each in values]
        # A multiple of the relevant documents that is not above 0 asks for none.
        is_multiple = first.entry.parameters is Parameters.SHARES
        asked = [each for each in values if not is_multiple or each.numbers[0] > 0]
        chosen = self.choose(asked) if asked else []
        if beyond := beyond_bounds(first):
            return [compute_beyond(chosen[0].measure, beyond, self.judged(chosen[0].policies))]
        computed = {value: self.compute(each) for value, each in zip(asked, chosen, strict=True)}
        return [computed.get(each, np.zeros(size)) for each in values]

    def compute(self, chosen: Chosen) -> FloatArray:
        """The value of each topic; its logarithm where the mean is geometric."""
        scores = chosen.measure(self.judged(chosen.policies))
        if chosen.measure.definition.aggregate != "geometric":
            return scores
        # Not NumPy's logarithm, whose last digit may be another than the C library's.
        return np.array(list(map(math.log, np.maximum(scores, SMALLEST_AVERAGE).tolist())))

    def choose(self, values: list[Value]) -> list[Chosen]:
        """The measure of each value, found by its name in trec_eval's table; all of them are of one name."""
        found = choose_one(spelled(values), self.convention, {"rel": float(self.settings.level)})
        more: dict[str, bool | int] = {}
        if values[0].entry.source is Source.GROUPS and self.settings.judged_only:
            more["condensed"] = True
        if values[0].measure == "utility":
            more["documents"] = max(0, self.settings.collection)
        return [
            Chosen(measure.definition(**{**measure.values, **more}) if more else measure, policies)
            for measure, policies in found.values()
        ]

    def judged(self, policies: Policies) -> Judged:
        """The ranked hits of the topics under some policies."""
        if policies not in self.ranked:
            judged, _ = rank_hits(self.run.rows, self.run.index, self.run.ranker, 0, policies)
            if len(self.keep) < judged.size:
                judged = select(judged, self.keep)
            judged = only_top(judged, max(0, self.settings.depth))
            if self.settings.judged_only and self.settings.rel_format == "qrels":
                judged = only_judged(judged)
            self.ranked[policies] = judged
        return self.ranked[policies]

    def relstrings(self, value: Value) -> list[str]:
        """The grades of the first documents of each topic, one character each."""
        judged = self.judged(self.convention.policies)
        length = max(0, int(value.numbers[0]))
        strings = [["-"] * min(length, retrieved) for retrieved in judged.retrieved.tolist()]
        hits = judged.hits.top(length)
        for query, rank, grade in zip(hits.query.tolist(), hits.rank.tolist(), hits.grade.tolist(), strict=True):
            strings[query][rank - 1] = "." if grade < 0 else ">" if grade > HIGHEST_SHOWN else str(int(grade))
        is_cleared = value.name == value.measure
        return [
            "" if is_cleared and topic in self.missing else "".join(strings[number])
            for topic, number in zip(self.topics, self.order.tolist(), strict=True)
        ]

    def clear_missing(self, topics: list[bytes], values: list[Value], columns: list[FloatArray]) -> None:
        """Sets to 0 what a document that stands in would count as."""
        rows = [number for number, topic in enumerate(topics) if topic in self.missing]
        for value, column in zip(values, columns, strict=True):
            if value.name in CLEARED or value.name.startswith(CLEARED_BEGINNING):
                column[rows] = 0.0

    def summary(self, evaluation: Evaluation) -> list[float]:
        """The numbers of all topics. Under -c num_rel counts all judgments above 0, whatever the level."""
        numbers = summarize(evaluation.values, evaluation.columns)
        above = int((floats(self.run.index.grades()) > 0).sum())
        return [
            above if self.settings.complete and value.measure == "num_rel" else number
            for value, number in zip(evaluation.values, numbers, strict=True)
        ]
