"""Computes the values of every topic, in the order of the topics, and finds what makes trec_eval give up.

Ranking and measures are assay's own. Four things differ: -M cuts a ranking before -J does, -c adds topics missing from
the run, recall points may be in any order, and trec_eval computes with meaningless parameters (`rbp.p=2`, `set_F.-1`).
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby, pairwise
from operator import attrgetter
from typing import NamedTuple

import numpy as np

from assay.compat.trec_eval.judgments import Judgments
from assay.compat.trec_eval.measures import JudgmentKind, Suffix, Value, spell_values
from assay.compat.trec_eval.options import ABORTED, CALCULATION, CommandLine, Stop
from assay.compat.trec_eval.run import JudgedRun
from assay.conventions import Chosen, find_convention, resolve
from assay.conventions.tools.trec_eval import TEXTS, TREC_EVAL
from assay.core.judged import FloatArray, IntArray, Judged, floats, integers
from assay.core.measure import AGGREGATES, Aggregation, Measure
from assay.core.policies import Policies
from assay.engine.ranking import only_judged, only_top, rank_hits, select
from assay.measures.ranking.average_precision import interpolated_precision
from assay.measures.ranking.precision_recall import precision, recall
from assay.measures.ranking.preferences import Contradiction, all_judges, document_places
from assay.measures.ranking.user_models import powers

# Under -c, trec_eval ranks this for a topic missing from the run; afterwards it sets these values to 0.
STAND_IN = {"ceci_nest_pas_un_docno": 1.0}
CLEARED = ("num_ret", "utility", "rbp_resid")
CLEARED_BEGINNING = "unj"
RECALL_POINTS = ("iprec_at_recall", "11pt_avg")
NOT_IN_TABLE = (*TEXTS, *RECALL_POINTS)
HIGHEST_SHOWN = 9
COEFFICIENTS = 4
IMPROPER = "trec_eval.calc_utility: improper number of coefficients\n"
# What a measure says where it needs other judgments.
NEEDS = {
    JudgmentKind.RANKING: "trec_eval.form_res_qrels: rel_info format not qrels or results format not trec_results\n",
    JudgmentKind.GROUPS: "trec_eval: rel_info format not qrels_jg or results format not trec_results\n",
    JudgmentKind.PREFERENCES: "trec_eval.form_prefs_info: prefs_info format not (prefs or qrels_prefs) or results "
    "format not trec_results\n",
}


@dataclass
class Evaluation:
    """The evaluated topics, and for each value its column and how the column becomes one number. Texts are apart."""

    topics: list[bytes]
    values: list[Value]
    columns: list[FloatArray]
    aggregations: list[Aggregation]
    strings: list[str]


class TopicFailure(NamedTuple):
    """The number of the first topic that cannot be computed, the place of the measure, and the message."""

    topic: int
    place: int
    measure: str
    reason: str
    is_abort: bool = False

    def stop(self) -> Stop:
        said = f"{self.reason}trec_eval: Can't calculate measure '{self.measure}'\n"
        return Stop(ABORTED, self.reason) if self.is_abort else Stop(CALCULATION, said)


class TopicEvaluator:
    """Judgments and run, ready for the measures: `order` says where the kernel has each of the `topics`."""

    def __init__(self, settings: CommandLine, judgments: Judgments, run: JudgedRun) -> None:
        self.settings, self.judgments, self.run = settings, judgments, run
        self.kind = JudgmentKind("prefs" if "prefs" in settings.rel_format else settings.rel_format)
        known = [query.encode(run.encoding) for query in run.rows.queries()]
        # How many documents each topic retrieved, -1 if it is missing from the run.
        is_kept = integers(run.ranker.columns(0)["retrieved"]) >= 0
        self.missing = {known[number] for number in np.flatnonzero(~is_kept)} if settings.complete else set()
        run.ranker.add_rankings({topic.decode(run.encoding): STAND_IN for topic in self.missing})
        is_wanted = np.array([settings.only_query in (None, topic) for topic in known], dtype=np.bool_)
        self.keep: IntArray = np.flatnonzero((is_kept | settings.complete) & is_wanted)
        kept = [known[number] for number in self.keep]
        self.order: IntArray = np.array(sorted(range(len(kept)), key=kept.__getitem__), dtype=np.int64)
        self.topics = [kept[number] for number in self.order]
        self.ranked: dict[Policies, Judged] = {}

    def judged(self, policies: Policies) -> Judged:
        """The ranked hits of the topics under some policies."""
        if policies not in self.ranked:
            judged, _ = rank_hits(self.run.rows, self.run.index, self.run.ranker.columns(0), policies)
            if len(self.keep) < judged.size:
                judged = select(judged, self.keep)
            judged = only_top(judged, max(0, self.settings.depth))
            if self.settings.judged_only and self.kind is JudgmentKind.RANKING:
                judged = only_judged(judged)
            self.ranked[policies] = judged
        return self.ranked[policies]

    def resolve_values(self, values: list[Value]) -> dict[Value, Chosen]:
        """The measure of each value that assay's table has; one that looks at no documents has none."""
        # None computes a text, or a value at a multiple of R that is not above 0.
        known = [each for each in values if each.measure not in NOT_IN_TABLE]
        known = [each for each in known if each.entry.suffix is not Suffix.SHARES or each.numbers[0] > 0]
        names = [spell_values(list(same)) for _, same in groupby(known, attrgetter("measure"))]
        found = resolve(names, find_convention("trec_eval"), {"rel": float(self.settings.level)})
        chosen = dict(zip(known, found.values(), strict=True))
        for value, (measure, policies) in chosen.items():
            # The parameters that options of the command line set.
            more: dict[str, bool | int] = {}
            if self.settings.judged_only and value.entry.kind is JudgmentKind.GROUPS:
                more["condensed"] = True
            if value.measure == "utility":
                more["documents"] = max(0, self.settings.collection)
            if more:
                chosen[value] = Chosen(measure.definition(**{**measure.values, **more}), policies)
        return chosen

    def failure(self, values: list[Value]) -> TopicFailure | None:
        """The first failure, by topic and then in the order of the measures."""
        failures = []
        # Measures that need other judgments or other parameters fail for the first topic.
        for place, value in enumerate(values):
            if value.entry.kind not in (JudgmentKind.NONE, self.kind):
                failures.append(TopicFailure(0, place, value.measure, NEEDS[value.entry.kind]))
            if value.measure == "utility" and len(value.numbers) != COEFFICIENTS:
                failures.append(TopicFailure(0, place, value.measure, IMPROPER))
        first = next((place for place, value in enumerate(values) if value.entry.kind is self.kind), None)
        if first is not None:
            measure = values[first].measure
            failures += (TopicFailure(topic, first, measure, *why) for topic, *why in self.data_failures(values[first]))
        return min(failures, default=None) if self.topics else None

    def data_failures(self, value: Value) -> Iterator[tuple[int, str] | tuple[int, str, bool]]:
        """Topics with a document twice, or a judge who contradicts himself; they fail for this value."""
        run, repeated = self.run, self.judgments.repeated
        form = "form_prefs_counts" if self.kind is JudgmentKind.PREFERENCES else "form_res_qrels"
        for number, topic in enumerate(self.topics):
            if topic in run.repeated:
                yield number, f"trec_eval.{form}: duplicate docs {run.repeated[topic].decode(errors='surrogateescape')}"
            elif topic in repeated:
                document = repeated[topic].decode(errors="surrogateescape")
                yield number, f"trec_eval.form_res_rels: duplicate docs {document}\n"
            elif number == 0 and self.kind is JudgmentKind.RANKING and is_never_judged(topic, run):
                # trec_eval first allocates memory for the grades here, and allocating none at all fails.
                yield number, ""
        if self.kind is JudgmentKind.PREFERENCES:
            judged = self.judged(self.resolve_values([value])[value].policies)
            everyone = all_judges(judged)
            for number, place in enumerate(self.order.tolist()):
                known = everyone[place]
                if isinstance(known, Contradiction):
                    yield number, describe_contradiction(known, judged, place, run), known.reason == "both ways"

    def evaluate(self, values: list[Value], size: int | None) -> Evaluation:
        """All values of the first `size` topics; the column of a text is 0."""
        topics = self.topics[:size]
        if not topics:
            return Evaluation([], values, [np.zeros(0)] * len(values), [], [])
        chosen = self.resolve_values(values)
        missing = [number for number, topic in enumerate(topics) if topic in self.missing]
        found = Evaluation(topics, values, [], [], [])
        for value in values:
            known = chosen.get(value)
            aggregation = AGGREGATES["mean" if known is None else known.measure.definition.aggregate]
            column = aggregation.prepare(self.compute(value, known)[self.order[:size]])
            if missing and (value.name in CLEARED or value.name.startswith(CLEARED_BEGINNING)):
                column[missing] = 0.0
            if value.measure == "relstring" and self.settings.by_query:
                found.strings = self.relstrings(value)
            found.columns.append(column)
            found.aggregations.append(aggregation)
        return found

    def compute(self, value: Value, chosen: Chosen | None) -> FloatArray:
        """The value of each topic, in the kernel's order."""
        if value.measure in RECALL_POINTS:
            judged = self.judged(TREC_EVAL.policies)
            return recall_points(judged, value.numbers, self.settings.level) / len(value.numbers)
        if chosen is None:
            return np.zeros(len(self.topics))
        judged = self.judged(chosen.policies)
        return compute_odd(chosen.measure, dict(value.odd), judged) if value.odd else chosen.measure(judged)

    def relstrings(self, value: Value) -> list[str]:
        """The grades of the first documents of each topic, one character each."""
        judged = self.judged(TREC_EVAL.policies)
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

    def summarize(self, evaluation: Evaluation) -> list[float]:
        """One number per value. Under -c num_rel counts all judgments above 0, whatever the level."""
        size = len(evaluation.topics)
        fixed: dict[str, float] = {"num_q": size}
        if self.settings.complete:
            fixed["num_rel"] = int((floats(self.run.index.grades()) > 0).sum())
        rows = zip(evaluation.values, evaluation.columns, evaluation.aggregations, strict=True)
        # Adding 0 turns a sum of negative zeros into 0, as trec_eval's sums start at 0.
        return [
            fixed[value.measure]
            if value.measure in fixed
            else float(aggregation.finish(0.0 + np.cumsum(column)[-1], size))
            for value, column, aggregation in rows
        ]


