"""`diff`: the queries that changed between two runs, or where one run fails, and the documents that did it."""

from __future__ import annotations

import os
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from assay.core.errors import MeasureError
from assay.core.measure import Measure
from assay.core.note import Note
from assay.core.policies import Signature, check_whole
from assay.core.text import count, printable, show
from assay.data.run import is_stored
from assay.render import Column, Exports, Table, finite, json_fields, render
from assay.results.result import Result
from assay.results.results import Results, shared_means
from assay.stats.pairs import differences_of
from assay.tasks.compare.ranks import Changed, Move, add_texts, document_lines, move_lines, query_cell, ranked_documents
from assay.tasks.compare.read import HowToRead, ScoredRuns, check_queries, name_all, score_runs
from assay.tasks.evaluate.plan import DEFAULT_MEASURES
from assay.tasks.evaluate.score import warned

if TYPE_CHECKING:
    import polars

# Documents shown per query, of two runs and of one; exports for programs have all judged documents.
MOST_SHOWN = {2: 10, 1: 3}


@dataclass(frozen=True, repr=False, eq=False)
class Diff(Exports):
    """The queries that changed most between two runs: those helped, then those hurt; see `assay.diff`.

    `means` are over the queries with a value in both runs, and `counts` says how many of them are better, the same and
    worse; `left_out` counts the others. Of one run, `hurt` are the queries with the worst values, against the ideal
    ranking, and there are no means and counts. A stored result has no documents to show.
    """

    measure: str
    runs: tuple[str, ...]
    helped: tuple[Move, ...]
    hurt: tuple[Move, ...]
    signature: Signature
    means: tuple[float, ...] = ()
    counts: tuple[int, ...] = ()
    left_out: int = 0
    notes: tuple[Note, ...] = ()
    has_documents: bool = True

    @property
    def queries(self) -> tuple[Move, ...]:
        """The queries, those helped first."""
        return (*self.helped, *self.hurt)

    def __repr__(self) -> str:
        return printable(f"<Diff: {self.title}>")

    def __str__(self) -> str:
        said, is_single = [printable(self.title)], len(self.runs) == 1
        for title, moves in (("most helped", self.helped), ("most hurt", self.hurt)):
            said += [] if is_single else ["", f"{title}:" if moves else f"{title}: none"]
            said += [f"  {line}" for move in moves for line in move_lines(move, MOST_SHOWN[len(self.runs)])]
        return "\n".join([*said, *([] if is_single else ["", printable(self.signature.short)])])

    @property
    def title(self) -> str:
        """The measure and the runs in a line."""
        if len(self.runs) == 1:
            return f"worst queries by {self.measure}"
        before, after = self.means
        better, same, worse = self.counts
        queries = f"{count(better, 'query', 'queries')} better, {same:,} the same, {worse:,} worse"
        queries += f"; {self.left_out:,} left out (no value in one of the runs)" if self.left_out else ""
        return f"{self.measure}, from {self.runs[0]} to {self.runs[1]}: {before:.4f} → {after:.4f}; {queries}"

    def table(self) -> Table:
        """One row per query."""
        is_single = len(self.runs) == 1
        names = (self.measure,) if is_single else ("before", "after", "difference")
        rows = []
        for move in self.queries:
            numbers = (move.after,) if is_single else (move.before, move.after, move.difference)
            rows.append((query_cell(move), *numbers, "; ".join(document_lines(move, MOST_SHOWN[len(self.runs)]))))
        columns = (Column("query", is_text=True), *map(Column, names), Column("documents", is_text=True))
        said = (self.signature.summary,) if is_single else (self.title, (self.signature.short,))
        return Table(columns, tuple(rows), *said)

    def to_latex(self, *, digits: int | None = None, caption: str | None = None, label: str | None = None) -> str:
        """A LaTeX table in booktabs style."""
        notes = () if len(self.runs) == 1 else (self.signature.summary,)
        return render(self.table()._replace(notes=notes).styled(digits, caption, label), "latex")

    def to_polars(self) -> polars.DataFrame:
        """One row per query and judged document."""
        import polars

        text, number, rank = polars.String, polars.Float64, polars.Int64
        is_single = len(self.runs) == 1
        values = dict.fromkeys(["value"] if is_single else ["before", "after"], number)
        ranks = dict.fromkeys(["rank"] if is_single else ["rank_before", "rank_after"], rank)
        rows = []
        for move in self.queries:
            for each in move.documents:
                score, place = [move.before, move.after][is_single:], [each.before, each.after][is_single:]
                rows.append((move.query, *score, each.document, each.grade, *place, each.contribution))
        schema = {"query_id": text, **values, "doc_id": text, "grade": number, **ranks, "contribution": number}
        return polars.DataFrame(rows, schema=schema, orient="row")

    def to_dict(self) -> dict[str, Any]:
        """What `to_json` writes, as Python objects: the queries with all their judged documents."""
        head = {"signature": str(self.signature), "measure": self.measure}
        helped, hurt = ([move.to_dict() for move in each] for each in (self.helped, self.hurt))
        if len(self.runs) == 1:
            return json_fields("worst") | head | {"queries": hurt}
        return json_fields("diff") | {
            **head,
            **dict(zip(("a", "b"), self.runs, strict=True)),
            **dict(zip(("mean_a", "mean_b"), map(finite, self.means), strict=True)),
            **dict(zip(("wins", "ties", "losses"), self.counts, strict=True)),
            "left_out": self.left_out,
            "helped": helped,
            "hurt": hurt,
        }


