"""Gold documents: the judgments in records, which documents each question needs, and their texts."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, NamedTuple

from assay.conventions import find_convention
from assay.core.errors import DataError
from assay.core.note import Note, NoteKind
from assay.core.text import some
from assay.data.qrels import Qrels
from assay.data.source import prefix_errors
from assay.tasks.evaluate.api import Scorer
from assay.tasks.evaluate.score import resolve_measures

if TYPE_CHECKING:
    from assay.conventions import Chosen
    from assay.data.records import Record

# What judgments are read for if no measure of retrieval was requested.
ANY_MEASURE = ("num_rel",)


class Gold(NamedTuple):
    """The judgments of the questions that have some, ready to score, and the lowest relevant grade."""

    scorer: Scorer
    rel: float

    def wanted(self, record: Record) -> list[set[str]]:
        """Sets of documents, one of each of which should be retrieved: a single set, or one per group."""
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
    """The gold documents of all records; None if there are none."""
    gold = {each.query_id: each.gold for each in records if each.gold is not None}
    if not gold:
        return None
    try:
        scorer = gold_scorer(gold, measures, convention, policies)
    except DataError:
        duplicates = find_convention(convention).policies.changed(policies).duplicates
        for each in records:
            if each.gold is not None:
                with prefix_errors(each.place):
                    Qrels({each.query_id: each.gold}, duplicates=duplicates)
        raise
    return Gold(scorer, scorer.policies.rel)


def gold_scorer(
    gold: Mapping[str, Any], measures: Mapping[str, Chosen], convention: str, policies: Mapping[str, Any]
) -> Scorer:
    """What scores rankings against the gold documents."""
    tool = find_convention(convention)
    resolved = measures or resolve_measures(ANY_MEASURE, tool, policies)
    return Scorer(gold, resolved, tool, tool.policies.changed(policies))


def fill_texts(records: list[Record], corpus: Mapping[str, str], gold: Gold | None) -> tuple[list[Record], list[Note]]:
    """The records with the texts of their documents, if they have none themselves and the corpus has all."""
    unknown: dict[str, None] = {}

    def find_texts(ids: list[str]) -> tuple[str, ...] | None:
        unknown.update(dict.fromkeys(each for each in ids if each not in corpus))
        return tuple(corpus[each] for each in ids) if all(each in corpus for each in ids) else None

    filled = []
    for each in records:
        retrieved, wanted = each.retrieved_texts, each.gold_texts
        if retrieved is None and each.retrieved is not None:
            retrieved = find_texts(each.retrieved.ids)
        if wanted is None and each.gold is not None and gold is not None:
            wanted = find_texts(sorted({document for group in gold.wanted(each) for document in group}))
        filled.append(each._replace(retrieved_texts=retrieved, gold_texts=wanted))
    if not unknown:
        return filled, []
    listed = some(list(unknown))
    return filled, [Note.of(NoteKind.CORPUS, about="documents", count=len(unknown), documents=listed)]
