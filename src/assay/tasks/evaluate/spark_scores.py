"""Scores of single queries and notes, made on the executors: each scores the queries whose counts it has."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import polars

from assay.conventions import Chosen, find_convention
from assay.core.note import Note, NoteKind
from assay.core.policies import Policies
from assay.data.qrels import Qrels
from assay.engine.counting import NO_SLOT, STATE, Counting, from_bytes, to_bytes
from assay.engine.grouping import read_judgments
from assay.engine.local import integers, rank_hits
from assay.engine.spark import quoted, to_batches, to_frame
from assay.tasks.evaluate.overlap import RunOverlap
from assay.tasks.evaluate.score import merge_parts, qrels_notes, run_notes, score
from assay.tasks.evaluate.scorer import Scorer

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

    from pyspark.sql import DataFrame

    from assay.engine.counted import Counted
    from assay.engine.counting import Way
    from assay.engine.grouping import Grouping
    from assay.engine.spark import Batches
    from assay.results.result import Result

# The way of rows that only say whose query it is.
NO_WAY = -1
NOTES = {"kind": "string", "about": "string", "measures": "array<string>", "count": "long", "queries": "array<string>"}
# What rows are about that say how far judgments and run meet.
FIGURES = "figures"
# Queries that a note names.
MOST_QUERIES = 10
NOTHING = polars.DataFrame()


def add_up_notes(notes: DataFrame) -> polars.DataFrame:
    """One row per note, of what executors noted about their queries, and what all of them say together."""
    from pyspark.sql import functions

    keys = [name for name in ("run", "kind", "about", "measures") if name in notes.columns]
    queries = functions.sort_array(functions.flatten(functions.collect_list("queries")))
    first = functions.slice(queries, 1, MOST_QUERIES)
    summed = to_frame(notes.groupBy(*keys).agg(functions.sum("count").alias("count"), first.alias("queries")))
    is_figure = polars.col("about") == FIGURES
    runs = summed["run"].unique().sort().to_list() if "run" in keys else [None]
    parts = [summed.filter(~is_figure)]
    for run in runs:
        own = summed if run is None else summed.filter(polars.col("run") == run)
        counts = dict(own.filter(is_figure).select("kind", "count").iter_rows())
        unjudged = int(own.filter(polars.col("kind") == str(NoteKind.UNJUDGED))["count"].sum())
        parts.append(overlap_rows(RunOverlap(*(counts.get(name, 0) for name in RunOverlap._fields)), unjudged, run))
    return polars.concat(parts)


def overlap_rows(overlap: RunOverlap, unjudged: int, run: str | None) -> polars.DataFrame:
    """The notes about judgments and a run that hardly meet."""
    counts = [overlap.matched] if overlap.has_few_queries(unjudged) else []
    if overlap.is_empty or overlap.has_few_documents:
        counts.append(overlap.hits)
    return as_rows([(str(NoteKind.OVERLAP), "run", (), count, ()) for count in counts], run)


def note_rows(notes: Sequence[Note], run: str | None, judgments: Collection[str] = ()) -> polars.DataFrame:
    """Notes as rows whose counts add up, with the first few of their queries; `judgments` are texts about those."""
    rows = [
        (
            str(note.kind),
            about_of(note, judgments),
            note.measures,
            note.count,
            sorted(note.queries)[:MOST_QUERIES],
        )
        for note in notes
    ]
    return as_rows(rows, run)


def about_of(note: Note, judgments: Collection[str]) -> str:
    """What a note is about; ids that a rule does not match are counted apart from chunks that were left out."""
    if note.text in judgments:
        return "judgments"
    left_out = Note.of(NoteKind.CHUNKS, count=note.count).text
    return "rule" if note.kind == NoteKind.CHUNKS and note.text != left_out else "run"


def as_rows(rows: Sequence[tuple[object, ...]], run: str | None) -> polars.DataFrame:
    """A frame with the columns of notes."""
    texts = polars.List(polars.String)
    kinds: Any = dict(zip(NOTES, (polars.String, polars.String, texts, polars.Int64, texts), strict=True))
    frame = polars.DataFrame(rows, schema=kinds, orient="row")
    return frame if run is None else frame.select(polars.lit(run).alias("run"), polars.all())


def judgment_texts(scorer: Scorer) -> set[str]:
    """The texts of the notes about judgments."""
    return {note.text for group in scorer.groups for note in qrels_notes(scorer.qrels, group.policies)}


class Scoring(NamedTuple):
    """How queries are scored, in a form that executors get; `runs` are the names of the runs, if they have names.

    With `is_noting`, what comes out are the notes that scoring leads to, not the scores.
    """

    measures: dict[str, Chosen]
    convention: str
    policies: Policies
    runs: list[str] | None
    is_noting: bool = False

    @property
    def schema(self) -> str:
        """The columns that come out, as Spark writes them."""
        runs = [] if self.runs is None else ["run string"]
        if self.is_noting:
            return ", ".join([*runs, *(f"{name} {kind}" for name, kind in NOTES.items())])
        return ", ".join([*runs, "query_id string", *(f"{quoted(name)} double" for name in self.measures)])

    def owners(self, qrels: Qrels) -> polars.DataFrame:
        """A row for each judged query, in the form of counts, so that queries missing from the run are scored too."""
        size = len(qrels)
        columns: dict[str, Any] = {"way": [NO_WAY] * size, "slot": [NO_SLOT] * size, "run": [None] * size}
        zeros = {"rows": [0] * size, "excluded": [0] * size}
        return polars.DataFrame({**columns, "query_id": qrels.queries, **zeros}, schema=STATE)

    def score(self, qrels: Qrels | None, counted: Counted) -> polars.DataFrame:
        """The scores of all queries that `qrels` has, for every run, or the notes about these and the others."""
        names: list[str | None] = [None] if self.runs is None else [*self.runs]
        if qrels is None:
            return polars.concat([self.note_unjudged(counted, run) for run in names]) if self.is_noting else NOTHING
        scorer = Scorer(qrels, self.measures, find_convention(self.convention), self.policies, threads=1)
        results = [(score_run(scorer, counted, run), run) for run in names]
        if not self.is_noting:
            return polars.concat([self.table(result, run) for result, run in results])
        texts = judgment_texts(scorer)
        figures = [figure_rows(scorer, counted, run) for run in names]
        return polars.concat([*(note_rows(result.notes, run, texts) for result, run in results), *figures])

    def note_unjudged(self, counted: Counted, run: str | None) -> polars.DataFrame:
        """The note about queries that only a run has."""
        is_run = polars.col("run").eq_missing(polars.lit(run, polars.String))
        queries = sorted(counted.facts.filter(is_run)["query_id"].unique().to_list())
        return note_rows([Note.of(NoteKind.UNJUDGED, queries=queries)] if queries else [], run)

    def table(self, result: Result, run: str | None) -> polars.DataFrame:
        """The scores of one run; a query that is left out has no row."""
        names: dict[str, Any] = {} if run is None else {"run": [run] * len(result.queries)}
        scores = {name: result.scores[name] for name in self.measures}
        text = dict.fromkeys((*names, "query_id"), polars.String)
        return polars.DataFrame({**names, "query_id": result.queries, **scores}, schema_overrides=text)


def score_run(scorer: Scorer, counted: Counted, run: str | None) -> Result:
    """The scores of one run; it need not have a query in common with these judgments."""
    ranker, qrels = counted.ranker(scorer.qrels, run), scorer.qrels
    parts = []
    how: dict[str, Any]
    for group in scorer.groups:
        index = qrels.index_under(group.policies.duplicates)
        judged, found = rank_hits(qrels.rows, index, ranker.columns(group.number), group.policies)
        notes = [*run_notes(ranker, group.number, ranker.unknown()), *qrels_notes(qrels, group.policies)]
        how = {"queries": qrels.queries, "present": found >= 0, "notes": notes}
        parts.append(score(judged, group.measures, group.policies, **how))
    how = {"convention": scorer.convention.name, "policies": scorer.policies}
    return merge_parts(parts, scorer.measures, queries=qrels.queries, **how)


def figure_rows(scorer: Scorer, counted: Counted, run: str | None) -> polars.DataFrame:
    """How far these judgments and the run meet, as rows beside those of notes."""
    columns = counted.ranker(scorer.qrels, run).columns(scorer.groups[0].number)
    overlap = RunOverlap.of(scorer.qrels, integers(columns["retrieved"]), columns)
    return as_rows([(name, FIGURES, (), count, ()) for name, count in overlap._asdict().items()], run)


class GroupScores:
    """Scores whole queries from their judgments and rows."""

    def __init__(self, scoring: Scoring, grouping: Grouping) -> None:
        self.scoring = scoring
        self.grouping = grouping

    def __call__(self, judgments: polars.DataFrame, rows: polars.DataFrame) -> polars.DataFrame:
        qrels = read_judgments(judgments)
        return self.scoring.score(qrels, self.grouping.count(qrels, rows))


class CountScores:
    """Scores queries from their counts."""

    def __init__(
        self, scoring: Scoring, ways: Sequence[Way], found: polars.DataFrame, judgments: polars.DataFrame
    ) -> None:
        self.scoring = scoring
        self.ways = list(ways)
        self.found = to_bytes(found)
        self.judgments = to_bytes(judgments)

    def __call__(self, batches: Batches) -> Batches:
        frames: Any = [polars.from_arrow(batch) for batch in batches]
        state = polars.concat(frames) if frames else polars.DataFrame(schema=STATE)
        is_own = polars.col("query_id").is_in(state["query_id"].unique().to_list())
        judgments = from_bytes(self.judgments).filter(is_own)
        qrels = Qrels(judgments.rename({"value": "relevance"}), duplicates=None) if len(judgments) else None
        counting = Counting(from_bytes(self.found).filter(is_own), self.ways)
        counted = counting.count(state.filter(polars.col("way") != NO_WAY))
        made = self.scoring.score(qrels, counted)
        if len(made):
            yield from to_batches(made)
