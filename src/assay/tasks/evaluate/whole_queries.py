"""What Spark's executors make of whole queries, judgments and rows together: counts, or by a plan scores or notes.

Counts of different queries are put side by side, and so are scores; notes about different queries add up.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import polars

from assay.core.doc_id import DocIdRule
from assay.core.errors import DataError, FormatError
from assay.core.note import Note, NoteKind
from assay.core.text import Option
from assay.data.chunks.fields import MOST_SHOWN
from assay.data.qrels import Qrels
from assay.engine.chunks import ChunkRanking
from assay.engine.counted import Counted
from assay.engine.counting import place_error, to_bytes, uses_order
from assay.engine.ranking import Ranking, qrels_notes, repeats_of
from assay.engine.spark.frames import quoted
from assay.tasks.evaluate.api import Scorer
from assay.tasks.evaluate.overlap import RunOverlap

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from assay.results.result import Result
    from assay.tasks.evaluate.plan import Plan

COUNTED, SCORES, NOTES = "counted", "scores", "notes"
NOTE_COLUMNS: Any = {
    **dict.fromkeys(("run", "kind", "about"), polars.String),
    "measures": polars.List(polars.String),
    "count": polars.Int64,
    "queries": polars.List(polars.String),
}
# Queries that a note names.
MOST_QUERIES = 10
# What rows are about that say how far judgments and run meet.
FIGURES = "figures"
# Rows that name the document of a chunk have it in this column.
DOCUMENT_COLUMN = DocIdRule("field", "document")


@dataclass(frozen=True, slots=True)
class WholeQueries:
    """Ranks whole queries on an executor. `runs` are the names of all runs, None for one without a name."""

    plan: Plan
    runs: list[str | None]
    has_order: bool
    makes: str

    @property
    def schema(self) -> str:
        if self.makes == COUNTED:
            return ", ".join(f"{name} binary" for name in Counted.__slots__)
        if self.makes == NOTES:
            return "run string, kind string, about string, measures array<string>, count long, queries array<string>"
        return ", ".join(["run string", "query_id string", *(f"{quoted(name)} double" for name in self.plan.measures)])

    def __call__(self, rows: polars.DataFrame) -> polars.DataFrame:
        # Where places are not known, sums of scores are in the order of documents.
        by = ["order"] if "order" in rows.columns else []
        by += ["doc_id"] if not self.has_order and needs_sums(self.plan) else []
        rows = rows.sort(by, maintain_order=True) if by else rows
        is_judgment = rows["is_judgment"].is_not_null()
        judgments = rows.filter(is_judgment)
        has_groups = "group" in rows.columns and judgments["group"].null_count() < len(judgments)
        columns = ("query_id", "doc_id", *(["group"] if has_groups else []))
        qrels = Qrels(judgments.select(*columns, relevance="value"), duplicates=None) if len(judgments) else None
        counted = self.rank(qrels, rows.filter(~is_judgment))
        if self.makes == COUNTED:
            return polars.DataFrame({name: [to_bytes(getattr(counted, name))] for name in Counted.__slots__})
        if qrels is None:
            return polars.concat([self.unjudged(counted, run) for run in self.runs])
        rankings = {run: counted.ranking(qrels, run) for run in self.runs}
        # They need not have a query in common with these judgments.
        results = {run: self.plan.score(ranking) for run, ranking in rankings.items()}
        if self.makes == SCORES:
            return score_rows(results)
        parts = [note_rows(results, self.plan, qrels)]
        # How far these judgments and the run meet stands beside the notes.
        for run, ranking in rankings.items():
            figures = RunOverlap.of(ranking)._asdict().items()
            parts.append(note_frame([(name, FIGURES, (), count, ()) for name, count in figures], run))
        return polars.concat(parts)

    def rank(self, qrels: Qrels | None, rows: polars.DataFrame) -> Counted:
        rule: Any = self.plan.policies.doc_id
        is_by_field = rule is not None and rule.is_field
        changes = {"doc_id": DOCUMENT_COLUMN} if is_by_field else {}
        plan = replace(self.plan, policies=self.plan.policies.changed(changes))
        scorer = Scorer(plan, qrels or Qrels.of_nothing(), threads=1)
        parts = [Counted()]
        for run, frame in self.by_run(rows):
            self.check_places(frame)
            table = frame.select("query_id", "doc_id", *(["document"] if is_by_field else []), score="value")
            ranking = scorer.start()
            ranking.read(table, threads=1)
            self.check_repeats(ranking)
            shown = unmatched(table, rule) if isinstance(ranking, ChunkRanking) else []
            for number in range(len(plan.options)):
                chunks: dict[str, Any] = {}
                if isinstance(ranking, ChunkRanking):
                    each = ranking.chunks(number)
                    chunks = {"chunks": each.retrieved, "collapsed": each.dropped, "unmatched": each.unmatched}
                    chunks |= {"rule": str(rule), "shown": shown}
                parts.append(Counted.of_ranking(ranking, number, run, **chunks))
        return Counted.join(parts)

    def by_run(self, rows: polars.DataFrame) -> Iterator[tuple[str | None, polars.DataFrame]]:
        if "run" not in rows.columns:
            yield None, rows
        elif rows["run"].null_count():
            raise FormatError("the run: some rows have no run; every row needs one")
        else:
            yield from ((str(name), frame) for (name,), frame in rows.group_by(["run"], maintain_order=True))

    def check_places(self, rows: polars.DataFrame) -> None:
        """Raises if ranks depend on the places of rows, and a row has none or that of another."""
        if not any(uses_order(group.policies) for group in self.plan.groups):
            return
        if rows["order"].null_count():
            raise FormatError("the run: a row has no number in the order column; every row of a query needs its own")
        if (twice := rows.select("query_id", "order").is_duplicated()).any():
            raise place_error(rows.filter(twice)["query_id"][0])

    def check_repeats(self, ranking: Ranking) -> None:
        """Raises if the first or the last of several rows was kept, though rows have no order."""
        for group in self.plan.groups:
            kept = {repeats_of(group.policies), group.policies.duplicates} & {"first", "last"}
            if kept and ranking.repeats_dropped(group.number) and not self.has_order:
                said = f"the run has duplicate documents, and rows of a DataFrame have no {kept.pop()} one"
                raise DataError(f"{said}; name a column with their order: {Option('order_column')}")

    def unjudged(self, counted: Counted, run: str | None) -> polars.DataFrame:
        """What there is to say of queries that only a run has: nothing but that."""
        if self.makes == SCORES:
            return polars.DataFrame()
        is_run = polars.col("run").eq_missing(polars.lit(run, polars.String))
        queries = sorted(counted.facts.filter(is_run)["query_id"].unique().to_list())
        note = (str(NoteKind.UNJUDGED), "run", (), len(queries), queries[:MOST_QUERIES])
        return note_frame([note] if queries else [], run)


def needs_sums(plan: Plan) -> bool:
    """Whether a measure needs sums of all scores."""
    return any("spread" in group.needs for group in plan.groups)


def unmatched(table: polars.DataFrame, rule: DocIdRule) -> list[str]:
    """The first few ids, in their order, that the rule does not match: the same however rows are spread."""
    found = table["document"] if rule.is_field else rule.match_all(table["doc_id"])
    ids = table["doc_id"].filter(found.is_null() | (found == ""))
    return ids.unique().sort().head(MOST_SHOWN).to_list()


def score_rows(results: dict[str | None, Result]) -> polars.DataFrame:
    """The scores of each query; one that is left out has no row."""
    parts = []
    for run, result in results.items():
        scores: dict[str, Any] = {"query_id": result.queries, **result.scores}
        run_column = polars.lit(run, polars.String).alias("run")
        parts.append(polars.DataFrame(scores, schema_overrides={"query_id": polars.String}).select(run_column, *scores))
    return polars.concat(parts)


def note_rows(results: dict[str | None, Result], plan: Plan, qrels: Qrels) -> polars.DataFrame:
    """Notes as rows whose counts add up, with the first few of their queries."""
    judgments = {note.text for group in plan.groups for note in qrels_notes(qrels, group.policies)}

    def row(note: Note) -> tuple[Any, ...]:
        # Ids that a rule does not match are counted apart from chunks that were left out.
        left_out = note.kind != NoteKind.CHUNKS or note.text == Note.of(NoteKind.CHUNKS, count=note.count).text
        about = "judgments" if note.text in judgments else "run" if left_out else "rule"
        return str(note.kind), about, note.measures, note.count, sorted(note.queries)[:MOST_QUERIES]

    return polars.concat([note_frame(list(map(row, result.notes)), run) for run, result in results.items()])


def note_frame(rows: Sequence[tuple[Any, ...]], run: str | None) -> polars.DataFrame:
    return polars.DataFrame([(run, *row) for row in rows], schema=NOTE_COLUMNS, orient="row")


def add_up_notes(notes: polars.DataFrame) -> polars.DataFrame:
    """One row per note, of what executors noted about their queries, and what all of them say together."""
    queries = polars.col("queries").explode().drop_nulls().sort().head(MOST_QUERIES)
    keys = ["run", "kind", "about", "measures"]
    summed = notes.group_by(keys, maintain_order=True).agg(polars.col("count").sum(), queries)
    is_figure = polars.col("about") == FIGURES
    parts = [summed.filter(~is_figure)]
    for (run,), own in summed.group_by(["run"], maintain_order=True):
        counts = dict(own.filter(is_figure).select("kind", "count").iter_rows())
        overlap = RunOverlap(*(counts.get(name, 0) for name in RunOverlap._fields))
        unjudged = int(own.filter(kind=str(NoteKind.UNJUDGED))["count"].sum())
        few = [overlap.matched] if overlap.has_few_queries(unjudged) else []
        few += [overlap.hits] if overlap.has_few_documents else []
        parts.append(note_frame([(str(NoteKind.OVERLAP), "run", (), count, ()) for count in few], run))
    return polars.concat(parts)