def recall_points(judged: Judged, levels: Sequence[float], rel: float) -> FloatArray:
    """The sum over the levels of the interpolated precision of each topic.

    trec_eval goes up the ranking from its end, and through the levels from the last, skipping those that the ranking
    does not reach. A level that needs more documents than the one before is never met on the way: it and all that
    follow get the best precision of all, as does a level that needs none; for an empty ranking that is 0/0.
    """
    total = np.zeros(judged.size)
    relevant, found = judged.count_relevant(rel), judged.relevant(rel).count()
    interpolated = interpolated_precision.function
    best = np.where(judged.retrieved > 0, interpolated(judged, recall=0, rel=rel), np.nan)
    is_beyond, is_missed, least = np.ones(judged.size, dtype=np.bool_), np.zeros(judged.size, dtype=np.bool_), found
    for level in reversed(levels):
        needed = np.floor(level * relevant + 0.5)
        is_beyond &= needed > found
        is_missed |= ~is_beyond & (needed > least)
        met = interpolated(judged, recall=min(1.0, max(0.0, level)), rel=rel)
        total += np.where(is_beyond, 0.0, np.where(is_missed | (needed <= 0), best, met))
        least = np.where(is_beyond, least, needed)
    return total


def compute_odd(measure: Measure, parameters: Mapping[str, float], judged: Judged) -> FloatArray:
    """The values of a measure with parameters that it rejects, by trec_eval's arithmetic."""
    with np.errstate(all="ignore"):
        if measure.definition.name == "rbp_residual":
            scores = sum_residual(judged, parameters["p"])
        else:
            scores = Measure(measure.definition, {**measure.values, **parameters})(judged)
        if "beta" in parameters:
            # C's value where a relevant document was found and the divisor is 0.
            x, rel = parameters["beta"], measure.values["rel"]
            p, r = precision(rel=rel)(judged), recall(rel=rel)(judged)
            return np.where((p > 0) & (x * p + r == 0), (x + 1) * p * r / (x * p + r), scores)
    if not np.isfinite(scores).all():
        name = "rbp_resid" if measure.definition.name == "rbp_residual" else "rbp"
        raise Stop(CALCULATION, f"trec_eval: {name} with p={parameters['p']:g} is too large for a number\n")
    return scores


