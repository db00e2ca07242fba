"""Gold: the items in records (ids, spans, texts), the judgments made from them, and what each question needs.

A gold item is an id, a span (`document`, `start`, `end`) or a text; a list inside the list of gold holds alternatives.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from itertools import chain
from typing import TYPE_CHECKING, Any, NamedTuple

from assay.core.errors import DataError
from assay.core.text import show
from assay.data.chunks.derived import Judgment, Wanted
from assay.data.chunks.spans import Span, is_span, read_span
from assay.data.frames.columns import as_id
from assay.data.passages import PASSAGE_ID, PASSAGE_TEXT, TEXT, are_plain_ids, document_id, find_field, finite_score
from assay.data.qrels import Qrels
from assay.data.records.record import PLAIN
from assay.files.source import prefix_errors
from assay.measures.ranking.groups import group_f_score, group_recall
from assay.tasks.evaluate.api import Scorer
from assay.tasks.evaluate.plan import Plan, resolve_measures

if TYPE_CHECKING:
    from assay.conventions import Chosen
    from assay.core.convention import Convention
    from assay.core.measure import Measure
    from assay.data.records.record import Record
    from assay.tasks.rag.matching import Matched, Matching

# What judgments are read for if no measure of retrieval was requested.
ANY_MEASURE = ("num_rel",)
# The measures that count relevant documents, and those that count groups instead.
OVER_GROUPS = {"recall": group_recall, "f": group_f_score}
LISTS = frozenset({list, type(None)})
GRADE = ("grade", "relevance", "rel")
# How much of a gold text names it in the judgments.
LONGEST_NAME = 40


class GoldText(NamedTuple):
    """A gold passage that is known by its text."""

    text: str


class GoldItem(NamedTuple):
    """A gold item: an id, a span or a text; its group and grade."""

    value: str | Span | GoldText
    group: str
    grade: float = 1.0

    @property
    def shown(self) -> tuple[str, str]:
        """The item for people: a span or an id, or else a text."""
        return ("", self.value.text) if isinstance(self.value, GoldText) else (str(self.value), "")

    @property
    def wanted(self) -> Wanted:
        """The item in the judgments, while nothing retrieved hits it."""
        name = self.value if isinstance(self.value, str) else f"gold {self.value}"
        if isinstance(self.value, GoldText):
            name = f"gold {self.group}: {' '.join(self.value.text.split())[:LONGEST_NAME]}"
        return Wanted(self.group, name, self.grade)


def gold_items(record: Record, how: Matching) -> list[GoldItem] | None:
    """The gold of a record that has to be matched; None if ids are enough, or there is nothing to match."""
    gold, found = record.gold, record.retrieved
    if objects := objects_of(gold, how):
        return read_items(objects, record.place, how)
    has_ids = gold is not None and (found is None or not found.nameless)
    lacks_texts = record.gold_texts is None or (record.retrieved_texts is None and found is not None)
    if how.threshold is None or lacks_texts or (has_ids and (found is not None or record.retrieved_texts is None)):
        return None
    groups = enumerate(record.grouped_texts or ())
    return [GoldItem(GoldText(text), str(number)) for number, group in groups for text in as_group(group)]


def objects_of(gold: object, how: Matching) -> list[Any] | None:
    """The gold as a list, if something in it is an object with a span or a text; None if all are ids."""
    if isinstance(gold, Mapping) and is_span(gold, how.paths):
        return [gold]
    if type(gold) is list and PLAIN.issuperset(map(type, gold)):
        return None
    if isinstance(gold, list) and any(is_object(item) for each in gold for item in as_group(each)):
        return gold
    return None


def as_group(each: Any) -> list[Any]:  # noqa: ANN401 - whatever the record holds
    """A list of alternatives; a single item is one."""
    return each if isinstance(each, list) else [each]


def is_object(item: object) -> bool:
    """Whether a gold item is something with fields, and not an id."""
    return item is not None and not isinstance(item, (str, bytes, int, float, list))


def read_items(gold: list[Any], place: str, how: Matching) -> list[GoldItem]:
    """The items of a list of gold; an item in no list of alternatives is its own group."""
    items = []
    for number, each in enumerate(gold):
        if isinstance(each, list) and not each:
            raise DataError(f"{place}: gold, number {number}: an empty group; remove it")
        items += [read_item(item, str(number), f"{place}: gold, number {number}", how) for item in as_group(each)]
    return items


def read_item(item: object, group: str, place: str, how: Matching) -> GoldItem:
    """One gold item: an id, or an object with a span, an id or a text."""
    if not is_object(item):
        return GoldItem(document_id(item, place), group)
    grade = find_field(item, GRADE)
    grade = 1.0 if grade is None else finite_score(grade, place)
    if is_span(item, how.paths):
        return GoldItem(read_span(item, place, how.paths), group, grade)
    name, text = find_field(item, PASSAGE_ID), find_field(item, PASSAGE_TEXT)
    if as_id(name):
        return GoldItem(str(name), group, grade)
    if isinstance(text, str):
        return GoldItem(GoldText(text), group, grade)
    raise DataError(f"{place} has no id, no span (document, start, end) and no text: {show(item)}")


class Gold(NamedTuple):
    """The lowest relevant grade, and the judgments of the questions that have some, ready to score.

    Without a `scorer` nothing needs judgments, and all gold is lists of different ids. The gold of the `matched`
    questions has no ids that a corpus would know; `matching` says how it was matched.
    """

    rel: float
    scorer: Scorer | None = None
    matched: frozenset[str] = frozenset()
    matching: tuple[str, ...] = ()

    def wanted(self, record: Record) -> list[set[str]]:
        """Sets of documents, one of each of which should be retrieved: a single set, or one per group."""
        gold = record.gold
        if type(gold) is list and self.rel <= 1 and record.query_id not in self.matched and are_plain_ids(gold):
            # Each has grade 1; one that is listed twice may have another.
            found = set(gold)
            if len(found) == len(gold):
                return [found] if found else []
        qrels = None if self.scorer is None else self.scorer.qrels
        if qrels is None or record.query_id not in qrels:
            return []
        if isinstance(gold, list) and list in map(type, gold):
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
    if not measures and not matched.rows and policies.rel <= 1 and have_plain_gold(records):
        return Gold(policies.rel, None, matched.queries, matched.rules)
    judgments: Mapping[str, Any] | Qrels = plain
    chosen = measures or resolve_measures(ANY_MEASURE, tool, options)
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
            found.append(row.retrieved is not None and not documents.isdisjoint(row.retrieved.ids))
            wanted.append(row.gold)
            continue
        sets = [] if judged is None else judged.wanted(row)
        found.append(row.holds(sets))
        wanted.append(distinct_documents(row.gold, sets))
    return found, wanted


def have_plain_gold(rows: list[Record]) -> bool:
    """Whether all gold is lists of different strings that can be ids as they are."""
    return has_only_lists(rows) and all(len(set(row.gold)) == len(row.gold) for row in rows if row.gold)


def has_only_lists(rows: list[Record]) -> bool:
    """Whether all gold is lists of strings that can be ids as they are; all are looked at together, which is faster."""
    golds = [row.gold for row in rows]
    return LISTS.issuperset(map(type, golds)) and are_plain_ids(list(chain.from_iterable(filter(None, golds))))


def distinct_documents(gold: object, sets: list[set[str]]) -> Collection[str]:
    """The documents in any of the sets: the gold itself where it is a list of just these, to hold it only once."""
    every: Collection[str] = sets[0] if len(sets) == 1 else frozenset().union(*sets)
    is_plain = type(gold) is list and len(gold) == len(every) and TEXT.issuperset(map(type, gold))
    return gold if is_plain and set(gold) == every else frozenset(every)  # type: ignore[return-value, call-overload]
