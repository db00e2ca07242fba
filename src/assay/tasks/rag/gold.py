"""Gold documents: the judgments in records, which documents each question needs, and their texts."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import TYPE_CHECKING, Any, NamedTuple

from assay.conventions import find_convention
from assay.core.errors import DataError
from assay.core.note import Note, NoteKind
from assay.core.text import some
from assay.data.derived import Judgment
from assay.data.qrels import Qrels
from assay.data.record_columns import LISTS, flat
from assay.data.source import prefix_errors
from assay.data.texts import TEXT, are_plain_ids
from assay.measures.ranking.groups import group_f_score, group_recall
from assay.tasks.evaluate.score import resolve_measures
from assay.tasks.evaluate.scorer import Scorer

if TYPE_CHECKING:
    from assay.conventions import Chosen
    from assay.core.measure import Measure
    from assay.data.records import Record
    from assay.tasks.rag.matching import Matched

# What judgments are read for if no measure of retrieval was requested.
ANY_MEASURE = ("num_rel",)
# The measures that count relevant documents, and those that count groups instead.
OVER_GROUPS = {"recall": group_recall, "f": group_f_score}


class Gold(NamedTuple):
    """The judgments of the questions that have some, ready to score, and the lowest relevant grade.

    The gold of the `matched` questions has no ids that a corpus would know; `matching` says how it was matched.
    """

    scorer: Scorer
    rel: float
    matched: frozenset[str] = frozenset()
    matching: tuple[str, ...] = ()

    def wanted(self, record: Record) -> list[set[str]]:
        """Sets of documents, one of each of which should be retrieved: a single set, or one per group."""
        qrels, gold = self.scorer.qrels, record.gold
        if type(gold) is list and self.rel <= 1 and record.query_id not in self.matched and are_plain_ids(gold):
            # Each has grade 1; one that is listed twice may have another.
            found = set(gold)
            if len(found) == len(gold):
                return [found] if found else []
        if record.query_id not in qrels:
            return []
        if isinstance(gold, list) and list in map(type, gold):
            groups = list(qrels.groups(record.query_id).values())
        else:
            groups = [qrels[record.query_id]]
        relevant = [{document for document, grade in group.items() if grade >= self.rel} for group in groups]
        return [each for each in relevant if each]


def read_gold(
    matched: Matched, measures: Mapping[str, Chosen], convention: str, policies: Mapping[str, Any]
) -> Gold | None:
    """The gold documents of all records; None if there are none."""
    records = [each for each in matched.records if each.gold is not None]
    if not records:
        return None
    plain = {each.query_id: each.gold for each in records if each.query_id not in matched.queries}
    if not plain and not matched.rows:
        # Spans or texts, and nothing was retrieved that they could be compared with.
        return None
    try:
        judgments = plain if not matched.rows else join_judgments(plain, matched.rows)
        scorer = gold_scorer(judgments, measures, convention, policies)
    except DataError:
        duplicates = find_convention(convention).policies.changed(policies).duplicates
        for each in records:
            if each.query_id in plain:
                with prefix_errors(each.place):
                    Qrels({each.query_id: each.gold}, duplicates=duplicates)
        raise
    return Gold(scorer, scorer.policies.rel, frozenset(matched.queries), matched.rules)


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


def gold_scorer(
    gold: Mapping[str, Any] | Qrels, measures: Mapping[str, Chosen], convention: str, policies: Mapping[str, Any]
) -> Scorer:
    """What scores rankings against the gold documents."""
    tool = find_convention(convention)
    resolved = measures or resolve_measures(ANY_MEASURE, tool, policies)
    if isinstance(gold, Qrels):
        resolved = {key: each._replace(measure=over_groups(each.measure)) for key, each in resolved.items()}
    return Scorer(gold, resolved, tool, tool.policies.changed(policies))


def over_groups(measure: Measure) -> Measure:
    """The measure that counts every gold item once, if one retrieved chunk can be several items."""
    definition, known = OVER_GROUPS.get(measure.definition.name), measure.definition.parameters
    given = {name: value for name, value in measure.values.items() if value != known[name].default}
    return measure if definition is None or not given.keys() <= definition.parameters.keys() else definition(**given)


def find_gold(rows: list[Record], gold: Gold | None) -> tuple[list[bool], list[Collection[str]]]:
    """Whether a gold document of each group was retrieved, and the gold documents, question by question."""
    judged = gold if any(row.retrieved is not None for row in rows) else None
    are_plain = judged is not None and judged.rel <= 1 and not judged.matched and have_plain_gold(rows)
    found: list[bool] = []
    wanted: list[Collection[str]] = []
    for row in rows:
        if are_plain and row.gold and len(documents := set(row.gold)) == len(row.gold):
            found.append(row.retrieved is not None and not documents.isdisjoint(row.retrieved.ids))
            wanted.append(row.gold)
            continue
        sets = [] if judged is None else judged.wanted(row)
        found.append(row.holds(sets))
        wanted.append(distinct_documents(row.gold, sets))
    return found, wanted


def have_plain_gold(rows: list[Record]) -> bool:
    """Whether all gold is lists of strings that can be ids as they are; all are looked at together, which is faster."""
    golds = [row.gold for row in rows]
    return LISTS.issuperset(map(type, golds)) and are_plain_ids(list(flat(golds)))


def distinct_documents(gold: object, sets: list[set[str]]) -> Collection[str]:
    """The documents in any of the sets: the gold itself where it is a list of just these, to hold it only once."""
    every: Collection[str] = sets[0] if len(sets) == 1 else frozenset().union(*sets)
    is_plain = type(gold) is list and len(gold) == len(every) and TEXT.issuperset(map(type, gold))
    return gold if is_plain and set(gold) == every else frozenset(every)  # type: ignore[return-value, call-overload]


def fill_texts(records: list[Record], corpus: Mapping[str, str], gold: Gold | None) -> tuple[list[Record], list[Note]]:
    """The records with the texts of their documents, if they have none themselves and the corpus has all."""
    unknown: dict[str, None] = {}

    def find_texts(ids: list[str]) -> tuple[str, ...] | None:
        unknown.update(dict.fromkeys(each for each in ids if each not in corpus))
        return tuple(corpus[each] for each in ids) if all(each in corpus for each in ids) else None

    filled = []
    for each in records:
        retrieved, wanted = each.retrieved_texts, each.gold_texts
        if retrieved is None and each.retrieved is not None and not each.retrieved.nameless:
            retrieved = find_texts(each.retrieved.ids)
        if wanted is None and each.gold is not None and gold is not None and each.query_id not in gold.matched:
            wanted = find_texts(sorted({document for group in gold.wanted(each) for document in group}))
        filled.append(each._replace(retrieved_texts=retrieved, gold_texts=wanted))
    if not unknown:
        return filled, []
    listed = some(list(unknown))
    return filled, [Note.of(NoteKind.CORPUS, about="documents", count=len(unknown), documents=listed)]
