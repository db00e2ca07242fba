"""Computes the values of every topic, in the order of the topics and as trec_eval adds them up."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from assay.cli.trec_eval.catalogue import Parameters, Source
from assay.cli.trec_eval.failure import Failure, of_data, of_measures, of_preferences
from assay.cli.trec_eval.recall_points import recall_points
from assay.cli.trec_eval.write import summarize
from assay.conventions import choose_one, find_convention
from assay.core.aggregate import SMALLEST_AVERAGE
from assay.core.ranking import only_judged, only_top, rank_hits, select

if TYPE_CHECKING:
    from assay.cli.trec_eval.judgments import Judgments
    from assay.cli.trec_eval.options import Settings
    from assay.cli.trec_eval.run import JudgedRun
    from assay.cli.trec_eval.values import Value
    from assay.conventions import Chosen
    from assay.core.convention import Policies
    from assay.core.judged import FloatArray, IntArray, Judged

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
    """The topics that are evaluated, and of each topic all values. Texts stand apart."""

    topics: list[bytes]
    values: list[Value]
    table: FloatArray
    strings: list[str]


class Evaluator:
    """Judges and run made ready for the measures, under the settings of the command line."""

    def __init__(self, settings: Settings, judgments: Judgments, run: JudgedRun) -> None:
        self.settings = settings
        self.judgments = judgments
        self.run = run
        topics = judgments.topics
        self.convention = find_convention("trec_eval")
        self.missing = self.stand_in(topics) if settings.complete else set()
        retrieved = np.frombuffer(run.judge.columns(0)["retrieved"], dtype=np.int64)
        is_wanted = [settings.only_query in (None, topic) for topic in topics]
        self.keep: IntArray = np.flatnonzero((retrieved >= 0) & np.array(is_wanted, dtype=np.bool_))
        self.topics = [topics[number] for number in self.keep]
        self.ranked: dict[Policies, Judged] = {}

    def stand_in(self, topics: list[bytes]) -> set[bytes]:
        """Gives the topics that the run lacks a ranking of one document that nobody judged."""
        retrieved = np.frombuffer(self.run.judge.columns(0)["retrieved"], dtype=np.int64)
        missing = [topics[number] for number in np.flatnonzero(retrieved < 0)]
        self.run.judge.add_rankings({topic.decode(self.run.encoding): STAND_IN for topic in missing})
        return set(missing)

    def failure(self, values: list[Value]) -> Failure | None:
        """The first thing that cannot be computed, topic by topic and for each in the order of the measures."""
        source = SOURCES[self.settings.rel_format]
        failures = [*of_measures(values, source), *of_data(self.topics, values, self.judgments, self.run, source)]
        preferences = next((value for value in values if value.entry.source is source is Source.PREFERENCES), None)
        if preferences is not None:
            failures += of_preferences(self.judged(self.choose(preferences).policies), values, self.run)
        return min(failures, default=None) if self.topics else None

    def evaluate(self, values: list[Value], size: int | None) -> Evaluation:
        """All values of the first `size` topics; where a measure gives texts their column is 0."""
        if size is not None:
            self.topics, self.keep, self.ranked = self.topics[:size], self.keep[:size], {}
        if not self.topics:
            return Evaluation([], values, np.zeros((0, len(values))), [])
        columns = [self.column(value) for value in values]
        table = np.column_stack(columns)
        strings = next((self.relstrings(value) for value in values if value.measure == "relstring"), [])
        self.clear_missing(values, table)
        return Evaluation(self.topics, values, table, strings)

    def column(self, value: Value) -> FloatArray:
        """One value of each topic."""
        if value.measure in ("runid", "relstring"):
            return np.zeros(len(self.topics))
        if value.measure == "num_q":
            return np.ones(len(self.topics))
        if value.measure in ("iprec_at_recall", "11pt_avg"):
            points = recall_points(self.judged(self.convention.policies), value.numbers, self.settings.level)
            return points / len(value.numbers)
        if value.measure.startswith("Rprec_mult") and value.numbers[0] <= 0:
            return np.zeros(len(self.topics))
        chosen = self.choose(value)
        scores = chosen.measure(self.judged(chosen.policies))
        if chosen.measure.definition.aggregate == "geometric":
            # Not NumPy's logarithm, whose last digit may be another than the C library's.
            return np.array([math.log(max(score, SMALLEST_AVERAGE)) for score in scores.tolist()])
        return scores

    def choose(self, value: Value) -> Chosen:
        """The measure, found by its name in trec_eval's table."""
        found = choose_one(spelled(value), self.convention, {"rel": float(self.settings.level)})
        chosen = next(iter(found.values()))
        more: dict[str, bool | int] = {}
        if value.entry.source is Source.GROUPS and self.settings.judged_only:
            more["condensed"] = True
        if value.measure == "utility":
            more["documents"] = max(0, self.settings.collection)
        measure = chosen.measure
        return chosen._replace(measure=measure.definition(**{**measure.values, **more})) if more else chosen

    def judged(self, policies: Policies) -> Judged:
        """The ranked hits of the topics under some policies."""
        if policies not in self.ranked:
            judged, _ = rank_hits(self.run.rows, self.run.index, self.run.judge, 0, policies)
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
            "" if is_cleared and topic in self.missing else "".join(string)
            for topic, string in zip(self.topics, strings, strict=True)
        ]

    def clear_missing(self, values: list[Value], table: FloatArray) -> None:
        """Sets to 0 what a document that stands in would count as."""
        if not self.missing:
            return
        rows = [number for number, topic in enumerate(self.topics) if topic in self.missing]
        for column, value in enumerate(values):
            if value.name in CLEARED or value.name.startswith(CLEARED_BEGINNING):
                table[rows, column] = 0.0

    def summary(self, evaluation: Evaluation) -> list[float]:
        """The numbers of all topics. Under -c num_rel counts all judgments above 0, whatever the level."""
        numbers = summarize(evaluation.values, evaluation.table)
        above = int((np.frombuffer(self.run.index.grades(), dtype=np.float64) > 0).sum())
        return [
            above if self.settings.complete and value.measure == "num_rel" else number
            for value, number in zip(evaluation.values, numbers, strict=True)
        ]


def spelled(value: Value) -> str:
    """The value as trec_eval's table of names spells it."""
    entry = value.entry
    if value.pairs:
        return f"{value.measure}." + ",".join(f"{name}={number!r}" for name, number in value.pairs)
    if not value.numbers or (entry.parameters is Parameters.NUMBERS and value.numbers == entry.default):
        return value.measure
    return f"{value.measure}." + ",".join(f"{number!r}" for number in value.numbers)
