"""What makes trec_eval give up in the middle: the topic and the measure that it cannot compute."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from assay.compat.trec_eval.catalogue import Source
from assay.compat.trec_eval.outcome import ABORTED, CALCULATION, Stop
from assay.engine.local import floats, integers
from assay.measures.ranking.preferences import Contradiction, all_judges, document_places

if TYPE_CHECKING:
    from collections.abc import Iterator

    from assay.compat.trec_eval.judgments import Judgments
    from assay.compat.trec_eval.run import JudgedRun
    from assay.compat.trec_eval.values import Value
    from assay.core.judged import IntArray, Judged

COEFFICIENTS = 4
# What a measure says where it needs other judgments, and where a topic ranks a document twice.
NEEDS = {
    Source.RANKING: "trec_eval.form_res_qrels: rel_info format not qrels or results format not trec_results\n",
    Source.GROUPS: "trec_eval: rel_info format not qrels_jg or results format not trec_results\n",
    Source.PREFERENCES: "trec_eval.form_prefs_info: prefs_info format not (prefs or qrels_prefs) or results format "
    "not trec_results\n",
}
TWICE = {
    Source.RANKING: "trec_eval.form_res_qrels",
    Source.GROUPS: "trec_eval.form_res_qrels",
    Source.PREFERENCES: "trec_eval.form_prefs_counts",
}


class Failure(NamedTuple):
    """The number of the first topic that cannot be computed, the place of the measure, and what is said."""

    topic: int
    place: int
    measure: str
    reason: str
    is_abort: bool = False

    def stop(self) -> Stop:
        if self.is_abort:
            return Stop(ABORTED, self.reason)
        return Stop(CALCULATION, f"{self.reason}trec_eval: Can't calculate measure '{self.measure}'\n")


def of_preferences(judged: Judged, order: IntArray, values: list[Value], run: JudgedRun) -> Iterator[Failure]:
    """Topics in which a judge contradicts himself fail for the first measure of preferences."""
    place = next(place for place, value in enumerate(values) if value.entry.source is Source.PREFERENCES)
    everyone = all_judges(judged)
    for topic, number in enumerate(order.tolist()):
        known = everyone[number]
        if isinstance(known, Contradiction):
            reason = said(known, judged, number, run)
            yield Failure(topic, place, values[place].measure, reason, known.reason == "both ways")


def said(known: Contradiction, judged: Judged, topic: int, run: JudgedRun) -> str:
    """What trec_eval says of a contradiction. It numbers documents by rank, those not retrieved after the others."""
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


def of_measures(values: list[Value], source: Source) -> Iterator[Failure]:
    """Measures that need other judgments or other parameters fail for the first topic."""
    for place, value in enumerate(values):
        needed = value.entry.source
        if needed not in (Source.NOTHING, source):
            yield Failure(0, place, value.measure, NEEDS[needed])
        if value.measure == "utility" and len(value.numbers) != COEFFICIENTS:
            yield Failure(0, place, value.measure, "trec_eval.calc_utility: improper number of coefficients\n")


def of_data(
    topics: list[bytes], values: list[Value], judgments: Judgments, run: JudgedRun, source: Source
) -> Iterator[Failure]:
    """Topics that rank or judge a document twice fail for the first measure that looks at documents."""
    place = next((place for place, value in enumerate(values) if value.entry.source is source), None)
    if place is None:
        return
    measure = values[place].measure
    for number, topic in enumerate(topics):
        if topic in run.repeated:
            document = run.repeated[topic].decode(errors="surrogateescape")
            yield Failure(number, place, measure, f"{TWICE[source]}: duplicate docs {document}")
        elif topic in judgments.repeated:
            document = judgments.repeated[topic].decode(errors="surrogateescape")
            yield Failure(number, place, measure, f"trec_eval.form_res_rels: duplicate docs {document}\n")
        elif number == 0 and source is Source.RANKING and is_never_judged(topic, run):
            # Memory for the grades is first asked for here, and for none at all trec_eval gets none.
            yield Failure(number, place, measure, "")


def is_never_judged(topic: bytes, run: JudgedRun) -> bool:
    """Whether all grades of a topic are negative."""
    rows = run.rows
    number = rows.find(topic.decode(run.encoding))
    starts = integers(rows.starts())
    return number is not None and bool(floats(rows.values())[starts[number] : starts[number + 1]].max() < 0)
