"""Gold without ids: texts and source spans in records, matched with the texts and spans of what was retrieved.

A gold item is an id, a span (`document`, `start`, `end`) or a text; a list inside the list of gold holds alternatives.
Matched records get judgments in which every item, or list of alternatives, is a group.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any, NamedTuple

from assay.core.errors import DataError, MeasureError, PolicyError
from assay.core.interface import Option
from assay.core.note import Note, NoteKind
from assay.core.text import show
from assay.data.chunk_table import Chunk, read_chunks
from assay.data.derived import (
    Judgment,
    Wanted,
    compare_texts,
    grade_texts,
    judge_hits,
    ranked_places,
    unique_names,
)
from assay.data.fields import find_field
from assay.data.frames import as_id
from assay.data.records import PLAIN
from assay.data.spans import SPAN_FIELDS, Overlap, Span, check_share, is_span, read_span
from assay.data.texts import PASSAGE_ID, PASSAGE_TEXT, Passages, document_id, finite_score, place_name

if TYPE_CHECKING:
    from assay.core.doc_id import DocIdRule
    from assay.data.records import Record

THRESHOLD = 0.9
EXACT, OFF = "exact", "off"
# How much of a gold text names it in a message.
LONGEST_NAME = 40
MOST_KEPT = 10
GRADE = ("grade", "relevance", "rel")


class Matching(NamedTuple):
    """How gold without ids is matched: the least similarity of texts, if any, and the overlap of spans.

    `paths` are the user's own field paths for the parts of a span, `rule` that for the ids of documents. `chunks`
    has the spans of chunks that were retrieved as ids. With `graded`, the similarity of texts is their grade, which
    ragas' measures need.
    """

    threshold: float | None
    overlap: Overlap
    paths: Mapping[str, str]
    rule: DocIdRule | None = None
    chunks: object = None
    graded: bool = False

    @classmethod
    def parse(
        cls,
        match: object,
        overlap: object,
        overlap_of: object,
        *,
        columns: object = None,
        rule: DocIdRule | None = None,
        chunks: object = None,
        graded: bool = False,
    ) -> Matching:
        """The rules that the parameters of `evaluate_rag` mean."""
        own = columns if isinstance(columns, Mapping) else {}
        paths = {part: own[part] for part in SPAN_FIELDS if part in own}
        return cls(parse_match(match), Overlap.parse(overlap, overlap_of), paths, rule, chunks, graded)


def parse_match(match: object) -> float | None:
    """The least similarity of texts that match; None if they are not to be matched."""
    if match in (EXACT, OFF):
        return 1.0 if match == EXACT else None
    return check_share(match, "match must be 'exact', 'off', or a similarity")


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


@dataclass
class Matched:
    """The records with ids for what was retrieved, the judgments of those that were matched, and what was counted."""

    how: Matching
    records: list[Record] = field(default_factory=list)
    rows: list[Judgment] = field(default_factory=list)
    queries: set[str] = field(default_factory=set)
    texts: dict[str, int] = field(default_factory=lambda: {"exact": 0, "similar": 0, "none": 0})
    spans: dict[str, int] = field(default_factory=lambda: {"hit": 0, "none": 0})
    # The documents of gold spans and of chunks, and some of the chunks, in case they do not meet.
    documents: tuple[dict[str, None], dict[str, None]] = field(default_factory=lambda: ({}, {}))
    chunks: list[Span] = field(default_factory=list)

    def add(self, record: Record) -> None:
        """Matches one record, if its gold has no ids."""
        golds = gold_items(record, self.how)
        if golds is None:
            if record.gold and record.retrieved is not None and record.retrieved.nameless:
                raise DataError(record.retrieved.nameless)
            has_items = record.retrieved is not None and record.retrieved.items is not None
            self.records.append(record._replace(retrieved=without_items(record.retrieved)) if has_items else record)
            return
        record = in_ranked_order(record)
        found, hits = self.compare(record, golds)
        self.queries.add(record.query_id)
        names, texts = (
            found.ids if found else [],
            [each.value.text for each in golds if isinstance(each.value, GoldText)],
        )
        if self.how.graded and len(texts) == len(golds):
            self.rows += grade_texts(record.query_id, texts, list(record.retrieved_texts or ()), names=names)
        else:
            self.rows += judge_hits(record.query_id, [each.wanted for each in golds], names, hits)
        gold = record.gold if record.gold is not None else record.grouped_texts
        shown = tuple(each.shown for each in golds)
        self.records.append(record._replace(gold=gold, retrieved=without_items(found), matched=shown))

    def compare(self, record: Record, golds: list[GoldItem]) -> tuple[Passages | None, list[list[int]]]:
        """What was retrieved, with an id for each, and the numbers of the gold items that each of them hits."""
        found = record.retrieved
        if found is None and record.retrieved_texts is not None:
            names = [place_name(place) for place in range(len(record.retrieved_texts))]
            found = Passages(names, texts=list(record.retrieved_texts), nameless=f"{record.place}: no retrieved ids")
        hits: list[list[int]] = [[] for _ in found.ids] if found else []
        spans = self.compare_spans(record, golds, found, hits)
        self.compare_texts(record, golds, hits)
        self.compare_ids(golds, found, hits)
        if found is None:
            return None, hits
        if found.nameless or len(set(found.ids)) < len(found.ids):
            found = found._replace(ids=unique_names([str(span) for span in spans] if spans else found.ids))
        return found, [sorted(each) for each in hits]

    def compare_spans(
        self, record: Record, golds: list[GoldItem], found: Passages | None, hits: list[list[int]]
    ) -> list[Span]:
        """The spans of what was retrieved, if gold has spans; adds what they hit."""
        wanted = {number: each.value for number, each in enumerate(golds) if isinstance(each.value, Span)}
        if not wanted:
            return []
        spans = [] if found is None else self.read_chunks(found, record.place)
        numbers = list(wanted)
        for hit, chunk in zip(hits, spans, strict=True):
            hit += [numbers[at] for at in self.how.overlap.hits(list(wanted.values()), chunk)]
        number = len({each for hit in hits for each in hit} & wanted.keys())
        for known, each in zip(self.documents, (wanted.values(), spans), strict=True):
            known.update(dict.fromkeys(span.document for span in each))
        self.chunks += spans[:1] if len(self.chunks) < MOST_KEPT else []
        self.spans["hit"] += number
        self.spans["none"] += len(wanted) - number
        return spans

    def read_chunks(self, found: Passages, place: str) -> list[Span]:
        """The spans of what was retrieved: its own, or those of its ids in the table of chunks."""
        spans = []
        for number, each in enumerate(found.items or found.ids):
            if is_span(each, self.how.paths):
                spans.append(read_span(each, f"{place}, retrieved, number {number}", self.how.paths))
            elif found.ids[number] in self.known_chunks:
                spans.append(self.known_chunks[found.ids[number]].span)
            else:
                raise self.no_span_error(each, place)
        return spans

    def no_span_error(self, chunk: object, place: str) -> DataError:
        """The error for a retrieved passage that cannot be compared with gold spans."""
        if self.known_chunks and (name := as_id(chunk)):
            why = "the run and the table must be of the same chunking"
            return DataError(f"{place}: the retrieved chunk {show(name)} is not in the table of chunks; {why}")
        return DataError(
            f"{place}: the gold is a span, but a retrieved passage has none: {show(chunk)}; a passage needs document, "
            f"start and end; say where they are ({Option('columns', ('start', 'metadata.start_index'))}), or give the "
            f"spans of all chunks by id ({Option('corpus')})"
        )

    @cached_property
    def known_chunks(self) -> dict[str, Chunk]:
        """The chunks by id, if there is a table of them."""
        return {} if self.how.chunks is None else read_chunks(self.how.chunks, self.how.paths)

    @property
    def chunk_texts(self) -> Mapping[str, str] | None:
        """The texts of the chunks; None if no table of chunks was read, which may be a stream to be read only once."""
        if self.how.chunks is None or "known_chunks" not in vars(self):
            return None
        return {name: each.text for name, each in self.known_chunks.items() if each.text is not None}

    def compare_texts(self, record: Record, golds: list[GoldItem], hits: list[list[int]]) -> None:
        """Adds what the retrieved texts hit, if gold has texts."""
        wanted = {number: each.value.text for number, each in enumerate(golds) if isinstance(each.value, GoldText)}
        if not wanted:
            return
        if self.how.threshold is None:
            raise PolicyError(f"{record.place}: the gold is a text, and matching texts is off")
        texts = record.retrieved_texts
        if texts is None and hits:
            raise DataError(f"{record.place}: the gold is a text, but a retrieved passage has no text")
        match = compare_texts(list(wanted.values()), texts or (), self.how.threshold)
        numbers = list(wanted)
        for hit, each in zip(hits, match.hits, strict=True):
            hit += [numbers[at] for at in each]
        self.texts["exact"] += len(match.exact)
        self.texts["similar"] += len(match.similar)
        self.texts["none"] += len(wanted) - len(match.exact | match.similar)

    def compare_ids(self, golds: list[GoldItem], found: Passages | None, hits: list[list[int]]) -> None:
        """Adds what the retrieved ids hit, if gold has ids too."""
        wanted = {each.value: number for number, each in enumerate(golds) if isinstance(each.value, str)}
        if not wanted or found is None:
            return
        if found.nameless:
            raise DataError(found.nameless)
        for hit, name in zip(hits, found.ids, strict=True):
            document = name if self.how.rule is None or self.how.rule.is_field else self.how.rule.of(name)
            if document in wanted:
                hit.append(wanted[document])

    @property
    def rules(self) -> tuple[str, ...]:
        """The rules that something was matched by, as in a signature."""
        least, of = self.how.overlap
        texts = "" if not sum(self.texts.values()) else f"match={'grades' if self.how.graded else self.how.threshold}"
        spans = "overlap=any" if least is None else f"overlap={least:g} overlap_of={of}"
        return tuple(each for each in (texts, spans if sum(self.spans.values()) else "") if each)

    def notes(self) -> list[Note]:
        """How many gold items matched, and how."""
        notes = []
        if (total := sum(self.texts.values())) and self.how.graded:
            notes.append(Note.of(NoteKind.MATCHED, about="graded", count=total))
        elif total:
            how: dict[str, Any] = {name: f"{number:,}" for name, number in self.texts.items()}
            about = "exact" if self.how.threshold == 1 else ""
            notes.append(Note.of(NoteKind.MATCHED, about=about, count=total, threshold=self.how.threshold, **how))
        if total := sum(self.spans.values()):
            how = {name: f"{number:,}" for name, number in self.spans.items()}
            notes.append(Note.of(NoteKind.MATCHED, about="spans", count=total, rule=str(self.how.overlap), **how))
        return notes


def match_records(records: list[Record], how: Matching) -> Matched:
    """The records, with judgments for those whose gold has no ids."""
    matched = Matched(how)
    if all(each.retrieved is None and each.retrieved_texts is None for each in records):
        matched.records = records
        matched.queries = {each.query_id for each in records if objects_of(each.gold, how)}
        return matched
    for each in records:
        if has_only_ids(each):
            matched.records.append(each)
        else:
            matched.add(each)
    if matched.rows:
        # A frame of judgments has no place for a question with nothing to find.
        empty = [each.query_id for each in records if each.gold in ([], {})]
        matched.rows += [row for query in empty for row in judge_hits(query, [], [], [])]
        matched.queries |= set(empty)
    return matched


def has_only_ids(record: Record) -> bool:
    """Whether the record stays as it is: gold and what was retrieved are lists of ids. False says nothing."""
    gold, found = record.gold, record.retrieved
    if type(gold) is not list or record.gold_texts is not None or found is None:
        return False
    return found.items is None and not found.nameless and PLAIN.issuperset(map(type, gold))


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


def in_ranked_order(record: Record) -> Record:
    """The record with what was retrieved, and its texts, in the order of the ranking."""
    found, texts = record.retrieved, record.retrieved_texts
    if found is None or found.scores is None or found.is_list:
        return record
    places = ranked_places(found.ids, found.scores)
    ranked = None if texts is None else tuple(texts[place] for place in places)
    return record._replace(retrieved=found.at(places), retrieved_texts=ranked)


def without_items(found: Passages | None) -> Passages | None:
    """What was retrieved, without the objects that it was read from."""
    return None if found is None else found._replace(items=None)


def check_grades(keys: Iterable[str], matched: Matched) -> None:
    """Raises if one of ragas' measures of texts would be computed with other grades than similarities."""
    graded = [key for key in keys if key.startswith("ragas:") and "nonllm" in key.lower().replace("_", "")]
    if graded and sum(matched.texts.values()) and not matched.how.graded:
        raise MeasureError(
            f"{graded[0]} takes similarities as grades; compute it alone, with {Option('convention', 'ragas')}"
        )


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
