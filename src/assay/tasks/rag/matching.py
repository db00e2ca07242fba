"""Gold without ids: texts and source spans in records, matched with the texts and spans of what was retrieved.

Matched records get judgments in which every gold item, or list of alternatives, is a group.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any, NamedTuple

from assay.core.errors import DataError, MeasureError, PolicyError
from assay.core.id_difference import find_difference
from assay.core.note import Note, NoteKind
from assay.core.text import Advice, Option, shorten_text, show, some
from assay.data.chunks.derived import Judgment, compare_texts, grade_texts, judge_hits, ranked_places, unique_names
from assay.data.chunks.spans import Chunk, Overlap, Span, check_share, is_span, read_chunks, read_span
from assay.data.frames.columns import as_id
from assay.data.passages import SPAN_FIELDS, Passages, place_name
from assay.data.records.record import PLAIN
from assay.tasks.rag.gold import GoldItem, GoldText, gold_items, objects_of

if TYPE_CHECKING:
    from assay.core.doc_id import DocIdRule
    from assay.data.records.record import Record

THRESHOLD = 0.9
EXACT, OFF = "exact", "off"
# What `evaluate_rag` is called with if nothing else is said.
USUAL = (THRESHOLD, "any", "gold")
# Of both sides so much is shown if they hardly match.
LONGEST_SHOWN = 60
MOST_SHOWN = 4
MOST_KEPT = 10


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
    def parse(cls, match: object, overlap: object, overlap_of: object, columns: object, **how: Any) -> Matching:  # noqa: ANN401 - the other fields
        """The rules that the parameters of `evaluate_rag` mean."""
        own = columns if isinstance(columns, Mapping) else {}
        paths = {part: own[part] for part in SPAN_FIELDS if part in own}
        if (match, overlap, overlap_of) == USUAL:
            return cls(THRESHOLD, Overlap(), paths, **how)
        return cls(parse_match(match), Overlap.parse(overlap, overlap_of), paths, **how)


def parse_match(match: object) -> float | None:
    """The least similarity of texts that match; None if they are not to be matched."""
    if match in (EXACT, OFF):
        return 1.0 if match == EXACT else None
    return check_share(match, "match must be 'exact', 'off', or a similarity")


@dataclass(frozen=True, slots=True)
class Matched:
    """The records with ids for what was retrieved, the judgments of the queries that were matched, and how.

    `texts` counts gold texts that matched exactly, by similarity or not at all (none), `spans` those that were hit or
    not. `documents` are those of gold spans and of chunks, and `sample` some of the chunks, in case they do not meet.
    `chunk_texts` are those of the table of chunks, if one was read: it may be a stream to be read only once.
    """

    how: Matching
    records: list[Record]
    rows: list[Judgment] = field(default_factory=list)
    queries: frozenset[str] = frozenset()
    texts: Counter[str] = field(default_factory=Counter)
    spans: Counter[str] = field(default_factory=Counter)
    documents: tuple[dict[str, None], dict[str, None]] = ({}, {})
    sample: Sequence[Span] = ()
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
        return Matched(how, records, queries=frozenset(each.query_id for each in records if objects_of(each.gold, how)))
    matcher = Matcher(how)
    found = [each if has_only_ids(each) else matcher.match(each) for each in records]
    if matcher.rows:
        # A frame of judgments has no place for a question with nothing to find.
        empty = [each.query_id for each in records if each.gold in ([], {})]
        matcher.rows += [row for query in empty for row in judge_hits(query, [], [], [])]
        matcher.queries.update(empty)
    counted = (matcher.texts, matcher.spans, matcher.documents, matcher.sample, matcher.chunk_texts)
    return Matched(how, found, matcher.rows, frozenset(matcher.queries), *counted)


class Matcher:
    """Matches records one by one, counts, and reads the table of chunks once something needs it."""

    def __init__(self, how: Matching) -> None:
        self.how = how
        self.rows: list[Judgment] = []
        self.queries: set[str] = set()
        self.texts: Counter[str] = Counter()
        self.spans: Counter[str] = Counter()
        self.documents: tuple[dict[str, None], dict[str, None]] = ({}, {})
        self.sample: list[Span] = []

    @cached_property
    def chunks(self) -> dict[str, Chunk]:
        """The chunks by id, if there is a table of them."""
        return {} if self.how.chunks is None else read_chunks(self.how.chunks, self.how.paths)

    @property
    def chunk_texts(self) -> Mapping[str, str] | None:
        """The texts of the chunks; None if no table of them was read."""
        if self.how.chunks is None or "chunks" not in vars(self):
            return None
        return {name: each.text for name, each in self.chunks.items() if each.text is not None}

    def match(self, record: Record) -> Record:
        """The record with ids for what was retrieved; adds its judgments, if its gold has no ids."""
        golds = gold_items(record, self.how)
        if golds is None:
            if record.gold and record.retrieved is not None and record.retrieved.nameless:
                raise DataError(record.retrieved.nameless)
            has_items = record.retrieved is not None and record.retrieved.items is not None
            return record._replace(retrieved=without_items(record.retrieved)) if has_items else record
        record = in_ranked_order(record)
        found = record.retrieved
        if found is None and record.retrieved_texts is not None:
            names = [place_name(place) for place in range(len(record.retrieved_texts))]
            found = Passages(names, texts=list(record.retrieved_texts), nameless=f"{record.place}: no retrieved ids")
        hits: list[list[int]] = [[] for _ in found.ids] if found else []
        spans = self.compare_spans(record, golds, found, hits)
        self.compare_texts(record, golds, hits)
        self.compare_ids(golds, found, hits)
        if found is not None and (found.nameless or len(set(found.ids)) < len(found.ids)):
            found = found._replace(ids=unique_names([str(span) for span in spans] if spans else found.ids))
        names = found.ids if found else []
        texts = [each.value.text for each in golds if isinstance(each.value, GoldText)]
        self.queries.add(record.query_id)
        if self.how.graded and len(texts) == len(golds):
            self.rows += grade_texts(record.query_id, texts, list(record.retrieved_texts or ()), names=names)
        else:
            self.rows += judge_hits(record.query_id, [each.wanted for each in golds], names, list(map(sorted, hits)))
        gold = record.gold if record.gold is not None else record.grouped_texts
        return record._replace(gold=gold, retrieved=without_items(found), matched=tuple(each.shown for each in golds))

    def compare_spans(
        self, record: Record, golds: list[GoldItem], found: Passages | None, hits: list[list[int]]
    ) -> list[Span]:
        """The spans of what was retrieved, if gold has spans; adds what they hit."""
        wanted = {number: each.value for number, each in enumerate(golds) if isinstance(each.value, Span)}
        if not wanted:
            return []
        spans = [] if found is None else self.read_spans(found, record.place)
        numbers, gold = list(wanted), list(wanted.values())
        was_hit: set[int] = set()
        for place, chunk in enumerate(spans):
            those = [numbers[at] for at in self.how.overlap.hits(gold, chunk)]
            hits[place] += those
            was_hit.update(those)
        for known, side in zip(self.documents, (gold, spans), strict=True):
            known.update(dict.fromkeys(span.document for span in side))
        self.sample += spans[:1] if len(self.sample) < MOST_KEPT else []
        self.spans.update(hit=len(was_hit), none=len(wanted) - len(was_hit))
        return spans

    def read_spans(self, found: Passages, place: str) -> list[Span]:
        """The spans of what was retrieved: its own, or those of its ids in the table of chunks."""
        spans = []
        for number, each in enumerate(found.items or found.ids):
            if is_span(each, self.how.paths):
                spans.append(read_span(each, f"{place}, retrieved, number {number}", self.how.paths))
            elif found.ids[number] in self.chunks:
                spans.append(self.chunks[found.ids[number]].span)
            elif self.chunks and (name := as_id(each)):
                why = "the run and the table must be of the same chunking"
                raise DataError(f"{place}: the retrieved chunk {show(name)} is not in the table of chunks; {why}")
            else:
                where = Option("columns", ("start", "metadata.start_index"))
                raise DataError(
                    f"{place}: the gold is a span, but a retrieved passage has none: {show(each)}; a passage needs "
                    f"document, start and end; say where they are ({where}), or give the spans of all chunks by id "
                    f"({Option('corpus')})"
                )
        return spans

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
        rest = len(wanted) - len(match.exact | match.similar)
        self.texts.update(exact=len(match.exact), similar=len(match.similar), none=rest)

    def compare_ids(self, golds: list[GoldItem], found: Passages | None, hits: list[list[int]]) -> None:
        """Adds what the retrieved ids hit, if gold has ids too."""
        wanted = {each.value: number for number, each in enumerate(golds) if isinstance(each.value, str)}
        if not wanted or found is None:
            return
        if found.nameless:
            raise DataError(found.nameless)
        rule = None if self.how.rule is None or self.how.rule.is_field else self.how.rule
        for hit, name in zip(hits, found.ids, strict=True):
            document = name if rule is None else rule.of(name)
            if document in wanted:
                hit.append(wanted[document])


def has_only_ids(record: Record) -> bool:
    """Whether the record stays as it is: gold and what was retrieved are lists of ids. False says nothing."""
    gold, found = record.gold, record.retrieved
    if type(gold) is not list or record.gold_texts is not None or found is None:
        return False
    return found.items is None and not found.nameless and PLAIN.issuperset(map(type, gold))


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
    if graded and matched.texts.total() and not matched.how.graded:
        raise MeasureError(
            f"{graded[0]} takes similarities as grades; compute it alone, with {Option('convention', 'ragas')}"
        )


def unmatched_note(matched: Matched) -> Note:
    """What to say if gold hardly matches what was retrieved, in place of the note on ids, which such gold has not."""
    if total := matched.spans.total():
        kind, found, (said, advice) = "spans", matched.spans["hit"], describe_spans(matched)
    else:
        total, kind = matched.texts.total(), "texts"
        found, (said, advice) = total - matched.texts["none"], describe_texts(matched)
    about = f"few {kind}" if found else kind
    return Note.of(NoteKind.OVERLAP, about=about, count=found, expected=f"{total:,}", ids=said, advice=advice)


def describe_texts(matched: Matched) -> tuple[str, Advice]:
    """Some gold texts and some retrieved ones, and what to do."""
    retrieved = [each.retrieved_texts[0] for each in matched.records if each.retrieved_texts]
    said = f"the gold has {shown_gold(matched)}, what was retrieved has {some(shortened(retrieved))}"
    if matched.how.threshold == 1:
        return said, (Option("match", 0.9), " also takes similar texts")
    split = "if they were split differently, compare their words (retrieval_token_recall), or use spans as gold"
    return said, ("lower ", Option("match"), f" (here {matched.how.threshold:g}) if the passages are the same; {split}")


def describe_spans(matched: Matched) -> tuple[str, Advice]:
    """Some gold spans and some retrieved ones, how the names of their documents differ, and what to do."""
    chunks = [str(each) for each in matched.sample]
    said = f"the gold has {shown_gold(matched)}, the retrieved chunks are {some(chunks)}"
    gold, found = matched.documents
    if gold.keys() & found.keys():
        if matched.how.overlap.least is not None:
            return said, (Option("overlap", "any"), " asks for less")
        return said, ("check that both count characters, from the start of the same text of the document",)
    difference = find_difference(gold, found)
    if difference is not None:
        said += f"; likely the same documents: {difference}"
        return said, ("write the names of documents the same way on both sides",)
    columns = Option("columns", ("document", "metadata.source"))
    return said, ("they have no document in common; name the field that has the document of a chunk: ", columns)


def shown_gold(matched: Matched) -> str:
    """The first gold item of some questions, as it was given."""
    first = [name or text for each in matched.records for name, text in (each.matched or ())[:1]]
    return some(shortened(first))


def shortened(texts: list[str]) -> list[str]:
    return [shorten_text(each, LONGEST_SHOWN) or "" for each in list(dict.fromkeys(texts))[:MOST_SHOWN]]
