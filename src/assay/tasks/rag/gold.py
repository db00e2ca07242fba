"""Gold: the judgments made from what records hold, and what each question needs."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from collections.abc import Set as AbstractSet
from itertools import chain
from typing import Any, NamedTuple

from assay.conventions import Chosen
from assay.core.convention import Convention
from assay.core.errors import DataError
from assay.core.measure import Measure
from assay.data.chunks.derived import Judgment
from assay.data.passages import are_plain_ids
from assay.data.qrels import Qrels
from assay.data.records.record import Record
from assay.files.source import prefix_errors
from assay.measures.ranking.groups import group_f_score, group_recall
from assay.tasks.evaluate.api import Scorer
from assay.tasks.evaluate.plan import Plan, resolve_measures
from assay.tasks.rag.matching import Matched

# The measures that count relevant documents, and those that count groups instead.
OVER_GROUPS = {"recall": group_recall, "f": group_f_score}
LISTS = frozenset({list, type(None)})


class Gold(NamedTuple):
    """The lowest relevant grade, and the judgments of the questions that have some, ready to score.

    Without a `scorer` nothing needs judgments, and all gold is lists of different ids. That of the `matched` questions
    has no ids that a corpus would know.
    """

    rel: float
    scorer: Scorer | None = None
    matched: AbstractSet[str] = frozenset()
    matching: tuple[str, ...] = ()

    def wanted(self, record: Record) -> list[set[str]]:
        """Sets of documents, one of each of which should be retrieved: a single set, or one per group."""
        if self.scorer is None:
            return [set(record.gold)] if record.gold else []
        qrels = self.scorer.qrels
        if record.query_id not in qrels:
            return []
        if isinstance(record.gold, list) and list in map(type, record.gold):
            groups = list(qrels.groups(record.query_id).values())
        else:
            groups = [qrels[record.query_id]]
        relevant = [{document for document, grade in group.items() if grade >= self.rel} for group in groups]
        return [each for each in relevant if each]


def read_gold(
    matched: Matched, measures: Mapping[str, Chosen], tool: Convention, options: Mapping[str, Any]
) -> Gold | None:
    """The gold documents of all records; None if there are none."""
    records = [each for each in matched.records if each.gold is not None]
    plain = {each.query_id: each.gold for each in records if each.query_id not in matched.queries}
    if not plain and not matched.rows:
        # No gold, or spans or texts, and nothing was retrieved that they could be compared with.
        return None
    policies = tool.policies.changed(options)
    is_plain = not measures and not matched.rows and policies.rel <= 1 and has_only_lists(records)
    if is_plain and all(len(set(each.gold)) == len(each.gold) for each in records):
        return Gold(policies.rel, None, matched.queries, matched.rules)
    judgments: Mapping[str, Any] | Qrels = plain
    # Without a measure of retrieval, judgments are read for any.
    chosen = measures or resolve_measures("num_rel", tool, options)
    try:
        if matched.rows:
            judgments = join_judgments(plain, matched.rows)
            chosen = {key: each._replace(measure=over_groups(each.measure)) for key, each in chosen.items()}
        scorer = Scorer(Plan(chosen, tool.name, policies), judgments)
    except DataError:
        for each in records:
            if each.query_id in plain:
                with prefix_errors(each.place):
                    Qrels({each.query_id: each.gold}, duplicates=policies.duplicates)
        raise
    return Gold(policies.rel, scorer, matched.queries, matched.rules)


def join_judgments(plain: Mapping[str, Any], rows: list[Judgment]) -> Qrels:
    """The judgments of all records, if some were matched; a document that is in no group is its own."""
    import polars

    kinds = (polars.String, polars.String, polars.Float64, polars.String)
    frame = polars.DataFrame(rows, schema=dict(zip(Judgment._fields, kinds, strict=True)), orient="row")
    if plain:
        own = Qrels(plain, duplicates=None).to_polars()
        if "group" not in own.columns:
            own = own.with_columns(group=polars.col("doc_id"))
        frame = polars.concat([own.select(frame.columns).cast(frame.schema), frame])
    return Qrels(frame, duplicates=None)


def over_groups(measure: Measure) -> Measure:
    """The measure that counts every gold item once, if one retrieved chunk can be several items."""
    definition, known = OVER_GROUPS.get(measure.definition.name), measure.definition.parameters
    given = {name: value for name, value in measure.values.items() if value != known[name].default}
    return measure if definition is None or not given.keys() <= definition.parameters.keys() else definition(**given)


def find_gold(rows: list[Record], gold: Gold | None) -> tuple[list[bool], list[Collection[str]]]:
    """Whether a gold document of each group was retrieved, and the gold documents, question by question."""
    judged = gold if any(row.retrieved is not None for row in rows) else None
    are_plain = judged is not None and judged.rel <= 1 and not judged.matched and has_only_lists(rows)
    found: list[bool] = []
    wanted: list[Collection[str]] = []
    for row in rows:
        if are_plain and row.gold and len(documents := set(row.gold)) == len(row.gold):
            # Each has grade 1, and the list is held anyway.
            found.append(row.retrieved is not None and not documents.isdisjoint(row.retrieved.ids))
            wanted.append(row.gold)
        else:
            sets = [] if judged is None else judged.wanted(row)
            found.append(row.holds(sets))
            wanted.append(frozenset().union(*sets))
    return found, wanted


def has_only_lists(rows: list[Record]) -> bool:
    """Whether all gold is lists of strings that can be ids as they are; all are looked at together, which is faster."""
    golds = [row.gold for row in rows]
    return LISTS.issuperset(map(type, golds)) and are_plain_ids(list(chain.from_iterable(filter(None, golds))))
