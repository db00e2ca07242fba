"""Gold documents: the judgments that records hold, and which documents are wanted of a question."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, NamedTuple

from assay.conventions import find_convention
from assay.core.errors import DataError
from assay.tasks.evaluate.api import Scorer
from assay.tasks.evaluate.score import resolve_measures

if TYPE_CHECKING:
    from assay.conventions import Chosen
    from assay.tasks.rag.records import Record

# What judgments are read for where no measure of retrieval is asked.
ANY_MEASURE = ("num_rel",)


class Gold(NamedTuple):
    """The judgments of the questions that have some, ready to score, and the lowest grade that is relevant."""

    scorer: Scorer
    rel: float

    def wanted(self, record: Record) -> list[set[str]]:
        """Sets of documents, of each of which one is wanted: one set of all, or one a group where there are groups."""
        qrels = self.scorer.qrels
        if record.query_id not in qrels:
            return []
        if isinstance(record.gold, list) and any(isinstance(each, list) for each in record.gold):
            groups = list(qrels.groups(record.query_id).values())
        else:
            groups = [qrels[record.query_id]]
        found = [{document for document, grade in group.items() if grade >= self.rel} for group in groups]
        return [each for each in found if each]


def read_gold(
    records: list[Record], measures: Mapping[str, Chosen], convention: str, policies: Mapping[str, Any]
) -> Gold | None:
    """The gold documents of all records; nothing if none has any."""
    gold = {each.query_id: each.gold for each in records if each.gold is not None}
    if not gold:
        return None
    try:
        scorer = scorer_of(gold, measures, convention, policies)
    except DataError:
        for each in records:
            if each.gold is not None:
                name_the_place(each, convention, policies)
        raise
    return Gold(scorer, scorer.policies.rel)


def scorer_of(
    gold: Mapping[str, Any], measures: Mapping[str, Chosen], convention: str, policies: Mapping[str, Any]
) -> Scorer:
    """What scores rankings against the gold documents."""
    tool = find_convention(convention)
    resolved = measures or resolve_measures(ANY_MEASURE, tool, policies)
    return Scorer(gold, resolved, tool, tool.policies.changed(policies))


def name_the_place(record: Record, convention: str, policies: Mapping[str, Any]) -> None:
    """Raises with the place of the record if its gold documents cannot be read."""
    try:
        scorer_of({record.query_id: record.gold}, {}, convention, policies)
    except DataError as error:
        raise type(error)(f"{record.place}: {error}") from None