def sum_residual(judged: Judged, p: float) -> FloatArray:
    """The residual of rank-biased precision, with trec_eval's terms in trec_eval's order.

    They are the weights of the unjudged documents and of all ranks after the last. With p above 1 they are huge and
    nearly cancel, so that no other way leads to the same digits.
    """
    hits = judged.judged()
    weights = powers(np.arange(1, int(judged.retrieved.max(initial=0)) + 2), p)
    scores = np.zeros(judged.size)
    for query, (start, end) in enumerate(pairwise(hits.starts.tolist())):
        retrieved = int(judged.retrieved[query])
        is_unjudged = np.ones(retrieved, dtype=np.bool_)
        is_unjudged[hits.rank[start:end] - 1] = False
        if is_unjudged.any():
            scores[query] = weights[retrieved] + (1 - p) * np.cumsum(weights[:retrieved][is_unjudged])[-1]
    return scores


def is_never_judged(topic: bytes, run: JudgedRun) -> bool:
    """Whether all grades of a topic are negative."""
    rows = run.rows
    number = rows.find(topic.decode(run.encoding))
    starts = integers(rows.starts())
    return number is not None and bool(floats(rows.values())[starts[number] : starts[number + 1]].max() < 0)


def describe_contradiction(known: Contradiction, judged: Judged, topic: int, run: JudgedRun) -> str:
    """trec_eval's message about a contradiction. It numbers documents by rank, and after them those not retrieved."""
    form = "trec_eval.form_prefs_counts: "
    if known.reason == "two levels":
        return f"{form}Internal docid {known.place} occurs with different rel_level in same jsg\n"
    if known.reason == "both ways":
        return (
            f"{form}Pref inconsistency found\n"
            f"      internal rank {known.place} and internal rank {known.other} are conflicted\n"
        )
    groups = judged.groups()
    is_meant = (groups.query == topic) & (document_places(judged, groups) == known.place)
    document = run.index.document(int(groups.document[is_meant][0])).encode(run.encoding)
    return f"{form}doc '{document.decode(errors='surrogateescape')}' has both 0 and non-0 rel_level assigned\n"
