"""Gold without ids: texts and source spans in records, matched with the texts and spans of what was retrieved.

A gold item is an id, a span (`document`, `start`, `end`) or a text; a list inside the list of gold holds alternatives.
Matched records get judgments in which every gold item, or list of alternatives, is a group.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from typing import Any, NamedTuple

from assay.core.doc_id import DocIdRule
from assay.core.errors import DataError, PolicyError
from assay.core.id_difference import find_difference
from assay.core.note import Note, NoteKind
from assay.core.text import Advice, Option, shorten_text, show, some
from assay.data.chunks.derived import (
    Judgment,
    Wanted,
    compare_texts,
    grade_texts,
    judge_hits,
    unique_names,
)
from assay.data.chunks.spans import Chunk, Overlap, Span, check_share, is_span, read_chunks, read_span
from assay.data.frames.columns import as_id
from assay.data.passages import (
    PASSAGE_ID,
    PASSAGE_TEXT,
    SPAN_FIELDS,
    Passages,
    document_id,
    find_field,
    finite_score,
    place_name,
)
from assay.data.records.record import PLAIN, Record

THRESHOLD = 0.9
GRADE = ("grade", "relevance", "rel")
# How much of a gold text names it in the judgments.
LONGEST_NAME = 40
# Of both sides so much is shown if they barely match.
LONGEST_SHOWN = 60
MOST_SHOWN = 4
MOST_KEPT = 10


class Matching(NamedTuple):
    """How gold without ids is matched: the least similarity of texts, if any, and the overlap of spans.

    `paths` are the user's own field paths for the parts of a span. `chunks` has the spans of chunks that were retrieved
    as ids. With `graded`, the similarity of texts is their grade, which ragas' measures need.
    """

    threshold: float | None
    overlap: Overlap
    paths: Mapping[str, str]
    rule: DocIdRule | None = None
    chunks: object = None
    graded: bool = False

    @classmethod
    def parse(cls, match: object, overlap: object, overlap_of: object, columns: object) -> Matching:
        own = columns if isinstance(columns, Mapping) else {}
        paths = {part: own[part] for part in SPAN_FIELDS if part in own}
        words = {"exact": 1.0, "off": None}
        is_word = isinstance(match, str) and match in words
        threshold = words[match] if is_word else check_share(match, "match must be 'exact', 'off', or a similarity")  # type: ignore[index]
        return cls(threshold, Overlap.parse(overlap, overlap_of), paths)


class GoldItem(NamedTuple):
    """A gold item: its group and grade; and its id, its span or its text."""

    group: str
    grade: float = 1.0
    name: str = ""
    span: Span | None = None
    text: str | None = None

    @property
    def wanted(self) -> Wanted:
        """The item in the judgments, while nothing retrieved hits it."""
        if self.text is not None:
            return Wanted(self.group, f"gold {self.group}: {' '.join(self.text.split())[:LONGEST_NAME]}", self.grade)
        return Wanted(self.group, self.name if self.span is None else f"gold {self.span}", self.grade)


@dataclass(slots=True)
class Matched:
    """The records with ids for what was retrieved, the judgments of the queries that were matched, and how.

    `texts` and `spans` count gold by how it matched. `documents` are those of gold spans and of chunks, and `sample`
    some of the chunks, in case they do not meet. `chunk_texts` are those of the table of chunks, which may be a stream.
    """

    how: Matching
    records: list[Record] = field(default_factory=list)
    rows: list[Judgment] = field(default_factory=list)
    queries: set[str] = field(default_factory=set)
    texts: Counter[str] = field(default_factory=Counter)
    spans: Counter[str] = field(default_factory=Counter)
    documents: tuple[dict[str, None], dict[str, None]] = field(default_factory=lambda: ({}, {}))
    sample: list[Span] = field(default_factory=list)
    chunk_texts: Mapping[str, str] | None = None

    @property
    def rules(self) -> tuple[str, ...]:
        """The rules that something was matched by, as in a signature."""
        least, of = self.how.overlap
        texts = f"match={'grades' if self.how.graded else self.how.threshold}" if self.texts.total() else ""
        spans = "overlap=any" if least is None else f"overlap={least:g} overlap_of={of}"
        return tuple(each for each in (texts, spans if self.spans.total() else "") if each)

    def notes(self) -> list[Note]:
        """How many gold items matched, and how."""
        notes = []
        if (total := self.texts.total()) and self.how.graded:
            notes.append(Note.of(NoteKind.MATCHED, about="graded", count=total))
        elif total:
            how: dict[str, Any] = {name: f"{self.texts[name]:,}" for name in ("exact", "similar", "none")}
            about = "exact" if self.how.threshold == 1 else ""
            notes.append(Note.of(NoteKind.MATCHED, about=about, count=total, threshold=self.how.threshold, **how))
        if total := self.spans.total():
            how = {name: f"{self.spans[name]:,}" for name in ("hit", "none")}
            notes.append(Note.of(NoteKind.MATCHED, about="spans", count=total, rule=str(self.how.overlap), **how))
        return notes


def match_records(records: list[Record], how: Matching) -> Matched:
    """The records, with judgments for those whose gold has no ids."""
    if all(each.retrieved is None and each.retrieved_texts is None for each in records):
        return Matched(how, records, queries={each.query_id for each in records if has_objects(each.gold, how)})

    @cache
    def read_table() -> dict[str, Chunk]:
        return {} if how.chunks is None else read_chunks(how.chunks, how.paths)

    matched = Matched(how)
    for each in records:
        found = each.retrieved
        is_plain = type(each.gold) is list and each.gold_texts is None and PLAIN.issuperset(map(type, each.gold))
        has_only_ids = is_plain and found is not None and found.items is None and not found.nameless
        matched.records.append(each if has_only_ids else match_record(each, matched, read_table))
    if matched.rows:
        # A frame of judgments has no place for a question with nothing to find.
        empty = [each.query_id for each in records if each.gold in ([], {})]
        matched.rows += [row for query in empty for row in judge_hits(query, [], [], [])]
        matched.queries.update(empty)
    if how.chunks is not None and read_table.cache_info().currsize:
        matched.chunk_texts = {name: each.text for name, each in read_table().items() if each.text is not None}
    return matched


def match_record(record: Record, matched: Matched, read_table: Callable[[], dict[str, Chunk]]) -> Record:
    """The record with ids for what was retrieved; if its gold has no ids, its judgments are added to what matched."""
    how = matched.how
    golds, found, texts = gold_items(record, how), record.retrieved, record.retrieved_texts
    if golds is None:
        if record.gold and found is not None and found.nameless:
            raise DataError(found.nameless)
        has_items = found is not None and found.items is not None
        return record._replace(retrieved=found._replace(items=None)) if found and has_items else record
    if found is None and texts is not None:
        names = [place_name(place) for place in range(len(texts))]
        found = Passages(names, texts=list(texts), nameless=f"{record.place}: no retrieved ids")
    elif found is not None and found.scores is not None and not found.is_list:
        pairs = list(zip(found.scores, found.ids, strict=True))
        places = sorted(range(len(pairs)), key=pairs.__getitem__, reverse=True)
        found, texts = found.at(places), None if texts is None else tuple(texts[place] for place in places)
    gold_spans = {number: each.span for number, each in enumerate(golds) if each.span is not None}
    gold_texts = {number: each.text for number, each in enumerate(golds) if each.text is not None}
    chunks = read_spans(found, record.place, how, read_table) if gold_spans and found is not None else []
    hits: list[list[int]] = [[] for _ in found.ids] if found else []
    for hit, chunk in zip(hits, chunks, strict=False):
        hit += [list(gold_spans)[at] for at in how.overlap.hits(list(gold_spans.values()), chunk)]
    was_hit = {number for hit in hits for number in hit}
    matched.spans.update({"hit": len(was_hit), "none": len(gold_spans) - len(was_hit)})
    if gold_texts:
        matched.texts.update(add_text_hits(hits, gold_texts, texts, record.place, how))
    add_id_hits(hits, golds, found, how)
    if found is not None and (found.nameless or len(set(found.ids)) < len(found.ids)):
        found = found._replace(ids=unique_names([str(span) for span in chunks] if chunks else found.ids))
    names = found.ids if found else []
    if how.graded and len(gold_texts) == len(golds):
        rows = grade_texts(record.query_id, list(gold_texts.values()), list(texts or ()), names=names)
    else:
        rows = judge_hits(record.query_id, [each.wanted for each in golds], names, list(map(sorted, hits)))
    matched.rows += rows
    matched.queries.add(record.query_id)
    for documents, side in zip(matched.documents, (gold_spans.values(), chunks), strict=True):
        documents.update(dict.fromkeys(each.document for each in side))
    matched.sample += chunks[:1]
    gold = record.gold if record.gold is not None else record.grouped_texts
    found = None if found is None else found._replace(items=None)
    shown = tuple((each.name if each.span is None else str(each.span), each.text or "") for each in golds)
    return record._replace(gold=gold, retrieved=found, retrieved_texts=texts, matched=shown)


def gold_items(record: Record, how: Matching) -> list[GoldItem] | None:
    """The gold of a record that has to be matched; None if ids are enough, or there is nothing to match."""
    gold, found = record.gold, record.retrieved
    if not has_objects(gold, how):
        has_ids = gold is not None and (found is None or not found.nameless)
        lacks_texts = record.gold_texts is None or (record.retrieved_texts is None and found is not None)
        if how.threshold is None or lacks_texts or (has_ids and (found is not None or record.retrieved_texts is None)):
            return None
        groups = enumerate(record.grouped_texts or ())
        return [GoldItem(str(number), text=text) for number, group in groups for text in as_group(group)]
    items = []
    # An item in no list of alternatives is its own group.
    for number, each in enumerate([gold] if isinstance(gold, Mapping) else gold):
        where = f"{record.place}: gold, number {number}"
        if isinstance(each, list) and not each:
            raise DataError(f"{where}: an empty group; remove it")
        items += [read_item(item, str(number), where, how) for item in as_group(each)]
    return items


def has_objects(gold: Any, how: Matching) -> bool:  # noqa: ANN401 - whatever the record holds
    """Whether gold is a span, or a list with an object that has a span or a text, and not only ids."""
    if isinstance(gold, Mapping):
        return is_span(gold, how.paths)
    if not isinstance(gold, list) or PLAIN.issuperset(map(type, gold)):
        return False
    return any(is_object(item) for each in gold for item in as_group(each))


def as_group(each: Any) -> list[Any]:  # noqa: ANN401 - whatever the record holds
    """A list of alternatives; a single item is one."""
    return each if isinstance(each, list) else [each]


def is_object(item: object) -> bool:
    """Whether a gold item is something with fields, and not an id."""
    return item is not None and not isinstance(item, (str, bytes, int, float, list))


def read_item(item: object, group: str, place: str, how: Matching) -> GoldItem:
    """One gold item: an id, or an object with a span, an id or a text."""
    if not is_object(item):
        return GoldItem(group, name=document_id(item, place))
    grade = find_field(item, GRADE)
    grade = 1.0 if grade is None else finite_score(grade, place)
    if is_span(item, how.paths):
        return GoldItem(group, grade, span=read_span(item, place, how.paths))
    name, text = find_field(item, PASSAGE_ID), find_field(item, PASSAGE_TEXT)
    if as_id(name):
        return GoldItem(group, grade, str(name))
    if isinstance(text, str):
        return GoldItem(group, grade, text=text)
    raise DataError(f"{place} has no id, no span (document, start, end) and no text: {show(item)}")


def read_spans(found: Passages, place: str, how: Matching, read_table: Callable[[], dict[str, Chunk]]) -> list[Span]:
    """The spans of what was retrieved: its own, or those of its ids in the table of chunks."""
    spans = []
    for number, each in enumerate(found.items or found.ids):
        if is_span(each, how.paths):
            spans.append(read_span(each, f"{place}, retrieved, number {number}", how.paths))
        elif found.ids[number] in read_table():
            spans.append(read_table()[found.ids[number]].span)
        elif read_table() and (name := as_id(each)):
            why = "the run and the table must be of the same chunking"
            raise DataError(f"{place}: the retrieved chunk {show(name)} is not in the table of chunks; {why}")
        else:
            where = Option("columns", ("start", "metadata.start_index"))
            hint = f"say where they are ({where}), or give the spans of all chunks by id ({Option('corpus')})"
            said = f"the gold is a span, but a retrieved passage has none: {show(each)}"
            raise DataError(f"{place}: {said}; a passage needs document, start and end; {hint}")
    return spans


def add_text_hits(
    hits: list[list[int]], gold: Mapping[int, str], retrieved: Sequence[str] | None, place: str, how: Matching
) -> dict[str, int]:
    """Adds the gold texts that each retrieved text hits; returns how many matched, and how."""
    if how.threshold is None:
        raise PolicyError(f"{place}: the gold is a text, and matching texts is off")
    if retrieved is None and hits:
        raise DataError(f"{place}: the gold is a text, but a retrieved passage has no text")
    match, numbers = compare_texts(list(gold.values()), retrieved or (), how.threshold), list(gold)
    for hit, those in zip(hits, match.hits, strict=True):
        hit += [numbers[at] for at in those]
    rest = len(gold) - len(match.exact | match.similar)
    return {"exact": len(match.exact), "similar": len(match.similar), "none": rest}


def add_id_hits(hits: list[list[int]], golds: list[GoldItem], found: Passages | None, how: Matching) -> None:
    wanted = {each.name: number for number, each in enumerate(golds) if each.name}
    if not wanted or found is None:
        return
    if found.nameless:
        raise DataError(found.nameless)
    rule = None if how.rule is None or how.rule.is_field else how.rule
    for hit, name in zip(hits, found.ids, strict=True):
        document = name if rule is None else rule.of(name)
        if document in wanted:
            hit.append(wanted[document])


def unmatched_note(matched: Matched) -> Note:
    """What to say if gold barely matches what was retrieved, in place of the note on ids, which such gold has not."""
    first = [name or text for each in matched.records for name, text in (each.matched or ())[:1]]
    advice: Advice
    if total := matched.spans.total():
        kind, found, (said, advice) = "spans", matched.spans["hit"], span_advice(matched)
    else:
        total, kind = matched.texts.total(), "texts"
        found, least = total - matched.texts["none"], matched.how.threshold
        retrieved = [each.retrieved_texts[0] for each in matched.records if each.retrieved_texts]
        said = f"what was retrieved has {shortened(retrieved)}"
        split = "if they were split differently, compare their words (retrieval_token_recall), or use spans as gold"
        advice = ("lower ", Option("match"), f" (here {least:g}) if the passages are the same; {split}")
        if least == 1:
            advice = (Option("match", 0.9), " also takes similar texts")
    about = f"few {kind}" if found else kind
    said = f"the gold has {shortened(first)}, {said}"
    return Note.of(NoteKind.OVERLAP, about=about, count=found, expected=f"{total:,}", ids=said, advice=advice)


def span_advice(matched: Matched) -> tuple[str, Advice]:
    """Some retrieved spans, how the names of their documents differ from those of the gold, and what to do."""
    said = f"the retrieved chunks are {some([str(each) for each in matched.sample[:MOST_KEPT]])}"
    gold, found = matched.documents
    if gold.keys() & found.keys():
        if matched.how.overlap.least is not None:
            return said, (Option("overlap", "any"), " asks for less")
        return said, ("check that both count characters, from the start of the same text of the document",)
    difference = find_difference(gold, found)
    if difference is not None:
        advice = "write the names of documents the same way on both sides"
        return f"{said}; likely the same documents: {difference}", (advice,)
    columns = Option("columns", ("document", "metadata.source"))
    return said, ("they have no document in common; name the field that has the document of a chunk: ", columns)


def shortened(texts: list[str]) -> str:
    return some([shorten_text(each, LONGEST_SHOWN) or "" for each in list(dict.fromkeys(texts))[:MOST_SHOWN]])
