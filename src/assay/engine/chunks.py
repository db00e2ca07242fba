"""Chunks of documents: rankings of chunks become rankings of documents, by a rule for their ids (`core/doc_id.py`).

The kernel finds the documents and keeps the best chunk of each, query by query (`ChunkRanking`).

`Chunks` counts over the rankings of RAG records and of a live retriever what the notes say: what was left out, and what
the rule did not match.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import nullcontext
from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING, Any

from assay._kernel import Index, Options, Progress, Ranker, Rows
from assay.core.doc_id import DocIdRule, field_missing
from assay.core.note import Note, NoteKind
from assay.core.text import printable, some
from assay.data.chunks.fields import MOST_SHOWN, FieldReader, Lacking
from assay.data.formats import recognise
from assay.data.formats.tabular import Need, rank_table
from assay.data.run import Run
from assay.engine.kernel import JOINT, KernelRanking, rank_run
from assay.files.source import is_source, open_source

if TYPE_CHECKING:
    from assay.data.qrels import Qrels


@dataclass(slots=True)
class Chunks:
    """What became of the chunks of a run under a rule: how many there were, were left out, or have no document."""

    rule: DocIdRule
    retrieved: int = 0
    dropped: int = 0
    unmatched: int = 0
    shown: list[str] = field(default_factory=list)

    def documents(self, chunks: Sequence[str]) -> list[str]:
        """The document of each chunk of a ranking, with duplicates; a chunk that the rule does not match is its own."""
        found = self.rule.match_all(chunks).to_list()
        lacking = [chunk for chunk, document in zip(chunks, found, strict=True) if document is None]
        self.count(len(chunks), len(lacking), lacking)
        return [document or chunk for chunk, document in zip(chunks, found, strict=True)]

    def count(self, retrieved: int, unmatched: int, lacking: Iterable[str]) -> None:
        """Adds chunks that were retrieved, and how many the rule does not match, with examples of them."""
        self.retrieved += retrieved
        self.unmatched += unmatched
        self.shown = list(dict.fromkeys([*self.shown, *lacking]))[:MOST_SHOWN]

    def notes(self) -> list[Note]:
        """How many chunks were left out, and which ids the rule does not match."""
        notes = []
        if self.dropped:
            notes.append(Note.of(NoteKind.CHUNKS, count=self.dropped))
        if self.unmatched:
            about = "none" if self.unmatched == self.retrieved else "some"
            how = {"rule": printable(self.rule), "ids": some(self.shown), "retrieved": f"{self.retrieved:,}"}
            notes.append(Note.of(NoteKind.CHUNKS, about=about, count=self.unmatched, **how))
        return notes


class ChunkRanking(KernelRanking):
    """Ranks the documents of chunks. A file is ranked while it is read, unless a function of Python is the rule."""

    is_held = False
    is_read_in_order = False

    def __init__(self, qrels: Qrels, options: Sequence[Options], rule: DocIdRule) -> None:
        super().__init__(qrels, options)
        self.rule = rule
        # What was said of chunks whose queries have no judgments, and of rows that name no document.
        self.others: list[Ranker] = []
        self.lacking = Lacking()

    def read(self, run: Any, **how: Any) -> None:  # noqa: ANN401 - as in `rank_run`
        self.others, self.lacking = [], Lacking()
        if self.rule.kind == "function":
            reading = {name: how.pop(name, None) for name in ("format", "columns", "progress")}
            reading.pop("progress")
            run = with_documents(run if isinstance(run, Run) else Run(run, **reading), self.rule)
        with open_source(run) if is_source(run) else nullcontext(run) as data:
            rank: Any = partial(rank_by_field, self.rule, self.lacking) if self.rule.is_field else rank_run
            self.ranker = rank(self.new_ranker, data, **how)
            if unknown := self.ranker.unknown():
                self.others.append(rank(partial(new_ranker, unknown, self.options), data, **how))
        self._counts.clear()

    def add(self, query: object, ranking: object) -> None:
        if self.rule.is_field:
            raise field_missing(self.rule, "the run")
        if self.rule.kind == "function":
            ((query, ranking),) = with_documents(Run({query: ranking}), self.rule, as_dict=True).items()
        super().add(query, ranking)
        if query not in self.qrels:
            self.others.append(new_ranker([str(query)], self.options))
            self.others[-1].add(query, ranking)

    def repeats_dropped(self, number: int) -> int:
        return sum(each.repeats_dropped(number) for each in (self.ranker, *self.others))

    def chunks(self, number: int) -> Chunks:
        rankers = (self.ranker, *self.others)
        retrieved, dropped, unmatched = map(sum, zip(*(each.chunks(number) for each in rankers), strict=True))
        found = Chunks(self.rule, retrieved, dropped)
        found.count(0, unmatched, [chunk for each in rankers for chunk in each.unmatched(number)])
        found.count(0, self.lacking.count, self.lacking.shown)
        return found

    def chunk_notes(self, number: int) -> list[Note]:
        return self.chunks(number).notes()


def new_ranker(queries: Sequence[str], options: Sequence[Options]) -> Ranker:
    return Ranker(Index(Rows.from_judgments(dict.fromkeys(queries, ())), "count"), list(options))


def with_documents(run: Run, rule: DocIdRule, *, as_dict: bool = False) -> Any:  # noqa: ANN401 - a frame or a dict
    """A run in which each chunk's id is joined to that of its document; the kernel takes them apart."""
    import polars

    rows = polars.DataFrame(run.rows)
    joined = (rule.match_all(rows["doc_id"]) + JOINT + rows["doc_id"]).fill_null(rows["doc_id"])
    if not (as_dict or run.rows.has_order() or run.has_empty_queries):
        return rows.select("query_id", joined.alias("doc_id"), polars.col("value").alias("score"))
    ids, found = joined.to_list(), {}
    for number, (query, start, end) in enumerate(zip(run.queries, run.starts, run.starts[1:], strict=False)):
        pairs = list(zip(ids[start:end], run.values_of(number), strict=True))
        found[query] = [chunk for chunk, _ in pairs] if run.rows.is_ordered(number) else pairs
    return found


def rank_by_field(
    rule: DocIdRule,
    lacking: Lacking,
    make_ranker: Callable[[], Ranker],
    run: object,
    *,
    threads: int,
    format: str | None = None,
    columns: Mapping[str, str] | None = None,
    progress: Progress | None = None,  # noqa: ARG001 - as in `rank_run`
) -> Ranker:
    """Ranks a run whose rows name the document of a chunk in a field; it counts the rows that name none."""
    reader = FieldReader(rule, columns, lacking)

    def make_anew() -> Ranker:
        lacking.clear()
        return make_ranker()

    if is_source(run):
        with open_source(run) as source:  # type: ignore[arg-type]
            chosen = recognise(source, format)
            if chosen.batches is None:
                raise field_missing(rule, f"{source.name} ({chosen.name})")
            batches = partial(reader.batches, chosen.batches)
            return rank_table(batches, source, make_anew, Need(reader.columns, judgments=False, threads=threads))
    lacking.clear()
    return rank_run(make_ranker, reader.read_frame(run), threads=threads, columns=reader.columns)