def diff(
    qrels: object,
    before: object,
    after: object = None,
    measure: str | Measure | None = None,
    *,
    top: int = 10,
    queries: object = None,
    corpus: object = None,
    convention: str | None = None,
    format: str | None = None,
    threads: int | None = None,
    progress: bool = False,
    **policies: Any,  # noqa: ANN401 - checked by name
) -> Diff:
    """The queries that improved most and dropped most from one run to another, with the documents that moved them.

    Of a single run, the queries with the worst values, each with the documents that cost most: the contribution of a
    document is what its rank costs, compared with the ideal ranking.

    >>> import assay
    >>> qrels, run = {"q1": ["a"], "q2": ["b"]}, {"q1": ["a"], "q2": ["x", "y", "b"]}
    >>> print(assay.diff(qrels, run, measure="rr", top=1))
    worst queries by rr
      q2  0.3333
          b (grade 1): rank 3 (-0.6667)

    `top` is the number of queries, in each direction if there are two runs. With `queries` and `corpus`, the texts of
    questions and passages by id or files of them, also the question, the first line of each passage, and the unjudged
    document on top; for it the runs are read once more. Runs are read and scored as by `evaluate`, under a `convention`
    and its policies; `progress` shows bars on a terminal. Two runs may be finished results, also as files, which have
    no documents; if both are, `qrels` may be None, or the first of the files.
    """
    if after is None and is_stored(qrels):
        qrels, before, after = None, qrels, before
    given = [before] if after is None else [before, after]
    named: dict[str, object] = {"run": before}
    if len(given) > 1:
        is_file = all(isinstance(run, (str, os.PathLike)) or callable(getattr(run, "read", None)) for run in given)
        _, named = name_all(qrels, given if is_file else {"before": before, "after": after})
    check_whole("top", top, len(given) - 1)
    is_finished = any(isinstance(run, Result) or is_stored(run) for run in given)
    wanted = None if measure is None and is_finished else [measure or DEFAULT_MEASURES[0]]
    scored = score_runs(qrels, named, wanted, HowToRead(convention, threads, format, policies, progress=progress))
    for result in scored.results.values():
        warned(result)
    if len(scored.first) > 1 and measure is not None:
        raise MeasureError(f"{show(measure)} names several measures: {', '.join(scored.first)}; name one")
    check_queries(scored.results)
    return find_diff(scored, next(iter(scored.first)), *named, top=top, queries=queries, corpus=corpus)


def find_diff(
    scored: ScoredRuns, measure: str, a: str, b: str | None = None, *, top: int, queries: object, corpus: object
) -> Diff:
    """The queries most helped and most hurt from one run to another, or the worst of one run, up to `top` of each."""
    before, after = (Results(scored.results)[name] for name in (a, b or a))
    key = before.key(measure)
    definition, ranks = before.measures[key].definition, scored.ranks
    if definition.corpus is not None:
        raise MeasureError(f"{key} is one number for all queries; it has no values per query")
    sign = 1 if definition.higher_is_better else -1
    if b is None:
        values = sign * before.scores[key]
        worst = [each for each in np.argsort(values, kind="stable").tolist() if not np.isnan(values[each])]
        chosen: tuple[list[int], ...] = ([], worst[:top])
    else:
        moved = sign * differences_of(before.scores[key], after.scores[key])
        # A NaN sorts last in both directions.
        helped = [number for number in np.argsort(-moved, kind="stable").tolist() if moved[number] > 0]
        hurt = [number for number in np.argsort(moved, kind="stable").tolist() if moved[number] < 0]
        chosen = (helped[:top], hurt[:top])
    runs = (None, a) if b is None else (a, b)

    def move(number: int) -> Move:
        query, value = before.queries[number], float(after.scores[key][number])
        documents = () if ranks is None else ranked_documents(ranks, query, key, *runs)
        earlier = None if b is None else float(before.scores[key][number])
        return Move(query, earlier, value, documents, ranked_before=b is not None)

    most = [tuple(map(move, each)) for each in chosen]
    if queries is not None or corpus is not None:
        most = add_texts([Changed(each, key, *runs) for each in most], ranks, queries, corpus)
    known: dict[str, Any] = {"notes": Results(scored.results).common_notes, "has_documents": ranks is not None}
    found = Diff(key, (a,), most[0], most[1], before.only([key]).signature, **known)
    if b is None:
        return found
    means = tuple(shared_means((before, after), key))
    counts, left_out = (len(helped), int((moved == 0).sum()), len(hurt)), int(np.isnan(moved).sum())
    return replace(found, runs=(a, b), means=means, counts=counts, left_out=left_out)
